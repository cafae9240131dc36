//! The default: starts with what is cheap, watches the residual, and escalates where it stands still.
//!
//! ```text
//! sweeps with momentum ─▶ careful momentum ─▶ proximal Newton (small problems) ─▶ lagged law ─▶ damped sweeps
//!                    ▲                                                                           │
//!                    └───────────── again from the best impulses, with four times the patience ◀─┘
//! ```
//!
//! Where joints make up a good part of a small problem, Newton's method comes before all that: it solves joints in one step,
//! along a chain of any length and any ratio of masses, where sweeps carry loads from body to body.
//!
//! Every stage starts from the best impulses of all before it, and ends when its residual falls by less than a tenth
//! while its iterations double. From the second round on, careful momentum also has a long try from the very start,
//! and small problems one by Newton's methods: a packing has many states of self-stress, and from some of them there is
//! no way on. Nothing is lost by that: the best impulses of all stages are kept. Patience is counted in iterations and
//! not in seconds: the same input gives the same bits on any machine and any number of threads.
//!
//! Choose it for: everything, unless you know better.

use super::nlgs_accelerated::{NlgsAccelerated, Restart};
use super::{AnyMethod, InteriorPoint, Method, Nlgs, Proximal, SemismoothNewton, Solver};
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
    /// What ends the momentum of the first sweeps: `turn` is made for packings at rest, `slowing` for collisions.
    /// Default `turn`.
    pub restart: Restart,
}

impl Default for Auto {
    fn default() -> Self {
        Auto { most_unknowns: 6000, restart: Restart::Turn }
    }
}

/// Sweeps before a stage may be given up, in the first round; four times as many in each further one.
const PATIENCE: Patience = Patience { iterations: 1000, share: 0.9 };
/// The same for stages whose iterations factorise a matrix.
const DEAR_PATIENCE: Patience = Patience { iterations: 16, share: 0.8 };
/// A stage from the start has this many times the patience of the others of its round.
const AFRESH: usize = 4;
/// After this many rounds without a better residual the solve ends.
const FRUITLESS_ROUNDS: u32 = 3;
/// Newton's method comes first where joints are at least this share of the blocks.
const MANY_JOINTS: f64 = 0.25;
/// How many contacts a failure names.
const NAMED: usize = 5;

impl Method for Auto {
    const NAME: &'static str = "auto";
    const SUMMARY: &'static str =
        "the default: escalates from accelerated sweeps to Newton methods as needed";
    const PAPER: &'static str = "this project";
    const COVERS: &'static [Kind] = Kind::ALL;

    fn build<const D: usize>(&self) -> Box<dyn Solver<D>> {
        Box::new(self.clone())
    }
}

/// A solver to try.
struct Candidate<const D: usize> {
    label: &'static str,
    solver: Box<dyn Solver<D>>,
    patience: Patience,
    /// Whether to start from where the whole solve did, and not from the best impulses.
    afresh: bool,
}

impl Auto {
    fn is_small<const D: usize>(&self, problem: &ContactProblem<D>) -> bool {
        D * problem.contacts() <= self.most_unknowns
    }

    /// Whether Newton's method comes first.
    fn is_jointed<const D: usize>(&self, problem: &ContactProblem<D>) -> bool {
        let joints = problem.laws.iter().filter(|law| law.kind() == Kind::Bilateral).count();
        let many = joints as f64 >= MANY_JOINTS * problem.contacts() as f64;
        many && self.is_small(problem) && covers_all(SemismoothNewton::COVERS, problem)
    }

