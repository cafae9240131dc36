//! A smooth convex body and a half-space: its farthest point downwards.

use super::{Point, smooth::Smooth};
use crate::shape::HalfSpace;
use crate::space::{Dim, Pose, Space};

/// The contact, from the body to the half-space.
pub(super) fn contact<const D: usize>(body: &impl Smooth<D>, plane: &Pose<D>) -> Option<Point<D>>
where
    Dim<D>: Space<D>,
{
    let normal = -HalfSpace::normal(plane);
    let reach = body.reach(&normal);
    let gap = (plane.x - body.centre()).dot(&normal) - reach.h;
    let a = body.centre() + reach.s;
    Some(Point { gap, normal, a, b: a + normal * gap, feature: 0 })
}
