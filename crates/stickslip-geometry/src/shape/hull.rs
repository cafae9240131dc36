//! Convex hulls, by wrapping: from each edge of the hull, turn a plane about it until it meets the next points.
//!
//! Faces come out as polygons at once, with all the points that lie in their plane, so that the many coplanar points of
//! a box or a cut stone need no merging afterwards. The cost is one pass over the points for each edge.

use super::Topology;
use crate::space::Vector;
use std::collections::HashMap;

/// Points on the hull of points in a plane, counterclockwise; those within the tolerance of a side are left out.
pub fn polygon(points: &[Vector<2>], tolerance: f64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    let at = |i: u32| points[i as usize];
    order.sort_by(|&i, &j| {
        (at(i).x, at(i).y).partial_cmp(&(at(j).x, at(j).y)).unwrap_or(std::cmp::Ordering::Equal)
    });
    order.dedup_by(|i, j| (at(*i) - at(*j)).norm() <= tolerance);
    if order.len() < 3 {
        return order;
    }
    // the last point kept is dropped again while it is not clearly to the right of the way from the one before
    let chain = |order: &mut dyn Iterator<Item = u32>| {
        let mut kept: Vec<u32> = Vec::new();
        for k in order {
            while kept.len() >= 2 {
                let (p, q) = (at(kept[kept.len() - 2]), at(kept[kept.len() - 1]));
                let way = at(k) - p;
                if way.perp(&(q - p)) < -tolerance * way.norm() {
                    break;
                }
                kept.pop();
            }
            kept.push(k);
        }
        kept.pop();
        kept
    };
    let mut hull = chain(&mut order.iter().copied());
    hull.extend(chain(&mut order.iter().rev().copied()));
    hull
}

/// A hull in space: which points are its vertices, and its faces by indices into them. None if the points lie within
/// the tolerance of a plane, or are too close to degenerate for a closed surface.
pub fn polyhedron(points: &[Vector<3>], tolerance: f64) -> Option<(Vec<u32>, Topology)> {
    let mut wrap = Wrap { points, tolerance, faces: Vec::new(), normals: Vec::new(), known: HashMap::new() };
    wrap.begin()?;
    let mut f = 0;
    while f < wrap.faces.len() {
        for k in 0..wrap.faces[f].len() {
            let (i, j) = (wrap.faces[f][k], wrap.faces[f][(k + 1) % wrap.faces[f].len()]);
            if !wrap.known.contains_key(&(j, i)) {
                let normal = wrap.pivot(&points[j as usize], &points[i as usize], &wrap.normals[f])?;
                wrap.add(&points[i as usize], &normal)?;
                // a face that does not close the edge it was found from closes no surface
                wrap.known.get(&(j, i))?;
            }
        }
        f += 1;
    }

    // points on no face are inside
    let mut vertices: Vec<u32> = wrap.faces.iter().flatten().copied().collect();
    vertices.sort_unstable();
    vertices.dedup();
    for v in wrap.faces.iter_mut().flatten() {
        *v = vertices.binary_search(v).ok()? as u32;
    }
    let topology = Topology::new(wrap.faces, vertices.len())?;
    Some((vertices, topology))
}

struct Wrap<'a> {
    points: &'a [Vector<3>],
    tolerance: f64,
    faces: Vec<Vec<u32>>,
    normals: Vec<Vector<3>>,
    /// the face of each directed edge
    known: HashMap<(u32, u32), usize>,
}

impl Wrap<'_> {
    /// The first face.
    fn begin(&mut self) -> Option<()> {
        let key = |v: &Vector<3>| (v.x, v.y, v.z);
        let p = *self
            .points
            .iter()
            .min_by(|v, w| key(v).partial_cmp(&key(w)).unwrap_or(std::cmp::Ordering::Equal))?;
        // all points are on one side of the plane through p across x; turn it about z until it meets a second point
        let across = -Vector::<3>::x();
        let normal = self.turn(&p, &Vector::<3>::z(), &across, -f64::INFINITY)?;
        let flat = self.loop_in(&p, &normal);
        if flat.len() >= 3 {
            return self.add(&p, &normal);
        }
        // it met an edge only; turn about that
        let [i, j] = flat[..] else { return None };
        let normal = self.pivot(&self.points[i as usize], &self.points[j as usize], &normal)?;
        self.add(&p, &normal)
    }

    /// The normal of the face beyond the edge from p to q of a face with the given normal; p to q is the way the new
    /// face runs.
    fn pivot(&self, p: &Vector<3>, q: &Vector<3>, normal: &Vector<3>) -> Option<Vector<3>> {
        self.turn(p, &(q - p).normalize(), normal, self.tolerance)
    }

    /// Turns the plane through p with a normal about a line, until it meets a point deeper than `skip` below it.
    fn turn(&self, p: &Vector<3>, line: &Vector<3>, normal: &Vector<3>, skip: f64) -> Option<Vector<3>> {
        let mut held: Option<(Vector<3>, f64)> = None;
        for x in self.points {
            let way = x - p;
            let across = way - line * line.dot(&way);
            let far = across.norm();
            if far <= 2.0 * self.tolerance || -way.dot(normal) <= skip {
                continue;
            }
            // of several points in the plane, the farthest one tells its normal best
            let takes = held.is_none_or(|(normal, held_far)| {
                let height = across.dot(&normal);
                height > self.tolerance || (height >= -self.tolerance && far > held_far)
            });
            if takes {
                held = Some((line.cross(&across) / far, far));
            }
        }
        held.map(|(normal, _)| normal)
    }

    /// The polygon of the points in a plane, counterclockwise.
    fn loop_in(&self, p: &Vector<3>, normal: &Vector<3>) -> Vec<u32> {
        let on: Vec<u32> = (0..self.points.len() as u32)
            .filter(|&k| (self.points[k as usize] - p).dot(normal).abs() <= 2.0 * self.tolerance)
            .collect();
        let axis = Vector::<3>::ith(normal.iamin(), 1.0);
        let u = (axis - normal * normal.dot(&axis)).normalize();
        let v = normal.cross(&u);
        let flat: Vec<Vector<2>> = on
            .iter()
            .map(|&k| {
                let way = self.points[k as usize] - p;
                Vector::<2>::new(u.dot(&way), v.dot(&way))
            })
            .collect();
        polygon(&flat, self.tolerance).into_iter().map(|k| on[k as usize]).collect()
    }

    fn add(&mut self, p: &Vector<3>, normal: &Vector<3>) -> Option<()> {
        // the plane must have everything below it
        if self.points.iter().any(|x| (x - p).dot(normal) > 8.0 * self.tolerance) {
            return None;
        }
        let corners = self.loop_in(p, normal);
        if corners.len() < 3 {
            return None;
        }
        for k in 0..corners.len() {
            let side = (corners[k], corners[(k + 1) % corners.len()]);
            if self.known.insert(side, self.faces.len()).is_some() {
                return None;
            }
        }
        let at = |k: usize| self.points[corners[k % corners.len()] as usize] - p;
        let area = (0..corners.len()).map(|k| at(k).cross(&at(k + 1))).sum::<Vector<3>>();
        self.normals.push(area.normalize());
        self.faces.push(corners);
        Some(())
    }
}
