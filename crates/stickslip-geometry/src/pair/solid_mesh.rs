//! A polytope and a mesh.

use super::facets::{self, Guest};
use super::solid::Solid;
use super::{Point, polytope_polytope};
use crate::shape::{Bounds, Mesh};
use crate::space::{Dim, Pose, Space, Vector};

/// A face that lies on a facet to within this angle keeps its points on the edges of the facet.
const FLAT: f64 = 1e-2;

/// The contacts, from the solid, which is seen from the origin, to the mesh.
pub fn contacts<const D: usize>(
    solid: &Solid<D>,
    origin: &Vector<D>,
    mesh: &Mesh<D>,
    at: &Pose<D>,
    reach: f64,
    out: &mut Vec<Point<D>>,
) where
    Dim<D>: Space<D>,
{
    let local = solid.vertices.iter().map(|v| at.to_local(&(v + origin)));
    let guest = Guest { bounds: Bounds::of_points(local), size: solid.size, flat: FLAT, origin };
    let meet = |ground: &Solid<D>, out: &mut Vec<Point<D>>| {
        polytope_polytope::contacts(solid, ground, origin, reach, out);
    };
    let over = |ground: &Solid<D>, out: &mut Vec<Point<D>>| {
        polytope_polytope::over_face(solid, ground, 0, origin, reach, out);
    };
    facets::contacts(&guest, (mesh, at), reach, out, meet, over);
}