    /// What is tried in a round, in this order.
    fn candidates<const D: usize>(&self, problem: &ContactProblem<D>, round: u32) -> Vec<Candidate<D>> {
        // the way on may lead over a hump: later rounds let the residual rise further before they turn back
        let momentum = NlgsAccelerated { rise: 10f64.powi(round as i32 + 1), ..NlgsAccelerated::default() };
        let sweeps = |label, solver| Candidate { label, solver, patience: PATIENCE, afresh: false };
        let dear = |label, solver| Candidate { label, solver, patience: DEAR_PATIENCE, afresh: false };
        let any = |kinds: &[Kind]| problem.laws.iter().any(|law| kinds.contains(&law.kind()));
        let coulomb = any(&[Kind::Coulomb]);
        let frictional = coulomb || any(&[Kind::Cohesive]);
        let small = self.is_small(problem) && covers_all(Proximal::COVERS, problem);
        let conic = covers_all(InteriorPoint::COVERS, problem);
        let newton = |method: AnyMethod| method.build::<D>();
        let careful = NlgsAccelerated { restart: Restart::Slowing, ..momentum.clone() };
        let mut list =
            vec![sweeps(momentum.label(), momentum.build()), sweeps(careful.label(), careful.build())];
        if self.restart == Restart::Slowing {
            list.swap(0, 1);
        }
        if small && (frictional || !conic) {
            list.push(dear("proximal", newton(Proximal::default().into())));
        } else if small {
            list.push(dear("interior-point", newton(InteriorPoint::default().into())));
        }
        if coulomb {
            let lagged = NlgsAccelerated { lag: 0.3, ..momentum };
            list.push(sweeps("nlgs-accelerated:lag=0.3", lagged.build()));
        }
        list.push(sweeps("nlgs", Nlgs::default().build()));
        if round > 0 && small && frictional {
            list.push(Candidate {
                afresh: true,
                ..dear("proximal from the start", newton(Proximal::default().into()))
            });
            if conic {
                list.push(dear("interior-point", newton(InteriorPoint::default().into())));
            }
        }
        if round > 0 {
            let careful = NlgsAccelerated { restart: Restart::Slowing, ..NlgsAccelerated::default() };
            list.push(Candidate {
                label: "nlgs-accelerated:restart=slowing from the start",
                solver: careful.build(),
                patience: Patience { iterations: AFRESH * PATIENCE.iterations, ..PATIENCE },
                afresh: true,
            });
        }
        list
    }
}

impl<const D: usize> Solver<D> for Auto {
    fn solve(&mut self, problem: &ContactProblem<D>, r: &mut [Vector<D>], stop: &Stop) -> Outcome {
        let mut escalation = Escalation::new(stop);
        let start = r.to_vec();
        if self.is_jointed(problem) {
            let mut newton = AnyMethod::from(SemismoothNewton::default()).build::<D>();
            let outcome = escalation.attempt("semismooth-newton", newton.as_mut(), DEAR_PATIENCE, problem, r);
            if !is_stuck(&outcome) {
                return escalation.finish(outcome, problem, r);
            }
        }
        let mut first = NlgsAccelerated { restart: self.restart, ..NlgsAccelerated::default() };
        let mut outcome = escalation.attempt(first.label(), &mut first, PATIENCE, problem, r);
        if is_stuck(&outcome) {
            outcome = escalation.rounds(self, outcome, problem, &start, r);
        }
        escalation.finish(outcome, problem, r)
    }
}

/// Whether a method knows every law of a problem.
fn covers_all<const D: usize>(covers: &[Kind], problem: &ContactProblem<D>) -> bool {
    problem.laws.iter().all(|law| covers.contains(&law.kind()))
}

/// Whether another method may get further.
fn is_stuck(outcome: &Outcome) -> bool {
    matches!(outcome.status, Status::Stalled | Status::Broken)
}

/// The stages so far, of one solve.
struct Escalation<'a> {
    stop: &'a Stop,
    start: Instant,
    iterations: usize,
    stages: Vec<Stage>,
    trace: Vec<Check>,
}

impl<'a> Escalation<'a> {
    fn new(stop: &'a Stop) -> Self {
        Escalation { stop, start: Instant::now(), iterations: 0, stages: Vec::new(), trace: Vec::new() }
    }

