//! Two convex polygons or polyhedra: separating axes, and the overlap of the two faces that meet.
//!
//! ```text
//! s(n) = min over b of n·x − max over a of n·x      separation along n
//! s*   = max over n of s(n)                         the signed gap of the shapes
//! ```
//!
//! The maximum is reached along the normal of a face of a, of a face of b, or across an edge of each; shapes that are
//! apart may also be closest at their vertices, where no face tells the normal. Where faces meet, the contacts are the
//! corners of the overlap of the faces, each with its own gap along the normal of the face of reference; where edges run
//! side by side, both ends of what they share; everywhere else the one point where the shapes are closest.
//!
//! Walls are full of ties: faces of a against faces of b, and edges that run along both. They are broken towards faces,
//! and towards those of a, by more than rounding, so that the choice stays the same from step to step.
//!
//! A brick that slides on a course comes to the next brick of it, which it is above to rounding: apart along the course, in
//! line across it. There it has no contact yet; one along the course would stop it at a step that is not there.

use super::Point;
use super::clip::{Corner, clip};
use super::closest::{Closest, Feature, Near, PARALLEL, closest, segments};
use super::reduce::reduce;
use super::solid::Solid;
use crate::shape::cross;
use crate::space::{Dim, Space, Vector};
use std::cell::LazyCell;

/// Ties within this part of the gap, and of the size, are no better.
const BETTER: (f64, f64) = (1e-6, 1e-9);
/// Faces at a smaller angle than this lie flat on each other: the gap along one normal is that along the other, to
/// half the square of it.
const FLAT: f64 = 1e-2;
/// What flat faces may lose of the gap.
const BETTER_FLAT: (f64, f64) = (FLAT * FLAT, 1e-9);

/// Planes of faces are in line with the other shape within this part of the size.
const IN_LINE: f64 = 1e-7;
/// Planes at a smaller cosine than this cross.
const CROSS: f64 = 0.5;

/// A way to separate the shapes by the plane of a face.
struct Axis {
    face: usize,
    separation: f64,
    /// the vertex of the other shape that is lowest over the face
    vertex: u32,
}

/// A way to separate the shapes by a plane along two edges.
struct EdgeAxis<const D: usize> {
    edges: (u32, u32),
    separation: f64,
    normal: Vector<D>,
    /// the edges, if they are nearly parallel
    parallel: Option<(u32, u32)>,
}

/// The contact points of two solids seen from an origin.
pub fn contacts<const D: usize>(
    a: &Solid<D>,
    b: &Solid<D>,
    origin: &Vector<D>,
    reach: f64,
    out: &mut Vec<Point<D>>,
) where
    Dim<D>: Space<D>,
{
    let first = out.len();
    let size = a.size.min(b.size);
    // most pairs that are not in touch are told apart along the way between their middles
    let way = b.x - a.x;
    if b.lowest(&way).1 + a.lowest(&-way).1 > reach * way.norm() {
        return;
    }
    let (Some(of_a), Some(of_b)) = (best_face(a, b, size, reach), best_face(b, a, size, reach)) else {
        return;
    };

    // the overlaps of the faces that meet, with the face of reference on a or on b
    let over_a = Overlap::new(a, b, &of_a, size);
    let over_b = LazyCell::new(|| Overlap::new(b, a, &of_b, size));
    let settled = |best: &Best<D>| {
        if over_a.tells(&of_a, best, 1.0, size) {
            Some((&over_a, true))
        } else if over_b.tells(&of_b, best, -1.0, size) {
            Some((&*over_b, false))
        } else {
            None
        }
    };

    let mut best = Best { gap: of_a.separation, normal: a.normals[of_a.face] };
    if better(of_b.separation, of_a.separation, size) {
        best = Best { gap: of_b.separation, normal: -b.normals[of_b.face] };
    }
    if best.gap > IN_LINE * size
        && (is_in_line(a, b, &best.normal, size) || is_in_line(b, a, &best.normal, size))
    {
        return;
    }
    // apart, faces separate by at most the distance and the overlap is at least that far: if they agree, or if the
    // faces lie flat on each other, edges have no say
    let mut chosen = None;
    if best.gap > 0.0 || over_a.flat || over_b.flat {
        chosen = settled(&best);
    }
    let mut points = Vec::new();
    if chosen.is_none() {
        // the points that touch are at most this far apart, so that their features come near the plane between
        let width = reach.max(best.gap.abs()) - best.gap;
        let near = Near::new(a, b, &best.normal, width + BETTER.1 * size);
        points.push(if best.gap == of_a.separation {
            lowest(a, b, &of_a, true)
        } else {
            lowest(b, a, &of_b, false)
        });
        if let Some(edges) = best_edges(a, b, &near, size)
            && better(edges.separation, best.gap, size)
        {
            best = Best { gap: edges.separation, normal: edges.normal };
            points = along_edges(a, b, edges.parallel, Some(edges.normal))
                .unwrap_or_else(|| vec![cross_edges(a, b, &edges)]);
        }
        if best.gap > reach {
            return;
        }
        if best.gap > 0.0 {
            let Some(found) = closest(a, b, &near, reach) else { return };
            if let Some(point) = of_closest(a, b, &found) {
                best = Best { gap: point.gap, normal: point.normal };
                points = along_edges(a, b, found.parallel, None).unwrap_or_else(|| vec![point]);
            }
        }
        chosen = settled(&best);
    }
    match chosen {
        Some((overlap, on_a)) => {
            overlap.points(on_a, reach, out);
            reduce(out, first, size);
        }
        None => out.extend(points.into_iter().filter(|p| p.gap <= reach)),
    }
    for point in &mut out[first..] {
        point.a += origin;
        point.b += origin;
    }
}

