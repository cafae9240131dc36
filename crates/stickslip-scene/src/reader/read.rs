//! Values from a tree by serde. Where a number is expected, a formula or a random range will do.

use super::expression::evaluate;
use super::nearest::nearest;
use super::place::{Fault, Place};
use super::tree::{Entry, Node, Value};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeSeed, Deserializer, IntoDeserializer, Visitor};
use std::borrow::Cow;
use std::cell::RefCell;
use stickslip::packings::Random;

/// Parameters that stand for each other at most.
const DEEPEST: usize = 32;

/// What values depend on beside their text.
pub(crate) struct Context<'a> {
    /// The table of parameters.
    pub parameters: Option<&'a Node>,
    pub dimension: usize,
    pub random: RefCell<Random>,
    /// Places of what asked for them.
    pub spots: RefCell<Vec<Spot>>,
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

    fn parameter(&self, name: &str, depth: usize) -> Result<&Node, String> {
        let table = self.parameters.map(|node| &node.value);
        let Some(Value::Table(entries)) = table else {
            return Err(format!("there is no parameter \"{name}\": the scene has no [parameters]"));
        };
        if depth == 0 {
            return Err(format!("the parameter \"{name}\" stands for itself"));
        }
        let found = entries.iter().find(|entry| entry.key == name);
        found.map(|entry| &entry.node).ok_or_else(|| {
            let near = nearest(name, entries.iter().map(|entry| entry.key.as_str()));
            let near = near.map_or(String::new(), |near| format!("; did you mean \"${near}\"?"));
            format!("there is no parameter \"{name}\"{near}")
        })
    }

    /// The number that a node stands for.
    fn number(&self, node: &Node, depth: usize) -> Result<f64, Fault> {
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
        Ok(self.random.borrow_mut().between(low, high))
    }

    /// Text, with `{formula}` replaced by its value.
    fn text(&self, node: &Node) -> Result<String, Fault> {
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
fn wrong(node: &Node, expected: &str) -> Fault {
    let found = match &node.value {
        Value::Text(_) => "text",
        Value::Integer(_) | Value::Float(_) => "a number",
        Value::Bool(_) => "true or false",
        Value::List(_) => "a list",
        Value::Table(_) => "a table",
    };
    Fault::new(format!("{expected} is expected here, but this is {found}")).at(node.place)
}

impl de::Error for Fault {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Fault::new(message.to_string())
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        unknown("key", field, expected)
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        unknown("kind", variant, expected)
    }

    fn missing_field(field: &'static str) -> Self {
        Fault::new(format!("the key \"{field}\" is missing"))
    }
}

/// Names that are not marked as inner ones.
fn unknown(what: &str, name: &str, expected: &[&str]) -> Fault {
    let fault = Fault::new(format!("unknown {what} \"{name}\""));
    match nearest(name, expected.iter().copied()) {
        Some(near) => fault.remedy(format!("did you mean \"{near}\"?")),
        None => fault.remedy(format!("there are {}", expected.join(", "))),
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

#[derive(Clone, Copy)]
struct Reader<'a> {
    node: &'a Node,
    context: &'a Context<'a>,
}

impl<'a> Reader<'a> {
    fn whole(&self) -> Result<i64, Fault> {
        let number = self.context.number(self.node, DEEPEST)?;
        if number.fract() == 0.0 && number.abs() < 9e15 {
            return Ok(number as i64);
        }
        Err(Fault::new(format!("a whole number is expected, but this is {number}")).at(self.node.place))
    }

    fn numbers(&self, counts: &[usize], what: &str) -> Result<Vec<f64>, Fault> {
        let number = |node: &Node| self.context.number(node, DEEPEST);
        let numbers = match &self.node.value {
            Value::List(list) => list.iter().map(number).collect::<Result<Vec<f64>, _>>()?,
            _ if counts.contains(&1) => vec![number(self.node)?],
            _ => return Err(wrong(self.node, &format!("a list of {} numbers", counts[0]))),
        };
        if counts.contains(&numbers.len()) {
            return Ok(numbers);
        }
        let dimension = self.context.dimension;
        let message =
            format!("{what} in {dimension}D takes {}, but there are {}", plural(counts[0]), numbers.len());
        Err(Fault::new(message).at(self.node.place))
    }
}

fn plural(count: usize) -> String {
    if count == 1 { "1 number".into() } else { format!("{count} numbers") }
}

/// What is asked for whole numbers.
macro_rules! whole_numbers {
    ($($name:ident)*) => {$(
        fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            let number = self.whole()?;
            if number >= 0 {
                return visitor.visit_u64(number as u64);
            }
            Err(Fault::new(format!("{number} is negative: give a count")).at(self.node.place))
        }
    )*};
}

