//! What holds bodies together.

use super::body::{CourseSpec, Repeat};
use crate::reader::{Point, Turn};
use schemars::JsonSchema;
use serde::Deserialize;

/// A joint of two bodies. Points and axes are those of the scene at the start.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "joint")]
pub struct JointSpec {
    /// Its name, unlike all others. Default its number.
    pub name: Option<String>,
    /// The name of the first body.
    pub a: String,
    /// The name of the second body.
    pub b: String,
    /// How they are joined.
    pub link: LinkSpec,
    /// What drives a hinge or a slider. Default none.
    pub motor: Option<MotorSpec>,
    /// Lowest and highest angle of a hinge [radians], way of a slider or length of a rod [length]. Default none.
    pub limits: Option<(f64, f64)>,
    /// Whether its bodies can touch each other. Default false.
    #[serde(default)]
    pub collides: bool,
    /// Writes the joint out so many times, `$i` counting from 0. Default once.
    pub repeat: Option<Repeat>,
}

/// How two bodies are joined.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "link")]
pub enum LinkSpec {
    /// A point of each stays with one of the other.
    Ball(BallLink),
    /// They turn about a common axis.
    Hinge(HingeLink),
    /// They move along a common axis and do not turn.
    Slider(SliderLink),
    /// They move as one.
    Fixed,
    /// Two points stay at their distance.
    Rod(RodLink),
    /// Two points stay within a length.
    Rope(RopeLink),
}

/// A common point.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ball joint")]
pub struct BallLink {
    /// The point [length].
    pub at: Point,
}

/// A common axis to turn about.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "hinge")]
pub struct HingeLink {
    /// A point of the axis [length].
    pub at: Point,
    /// Its direction; in the plane 1 or -1. Default 1 in the plane, the last axis in space.
    pub axis: Option<Turn>,
}

/// A common axis to move along.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "slider")]
pub struct SliderLink {
    /// Where the second body is held [length].
    pub at: Point,
    /// The direction.
    pub axis: Point,
}

/// A rod.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "rod")]
pub struct RodLink {
    /// The point of the first body [length].
    pub from: Point,
    /// The point of the second [length].
    pub to: Point,
}

/// A rope.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "rope")]
pub struct RopeLink {
    /// The point of the first body [length].
    pub from: Point,
    /// The point of the second [length].
    pub to: Point,
    /// Its length [length].
    pub length: f64,
}

/// A motor.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "motor")]
pub struct MotorSpec {
    /// Speed of the second body against the first [radians/time or length/time].
    pub speed: CourseSpec<f64>,
    /// Largest torque or force.
    pub most: f64,
}
