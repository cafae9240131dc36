//! A cylinder as a prism inside it, with an edge wherever it touches.
//!
//! The contacts of the prism tell a normal; the cylinder is farthest along that normal at one angle, and a prism with an
//! edge there is as far. So the prism gets that edge, until the normal comes back to an edge it has. Flat faces and
//! straight edges are met after two rounds; the rim against an edge halves its error in each.

use super::Point;
use super::polytope_polytope;
use super::solid::Solid;
use super::solid_mesh;
use crate::shape::{Cylinder, Mesh, Shape, Topology, face_normal};
use crate::space::{Dim, Pose, Space, Vector};
use std::f64::consts::TAU;

/// Edges that every prism has.
const EDGES: usize = 8;
/// Angles closer than this are one: the prism then lacks 1e-17 of the radius between them.
const SAME: f64 = 1e-8;
/// Edges this close to the one that touches are left out in the end; three of the first ones stay.
const BESIDE: f64 = 0.6;
/// Axes at a smaller angle than this are parallel: the ends of the line they share are exact to its square.
const PARALLEL: f64 = 1e-3;
/// Rounds, enough to halve an angle down to [`SAME`].
const ROUNDS: usize = 40;

/// A cylinder and the angles of the edges of its prism, in order.
pub struct Prism<'a, const D: usize>
where
    Dim<D>: Space<D>,
{
    cylinder: &'a Cylinder,
    pose: &'a Pose<D>,
    angles: Vec<f64>,
    topology: Topology,
}

impl<'a, const D: usize> Prism<'a, D>
where
    Dim<D>: Space<D>,
{
    pub fn new(cylinder: &'a Cylinder, pose: &'a Pose<D>) -> Self {
        let angles: Vec<f64> = (0..EDGES).map(|k| k as f64 * TAU / EDGES as f64).collect();
        let topology = topology(EDGES);
        Prism { cylinder, pose, angles, topology }
    }

    /// Gives the prism an edge where the cylinder is farthest along a direction; false if it has it.
    pub fn add(&mut self, direction: &Vector<D>) -> bool {
        let local = self.pose.turn_to_local(direction);
        // on its base it touches all round
        if local[0].hypot(local[1]) < 1e-6 {
            return false;
        }
        let angle = local[1].atan2(local[0]).rem_euclid(TAU);
        let apart = |held: &f64| {
            let d = (angle - held).abs();
            d.min(TAU - d)
        };
        if self.angles.iter().any(|held| apart(held) < SAME) {
            return false;
        }
        let place = self.angles.partition_point(|held| *held < angle);
        self.angles.insert(place, angle);
        self.topology = topology(self.angles.len());
        true
    }

    /// Leaves out the edges beside the one that touches: they would give points close by that are not on the cylinder's
    /// line of contact.
    fn prune(&mut self, direction: &Vector<D>) {
        let local = self.pose.turn_to_local(direction);
        if local[0].hypot(local[1]) < 1e-6 {
            return;
        }
        let angle = local[1].atan2(local[0]);
        self.angles.retain(|held| {
            let apart = (held - angle + 0.5 * TAU).rem_euclid(TAU) - 0.5 * TAU;
            apart.abs() < 2.0 * SAME || apart.abs() > BESIDE
        });
        self.topology = topology(self.angles.len());
    }

    pub fn solid(&self, origin: &Vector<D>) -> Solid<'_, D> {
        let n = self.angles.len();
        let x = self.pose.x - origin;
        let local: Vec<Vector<D>> = (0..2 * n)
            .map(|k| {
                let (sin, cos) = self.angles[k % n].sin_cos();
                let mut v = Vector::zeros();
                v[0] = self.cylinder.radius * cos;
                v[1] = self.cylinder.radius * sin;
                v[D - 1] = if k < n { -self.cylinder.half_length } else { self.cylinder.half_length };
                v
            })
            .collect();
        let normals = self.topology.faces.iter().enumerate().map(|(f, face)| {
            let mut normal = face_normal(&local, &face.corners);
            if f < 2 {
                // the ends exactly
                normal.fill(0.0);
                normal[D - 1] = if f == 0 { -1.0 } else { 1.0 };
            }
            self.pose.turn_to_world(&normal)
        });
        Solid {
            x,
            normals: normals.collect(),
            vertices: local.iter().map(|v| x + self.pose.turn_to_world(v)).collect(),
            topology: &self.topology,
            size: 2.0 * self.cylinder.radius.hypot(self.cylinder.half_length),
        }
    }

    /// Names points by where they are around the axis: the prism itself changes from step to step.
    pub fn name(&self, points: &mut [Point<D>]) {
        let mut order: Vec<usize> = (0..points.len()).collect();
        let key = |p: &Point<D>| {
            let x = self.pose.to_local(&p.a);
            // an edge at angle 0 stays first under rounding
            let angle = (x[1].atan2(x[0]) + 0.1).rem_euclid(TAU);
            if x[D - 1] < 0.0 { angle } else { angle + TAU }
        };
        order.sort_by(|&i, &j| key(&points[i]).total_cmp(&key(&points[j])));
        for (rank, k) in order.into_iter().enumerate() {
            points[k].feature = rank as u32;
        }
    }
}

