//! A disk and a half-plane, a sphere and a half-space.

use super::Point;
use crate::shape::{Ball, HalfSpace};
use crate::space::{Dim, Pose, Space};

/// The contact, from the ball to the half-space.
pub fn contact<const D: usize>(ball: &Ball, at: &Pose<D>, plane: &Pose<D>) -> Option<Point<D>>
where
    Dim<D>: Space<D>,
{
    let up = HalfSpace::normal(plane);
    let height = (at.x - plane.x).dot(&up);
    Some(Point {
        gap: height - ball.radius,
        normal: -up,
        a: at.x - up * ball.radius,
        b: at.x - up * height,
        feature: 0,
    })
}
