//! Numbers as formulas: `2 * $r`, `sqrt(2) / 2`, `-30 * deg`.
//!
//! ```text
//! sum      product (("+" | "-") product)*
//! product  power (("*" | "/" | "%") power)*
//! power    "-"? atom ("^" power)?
//! atom     number | "$" name | pi | deg | function "(" sum ("," sum)* ")" | "(" sum ")"
//! ```

use std::f64::consts::PI;

/// Functions by name, and how many numbers they take.
const FUNCTIONS: &[(&str, usize)] =
    &[("sin", 1), ("cos", 1), ("tan", 1), ("sqrt", 1), ("abs", 1), ("floor", 1), ("min", 2), ("max", 2)];

/// Brackets and signs inside each other; a formula by hand has few.
const DEEPEST: usize = 100;

/// The value of a formula; parameters by `lookup`. An error says what is wrong.
pub fn evaluate(text: &str, lookup: &dyn Fn(&str) -> Result<f64, String>) -> Result<f64, String> {
    let mut formula = Formula { text, rest: text, lookup, depth: 0 };
    let value = formula.sum()?;
    match formula.peek() {
        None => Ok(value),
        Some(stray) => Err(goes_wrong(text, stray)),
    }
}

/// What is wrong where a formula should end or go on with an operation.
fn goes_wrong(text: &str, stray: char) -> String {
    let remedy = if stray.is_alphabetic() {
        "; numbers have no units, as all of a scene fit together: give them alone"
    } else {
        ""
    };
    format!("the formula \"{text}\" does not go on with \"{stray}\"{remedy}")
}

struct Formula<'a> {
    text: &'a str,
    rest: &'a str,
    lookup: &'a dyn Fn(&str) -> Result<f64, String>,
    depth: usize,
}

impl<'a> Formula<'a> {
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn take(&mut self, sign: char) -> bool {
        let found = self.peek() == Some(sign);
        if found {
            self.rest = &self.rest[sign.len_utf8()..];
        }
        found
    }

    fn expect(&mut self, sign: char) -> Result<(), String> {
        if self.take(sign) {
            return Ok(());
        }
        Err(format!("the formula \"{}\" lacks a \"{sign}\"", self.text))
    }

    fn sum(&mut self) -> Result<f64, String> {
        let mut value = self.product()?;
        loop {
            if self.take('+') {
                value += self.product()?;
            } else if self.take('-') {
                value -= self.product()?;
            } else {
                return Ok(value);
            }
        }
    }

    fn product(&mut self) -> Result<f64, String> {
        let mut value = self.power()?;
        loop {
            if self.take('*') {
                value *= self.power()?;
            } else if self.take('/') {
                value /= self.power()?;
            } else if self.take('%') {
                value = value.rem_euclid(self.power()?);
            } else {
                return Ok(value);
            }
        }
    }

    fn power(&mut self) -> Result<f64, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("the formula \"{}\" is nested too deeply", self.text));
        }
        let value = if self.take('-') {
            -self.power()?
        } else {
            let base = self.atom()?;
            if self.take('^') { libm::pow(base, self.power()?) } else { base }
        };
        self.depth -= 1;
        Ok(value)
    }

    fn atom(&mut self) -> Result<f64, String> {
        match self.peek() {
            Some('(') => {
                self.expect('(')?;
                let value = self.sum()?;
                self.expect(')')?;
                Ok(value)
            }
            Some('$') => {
                self.expect('$')?;
                let name = self.word();
                (self.lookup)(name)
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_ascii_alphabetic() => {
                let name = self.word();
                match name {
                    "pi" => Ok(PI),
                    "deg" => Ok(PI / 180.0),
                    _ => self.call(name),
                }
            }
            Some(stray) => Err(format!("the formula \"{}\" does not go on with \"{stray}\"", self.text)),
            None => Err(format!("the formula \"{}\" ends too early", self.text)),
        }
    }

    fn word(&mut self) -> &'a str {
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn number(&mut self) -> Result<f64, String> {
        let bytes = self.rest.as_bytes();
        let part_of = |k: usize| match bytes[k] {
            b'0'..=b'9' | b'.' | b'_' => true,
            b'e' | b'E' => true,
            b'+' | b'-' => matches!(bytes[k - 1], b'e' | b'E'),
            _ => false,
        };
        let end = (1..bytes.len()).find(|&k| !part_of(k)).unwrap_or(bytes.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        text.replace('_', "").parse().map_err(|_| format!("\"{text}\" is no number"))
    }

    fn call(&mut self, name: &str) -> Result<f64, String> {
        let Some(&(_, count)) = FUNCTIONS.iter().find(|(known, _)| *known == name) else {
            let known: Vec<&str> = FUNCTIONS.iter().map(|(name, _)| *name).collect();
            return Err(format!(
                "a number or a formula is expected, but \"{}\" has the word \"{name}\"; a parameter is written ${name}, \
                 known are pi, deg, {}",
                self.text,
                known.join(", ")
            ));
        };
        self.expect('(')?;
        let mut values = [self.sum()?, 0.0];
        if count == 2 {
            self.expect(',')?;
            values[1] = self.sum()?;
        }
        self.expect(')')?;
        let [x, y] = values;
        Ok(match name {
            "sin" => libm::sin(x),
            "cos" => libm::cos(x),
            "tan" => libm::tan(x),
            "sqrt" => x.sqrt(),
            "abs" => x.abs(),
            "floor" => x.floor(),
            "min" => x.min(y),
            _ => x.max(y),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<f64, String> {
        evaluate(text, &|name| if name == "r" { Ok(0.5) } else { Err(format!("no {name}")) })
    }

    #[test]
    fn formulas_follow_the_usual_order() {
        for (text, expected) in [
            ("1 + 2 * 3", 7.0),
            ("2 * $r", 1.0),
            ("-2 ^ 2", -4.0),
            ("2 ^ -1", 0.5),
            ("2 ^ 3 ^ 2", 512.0),
            ("(1 + 2) * 3 - 4 / 8", 8.5),
            ("7 % 3 + -1", 0.0),
            ("max(1, min(2, 3)) + sqrt(16) + floor(-0.5)", 5.0),
            ("1.5e-3 * 1_000", 1.5),
            ("180 * deg / pi", 1.0),
            ("sin(0) + cos(0) + abs(-$r)", 1.5),
        ] {
            assert!((value(text).unwrap() - expected).abs() < 1e-15, "{text}");
        }
    }

    #[test]
    fn what_is_no_formula_is_told() {
        for (text, part) in [
            ("", "ends too early"),
            ("2 *", "ends too early"),
            ("(1", "lacks a \")\""),
            ("1 2", "does not go on with \"2\""),
            ("9.81 m/s", "does not go on with \"m\"; numbers have no units"),
            ("mu * 2", "$mu"),
            ("$mu", "no mu"),
            ("1.2.3", "no number"),
            ("é", "\"é\""),
        ] {
            assert!(value(text).unwrap_err().contains(part), "{text}: {:?}", value(text));
        }
        assert!(value(&"-".repeat(100_000)).is_err());
        assert!(value(&"(".repeat(100_000)).is_err());
    }
}
