//! Proximal point around a semismooth Newton method.
//!
//! ```text
//! r_k+1 solves the problem with  u + α_k S (r − r_k)  for u,   S = diag(s_i),  s_i = trace(W_ii)/D
//! ```
//!
//! The added term makes each inner problem regular, however redundant the contacts are, and vanishes at the solution. The
//! inner problem is solved by the Newton steps of [`super::newton`] to a share of the outer residual; α falls where
//! they converge fast and grows where they do not, from the same centre. Where even a large α does not help, sweeps
//! move the centre.
//!
//! Paper: Rockafellar 1976 for the proximal point; the combination with Alart–Curnier steps is the solver PROX of
//! Siconos. Choose it for: small and medium hyperstatic problems at full accuracy (arches, towers, walls,
//! capsules). Slow on: large packings of spheres, where α cannot fall.

use super::newton::{Form, Newton, Proximal as Term, Rescue};
use super::{Method, Solver};
use crate::block::Vector;
use crate::laws::Kind;
use crate::linear::NewtonSystem;
use crate::outcome::Outcome;
use crate::problem::ContactProblem;
use crate::stop::Stop;
use serde::{Deserialize, Serialize};

/// Settings of the proximal point.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Proximal {
    /// The first α, in units of s_i. Default 0.1.
    pub alpha: f64,
    /// Penalty ρ of the Newton equations, in units of 1/s_i. Default 1.
    pub rho: f64,
    /// The inner problem is solved to this share of the outer residual. Default 0.1.
    pub inner_share: f64,
    /// Newton steps of one inner problem at most. Default 20.
    pub inner_iterations: usize,
}

impl Default for Proximal {
    fn default() -> Self {
        Proximal { alpha: 0.1, rho: 1.0, inner_share: 0.1, inner_iterations: 20 }
    }
}

/// α stays within these bounds.
const RANGE: (f64, f64) = (1e-9, 0.5);
/// α falls by this factor where Newton's method needs at most `FEW` steps, by its square root otherwise.
const FALL: f64 = 0.1;
const FEW: usize = 5;
/// α grows by this factor where it does not converge.
const GROW: f64 = 10.0;

impl Method for Proximal {
    const NAME: &'static str = "proximal";
    const SUMMARY: &'static str = "proximal point around semismooth Newton steps";
    const PAPER: &'static str = "Rockafellar 1976; Alart-Curnier steps of Renouf-Acary 2006";
    const COVERS: &'static [Kind] = Kind::SMALL;

    fn validate(&self) -> Result<(), String> {
        super::positive("alpha", Some(self.alpha))?;
        super::positive("rho", Some(self.rho))?;
        super::positive("inner_share", Some(self.inner_share))?;
        if self.inner_iterations == 0 {
            return Err("inner_iterations = 0: give at least 1".into());
        }
        Ok(())
    }

    fn build<const D: usize>(&self) -> Box<dyn Solver<D>> {
        Box::new(ProximalSolver { settings: self.clone(), system: None })
    }
}

struct ProximalSolver<const D: usize> {
    settings: Proximal,
    system: Option<NewtonSystem<D>>,
}

impl<const D: usize> Solver<D> for ProximalSolver<D> {
    fn solve(&mut self, problem: &ContactProblem<D>, r: &mut [Vector<D>], stop: &Stop) -> Outcome {
        let settings = &self.settings;
        let system = NewtonSystem::of(&mut self.system, &problem.W);
        let mut newton = Newton::new(problem, system, Form::AlartCurnier, settings.rho);
        let mut watch = stop.watch_each(problem);
        let largest = RANGE.1 / settings.rho;
        let mut alpha = settings.alpha.clamp(RANGE.0, largest);
        let mut centre = r.to_vec();
        let mut rescue = Rescue::new();
        let (mut outer, mut inner) = (0, 0);
        newton.update(r);
        let mut outer_merit = newton.merit(r, Term { alpha, centre: None });
        let mut merit = outer_merit;
        while watch.goes_on_with(r, &newton.u) {
            let term = Term { alpha, centre: Some(&centre) };
            inner += 1;
            let stepped = newton.step(r, term, merit);
            if let Some(reached) = stepped {
                merit = reached;
                if merit > settings.inner_share * outer_merit && inner < settings.inner_iterations {
                    continue;
                }
            }
            if merit <= settings.inner_share * outer_merit {
                // the inner problem is solved: its solution is the next centre
                outer += 1;
                let factor = if inner <= FEW { FALL } else { FALL.sqrt() };
                alpha = (alpha * factor).max(RANGE.0);
            } else {
                r.copy_from_slice(&centre);
                if alpha >= largest && !rescue.sweep(problem, r, &mut watch) {
                    break;
                }
                alpha = (alpha * GROW).min(largest);
                newton.update(r);
            }
            inner = 0;
            centre.copy_from_slice(r);
            outer_merit = newton.merit(r, Term { alpha, centre: None });
            merit = outer_merit;
        }
        watch.note(format!("{outer} proximal steps, the last with alpha = {alpha:.0e}"));
        rescue.note(&mut watch);
        watch.finish(r)
    }
}
