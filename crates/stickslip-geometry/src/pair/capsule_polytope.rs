//! A capsule and a polygon or polyhedron: the axis of the capsule against the solid, less the radius.
//!
//! ```text
//! s(n) = min over the solid of n·x − max over the axis of n·x      separation along n
//! ```
//!
//! It is largest along the normal of a face, or square to the axis and to an edge (in the plane: square to the axis,
//! against a vertex). Where they are apart, an end of the axis may also be closest to an edge or a vertex. All of these
//! are closed forms. Where the capsule lies along a face or an edge there are two points, at the ends of the stretch
//! they share.

use super::capsule_capsule::{NEAREST, SHARED, SIDE_BY_SIDE, between, nearest_parameters};
use super::{Point, ball_polytope, rod::Rod, solid::Solid};
use crate::shape::cross;
use crate::space::{Dim, Space, Vector};

/// Ties within this part of the size go to faces first, then to edges.
const TIE: f64 = 1e-12;
/// Gaps of two ways to see one contact agree to this part of the size.
const AGREE: f64 = 1e-9;

/// Where the axis and the solid are nearest, or overlap least.
struct Nearest<const D: usize> {
    /// Without the radius.
    gap: f64,
    /// From the axis to the solid.
    normal: Vector<D>,
    /// Where on the axis, in [-1, 1].
    place: f64,
    /// The edge that is nearest, if it is one.
    edge: Option<u32>,
}

/// Appends the contacts, from the capsule to the solid, both seen from one origin. Features are those of two capsules.
pub(super) fn contacts<const D: usize>(rod: &Rod<D>, solid: &Solid<D>, reach: f64, out: &mut Vec<Point<D>>)
where
    Dim<D>: Space<D>,
{
    let Some(nearest) = nearest(rod, solid, reach + rod.radius) else { return };
    let first = out.len();
    if along_face(rod, solid, &nearest, out) || along_edge(rod, solid, &nearest, out) {
        // nothing that was left out is deeper
        let least = out[first..].iter().map(|p| p.gap).fold(f64::INFINITY, f64::min);
        if (least - (nearest.gap - rod.radius)).abs() <= AGREE * solid.size {
            return;
        }
    }
    out.truncate(first);
    let feature = match nearest.place {
        1.0 => SHARED,
        -1.0 => SHARED + 1,
        _ => NEAREST,
    };
    out.push(touch(rod, nearest.place, nearest.normal, nearest.gap, feature));
}

/// The contact at a place on the axis, from the gap without the radius.
fn touch<const D: usize>(rod: &Rod<D>, place: f64, normal: Vector<D>, gap: f64, feature: u32) -> Point<D> {
    let gap = gap - rod.radius;
    let a = rod.at(place) + normal * rod.radius;
    Point { gap, normal, a, b: a + normal * gap, feature }
}

/// The best plane between them, or, where they are apart, the nearest points; none beyond the reach.
fn nearest<const D: usize>(rod: &Rod<D>, solid: &Solid<D>, reach: f64) -> Option<Nearest<D>>
where
    Dim<D>: Space<D>,
{
    let tie = TIE * solid.size;
    let ends = [rod.at(1.0), rod.at(-1.0)];
    let mut best = Nearest { gap: f64::NEG_INFINITY, normal: Vector::zeros(), place: 0.0, edge: None };
    for (face, normal) in solid.normals.iter().enumerate() {
        let heights = ends.map(|end| solid.height(face, &end));
        let gap = heights[0].min(heights[1]);
        if gap > reach {
            return None;
        }
        if gap > best.gap + tie {
            let place = if heights[0] <= heights[1] { 1.0 } else { -1.0 };
            best = Nearest { gap, normal: -normal, place, edge: None };
        }
    }

    // planes along the axis that touch an edge or, in the plane, a vertex: the axis crosses from one of its faces to
    // the other
    let mut offer = |faces: [u32; 2], p: &Vector<D>, normal: Vector<D>, place: f64, edge: Option<u32>| {
        let [m, n] = faces.map(|f| solid.normals[f as usize]);
        if m.dot(&rod.arm) * n.dot(&rod.arm) > 0.0 {
            return;
        }
        let normal = if normal.dot(&(m + n)) > 0.0 { -normal } else { normal };
        let gap = normal.dot(&(p - rod.x));
        if gap > best.gap + tie {
            best = Nearest { gap, normal, place, edge };
        }
    };
    if D == 2
        && let Some(normal) = aside(&rod.arm, None)
    {
        for (v, faces) in solid.vertices.iter().zip(&solid.topology.around) {
            offer([faces[0], faces[1]], v, normal, rod.nearest(v), None);
        }
    }
    for (e, edge) in solid.topology.edges.iter().enumerate() {
        let [p, q] = edge.ends.map(|v| solid.vertex(v));
        if let Some(normal) = aside(&rod.arm, Some(&(q - p))) {
            let place = nearest_parameters(rod, &Rod::from_to(p, q)).0;
            offer(edge.faces, p, normal, place, Some(e as u32));
        }
    }
    if best.gap <= AGREE * solid.size {
        return (best.gap <= reach && best.gap.is_finite()).then_some(best);
    }

    // apart: the nearest points, unless a plane parts them as far
    let mut closest = Nearest { gap: f64::INFINITY, ..best };
    for (place, end) in [(1.0, ends[0]), (-1.0, ends[1])] {
        let (gap, outward) = ball_polytope::nearest(&end, solid);
        if gap < closest.gap {
            closest = Nearest { gap, normal: -outward, place, edge: None };
        }
    }
    let mut offer = |place: f64, y: &Vector<D>, edge: Option<u32>| {
        let way = y - rod.at(place);
        let gap = way.norm();
        if gap < closest.gap + tie {
            closest = Nearest { gap, normal: way / gap, place, edge };
        }
    };
    if D == 2 {
        solid.vertices.iter().for_each(|v| offer(rod.nearest(v), v, None));
    }
    for (e, edge) in solid.topology.edges.iter().enumerate() {
        let [p, q] = edge.ends.map(|v| solid.vertex(v));
        let side = Rod::from_to(p, q);
        let (s, t) = nearest_parameters(rod, &side);
        offer(s, &side.at(t), Some(e as u32));
    }
    let parted = closest.gap <= best.gap * (1.0 + 1e-13);
    let found = if parted { best } else { closest };
    (found.gap <= reach).then_some(found)
}