impl<'de> Deserializer<'de> for Reader<'_> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match &self.node.value {
            Value::Text(text) if text.starts_with('$') => {
                visitor.visit_f64(self.context.number(self.node, DEEPEST)?)
            }
            Value::Text(text) => visitor.visit_str(text),
            Value::Integer(number) => visitor.visit_i64(*number),
            Value::Float(number) => visitor.visit_f64(*number),
            Value::Bool(bool) => visitor.visit_bool(*bool),
            Value::List(_) => self.deserialize_seq(visitor),
            Value::Table(_) => self.deserialize_map(visitor),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_f64(self.context.number(self.node, DEEPEST)?)
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_f64(visitor)
    }

    whole_numbers!(deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128);

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_i64(self.whole()?)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let named = match &self.node.value {
            Value::Text(text) => text.strip_prefix('$').and_then(|name| self.context.parameter(name, 1).ok()),
            _ => None,
        };
        match named.unwrap_or(self.node).value {
            Value::Bool(bool) => visitor.visit_bool(bool),
            _ => Err(wrong(self.node, "true or false")),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_string(self.context.text(self.node)?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let dimension = self.context.dimension;
        let numbers = match name {
            POINT => self.numbers(&[dimension], "a point or a direction")?,
            TURN if dimension == 2 => self.numbers(&[1], "an angle or a spin")?,
            TURN => self.numbers(&[dimension], "an angle or a spin")?,
            _ => return visitor.visit_newtype_struct(self),
        };
        visitor.visit_seq(numbers.into_deserializer())
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        if name != PLACED {
            return self.deserialize_seq(visitor);
        }
        let keys = match &self.node.value {
            Value::Table(entries) => entries.iter().map(|e| (e.key.clone(), e.key_place)).collect(),
            _ => Vec::new(),
        };
        let mut spots = self.context.spots.borrow_mut();
        spots.push(Spot { place: self.node.place, keys, index: self.node.index });
        let number = spots.len() - 1;
        drop(spots);
        visitor.visit_seq(PlacedParts { number: Some(number), reader: self })
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let Value::List(list) = &self.node.value else { return Err(wrong(self.node, "a list")) };
        visitor.visit_seq(List { rest: list.iter(), context: self.context })
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Fault> {
        match &self.node.value {
            Value::List(list) if list.len() == len => self.deserialize_seq(visitor),
            Value::List(list) => {
                let message = format!("a list of {len} values is expected, but this one has {}", list.len());
                Err(Fault::new(message).at(self.node.place))
            }
            _ => Err(wrong(self.node, &format!("a list of {len} values"))),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let Value::Table(entries) = &self.node.value else { return Err(wrong(self.node, "a table")) };
        let table = Table { rest: entries.iter(), now: None, path: &self.node.path, context: self.context };
        visitor.visit_map(table).map_err(|fault| {
            let inner = fault.place.is_some();
            let fault = fault.at(self.node.place);
            if inner || self.node.path.is_empty() {
                return fault;
            }
            Fault { message: format!("{} in {}", fault.message, self.node.path), ..fault }
        })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let reader = self;
        match &self.node.value {
            Value::Text(_) => {
                let kind = self.context.text(self.node)?;
                visitor.visit_enum(Kind { kind, place: self.node.place, content: None, reader })
            }
            Value::Table(entries) if entries.len() == 1 => {
                let Entry { key, key_place, node } = &entries[0];
                visitor.visit_enum(Kind { kind: key.clone(), place: *key_place, content: Some(node), reader })
            }
            Value::Table(_) => {
                let message = format!("exactly one of {} is expected here", variants.join(", "));
                Err(Fault::new(message).at(self.node.place))
            }
            _ => Err(wrong(self.node, &format!("one of {}", variants.join(", ")))),
        }
    }

    serde::forward_to_deserialize_any! {
        i8 i16 i32 i128 char bytes byte_buf unit unit_struct identifier ignored_any
    }
}

struct List<'a> {
    rest: std::slice::Iter<'a, Node>,
    context: &'a Context<'a>,
}

impl<'de> de::SeqAccess<'de> for List<'_> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Fault> {
        let Some(node) = self.rest.next() else { return Ok(None) };
        seed.deserialize(Reader { node, context: self.context }).map(Some).map_err(|f| f.at(node.place))
    }
}

struct Table<'a> {
    rest: std::slice::Iter<'a, Entry>,
    now: Option<&'a Entry>,
    path: &'a str,
    context: &'a Context<'a>,
}

