//! Many bodies at once.

use crate::reader::{Point, Turn};
use schemars::JsonSchema;
use serde::Deserialize;

/// Many bodies at once; exactly one of `fill`, `insert`, `grid`, `container`, `wall`, `arch`, `column`, `tower` and
/// `card_house`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "packing")]
pub struct PackingSpec {
    /// The group of its bodies, whose names are `name-0`, `name-1` and so on. Default none.
    pub name: Option<String>,
    /// Grains in layers from the bottom up, loosely, ready to settle. Default none.
    pub fill: Option<FillSpec>,
    /// Grains at random places, none of which overlap. Default none.
    pub insert: Option<InsertSpec>,
    /// Grains on a lattice. Default none.
    pub grid: Option<GridSpec>,
    /// Fixed walls around a region. Default none.
    pub container: Option<ContainerSpec>,
    /// A wall of bricks in running bond, its lower left end at the origin. Default none.
    pub wall: Option<WallSpec>,
    /// An arch above the first axis, its centre at the origin. Default none.
    pub arch: Option<ArchSpec>,
    /// A column of drums on the origin. Default none.
    pub column: Option<ColumnSpec>,
    /// Blocks on top of each other, on the origin. Default none.
    pub tower: Option<TowerSpec>,
    /// A house of cards on the ground, its middle above the origin. Default none.
    pub card_house: Option<CardHouseSpec>,
    /// What grains are. Default "ball".
    #[serde(default)]
    pub grain: GrainSpec,
    /// Where the origin of all of it is put [length]. Default the origin.
    pub at: Option<Point>,
    /// How all of it is turned about that point, in radians; in space about an axis. Default not.
    pub turn: Option<Turn>,
    /// Velocity of all [length/time]. Default 0.
    pub v: Option<Point>,
    /// Mass by volume, or by area in the plane [mass/length^D]. Default 1000.
    pub density: Option<f64>,
    /// The name of their material. Default none.
    pub material: Option<String>,
    /// Whether they never move. Default false; walls of containers and springers of arches never do.
    #[serde(default)]
    pub fixed: bool,
}

/// What grains are.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "grain")]
pub enum GrainSpec {
    /// Disks or spheres.
    #[default]
    Ball,
    /// Convex rocks: the hull of so many random points on the disk or sphere.
    Rock(RockSpec),
}

/// Rocks.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "rock")]
pub struct RockSpec {
    /// Points on the sphere. Default 12.
    #[serde(default = "dozen")]
    pub corners: usize,
}

fn dozen() -> usize {
    12
}

/// A part of the plane or of space.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "region")]
pub enum RegionSpec {
    /// A rectangle or a box.
    Box(BoxRegion),
    /// A disk or the inside of a sphere.
    Ball(BallRegion),
    /// An upright cylinder, along the last axis; in the plane a rectangle.
    Cylinder(CylinderRegion),
}

/// A box along the axes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "box region")]
pub struct BoxRegion {
    /// The corner with the least coordinates [length].
    pub low: Point,
    /// The corner with the largest coordinates [length].
    pub high: Point,
}

/// A round region.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ball region")]
pub struct BallRegion {
    /// Its centre [length].
    pub centre: Point,
    /// Its radius [length].
    pub radius: f64,
}

/// An upright cylinder.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "cylinder region")]
pub struct CylinderRegion {
    /// The middle of its floor [length].
    pub base: Point,
    /// Its radius [length].
    pub radius: f64,
    /// Its height [length].
    pub height: f64,
}

/// How large grains are, by diameter.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "sizes")]
pub enum SizesSpec {
    /// All of one diameter [length].
    Fixed(f64),
    /// All diameters between two alike [length].
    Uniform((f64, f64)),
    /// The logarithm is normal, cut off on both sides.
    LogNormal(LogNormalSpec),
    /// A grading curve by mass: rows of a size [length] and the part that passes, from 0 to 1.
    Sieves(Vec<(f64, f64)>),
}

