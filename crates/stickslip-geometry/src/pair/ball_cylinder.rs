//! A sphere and a cylinder: the point of the cylinder closest to the centre.

use super::Point;
use crate::shape::{Ball, Cylinder};
use crate::space::{Dim, Pose, Space, Vector};

/// The contact, from the ball to the cylinder.
pub fn contact<const D: usize>(
    ball: &Ball,
    at: &Pose<D>,
    cylinder: &Cylinder,
    at_cylinder: &Pose<D>,
) -> Point<D>
where
    Dim<D>: Space<D>,
{
    let centre = at_cylinder.to_local(&at.x);
    let z = centre[D - 1];
    let mut across = centre;
    across[D - 1] = 0.0;
    let from_axis = across.norm();
    let mut axial = Vector::zeros();
    axial[D - 1] = if z < 0.0 { -1.0 } else { 1.0 };
    let radial = if from_axis > 0.0 {
        across / from_axis
    } else {
        let mut any = Vector::zeros();
        any[0] = 1.0;
        any
    };
    // heights over the round side and over the nearer end
    let (side, end) = (from_axis - cylinder.radius, z.abs() - cylinder.half_length);
    let (distance, outward) = if side > 0.0 && end > 0.0 {
        let distance = side.hypot(end);
        (distance, (radial * side + axial * end) / distance)
    } else if side > end {
        (side, radial)
    } else {
        (end, axial)
    };
    let outward = at_cylinder.turn_to_world(&outward);
    let gap = distance - ball.radius;
    let a = at.x - outward * ball.radius;
    Point { gap, normal: -outward, a, b: a - outward * gap, feature: 0 }
}
