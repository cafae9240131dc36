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
mod capsule_cylinder;
mod capsule_half_space;
mod capsule_hollow;
mod capsule_mesh;
mod capsule_polytope;
mod clip;
mod closest;
mod common_normal;
mod compound_any;
mod cylinder_half_space;
mod cylinder_hollow;
mod facets;
mod polytope_half_space;
mod polytope_hollow;
mod polytope_polytope;
mod prism;
mod reduce;
mod rod;
mod smooth;
mod smooth_capsule;
mod smooth_cylinder;
mod smooth_half_space;
mod smooth_hollow;
mod smooth_mesh;
mod smooth_polytope;
mod smooth_smooth;
mod solid;
mod solid_mesh;
mod wall;

use crate::shape::{Ball, Capsule, Cylinder, Shape};
use crate::space::{Dim, Pose, Space, Vector};
use rod::Rod;
use smooth::{EllipsoidBody, RoundBody, Smooth, SuperBody};
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
///
/// Every pair has contacts but these: half-spaces, holes and meshes have none with each other, as they have no end or
/// are fixed; and cylinders and tubes have none in the plane, where they do not exist.
pub fn contacts<const D: usize>(a: Placed<D>, b: Placed<D>, reach: f64, out: &mut Vec<Point<D>>)
where
    Dim<D>: Space<D>,
{
    let first = out.len();
    match (a.0, b.0) {
        (Shape::Ball(p), Shape::Ball(q)) => out.extend(ball_ball::contact(p, a.1, q, b.1)),
        (Shape::Ball(p), Shape::HalfSpace(_)) => out.extend(ball_half_space::contact(p, a.1, b.1)),

        (Shape::Cylinder(_) | Shape::HollowCylinder(_), _)
        | (_, Shape::Cylinder(_) | Shape::HollowCylinder(_))
            if D == 2 => {}
        (Shape::Compound(p), _) => compound_any::all(p, a.1, b, reach, out),
        _ if rank(a.0) > rank(b.0) => return flipped(a, b, reach, out),
        // a segment is a capsule without thickness
        (Shape::Segment(p), _) => return contacts((&Shape::Capsule(p.as_capsule()), a.1), b, reach, out),
        (_, Shape::Segment(q)) => return contacts(a, (&Shape::Capsule(q.as_capsule()), b.1), reach, out),

        // the table of pairs: a row for the first shape, below
        _ => row(a, b, reach, out),
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

/// Of two shapes the one of lower rank comes first in the table of pairs.
fn rank<const D: usize>(shape: &Shape<D>) -> u8
where
    Dim<D>: Space<D>,
{
    match shape {
        Shape::Compound(_) => 0,
        Shape::Superellipsoid(_) => 1,
        Shape::Ellipsoid(_) => 2,
        Shape::Ball(_) => 3,
        Shape::Capsule(_) => 4,
        Shape::Segment(_) => 5,
        Shape::Cylinder(_) => 6,
        Shape::Cuboid(_) => 7,
        Shape::Polytope(_) => 8,
        Shape::HalfSpace(_) => 9,
        Shape::HollowBall(_) => 10,
        Shape::HollowCylinder(_) => 11,
        Shape::Mesh(_) => 12,
    }
}

/// The pairs of a first shape with those of the same or a higher rank. Shapes are seen from the middle of the first, so
/// that far from the origin of the world gaps keep their digits.
fn row<const D: usize>(a: Placed<D>, b: Placed<D>, reach: f64, out: &mut Vec<Point<D>>)
where
    Dim<D>: Space<D>,
{
    let first = out.len();
    let origin = a.1.x;
    let at = Pose { x: Vector::zeros(), rotation: a.1.rotation };
    let seen = (b.0, &Pose { x: b.1.x - origin, rotation: b.1.rotation });
    match a.0 {
        Shape::Superellipsoid(p) => of_smooth(&SuperBody::new(p, &at), (a.0, &at), seen, reach, out),
        Shape::Ellipsoid(p) => of_smooth(&EllipsoidBody::new(p, &at), (a.0, &at), seen, reach, out),
        Shape::Ball(p) => of_ball(p, &at, seen, reach, out),
        Shape::Capsule(p) => of_capsule(p, &at, seen, reach, out),
        Shape::Cylinder(p) => of_cylinder(p, &at, seen, reach, out),
        _ => {
            if let Some(p) = solid((a.0, &at)) {
                of_solid(&p, seen, reach, out);
            }
        }
    }
    for point in &mut out[first..] {
        point.a += origin;
        point.b += origin;
    }
}

fn of_smooth<const D: usize>(
    body: &impl Smooth<D>,
    a: Placed<D>,
    b: Placed<D>,
    reach: f64,
    out: &mut Vec<Point<D>>,
) where
    Dim<D>: Space<D>,
{
    match b.0 {
        Shape::Superellipsoid(q) => out.extend(smooth_smooth::contact(body, &SuperBody::new(q, b.1), reach)),
        Shape::Ellipsoid(q) => out.extend(smooth_smooth::contact(body, &EllipsoidBody::new(q, b.1), reach)),
        Shape::Ball(q) => {
            let ball = RoundBody { centre: b.1.x, radius: q.radius };
            out.extend(smooth_smooth::contact(body, &ball, reach));
        }
        Shape::Capsule(q) => out.extend(smooth_capsule::contact(body, q, b.1, reach)),
        Shape::Cylinder(q) => out.extend(smooth_cylinder::contact(body, q, b.1, reach)),
        Shape::HalfSpace(_) => out.extend(smooth_half_space::contact(body, b.1)),
        Shape::Mesh(q) => smooth_mesh::contacts(body, a, (q, b.1), reach, out),
        _ => {
            if let Some(q) = solid(b) {
                out.extend(smooth_polytope::contact(body, &q, reach));
            } else if let Some(wall) = wall(b) {
                smooth_hollow::contacts(body, &wall, reach, out);
            }
        }
    }
}

fn of_ball<const D: usize>(p: &Ball, at: &Pose<D>, b: Placed<D>, reach: f64, out: &mut Vec<Point<D>>)
where
    Dim<D>: Space<D>,
{
    match b.0 {
        Shape::Capsule(q) => out.extend(ball_capsule::contact(p, at, q, b.1)),
        Shape::Cylinder(q) => out.push(ball_cylinder::contact(p, at, q, b.1)),
        Shape::Mesh(q) => ball_mesh::contacts(p, at, q, b.1, reach, out),
        _ => {
            if let Some(q) = solid(b) {
                out.push(ball_polytope::contact(p, &at.x, &q));
            } else if let Some(wall) = wall(b) {
                out.extend(ball_hollow::contact(p, at, &wall));
            }
        }
    }
}

fn of_capsule<const D: usize>(p: &Capsule, at: &Pose<D>, b: Placed<D>, reach: f64, out: &mut Vec<Point<D>>)
where
    Dim<D>: Space<D>,
{
    match b.0 {
        Shape::Capsule(q) => out.extend(capsule_capsule::contacts(p, at, q, b.1)),
        Shape::Cylinder(q) => capsule_cylinder::contacts((p, at), (q, b.1), reach, out),
        Shape::HalfSpace(_) => out.extend(capsule_half_space::contacts(p, at, b.1)),
        Shape::Mesh(q) => capsule_mesh::contacts((p, at), (q, b.1), reach, out),
        _ => {
            if let Some(q) = solid(b) {
                capsule_polytope::contacts(&Rod::new(p, at), &q, reach, out);
            } else if let Some(wall) = wall(b) {
                out.extend(capsule_hollow::contacts(p, at, &wall));
            }
        }
    }
}

fn of_cylinder<const D: usize>(p: &Cylinder, at: &Pose<D>, b: Placed<D>, reach: f64, out: &mut Vec<Point<D>>)
where
    Dim<D>: Space<D>,
{
    match b.0 {
        Shape::Cylinder(q) => prism::with_cylinder((p, at), (q, b.1), reach, out),
        Shape::HalfSpace(_) => cylinder_half_space::contacts(p, at, b.1, reach, out),
        Shape::Mesh(q) => prism::with_mesh((p, at), (q, b.1), reach, out),
        _ => {
            if let Some(q) = solid(b) {
                prism::with_solid((p, at), &q, &at.x, reach, out);
            } else if let Some(wall) = wall(b) {
                cylinder_hollow::contacts((p, at), &wall, reach, out);
            }
        }
    }
}

fn of_solid<const D: usize>(p: &Solid<D>, b: Placed<D>, reach: f64, out: &mut Vec<Point<D>>)
where
    Dim<D>: Space<D>,
{
    let origin = Vector::zeros();
    match b.0 {
        Shape::HalfSpace(_) => polytope_half_space::contacts(p, &origin, b.1, reach, out),
        Shape::Mesh(q) => solid_mesh::contacts(p, &origin, q, b.1, reach, out),
        _ => {
            if let Some(q) = solid(b) {
                polytope_polytope::contacts(p, &q, &origin, reach, out);
            } else if let Some(wall) = wall(b) {
                polytope_hollow::contacts(p, &wall, reach, out);
            }
        }
    }
}

/// The feature of a part of a shape: different parts, and parts of parts, do not take each other's.
fn feature_of_part(feature: u32, part: u32) -> u32 {
    (feature ^ part.wrapping_add(1).wrapping_mul(0x9E37_79B1)).wrapping_mul(0x85EB_CA6B).rotate_left(13)
}

/// Drops every point, of those from `first` on, that an earlier one has the places and the normal of.
fn merge<const D: usize>(out: &mut Vec<Point<D>>, first: usize, near: f64) {
    let mut k = first;
    while k < out.len() {
        let p = out[k];
        let same = |q: &Point<D>| {
            (p.a - q.a).norm() <= near && (p.b - q.b).norm() <= near && (p.normal - q.normal).norm() < 1e-6
        };
        if out[first..k].iter().any(same) {
            out.remove(k);
        } else {
            k += 1;
        }
    }
}

/// A polytope where it is.
fn solid<'a, const D: usize>((shape, pose): Placed<'a, D>) -> Option<Solid<'a, D>>
where
    Dim<D>: Space<D>,
{
    let origin = Vector::zeros();
    match shape {
        Shape::Cuboid(cuboid) => Some(Solid::cuboid(cuboid, pose, &origin)),
        Shape::Polytope(polytope) => Some(Solid::polytope(polytope, pose, &origin)),
        _ => None,
    }
}

/// The wall of a round hole where it is.
fn wall<const D: usize>((shape, pose): Placed<D>) -> Option<Wall<D>>
where
    Dim<D>: Space<D>,
{
    match shape {
        Shape::HollowBall(hollow) => Some(Wall::round(hollow, pose)),
        Shape::HollowCylinder(hollow) => Some(Wall::tube(hollow, pose)),
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
