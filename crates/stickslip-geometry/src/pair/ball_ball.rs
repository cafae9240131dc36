//! Two disks or two spheres.

use super::Point;
use crate::shape::Ball;
use crate::space::{Dim, Pose, Space, Vector, axis};

/// The contact; balls with one centre are parted along the last axis.
pub fn contact<const D: usize>(p: &Ball, at_p: &Pose<D>, q: &Ball, at_q: &Pose<D>) -> Option<Point<D>>
where
    Dim<D>: Space<D>,
{
    Some(between((&at_p.x, p.radius), (&at_q.x, q.radius), || axis(D - 1)))
}

/// The contact of two balls given by centre and radius; `aside` is the normal if they share their centre.
#[inline]
pub(super) fn between<const D: usize>(
    (p, radius_p): (&Vector<D>, f64),
    (q, radius_q): (&Vector<D>, f64),
    aside: impl FnOnce() -> Vector<D>,
) -> Point<D> {
    let way = q - p;
    let distance = way.norm();
    let normal = if distance > 0.0 { way / distance } else { aside() };
    Point {
        gap: distance - radius_p - radius_q,
        normal,
        a: p + normal * radius_p,
        b: q - normal * radius_q,
        feature: 0,
    }
}
