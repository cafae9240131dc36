//! Packings: where grains and blocks are before anything moves.
//!
//! ```text
//! random       numbers from a seed, the same on every machine
//! sizes        how large grains are: fixed, uniform, log-normal, by sieves
//! region       box, ball or cylinder to fill, and its walls
//! grid         grains on a lattice, shaken
//! insertion    grains at random places, none of which overlap
//! filling      grains in layers from the bottom up, ready to settle
//! wall         running bond
//! arch         voussoirs on springers
//! column       drums, towers of blocks
//! card_house   cards that lean on each other
//! ```
//!
//! Grains come as [`Grain`], a centre and a radius; masonry as [`Body`], at rest and of the default density. Both are
//! plain data: set what differs, and add them to a world one by one.
//!
//! ```
//! use stickslip::packings::{Amount, Random, Region, Sizes, fill};
//! use stickslip::{Body, World};
//! use stickslip_geometry::{shape::Bounds, space::Vector};
//!
//! let region = Region::Box(Bounds { low: Vector::<3>::zeros(), high: Vector::<3>::repeat(0.1) });
//! let sizes = Sizes::Uniform { min: 0.008, max: 0.012 };
//! let grains = fill(&region, &sizes, Amount::Fraction(0.6), &mut Random::new(42))?;
//!
//! let mut world = World::<3>::default();
//! for wall in region.walls(false) {
//!     world.add(wall)?;
//! }
//! for grain in &grains {
//!     world.add(Body { density: 2600.0, ..grain.ball() })?;
//! }
//! # assert_eq!(world.bodies().len(), 5 + grains.len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arch;
mod card_house;
mod column;
mod filling;
mod grid;
mod insertion;
mod random;
mod region;
mod sizes;
mod wall;

pub use arch::Arch;
pub use card_house::CardHouse;
pub use column::{Column, Tower};
pub use filling::fill;
pub use grid::{Grid, Lattice};
pub use insertion::Insertion;
pub use random::Random;
pub use region::Region;
pub use sizes::{Sieve, Sizes};
pub use wall::RunningBond;

use crate::bodies::Body;
use crate::rigid::Rigid;
use stickslip_geometry::shape::{Ball, Cuboid, Polytope, Shape, ShapeError};
use stickslip_geometry::space::{Dim, Pose, Space, Vector};

/// A packing that cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PackingError {
    /// A value out of range.
    #[error("{what} = {value}: {allowed}")]
    Value {
        /// which
        what: &'static str,
        /// the value
        value: f64,
        /// what would do
        allowed: &'static str,
    },
    /// A sieve table that is no grading curve.
    #[error("row {row} of the sieve table, size {size} and passing {passing}: {remedy}")]
    Sieves {
        /// which row, from 1
        row: usize,
        /// its size
        size: f64,
        /// its passing fraction
        passing: f64,
        /// what would do
        remedy: &'static str,
    },
    /// A table of too few sieves.
    #[error(
        "a sieve table of {found} rows: give at least two, the first with passing 0 and the last with passing 1"
    )]
    FewSieves {
        /// how many there are
        found: usize,
    },
    /// Grains that may overlap.
    #[error(
        "spacing = {spacing}: grains as large as {largest} that are shaken by {jitter} need at least {needed}"
    )]
    Spacing {
        /// the value
        spacing: f64,
        /// diameter of the largest grain
        largest: f64,
        /// how far each is moved
        jitter: f64,
        /// the least that would do
        needed: f64,
    },
    /// A region without room for the largest grain.
    #[error("a grain of size {largest} does not fit: make the region larger or the grains smaller")]
    Narrow {
        /// diameter of the largest grain
        largest: f64,
    },
    /// A region that is full.
    #[error(
        "{placed} of {wanted} grains found a place, at a solid fraction of {fraction:.3}: ask for fewer, or take a larger region"
    )]
    Full {
        /// how many there are
        placed: usize,
        /// how many were asked for
        wanted: usize,
        /// the part of the region that they fill
        fraction: f64,
    },
    /// A block that cannot be.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

/// How many grains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// So many.
    Number(usize),
    /// As many as take up this part of the region.
    Fraction(f64),
}

impl Amount {
    /// The number of grains in a volume.
    fn number<const D: usize>(self, volume: f64, sizes: &Sizes) -> Result<usize, PackingError>
    where
        Dim<D>: Space<D>,
    {
        match self {
            Amount::Number(number) => Ok(number),
            Amount::Fraction(value) if value > 0.0 && value < 1.0 => {
                Ok((value * volume / (ball_volume::<D>(0.5) * sizes.mean_power::<D>())).round() as usize)
            }
            Amount::Fraction(value) => {
                Err(PackingError::Value { what: "fraction", value, allowed: "give one between 0 and 1" })
            }
        }
    }
}

/// A grain: where, and how large.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grain<const D: usize> {
    /// Its centre.
    pub x: Vector<D>,
    /// Its radius.
    pub radius: f64,
}

impl<const D: usize> Grain<D>
where
    Dim<D>: Rigid<D>,
{
    /// The grain as a disk or a sphere.
    pub fn ball(&self) -> Body<D> {
        Body::new(Shape::Ball(Ball { radius: self.radius }), Pose::at(self.x))
    }

    /// Area or volume.
    pub fn volume(&self) -> f64 {
        ball_volume::<D>(self.radius)
    }
}

/// Area of a disk, volume of a sphere.
fn ball_volume<const D: usize>(radius: f64) -> f64
where
    Dim<D>: Space<D>,
{
    Dim::<D>::ball(radius, 1.0).mass
}

/// Refuses what is no positive number.
fn positive(what: &'static str, value: f64) -> Result<(), PackingError> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(PackingError::Value { what, value, allowed: "give a positive number" })
}

/// Refuses negative numbers.
fn not_negative(what: &'static str, value: f64) -> Result<(), PackingError> {
    if value >= 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(PackingError::Value { what, value, allowed: "give 0 or a positive number" })
}

/// Refuses a count below the least.
fn at_least_one(what: &'static str, value: usize) -> Result<(), PackingError> {
    if value > 0 {
        return Ok(());
    }
    Err(PackingError::Value { what, value: 0.0, allowed: "give at least 1" })
}

/// A point by how far it lies along, across and up; in the plane nothing lies across.
fn point<const D: usize>(along: f64, across: f64, up: f64) -> Vector<D> {
    Vector::from_fn(|k, _| match k {
        0 => along,
        _ if k == D - 1 => up,
        _ => across,
    })
}

/// A box of a size about a point.
fn block<const D: usize>(size: Vector<D>, x: Vector<D>) -> Body<D>
where
    Dim<D>: Rigid<D>,
{
    Body::new(Shape::Cuboid(Cuboid { half: size * 0.5 }), Pose::at(x))
}

/// A body by its corners seen from the side, `[along, up]`; in space as deep as given, half to each side.
fn prism<const D: usize>(profile: &[[f64; 2]], depth: f64) -> Result<Body<D>, PackingError>
where
    Dim<D>: Rigid<D>,
{
    let sides: &[f64] = if D == 2 { &[0.0] } else { &[-0.5, 0.5] };
    let corners: Vec<Vector<D>> = sides
        .iter()
        .flat_map(|side| profile.iter().map(move |&[along, up]| point(along, side * depth, up)))
        .collect();
    let middle = corners.iter().sum::<Vector<D>>() / corners.len() as f64;
    let about: Vec<Vector<D>> = corners.iter().map(|corner| corner - middle).collect();
    Ok(Body::new(Shape::Polytope(Polytope::hull(&about)?), Pose::at(middle)))
}
