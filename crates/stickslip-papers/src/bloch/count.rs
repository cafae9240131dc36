//! How many convex problems the fixed point of Bloch 2023, 2.2.4, solves in a step, by the paper's own test.

use crate::Result;
use stickslip_geometry::space::Vector;
use stickslip_solvers::laws::Law;
use stickslip_solvers::panel::AnyMethod;
use stickslip_solvers::problem::ContactProblem;
use stickslip_solvers::stop::Stop;

/// The test on s: `|s⁺ − s|/(|s| + 1)`, Bloch 2023, 3.2.2.
const TOLERANCE: f64 = 1e-2;
/// Problems after which s is called wandering.
const MOST: usize = 100;

/// The fixed point with a solver of its convex problems. Their velocities are unique, so that the count does not hang on it.
pub struct FixedPoint {
    inner: AnyMethod,
    stop: Stop,
}

impl FixedPoint {
    pub fn new(inner: &str, tolerance: f64) -> Result<Self> {
        let inner = AnyMethod::parse(inner, &toml::Table::new())?;
        Ok(FixedPoint { inner, stop: Stop { tolerance, ..Stop::default() } })
    }

    /// Convex problems from s = 0 until s stays.
    pub fn count<const D: usize>(&self, problem: &ContactProblem<D>) -> usize {
        let mut solver = self.inner.build::<D>();
        let mut convex = problem.with_laws(Law::associated);
        let mut r = vec![Vector::<D>::zeros(); problem.contacts()];
        let mut s = vec![0.0; problem.contacts()];
        for count in 1..MOST {
            // the shift, μ s, enters the normal velocity, Bloch 2023 (39)
            for (i, law) in problem.laws.iter().enumerate() {
                convex.q[i] = problem.q[i];
                convex.q[i][0] += law.mu() * s[i];
            }
            solver.solve(&convex, &mut r, &self.stop);
            let slips = problem.velocities(&r).into_iter();
            let slips = slips.map(|u| u.as_slice()[1..].iter().map(|u| u * u).sum::<f64>().sqrt());
            let s_next: Vec<f64> = slips.collect();
            if stays(&s, &s_next) {
                return count;
            }
            s = s_next;
        }
        MOST
    }
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
