//! What a scene file may say. Every key is documented here, and from here come the reference page and the JSON schema.
//!
//! Units are the user's: a key says `[length]`, `[mass]`, `[time]`, and any consistent set will do.

// units in brackets are no links
#![allow(rustdoc::broken_intra_doc_links)]

mod body;
mod joint;
mod material;
mod output;
mod packing;
mod pictures;
mod shape;
mod solver;

pub use body::{BodySpec, CourseSpec, DragSpec, DriveSpec, GuideSpec, Repeat};
pub use joint::{JointSpec, LinkSpec, MotorSpec};
pub use material::{
    AttractionSpec, BondsSpec, CapSpec, CohesionSpec, InterfaceSpec, LiquidBridgeSpec, MaterialSpec,
    PairSpec, ShortRangeSpec, StartSpec, SurfaceSpec, TouchSpec,
};
pub use output::{
    ContactChoice, Every, FlowSpec, GroupChoice, MeasureKind, MeasureSpec, OutputSpec, ProblemsSpec,
    ProfileSpec, SegregationSpec, SeriesSpec,
};
pub use packing::{
    ArchSpec, CardHouseSpec, ColumnSpec, ContainerSpec, FillSpec, GrainSpec, GridSpec, InsertSpec,
    PackingSpec, RegionSpec, RowsSpec, SizesSpec, TowerSpec, WallSpec,
};
pub use pictures::{CameraSpec, LookSpec, MovieSpec, PictureSpec, ViewSpec};
pub use shape::{
    BallSpec, BoxSpec, CapsuleSpec, CylinderSpec, EllipsoidSpec, HalfSpaceSpec, HollowBallSpec,
    HollowCylinderSpec, MeshSpec, PartSpec, PolytopeSpec, SegmentSpec, ShapeFields, ShapeSpec,
    SuperellipsoidSpec,
};
pub use solver::{DviSpec, FlowRule, MethodSpec, SchemeSpec, SolverSpec};

use crate::reader::{Placed, Point};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A scene: bodies, what acts on them, how long, and what is written down.
///
/// Wherever a number is expected, a formula in quotes will do, such as `"2 * $r"`, with `+ - * / % ^`, brackets, `pi`,
/// `deg`, `sin`, `cos`, `tan`, `sqrt`, `abs`, `floor`, `min`, `max` and parameters as `$name`; or a random number
/// `{ random = [low, high] }`, drawn from the seed. Units are yours, if they fit together.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "scene")]
pub struct SceneFile {
    /// What the scene shows, in a line. Default none.
    #[serde(default)]
    pub title: String,
    /// Plane or space: 2 or 3.
    #[schemars(range(min = 2, max = 3))]
    pub dimension: Placed<usize>,
    /// A note on the units of all numbers. Default "m, kg, s".
    #[serde(default = "si")]
    pub units: String,
    /// Seed of all random numbers. Default 0.
    #[serde(default)]
    pub seed: u64,
    /// Other files whose content is put below this one: tables are merged, lists joined, values of this file win. Paths
    /// count from this file. Default none.
    #[serde(default)]
    pub include: Vec<String>,
    /// Names that stand for values: `$name` in formulas, `--set name=value` on the command line. Default none.
    #[serde(default)]
    pub parameters: BTreeMap<String, ParameterSpec>,
    /// Acceleration of all free bodies [length/time²]. Default 9.81 down the last axis.
    pub gravity: Option<Point>,
    /// Lengths after which space repeats itself, one a direction, 0 where it does not [length]. Default none.
    pub periods: Option<Placed<Point>>,
    /// How steps go. Default "exact".
    #[serde(default)]
    pub scheme: SchemeSpec,
    /// How each step is solved, and how well. Default auto to 1e-8.
    #[serde(default)]
    pub solver: Placed<SolverSpec>,
    /// Step size and duration.
    pub time: Placed<TimeSpec>,
    /// What to do with bodies that overlap at the start. Default "refuse".
    #[serde(default)]
    pub overlaps: OverlapsSpec,
    /// Materials by name; `default` is that of bodies without one. Default none.
    #[serde(default)]
    pub material: BTreeMap<String, Placed<MaterialSpec>>,
    /// How two materials touch, where the means of both will not do. Default none.
    #[serde(default)]
    pub pair: Vec<Placed<PairSpec>>,
    /// Shapes by name, for bodies that share one. Default none.
    #[serde(default)]
    pub shape: BTreeMap<String, Placed<ShapeSpec>>,
    /// Bodies, one by one. Default none.
    #[serde(default)]
    pub body: Vec<Placed<BodySpec>>,
    /// Many bodies at once: grains, walls, arches. Default none.
    #[serde(default)]
    pub packing: Vec<Placed<PackingSpec>>,
    /// What holds bodies together. Default none.
    #[serde(default)]
    pub joint: Vec<Placed<JointSpec>>,
    /// Bodies or groups that pass through each other. Default none.
    #[serde(default)]
    pub exclude: Vec<Placed<ExcludeSpec>>,
    /// What is measured, as columns of the series. Default none.
    #[serde(default)]
    pub measure: Vec<Placed<MeasureSpec>>,
    /// What is written to the folder of the run. Default nothing but `run.json` and a checkpoint.
    #[serde(default)]
    pub output: Placed<OutputSpec>,
}

fn si() -> String {
    "m, kg, s".into()
}

/// A number, a formula, text, or true or false.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "parameter")]
pub enum ParameterSpec {
    /// True or false.
    Bool(bool),
    /// A number.
    Number(f64),
    /// A formula, or text.
    Text(String),
    /// A random number.
    Random {
        /// Least and largest value.
        random: (f64, f64),
    },
}

/// Step size and duration.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "time")]
pub struct TimeSpec {
    /// Size of a step [time].
    pub step: f64,
    /// When the run ends [time].
    pub end: f64,
    /// No body moves farther in a step than this part of its inner radius: steps are shortened. Default none.
    pub travel: Option<f64>,
}

/// What to do with bodies that overlap at the start.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "overlaps")]
pub enum OverlapsSpec {
    /// The run is refused, and says who overlaps.
    #[default]
    Refuse,
    /// Bodies are moved apart by as little as possible.
    Resolve,
    /// Nothing: the first step pushes them apart, and fast.
    Accept,
}

/// Bodies that pass through each other.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "exclude")]
pub struct ExcludeSpec {
    /// Two names, each of a body or of a group.
    pub between: (String, String),
    /// Writes the table out so many times, `$i` counting from 0. Default once.
    pub repeat: Option<Repeat>,
}
