//! The default: starts with what is cheap, watches the residual, and escalates where it stands still.
//!
//! ```text
//! sweeps with momentum, then with care ─▶ proximal Newton (small problems) ─▶ lagged law ─▶ damped sweeps
//!                                    ▲                                                       │
//!                                    └── again from the best impulses, four times the patience ◀─┘
//! ```
//!
//! The first sweeps have twice the patience of the others: where momentum stands still they go on with care and then damped,
//! from where they are, and that gets further than other sweeps do from the best impulses.
//!
//! A few contacts are solved before all that by sweeps and Newton's method on their states ([`few_contacts`](super::few_contacts)).
//!
//! Where joints make up a good part of a small problem, Newton's method comes before all that: it solves joints in one step,
//! along a chain of any length and any ratio of masses, where sweeps carry loads from body to body.
//!
//! Every stage starts from the best impulses of all before it, and ends when its residual falls by less than a tenth
//! while its iterations double. From the second round on, careful momentum also has a long try from the very start,
//! and small problems have one by Newton's method and some by an interior point: a packing has many states of self-stress,
//! and from some of them there is no way on. Nothing is lost by that: the best impulses of all stages are kept. Small problems with Coulomb
//! friction wander ([`wander`](super::wander)) for the better part of each round, from the best impulses and from none at the same time: where nothing
//! else has helped by then, most solutions repel the other sweeps.
//!
//! What factorises a matrix ends after a length that grows from round to round, even where it still comes down: on
//! packings that nothing brings to rest it would take all the time, in which sweeps get further. Where unknowns are few, it
//! costs no more than some thousands of sweeps: sweeps that do not come down well give way to it, from the very start. Where masses
//! differ by much, alternating directions come before it, and on more unknowns too.
//!
//! Patience and lengths are counted in iterations and not in seconds: the same input gives the same bits on any machine and
//! any number of threads.
//!
//! Choose it for: everything, unless you know better.

use super::few_contacts::FewContacts;
use super::nlgs_accelerated::{NlgsAccelerated, Restart};
use super::{Admm, AnyMethod, InteriorPoint, Method, Nlgs, Proximal, SemismoothNewton, Solver, Wander};
use crate::block::Vector;
use crate::laws::Kind;
use crate::outcome::{Check, Outcome, Stage, Status};
use crate::problem::ContactProblem;
use crate::residual::worst_contacts;
use crate::squeezed::{self, is_squeezed};
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
    /// Where unknowns are few, the part of the tolerance to go on to as long as that is cheap. Default 1: a solve ends at
    /// the tolerance.
    pub polish: f64,
}

impl Default for Auto {
    fn default() -> Self {
        Auto { most_unknowns: 6000, restart: Restart::Turn, polish: 1.0 }
    }
}

/// Sweeps before a stage may be given up, in the first round; four times as many in each further one.
const PATIENCE: Patience = Patience { iterations: 1000, share: 0.9 };
/// The same for the first sweeps: they turn careful and then damped by themselves, and need time for that.
const FIRST_PATIENCE: Patience = Patience { iterations: 2000, ..PATIENCE };
/// The same on few unknowns, where a solve by Newton's method costs as much as some thousands.
const SHORT_PATIENCE: Patience = Patience { iterations: 1000, share: 0.3 };
/// So many unknowns are few.
const FEW_UNKNOWNS: usize = 250;
/// So many are few where the scales of contacts differ by more than this factor, as by masses of bodies: sweeps carry loads from heavy
/// bodies to light ones slowly.
const FEW_UNEVEN_UNKNOWNS: usize = 2000;
const UNEVEN: f64 = 1e4;
/// Alternating directions, whose iterations cost as little as some sweeps, before they may be given up.
const ALTERNATING_PATIENCE: Patience = Patience { iterations: 3000, share: 0.8 };
/// So many are few enough to go on beyond the tolerance, with so much patience and so many iterations of a stage at most.
const POLISHED_UNKNOWNS: usize = 150;
const POLISHING_PATIENCE: Patience = Patience { iterations: 200, ..SHORT_PATIENCE };
const MOST_POLISHING: usize = 300;
/// What is finer than this, for each unknown, is rounding.
const ROUNDING: f64 = 1e-16;
/// The same as [`PATIENCE`] for stages whose iterations factorise a matrix: twice as much in each further round.
const DEAR_PATIENCE: Patience = Patience { iterations: 16, share: 0.8 };
/// In a round such a stage ends after this many times its patience, however steadily it comes down: sweeps must have their
/// turn.
const DEAR_LENGTH: usize = 4;
/// On a small problem, where other methods may get further, sweeps end after this many times their patience, however steadily they
/// come down.
const LENGTH: usize = 32;
/// Sweeps that wander, for which no patience is right, are this many times as many as those before another stage may be given up.
const WANDERING: usize = 20;
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

    fn validate(&self) -> Result<(), String> {
        if self.polish > 0.0 && self.polish <= 1.0 {
            return Ok(());
        }
        Err(format!("polish = {} is no part of the tolerance: give a number in (0, 1]", self.polish))
    }
}

