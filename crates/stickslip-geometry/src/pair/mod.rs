//! Contact points of two shapes: closed forms where they exist, one file for each pair. Boxes, polygons and polyhedra
//! are one kind, `Solid`; a cylinder is a `Prism` that follows its contacts.
//!
//! The normal points from shape a to shape b. The gap is the distance along it, negative where they overlap, and the
//! points on both shapes are one gap apart: `b = a + gap normal`.

mod ball_ball;
mod ball_capsule;
mod ball_cylinder;
mod ball_half_space;
mod ball_hollow;
mod ball_mesh;
mod ball_polytope;
mod capsule_capsule;
mod capsule_half_space;
mod capsule_hollow;
mod clip;
mod closest;
mod common_normal;
mod compound_any;
mod cylinder_half_space;
mod polytope_half_space;
mod polytope_polytope;
mod prism;
mod reduce;
mod smooth;
mod smooth_capsule;
mod smooth_half_space;
mod smooth_hollow;
mod smooth_smooth;
mod solid;
mod solid_mesh;
mod wall;

use crate::shape::Shape;
use crate::space::{Dim, Pose, Space, Vector};
use smooth::{EllipsoidBody, RoundBody, SuperBody};
use solid::Solid;
use wall::Wall;

/// Where two shapes touch, or would if they came nearer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point<const D: usize> {
    /// Distance along the normal; negative for an overlap.
    pub gap: f64,
    /// Unit vector from a to b.
    pub normal: Vector<D>,
    /// The point on a, in the world.
    pub a: Vector<D>,
    /// The point on b, in the world.
    pub b: Vector<D>,
    /// Which of the points of this pair it is; stays the same from step to step while the same features touch.
    pub feature: u32,
}

impl<const D: usize> Point<D> {
    /// The same contact seen from the other side.
    fn flipped(self) -> Self {
        Point { normal: -self.normal, a: self.b, b: self.a, ..self }
    }
}

/// A shape and where it is.
pub type Placed<'a, const D: usize> = (&'a Shape<D>, &'a Pose<D>);