/// Two ends, then the sides.
fn topology(n: usize) -> Topology {
    let n = n as u32;
    let mut loops = vec![(0..n).rev().collect::<Vec<u32>>(), (n..2 * n).collect()];
    loops.extend((0..n).map(|k| {
        let next = (k + 1) % n;
        vec![k, next, next + n, k + n]
    }));
    Topology::new(loops, 2 * n as usize).expect("a prism is closed")
}

/// A cylinder and a solid seen from the origin.
pub fn with_solid<const D: usize>(
    cylinder: (&Cylinder, &Pose<D>),
    solid: &Solid<D>,
    origin: &Vector<D>,
    reach: f64,
    out: &mut Vec<Point<D>>,
) where
    Dim<D>: Space<D>,
{
    follow(cylinder, origin, reach, out, |prism, reach, out| {
        polytope_polytope::contacts(prism, solid, origin, reach, out);
    });
}

/// A cylinder and whatever `meet` gives the contacts of, from a prism seen from the origin.
pub fn follow<const D: usize>(
    cylinder: (&Cylinder, &Pose<D>),
    origin: &Vector<D>,
    reach: f64,
    out: &mut Vec<Point<D>>,
    meet: impl Fn(&Solid<D>, f64, &mut Vec<Point<D>>),
) where
    Dim<D>: Space<D>,
{
    let mut prism = Prism::new(cylinder.0, cylinder.1);
    let first = out.len();
    // the prism lies inside the cylinder, so that it may be farther away
    let reach = reach + cylinder.0.radius;
    let mut normal = Vector::zeros();
    for _ in 0..ROUNDS {
        out.truncate(first);
        meet(&prism.solid(origin), reach, out);
        let Some(found) = deepest(&out[first..]) else { return };
        normal = found;
        if !prism.add(&normal) {
            break;
        }
    }
    prism.prune(&normal);
    let from = out.len();
    meet(&prism.solid(origin), reach, out);
    keep_if_same(&normal, first, from, out);
    prism.name(&mut out[first..]);
}

/// Of points before and after pruning takes the latter, if they tell the same normal.
fn keep_if_same<const D: usize>(normal: &Vector<D>, first: usize, from: usize, out: &mut Vec<Point<D>>) {
    if deepest(&out[from..]).is_some_and(|found| (found - normal).norm() < 1e-6) {
        out.drain(first..from);
    } else {
        out.truncate(from);
    }
}

