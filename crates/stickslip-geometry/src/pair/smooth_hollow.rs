//! A smooth convex body in a round hole: its farthest points from the centre, or from the axis.
//!
//! There can be two, as of an ellipsoid that lies across a drum. Both are found, each from its own starts, and both
//! are contacts.

use super::{
    Point, common_normal::Common, common_normal::Search, smooth::RoundBody, smooth::Smooth, wall::Wall,
};
use crate::space::{Dim, Space, Vector};

/// Normals nearer than this are the same.
const SAME: f64 = 1e-6;

/// Appends up to two contacts, from the body to the wall, the deepest first. The feature is the side of the body,
/// counted by its axes.
pub(super) fn contacts<const D: usize>(
    body: &impl Smooth<D>,
    wall: &Wall<D>,
    reach: f64,
    out: &mut Vec<Point<D>>,
) where
    Dim<D>: Space<D>,
{
    let way = wall.way_to(body.centre());
    if wall.radius - way.norm() - body.outer_radius() > reach {
        return;
    }
    let centre = RoundBody { centre: wall.centre, radius: 0.0 };
    let search = Search::in_hole(body, &centre, wall.axis);

    let mut best: [Option<Common<D>>; 2] = [None, None];
    let mut keep = |found: Common<D>| {
        let same = |other: &Common<D>| (other.normal - found.normal).norm() < SAME;
        if best.iter().flatten().any(same) {
            return;
        }
        if best[0].is_none_or(|first| found.gap > first.gap) {
            best = [Some(found), best[0]];
        } else if best[1].is_none_or(|second| found.gap > second.gap) {
            best[1] = Some(found);
        }
    };
    for start in body.axes().iter().flat_map(|axis| [*axis, -axis]).chain([way]) {
        search.farthest(&start).into_iter().for_each(&mut keep);
    }
    let sides = best.map(|found| found.map(|found| side(body, &found.normal)));
    for (k, found) in best.iter().flatten().enumerate() {
        let gap = wall.radius - found.gap;
        let b = found.a + found.normal * gap;
        // both on one side: a flat side that bridges the curve of the wall
        let bridge = if k == 1 && sides[0] == sides[1] { 2 * D as u32 } else { 0 };
        let feature = sides[k].unwrap_or(0) + bridge;
        out.push(Point { gap, normal: found.normal, a: found.a, b, feature });
    }
}

/// The axis of a body that a direction is nearest to, and its sign.
fn side<const D: usize>(body: &impl Smooth<D>, n: &Vector<D>) -> u32 {
    let mut best = (0.0, 0);
    for (k, axis) in body.axes().iter().enumerate() {
        let along = axis.dot(n);
        if along.abs() > best.0 {
            best = (along.abs(), 2 * k as u32 + u32::from(along < 0.0));
        }
    }
    best.1
}