    /// Runs one stage from r; r is never worse after it.
    fn attempt<const D: usize>(
        &mut self,
        label: &str,
        solver: &mut dyn Solver<D>,
        patience: Patience,
        problem: &ContactProblem<D>,
        r: &mut [Vector<D>],
    ) -> Outcome {
        let stop = Stop {
            max_iterations: self.stop.max_iterations.saturating_sub(self.iterations),
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
            notes: std::mem::take(&mut outcome.notes),
        });
        self.trace.extend(outcome.trace.iter().map(|check| later(check, self.iterations, begun)));
        self.iterations += outcome.iterations;
        outcome
    }

    /// Tries the others, and then all again with more patience, until one gets there or none gets on.
    fn rounds<const D: usize>(
        &mut self,
        auto: &Auto,
        mut outcome: Outcome,
        problem: &ContactProblem<D>,
        start: &[Vector<D>],
        r: &mut [Vector<D>],
    ) -> Outcome {
        let mut fruitless = 0;
        for round in 0.. {
            let before = self.stop.measure(&outcome.residual);
            // in the first round the first candidate has just had its turn
            for mut candidate in auto.candidates(problem, round).into_iter().skip(usize::from(round == 0)) {
                let more = 4usize.saturating_pow(round);
                candidate.patience.iterations = candidate.patience.iterations.saturating_mul(more);
                let Candidate { label, mut solver, patience, afresh } = candidate;
                let mut from = if afresh { start.to_vec() } else { r.to_vec() };
                let next = self.attempt(label, solver.as_mut(), patience, problem, &mut from);
                let (status, stuck) = (next.status, is_stuck(&next));
                let measure = |outcome: &Outcome| self.stop.measure(&outcome.residual);
                // a residual that is not a number is the worst
                if measure(&next).total_cmp(&measure(&outcome)).is_le() {
                    r.copy_from_slice(&from);
                    outcome = next;
                } else {
                    outcome = Outcome { status, ..outcome };
                }
                if !stuck {
                    return outcome;
                }
            }
            let better = self.stop.measure(&outcome.residual) < PATIENCE.share * before;
            fruitless = if better { 0 } else { fruitless + 1 };
            if fruitless >= FRUITLESS_ROUNDS {
                break;
            }
        }
        outcome
    }

    /// The certificate of the whole.
    fn finish<const D: usize>(
        self,
        outcome: Outcome,
        problem: &ContactProblem<D>,
        r: &[Vector<D>],
    ) -> Outcome {
        let mut notes = Vec::new();
        if outcome.status != Status::Converged {
            let worst = worst_contacts(problem, r, NAMED);
            let names: Vec<String> = worst.iter().map(|(contact, _)| contact.to_string()).collect();
            notes.push(format!("the contacts that resist most: {}", names.join(", ")));
        }
        Outcome {
            iterations: self.iterations,
            seconds: self.start.elapsed().as_secs_f64(),
            notes,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fclib::Fclib;
    use crate::laws::Law;

    /// A problem on which sweeps fall into a cycle.
    fn solve(stop: &Stop) -> Outcome {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../problems/OneObject-i100000-316.hdf5");
        let file = Fclib::read(path.as_ref()).unwrap();
        let problem = file.problem::<3>(Law::coulomb).unwrap();
        Auto::default().solve(&problem, &mut file.start::<3>(), stop)
    }

    #[test]
    fn escalation_gets_there_and_never_loses_what_was_reached() {
        let stop = Stop::default();
        let outcome = solve(&stop);
        assert_eq!(outcome.status, Status::Converged);
        assert!(outcome.stages.len() > 1, "{:?}", outcome.stages);
        assert_eq!(outcome.iterations, outcome.stages.iter().map(|stage| stage.iterations).sum::<usize>());
        let measures = outcome.stages.iter().map(|stage| stop.measure(&stage.residual));
        let reached = stop.measure(&outcome.residual);
        assert!(measures.into_iter().all(|measure| reached <= measure), "{:?}", outcome.stages);
        assert!(outcome.trace.is_sorted_by_key(|check| check.iteration));
    }

    #[test]
    fn failure_names_the_contacts_that_resist() {
        let outcome = solve(&Stop { max_iterations: 1200, ..Stop::default() });
        assert_eq!(outcome.status, Status::IterationLimit);
        assert!(outcome.notes.iter().any(|note| note.contains("resist most: ")), "{:?}", outcome.notes);
    }
}