/// Two cylinders.
pub fn with_cylinder<const D: usize>(
    a: (&Cylinder, &Pose<D>),
    b: (&Cylinder, &Pose<D>),
    reach: f64,
    out: &mut Vec<Point<D>>,
) where
    Dim<D>: Space<D>,
{
    let (mut p, mut q) = (Prism::new(a.0, a.1), Prism::new(b.0, b.1));
    let first = out.len();
    let origin = &a.1.x;
    let wide = reach + a.0.radius + b.0.radius;
    let mut normal = Vector::zeros();
    for _ in 0..ROUNDS {
        out.truncate(first);
        polytope_polytope::contacts(&p.solid(origin), &q.solid(origin), origin, wide, out);
        let Some(found) = deepest(&out[first..]) else { return };
        normal = found;
        let grown = [p.add(&normal), q.add(&-normal)];
        if grown == [false, false] {
            break;
        }
    }
    if let Some(points) = side_by_side(a, b, &normal) {
        out.truncate(first);
        out.extend(points);
        return;
    }
    p.prune(&normal);
    q.prune(&-normal);
    let from = out.len();
    polytope_polytope::contacts(&p.solid(origin), &q.solid(origin), origin, wide, out);
    keep_if_same(&normal, first, from, out);
    p.name(&mut out[first..]);
}

/// Nearly parallel cylinders that touch with their round sides: both ends of the line they share.
fn side_by_side<const D: usize>(
    a: (&Cylinder, &Pose<D>),
    b: (&Cylinder, &Pose<D>),
    normal: &Vector<D>,
) -> Option<[Point<D>; 2]>
where
    Dim<D>: Space<D>,
{
    let mut axis = Vector::zeros();
    axis[D - 1] = 1.0;
    let (u, v) = (a.1.turn_to_world(&axis), b.1.turn_to_world(&axis));
    let along = u.dot(&v);
    if 1.0 - along.abs() > 0.5 * PARALLEL * PARALLEL || u.dot(normal).abs() > PARALLEL {
        return None;
    }
    let way = b.1.x - a.1.x;
    let middle = way.dot(&u);
    let low = (-a.0.half_length).max(middle - b.0.half_length);
    let high = a.0.half_length.min(middle + b.0.half_length);
    if high - low <= PARALLEL * a.0.half_length.min(b.0.half_length) {
        return None;
    }
    let mut points = [low, high].map(|t| {
        // from one axis to the other, across the first
        let across = way + v * ((t - middle) / along) - u * t;
        let distance = across.norm();
        // axes that meet are parted as before
        let normal = across.try_normalize(1e-12 * (a.0.radius + b.0.radius)).unwrap_or(*normal);
        let gap = distance - a.0.radius - b.0.radius;
        let foot = a.1.x + u * t + normal * a.0.radius;
        Point { gap, normal, a: foot, b: foot + normal * gap, feature: 0 }
    });
    points[1].feature = 1;
    points.iter().all(|p| p.gap.is_finite()).then_some(points)
}

/// A cylinder and a mesh: with an edge towards each facet near.
pub fn with_mesh<const D: usize>(
    cylinder: (&Cylinder, &Pose<D>),
    mesh: (&Mesh<D>, &Pose<D>),
    reach: f64,
    out: &mut Vec<Point<D>>,
) where
    Dim<D>: Space<D>,
{
    let mut prism = Prism::new(cylinder.0, cylinder.1);
    let first = out.len();
    let seen_from = mesh.1.inverse().of_part(cylinder.1);
    let near = mesh.0.near(&Shape::Cylinder(*cylinder.0).bounds(&seen_from).grown(reach));
    for facet in near {
        prism.add(&-mesh.1.turn_to_world(&mesh.0.normals()[facet as usize]));
    }
    let origin = &cylinder.1.x;
    solid_mesh::contacts(&prism.solid(origin), origin, mesh.0, mesh.1, reach, out);
    prism.name(&mut out[first..]);
}

/// Normal of the point with the least gap.
fn deepest<const D: usize>(points: &[Point<D>]) -> Option<Vector<D>> {
    points.iter().min_by(|p, q| p.gap.total_cmp(&q.gap)).map(|p| p.normal)
}
