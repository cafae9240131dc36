//! Closest points of two polytopes that are apart, by their features: vertex and face, edge and edge. Exact, with no
//! iteration to end early.

use super::solid::Solid;
use crate::shape::cross;
use crate::space::{Dim, Space, Vector};

/// Which features are closest; a vertex is closest to whatever the other shape has there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Feature {
    /// A vertex of a.
    VertexOfA(u32),
    /// A vertex of b.
    VertexOfB(u32),
    /// An edge of each.
    Edges(u32, u32),
}

/// The closest points.
#[derive(Clone, Copy, Debug)]
pub struct Closest<const D: usize> {
    pub distance: f64,
    pub a: Vector<D>,
    pub b: Vector<D>,
    pub feature: Feature,
    /// The edges they are on if those are nearly parallel: then all along them they are about as close.
    pub parallel: Option<(u32, u32)>,
}

/// Edges at an angle with a smaller sine are parallel.
pub const PARALLEL: f64 = 1e-3;

/// The features that can be closest: those that come near enough to the plane between the shapes.
pub struct Near {
    pub vertices: [Vec<u32>; 2],
    pub edges: [Vec<u32>; 2],
}

impl Near {
    /// Features within a width of the extremes along a direction that points from a to b.
    pub fn new<const D: usize>(a: &Solid<D>, b: &Solid<D>, direction: &Vector<D>, width: f64) -> Near
    where
        Dim<D>: Space<D>,
    {
        let of = |solid: &Solid<D>, direction: &Vector<D>| {
            let limit = solid.lowest(direction).1 + width;
            let low: Vec<bool> = solid.vertices.iter().map(|v| v.dot(direction) <= limit).collect();
            let vertices = (0..low.len() as u32).filter(|&v| low[v as usize]).collect();
            let edges = (0u32..)
                .zip(&solid.topology.edges)
                .filter(|(_, edge)| edge.ends.iter().any(|&v| low[v as usize]))
                .map(|(e, _)| e)
                .collect();
            (vertices, edges)
        };
        let (p, q) = (of(a, &-direction), of(b, direction));
        Near { vertices: [p.0, q.0], edges: [p.1, q.1] }
    }
}

/// The closest points among the near features; none if there is none nearer than `reach`.
pub fn closest<const D: usize>(a: &Solid<D>, b: &Solid<D>, near: &Near, reach: f64) -> Option<Closest<D>>
where
    Dim<D>: Space<D>,
{
    let mut best: Option<Closest<D>> = None;
    let mut limit = reach;
    // a vertex is on many edges: of equally close ones, take those that are parallel
    let tie = 1e-12 * a.size.min(b.size);
    let mut offer = |found: Closest<D>, limit: &mut f64| {
        let parallel = best.is_some_and(|held| held.parallel.is_some());
        let room = match (found.parallel.is_some(), parallel) {
            (true, false) => tie,
            (false, true) => -tie,
            _ => 0.0,
        };
        if found.distance <= *limit + room {
            *limit = found.distance;
            best = Some(found);
        }
    };
    let parallel = None;
    for &v in &near.vertices[0] {
        if let Some((distance, foot)) = to_face(a.vertex(v), b, limit) {
            offer(
                Closest { distance, a: *a.vertex(v), b: foot, feature: Feature::VertexOfA(v), parallel },
                &mut limit,
            );
        }
    }
    for &v in &near.vertices[1] {
        if let Some((distance, foot)) = to_face(b.vertex(v), a, limit) {
            offer(
                Closest { distance, a: foot, b: *b.vertex(v), feature: Feature::VertexOfB(v), parallel },
                &mut limit,
            );
        }
    }
    if D == 2 {
        for &v in &near.vertices[0] {
            for &w in &near.vertices[1] {
                let (x, y) = (*a.vertex(v), *b.vertex(w));
                let distance = (y - x).norm();
                offer(Closest { distance, a: x, b: y, feature: Feature::VertexOfB(w), parallel }, &mut limit);
            }
        }
    }
    for &e in &near.edges[0] {
        let [p, q] = a.topology.edges[e as usize].ends;
        for &f in &near.edges[1] {
            let [r, s] = b.topology.edges[f as usize].ends;
            let (t, u) = segments([a.vertex(p), a.vertex(q)], [b.vertex(r), b.vertex(s)]);
            let x = a.vertex(p) + (a.vertex(q) - a.vertex(p)) * t;
            let y = b.vertex(r) + (b.vertex(s) - b.vertex(r)) * u;
            let feature = match (t, u) {
                (_, 0.0) => Feature::VertexOfB(r),
                (_, 1.0) => Feature::VertexOfB(s),
                (0.0, _) => Feature::VertexOfA(p),
                (1.0, _) => Feature::VertexOfA(q),
                _ => Feature::Edges(e, f),
            };
            let (d, g) = (a.vertex(q) - a.vertex(p), b.vertex(s) - b.vertex(r));
            let sine = cross(&d, &g).norm() / (d.norm() * g.norm());
            let parallel = (sine < PARALLEL).then_some((e, f));
            offer(Closest { distance: (y - x).norm(), a: x, b: y, feature, parallel }, &mut limit);
        }
    }
    best
}

/// Distance of a point outside to a face it lies over, and the foot point; none farther than a limit.
pub fn to_face<const D: usize>(x: &Vector<D>, solid: &Solid<D>, limit: f64) -> Option<(f64, Vector<D>)>
where
    Dim<D>: Space<D>,
{
    let mut best = None;
    let mut limit = limit;
    for face in 0..solid.normals.len() {
        let height = solid.height(face, x);
        if height > 0.0 && height <= limit && is_over(x, solid, face) {
            limit = height;
            best = Some((height, x - solid.normals[face] * height));
        }
    }
    best
}

/// The point is over a face: its foot point lies in it.
pub fn is_over<const D: usize>(x: &Vector<D>, solid: &Solid<D>, face: usize) -> bool
where
    Dim<D>: Space<D>,
{
    let corners = &solid.topology.faces[face].corners;
    if D == 2 {
        let (p, q) = (solid.vertex(corners[0]), solid.vertex(corners[1]));
        return (x - p).dot(&(q - p)) >= 0.0 && (x - q).dot(&(p - q)) >= 0.0;
    }
    (0..corners.len()).all(|k| {
        let (p, q) = (solid.vertex(corners[k]), solid.vertex(corners[(k + 1) % corners.len()]));
        cross(&(q - p), &solid.normals[face]).dot(&(x - p)) <= 0.0
    })
}

/// Where on two segments their closest points are, as parts of the way from start to end.
pub fn segments<const D: usize>([p, q]: [&Vector<D>; 2], [r, s]: [&Vector<D>; 2]) -> (f64, f64) {
    let (d, e, w) = (q - p, s - r, p - r);
    let (dd, ee, de) = (d.norm_squared(), e.norm_squared(), d.dot(&e));
    let (dw, ew) = (d.dot(&w), e.dot(&w));
    let determinant = dd * ee - de * de;
    let along = |t: f64| {
        let u = (de * t + ew) / ee;
        if (0.0..=1.0).contains(&u) {
            return (t, u);
        }
        let u = u.clamp(0.0, 1.0);
        (((de * u - dw) / dd).clamp(0.0, 1.0), u)
    };
    if determinant > 1e-14 * dd * ee {
        return along(((de * ew - ee * dw) / determinant).clamp(0.0, 1.0));
    }
    // parallel: the closest points are at an end
    let square = |(t, u): (f64, f64)| (w + d * t - e * u).norm_squared();
    let (first, last) = (along(0.0), along(1.0));
    if square(last) < square(first) { last } else { first }
}