/// The contacts of a with one face of b, whatever other planes part them better.
pub fn over_face<const D: usize>(
    a: &Solid<D>,
    b: &Solid<D>,
    face: usize,
    origin: &Vector<D>,
    reach: f64,
    out: &mut Vec<Point<D>>,
) where
    Dim<D>: Space<D>,
{
    let first = out.len();
    let size = a.size.min(b.size);
    let (vertex, _) = a.lowest(&b.normals[face]);
    let axis = Axis { face, separation: b.height(face, a.vertex(vertex)), vertex };
    Overlap::new(b, a, &axis, size).points(false, reach, out);
    reduce(out, first, size);
    for point in &mut out[first..] {
        point.a += origin;
        point.b += origin;
    }
}

/// The best plane between the shapes found so far.
struct Best<const D: usize> {
    gap: f64,
    normal: Vector<D>,
}

/// One separation is larger than another by more than a tie.
fn better(found: f64, held: f64, size: f64) -> bool {
    found > held + BETTER.0 * held.abs() + BETTER.1 * size
}

/// The face of a that separates best; none if it separates by more than the reach.
fn best_face<const D: usize>(a: &Solid<D>, b: &Solid<D>, size: f64, reach: f64) -> Option<Axis>
where
    Dim<D>: Space<D>,
{
    let mut best = Axis { face: 0, separation: f64::NEG_INFINITY, vertex: 0 };
    // bricks that meet at their edges are parted along the last axis as a rule, the height, and not along the course
    for (face, normal) in a.normals.iter().enumerate().rev() {
        let (vertex, low) = b.lowest(normal);
        let separation = low - a.corner(face).dot(normal);
        if separation > reach {
            return None;
        }
        if better(separation, best.separation, size) || best.separation == f64::NEG_INFINITY {
            best = Axis { face, separation, vertex };
        }
    }
    // the heights over the best face once more, without the rounding of large coordinates
    best.separation = a.height(best.face, b.vertex(best.vertex));
    Some(best)
}

/// Whether b, apart from a along a normal, only touches the plane of a face of a across it.
fn is_in_line<const D: usize>(a: &Solid<D>, b: &Solid<D>, apart: &Vector<D>, size: f64) -> bool
where
    Dim<D>: Space<D>,
{
    a.normals.iter().enumerate().any(|(face, normal)| {
        normal.dot(apart).abs() < CROSS && {
            let (vertex, _) = b.lowest(normal);
            a.height(face, b.vertex(vertex)).abs() <= IN_LINE * size
        }
    })
}

