//! Values from a tree by serde. Where a number is expected, a formula or a random range will do.

use super::context::{Context, KeyPlace, Spot, wrong};
use super::place::{Fault, Place};
use super::tree::{Entry, Node, Value};
use super::types::{PLACED, POINT, TURN};
use crate::nearest::did_you_mean;
use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeSeed, Deserializer, IntoDeserializer, Visitor};

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
    let near = did_you_mean(name, expected.iter().copied());
    fault.remedy(near.unwrap_or_else(|| format!("there are {}", expected.join(", "))))
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

/// A node that is to become a value.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub node: &'a Node,
    pub context: &'a Context<'a>,
}

impl<'a> Reader<'a> {
    fn whole(&self) -> Result<i64, Fault> {
        let number = self.context.number(self.node)?;
        if number.fract() == 0.0 && number.abs() < 9e15 {
            return Ok(number as i64);
        }
        Err(Fault::new(format!("a whole number is expected, but this is {number}")).at(self.node.place))
    }

    fn numbers(&self, counts: &[usize], what: &str) -> Result<Vec<f64>, Fault> {
        let number = |node: &Node| self.context.number(node);
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

fn key_place(entry: &Entry) -> KeyPlace {
    KeyPlace { name: entry.key.clone(), key: entry.key_place, value: entry.node.place }
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
            Value::Text(text) if text.starts_with('$') => visitor.visit_f64(self.context.number(self.node)?),
            Value::Text(text) => visitor.visit_str(text),
            Value::Integer(number) => visitor.visit_i64(*number),
            Value::Float(number) => visitor.visit_f64(*number),
            Value::Bool(bool) => visitor.visit_bool(*bool),
            Value::List(_) => self.deserialize_seq(visitor),
            Value::Table(_) => self.deserialize_map(visitor),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_f64(self.context.number(self.node)?)
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_f64(visitor)
    }

    whole_numbers!(deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128);

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_i64(self.whole()?)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.context.named(self.node).unwrap_or(self.node).value {
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
            Value::Table(entries) => entries.iter().map(key_place).collect(),
            _ => Vec::new(),
        };
        let mut spots = self.context.spots.borrow_mut();
        spots.push(Spot { place: self.node.place, keys, index: self.node.index });
        let number = spots.len() - 1;
        drop(spots);
        visitor.visit_seq(PlacedParts { number: Some(number), reader: self })
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let Value::List(list) = &self.node.value else {
            let fault = wrong(self.node, "a list");
            // [body] in the place of [[body]]
            let table = self.node.path.starts_with('[');
            return Err(if table { fault.remedy(format!("write [{}]", self.node.path)) } else { fault });
        };
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
            _ => {
                let fault = wrong(self.node, &format!("one of {}", variants.join(", ")));
                let constant = "write { constant = … } for what never changes";
                Err(if variants.contains(&"constant") { fault.remedy(constant) } else { fault })
            }
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
