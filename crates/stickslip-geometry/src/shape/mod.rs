//! Shapes: each kind is one file and one variant of [`Shape`].
//!
//! A shape lives in its own axes, its origin where its file says; a [`Pose`] puts it into the world.

mod ball;
mod capsule;
mod compound;
mod cuboid;
mod cylinder;
mod ellipsoid;
mod files;
mod half_space;
mod hollow_ball;
mod hollow_cylinder;
mod hull;
mod mesh;
mod polytope;
mod segment;
mod superellipsoid;
mod topology;

pub use ball::Ball;
pub use capsule::Capsule;
pub use compound::Compound;
pub use cuboid::Cuboid;
pub use cylinder::Cylinder;
pub use ellipsoid::Ellipsoid;
pub use half_space::HalfSpace;
pub use hollow_ball::HollowBall;
pub use hollow_cylinder::HollowCylinder;
pub use mesh::Mesh;
pub use polytope::Polytope;
pub use segment::Segment;
pub use superellipsoid::Superellipsoid;
pub use topology::{Edge, Face, Topology};

pub(crate) use polytope::face_normal;

use crate::space::{Dim, Inertia, Pose, Rotation, Space, Vector};
use std::f64::consts::PI;

/// Any shape.
#[derive(Clone, Debug)]
pub enum Shape<const D: usize>
where
    Dim<D>: Space<D>,
{
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
    /// A rectangle or a box.
    Cuboid(Cuboid<D>),
    /// A convex polygon or polyhedron.
    Polytope(Polytope<D>),
    /// A cylinder.
    Cylinder(Cylinder),
    /// A fixed surface of triangles or segments.
    Mesh(Mesh<D>),
    /// Parts that move as one.
    Compound(Compound<D>),
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
    /// A mass of a shape without end.
    #[error("a {shape} has no end and so no mass: fix it, or give it a mass and an inertia")]
    Unbounded {
        /// the kind of shape
        shape: &'static str,
    },
    /// A hull of too few points.
    #[error("a {shape} from {found} points: give at least {needed}")]
    FewPoints {
        /// the kind of shape
        shape: &'static str,
        /// how many there are
        found: usize,
        /// how many it takes
        needed: usize,
    },
    /// A coordinate that is no number.
    #[error("point {index} of a {shape} is not finite")]
    NotFinite {
        /// the kind of shape
        shape: &'static str,
        /// which point, from 0
        index: usize,
    },
    /// Points without a hull that has an inside.
    #[error(
        "the {found} points of a {shape} lie in a line or a plane, or nearly so: their hull has no inside; give points around one"
    )]
    Degenerate {
        /// the kind of shape
        shape: &'static str,
        /// how many points there are
        found: usize,
    },
    /// A shape of nothing.
    #[error("a {shape} of no parts")]
    Empty {
        /// the kind of shape
        shape: &'static str,
    },
    /// A facet with a vertex that does not exist.
    #[error("facet {facet} of a mesh has a vertex beyond the {vertices} there are")]
    NoVertex {
        /// which facet, from 0
        facet: usize,
        /// how many vertices there are
        vertices: usize,
    },
    /// A shape that the dimension does not have.
    #[error("there is no {shape} in the plane")]
    NotInThePlane {
        /// the kind of shape
        shape: &'static str,
    },
    /// A file that cannot be read.
    #[error("{path}: {place}{why}")]
    File {
        /// the file
        path: String,
        /// where in it, with a colon; empty if everywhere
        place: String,
        /// what is wrong
        why: String,
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

    /// Larger by a length on every side.
    pub fn grown(&self, length: f64) -> Self {
        let length = Vector::repeat(length);
        Bounds { low: self.low - length, high: self.high + length }
    }

    /// Elsewhere.
    pub fn moved(&self, way: &Vector<D>) -> Self {
        Bounds { low: self.low + way, high: self.high + way }
    }

    /// The least box around both.
    pub fn around_both(&self, other: &Self) -> Self {
        Bounds { low: self.low.inf(&other.low), high: self.high.sup(&other.high) }
    }

    /// The boxes have a point in common.
    pub fn meets(&self, other: &Bounds<D>) -> bool {
        (0..D).all(|k| self.low[k] <= other.high[k] && other.low[k] <= self.high[k])
    }

    /// Whether another box lies inside.
    pub fn contains(&self, other: &Self) -> bool {
        (0..D).all(|k| self.low[k] <= other.low[k] && other.high[k] <= self.high[k])
    }

    /// Longest finite edge; 0 where none is finite.
    pub fn size(&self) -> f64 {
        (self.high - self.low).iter().copied().filter(|x| x.is_finite()).fold(0.0, f64::max)
    }

    /// Whether it ends on all sides.
    pub fn is_finite(&self) -> bool {
        (self.high - self.low).iter().all(|x| x.is_finite())
    }

    /// Of points.
    pub fn of_points(points: impl IntoIterator<Item = Vector<D>>) -> Self {
        let infinity = Vector::repeat(f64::INFINITY);
        let empty = Bounds { low: infinity, high: -infinity };
        points.into_iter().fold(empty, |b, x| Bounds { low: b.low.inf(&x), high: b.high.sup(&x) })
    }

    /// No end anywhere.
    pub fn everywhere() -> Self {
        let infinity = Vector::repeat(f64::INFINITY);
        Bounds { low: -infinity, high: infinity }
    }
}

