//! A compound and any shape: the contacts of its parts.

use super::{Placed, Point, contacts, feature_of_part, merge};
use crate::shape::Compound;
use crate::space::{Dim, Pose, Space};

/// The contacts, from the compound to the other shape.
pub fn all<const D: usize>(
    compound: &Compound<D>,
    at: &Pose<D>,
    other: Placed<D>,
    reach: f64,
    out: &mut Vec<Point<D>>,
) where
    Dim<D>: Space<D>,
{
    let first = out.len();
    let near = other.0.bounds(other.1).grown(reach);
    for (index, (part, shape)) in compound.parts.iter().enumerate() {
        let placed = at.of_part(part);
        let bounds = shape.bounds(&placed);
        if !bounds.meets(&near) {
            continue;
        }
        let from = out.len();
        contacts((shape, &placed), other, reach, out);
        for point in &mut out[from..] {
            point.feature = feature_of_part(point.feature, index as u32);
        }
    }
    // parts that meet in a seam share its points
    let size = at_most(compound.parts.iter().map(|(_, shape)| shape.inner_radius()));
    merge(out, first, 1e-7 * size);
}

fn at_most(lengths: impl Iterator<Item = f64>) -> f64 {
    let least = lengths.fold(f64::INFINITY, f64::min);
    if least.is_finite() { least } else { 0.0 }
}