/// A solver to try.
struct Candidate<const D: usize> {
    label: &'static str,
    solver: Box<dyn Solver<D>>,
    patience: Patience,
    /// Iterations at most.
    length: usize,
    /// Whether its iterations factorise a matrix.
    dear: bool,
    /// Whether to start from where the whole solve did, and not from the best impulses.
    afresh: bool,
}

impl<const D: usize> Candidate<D> {
    /// Sweeps, from the best impulses.
    fn sweeps(label: &'static str, solver: Box<dyn Solver<D>>) -> Self {
        Candidate { label, solver, patience: PATIENCE, length: usize::MAX, dear: false, afresh: false }
    }

    /// A method that factorises, from the best impulses.
    fn dear(label: &'static str, method: impl Into<AnyMethod>) -> Self {
        Candidate { patience: DEAR_PATIENCE, dear: true, ..Candidate::sweeps(label, method.into().build()) }
    }

    fn proximal_from_the_start() -> Self {
        Candidate { afresh: true, ..Candidate::dear("proximal from the start", Proximal::default()) }
    }
}

impl Auto {
    fn is_small<const D: usize>(&self, problem: &ContactProblem<D>) -> bool {
        D * problem.contacts() <= self.most_unknowns
    }

    /// Whether unknowns are so few, and known to Newton's method.
    fn is_cheap<const D: usize>(&self, problem: &ContactProblem<D>, few: usize) -> bool {
        D * problem.contacts() <= few && self.is_small(problem) && covers_all(Proximal::COVERS, problem)
    }

    /// The tolerance beyond the one asked for, where it is cheap to go on.
    fn finer<const D: usize>(&self, problem: &ContactProblem<D>, tolerance: f64) -> Option<f64> {
        let finer = (self.polish * tolerance).max(ROUNDING * (D * problem.contacts()) as f64);
        (finer < tolerance && self.is_cheap(problem, POLISHED_UNKNOWNS)).then_some(finer)
    }

    /// Whether Newton's method comes first.
    fn is_jointed<const D: usize>(&self, problem: &ContactProblem<D>) -> bool {
        let joints = problem.laws.iter().filter(|law| law.kind() == Kind::Bilateral).count();
        let many = joints as f64 >= MANY_JOINTS * problem.contacts() as f64;
        many && self.is_small(problem) && covers_all(SemismoothNewton::COVERS, problem)
    }

