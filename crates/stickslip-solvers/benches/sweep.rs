//! What one NLGS update costs: a lattice of spheres small enough for the cache, one thread.
//!
//! `cargo bench --bench sweep` prints nanoseconds per contact update on W factored by bodies and on stored W.

#![allow(non_snake_case, clippy::print_stdout)]

use nalgebra::{SMatrix, Vector3};
use std::sync::Arc;
use stickslip_solvers::block::Vector;
use stickslip_solvers::delassus::{Bodies, Delassus, Side};
use stickslip_solvers::laws::Law;
use stickslip_solvers::panel::{Method, Nlgs};
use stickslip_solvers::problem::ContactProblem;
use stickslip_solvers::sparse::Sparse;
use stickslip_solvers::stop::Stop;

/// Spheres of unit radius and mass on a cubic lattice of n³, tilted normals, under gravity.
fn lattice(n: usize) -> ContactProblem<3> {
    let inertia = 0.4;
    let mass = SMatrix::<f64, 6, 6>::from_diagonal(&[1.0, 1.0, 1.0, inertia, inertia, inertia].into());
    let body = |x: usize, y: usize, z: usize| ((z * n + y) * n + x) as u32;
    let (mut start, mut sides, mut q) = (vec![0u32], Vec::new(), Vec::new());
    let mut seed = 1u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as f64 / (1u64 << 31) as f64 - 0.5
    };
    let mut contact = |a: Option<u32>, b: u32, direction: Vector3<f64>| {
        let tilt = Vector3::new(random(), random(), random()) * 0.4;
        let normal = (direction + tilt).normalize();
        let t1 = normal.cross(&Vector3::new(0.3, -0.7, 0.2)).normalize();
        let frame = [normal, t1, normal.cross(&t1)];
        for (body, sign) in [(a, -1.0), (Some(b), 1.0)] {
            let Some(body) = body else { continue };
            // the contact point lies at the end of the radius: sign · (−normal) from the centre of b
            let arm = normal * -sign;
            let mut H = SMatrix::<f64, 6, 3>::zeros();
            for (k, e) in frame.iter().enumerate() {
                H.fixed_view_mut::<3, 1>(0, k).copy_from(&(e * sign));
                H.fixed_view_mut::<3, 1>(3, k).copy_from(&arm.cross(&(e * sign)));
            }
            sides.push(Side { H, body });
        }
        start.push(sides.len() as u32);
        // free fall closes contacts along z, with some sliding
        q.push(Vector::<3>::new(-normal.z - 0.05, 0.3 * random(), 0.3 * random()));
    };
    for z in 0..n {
        for y in 0..n {
            for x in 0..n {
                let b = body(x, y, z);
                contact((z > 0).then(|| body(x, y, z - 1)), b, Vector3::z());
                if x > 0 {
                    contact(Some(body(x - 1, y, z)), b, Vector3::x());
                }
                if y > 0 {
                    contact(Some(body(x, y - 1, z)), b, Vector3::y());
                }
                // some diagonals, for about twelve blocks a row of W as in a packing
                if x > 0 && z > 0 && (x + y + z) % 2 == 0 {
                    contact(Some(body(x - 1, y, z - 1)), b, Vector3::x() + Vector3::z());
                }
            }
        }
    }
    let laws = vec![Law::coulomb(0.5); q.len()];
    let W = Bodies::new(&vec![mass; n * n * n], start, sides).expect("masses are positive");
    ContactProblem::new(Delassus::Bodies6(W), q, laws).expect("the lattice is a valid problem")
}

/// The same problem with W assembled by applying it to unit impulses of far-apart contacts.
fn assembled(problem: &ContactProblem<3>) -> ContactProblem<3> {
    let contacts = problem.contacts();
    let mut product = problem.W.product();
    let mut entries = Vec::new();
    let mut r = vec![Vector::zeros(); contacts];
    let mut u = r.clone();
    for j in 0..contacts {
        for l in 0..3 {
            r[j][l] = 1.0;
            product.apply(&r, &mut u);
            r[j][l] = 0.0;
            for (i, u) in u.iter().enumerate() {
                for k in 0..3 {
                    if u[k] != 0.0 {
                        entries.push(((3 * i + k) as u32, (3 * j + l) as u32, u[k]));
                    }
                }
            }
        }
    }
    let W =
        Delassus::stored(&Sparse::from_triplets(3 * contacts, 3 * contacts, &entries)).expect("W is square");
    ContactProblem { W: Arc::new(W), ..problem.clone() }
}

/// Nanoseconds per update: the fastest stretch between two looks at the residual, a hundred sweeps long and one look
/// included, so that other work on the machine disturbs little.
fn nanoseconds_per_update(problem: &ContactProblem<3>) -> f64 {
    let mut r = vec![Vector::zeros(); problem.contacts()];
    let stop = Stop { tolerance: 0.0, max_iterations: 9000, ..Stop::default() };
    let trace = Nlgs::default().build::<3>().solve(problem, &mut r, &stop).trace;
    let stretches = trace.windows(2).filter(|pair| pair[1].iteration - pair[0].iteration == 100);
    let fastest = stretches.map(|pair| pair[1].seconds - pair[0].seconds).fold(f64::INFINITY, f64::min);
    fastest / 100.0 / problem.contacts() as f64 * 1e9
}

fn main() {
    println!(
        "{:>8} {:>10} {:>22} {:>22}",
        "contacts", "blocks/row", "factored [ns/update]", "stored [ns/update]"
    );
    for n in [6, 8, 10] {
        let factored = lattice(n);
        let stored = assembled(&factored);
        let blocks = match &*stored.W {
            Delassus::Stored(W) => W.blocks_per_row(),
            _ => unreachable!("assembled above"),
        };
        println!(
            "{:>8} {:>10.1} {:>22.1} {:>22.1}",
            factored.contacts(),
            blocks,
            nanoseconds_per_update(&factored),
            nanoseconds_per_update(&stored),
        );
    }
}
