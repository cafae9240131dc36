//! How the faces, edges and vertices of a convex polygon or polyhedron hang together.
//!
//! A face is a loop of vertices: the two ends of a side in the plane, a polygon in space, counterclockwise seen from
//! outside. Edges are those of a polyhedron; a polygon has none besides its faces.

use std::collections::HashMap;

/// A face.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// Its vertices in order.
    pub corners: Vec<u32>,
    /// The edge from each corner to the next; empty in the plane.
    pub sides: Vec<u32>,
}

/// An edge of a polyhedron.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// Its two vertices.
    pub ends: [u32; 2],
    /// The two faces that meet in it.
    pub faces: [u32; 2],
}

/// Faces, edges and vertices by their indices.
#[derive(Clone, Debug, PartialEq)]
pub struct Topology {
    /// The faces.
    pub faces: Vec<Face>,
    /// The edges.
    pub edges: Vec<Edge>,
    /// The faces around each vertex.
    pub around: Vec<Vec<u32>>,
}

impl Topology {
    /// From the loops of the faces; none if they do not close a surface.
    pub(crate) fn new(loops: Vec<Vec<u32>>, vertices: usize) -> Option<Topology> {
        let mut around = vec![Vec::new(); vertices];
        for (f, corners) in loops.iter().enumerate() {
            for &v in corners {
                around.get_mut(v as usize)?.push(f as u32);
            }
        }
        let planar = loops.iter().all(|corners| corners.len() == 2);
        if planar {
            let closed = around.iter().all(|faces| faces.len() == 2);
            let faces = loops.into_iter().map(|corners| Face { corners, sides: Vec::new() }).collect();
            return closed.then_some(Topology { faces, edges: Vec::new(), around });
        }

        // the loops of two neighbours run along their edge in opposite directions
        let mut sides = HashMap::new();
        for (f, corners) in loops.iter().enumerate() {
            for k in 0..corners.len() {
                let next = corners[(k + 1) % corners.len()];
                if sides.insert((corners[k], next), f as u32).is_some() {
                    return None;
                }
            }
        }
        let mut edges = Vec::new();
        let mut index = HashMap::new();
        let mut faces = Vec::with_capacity(loops.len());
        for (f, corners) in loops.into_iter().enumerate() {
            let mut along = Vec::with_capacity(corners.len());
            for k in 0..corners.len() {
                let (p, q) = (corners[k], corners[(k + 1) % corners.len()]);
                let other = *sides.get(&(q, p))?;
                let edge = *index.entry((p.min(q), p.max(q))).or_insert_with(|| {
                    edges.push(Edge { ends: [p, q], faces: [f as u32, other] });
                    edges.len() as u32 - 1
                });
                along.push(edge);
            }
            faces.push(Face { corners, sides: along });
        }
        let used = around.iter().filter(|faces| !faces.is_empty()).count();
        // Euler: one closed surface without holes
        let closed = used == vertices && vertices + faces.len() == edges.len() + 2;
        closed.then_some(Topology { faces, edges, around })
    }
}
