//! A smooth convex body and a capsule: against the ball at one of its ends, or, square to its axis, against its side.
//!
//! Of the two balls at the ends, the nearer one in the direction n decides: the width of the slab is the smaller of
//! both, and its maximum is that of one of them, or lies where they are equal, which is where n is square to the axis.

use super::{Point, common_normal::Search, smooth::RoundBody, smooth::Smooth};
use crate::shape::Capsule;
use crate::space::{Dim, Pose, Space, Vector};

/// The contact, from the body to the capsule, if they are not plainly farther apart than `reach`.
pub(super) fn contact<const D: usize>(
    body: &impl Smooth<D>,
    capsule: &Capsule,
    at: &Pose<D>,
    reach: f64,
) -> Option<Point<D>>
where
    Dim<D>: Space<D>,
{
    let arm = capsule.arm(at);
    let radius = capsule.radius;
    let way = at.x - body.centre();
    let far = body.outer_radius() + capsule.half_length + radius + reach;
    if way.norm_squared() > far * far.max(0.0) {
        return None;
    }
    // the end that faces the body first: it decides if the bodies are apart and its normal leans away from the axis
    let facing = if arm.dot(&way) < 0.0 { arm } else { -arm };
    let mut best: Option<Point<D>> = None;
    for end in [Some(facing), Some(-facing), None] {
        let centre = at.x + end.unwrap_or_else(Vector::zeros);
        let ball = RoundBody { centre, radius };
        let axis = if end.is_none() { arm.try_normalize(0.0) } else { None };
        let common = Search::new(body, &ball, axis).nearest();
        let (n, lean) = (common.normal, end.map_or(0.0, |end| common.normal.dot(&end)));
        // the other end may reach farther
        let gap = common.gap - 2.0 * lean.max(0.0);
        if best.is_none_or(|best| gap > best.gap) {
            best = Some(Point { gap, normal: n, a: common.a, b: common.a + n * gap, feature: 0 });
        }
        if lean < 0.0 && gap > 0.0 {
            break;
        }
    }
    best
}
