//! Shapes: each kind is one file and one variant of [`Shape`].
//!
//! A shape lives in its own axes, its origin where its file says; a [`Pose`] puts it into the world.

mod ball;
mod capsule;
mod ellipsoid;
mod half_space;
mod hollow_ball;
mod hollow_cylinder;
mod segment;
mod superellipsoid;

pub use ball::Ball;
pub use capsule::Capsule;
pub use ellipsoid::Ellipsoid;
pub use half_space::HalfSpace;
pub use hollow_ball::HollowBall;
pub use hollow_cylinder::HollowCylinder;
pub use segment::Segment;
pub use superellipsoid::Superellipsoid;

use crate::space::{Dim, Inertia, Pose, Rotation, Space, Vector};
use std::f64::consts::PI;

/// Any shape.
#[derive(Clone, Debug)]
pub enum Shape<const D: usize> {
    /// A disk or a sphere.
    Ball(Ball),
    /// Everything below a line or a plane.
    HalfSpace(HalfSpace),
    /// A rod with round ends.
    Capsule(Capsule),
    /// A wall without thickness.
    Segment(Segment),
    /// An ellipse or an ellipsoid.
    Ellipsoid(Ellipsoid<D>),
    /// An ellipsoid whose squares are other powers: a round box, or a pointed body.
    Superellipsoid(Superellipsoid<D>),
    /// Everything outside a circle or a sphere.
    HollowBall(HollowBall),
    /// Everything outside an endless tube; in space only.
    HollowCylinder(HollowCylinder),
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
    /// An exponent that gives no body, or one too sharp.
    #[error("exponent = {value} of a {shape}: give one from 1.2 to 20")]
    Exponent {
        /// the kind of shape
        shape: &'static str,
        /// the value
        value: f64,
    },
    /// A density that is none.
    #[error("density = {value}: give a positive number")]
    Density {
        /// the value
        value: f64,
    },
    /// A mass of a shape without thickness.
    #[error("a {shape} has no thickness and so no mass: fix it, or give it a mass and an inertia")]
    Thin {
        /// the kind of shape
        shape: &'static str,
    },
    /// A shape that exists in space only.
    #[error("a {shape} exists in space only: in the plane, use two half-planes")]
    SpaceOnly {
        /// the kind of shape
        shape: &'static str,
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

impl<const D: usize> Mass<D>
where
    Dim<D>: Space<D>,
{
    /// Of a shape that is its own mirror image along each axis, from its mass and its second moments ∫ x_i² dm.
    fn symmetric(mass: f64, second: &Vector<D>) -> Self {
        let (centre, axes) = (Vector::zeros(), Dim::<D>::identity());
        Mass { mass, centre, axes, inertia: Dim::<D>::moments(second) }
    }
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

/// Volume of the ball of radius 1 in the dimension 1, 2 or 3.
fn unit_ball(dimension: usize) -> f64 {
    [1.0, 2.0, PI, 4.0 / 3.0 * PI][dimension]
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
            Shape::Capsule(_) => "capsule",
            Shape::Segment(_) => "segment",
            Shape::Ellipsoid(_) if D == 2 => "ellipse",
            Shape::Ellipsoid(_) => "ellipsoid",
            Shape::Superellipsoid(_) if D == 2 => "superellipse",
            Shape::Superellipsoid(_) => "superellipsoid",
            Shape::HollowBall(_) if D == 2 => "hollow disk",
            Shape::HollowBall(_) => "hollow sphere",
            Shape::HollowCylinder(_) => "hollow cylinder",
        }
    }

    /// Refuses lengths that are not positive.
    pub fn validate(&self) -> Result<(), ShapeError> {
        match self {
            Shape::Ball(ball) => positive(self.name(), "radius", ball.radius),
            Shape::HalfSpace(_) => Ok(()),
            Shape::Capsule(capsule) => positive(self.name(), "radius", capsule.radius)
                .and_then(|()| positive(self.name(), "half_length", capsule.half_length)),
            Shape::Segment(segment) => positive(self.name(), "half_length", segment.half_length),
            Shape::Ellipsoid(body) => body.radii.iter().try_for_each(|a| positive(self.name(), "radius", *a)),
            Shape::Superellipsoid(body) => match body.bad_exponent() {
                Some(value) => Err(ShapeError::Exponent { shape: self.name(), value }),
                None => body.radii.iter().try_for_each(|a| positive(self.name(), "radius", *a)),
            },
            Shape::HollowBall(hollow) => positive(self.name(), "radius", hollow.radius),
            Shape::HollowCylinder(_) if D == 2 => Err(ShapeError::SpaceOnly { shape: self.name() }),
            Shape::HollowCylinder(hollow) => positive(self.name(), "radius", hollow.radius),
        }
    }

    /// Mass at a density.
    pub fn mass(&self, density: f64) -> Result<Mass<D>, ShapeError> {
        if !(density > 0.0 && density.is_finite()) {
            return Err(ShapeError::Density { value: density });
        }
        match self {
            Shape::Ball(ball) => Ok(Dim::<D>::ball(ball.radius, density)),
            Shape::Capsule(capsule) => Ok(capsule.mass(density)),
            Shape::Ellipsoid(body) => Ok(body.mass(density)),
            Shape::Superellipsoid(body) => Ok(body.mass(density)),
            Shape::Segment(_) => Err(ShapeError::Thin { shape: self.name() }),
            Shape::HalfSpace(_) | Shape::HollowBall(_) | Shape::HollowCylinder(_) => {
                Err(ShapeError::Unbounded { shape: self.name() })
            }
        }
    }

    /// The box around the shape at a pose.
    pub fn bounds(&self, pose: &Pose<D>) -> Bounds<D> {
        match self {
            Shape::Ball(ball) => ball.bounds(pose),
            Shape::Capsule(capsule) => capsule.bounds(pose),
            Shape::Segment(segment) => segment.as_capsule().bounds(pose),
            Shape::Ellipsoid(body) => body.bounds(pose),
            Shape::Superellipsoid(body) => body.bounds(pose),
            Shape::HalfSpace(_) | Shape::HollowBall(_) | Shape::HollowCylinder(_) => Bounds::everywhere(),
        }
    }

    /// Radius of the largest ball inside: a step should not move a body by more than a part of it. Infinite for a
    /// shape without end.
    pub fn inner_radius(&self) -> f64 {
        match self {
            Shape::Ball(ball) => ball.radius,
            Shape::Capsule(capsule) => capsule.radius,
            Shape::Segment(_) => 0.0,
            Shape::Ellipsoid(body) => body.radii.min(),
            Shape::Superellipsoid(body) => body.inner_radius(),
            Shape::HalfSpace(_) | Shape::HollowBall(_) | Shape::HollowCylinder(_) => f64::INFINITY,
        }
    }

    /// The point that lies farthest in a direction, both in the axes of the shape; none for a shape that is not
    /// convex or has no end.
    pub fn support(&self, direction: &Vector<D>) -> Option<Vector<D>> {
        match self {
            Shape::Ball(ball) => {
                Some(direction.try_normalize(0.0).unwrap_or_else(Vector::zeros) * ball.radius)
            }
            Shape::Capsule(capsule) => Some(capsule.support(direction)),
            Shape::Segment(segment) => Some(segment.as_capsule().support(direction)),
            Shape::Ellipsoid(body) => Some(body.support(direction)),
            Shape::Superellipsoid(body) => Some(body.reach(direction).1),
            Shape::HalfSpace(_) | Shape::HollowBall(_) | Shape::HollowCylinder(_) => None,
        }
    }
}