/// The unit normal of the plane along an axis and an edge, or in the plane, of the line along the axis.
fn aside<const D: usize>(arm: &Vector<D>, edge: Option<&Vector<D>>) -> Option<Vector<D>> {
    let (normal, size) = match edge {
        Some(edge) => (cross(arm, edge), arm.norm() * edge.norm()),
        None => (Vector::from_fn(|k, _| if k == 0 { -arm[1] } else { arm[0] }), arm.norm()),
    };
    normal.try_normalize(1e-9 * size)
}

/// A part of the axis, and the sides of a face that cut it off.
struct Stretch {
    low: (f64, Option<usize>),
    high: (f64, Option<usize>),
}

/// The part of the axis over a face.
fn over<const D: usize>(rod: &Rod<D>, solid: &Solid<D>, face: usize) -> Option<Stretch>
where
    Dim<D>: Space<D>,
{
    let corners = &solid.topology.faces[face].corners;
    let mut stretch = Stretch { low: (-1.0, None), high: (1.0, None) };
    for k in 0..corners.len() {
        let (p, q) = (solid.vertex(corners[k]), solid.vertex(corners[(k + 1) % corners.len()]));
        let outward = if D == 2 { p - q } else { cross(&(q - p), &solid.normals[face]) };
        let (beyond, rate) = ((rod.x - p).dot(&outward), rod.arm.dot(&outward));
        let cut = -beyond / rate;
        if rate > 0.0 && cut < stretch.high.0 {
            stretch.high = (cut, Some(k));
        } else if rate < 0.0 && cut > stretch.low.0 {
            stretch.low = (cut, Some(k));
        } else if rate == 0.0 && beyond > 0.0 {
            return None;
        }
    }
    (stretch.high.0 - stretch.low.0 > 1e-6).then_some(stretch)
}

/// Appends both ends of the stretch where the capsule lies on a face: an end of the capsule over the face, or its side
/// over a side of the face.
fn along_face<const D: usize>(
    rod: &Rod<D>,
    solid: &Solid<D>,
    nearest: &Nearest<D>,
    out: &mut Vec<Point<D>>,
) -> bool
where
    Dim<D>: Space<D>,
{
    let mut faces = (0, f64::INFINITY);
    for (face, normal) in solid.normals.iter().enumerate() {
        let along = normal.dot(&nearest.normal);
        if along < faces.1 {
            faces = (face, along);
        }
    }
    let face = faces.0;
    let up = solid.normals[face];
    if (up + nearest.normal).norm() > SIDE_BY_SIDE || up.dot(&rod.arm).abs() > SIDE_BY_SIDE * rod.arm.norm() {
        return false;
    }
    let Some(stretch) = over(rod, solid, face) else { return false };
    let corners = &solid.topology.faces[face].corners;
    for ((place, cut), feature) in [(stretch.high, SHARED), (stretch.low, SHARED + 1)] {
        let side = cut.map(|k| {
            let (p, q) = (solid.vertex(corners[k]), solid.vertex(corners[(k + 1) % corners.len()]));
            (p, (D == 3).then(|| q - p))
        });
        let square = side.and_then(|(p, along)| Some((p, along, aside(&rod.arm, along.as_ref())?)));
        out.push(match square {
            Some((p, along, normal)) if normal.dot(&up).abs() > 0.9 => {
                let normal = if normal.dot(&up) > 0.0 { -normal } else { normal };
                let place = match along {
                    Some(along) => nearest_parameters(rod, &Rod::from_to(p, &(p + along))).0,
                    None => rod.nearest(p),
                };
                touch(rod, place, normal, normal.dot(&(p - rod.x)), feature)
            }
            _ => touch(rod, place, -up, solid.height(face, &rod.at(place)), feature),
        });
    }
    true
}

