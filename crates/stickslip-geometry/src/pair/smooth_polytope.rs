//! A smooth convex body and a polygon or polyhedron: the body against the face, edge or vertex that is nearest.
//!
//! Against a face the normal is known; against an edge it is a common normal square to the edge, against a vertex one
//! with a point. A feature is the right one if the nearest point lies on it and the normal looks away from all that
//! meets there; if not, what is violated names the next feature to try.

use super::common_normal::Search;
use super::smooth::{RoundBody, Smooth};
use super::{Point, solid::Solid};
use crate::shape::cross;
use crate::space::{Dim, Space, Vector};

/// Most features on the way; then all are tried.
const WALK: usize = 12;
/// Angles smaller than this are none, and so are distances as a part of the size.
const TIE: f64 = 1e-10;

/// A feature of a solid.
#[derive(Clone, Copy, PartialEq)]
enum Feature {
    Face(usize),
    Edge(u32),
    Vertex(u32),
}

/// A direction, how far it parts the shapes, and the point of the body.
#[derive(Clone, Copy)]
struct Found<const D: usize> {
    normal: Vector<D>,
    gap: f64,
    a: Vector<D>,
}

/// The contact, from the body to the solid, both seen from one origin; none beyond the reach.
pub(super) fn contact<const D: usize>(body: &impl Smooth<D>, solid: &Solid<D>, reach: f64) -> Option<Point<D>>
where
    Dim<D>: Space<D>,
{
    let mut face = 0;
    let mut best = at_face(body, solid, 0);
    for f in 1..solid.normals.len() {
        let found = at_face(body, solid, f);
        if found.gap > best.gap + TIE * solid.size {
            (face, best) = (f, found);
        }
    }
    if best.gap > reach {
        return None;
    }

    let mut feature = Some(Feature::Face(face));
    for _ in 0..WALK {
        let Some(at) = feature else { break };
        let found = look(body, solid, at);
        if found.gap > best.gap {
            best = found;
        }
        feature = next(solid, at, &found);
    }
    if feature.is_some() {
        // ties, or a deep overlap: whatever parts them best
        let edges = (0..solid.topology.edges.len() as u32).map(Feature::Edge);
        let vertices = (0..solid.vertices.len() as u32).map(Feature::Vertex);
        for at in edges.chain(vertices) {
            let found = look(body, solid, at);
            if found.gap > best.gap {
                best = found;
            }
        }
    }
    let Found { normal, gap, a } = best;
    Some(Point { gap, normal, a, b: a + normal * gap, feature: 0 })
}

/// The contact with one face, if the point of the body that is nearest to it is over it.
pub(super) fn over_face<const D: usize>(
    body: &impl Smooth<D>,
    solid: &Solid<D>,
    face: usize,
) -> Option<Point<D>>
where
    Dim<D>: Space<D>,
{
    let normal = -solid.normals[face];
    let a = body.centre() + body.reach(&normal).s;
    let gap = solid.height(face, &a);
    let over = super::closest::is_over(&a, solid, face);
    over.then_some(Point { gap, normal, a, b: a + normal * gap, feature: 0 })
}

/// How far a direction parts the shapes.
fn width<const D: usize>(body: &impl Smooth<D>, solid: &Solid<D>, normal: &Vector<D>) -> f64
where
    Dim<D>: Space<D>,
{
    solid.lowest(normal).1 - body.centre().dot(normal) - body.reach(normal).h
}

fn at_face<const D: usize>(body: &impl Smooth<D>, solid: &Solid<D>, face: usize) -> Found<D>
where
    Dim<D>: Space<D>,
{
    let normal = -solid.normals[face];
    let a = body.centre() + body.reach(&normal).s;
    Found { normal, gap: solid.height(face, &a), a }
}

/// The common normal of the body and a feature, and how far it parts the shapes.
fn look<const D: usize>(body: &impl Smooth<D>, solid: &Solid<D>, feature: Feature) -> Found<D>
where
    Dim<D>: Space<D>,
{
    let (centre, axis) = match feature {
        Feature::Face(face) => return at_face(body, solid, face),
        Feature::Edge(edge) => {
            let [p, q] = solid.topology.edges[edge as usize].ends.map(|v| solid.vertex(v));
            (*p, Some((q - p).normalize()))
        }
        Feature::Vertex(v) => (*solid.vertex(v), None),
    };
    let common = Search::new(body, &RoundBody { centre, radius: 0.0 }, axis).nearest();
    Found { normal: common.normal, gap: width(body, solid, &common.normal), a: common.a }
}

/// The feature to try next; none if this is the right one.
fn next<const D: usize>(solid: &Solid<D>, feature: Feature, found: &Found<D>) -> Option<Feature>
where
    Dim<D>: Space<D>,
{
    let topology = solid.topology;
    let mut worst = (TIE, None);
    let mut offer = |violated: f64, to: Feature| {
        if violated > worst.0 {
            worst = (violated, Some(to));
        }
    };
    let n = &found.normal;
    match feature {
        // beyond a side
        Feature::Face(face) => {
            let corners = &topology.faces[face].corners;
            for k in 0..corners.len() {
                let (p, q) = (solid.vertex(corners[k]), solid.vertex(corners[(k + 1) % corners.len()]));
                let outward = if D == 2 { p - q } else { cross(&(q - p), &solid.normals[face]) };
                let to = if D == 2 {
                    Feature::Vertex(corners[k])
                } else {
                    Feature::Edge(topology.faces[face].sides[k])
                };
                offer((found.a - p).dot(&outward) / (outward.norm() * solid.size), to);
            }
        }
        // beyond an end, or above a face
        Feature::Edge(edge) => {
            let edge = &topology.edges[edge as usize];
            let [p, q] = edge.ends.map(|v| solid.vertex(v));
            let along = (q - p).normalize();
            offer((p - found.a).dot(&along) / solid.size, Feature::Vertex(edge.ends[0]));
            offer((found.a - q).dot(&along) / solid.size, Feature::Vertex(edge.ends[1]));
            for (face, along) in edge.faces.into_iter().zip([along, -along]) {
                let inward = cross(&solid.normals[face as usize], &along);
                offer(-n.dot(&inward), Feature::Face(face as usize));
            }
        }
        // above an edge, or, in the plane, a side
        Feature::Vertex(v) => {
            for &face in &topology.around[v as usize] {
                let loops = &topology.faces[face as usize];
                for k in 0..loops.corners.len() {
                    let (p, q) = (loops.corners[k], loops.corners[(k + 1) % loops.corners.len()]);
                    let Some(other) = [(p, q), (q, p)].into_iter().find(|ends| ends.0 == v) else { continue };
                    let inward = (solid.vertex(other.1) - solid.vertex(v)).normalize();
                    let to =
                        if D == 2 { Feature::Face(face as usize) } else { Feature::Edge(loops.sides[k]) };
                    offer(-n.dot(&inward), to);
                }
            }
        }
    }
    worst.1
}