/// The cross product in space; not to be called in the plane.
pub(crate) fn cross<const D: usize>(v: &Vector<D>, w: &Vector<D>) -> Vector<D> {
    Vector::from_fn(|i, _| v[(i + 1) % 3] * w[(i + 2) % 3] - v[(i + 2) % 3] * w[(i + 1) % 3])
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
            Shape::Cuboid(_) if D == 2 => "rectangle",
            Shape::Cuboid(_) => "box",
            Shape::Polytope(_) if D == 2 => "polygon",
            Shape::Polytope(_) => "polyhedron",
            Shape::Cylinder(_) => "cylinder",
            Shape::Mesh(_) => "mesh",
            Shape::Compound(_) => "compound",
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
            Shape::HollowCylinder(_) if D == 2 => Err(ShapeError::NotInThePlane { shape: self.name() }),
            Shape::HollowCylinder(hollow) => positive(self.name(), "radius", hollow.radius),
            Shape::Cuboid(cuboid) => {
                cuboid.half.iter().try_for_each(|&h| positive(self.name(), "half length", h))
            }
            Shape::Polytope(_) => Ok(()),
            Shape::Cylinder(_) if D == 2 => Err(ShapeError::NotInThePlane { shape: self.name() }),
            Shape::Cylinder(cylinder) => positive(self.name(), "half length", cylinder.half_length)
                .and_then(|()| positive(self.name(), "radius", cylinder.radius)),
            Shape::Mesh(_) => Ok(()),
            Shape::Compound(compound) => compound.validate(),
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
            Shape::Cuboid(cuboid) => Ok(cuboid.mass(density)),
            Shape::Polytope(polytope) => Ok(polytope.mass(density)),
            Shape::Cylinder(cylinder) => Ok(cylinder.mass(density)),
            Shape::Compound(compound) => compound.mass(density),
            Shape::Segment(_) => Err(ShapeError::Thin { shape: self.name() }),
            Shape::HalfSpace(_) | Shape::HollowBall(_) | Shape::HollowCylinder(_) | Shape::Mesh(_) => {
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
            Shape::Cuboid(cuboid) => cuboid.bounds(pose),
            Shape::Polytope(polytope) => polytope.bounds(pose),
            Shape::Cylinder(cylinder) => cylinder.bounds(pose),
            Shape::Mesh(mesh) => mesh.bounds(pose),
            Shape::Compound(compound) => compound.bounds(pose),
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
            Shape::Cuboid(cuboid) => cuboid.half.min(),
            Shape::Polytope(polytope) => polytope.inner_radius(),
            Shape::Cylinder(cylinder) => cylinder.radius.min(cylinder.half_length),
            Shape::Compound(compound) => compound.inner_radius(),
            Shape::HalfSpace(_) | Shape::HollowBall(_) | Shape::HollowCylinder(_) | Shape::Mesh(_) => {
                f64::INFINITY
            }
        }
    }

    /// Radius about its origin of a ball that it lies in: of one around its box. Infinite for a shape without end.
    pub fn outer_radius(&self) -> f64 {
        let Bounds { low, high } = self.bounds(&Pose { x: Vector::zeros(), rotation: Dim::<D>::identity() });
        low.abs().sup(&high.abs()).norm()
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
            Shape::Cuboid(cuboid) => Some(cuboid.support(direction)),
            Shape::Polytope(polytope) => Some(polytope.support(direction)),
            Shape::Cylinder(cylinder) => Some(cylinder.support(direction)),
            Shape::HalfSpace(_)
            | Shape::HollowBall(_)
            | Shape::HollowCylinder(_)
            | Shape::Mesh(_)
            | Shape::Compound(_) => None,
        }
    }
}
