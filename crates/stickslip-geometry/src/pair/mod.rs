//! Contact points of two shapes: closed forms where they exist, one file for each pair.
//!
//! The normal points from shape a to shape b. The gap is the distance along it, negative where they overlap, and the
//! points on both shapes are one gap apart: `b = a + gap normal`.

mod ball_ball;
mod ball_capsule;
mod ball_half_space;
mod ball_hollow;
mod capsule_capsule;
mod capsule_half_space;
mod capsule_hollow;
mod common_normal;
mod smooth;
mod smooth_capsule;
mod smooth_half_space;
mod smooth_hollow;
mod smooth_smooth;
mod wall;

use crate::shape::Shape;
use crate::space::{Dim, Pose, Space, Vector};
use smooth::{EllipsoidBody, RoundBody, SuperBody};
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

        // solids without end stand still against each other
        (
            Shape::HalfSpace(_) | Shape::HollowBall(_) | Shape::HollowCylinder(_),
            Shape::HalfSpace(_) | Shape::HollowBall(_) | Shape::HollowCylinder(_),
        ) => {}
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