/// Appends the contact points of two shapes whose gap is at most `reach`.
pub fn contacts<const D: usize>(a: Placed<D>, b: Placed<D>, reach: f64, out: &mut Vec<Point<D>>)
where
    Dim<D>: Space<D>,
{
    let first = out.len();
    match (a.0, b.0) {
        (Shape::Ball(p), Shape::Ball(q)) => out.extend(ball_ball::contact(p, a.1, q, b.1)),
        (Shape::Ball(p), Shape::HalfSpace(_)) => out.extend(ball_half_space::contact(p, a.1, b.1)),
        // there are none in the plane
        (Shape::Cylinder(_), _) | (_, Shape::Cylinder(_)) if D == 2 => {}

        (Shape::Compound(p), _) => compound_any::all(p, a.1, b, reach, out),
        (_, Shape::Compound(_)) => return flipped(a, b, reach, out),

        (Shape::Ball(p), Shape::Capsule(q)) => out.extend(ball_capsule::contact(p, a.1, q, b.1)),
        (Shape::Ball(p), Shape::HollowBall(q)) => {
            out.extend(ball_hollow::contact(p, a.1, &Wall::round(q, b.1)));
        }
        (Shape::Ball(p), Shape::HollowCylinder(q)) => {
            out.extend(ball_hollow::contact(p, a.1, &Wall::tube(q, b.1)));
        }

        (Shape::Capsule(p), Shape::Capsule(q)) => out.extend(capsule_capsule::contacts(p, a.1, q, b.1)),
        (Shape::Capsule(p), Shape::HalfSpace(_)) => out.extend(capsule_half_space::contacts(p, a.1, b.1)),
        (Shape::Capsule(p), Shape::HollowBall(q)) => {
            out.extend(capsule_hollow::contacts(p, a.1, &Wall::round(q, b.1)));
        }
        (Shape::Capsule(p), Shape::HollowCylinder(q)) => {
            out.extend(capsule_hollow::contacts(p, a.1, &Wall::tube(q, b.1)));
        }

        (Shape::Ellipsoid(p), Shape::Ball(q)) => {
            let ball = RoundBody { centre: b.1.x, radius: q.radius };
            out.extend(smooth_smooth::contact(&EllipsoidBody::new(p, a.1), &ball, reach));
        }
        (Shape::Ellipsoid(p), Shape::Ellipsoid(q)) => {
            let (p, q) = (EllipsoidBody::new(p, a.1), EllipsoidBody::new(q, b.1));
            out.extend(smooth_smooth::contact(&p, &q, reach));
        }
        (Shape::Ellipsoid(p), Shape::Capsule(q)) => {
            out.extend(smooth_capsule::contact(&EllipsoidBody::new(p, a.1), q, b.1, reach));
        }
        (Shape::Ellipsoid(p), Shape::HalfSpace(_)) => {
            out.extend(smooth_half_space::contact(&EllipsoidBody::new(p, a.1), b.1));
        }
        (Shape::Ellipsoid(p), Shape::HollowBall(q)) => {
            smooth_hollow::contacts(&EllipsoidBody::new(p, a.1), &Wall::round(q, b.1), reach, out);
        }
        (Shape::Ellipsoid(p), Shape::HollowCylinder(q)) => {
            smooth_hollow::contacts(&EllipsoidBody::new(p, a.1), &Wall::tube(q, b.1), reach, out);
        }

        (Shape::Superellipsoid(p), Shape::Ball(q)) => {
            let ball = RoundBody { centre: b.1.x, radius: q.radius };
            out.extend(smooth_smooth::contact(&SuperBody::new(p, a.1), &ball, reach));
        }
        (Shape::Superellipsoid(p), Shape::Ellipsoid(q)) => {
            let (p, q) = (SuperBody::new(p, a.1), EllipsoidBody::new(q, b.1));
            out.extend(smooth_smooth::contact(&p, &q, reach));
        }
        (Shape::Superellipsoid(p), Shape::Superellipsoid(q)) => {
            let (p, q) = (SuperBody::new(p, a.1), SuperBody::new(q, b.1));
            out.extend(smooth_smooth::contact(&p, &q, reach));
        }
        (Shape::Superellipsoid(p), Shape::Capsule(q)) => {
            out.extend(smooth_capsule::contact(&SuperBody::new(p, a.1), q, b.1, reach));
        }
        (Shape::Superellipsoid(p), Shape::HalfSpace(_)) => {
            out.extend(smooth_half_space::contact(&SuperBody::new(p, a.1), b.1));
        }
        (Shape::Superellipsoid(p), Shape::HollowBall(q)) => {
            smooth_hollow::contacts(&SuperBody::new(p, a.1), &Wall::round(q, b.1), reach, out);
        }
        (Shape::Superellipsoid(p), Shape::HollowCylinder(q)) => {
            smooth_hollow::contacts(&SuperBody::new(p, a.1), &Wall::tube(q, b.1), reach, out);
        }

        // a segment is a capsule without thickness
        (Shape::Segment(p), _) => return contacts((&Shape::Capsule(p.as_capsule()), a.1), b, reach, out),
        (_, Shape::Segment(q)) => return contacts(a, (&Shape::Capsule(q.as_capsule()), b.1), reach, out),

        // the same pairs seen from the other side
        (Shape::Ball(_), Shape::Ellipsoid(_) | Shape::Superellipsoid(_))
        | (Shape::Ellipsoid(_), Shape::Superellipsoid(_))
        | (Shape::Capsule(_), Shape::Ball(_) | Shape::Ellipsoid(_) | Shape::Superellipsoid(_))
        | (
            Shape::HalfSpace(_) | Shape::HollowBall(_) | Shape::HollowCylinder(_),
            Shape::Ball(_) | Shape::Capsule(_) | Shape::Ellipsoid(_) | Shape::Superellipsoid(_),
        ) => return flipped(a, b, reach, out),

        (Shape::Ball(p), Shape::Cuboid(_) | Shape::Polytope(_)) => {
            out.extend(solid(b, &a.1.x).map(|solid| ball_polytope::contact(p, &a.1.x, &solid)));
        }
        (Shape::Ball(p), Shape::Cylinder(q)) => out.push(ball_cylinder::contact(p, a.1, q, b.1)),
        (Shape::Ball(p), Shape::Mesh(q)) => ball_mesh::contacts(p, a.1, q, b.1, reach, out),
        (Shape::Cuboid(_) | Shape::Polytope(_), Shape::Cuboid(_) | Shape::Polytope(_)) => {
            if let (Some(p), Some(q)) = (solid(a, &a.1.x), solid(b, &a.1.x)) {
                polytope_polytope::contacts(&p, &q, &a.1.x, reach, out);
            }
        }
        (Shape::Cuboid(_) | Shape::Polytope(_), Shape::HalfSpace(_)) => {
            if let Some(p) = solid(a, &a.1.x) {
                polytope_half_space::contacts(&p, &a.1.x, b.1, reach, out);
            }
        }
        (Shape::Cuboid(_) | Shape::Polytope(_), Shape::Mesh(q)) => {
            if let Some(p) = solid(a, &a.1.x) {
                solid_mesh::contacts(&p, &a.1.x, q, b.1, reach, out);
            }
        }
        (Shape::Cylinder(p), Shape::Cuboid(_) | Shape::Polytope(_)) => {
            if let Some(q) = solid(b, &a.1.x) {
                prism::with_solid((p, a.1), &q, &a.1.x, reach, out);
            }
        }
        (Shape::Cylinder(p), Shape::Cylinder(q)) => prism::with_cylinder((p, a.1), (q, b.1), reach, out),
        (Shape::Cylinder(p), Shape::HalfSpace(_)) => cylinder_half_space::contacts(p, a.1, b.1, reach, out),
        (Shape::Cylinder(p), Shape::Mesh(q)) => prism::with_mesh((p, a.1), (q, b.1), reach, out),

        (Shape::Cuboid(_) | Shape::Polytope(_), Shape::Ball(_) | Shape::Cylinder(_))
        | (Shape::Cylinder(_), Shape::Ball(_))
        | (Shape::HalfSpace(_), Shape::Cuboid(_) | Shape::Polytope(_) | Shape::Cylinder(_))
        | (Shape::Mesh(_), Shape::Ball(_) | Shape::Cuboid(_) | Shape::Polytope(_) | Shape::Cylinder(_)) => {
            return flipped(a, b, reach, out);
        }

        // what has no end, or is fixed, stands still against the like; smooth shapes do not meet polytopes yet
        _ => {}
    }
    let mut k = first;
    while k < out.len() {
        if out[k].gap <= reach {
            k += 1;
        } else {
            out.remove(k);
        }
    }
}

