//! A fixed surface of triangles in space, or of segments in the plane: terrain, a hopper, a machine part.
//!
//! A facet is seen from outside when its corners run counterclockwise (in the plane: when the solid is to the left of
//! the way from the first corner to the second); the other side of it is solid. A tree of boxes finds those near.

use super::polytope::face_normal;
use super::{Bounds, ShapeError, files};
use crate::space::{Dim, Pose, Space, Vector};
use std::path::Path;

/// Facets in a leaf of the tree.
const LEAF: usize = 4;

/// A surface of triangles or segments.
#[derive(Clone, Debug)]
pub struct Mesh<const D: usize> {
    vertices: Vec<Vector<D>>,
    facets: Vec<[u32; D]>,
    normals: Vec<Vector<D>>,
    /// facets in the order of the leaves
    order: Vec<u32>,
    nodes: Vec<Node<D>>,
}

/// A box and the part of `order` inside it. The first of two halves follows its parent.
#[derive(Clone, Copy, Debug)]
struct Node<const D: usize> {
    bounds: Bounds<D>,
    from: u32,
    to: u32,
    /// where the second half is; 0 for a leaf
    second: u32,
}

impl<const D: usize> Mesh<D>
where
    Dim<D>: Space<D>,
{
    /// From vertices and facets; facets without an area are left out.
    pub fn new(vertices: Vec<Vector<D>>, facets: Vec<[u32; D]>) -> Result<Self, ShapeError> {
        let shape = "mesh";
        if let Some(index) = vertices.iter().position(|x| !x.iter().all(|c| c.is_finite())) {
            return Err(ShapeError::NotFinite { shape, index });
        }
        if let Some(facet) = facets.iter().position(|f| f.iter().any(|&v| v as usize >= vertices.len())) {
            return Err(ShapeError::NoVertex { facet, vertices: vertices.len() });
        }
        let mut mesh = Mesh { vertices, facets, normals: Vec::new(), order: Vec::new(), nodes: Vec::new() };
        let vertices = &mesh.vertices;
        mesh.facets.retain(|f| !is_sliver(vertices, f));
        if mesh.facets.is_empty() {
            return Err(ShapeError::Empty { shape });
        }
        mesh.normals = mesh.facets.iter().map(|f| face_normal(&mesh.vertices, f)).collect();
        mesh.order = (0..mesh.facets.len() as u32).collect();
        mesh.split(0, mesh.facets.len());
        Ok(mesh)
    }

    /// The vertices.
    pub fn vertices(&self) -> &[Vector<D>] {
        &self.vertices
    }

    /// The facets, by their vertices.
    pub fn facets(&self) -> &[[u32; D]] {
        &self.facets
    }

    /// Outward unit normals of the facets.
    pub fn normals(&self) -> &[Vector<D>] {
        &self.normals
    }

    /// The corners of a facet.
    pub fn corners(&self, facet: usize) -> [Vector<D>; D] {
        self.facets[facet].map(|v| self.vertices[v as usize])
    }

    /// The facets whose boxes meet a box in the axes of the mesh, in the order of their indices.
    pub fn near(&self, bounds: &Bounds<D>) -> Vec<u32> {
        let mut found = Vec::new();
        let mut open = vec![0];
        while let Some(k) = open.pop() {
            let node = &self.nodes[k];
            if !node.bounds.meets(bounds) {
                continue;
            }
            if node.second == 0 {
                let inside = &self.order[node.from as usize..node.to as usize];
                found.extend(
                    inside.iter().filter(|&&f| Bounds::of_points(self.corners(f as usize)).meets(bounds)),
                );
            } else {
                open.extend([k + 1, node.second as usize]);
            }
        }
        found.sort_unstable();
        found
    }

    /// Builds the tree over a part of the order, halved at the median along the longest side.
    fn split(&mut self, from: usize, to: usize) {
        let facets = &self.order[from..to];
        let bounds = Bounds::of_points(facets.iter().flat_map(|&f| self.corners(f as usize)));
        let k = self.nodes.len();
        self.nodes.push(Node { bounds, from: from as u32, to: to as u32, second: 0 });
        if to - from <= LEAF {
            return;
        }
        let axis = (bounds.high - bounds.low).imax();
        let key =
            |f: u32| self.facets[f as usize].map(|v| self.vertices[v as usize][axis]).iter().sum::<f64>();
        let mut order = std::mem::take(&mut self.order);
        order[from..to].sort_by(|&f, &g| key(f).total_cmp(&key(g)));
        self.order = order;
        let middle = from.midpoint(to);
        self.split(from, middle);
        self.nodes[k].second = self.nodes.len() as u32;
        self.split(middle, to);
    }

    pub(super) fn bounds(&self, pose: &Pose<D>) -> Bounds<D> {
        Bounds::of_points(self.vertices.iter().map(|v| pose.to_world(v)))
    }
}

impl Mesh<3> {
    /// From an OBJ or STL file.
    pub fn read(path: &Path) -> Result<Self, ShapeError> {
        let surface = files::read(path)?;
        Mesh::new(surface.points, surface.triangles)
    }
}

/// No area, or as good as none: its normal would be rounding.
fn is_sliver<const D: usize>(vertices: &[Vector<D>], facet: &[u32; D]) -> bool {
    let at = |k: usize| vertices[facet[k] as usize] - vertices[facet[0] as usize];
    let longest = (1..D).map(|k| at(k).norm()).fold(0.0, f64::max);
    if D == 2 { longest == 0.0 } else { super::cross(&at(1), &at(D - 1)).norm() <= 1e-14 * longest * longest }
}
