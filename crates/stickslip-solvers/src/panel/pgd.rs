//! Projected gradient with a fixed step: Uzawa's method on the dual problem.
//!
//! ```text
//! r ← P_K(r − ρ (W r + q))        Bloch 2023, Algorithm 1
//! ```
//!
//! Converges for ρ < 2/λ_max; the step comes from an estimate of λ_max unless given. Choose it for: reference.
//! The accelerated variants need far fewer iterations.

use super::gradient::{Descent, Increment, Metric, Spectrum, Step};
use super::{Method, Solver};
use crate::block::Vector;
use crate::delassus::{Carried, Carries, with_form};
use crate::laws::Kind;
use crate::outcome::Outcome;
use crate::problem::ContactProblem;
use crate::stop::{Stop, Watch};
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
        let (metric, step) = match self.settings.rho {
            Some(rho) => (Metric::plain().into(), rho),
            None => {
                let (metric, largest) = self.spectrum.of(&problem.W);
                (metric, STEP / largest)
            }
        };
        // the power method looks from below: a step that meets a steeper direction shows it
        let guarded = self.settings.rho.is_none();
        let mut increment = Increment::new(self.settings.increment);
        let mut watch = increment.watch(stop, problem);
        with_form!(&*problem.W, W => {
            let descent = Descent::new(problem, W.carried(r), &metric, r, guarded);
            run(descent, step, guarded, r, &mut watch, &mut increment);
        });
        watch.finish(r)
    }
}

fn run<const D: usize>(
    mut descent: Descent<D, impl Carried<D>>,
    mut step: f64,
    guarded: bool,
    r: &mut [Vector<D>],
    watch: &mut Watch<D>,
    increment: &mut Increment,
) {
    while !increment.reached() && descent.goes_on(watch) {
        let [_, change, size] = descent.step(step);
        if guarded {
            let [along, length] = descent.curvature();
            let steepness = along / length;
            if steepness * step > STEP {
                step = STEP / steepness;
            }
        }
        increment.observe(change, size, watch);
        descent.take_up(0.0);
    }
    r.copy_from_slice(descent.impulses());
}