/// The pair of edges that separates best, among those whose planes touch both shapes.
fn best_edges<const D: usize>(a: &Solid<D>, b: &Solid<D>, near: &Near, size: f64) -> Option<EdgeAxis<D>>
where
    Dim<D>: Space<D>,
{
    let mut best: Option<EdgeAxis<D>> = None;
    for &e in &near.edges[0] {
        let edge = &a.topology.edges[e as usize];
        let [m, n] = edge.faces.map(|f| a.normals[f as usize]);
        let [p, q] = edge.ends.map(|v| a.vertex(v));
        let along = q - p;
        for &f in &near.edges[1] {
            let other = &b.topology.edges[f as usize];
            let [r, s] = other.faces.map(|f| -b.normals[f as usize]);
            let [t, u] = other.ends.map(|v| b.vertex(v));
            let way = u - t;
            // the normals of planes that touch an edge form an arc; a plane that touches both is where arcs cross
            let (cm, cn) = (m.dot(&way), n.dot(&way));
            let (cr, cs) = (r.dot(&along), s.dot(&along));
            if cm * cn > 0.0 || cr * cs > 0.0 {
                continue;
            }
            let normal = cross(&along, &way);
            let length = normal.norm();
            let sine = length / (along.norm() * way.norm());
            if sine <= 1e-9 {
                continue;
            }
            let mut normal = normal / length;
            if normal.dot(&(m + n)) < 0.0 {
                normal = -normal;
            }
            // on the same side of the sphere
            if normal.dot(&(r + s)) <= 0.0 {
                continue;
            }
            let separation = (t - p).dot(&normal);
            if best.as_ref().is_none_or(|held| better(separation, held.separation, size)) {
                let parallel = (sine < PARALLEL).then_some((e, f));
                best = Some(EdgeAxis { edges: (e, f), separation, normal, parallel });
            }
        }
    }
    best
}

/// The face of reference and the part of the face it meets that lies over it.
struct Overlap<'a, const D: usize> {
    reference: &'a Solid<'a, D>,
    face: usize,
    corners: Vec<(Vector<D>, Corner)>,
    flat: bool,
    /// least height of a corner over the face
    lowest: f64,
}

impl<'a, const D: usize> Overlap<'a, D>
where
    Dim<D>: Space<D>,
{
    fn new(reference: &'a Solid<D>, other: &Solid<D>, axis: &Axis, size: f64) -> Self {
        let normal = &reference.normals[axis.face];
        // of the faces around the lowest vertex, the one that looks most towards the face of reference
        let mut meets = (0, f64::INFINITY);
        for &face in &other.topology.around[axis.vertex as usize] {
            let along = other.normals[face as usize].dot(normal);
            if along < meets.1 - 1e-9 {
                meets = (face as usize, along);
            }
        }
        let corners = clip((reference, axis.face), (other, meets.0), size);
        let lowest =
            corners.iter().map(|(x, _)| reference.height(axis.face, x)).fold(f64::INFINITY, f64::min);
        let flat = (normal + other.normals[meets.0]).norm() < FLAT;
        Overlap { reference, face: axis.face, corners, flat, lowest }
    }

    /// The overlap has the gap of the best plane, to within a tie; `sign` is 1 if the face of reference is on a.
    fn tells(&self, axis: &Axis, best: &Best<D>, sign: f64, size: f64) -> bool {
        // a plane that hardly differs from the face is the face for all that lies over it, even if the face separates
        // worse because of what hangs over
        let flat = (self.reference.normals[self.face] * sign - best.normal).norm() < FLAT;
        let (part, whole) = if flat { BETTER_FLAT } else { BETTER };
        let tie = part * best.gap.abs() + whole * size;
        (flat || axis.separation >= best.gap - tie) && (self.lowest - best.gap).abs() <= tie
    }

    fn points(&self, on_a: bool, reach: f64, out: &mut Vec<Point<D>>) {
        let outward = self.reference.normals[self.face];
        for (x, corner) in &self.corners {
            let gap = self.reference.height(self.face, x);
            if gap > reach {
                continue;
            }
            let feature = match *corner {
                Corner::Reference(v) => of_vertex(v, on_a),
                Corner::Other(v) => of_vertex(v, !on_a),
                Corner::Crossing(e, f) if on_a => of_edges(e, f),
                Corner::Crossing(e, f) => of_edges(f, e),
            };
            let (own, foot) = (*x, x - outward * gap);
            out.push(if on_a {
                Point { gap, normal: outward, a: foot, b: own, feature }
            } else {
                Point { gap, normal: -outward, a: own, b: foot, feature }
            });
        }
    }
}

/// The lowest vertex over a face, where the overlap of faces says nothing.
fn lowest<const D: usize>(reference: &Solid<D>, other: &Solid<D>, axis: &Axis, on_a: bool) -> Point<D>
where
    Dim<D>: Space<D>,
{
    let (gap, normal) = (axis.separation, reference.normals[axis.face]);
    let b = *other.vertex(axis.vertex);
    let point = Point { gap, normal, a: b - normal * gap, b, feature: of_vertex(axis.vertex, !on_a) };
    if on_a { point } else { point.flipped() }
}