impl<'de> de::MapAccess<'de> for Table<'_> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        self.now = self.rest.next();
        let Some(entry) = self.now else { return Ok(None) };
        let key: StrDeserializer<'_, Fault> = entry.key.as_str().into_deserializer();
        seed.deserialize(key).map(Some).map_err(|fault| {
            let message = format!("{} in {}", fault.message, self.path);
            Fault { message, ..fault }.at(entry.key_place)
        })
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        let Some(Entry { node, .. }) = self.now else { return Err(Fault::new("a value before its key")) };
        seed.deserialize(Reader { node, context: self.context }).map_err(|fault| fault.at(node.place))
    }
}

/// A variant by its name alone, or as a table of one key.
struct Kind<'a> {
    kind: String,
    place: Place,
    content: Option<&'a Node>,
    reader: Reader<'a>,
}

impl<'de, 'a> de::EnumAccess<'de> for Kind<'a> {
    type Error = Fault;
    type Variant = Content<'a>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Content<'a>), Fault> {
        let name: StrDeserializer<'_, Fault> = self.kind.as_str().into_deserializer();
        let variant = seed.deserialize(name).map_err(|fault| fault.at(self.place))?;
        Ok((variant, Content { content: self.content, reader: self.reader }))
    }
}

struct Content<'a> {
    content: Option<&'a Node>,
    reader: Reader<'a>,
}

impl<'de> de::VariantAccess<'de> for Content<'_> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        match self.content {
            Some(Node { value: Value::Table(entries), .. }) if entries.is_empty() => Ok(()),
            Some(node) => Err(Fault::new("this kind has no settings: give its name alone").at(node.place)),
            None => Ok(()),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Fault> {
        let Reader { node, context } = self.reader;
        let Some(node) = self.content else {
            // a name alone takes the defaults
            let empty = Node { value: Value::Table(Vec::new()), ..node.clone() };
            return seed.deserialize(Reader { node: &empty, context });
        };
        seed.deserialize(Reader { node, context }).map_err(|fault| fault.at(node.place))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, Fault> {
        self.struct_variant(&[], visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let node = self.content.unwrap_or(self.reader.node);
        Reader { node, context: self.reader.context }.deserialize_any(visitor)
    }
}

/// The names by which types ask for more than serde knows.
const POINT: &str = "$point";
const TURN: &str = "$turn";
const PLACED: &str = "$placed";

/// The number of a place, then the value.
struct PlacedParts<'a> {
    number: Option<usize>,
    reader: Reader<'a>,
}

impl<'de> de::SeqAccess<'de> for PlacedParts<'_> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Fault> {
        match self.number.take() {
            Some(number) => seed.deserialize(number.into_deserializer()).map(Some),
            None => seed.deserialize(self.reader).map(Some),
        }
    }
}

/// A value whose place is kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    /// The number of its place.
    pub(crate) spot: usize,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Placed<T> {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        struct Parts<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Parts<T> {
            type Value = Placed<T>;

            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a value with its place")
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut parts: A) -> Result<Placed<T>, A::Error> {
                let none = || de::Error::custom("a value without its place");
                let spot = parts.next_element()?.ok_or_else(none)?;
                Ok(Placed { spot, value: parts.next_element()?.ok_or_else(none)? })
            }
        }
        deserializer.deserialize_tuple_struct(PLACED, 2, Parts(std::marker::PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for Placed<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// Makes a type of as many numbers as the dimension asks for.
macro_rules! numbers {
    ($(#[$doc:meta])* $name:ident, $ask:expr, $schema:tt) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name(pub Vec<f64>);

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
                struct All;
                impl<'de> Visitor<'de> for All {
                    type Value = $name;

                    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                        f.write_str("numbers")
                    }

                    fn visit_seq<A: de::SeqAccess<'de>>(self, mut numbers: A) -> Result<$name, A::Error> {
                        let mut all = Vec::new();
                        while let Some(number) = numbers.next_element()? {
                            all.push(number);
                        }
                        Ok($name(all))
                    }
                }
                deserializer.deserialize_newtype_struct($ask, All)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).to_lowercase().into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    };
}

numbers!(
    /// A point or a direction: two numbers in the plane, three in space.
    Point,
    POINT,
    {
        "description": "A point or a direction: two numbers in the plane, three in space.",
        "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 3
    }
);

numbers!(
    /// An angle or a spin: one number in the plane, counterclockwise; in space three, along the axis.
    Turn,
    TURN,
    {
        "description": "An angle or a spin: one number in the plane, counterclockwise; in space three, along the axis.",
        "anyOf": [
            { "type": "number" },
            { "type": "array", "items": { "type": "number" }, "minItems": 3, "maxItems": 3 }
        ]
    }
);
