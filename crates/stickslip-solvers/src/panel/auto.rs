//! The default: starts with what is cheap, watches the residual, and escalates where it stands still.
//!
//! ```text
//! sweeps with momentum ─▶ proximal Newton (small problems) ─▶ careful momentum ─▶ lagged law ─▶ damped sweeps
//!                    ▲                                                                           │
//!                    └───────────── again from the best impulses, with four times the patience ◀─┘
//! ```
//!
//! Every stage starts from the best impulses of all before it, so that nothing is lost, and ends when its residual
//! falls by less than a fifth while its iterations double. Patience is counted in iterations and not in seconds: the
//! same input gives the same bits on any machine and any number of threads.
//!
//! Choose it for: everything, unless you know better.

use super::nlgs_accelerated::{NlgsAccelerated, Restart};
use super::{Admm, InteriorPoint, Method, Nlgs, Proximal, Solver};
use crate::block::Vector;
use crate::laws::Kind;
use crate::outcome::{Check, Outcome, Stage, Status};
use crate::problem::ContactProblem;
use crate::residual::worst_contacts;
use crate::stop::{Patience, Stop};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// Settings of the default solver.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Auto {
    /// Problems with more unknowns than this are not factorised. Default 6000.
    pub most_unknowns: usize,
}

impl Default for Auto {
    fn default() -> Self {
        Auto { most_unknowns: 6000 }
    }
}

/// Iterations before a stage may be given up, in the first round; four times as many in each further one.
const PATIENCE: Patience = Patience { iterations: 256, share: 0.8 };
/// The same for stages whose iterations factorise a matrix.
const DEAR_PATIENCE: Patience = Patience { iterations: 16, share: 0.8 };
/// After this many rounds without a better residual the solve ends.
const ROUNDS: u32 = 3;
/// How many contacts a failure names.
const NAMED: usize = 5;

impl Method for Auto {
    const NAME: &'static str = "auto";
    const SUMMARY: &'static str =
        "the default: escalates from accelerated sweeps to Newton methods as needed";
    const PAPER: &'static str = "this project";
    const COVERS: &'static [Kind] = Kind::ALL;

    fn validate(&self) -> Result<(), String> {
        Ok(())
    }

    fn build<const D: usize>(&self) -> Box<dyn Solver<D>> {
        Box::new(self.clone())
    }
}

/// A solver to try.
struct Candidate<const D: usize> {
    label: &'static str,
    solver: Box<dyn Solver<D>>,
    patience: Patience,
}

impl Auto {
    /// What is tried in one round, in this order.
    fn candidates<const D: usize>(&self, problem: &ContactProblem<D>) -> Vec<Candidate<D>> {
        let sweeps = |label, solver| Candidate { label, solver, patience: PATIENCE };
        let dear = |label, solver| Candidate { label, solver, patience: DEAR_PATIENCE };
        let frictional = problem.laws.iter().any(|law| law.kind() == Kind::Coulomb);
        let small = D * problem.contacts() <= self.most_unknowns;
        let mut list = vec![sweeps("nlgs-accelerated", NlgsAccelerated::default().build())];
        if small && frictional {
            list.push(dear("proximal", Proximal::default().build()));
        } else if small {
            list.push(dear("interior-point", InteriorPoint::default().build()));
        }
        let careful = NlgsAccelerated { restart: Restart::Slowing, ..NlgsAccelerated::default() };
        list.push(sweeps("nlgs-accelerated:restart=slowing", careful.build()));
        if frictional {
            let lagged = NlgsAccelerated { lag: 0.3, ..NlgsAccelerated::default() };
            list.push(sweeps("nlgs-accelerated:lag=0.3", lagged.build()));
        }
        if small {
            list.push(sweeps("admm", Admm::default().build()));
        }
        list.push(sweeps("nlgs", Nlgs::default().build()));
        list
    }
}

