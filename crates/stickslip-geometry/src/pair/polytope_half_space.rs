//! A polygon or polyhedron and a half-plane or half-space: the vertices near the plane.

use super::Point;
use super::reduce::reduce;
use super::solid::Solid;
use crate::shape::HalfSpace;
use crate::space::{Dim, Pose, Space, Vector};

/// The contacts, from the solid, which is seen from the origin, to the half-space.
pub fn contacts<const D: usize>(
    solid: &Solid<D>,
    origin: &Vector<D>,
    plane: &Pose<D>,
    reach: f64,
    out: &mut Vec<Point<D>>,
) where
    Dim<D>: Space<D>,
{
    let first = out.len();
    let up = HalfSpace::normal(plane);
    let away = origin - plane.x;
    for (k, v) in solid.vertices.iter().enumerate() {
        let gap = (v + away).dot(&up);
        if gap <= reach {
            let a = v + origin;
            out.push(Point { gap, normal: -up, a, b: a - up * gap, feature: k as u32 });
        }
    }
    reduce(out, first, solid.size);
}
