//! Schemes and solvers.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use std::borrow::Cow;
use stickslip_solvers::panel::PANEL;

/// How steps go.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "scheme")]
pub enum SchemeSpec {
    /// Gaps and Coulomb's law, exactly. No bounces.
    #[default]
    Exact,
    /// The same by a sequence of convex problems.
    FixedPoint,
    /// Associated friction: convex, and sliding contacts lift.
    Convex,
    /// Without friction.
    Maury,
    /// Moreau and Jean's, with restitution.
    MoreauJean(MoreauJeanSpec),
    /// Contacts that give way, yield and break, by the interfaces of materials; rigid without them.
    Dvi(DviSpec),
}

/// Settings of Moreau and Jean's scheme.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "moreau-jean")]
pub struct MoreauJeanSpec {
    /// Weight of the new velocity, from 0.5 to 1. Default 0.5.
    #[serde(default = "half")]
    pub theta: f64,
    /// The flow of friction. Default "coulomb".
    #[serde(default = "coulomb")]
    pub flow: FlowRule,
}

/// Settings of the scheme with interfaces.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dvi")]
pub struct DviSpec {
    /// How contacts flow where they yield. Default "associated".
    #[serde(default)]
    pub flow: FlowRule,
}

/// The direction of plastic flow on a cone.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "flow rule")]
pub enum FlowRule {
    /// Normal to the surface: one convex problem, and what slides lifts a little.
    #[default]
    Associated,
    /// Along the contact: exact Coulomb friction.
    Coulomb,
}

fn half() -> f64 {
    0.5
}

fn coulomb() -> FlowRule {
    FlowRule::Coulomb
}

/// How each step is solved, and how well.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "solver")]
pub struct SolverSpec {
    /// The solver, by name or with settings, such as `{ nlgs = { omega = 1.2 } }`; see `stickslip list solvers`. Default
    /// the scheme's own.
    pub method: Option<MethodSpec>,
    /// Residual that every step must reach. Default 1e-8.
    pub tolerance: Option<f64>,
    /// Iterations of a step at most. Default 1000000.
    pub max_iterations: Option<usize>,
    /// The largest overlap that a step may leave behind [length]. Default any that the tolerance allows.
    pub overlap: Option<f64>,
    /// Gaps up to this wide take part in every step, where steps are so long that bodies are pushed far [length]. Default
    /// those that bodies can close at their speeds before the step.
    pub reach: Option<f64>,
    /// Whether `auto` solves again what another solver missed. Default true.
    pub retry: Option<bool>,
    /// Whether a step is solved from the impulses of the last one, and not from zero. Default true.
    pub warm_start: Option<bool>,
}

/// A solver and its settings.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodSpec {
    /// Its name.
    pub name: String,
    /// Its settings.
    pub settings: toml::Table,
}

impl<'de> Deserialize<'de> for MethodSpec {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        struct NameOrTable;
        impl<'de> Visitor<'de> for NameOrTable {
            type Value = MethodSpec;

            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("the name of a solver, or a table of one name with its settings")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<MethodSpec, E> {
                Ok(MethodSpec { name: name.into(), settings: toml::Table::new() })
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<MethodSpec, A::Error> {
                let one = || de::Error::custom("give one solver");
                let (name, settings) = map.next_entry()?.ok_or_else(one)?;
                if map.next_key::<String>()?.is_some() {
                    return Err(one());
                }
                Ok(MethodSpec { name, settings })
            }
        }
        deserializer.deserialize_any(NameOrTable)
    }
}

impl JsonSchema for MethodSpec {
    fn schema_name() -> Cow<'static, str> {
        "method".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = PANEL.iter().map(|entry| entry.name).collect();
        json_schema!({
            "description": "A solver by name, or a table of one name with its settings.",
            "anyOf": [
                { "enum": names.clone() },
                { "type": "object", "propertyNames": { "enum": names }, "minProperties": 1, "maxProperties": 1 }
            ]
        })
    }
}
