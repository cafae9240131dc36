//! A convex polygon or polyhedron where it is, seen from a chosen origin: what the pairs of polytopes work on.
//!
//! A rectangle or a box is one of them. The origin is near both shapes, so that a wall far from the origin of the world
//! keeps the digits of its gaps.

use crate::shape::{Cuboid, Polytope, Topology};
use crate::space::{Dim, Pose, Space, Vector};

/// A polytope at a pose.
pub struct Solid<'a, const D: usize> {
    /// A point about its middle.
    pub x: Vector<D>,
    pub vertices: Vec<Vector<D>>,
    /// Outward unit normals of the faces.
    pub normals: Vec<Vector<D>>,
    pub topology: &'a Topology,
    /// Its diagonal: the length that tolerances are parts of.
    pub size: f64,
}

impl<'a, const D: usize> Solid<'a, D>
where
    Dim<D>: Space<D>,
{
    pub fn cuboid(cuboid: &Cuboid<D>, pose: &Pose<D>, origin: &Vector<D>) -> Self {
        let x = pose.x - origin;
        // the sides along the axes, turned
        let axes: [Vector<D>; D] = std::array::from_fn(|k| pose.turn_to_world(&Cuboid::normal(2 * k + 1)));
        let sides: [Vector<D>; D] = std::array::from_fn(|k| axes[k] * cuboid.half[k]);
        let vertex =
            |i: usize| {
                let arm = (0..D).fold(Vector::zeros(), |arm, k| {
                    if i >> k & 1 == 1 { arm + sides[k] } else { arm - sides[k] }
                });
                x + arm
            };
        Solid {
            x,
            vertices: (0..1 << D).map(vertex).collect(),
            normals: (0..2 * D).map(|f| if f % 2 == 1 { axes[f / 2] } else { -axes[f / 2] }).collect(),
            topology: Cuboid::<D>::topology(),
            size: 2.0 * cuboid.half.norm(),
        }
    }

    pub fn polytope(polytope: &'a Polytope<D>, pose: &Pose<D>, origin: &Vector<D>) -> Self {
        let x = pose.x - origin;
        Solid {
            x,
            vertices: polytope.vertices().iter().map(|v| x + pose.turn_to_world(v)).collect(),
            normals: polytope.normals().iter().map(|n| pose.turn_to_world(n)).collect(),
            topology: polytope.topology(),
            size: polytope.size(),
        }
    }

    pub fn vertex(&self, index: u32) -> &Vector<D> {
        &self.vertices[index as usize]
    }

    /// A corner of a face: a point of its plane.
    pub fn corner(&self, face: usize) -> &Vector<D> {
        self.vertex(self.topology.faces[face].corners[0])
    }

    /// Signed distance of a point from the plane of a face.
    pub fn height(&self, face: usize, x: &Vector<D>) -> f64 {
        (x - self.corner(face)).dot(&self.normals[face])
    }

    /// Least coordinate along a direction, and the vertex that has it.
    pub fn lowest(&self, direction: &Vector<D>) -> (u32, f64) {
        let mut best = (0, f64::INFINITY);
        for (k, v) in self.vertices.iter().enumerate() {
            let height = v.dot(direction);
            if height < best.1 {
                best = (k as u32, height);
            }
        }
        best
    }
}
