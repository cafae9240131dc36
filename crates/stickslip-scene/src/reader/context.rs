//! What values depend on beside their text: parameters, the dimension, random numbers.

use super::expression::evaluate;
use super::origins::Origins;
use super::place::{Fault, Place};
use super::read::Reader;
use super::tree::{Entry, Node, Value};
use crate::nearest::did_you_mean;
use serde::Deserialize;
use std::cell::RefCell;
use stickslip::packings::Random;

/// Parameters that stand for each other at most.
pub(super) const DEEPEST: usize = 32;

/// What values depend on beside their text.
pub(crate) struct Context<'a> {
    /// The table of parameters.
    pub parameters: Option<&'a Node>,
    pub dimension: usize,
    /// Random numbers: of what moves, and of what only looks on.
    pub random: RefCell<Random>,
    pub aside: RefCell<Random>,
    /// Places of what asked for them.
    pub spots: RefCell<Vec<Spot>>,
    /// Which formulas asked for which parameters.
    pub origins: RefCell<Origins>,
}

/// The place of a table, and of its keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spot {
    pub(crate) place: Place,
    pub(crate) keys: Vec<KeyPlace>,
    /// Which copy of a repeated table it is.
    pub(crate) index: Option<usize>,
}

/// A key, where it stands, and where its value does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KeyPlace {
    pub name: String,
    pub key: Place,
    pub value: Place,
}

impl Spot {
    /// The place of the first of some keys that is there, or of the table.
    pub(crate) fn key(&self, names: &[&str]) -> Place {
        let found = names.iter().find_map(|name| self.keys.iter().find(|key| key.name == *name));
        found.map_or(self.place, |key| key.key)
    }

    /// The value of the key that stands at a place.
    pub(super) fn value_of(&self, key: Place) -> Option<Place> {
        self.keys.iter().find(|known| known.key == key).map(|known| known.value)
    }
}

/// Who asks for a number: whether that only looks on, and how many parameters may stand for each other still.
struct Asking {
    aside: bool,
    depth: usize,
}

impl Context<'_> {
    /// Reads a value of some type.
    pub fn read<'de, T: Deserialize<'de>>(&self, node: &Node) -> Result<T, Fault> {
        T::deserialize(Reader { node, context: self }).map_err(|fault| fault.at(node.place))
    }

    pub(super) fn parameter(&self, name: &str, depth: usize) -> Result<&Node, String> {
        let table = self.parameters.map(|node| &node.value);
        let Some(Value::Table(entries)) = table else {
            return Err(format!("there is no parameter \"{name}\": the scene has no [parameters]"));
        };
        if depth == 0 {
            return Err(format!("the parameter \"{name}\" stands for itself"));
        }
        let found = entries.iter().find(|entry| entry.key == name);
        found.map(|entry| &entry.node).ok_or_else(|| {
            let dollars: Vec<String> = entries.iter().map(|entry| format!("${}", entry.key)).collect();
            let near = did_you_mean(&format!("${name}"), dollars.iter().map(String::as_str));
            let near = near.map_or(String::new(), |near| format!("; {near}"));
            format!("there is no parameter \"{name}\"{near}")
        })
    }

    /// The number that a node stands for.
    pub(super) fn number(&self, node: &Node) -> Result<f64, Fault> {
        self.number_of(node, &Asking { aside: node.aside, depth: DEEPEST })
    }

    fn number_of(&self, node: &Node, asking: &Asking) -> Result<f64, Fault> {
        let number = self.any_number(node, asking)?;
        if number.is_nan() {
            return Err(Fault::new("this is not a number").remedy("give one").at(node.place));
        }
        Ok(number)
    }

    fn any_number(&self, node: &Node, asking: &Asking) -> Result<f64, Fault> {
        match &node.value {
            Value::Integer(number) => Ok(*number as f64),
            Value::Float(number) => Ok(*number),
            Value::Text(text) => self.formula(text, node, asking).map_err(|text| {
                let fault = match text.split_once("; ") {
                    Some((message, remedy)) => Fault::new(message).remedy(remedy),
                    None => Fault::new(text),
                };
                fault.at(node.place)
            }),
            Value::Table(entries) => match &entries[..] {
                [Entry { key, node: range, .. }] if key == "random" => self.draw(range, asking),
                _ => Err(wrong(node, "a number")),
            },
            _ => Err(wrong(node, "a number")),
        }
    }

    fn formula(&self, text: &str, node: &Node, asking: &Asking) -> Result<f64, String> {
        evaluate(text, &|name| match (name, node.index) {
            ("i", Some(index)) => Ok(index as f64),
            ("i", None) if self.parameter(name, 1).is_err() => {
                Err("$i is the number of a copy; give the table a `repeat`".into())
            }
            _ => {
                let parameter = self.parameter(name, asking.depth)?;
                self.note_use(node, name);
                let deeper = Asking { depth: asking.depth - 1, ..*asking };
                self.number_of(parameter, &deeper).map_err(|fault| fault.message)
            }
        })
    }

    fn note_use(&self, node: &Node, parameter: &str) {
        self.origins.borrow_mut().uses.insert((node.place, parameter.into()));
    }

    /// The parameter that a text of its name alone, `$name`, stands for.
    pub(super) fn named(&self, node: &Node) -> Option<&Node> {
        let Value::Text(text) = &node.value else { return None };
        let name = text.strip_prefix('$')?;
        let parameter = self.parameter(name, 1).ok()?;
        self.note_use(node, name);
        Some(parameter)
    }

    fn draw(&self, range: &Node, asking: &Asking) -> Result<f64, Fault> {
        let Value::List(ends) = &range.value else { return Err(wrong(range, "two numbers")) };
        let [low, high] = &ends[..] else { return Err(wrong(range, "two numbers")) };
        let (low, high) = (self.number_of(low, asking)?, self.number_of(high, asking)?);
        if low > high {
            return Err(Fault::new("the range is empty").remedy("give its low end first").at(range.place));
        }
        let random = if asking.aside { &self.aside } else { &self.random };
        Ok(random.borrow_mut().between(low, high))
    }

    /// Text, with `{formula}` replaced by its value.
    pub(super) fn text(&self, node: &Node) -> Result<String, Fault> {
        let Value::Text(text) = &node.value else { return Err(wrong(node, "text")) };
        if let Some(Value::Text(value)) = self.named(node).map(|parameter| &parameter.value) {
            return Ok(value.clone());
        }
        let (mut whole, mut rest) = (String::new(), text.as_str());
        while let Some((before, after)) = rest.split_once('{') {
            let Some((formula, after)) = after.split_once('}') else { break };
            let value = self.formula(formula, node, &Asking { aside: node.aside, depth: DEEPEST });
            whole += before;
            whole += &value.map_err(|text| Fault::new(text).at(node.place))?.to_string();
            rest = after;
        }
        Ok(whole + rest)
    }
}

/// A node that is something else.
pub(super) fn wrong(node: &Node, expected: &str) -> Fault {
    let found = match &node.value {
        Value::Text(_) => "text",
        Value::Integer(_) | Value::Float(_) => "a number",
        Value::Bool(_) => "true or false",
        Value::List(_) => "a list",
        Value::Table(_) => "a table",
    };
    Fault::new(format!("{expected} is expected here, but this is {found}")).at(node.place)
}
