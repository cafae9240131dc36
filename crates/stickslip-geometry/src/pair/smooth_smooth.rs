//! Two smooth convex bodies: the common normal across the gap between them.

use super::{Point, common_normal::Search, smooth::Smooth};
use crate::space::{Dim, Space};

/// The contact, if the bodies are not plainly farther apart than `reach`.
pub(super) fn contact<const D: usize>(p: &impl Smooth<D>, q: &impl Smooth<D>, reach: f64) -> Option<Point<D>>
where
    Dim<D>: Space<D>,
{
    let far = p.outer_radius() + q.outer_radius() + reach;
    if (q.centre() - p.centre()).norm_squared() > far * far.max(0.0) {
        return None;
    }
    let common = Search::new(p, q, None).nearest();
    Some(Point {
        gap: common.gap,
        normal: common.normal,
        a: common.a,
        b: common.a + common.normal * common.gap,
        feature: 0,
    })
}