/// Two edges that cross.
fn cross_edges<const D: usize>(a: &Solid<D>, b: &Solid<D>, axis: &EdgeAxis<D>) -> Point<D>
where
    Dim<D>: Space<D>,
{
    let (e, f) = axis.edges;
    let [p, q] = a.topology.edges[e as usize].ends.map(|v| a.vertex(v));
    let [r, s] = b.topology.edges[f as usize].ends.map(|v| b.vertex(v));
    let (t, _) = segments([p, q], [r, s]);
    let x = p + (q - p) * t;
    let (gap, normal) = (axis.separation, axis.normal);
    Point { gap, normal, a: x, b: x + normal * gap, feature: of_edges(e, f) }
}

/// The closest points of shapes that are apart; none if they are so close that the way between tells no normal.
fn of_closest<const D: usize>(a: &Solid<D>, b: &Solid<D>, found: &Closest<D>) -> Option<Point<D>>
where
    Dim<D>: Space<D>,
{
    let way = found.b - found.a;
    if let Feature::Edges(e, f) = found.feature {
        // the common perpendicular is known better from the edges than from the short way between
        let along = |solid: &Solid<D>, edge: u32| {
            let [p, q] = solid.topology.edges[edge as usize].ends;
            solid.vertex(q) - solid.vertex(p)
        };
        let (d, g) = (along(a, e), along(b, f));
        let across = cross(&d, &g);
        let length = across.norm();
        if length * a.size.min(b.size) > found.distance * d.norm() * g.norm() {
            let normal = across * (way.dot(&across).signum() / length);
            let axis = EdgeAxis { edges: (e, f), separation: way.dot(&normal), normal, parallel: None };
            return Some(cross_edges(a, b, &axis));
        }
    }
    let feature = match found.feature {
        Feature::VertexOfA(v) => of_vertex(v, true),
        Feature::VertexOfB(v) => of_vertex(v, false),
        Feature::Edges(e, f) => of_edges(e, f),
    };
    let (gap, normal) = (found.distance, way / found.distance);
    let apart = gap > BETTER.1 * a.size.min(b.size);
    apart.then_some(Point { gap, normal, a: found.a, b: found.b, feature })
}

/// Edges that run side by side: both ends of what they share, as two cards have that lean tip to tip.
/// Their gaps are along a normal, or else the way between.
fn along_edges<const D: usize>(
    a: &Solid<D>,
    b: &Solid<D>,
    parallel: Option<(u32, u32)>,
    normal: Option<Vector<D>>,
) -> Option<Vec<Point<D>>>
where
    Dim<D>: Space<D>,
{
    let (e, f) = parallel?;
    let [p, q] = a.topology.edges[e as usize].ends;
    let mut other = b.topology.edges[f as usize].ends;
    let way = a.vertex(q) - a.vertex(p);
    let length = way.norm();
    let u = way / length;
    let place = |v: u32| (b.vertex(v) - a.vertex(p)).dot(&u);
    if place(other[0]) > place(other[1]) {
        other.reverse();
    }
    let [r, s] = other;
    // where along a's edge both are
    let (low, low_feature) =
        if place(r) > 0.0 { (place(r), of_vertex(r, false)) } else { (0.0, of_vertex(p, true)) };
    let (high, high_feature) =
        if place(s) < length { (place(s), of_vertex(s, false)) } else { (length, of_vertex(q, true)) };
    if high - low <= 1e-6 * length {
        return None;
    }
    let ends = [(low, low_feature), (high, high_feature)].map(|(t, feature)| {
        let x = a.vertex(p) + u * t;
        let y = b.vertex(r) + (b.vertex(s) - b.vertex(r)) * ((t - place(r)) / (place(s) - place(r)));
        let normal = normal.unwrap_or_else(|| (y - x).normalize());
        let gap = (y - x).dot(&normal);
        Point { gap, normal, a: x, b: x + normal * gap, feature }
    });
    Some(ends.to_vec())
}

/// Feature of a vertex of a or b against whatever it meets.
fn of_vertex(vertex: u32, of_a: bool) -> u32 {
    vertex << 2 | u32::from(!of_a)
}

/// Feature of an edge of a that crosses one of b.
fn of_edges(a: u32, b: u32) -> u32 {
    (a.wrapping_mul(65521).wrapping_add(b)) << 2 | 2
}
