//! A convex shape and a mesh: the contacts with each facet, less those that only its neighbours hide.
//!
//! A facet alone has edges that the surface does not have: a brick that slides over a flat floor of triangles must not
//! catch on the seams. So a normal other than that of the facet counts only if the surface lets it: no facet at the
//! point of contact rises above the plane across the normal.

use super::ball_mesh::closest_to;
use super::reduce::reduce;
use super::solid::Solid;
use super::{Point, feature_of_part, merge};
use crate::shape::{Bounds, Mesh, Topology, face_normal};
use crate::space::{Dim, Pose, Space, Vector};
use std::sync::LazyLock;

/// A facet and a point behind it, the last one.
static TRIANGLE: LazyLock<Topology> = LazyLock::new(|| simplex(&[&[0, 1], &[1, 2], &[2, 0]], 3));
static TETRAHEDRON: LazyLock<Topology> =
    LazyLock::new(|| simplex(&[&[0, 1, 2], &[1, 0, 3], &[2, 1, 3], &[0, 2, 3]], 4));

fn simplex(loops: &[&[u32]], vertices: usize) -> Topology {
    Topology::new(loops.iter().map(|l| l.to_vec()).collect(), vertices).expect("a simplex is closed")
}

/// Normals this near to that of a facet are the same. A round shape beside a seam would touch the edge too, at a small
/// angle that the surface does not have.
pub(super) const SAME: f64 = 1e-9;

/// What meets a mesh.
pub(super) struct Guest<'a, const D: usize> {
    /// Its box, in the axes of the mesh.
    pub bounds: Bounds<D>,
    /// How large it is.
    pub size: f64,
    /// Normals this near to that of a facet are as good.
    pub flat: f64,
    /// What the facets are to be seen from.
    pub origin: &'a Vector<D>,
}

/// Appends the contacts, from the guest to the mesh: `meet` gives those with a solid, `over` those with its first face
/// alone.
pub(super) fn contacts<const D: usize>(
    guest: &Guest<D>,
    (mesh, at): (&Mesh<D>, &Pose<D>),
    reach: f64,
    out: &mut Vec<Point<D>>,
    meet: impl Fn(&Solid<D>, &mut Vec<Point<D>>),
    over: impl Fn(&Solid<D>, &mut Vec<Point<D>>),
) where
    Dim<D>: Space<D>,
{
    let first = out.len();
    let Guest { bounds, size, flat, origin } = guest;
    let near = mesh.near(&bounds.grown(reach));
    let x = at.x - *origin;
    let corners: Vec<[Vector<D>; D]> =
        near.iter().map(|&f| mesh.corners(f as usize).map(|c| x + at.turn_to_world(&c))).collect();
    let tolerance = 1e-7 * size;
    let topology: &Topology = if D == 2 { &TRIANGLE } else { &TETRAHEDRON };
    for (k, facet) in corners.iter().enumerate() {
        let normal = at.turn_to_world(&mesh.normals()[near[k] as usize]);
        // behind the facet the surface is solid, as deep as the shape that may have sunk in
        let middle = facet.iter().sum::<Vector<D>>() / D as f64;
        let mut vertices = facet.to_vec();
        vertices.push(middle - normal * *size);
        let normals = topology.faces.iter().map(|face| face_normal(&vertices, &face.corners)).collect();
        let length = (facet[1] - facet[0]).norm().max((facet[D - 1] - facet[0]).norm());
        let ground = Solid { x: middle, vertices, normals, topology, size: length };

        let from = out.len();
        meet(&ground, out);
        let allowed = |p: &Point<D>| {
            let (up, foot) = (-p.normal, p.b - *origin);
            (up - normal).norm() < *flat
                || (up.dot(&normal) >= 0.0
                    && corners
                        .iter()
                        .filter(|other| (closest_to(other, &foot) - foot).norm() <= tolerance)
                        .all(|other| other.iter().all(|c| (c - foot).dot(&up) <= tolerance)))
        };
        if !out[from..].iter().all(allowed) {
            out.truncate(from);
            over(&ground, out);
        }
        for point in &mut out[from..] {
            point.feature = feature_of_part(point.feature, near[k]);
        }
    }
    merge(out, first, tolerance);

    // a flat floor of many facets is one face
    let mut rest: Vec<Point<D>> = out.drain(first..).collect();
    while let Some(normal) = rest.first().map(|p| p.normal) {
        let from = out.len();
        let (same, other) = rest.into_iter().partition(|p| (p.normal - normal).norm() < 1e-6);
        rest = other;
        out.extend::<Vec<Point<D>>>(same);
        reduce(out, from, *size);
    }
}
