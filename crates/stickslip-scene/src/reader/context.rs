//! What values depend on beside their text: parameters, the dimension, random numbers.

use super::expression::evaluate;
use super::nearest::nearest;
use super::place::{Fault, Place};
use super::read::Reader;
use super::tree::{Entry, Node, Value};
use serde::Deserialize;
use std::cell::RefCell;
use std::collections::BTreeSet;
use stickslip::packings::Random;

/// Parameters that stand for each other at most.
pub(super) const DEEPEST: usize = 32;

/// What values depend on beside their text.
pub(crate) struct Context<'a> {
    /// The table of parameters.
    pub parameters: Option<&'a Node>,
    pub dimension: usize,
    pub random: RefCell<Random>,
    /// Places of what asked for them.
    pub spots: RefCell<Vec<Spot>>,
    /// Parameters that were asked for.
    pub used: RefCell<BTreeSet<String>>,
}

/// The place of a table, and of its keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spot {
    pub(crate) place: Place,
    pub(crate) keys: Vec<(String, Place)>,
    /// Which copy of a repeated table it is.
    pub(crate) index: Option<usize>,
}

impl Spot {
    /// The place of the first of some keys that is there, or of the table.
    pub(crate) fn key(&self, names: &[&str]) -> Place {
        let found = names.iter().find_map(|name| self.keys.iter().find(|(key, _)| key == name));
        found.map_or(self.place, |(_, place)| *place)
    }
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
        self.used.borrow_mut().insert(name.to_string());
        let found = entries.iter().find(|entry| entry.key == name);
        found.map(|entry| &entry.node).ok_or_else(|| {
            let near = nearest(name, entries.iter().map(|entry| entry.key.as_str()));
            let near = near.map_or(String::new(), |near| format!("; did you mean \"${near}\"?"));
            format!("there is no parameter \"{name}\"{near}")
        })
    }

    /// The number that a node stands for.
    pub(super) fn number(&self, node: &Node, depth: usize) -> Result<f64, Fault> {
        let number = self.any_number(node, depth)?;
        if number.is_nan() {
            return Err(Fault::new("this is not a number").remedy("give one").at(node.place));
        }
        Ok(number)
    }

    fn any_number(&self, node: &Node, depth: usize) -> Result<f64, Fault> {
        match &node.value {
            Value::Integer(number) => Ok(*number as f64),
            Value::Float(number) => Ok(*number),
            Value::Text(text) => self.formula(text, node.index, depth).map_err(|text| {
                let fault = match text.split_once("; ") {
                    Some((message, remedy)) => Fault::new(message).remedy(remedy),
                    None => Fault::new(text),
                };
                fault.at(node.place)
            }),
            Value::Table(entries) => match &entries[..] {
                [Entry { key, node: range, .. }] if key == "random" => self.draw(range, depth),
                _ => Err(wrong(node, "a number")),
            },
            _ => Err(wrong(node, "a number")),
        }
    }

    fn formula(&self, text: &str, index: Option<usize>, depth: usize) -> Result<f64, String> {
        evaluate(text, &|name| match (name, index) {
            ("i", Some(index)) => Ok(index as f64),
            ("i", None) if self.parameter(name, 1).is_err() => {
                Err("$i is the number of a copy; give the table a `repeat`".into())
            }
            _ => self
                .parameter(name, depth)
                .and_then(|node| self.number(node, depth - 1).map_err(|fault| fault.message)),
        })
    }

    fn draw(&self, range: &Node, depth: usize) -> Result<f64, Fault> {
        let Value::List(ends) = &range.value else { return Err(wrong(range, "two numbers")) };
        let [low, high] = &ends[..] else { return Err(wrong(range, "two numbers")) };
        let (low, high) = (self.number(low, depth)?, self.number(high, depth)?);
        if low > high {
            return Err(Fault::new("the range is empty").remedy("give its low end first").at(range.place));
        }
        Ok(self.random.borrow_mut().between(low, high))
    }

    /// Text, with `{formula}` replaced by its value.
    pub(super) fn text(&self, node: &Node) -> Result<String, Fault> {
        let Value::Text(text) = &node.value else { return Err(wrong(node, "text")) };
        if let Some(name) = text.strip_prefix('$')
            && let Ok(parameter) = self.parameter(name, 1)
            && let Value::Text(value) = &parameter.value
        {
            return Ok(value.clone());
        }
        let (mut whole, mut rest) = (String::new(), text.as_str());
        while let Some((before, after)) = rest.split_once('{') {
            let Some((formula, after)) = after.split_once('}') else { break };
            let value = self.formula(formula, node.index, DEEPEST);
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