impl<const D: usize> Solver<D> for Auto {
    fn solve(&mut self, problem: &ContactProblem<D>, r: &mut [Vector<D>], stop: &Stop) -> Outcome {
        let mut escalation = Escalation::new(stop);
        let mut first = NlgsAccelerated::default();
        let mut outcome = escalation.attempt("nlgs-accelerated", &mut first, PATIENCE, problem, r);
        if outcome.status == Status::Stalled || outcome.status == Status::Broken {
            outcome = escalation.rounds(self.candidates(problem), outcome, problem, r);
        }
        escalation.finish(outcome, problem, r)
    }
}

/// The stages so far, of one solve.
struct Escalation<'a> {
    stop: &'a Stop,
    start: Instant,
    iterations: usize,
    stages: Vec<Stage>,
    trace: Vec<Check>,
    notes: Vec<String>,
}

impl<'a> Escalation<'a> {
    fn new(stop: &'a Stop) -> Self {
        let (stages, trace, notes) = (Vec::new(), Vec::new(), Vec::new());
        Escalation { stop, start: Instant::now(), iterations: 0, stages, trace, notes }
    }

    /// Runs one stage from the best impulses; r is never worse after it.
    fn attempt<const D: usize>(
        &mut self,
        label: &str,
        solver: &mut dyn Solver<D>,
        patience: Patience,
        problem: &ContactProblem<D>,
        r: &mut [Vector<D>],
    ) -> Outcome {
        let stop = Stop {
            max_iterations: self.stop.max_iterations - self.iterations,
            max_time: self.stop.max_time.map(|limit| limit.saturating_sub(self.start.elapsed())),
            patience: Some(patience),
            ..self.stop.clone()
        };
        let begun = self.start.elapsed();
        let mut outcome = solver.solve(problem, r, &stop);
        self.stages.push(Stage {
            solver: label.to_string(),
            status: outcome.status,
            iterations: outcome.iterations,
            seconds: outcome.seconds,
            residual: outcome.residual,
        });
        self.trace.extend(outcome.trace.iter().map(|check| later(check, self.iterations, begun)));
        self.notes.append(&mut outcome.notes);
        self.iterations += outcome.iterations;
        outcome
    }

    /// Tries the others, and then all again with more patience, until one gets there or none gets on.
    fn rounds<const D: usize>(
        &mut self,
        mut candidates: Vec<Candidate<D>>,
        mut outcome: Outcome,
        problem: &ContactProblem<D>,
        r: &mut [Vector<D>],
    ) -> Outcome {
        let mut fruitless = 0;
        // the first candidate has just had its turn
        for (round, skipped) in [1].into_iter().chain(std::iter::repeat(0)).enumerate() {
            let before = outcome.residual.measure(self.stop.criterion);
            for candidate in candidates.iter_mut().skip(skipped) {
                let patience = Patience {
                    iterations: candidate
                        .patience
                        .iterations
                        .saturating_mul(4usize.saturating_pow(round as u32)),
                    ..candidate.patience
                };
                outcome = self.attempt(candidate.label, candidate.solver.as_mut(), patience, problem, r);
                if !matches!(outcome.status, Status::Stalled | Status::Broken) {
                    return outcome;
                }
            }
            let better = outcome.residual.measure(self.stop.criterion) < PATIENCE.share * before;
            fruitless = if better { 0 } else { fruitless + 1 };
            if fruitless >= ROUNDS {
                break;
            }
        }
        outcome
    }

    /// The certificate of the whole.
    fn finish<const D: usize>(
        mut self,
        outcome: Outcome,
        problem: &ContactProblem<D>,
        r: &[Vector<D>],
    ) -> Outcome {
        if outcome.status != Status::Converged {
            let worst = worst_contacts(problem, r, NAMED);
            let names: Vec<String> = worst.iter().map(|(contact, _)| contact.to_string()).collect();
            self.notes.push(format!("the contacts that resist most: {}", names.join(", ")));
        }
        Outcome {
            iterations: self.iterations,
            seconds: self.start.elapsed().as_secs_f64(),
            notes: self.notes,
            trace: self.trace,
            stages: self.stages,
            ..outcome
        }
    }
}

/// A look at the residual as seen from the start of the whole solve.
fn later(check: &Check, iterations: usize, begun: Duration) -> Check {
    Check { iteration: check.iteration + iterations, seconds: check.seconds + begun.as_secs_f64(), ..*check }
}