/// A log-normal distribution.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "log_normal")]
pub struct LogNormalSpec {
    /// Half of the grains are smaller, before the cuts [length].
    pub median: f64,
    /// Standard deviation of the logarithm.
    pub sigma: f64,
    /// Least diameter [length].
    pub min: f64,
    /// Largest diameter [length].
    pub max: f64,
}

/// Grains in layers.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "fill")]
pub struct FillSpec {
    /// Where; open to the top.
    pub region: RegionSpec,
    /// How large.
    pub sizes: SizesSpec,
    /// How many. Default by the fraction.
    pub number: Option<usize>,
    /// The part of the region that they take up, between 0 and 1. Default by the number.
    pub fraction: Option<f64>,
}

/// Grains at random places.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "insert")]
pub struct InsertSpec {
    /// Where.
    pub region: RegionSpec,
    /// How large.
    pub sizes: SizesSpec,
    /// How many. Default by the fraction.
    pub number: Option<usize>,
    /// The part of the region that they take up, between 0 and 1. Default by the number.
    pub fraction: Option<f64>,
    /// Least distance of two grains [length]. Default 0.
    #[serde(default)]
    pub gap: f64,
}

/// Grains on a lattice.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "grid")]
pub struct GridSpec {
    /// The first site [length].
    pub origin: Point,
    /// Sites along each axis.
    pub counts: Vec<usize>,
    /// Distance of neighbours [length].
    pub spacing: f64,
    /// How large.
    pub sizes: SizesSpec,
    /// How the sites lie. Default "square".
    #[serde(default)]
    pub rows: RowsSpec,
    /// Each grain lies at most this far from its site, anywhere about it [length]. Default 0.
    #[serde(default)]
    pub jitter: f64,
}

/// How the sites of a grid lie.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "rows")]
pub enum RowsSpec {
    /// Squares, cubes.
    #[default]
    Square,
    /// As close as can be.
    Hexagonal,
}

/// Fixed walls around a region.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "container")]
pub struct ContainerSpec {
    /// The region.
    pub region: RegionSpec,
    /// Whether it is closed at the top. Default false.
    #[serde(default)]
    pub lid: bool,
}

/// A wall in running bond.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "wall")]
pub struct WallSpec {
    /// Courses.
    pub courses: usize,
    /// Bricks of a course; every other course has one less and two halves.
    pub bricks: usize,
    /// Length, depth in space, and height of a brick [length].
    pub brick: Point,
    /// Gap between the bricks of a course [length]. Default 0.
    #[serde(default)]
    pub head_joint: f64,
    /// Gap between courses [length]. Default 0.
    #[serde(default)]
    pub bed_joint: f64,
}

/// An arch.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "arch")]
pub struct ArchSpec {
    /// Voussoirs, from the right to the left.
    pub voussoirs: usize,
    /// Radius of the corners inside [length].
    pub inner_radius: f64,
    /// Length of a joint [length].
    pub thickness: f64,
    /// Angle between the outermost joints, in radians. Default pi.
    pub opening: Option<f64>,
    /// Depth, in space only [length]. Default the thickness.
    pub depth: Option<f64>,
    /// Fixed blocks under both ends. Default true.
    pub springers: Option<bool>,
}

/// A column of drums.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "column")]
pub struct ColumnSpec {
    /// Drums.
    pub drums: usize,
    /// Height of a drum [length].
    pub height: f64,
    /// Diameter of the lowest drum [length].
    pub diameter: f64,
    /// Diameter of the topmost drum [length]. Default that of the lowest.
    pub top_diameter: Option<f64>,
}

/// Blocks on top of each other.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "tower")]
pub struct TowerSpec {
    /// Blocks.
    pub blocks: usize,
    /// Edges of a block [length].
    pub block: Point,
}

/// A house of cards.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "card_house")]
pub struct CardHouseSpec {
    /// Levels; the lowest has as many tents.
    pub levels: usize,
    /// Length of the inner face of a leaning card [length].
    pub length: f64,
    /// Thickness of a card [length].
    pub thickness: f64,
    /// Angle of a leaning card from the vertical, in radians.
    pub lean: f64,
    /// Width of a card, in space only [length]. Default the length.
    pub width: Option<f64>,
}
