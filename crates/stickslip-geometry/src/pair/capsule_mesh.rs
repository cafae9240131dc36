//! A capsule and a mesh.

use super::facets::{self, Guest, SAME};
use super::{Point, capsule_polytope, rod::Rod, solid::Solid};
use crate::shape::{Capsule, Mesh, Shape};
use crate::space::{Dim, Pose, Space, Vector};

/// Appends the contacts, from the capsule to the mesh.
pub(super) fn contacts<const D: usize>(
    (capsule, at): (&Capsule, &Pose<D>),
    mesh: (&Mesh<D>, &Pose<D>),
    reach: f64,
    out: &mut Vec<Point<D>>,
) where
    Dim<D>: Space<D>,
{
    let rod = Rod::new(capsule, at);
    let bounds = Shape::Capsule(*capsule).bounds(&mesh.1.inverse().of_part(at));
    let size = 2.0 * (capsule.half_length + capsule.radius);
    let guest = Guest { bounds, size, flat: SAME, origin: &Vector::zeros() };
    let meet =
        |ground: &Solid<D>, out: &mut Vec<Point<D>>| capsule_polytope::contacts(&rod, ground, reach, out);
    let over = |ground: &Solid<D>, out: &mut Vec<Point<D>>| capsule_polytope::over_face(&rod, ground, 0, out);
    facets::contacts(&guest, mesh, reach, out, meet, over);
}
