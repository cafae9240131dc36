//! Shapes: each kind is one file and one variant of [`Shape`].
//!
//! A shape lives in its own axes, its origin where its file says; a [`Pose`] puts it into the world.

mod ball;
mod half_space;

pub use ball::Ball;
pub use half_space::HalfSpace;

use crate::space::{Dim, Inertia, Pose, Rotation, Space, Vector};

/// Any shape.
#[derive(Clone, Debug)]
pub enum Shape<const D: usize> {
    /// A disk or a sphere.
    Ball(Ball),
    /// Everything below a line or a plane.
    HalfSpace(HalfSpace),
}

/// A shape that cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// A length that is none.
    #[error("{what} = {value} of a {shape}: give a positive length")]
    Length {
        /// the kind of shape
        shape: &'static str,
        /// which length
        what: &'static str,
        /// the value
        value: f64,
    },
    /// A density that is none.
    #[error("density = {value}: give a positive number")]
    Density {
        /// the value
        value: f64,
    },
    /// A mass of a shape without end.
    #[error("a {shape} has no end and so no mass: fix it, or give it a mass and an inertia")]
    Unbounded {
        /// the kind of shape
        shape: &'static str,
    },
}

/// Mass, its centre and its moments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mass<const D: usize>
where
    Dim<D>: Space<D>,
{
    /// The mass.
    pub mass: f64,
    /// Its centre, in the axes of the shape.
    pub centre: Vector<D>,
    /// Principal axes, in the axes of the shape.
    pub axes: Rotation<D>,
    /// Moments about the centre along the principal axes.
    pub inertia: Inertia<D>,
}

/// A box along the axes of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds<const D: usize> {
    /// Corner with the least coordinates; minus infinity where there is no end.
    pub low: Vector<D>,
    /// Corner with the largest coordinates.
    pub high: Vector<D>,
}

impl<const D: usize> Bounds<D> {
    /// Of something that reaches equally far on both sides of a point.
    pub fn around(x: &Vector<D>, half: &Vector<D>) -> Self {
        Bounds { low: x - half, high: x + half }
    }

    /// No end anywhere.
    pub fn everywhere() -> Self {
        let infinity = Vector::repeat(f64::INFINITY);
        Bounds { low: -infinity, high: infinity }
    }
}

/// Refuses a length that is not positive.
fn positive(shape: &'static str, what: &'static str, value: f64) -> Result<(), ShapeError> {
    if value > 0.0 && value.is_finite() { Ok(()) } else { Err(ShapeError::Length { shape, what, value }) }
}

impl<const D: usize> Shape<D>
where
    Dim<D>: Space<D>,
{
    /// The kind, for reports.
    pub fn name(&self) -> &'static str {
        match self {
            Shape::Ball(_) if D == 2 => "disk",
            Shape::Ball(_) => "sphere",
            Shape::HalfSpace(_) if D == 2 => "half-plane",
            Shape::HalfSpace(_) => "half-space",
        }
    }

    /// Refuses lengths that are not positive.
    pub fn validate(&self) -> Result<(), ShapeError> {
        match self {
            Shape::Ball(ball) => positive(self.name(), "radius", ball.radius),
            Shape::HalfSpace(_) => Ok(()),
        }
    }

    /// Mass at a density.
    pub fn mass(&self, density: f64) -> Result<Mass<D>, ShapeError> {
        if !(density > 0.0 && density.is_finite()) {
            return Err(ShapeError::Density { value: density });
        }
        match self {
            Shape::Ball(ball) => Ok(Dim::<D>::ball(ball.radius, density)),
            Shape::HalfSpace(_) => Err(ShapeError::Unbounded { shape: self.name() }),
        }
    }

    /// The box around the shape at a pose.
    pub fn bounds(&self, pose: &Pose<D>) -> Bounds<D> {
        match self {
            Shape::Ball(ball) => ball.bounds(pose),
            Shape::HalfSpace(_) => Bounds::everywhere(),
        }
    }

    /// Radius of the largest ball inside: a step should not move a body by more than a part of it. Infinite for a
    /// shape without end.
    pub fn inner_radius(&self) -> f64 {
        match self {
            Shape::Ball(ball) => ball.radius,
            Shape::HalfSpace(_) => f64::INFINITY,
        }
    }
}
