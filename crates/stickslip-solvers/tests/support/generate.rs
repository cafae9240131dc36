//! Contact problems made from seeds: piles of rigid bodies, stacks, redundant contacts, elastic nodes.
//!
//! All are feasible: bodies at rest obey every law (w = 0, or a gap that v = 0 respects).

use super::{Random, System};
use stickslip_solvers::laws::Law;
use stickslip_solvers::sparse::Sparse;

type Triplets = Vec<(u32, u32, f64)>;
type Vec3 = [f64; 3];

/// Degrees of freedom of a body: 6 in space, 3 in the plane; D = 1 is the plane without friction.
const fn dofs(dimension: usize) -> usize {
    if dimension == 3 { 6 } else { 3 }
}

fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn scaled(a: Vec3, s: f64) -> Vec3 {
    a.map(|x| x * s)
}

fn unit(a: Vec3) -> Vec3 {
    scaled(a, 1.0 / a.iter().map(|x| x * x).sum::<f64>().sqrt())
}

/// Normal and tangents; in space the tangents are turned by an angle.
fn frame(dimension: usize, n: Vec3, angle: f64) -> [Vec3; 3] {
    if dimension < 3 {
        return [n, [-n[1], n[0], 0.0], [0.0; 3]];
    }
    let any = if n[0].abs() < 0.7 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let a = unit(cross(n, any));
    let b = cross(n, a);
    let (sin, cos) = angle.sin_cos();
    let turn = |s: f64, c: f64| [0, 1, 2].map(|k| a[k] * c + b[k] * s);
    [n, turn(sin, cos), turn(cos, -sin)]
}

/// Gathers masses and contacts.
#[derive(Default)]
struct Builder {
    mass: Triplets,
    wrenches: Triplets,
    contacts: u32,
    bodies: u32,
}

impl Builder {
    /// A body with a full inertia; returns its mass.
    fn body(&mut self, dimension: usize, mass: f64, random: &mut Random) -> f64 {
        let size = dofs(dimension);
        let first = self.bodies * size as u32;
        let translations = if dimension == 3 { 3 } else { 2 };
        for k in 0..translations {
            self.mass.push((first + k, first + k, mass));
        }
        // inertia 0.4 m (I + a aᵀ) for a random a: full and positive
        let a: Vec<f64> = (translations as usize..size).map(|_| random.sign()).collect();
        for (i, x) in a.iter().enumerate() {
            for (j, y) in a.iter().enumerate() {
                let entry = 0.4 * mass * (if i == j { 1.0 } else { 0.0 } + x * y);
                self.mass.push((first + translations + i as u32, first + translations + j as u32, entry));
            }
        }
        self.bodies += 1;
        mass
    }

    /// A contact of body b, at `arm` from its centre, with another body or the ground.
    fn contact(&mut self, dimension: usize, axes: &[Vec3; 3], b: u32, arm: Vec3, a: Option<(u32, Vec3)>) {
        for (k, axis) in axes.iter().take(dimension).enumerate() {
            let column = self.contacts * dimension as u32 + k as u32;
            for (body, arm, sign) in
                [(Some(b), arm, 1.0), (a.map(|a| a.0), a.map_or([0.0; 3], |a| a.1), -1.0)]
            {
                let Some(body) = body else { continue };
                let torque = cross(arm, *axis);
                let wrench = if dimension == 3 {
                    [axis[0], axis[1], axis[2], torque[0], torque[1], torque[2]].to_vec()
                } else {
                    vec![axis[0], axis[1], torque[2]]
                };
                let first = body * dofs(dimension) as u32;
                let entries = wrench.iter().enumerate().filter(|&(_, &x)| x != 0.0);
                self.wrenches.extend(entries.map(|(i, &x)| (first + i as u32, column, sign * x)));
            }
        }
        self.contacts += 1;
    }

    /// Closes the system with the momenta of free velocities: all bodies fall, and jitter.
    fn fall<const D: usize>(self, jitter: f64, random: &mut Random, law: Law) -> System<D> {
        let n = self.bodies as usize * dofs(D);
        let M = Sparse::from_triplets(n, n, &self.mass);
        let up = if D == 3 { 2 } else { 1 };
        let v: Vec<f64> =
            (0..n).map(|i| jitter * random.sign() - if i % dofs(D) == up { 1.0 } else { 0.0 }).collect();
        let H = Sparse::from_triplets(n, self.contacts as usize * D, &self.wrenches);
        let laws = vec![law; self.contacts as usize];
        System { f: M.apply(&v), w: vec![0.0; H.cols], M, H, laws }
    }
}

