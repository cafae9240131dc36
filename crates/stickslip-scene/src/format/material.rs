//! Materials, and how two of them touch: friction, restitution, interfaces and pulls.

use crate::reader::Placed;
use schemars::JsonSchema;
use serde::Deserialize;

/// How a material touches itself; for two materials the means are taken, the geometric one for friction.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "material")]
pub struct MaterialSpec {
    /// Friction coefficient. Default 0.5.
    pub mu: Option<f64>,
    /// Normal restitution, from 0 to 1; schemes other than moreau-jean have none. Default 0.
    pub e_n: Option<f64>,
    /// Tangential restitution, from -1 to 1. Default 0.
    pub e_t: Option<f64>,
    /// Resistance to rolling: couple over normal force and radius. Default 0.
    pub rolling: Option<f64>,
    /// Resistance to spinning about the normal: couple over normal force and radius. Default 0.
    pub spinning: Option<f64>,
    /// How it gives way, yields and breaks where it touches itself, in the scheme dvi. Default none: rigid.
    pub interface: Option<Placed<InterfaceSpec>>,
    /// How its bodies pull at each other. Default none.
    pub attraction: Option<AttractionSpec>,
}

/// How two materials touch.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "pair")]
pub struct PairSpec {
    /// The names of both materials.
    pub between: (String, String),
    /// Friction coefficient. Default the geometric mean of both.
    pub mu: Option<f64>,
    /// Normal restitution, from 0 to 1. Default the mean of both.
    pub e_n: Option<f64>,
    /// Tangential restitution, from -1 to 1. Default the mean of both.
    pub e_t: Option<f64>,
    /// Resistance to rolling: couple over normal force and radius. Default the mean of both.
    pub rolling: Option<f64>,
    /// Resistance to spinning about the normal: couple over normal force and radius. Default the mean of both.
    pub spinning: Option<f64>,
    /// How they give way, yield and break where they touch, in the scheme dvi. Default none: rigid.
    pub interface: Option<Placed<InterfaceSpec>>,
    /// How their bodies pull at each other. Default none.
    pub attraction: Option<AttractionSpec>,
}

/// How a contact gives way, yields and breaks, in the scheme dvi. Stiffness and cohesion are those of one point of contact: two
/// boxes on each other have two in the plane and four in space.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "interface")]
pub struct InterfaceSpec {
    /// Normal stiffness [mass/time²]. Default infinite: rigid.
    pub stiffness_n: Option<f64>,
    /// Tangential stiffness [mass/time²]. Default infinite: rigid.
    pub stiffness_t: Option<f64>,
    /// Damping over stiffness [time]. Default 0.
    pub damping: Option<f64>,
    /// Forces that the contact holds. Default "cone".
    #[serde(default)]
    pub surface: SurfaceSpec,
    /// Opening speed over slip speed where the contact slips, from 0 to mu; of cones only. Default by the flow of the
    /// scheme.
    pub dilatancy: Option<f64>,
    /// Whether what opens as it slips under pressure stays open, so that what slides climbs. Default false: the next step
    /// closes it.
    #[serde(default)]
    pub keeps_opening: bool,
    /// How far a contact opens and slips until its bond is gone, in the place of `softening` [length]; under bonds = "touch"
    /// the next touch makes a new one. Default never.
    pub breaks: Option<f64>,
    /// Rows of how far a contact has opened under a pull and slipped [length] and the factor of its cohesion: straight
    /// between them, constant before and after. Default 1.
    pub softening: Option<Vec<(f64, f64)>>,
    /// Rows of how far a contact was crushed [length] and the factor of its cap. Default 1.
    pub hardening: Option<Vec<(f64, f64)>>,
    /// Which contacts have cohesion. Default "touch".
    #[serde(default)]
    pub bonds: BondsSpec,
}

/// The forces that a contact holds; friction is that of the material.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "surface")]
pub enum SurfaceSpec {
    /// Coulomb's cone.
    #[default]
    Cone,
    /// The cone moved down by a cohesion.
    Cohesive(CohesionSpec),
    /// The cone rounded by a ball: what pulls and shears together breaks sooner.
    Rounded(CohesionSpec),
    /// The rounded cone with a largest compression.
    Capped(CapSpec),
}

/// A cohesion.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "cohesion")]
pub struct CohesionSpec {
    /// Pull that the contact holds [mass length/time²].
    pub cohesion: f64,
}

/// A cohesion and a cap.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "cap")]
pub struct CapSpec {
    /// Pull that the contact holds [mass length/time²]. Default 0.
    #[serde(default)]
    pub cohesion: f64,
    /// Largest compression, beyond which the contact is crushed [mass length/time²].
    pub cap: f64,
}

/// Which contacts have cohesion.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "bonds")]
pub enum BondsSpec {
    /// Every contact from the step on in which it first pushes.
    #[default]
    Touch,
    /// Those alone that are there at the start: glue, cement. They begin without stress.
    Start(StartSpec),
}

/// Bonds of the start.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "bonds of the start")]
pub struct StartSpec {
    /// The largest gap that is bridged [length]. Default 0.
    #[serde(default)]
    pub within: f64,
}

/// A pull between bodies that touch or nearly do, by the gap g; points at which the same bodies touch share it. It acts in
/// every scheme, over a gap in those alone that look ahead, which moreau-jean does not.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "attraction")]
pub enum AttractionSpec {
    /// A constant force on bodies that touched in the last step.
    Touch(TouchSpec),
    /// `pull / (1 + g / length)^2` up to a range: adhesion and van der Waals forces.
    ShortRange(ShortRangeSpec),
    /// `pull exp(-g / length)` from touch on until the gap reaches the rupture distance.
    LiquidBridge(LiquidBridgeSpec),
}

/// A pull in touch.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "pull in touch")]
pub struct TouchSpec {
    /// The force [mass length/time²].
    pub pull: f64,
}

/// A pull from a distance.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "short_range")]
pub struct ShortRangeSpec {
    /// The force in touch [mass length/time²].
    pub pull: f64,
    /// The gap at which a quarter of it is left [length].
    pub length: f64,
    /// The gap beyond which there is none [length].
    pub range: f64,
}

/// A liquid bridge.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "liquid_bridge")]
pub struct LiquidBridgeSpec {
    /// The force in touch [mass length/time²].
    pub pull: f64,
    /// The gap over which the force falls by e [length].
    pub length: f64,
    /// The gap at which the bridge breaks [length].
    pub rupture: f64,
}