    /// What is tried first, in this order.
    fn openings<const D: usize>(&self, problem: &ContactProblem<D>, polishes: bool) -> Vec<Candidate<D>> {
        let first = NlgsAccelerated { restart: self.restart, ..NlgsAccelerated::default() };
        let length = if self.is_small(problem) { LENGTH * FIRST_PATIENCE.iterations } else { usize::MAX };
        let few = self.is_cheap(problem, FEW_UNKNOWNS);
        let uneven = !polishes && self.is_cheap(problem, FEW_UNEVEN_UNKNOWNS) && is_uneven(problem);
        let patience = match (polishes, few) {
            (true, true) => POLISHING_PATIENCE,
            (false, true) => SHORT_PATIENCE,
            (_, false) => FIRST_PATIENCE,
        };
        let mut list =
            vec![Candidate { patience, length, ..Candidate::sweeps(first.label(), first.build()) }];
        if uneven {
            let admm = AnyMethod::from(Admm::default()).build();
            let label = "admm from the start";
            list.push(Candidate {
                patience: ALTERNATING_PATIENCE,
                afresh: true,
                ..Candidate::sweeps(label, admm)
            });
        }
        if few {
            list.push(Candidate::proximal_from_the_start());
        }
        if self.is_jointed(problem) {
            list.insert(0, Candidate::dear("semismooth-newton", SemismoothNewton::default()));
        }
        list
    }

    /// What is tried in a round after that, in this order.
    fn candidates<const D: usize>(&self, problem: &ContactProblem<D>, round: u32) -> Vec<Candidate<D>> {
        // the way on may lead over a hump: later rounds let the residual rise further before they turn back
        let momentum = NlgsAccelerated { rise: 10f64.powi(round as i32 + 1), ..NlgsAccelerated::default() };
        let any = |kinds: &[Kind]| problem.laws.iter().any(|law| kinds.contains(&law.kind()));
        let coulomb = any(&[Kind::Coulomb]);
        let frictional = coulomb || any(&[Kind::Cohesive]);
        let small = self.is_small(problem) && covers_all(Proximal::COVERS, problem);
        let conic = covers_all(InteriorPoint::COVERS, problem);
        let wanders = small && coulomb;
        let others_have_failed = wanders && round > 1;
        let careful = NlgsAccelerated { restart: Restart::Slowing, ..momentum.clone() };
        let mut list = vec![Candidate::sweeps(careful.label(), careful.build())];
        let place = if self.restart == Restart::Turn { 0 } else { 1 };
        list.insert(place, Candidate::sweeps(momentum.label(), momentum.build()));
        if round == 0 && !self.is_cheap(problem, FEW_UNKNOWNS) {
            // the first sweeps have just had their turn, and so has care, which momentum takes where it stands still
            list.drain(..2 - place);
        }
        if small && (frictional || !conic) {
            list.push(Candidate::dear("proximal", Proximal::default()));
        } else if small {
            list.push(Candidate::dear("interior-point", InteriorPoint::default()));
        }
        if coulomb && !others_have_failed {
            let lagged = NlgsAccelerated { lag: 0.3, ..momentum };
            list.push(Candidate::sweeps("nlgs-accelerated:lag=0.3", lagged.build()));
        }
        if !others_have_failed {
            list.push(Candidate::sweeps("nlgs", Nlgs::default().build()));
        }
        if round == 1 && small && frictional {
            list.push(Candidate::proximal_from_the_start());
        }
        if round > 0 && small && frictional && conic {
            list.push(Candidate::dear("interior-point", InteriorPoint::default()));
        }
        if round > 0 && !others_have_failed {
            let careful = NlgsAccelerated { restart: Restart::Slowing, ..NlgsAccelerated::default() };
            list.push(Candidate {
                patience: Patience { iterations: AFRESH * PATIENCE.iterations, ..PATIENCE },
                afresh: true,
                ..Candidate::sweeps("nlgs-accelerated:restart=slowing from the start", careful.build())
            });
        }
        if wanders {
            list.push(Candidate {
                length: WANDERING.saturating_mul(PATIENCE.iterations),
                patience: Patience { iterations: usize::MAX, ..PATIENCE },
                ..Candidate::sweeps(Wander::NAME, Wander { seed: round.into(), ..Wander::default() }.build())
            });
        }
        for candidate in &mut list {
            let more = if candidate.dear { 2usize } else { 4 }.saturating_pow(round);
            candidate.patience.iterations = candidate.patience.iterations.saturating_mul(more);
            candidate.length = if candidate.dear {
                DEAR_LENGTH.saturating_mul(candidate.patience.iterations)
            } else if candidate.length < usize::MAX {
                candidate.length.saturating_mul(more)
            } else if small {
                LENGTH.saturating_mul(candidate.patience.iterations)
            } else {
                usize::MAX
            };
        }
        list
    }
}