/// A pile: each body has contacts with the ground or with bodies before it, normals pointing up to within 60°.
/// Masses spread over `ratio`.
pub fn pile<const D: usize>(seed: u64, bodies: usize, contacts: usize, ratio: f64, law: Law) -> System<D> {
    let random = &mut Random(seed);
    let mut builder = Builder::default();
    for _ in 0..bodies {
        let mass = ratio.powf(random.unit());
        builder.body(D, mass, random);
    }
    for i in 0..contacts {
        let b = i % bodies;
        // an arm of length one below the centre; the normal opposes it, roughly
        let across = [random.sign(), random.sign(), random.sign()];
        let (up, flat) = if D == 3 { (2, 0.7) } else { (1, 1.0) };
        let mut n = scaled(across, flat);
        n[up] = 1.0;
        if D < 3 {
            n[2] = 0.0;
        }
        let n = unit(n);
        let arm = unit([0, 1, 2].map(|k| -n[k] + if D == 3 || k < 2 { 0.3 * random.sign() } else { 0.0 }));
        let below = if b > 0 && random.unit() < 0.7 {
            let near = b - 1 - random.below(b.min(8));
            Some((near as u32, scaled(n, 0.8 + 0.2 * random.unit())))
        } else {
            None
        };
        builder.contact(D, &frame(D, n, 7.0 * random.unit()), b as u32, arm, below);
    }
    builder.fall(0.3, random, law)
}

/// A straight stack on the ground, joined face to face by one contact (D = 1), two (plane) or four (space). The
/// last body weighs `top`, the others 1.
pub fn stack<const D: usize>(seed: u64, bodies: usize, top: f64, law: Law) -> System<D> {
    let random = &mut Random(seed);
    let mut builder = Builder::default();
    let corners: &[(f64, f64)] = match D {
        1 => &[(0.0, 0.0)],
        2 => &[(-0.5, 0.0), (0.5, 0.0)],
        _ => &[(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)],
    };
    for b in 0..bodies {
        builder.body(D, if b + 1 == bodies { top } else { 1.0 }, random);
    }
    for b in 0..bodies as u32 {
        for &(x, y) in corners {
            let at = |z: f64| if D == 3 { [x, y, z] } else { [x, z, 0.0] };
            let n = if D == 3 { [0.0, 0.0, 1.0] } else { [0.0, 1.0, 0.0] };
            let below = (b > 0).then(|| (b - 1, at(0.5)));
            builder.contact(D, &frame(D, n, 0.0), b, at(-0.5), below);
        }
    }
    builder.fall(0.2, random, law)
}

/// The same problem with every contact there twice: W is singular.
pub fn doubled<const D: usize>(system: &System<D>) -> System<D> {
    let mut entries = Vec::new();
    let contacts = (system.H.cols / D) as u32;
    for i in 0..system.H.rows {
        for (j, x) in system.H.row(i) {
            entries.extend([(i as u32, j as u32, x), (i as u32, j as u32 + contacts * D as u32, x)]);
        }
    }
    System {
        H: Sparse::from_triplets(system.H.rows, 2 * system.H.cols, &entries),
        w: system.w.repeat(2),
        laws: system.laws.repeat(2),
        ..system.clone()
    }
}

/// An elastic bar of nodes, each tied to the next: M is banded, positive definite and not block diagonal. Every
/// node may touch the ground, some have a gap.
pub fn elastic<const D: usize>(seed: u64, nodes: usize, law: Law) -> System<D> {
    let random = &mut Random(seed);
    let n = nodes * D;
    let (mut M, mut H) = (Vec::new(), Vec::new());
    for i in 0..n as u32 {
        M.push((i, i, 2.0 + random.unit()));
        for far in [1, D as u32 + 1] {
            if i + far < n as u32 {
                let x = -0.4 * random.unit();
                M.extend([(i, i + far, x), (i + far, i, x)]);
            }
        }
    }
    // node i pushes along a slightly tilted normal
    for i in 0..nodes as u32 {
        for k in 0..D as u32 {
            for l in 0..D as u32 {
                let x = if k == l { 1.0 } else { 0.2 * random.sign() };
                H.push((i * D as u32 + l, i * D as u32 + k, x));
            }
        }
    }
    let M = Sparse::from_triplets(n, n, &M);
    let v: Vec<f64> = (0..n).map(|i| random.sign() - if i % D == 0 { 0.7 } else { 0.0 }).collect();
    let w = (0..n).map(|i| if i % D == 0 { 0.2 * random.unit() } else { 0.0 }).collect();
    System { f: M.apply(&v), w, H: Sparse::from_triplets(n, n, &H), M, laws: vec![law; nodes] }
}

/// A mixture of laws by contact index: one joint in nine, the others by turns.
pub fn mixed(i: usize) -> Law {
    match i % 9 {
        4 => Law::bilateral(),
        0 | 5 => Law::frictionless(),
        1 | 6 | 7 => Law::convex(0.4),
        _ => Law::coulomb(0.6),
    }
}
