//! A ball in a round hole.

use super::{Point, wall::Wall};
use crate::shape::Ball;
use crate::space::{Dim, Pose, Space};

/// The contact, from the ball to the wall.
pub(super) fn contact<const D: usize>(ball: &Ball, at: &Pose<D>, wall: &Wall<D>) -> Option<Point<D>>
where
    Dim<D>: Space<D>,
{
    Some(wall.touch(&at.x, ball.radius, 0))
}