/// Appends the points where the capsule lies along an edge.
fn along_edge<const D: usize>(
    rod: &Rod<D>,
    solid: &Solid<D>,
    nearest: &Nearest<D>,
    out: &mut Vec<Point<D>>,
) -> bool
where
    Dim<D>: Space<D>,
{
    let Some(edge) = nearest.edge.filter(|_| nearest.gap > AGREE * solid.size) else { return false };
    let [p, q] = solid.topology.edges[edge as usize].ends.map(|v| solid.vertex(v));
    let first = out.len();
    out.extend(between(rod, &Rod::from_to(p, q)));
    out.len() - first > 1
}

/// Appends the contacts with one face, whatever other planes part them better.
pub(super) fn over_face<const D: usize>(rod: &Rod<D>, solid: &Solid<D>, face: usize, out: &mut Vec<Point<D>>)
where
    Dim<D>: Space<D>,
{
    let Some(stretch) = over(rod, solid, face) else { return };
    let up = solid.normals[face];
    let rise = up.dot(&rod.arm) / rod.arm.norm();
    for ((place, _), feature, side) in [(stretch.high, SHARED, 1.0), (stretch.low, SHARED + 1, -1.0)] {
        // of a steep one the lower end only
        if side * rise <= SIDE_BY_SIDE {
            out.push(touch(rod, place, -up, solid.height(face, &rod.at(place)), feature));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{Capsule, Cuboid};
    use crate::space::Pose;

    fn on_box<const D: usize>(capsule: Capsule, at: &Pose<D>, half: [f64; D]) -> Vec<Point<D>>
    where
        Dim<D>: Space<D>,
    {
        let cuboid = Cuboid::new(Vector::from(half));
        let solid = Solid::cuboid(&cuboid, &Pose::identity(), &Vector::zeros());
        let mut out = Vec::new();
        contacts(&Rod::new(&capsule, at), &solid, f64::INFINITY, &mut out);
        out
    }

    #[test]
    fn a_capsule_lies_on_a_box_with_both_ends() {
        let capsule = Capsule { half_length: 0.5, radius: 0.25 };
        for gap in [0.1, 0.0, -1e-3, -0.2, -0.3] {
            let points = on_box(capsule, &Pose::<3>::at(Vector::<3>::new(0.2, 0.1, 1.25 + gap)), [1.0; 3]);
            assert_eq!(points.len(), 2, "{gap}");
            for (p, x) in points.iter().zip([0.7, -0.3]) {
                assert!((p.gap - gap).abs() < 1e-14 && (p.normal + Vector::<3>::z()).norm() < 1e-15);
                assert!((p.a - Vector::<3>::new(x, 0.1, 1.0 + gap)).norm() < 1e-14);
            }
            assert_eq!((points[0].feature, points[1].feature), (1, 2));
        }
    }

    #[test]
    fn a_long_capsule_lies_on_the_ends_of_a_short_face() {
        let capsule = Capsule { half_length: 3.0, radius: 0.25 };
        for angle in [0.0, 0.03, -0.03] {
            let at = Pose::<2>::turned(Vector::<2>::new(0.2, 1.25), angle);
            let points = on_box(capsule, &at, [1.0, 1.0]);
            assert_eq!(points.len(), 2);
            for (p, x) in points.iter().zip([1.0, -1.0]) {
                // the distance of the corner from the axis
                let exact = at.to_local(&Vector::<2>::new(x, 1.0))[1].abs() - 0.25;
                assert!((p.gap - exact).abs() < 1e-14 && (p.b - Vector::<2>::new(x, 1.0)).norm() < 1e-14);
            }
        }
    }

    #[test]
    fn a_capsule_lies_along_an_edge() {
        let capsule = Capsule { half_length: 0.5, radius: 0.25 };
        let points = on_box(capsule, &Pose::<3>::at(Vector::<3>::new(0.8, 1.3, 1.4)), [1.0; 3]);
        assert_eq!(points.len(), 2);
        for (p, x) in points.iter().zip([1.0, 0.3]) {
            assert!((p.gap - 0.25).abs() < 1e-14 && (p.b - Vector::<3>::new(x, 1.0, 1.0)).norm() < 1e-14);
        }
    }

    #[test]
    fn a_corner_that_pierces_a_thin_wall_is_pushed_back_square_to_it() {
        let wall = Capsule { half_length: 5.0, radius: 0.0 };
        let at = Pose::<2>::turned(Vector::<2>::new(1.0, 1.0), 0.75 * std::f64::consts::PI);
        let shifted = Pose { x: at.x - Vector::<2>::new(0.1, 0.1), ..at };
        let points = on_box(wall, &shifted, [1.0, 1.0]);
        assert_eq!(points.len(), 1);
        assert!((points[0].gap + 0.1 * 2f64.sqrt()).abs() < 1e-14);
        assert!((points[0].b - Vector::<2>::new(1.0, 1.0)).norm() < 1e-14);
    }
}
