//! How many convex problems the fixed point of Bloch 2023, 2.2.4, solves in a step, by the paper's own test.

use crate::{ExperimentError, Result};
use stickslip_geometry::space::Vector;
use stickslip_solvers::laws::Law;
use stickslip_solvers::panel::AnyMethod;
use stickslip_solvers::problem::ContactProblem;
use stickslip_solvers::stop::Stop;

/// The test on s: `|s⁺ − s|/(|s| + 1)`, Bloch 2023, 3.2.2.
pub const TOLERANCE: f64 = 1e-2;
/// The convex problems are solved to this.
const CONVEX: f64 = 1e-10;
/// Problems after which s is called wandering.
const MOST: usize = 100;

/// Convex problems from s = 0 until s stays.
pub fn fixed_point<const D: usize>(problem: &ContactProblem<D>) -> Result<usize> {
    let method = AnyMethod::parse("interior-point", &toml::Table::new())?;
    let stop = Stop { tolerance: CONVEX, ..Stop::default() };
    let mut solver = method.build::<D>();
    let mut convex = problem.with_laws(Law::associated);
    let mut r = vec![Vector::<D>::zeros(); problem.contacts()];
    let mut s = vec![0.0; problem.contacts()];
    for count in 1..=MOST {
        for (i, law) in problem.laws.iter().enumerate() {
            convex.q[i] = problem.q[i];
            convex.q[i][0] += law.mu() * s[i];
        }
        solver.solve(&convex, &mut r, &stop);
        let slips = problem.velocities(&r).into_iter().map(|u| u.as_slice()[1..].iter().map(|u| u * u).sum());
        let s_next: Vec<f64> = slips.map(f64::sqrt).collect();
        if stays(&s, &s_next) {
            return Ok(count);
        }
        s = s_next;
    }
    Err(ExperimentError::Missing(format!("s still wanders after {MOST} convex problems")))
}

/// The same of contacts that are too far away to push: s is what it is after one problem.
pub fn in_flight(s: f64) -> usize {
    if stays(&[0.0], &[s]) { 1 } else { 2 }
}

fn stays(s: &[f64], s_next: &[f64]) -> bool {
    let size = |x: &mut dyn Iterator<Item = f64>| x.map(|x| x * x).sum::<f64>().sqrt();
    let change = size(&mut s.iter().zip(s_next).map(|(a, b)| b - a));
    change <= TOLERANCE * (size(&mut s.iter().copied()) + 1.0)
}
