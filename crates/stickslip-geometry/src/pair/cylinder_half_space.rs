//! A cylinder and a half-space: the lowest points of both rims, and four points of the base it stands on.

use super::Point;
use super::reduce::reduce;
use crate::shape::{Cylinder, HalfSpace};
use crate::space::{Dim, Pose, Space, Vector};

/// The contacts, from the cylinder to the half-space.
pub fn contacts<const D: usize>(
    cylinder: &Cylinder,
    at: &Pose<D>,
    plane: &Pose<D>,
    reach: f64,
    out: &mut Vec<Point<D>>,
) where
    Dim<D>: Space<D>,
{
    let first = out.len();
    let up = HalfSpace::normal(plane);
    let local_up = at.turn_to_local(&up);
    let upright = local_up[D - 1];
    let mut down = -local_up;
    down[D - 1] = 0.0;
    let slope = down.norm();
    let mut offer = |local: Vector<D>, feature: u32| {
        let arm = at.turn_to_world(&local);
        let a = at.x + arm;
        let gap = (at.x - plane.x).dot(&up) + arm.dot(&up);
        if gap <= reach {
            out.push(Point { gap, normal: -up, a, b: a - up * gap, feature });
        }
    };
    // where it stands on its base the lowest point of the rim is anywhere: four fixed ones come first
    if upright.abs() > 0.5 {
        let end = if upright > 0.0 { -cylinder.half_length } else { cylinder.half_length };
        for corner in 0..4 {
            let mut local = Vector::zeros();
            local[corner % 2] = if corner < 2 { cylinder.radius } else { -cylinder.radius };
            local[D - 1] = end;
            offer(local, 2 + corner as u32);
        }
    }
    if slope > 1e-6 {
        for end in [0, 1] {
            let mut local = down * (cylinder.radius / slope);
            local[D - 1] = if end == 0 { -cylinder.half_length } else { cylinder.half_length };
            offer(local, end);
        }
    }
    // the lowest point of the rim may be one of the four
    let near = 1e-6 * cylinder.radius;
    super::merge(out, first, near);
    reduce(out, first, cylinder.radius + cylinder.half_length);
}
