//! Bodies and how they move.

use super::shape::{
    BallSpec, BoxSpec, CapsuleSpec, CylinderSpec, EllipsoidSpec, HalfSpaceSpec, HollowBallSpec,
    HollowCylinderSpec, MeshSpec, PartSpec, PolytopeSpec, SegmentSpec, SuperellipsoidSpec, with_shape,
};
use crate::reader::{Placed, Point, Turn};
use schemars::JsonSchema;
use serde::Deserialize;

with_shape! {
    /// A body. It is free unless it is fixed, driven or guided.
    #[schemars(rename = "body")]
    BodySpec {
        /// Its name, unlike all others; copies get their number behind it, unless it is in the name by `$i`. Default its number.
        name: Option<String>,
        /// A group of bodies that it belongs to, for outputs and measures. Default that of its name.
        group: Option<String>,
        /// Where its shape is [length]. Default the origin.
        at: Option<Point>,
        /// How its shape is turned, in radians; in space about an axis. Default not.
        turn: Option<Turn>,
        /// Velocity of its centre of mass [length/time]. Default 0.
        v: Option<Point>,
        /// Its spin [1/time]. Default 0.
        spin: Option<Turn>,
        /// Mass by volume, or by area in the plane [mass/length^D]. Default 1000.
        density: Option<f64>,
        /// Its mass, in the place of a density [mass]. Default by the density.
        mass: Option<f64>,
        /// Where its centre of mass is, in the axes of the body [length]. Default that of its shape.
        centre: Option<Point>,
        /// Moments of inertia about the centre of mass: one in the plane, in space three about the axes of the body
        /// [mass length²]. Default those of its shape.
        inertia: Option<Turn>,
        /// The name of its material. Default none.
        material: Option<String>,
        /// Whether it never moves. Default false.
        #[serde(default)]
        fixed: bool,
        /// Prescribed motion, whatever touches it. Default none.
        drive: Option<DriveSpec>,
        /// Motion along one direction only, under a force of its own: a servo wall. Default none.
        guide: Option<GuideSpec>,
        /// Force on its centre of mass, beside gravity [mass length/time²]. Default none.
        force: Option<CourseSpec<Point>>,
        /// Torque on it [mass length²/time²]. Default none.
        torque: Option<CourseSpec<Turn>>,
        /// Resistance of a medium. Default none.
        drag: Option<DragSpec>,
        /// Writes the body out so many times, `$i` counting from 0. Default once.
        repeat: Option<Repeat>,
    }
}

/// Copies of a table.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "repeat")]
pub struct Repeat {
    /// How many there are.
    pub count: usize,
    /// Added to `at` from copy to copy [length]. Default 0.
    pub step: Option<Point>,
}

/// Prescribed motion.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "drive")]
pub struct DriveSpec {
    /// Velocity of its centre [length/time]. Default 0.
    pub v: Option<CourseSpec<Point>>,
    /// Its spin [1/time]. Default 0.
    pub spin: Option<CourseSpec<Turn>>,
}

/// Motion along one direction.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "guide")]
pub struct GuideSpec {
    /// The direction; its length does not count.
    pub along: Point,
    /// The force along it [mass length/time²]. Default 0.
    pub force: Option<CourseSpec<f64>>,
}

/// Resistance of a medium.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "drag")]
pub struct DragSpec {
    /// Force by velocity [mass/time]. Default 0.
    #[serde(default)]
    pub linear: f64,
    /// Torque by spin [mass length²/time]. Default 0.
    #[serde(default)]
    pub angular: f64,
}

/// A quantity as a function of time.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "course of {T}")]
pub enum CourseSpec<T> {
    /// Always the same.
    Constant(T),
    /// `amplitude cos(2π frequency t + phase)`.
    Cosine(CosineSpec<T>),
    /// From one value to another between two times, straight.
    Ramp(RampSpec<T>),
    /// Rows of a time and a value: straight between them, constant before and after.
    Table(Vec<(f64, T)>),
}

/// A swing.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "cosine of {T}")]
pub struct CosineSpec<T> {
    /// Largest value.
    pub amplitude: T,
    /// Cycles in a unit of time [1/time].
    pub frequency: f64,
    /// At time 0, in radians. Default 0.
    #[serde(default)]
    pub phase: f64,
}

/// A ramp.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ramp of {T}")]
pub struct RampSpec<T> {
    /// Value up to `begin`.
    pub from: T,
    /// Value from `end` on.
    pub to: T,
    /// When the change begins [time].
    pub begin: f64,
    /// When it is done [time].
    pub end: f64,
}
