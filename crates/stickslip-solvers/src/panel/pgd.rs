//! Projected gradient with a fixed step: Uzawa's method on the dual problem.
//!
//! ```text
//! r ← P_K(r − ρ (W r + q))        Bloch 2023, Algorithm 1
//! ```
//!
//! Converges for ρ < 2/λ_max; the step comes from an estimate of λ_max unless given. Choose it for: reference.
//! The accelerated variants need far fewer iterations.

use super::gradient::{Increment, Laws, Metric, Spectrum, Step};
use super::{Method, Solver};
use crate::block::Vector;
use crate::laws::Kind;
use crate::outcome::Outcome;
use crate::problem::ContactProblem;
use crate::stop::Stop;
use serde::{Deserialize, Serialize};

/// Settings of the projected gradient.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(transparent)]
pub struct Pgd(pub Step);

/// The step is this over λ_max; below 2 it converges.
const STEP: f64 = 1.8;

impl Method for Pgd {
    const NAME: &'static str = "pgd";
    const SUMMARY: &'static str = "projected gradient with a fixed step (Uzawa)";
    const PAPER: &'static str = "Bloch 2023, Algorithm 1";
    const COVERS: &'static [Kind] = Kind::CONVEX;

    fn validate(&self) -> Result<(), String> {
        self.0.validate()
    }

    fn build<const D: usize>(&self) -> Box<dyn Solver<D>> {
        Box::new(PgdSolver { settings: self.0.clone(), spectrum: Spectrum::default() })
    }
}

struct PgdSolver<const D: usize> {
    settings: Step,
    spectrum: Spectrum<D>,
}

impl<const D: usize> Solver<D> for PgdSolver<D> {
    fn solve(&mut self, problem: &ContactProblem<D>, r: &mut [Vector<D>], stop: &Stop) -> Outcome {
        let ContactProblem { W, q, laws } = problem;
        let mut product = W.product();
        let (metric, mut step) = match self.settings.rho {
            Some(rho) => (Metric::plain().into(), rho),
            None => {
                let (metric, largest) = self.spectrum.of(W);
                (metric, STEP / largest)
            }
        };
        let laws = Laws::new(laws);
        let mut watch = stop.watch(problem);
        let mut increment = Increment::new(self.settings.increment);
        let mut r_next = r.to_vec();
        let mut u = problem.velocities(r);
        let mut u_next = u.clone();
        while !increment.reached() && watch.goes_on_with(r, &u) {
            let start = |i: usize| (r[i], u[i]);
            let [_, change, size] = metric.projected_step(&laws, start, step, r, &mut r_next);
            product.velocities(&r_next, q, &mut u_next);
            if self.settings.rho.is_none() {
                // the power method looks from below: a step that meets a steeper direction shows it
                let [along, length] = metric.curvature(start, &r_next, &u_next);
                let steepness = along / length;
                if steepness * step > STEP {
                    step = STEP / steepness;
                }
            }
            increment.observe(change, size);
            r.copy_from_slice(&r_next);
            std::mem::swap(&mut u, &mut u_next);
        }
        watch.finish(r)
    }
}
