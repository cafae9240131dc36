//! A smooth convex body and a mesh.

use super::facets::{self, Guest, SAME};
use super::{Placed, Point, smooth::Smooth, smooth_polytope, solid::Solid};
use crate::shape::Mesh;
use crate::space::{Dim, Pose, Space, Vector};

/// Appends the contacts, from the body, which is the placed shape, to the mesh.
pub(super) fn contacts<const D: usize>(
    body: &impl Smooth<D>,
    (shape, at): Placed<D>,
    mesh: (&Mesh<D>, &Pose<D>),
    reach: f64,
    out: &mut Vec<Point<D>>,
) where
    Dim<D>: Space<D>,
{
    let bounds = shape.bounds(&mesh.1.inverse().of_part(at));
    let guest = Guest { bounds, size: 2.0 * body.outer_radius(), flat: SAME, origin: &Vector::zeros() };
    let meet = |ground: &Solid<D>, out: &mut Vec<Point<D>>| {
        out.extend(smooth_polytope::contact(body, ground, reach));
    };
    let over = |ground: &Solid<D>, out: &mut Vec<Point<D>>| {
        out.extend(smooth_polytope::over_face(body, ground, 0));
    };
    facets::contacts(&guest, mesh, reach, out, meet, over);
}