/// The feature of a part of a shape: different parts, and parts of parts, do not take each other's.
fn feature_of_part(feature: u32, part: u32) -> u32 {
    (feature ^ part.wrapping_add(1).wrapping_mul(0x9E37_79B1)).wrapping_mul(0x85EB_CA6B).rotate_left(13)
}

/// Drops every point, of those from `first` on, that an earlier one has the place and the normal of.
fn merge<const D: usize>(out: &mut Vec<Point<D>>, first: usize, near: f64) {
    let mut k = first;
    while k < out.len() {
        let p = out[k];
        let same = |q: &Point<D>| (p.a - q.a).norm() <= near && (p.normal - q.normal).norm() < 1e-6;
        if out[first..k].iter().any(same) {
            out.remove(k);
        } else {
            k += 1;
        }
    }
}

/// A polytope where it is, seen from an origin.
fn solid<'a, const D: usize>((shape, pose): Placed<'a, D>, origin: &Vector<D>) -> Option<Solid<'a, D>>
where
    Dim<D>: Space<D>,
{
    match shape {
        Shape::Cuboid(cuboid) => Some(Solid::cuboid(cuboid, pose, origin)),
        Shape::Polytope(polytope) => Some(Solid::polytope(polytope, pose, origin)),
        _ => None,
    }
}

/// The contacts of (b, a), turned round.
fn flipped<const D: usize>(a: Placed<D>, b: Placed<D>, reach: f64, out: &mut Vec<Point<D>>)
where
    Dim<D>: Space<D>,
{
    let first = out.len();
    contacts(b, a, reach, out);
    for point in &mut out[first..] {
        *point = point.flipped();
    }
}
