//! Two disks or two spheres.

use super::Point;
use crate::shape::Ball;
use crate::space::{Dim, Pose, Space, Vector};

/// The contact; balls with one centre are parted along the last axis.
pub fn contact<const D: usize>(p: &Ball, at_p: &Pose<D>, q: &Ball, at_q: &Pose<D>) -> Option<Point<D>>
where
    Dim<D>: Space<D>,
{
    let way = at_q.x - at_p.x;
    let distance = way.norm();
    let normal = if distance > 0.0 {
        way / distance
    } else {
        let mut axis = Vector::zeros();
        axis[D - 1] = 1.0;
        axis
    };
    Some(Point {
        gap: distance - p.radius - q.radius,
        normal,
        a: at_p.x + normal * p.radius,
        b: at_q.x - normal * q.radius,
        feature: 0,
    })
}