impl<const D: usize> Solver<D> for Auto {
    fn solve(&mut self, problem: &ContactProblem<D>, r: &mut [Vector<D>], stop: &Stop) -> Outcome {
        let start = r.to_vec();
        let mut escalation = Escalation::new(problem, stop, &start);
        let finer = self.finer(problem, stop.tolerance);
        if let Some(finer) = finer {
            (escalation.stop.tolerance, escalation.most) = (finer, MOST_POLISHING);
        }
        let few = FewContacts::suit(problem)
            && escalation.attempt(Candidate::sweeps(FewContacts::LABEL, Box::new(FewContacts)), r);
        let openings = || self.openings(problem, finer.is_some()).into_iter();
        let ended = few || openings().any(|candidate| escalation.attempt(candidate, r));
        (escalation.stop.tolerance, escalation.most) = (stop.tolerance, usize::MAX);
        if !ended && !escalation.is_there() {
            escalation.rounds(self, r);
        }
        escalation.finish(r)
    }
}

/// Whether contacts are of very different scales.
fn is_uneven<const D: usize>(problem: &ContactProblem<D>) -> bool {
    let scales = (0..problem.contacts()).map(|i| problem.W.scale(i));
    let (least, most) = scales.fold((f64::INFINITY, 0.0f64), |(least, most), s| (least.min(s), most.max(s)));
    most > UNEVEN * least
}

/// Whether a method knows every law of a problem.
fn covers_all<const D: usize>(covers: &[Kind], problem: &ContactProblem<D>) -> bool {
    problem.laws.iter().all(|law| covers.contains(&law.kind()))
}

/// The stages so far, of one solve.
struct Escalation<'a, const D: usize> {
    problem: &'a ContactProblem<D>,
    /// Where the solve started from.
    start: &'a [Vector<D>],
    stop: Stop,
    /// Iterations of a stage at most.
    most: usize,
    clock: Instant,
    iterations: usize,
    /// Of the best impulses, with the status of the last stage.
    outcome: Option<Outcome>,
    stages: Vec<Stage>,
    trace: Vec<Check>,
}

impl<'a, const D: usize> Escalation<'a, D> {
    fn new(problem: &'a ContactProblem<D>, stop: &Stop, start: &'a [Vector<D>]) -> Self {
        Escalation {
            problem,
            start,
            stop: stop.clone(),
            most: usize::MAX,
            clock: Instant::now(),
            iterations: 0,
            outcome: None,
            stages: Vec::new(),
            trace: Vec::new(),
        }
    }

    /// What is left of the best impulses, as the tolerance measures it; a residual that is not a number is the worst.
    fn measure(&self) -> f64 {
        let measure = self.outcome.as_ref().map(|outcome| self.stop.measure(&outcome.residual));
        measure.filter(|measure| !measure.is_nan()).unwrap_or(f64::INFINITY)
    }

    /// Whether the best impulses are as good as the tolerance asks for.
    fn is_there(&self) -> bool {
        self.measure() <= self.stop.tolerance
    }

