//! Types that ask a reader for more than serde knows: places, points, turns.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};
use std::borrow::Cow;

/// The names by which types ask for more than serde knows.
pub(super) const POINT: &str = "$point";
pub(super) const TURN: &str = "$turn";
pub(super) const PLACED: &str = "$placed";

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
