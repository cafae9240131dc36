//! Contact points of two shapes: closed forms where they exist, one file for each pair.
//!
//! The normal points from shape a to shape b. The gap is the distance along it, negative where they overlap, and the
//! points on both shapes are one gap apart: `b = a + gap normal`.

mod ball_ball;
mod ball_half_space;
mod ball_polytope;
mod clip;
mod closest;
mod polytope_half_space;
mod polytope_polytope;
mod reduce;
mod solid;

use crate::shape::Shape;
use crate::space::{Dim, Pose, Space, Vector};
use solid::Solid;

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
        (Shape::HalfSpace(_), Shape::Ball(_)) => return flipped(a, b, reach, out),
        // solids without end stand still against each other
        (Shape::HalfSpace(_), Shape::HalfSpace(_)) => {}
        (Shape::Ball(p), Shape::Cuboid(_) | Shape::Polytope(_)) => {
            if let Some(solid) = solid(b, &a.1.x) {
                out.push(ball_polytope::contact(p, &a.1.x, &solid));
            }
        }
        (Shape::Cuboid(_) | Shape::Polytope(_), Shape::HalfSpace(_)) => {
            if let Some(solid) = solid(a, &a.1.x) {
                polytope_half_space::contacts(&solid, &a.1.x, b.1, reach, out);
            }
        }
        (Shape::Cuboid(_) | Shape::Polytope(_), Shape::Cuboid(_) | Shape::Polytope(_)) => {
            if let (Some(p), Some(q)) = (solid(a, &a.1.x), solid(b, &a.1.x)) {
                polytope_polytope::contacts(&p, &q, &a.1.x, reach, out);
            }
        }
        (Shape::Cuboid(_) | Shape::Polytope(_), Shape::Ball(_)) => return flipped(a, b, reach, out),
        (Shape::HalfSpace(_), Shape::Cuboid(_) | Shape::Polytope(_)) => return flipped(a, b, reach, out),
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