    /// Runs one stage, after which r is never worse; whether that ends the solve, and no other method may get further.
    fn attempt(&mut self, candidate: Candidate<D>, r: &mut [Vector<D>]) -> bool {
        let Candidate { label, mut solver, patience, length, dear: _, afresh } = candidate;
        let left = self.stop.max_iterations.saturating_sub(self.iterations);
        let most = length.min(self.most);
        let begun = self.clock.elapsed();
        let stop = Stop {
            max_iterations: left.min(most),
            max_time: self.stop.max_time.map(|limit| limit.saturating_sub(begun)),
            patience: Some(patience),
            ..self.stop.clone()
        };
        let mut from = if afresh { self.start.to_vec() } else { r.to_vec() };
        let mut next = solver.solve(self.problem, &mut from, &stop);
        self.stages.push(Stage {
            solver: label.to_string(),
            status: next.status,
            iterations: next.iterations,
            seconds: next.seconds,
            residual: next.residual,
            notes: std::mem::take(&mut next.notes),
        });
        self.trace.extend(next.trace.iter().map(|check| later(check, self.iterations, begun)));
        self.iterations += next.iterations;
        let status = next.status;
        let measure = self.stop.measure(&next.residual);
        match &mut self.outcome {
            Some(best) if measure.total_cmp(&self.stop.measure(&best.residual)).is_gt() => {
                best.status = status
            }
            best => {
                r.copy_from_slice(&from);
                *best = Some(next);
            }
        }
        match status {
            // no impulses can solve the problem
            Status::Broken if measure <= stop.tolerance => true,
            Status::Stalled | Status::Broken => false,
            Status::IterationLimit => left <= most,
            _ => true,
        }
    }

    /// Tries the others, and then all again with more patience, until one gets there or none gets on.
    fn rounds(&mut self, auto: &Auto, r: &mut [Vector<D>]) {
        let mut fruitless = 0;
        for round in 0.. {
            let before = self.measure();
            for candidate in auto.candidates(self.problem, round) {
                if self.attempt(candidate, r) {
                    return;
                }
            }
            let better = self.measure() < PATIENCE.share * before;
            fruitless = if better { 0 } else { fruitless + 1 };
            if fruitless >= FRUITLESS_ROUNDS {
                return;
            }
        }
    }

    /// The certificate of the whole.
    fn finish(self, r: &[Vector<D>]) -> Outcome {
        let within = self.is_there();
        let outcome = self.outcome.expect("there are openings");
        let squeezed = within && is_squeezed(self.problem, r, &outcome.residual, self.stop.tolerance);
        let mut notes = Vec::new();
        let status = match (within, squeezed) {
            (true, false) => Status::Converged,
            (true, true) => Status::Broken,
            (false, _) => outcome.status,
        };
        if squeezed {
            notes.push(squeezed::remark(&outcome.residual));
        }
        if status != Status::Converged {
            let worst = worst_contacts(self.problem, r, NAMED);
            let names: Vec<String> = worst.iter().map(|(contact, _)| contact.to_string()).collect();
            notes.push(format!("the contacts that resist most: {}", names.join(", ")));
        }
        Outcome {
            status,
            iterations: self.iterations,
            seconds: self.clock.elapsed().as_secs_f64(),
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
    fn solve(mut auto: Auto, stop: &Stop) -> Outcome {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../problems/OneObject-i100000-316.hdf5");
        let file = Fclib::read(path.as_ref()).unwrap();
        let problem = file.problem::<3>(Law::coulomb).unwrap();
        auto.solve(&problem, &mut file.start::<3>(), stop)
    }

    #[test]
    fn escalation_gets_there_and_never_loses_what_was_reached() {
        let stop = Stop::default();
        let outcome = solve(Auto::default(), &stop);
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
        let outcome = solve(Auto::default(), &Stop { max_iterations: 500, ..Stop::default() });
        assert_eq!(outcome.status, Status::IterationLimit);
        assert!(outcome.notes.iter().any(|note| note.contains("resist most: ")), "{:?}", outcome.notes);
    }

    #[test]
    fn polish_goes_on_beyond_the_tolerance_and_asks_for_no_more_than_that() {
        let stop = Stop { tolerance: 1e-6, ..Stop::default() };
        let outcome = solve(Auto { polish: 1e-5, ..Auto::default() }, &stop);
        assert!(stop.measure(&outcome.residual) <= 1e-11, "{:?}", outcome.residual);
        // what no method reaches is not missed
        let outcome = solve(Auto { polish: 1e-300, ..Auto::default() }, &stop);
        assert_eq!((outcome.status, outcome.notes.len()), (Status::Converged, 0));
        assert!(solve(Auto::default(), &Stop { max_iterations: 3, ..stop }).status != Status::Converged);
    }
}
