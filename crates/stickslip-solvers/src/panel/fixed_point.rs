//! Exact Coulomb friction by a sequence of convex problems.
//!
//! ```text
//! r(s) = convex solution with q_N + μ s,      s ← |u_T(r(s))| until it stays        Bloch 2023 (39), (40)
//! ```
//!
//! Where s = |u_T| the convex constraint u_N + μ s ≥ μ|u_T| is u_N ≥ 0, and the law is Coulomb's. Each convex problem
//! starts from the last impulses and is solved only as far as the outer residual warrants. Choose it for: exact
//! friction with the convergence theory of convex solvers; a handful of convex solves where friction is moderate.

use super::{AnyMethod, Auto, Method, Solver};
use crate::block::Vector;
use crate::laws::{ContactLaw, Kind, Law};
use crate::outcome::{Outcome, Status};
use crate::parallel;
use crate::problem::ContactProblem;
use crate::stop::Stop;
use serde::{Deserialize, Serialize};

/// Settings of the fixed point.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct FixedPoint {
    /// The convex solver: its name under `solver`, beside its own settings. Default `{ solver = "apgd-asr" }`.
    pub inner: toml::Table,
    /// Iterations of the convex solver in one outer iteration at most. Default 1000.
    pub inner_iterations: usize,
    /// The convex problem is solved to this share of the outer residual. Default 0.3.
    pub inner_share: f64,
    /// Where unknowns are few, the part of the tolerance that sweeps and Newton's method then go on to, as those of `auto`.
    /// Default 1: a solve ends at the tolerance.
    pub polish: f64,
}

impl Default for FixedPoint {
    fn default() -> Self {
        let inner = toml::Table::from_iter([("solver".to_string(), "apgd-asr".into())]);
        FixedPoint { inner, inner_iterations: 1000, inner_share: 0.3, polish: 1.0 }
    }
}

/// Outer iterations without a better residual after which s is called wandering.
const PATIENCE: usize = 300;

impl FixedPoint {
    fn polishing(&self) -> Auto {
        Auto { polish: self.polish, ..Auto::default() }
    }

    fn inner_method(&self) -> Result<AnyMethod, String> {
        let mut settings = self.inner.clone();
        let name = match settings.remove("solver") {
            Some(toml::Value::String(name)) => name,
            _ => return Err("inner.solver: name a convex solver, such as \"apgd-ar\"".into()),
        };
        let method = AnyMethod::parse(&name, &settings).map_err(|error| format!("inner: {error}"))?;
        if name == Self::NAME || !method.covers().contains(&Kind::Convex) {
            return Err(format!("inner.solver = \"{name}\" does not solve convex problems by itself"));
        }
        Ok(method)
    }
}

impl Method for FixedPoint {
    const NAME: &'static str = "fixed-point";
    const SUMMARY: &'static str = "exact Coulomb friction by a sequence of convex problems";
    const PAPER: &'static str = "Bloch 2023, 2.2.4";
    const COVERS: &'static [Kind] = Kind::ALL;

    fn validate(&self) -> Result<(), String> {
        super::positive("inner_share", Some(self.inner_share))?;
        if self.inner_iterations == 0 {
            return Err("inner_iterations = 0: give at least 1".into());
        }
        self.polishing().validate()?;
        self.inner_method().map(|_| ())
    }

    fn build<const D: usize>(&self) -> Box<dyn Solver<D>> {
        Box::new(self.clone())
    }
}

impl<const D: usize> Solver<D> for FixedPoint {
    fn solve(&mut self, problem: &ContactProblem<D>, r: &mut [Vector<D>], stop: &Stop) -> Outcome {
        let mut watch = stop.watch_each(problem);
        let mut inner = match self.inner_method() {
            Ok(method) => method.build::<D>(),
            Err(reason) => {
                watch.note(reason);
                watch.end(Status::Broken);
                return watch.finish(r);
            }
        };
        let mut convex = problem.with_laws(Law::associated);
        let mut inner_iterations = 0;
        let (mut best, mut best_at) = (f64::INFINITY, 0);
        while watch.goes_on(r) {
            if watch.measure() < best {
                (best, best_at) = (watch.measure(), watch.iterations());
            } else if watch.iterations() > best_at + PATIENCE {
                watch.end(Status::Stalled);
                break;
            }
            // the shift, μ s with s = |u_T|, enters the normal velocity, Bloch 2023 (39)
            for (i, law) in problem.laws.iter().enumerate() {
                convex.q[i] = problem.q[i];
                convex.q[i][0] += law.shift(&watch.velocities()[i]);
            }
            // the shift makes q, and with it the yardstick of the convex problem, larger
            let size = |q: &[Vector<D>]| parallel::sum(q.len(), |i| q[i].norm_squared()).sqrt();
            let share = (size(&problem.q) / size(&convex.q)).min(1.0);
            let wanted = (self.inner_share * watch.measure()).max(0.1 * stop.tolerance);
            let inner_stop = Stop {
                tolerance: if share > 0.0 { share * wanted } else { wanted },
                max_iterations: self.inner_iterations,
                ..watch.inner_stop()
            };
            inner_iterations += inner.solve(&convex, r, &inner_stop).iterations;
        }
        watch.note(format!("{inner_iterations} iterations of the convex solver in all"));
        let outcome = watch.finish(r);
        if outcome.status != Status::Converged || self.polish == 1.0 {
            return outcome;
        }
        let polished = self.polishing().solve(problem, r, stop);
        Outcome {
            iterations: outcome.iterations + polished.iterations,
            seconds: outcome.seconds + polished.seconds,
            residual: polished.residual,
            ..outcome
        }
    }
}
