//! The part of one face that lies over another: cut by the sides of the face of reference, one after the other.

use super::solid::Solid;
use crate::shape::cross;
use crate::space::{Dim, Space, Vector};

/// Corners this near to a side, as a part of the size, lie on it. Bricks whose edges are aligned keep their corners as
/// contact points while they move by less.
const ON: f64 = 1e-7;

/// What makes a corner of the overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Corner {
    /// A vertex of the face of reference.
    Reference(u32),
    /// A vertex of the other face.
    Other(u32),
    /// An edge of the face of reference crosses one of the other face.
    Crossing(u32, u32),
}

/// What bounds the overlap between a corner and the next.
#[derive(Clone, Copy)]
enum Side {
    /// a side of the face of reference, by its place in the loop
    Reference(usize),
    /// an edge of the other face
    Other(u32),
}

/// The corners, in the plane of the other face.
pub fn clip<const D: usize>(
    reference: (&Solid<D>, usize),
    other: (&Solid<D>, usize),
    size: f64,
) -> Vec<(Vector<D>, Corner)>
where
    Dim<D>: Space<D>,
{
    if D == 2 { segment(reference, other, ON * size) } else { polygon(reference, other, ON * size) }
}

fn segment<const D: usize>(
    (solid, face): (&Solid<D>, usize),
    (b, other): (&Solid<D>, usize),
    on: f64,
) -> Vec<(Vector<D>, Corner)>
where
    Dim<D>: Space<D>,
{
    let ends = &solid.topology.faces[face].corners;
    let mut kept: Vec<(Vector<D>, Corner)> =
        b.topology.faces[other].corners.iter().map(|&v| (*b.vertex(v), Corner::Other(v))).collect();
    for (end, start) in [(ends[0], ends[1]), (ends[1], ends[0])] {
        let outward = (solid.vertex(end) - solid.vertex(start)).normalize();
        let beyond: Vec<f64> = kept.iter().map(|(x, _)| (x - solid.vertex(end)).dot(&outward)).collect();
        if let [d, e] = beyond[..]
            && d.max(e) > on
            && d.min(e) < -on
        {
            let cut = kept[0].0 + (kept[1].0 - kept[0].0) * (d / (d - e));
            kept[if d > e { 0 } else { 1 }] = (cut, Corner::Reference(end));
        } else {
            let mut beyond = beyond.into_iter();
            kept.retain(|_| beyond.next().is_some_and(|d| d <= on));
        }
    }
    kept
}

fn polygon<const D: usize>(
    (solid, face): (&Solid<D>, usize),
    (b, other): (&Solid<D>, usize),
    on: f64,
) -> Vec<(Vector<D>, Corner)>
where
    Dim<D>: Space<D>,
{
    let cutter = &solid.topology.faces[face];
    let sides = cutter.corners.len();
    let start = &b.topology.faces[other];
    let mut kept: Vec<(Vector<D>, Corner, Side)> = start
        .corners
        .iter()
        .zip(&start.sides)
        .map(|(&v, &e)| (*b.vertex(v), Corner::Other(v), Side::Other(e)))
        .collect();
    let mut next = Vec::with_capacity(kept.len() + 2);
    let mut beyond = Vec::with_capacity(kept.len() + 2);
    for k in 0..sides {
        let (p, q) = (solid.vertex(cutter.corners[k]), solid.vertex(cutter.corners[(k + 1) % sides]));
        let outward = cross(&(q - p), &solid.normals[face]).normalize();
        beyond.clear();
        beyond.extend(kept.iter().map(|(x, ..)| (x - p).dot(&outward)));
        next.clear();
        for i in 0..kept.len() {
            let j = (i + 1) % kept.len();
            let (d, e) = (beyond[i], beyond[j]);
            let (x, corner, side) = kept[i];
            if d <= on {
                // from a corner on the cut the way goes along it, if it would leave
                let along = if d >= -on && e > on { Side::Reference(k) } else { side };
                next.push((x, corner, along));
            }
            let leaves = d < -on && e > on;
            if leaves || (d > on && e < -on) {
                let cut = x + (kept[j].0 - x) * (d / (d - e));
                let corner = match side {
                    Side::Other(edge) => Corner::Crossing(cutter.sides[k], edge),
                    // two sides of the face of reference meet in one of its vertices
                    Side::Reference(l) if (l + 1) % sides == k => Corner::Reference(cutter.corners[k]),
                    Side::Reference(_) => Corner::Reference(cutter.corners[(k + 1) % sides]),
                };
                next.push((cut, corner, if leaves { Side::Reference(k) } else { side }));
            }
        }
        std::mem::swap(&mut kept, &mut next);
    }

    // slivers leave corners on top of each other
    let mut corners: Vec<(Vector<D>, Corner)> = Vec::with_capacity(kept.len());
    for (x, corner, _) in kept {
        if corners.iter().all(|(y, _)| (x - y).norm_squared() > on * on) {
            corners.push((x, corner));
        }
    }
    corners
}
