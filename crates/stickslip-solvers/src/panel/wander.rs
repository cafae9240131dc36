//! Sweeps that do not settle: every few thousand sweeps another order and another ω where they find no rest, and least squares from the best
//! of each stretch.
//!
//! ```text
//! stretch   r_i ← r_i + ω_i (one contact solved − r_i)      in an order of its own, from where the last one ended; plain the first time
//! after it  least squares from the best impulses of the stretch, where these are near the tolerance;
//!           another ω and another order at random for each knot of contacts that hold what is left of the residual
//! ```
//!
//! Several walks go on at the same time, the first from the impulses at the start, the others from none, each with its own orders: on one
//! packing a walk from the one gets there in a second and from the other never, on the next it is the reverse. They wait for each other after every
//! stretch, and end once one of them has got there; the answer is the best of all: what they find does not depend on the number of threads.
//!
//! Coulomb friction is not associated: of the solutions of a hyperstatic packing many repel sweeps, since the derivative of u by r in their state
//! of open, sticking and sliding contacts has eigenvalues with a negative real part, and sweeps with one ω and one order wander for ever
//! among the states that they know. Other sweeps wander otherwise: what is a cycle of one is left by the next. Some ten contacts
//! are restless at a time while the others have settled, so only those and their neighbours are swept otherwise ([`super::knots`]): a change
//! everywhere would unsettle all. Once a state is near enough, [`super::least_squares`] ends in it whether it attracts or not.
//!
//! Choose it for: packings of up to some thousand contacts that no other method brings to rest. Slow on: everything else.

use super::knots::Knots;
use super::least_squares::LeastSquares;
use super::sweeps::{Random, Rule, Sweeps, Visits, with_exact_rule};
use super::{Method, Solver};
use crate::block::Vector;
use crate::delassus::{Operator, Rows, with_form};
use crate::laws::Kind;
use crate::outcome::{Outcome, Status};
use crate::problem::ContactProblem;
use crate::stop::{Patience, Stop, Watch};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Settings of the wandering sweeps.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Wander {
    /// Sweeps of a stretch. Default 10 000.
    pub stretch: usize,
    /// Seed of orders and relaxations. Default 0.
    pub seed: u64,
    /// Walks at the same time, one a thread; the iterations are shared among them. Default 2.
    pub walks: usize,
}

impl Default for Wander {
    fn default() -> Self {
        Wander { stretch: 10_000, seed: 0, walks: 2 }
    }
}

/// Least squares are tried from residuals of up to this many times the tolerance: they gain one or two digits, not more.
const NEAR: f64 = 100.0;
/// A stretch that comes so near goes on for up to this many times its length.
const LONGER: usize = 4;
/// Steps of least squares at most, and when they are given up.
const STEPS: usize = 12;
const PATIENCE: Patience = Patience { iterations: 4, share: 0.8 };

/// Bounds of the settings: walks are given up between stretches, and each keeps half a dozen lists of all contacts.
const LONGEST_STRETCH: usize = 1_000_000_000;
const MOST_WALKS: usize = 256;

impl Method for Wander {
    const NAME: &'static str = "wander";
    const SUMMARY: &'static str =
        "restless sweeps, then least squares: for packings that nothing brings to rest";
    const PAPER: &'static str = "this project";
    const COVERS: &'static [Kind] = Kind::SMALL;

    fn validate(&self) -> Result<(), String> {
        match self {
            Wander { stretch, .. } if !(1..=LONGEST_STRETCH).contains(stretch) => {
                Err(format!("stretch = {stretch}: give a number from 1 to {LONGEST_STRETCH}"))
            }
            Wander { walks, .. } if !(1..=MOST_WALKS).contains(walks) => {
                Err(format!("walks = {walks}: give a number from 1 to {MOST_WALKS}"))
            }
            _ => Ok(()),
        }
    }

    fn build<const D: usize>(&self) -> Box<dyn Solver<D>> {
        Box::new(self.clone())
    }
}

impl<const D: usize> Solver<D> for Wander {
    fn solve(&mut self, problem: &ContactProblem<D>, r: &mut [Vector<D>], stop: &Stop) -> Outcome {
        let begun = Instant::now();
        let share = |k: usize| {
            let all = stop.max_iterations;
            let max_iterations = all / self.walks + usize::from(k < all % self.walks);
            Stop { max_iterations, ..stop.clone() }
        };
        let shares: Vec<Stop> = (0..self.walks).map(share).collect();
        let none = vec![Vector::zeros(); r.len()];
        let ends = with_exact_rule!(problem, rule => {
            with_form!(&*problem.W, W => {
                let walk = |k: usize| {
                    let from = if k == 0 { r.to_vec() } else { none.clone() };
                    let random = Random::new((k as u64) << 32 ^ self.seed);
                    Walk::new(Sweeps::new(W, problem, rule, &from), from, random, &shares[k])
                };
                together((0..self.walks).map(walk).collect(), self.stretch)
            })
        });
        let iterations = ends.iter().map(|end| end.outcome.iterations).sum();
        // where none got there, it is told why the first of those ended that did by themselves
        let reason =
            ends.iter().find(|end| end.ended).map_or(Status::IterationLimit, |end| end.outcome.status);
        let measure = |end: &End<D>| stop.measure(&end.outcome.residual);
        let best = ends.into_iter().min_by(|a, b| measure(a).total_cmp(&measure(b)));
        let best = best.expect("there is a walk");
        r.copy_from_slice(&best.r);
        let status = if measure(&best) <= stop.tolerance { best.outcome.status } else { reason };
        Outcome { status, iterations, seconds: begun.elapsed().as_secs_f64(), ..best.outcome }
    }
}

/// How a walk ended.
struct End<const D: usize> {
    outcome: Outcome,
    r: Vec<Vector<D>>,
    /// Whether it ended by itself, and not because another one did.
    ended: bool,
}

/// Goes on with all walks, stretch by stretch, until one of them ends; how each did.
fn together<const D: usize, F: Operator<D> + Rows<D>, R: Rule<D>>(
    mut walks: Vec<Walk<D, F, R>>,
    length: usize,
) -> Vec<End<D>> {
    // starts are kept as they are, should nothing be better; one that is there ends all before the first sweep
    for walk in &mut walks {
        walk.ended = !walk.watch.goes_on(&walk.r);
        if walk.ended {
            break;
        }
    }
    while walks.iter().all(|walk| !walk.ended) {
        walks.par_iter_mut().for_each(|walk| walk.ended = !walk.goes_on(length));
    }
    walks.into_iter().map(Walk::finish).collect()
}

/// Sweeps of one order after the other.
struct Walk<'a, const D: usize, F: Rows<D>, R: Rule<D>> {
    sweeps: Sweeps<'a, D, F, R>,
    r: Vec<Vector<D>>,
    watch: Watch<'a, D>,
    tolerance: f64,
    random: Random,
    knots: Knots,
    /// The best residual of this stretch, and its impulses.
    best: f64,
    near: Vec<Vector<D>>,
    u: Vec<Vector<D>>,
    stretches: usize,
    tries: usize,
    /// Whether its watch has called its end.
    ended: bool,
}

impl<'a, const D: usize, F: Operator<D> + Rows<D>, R: Rule<D>> Walk<'a, D, F, R> {
    fn new(sweeps: Sweeps<'a, D, F, R>, r: Vec<Vector<D>>, random: Random, stop: &'a Stop) -> Self {
        let zero = vec![Vector::zeros(); r.len()];
        Walk {
            watch: stop.watch_restless(sweeps.problem),
            sweeps,
            tolerance: stop.tolerance,
            random,
            knots: Knots::new(r.len()),
            r,
            best: f64::INFINITY,
            near: zero.clone(),
            u: zero,
            stretches: 0,
            tries: 0,
            ended: false,
        }
    }

    /// One stretch, and least squares where it came near; whether the walk goes on after it.
    fn goes_on(&mut self, length: usize) -> bool {
        if self.stretches > 0 {
            self.knots.redraw(self.sweeps.W, &mut self.random);
        }
        self.stretches += 1;
        if !self.stretch(length) {
            return false;
        }
        if !self.is_near() {
            return true;
        }
        self.tries += 1;
        self.polish()
    }

    fn finish(mut self) -> End<D> {
        let Walk { stretches, tries, ended, .. } = self;
        self.watch.note(format!("{stretches} stretches, least squares after {tries} of them"));
        End { outcome: self.watch.finish(&mut self.r), r: self.r, ended }
    }

    fn is_near(&self) -> bool {
        self.best <= NEAR * self.tolerance
    }

    /// Sweeps of one kind; whether the walk goes on.
    fn stretch(&mut self, length: usize) -> bool {
        self.best = f64::INFINITY;
        for sweep in 0..LONGER.saturating_mul(length) {
            if sweep >= length && !self.is_near() {
                break;
            }
            let due = self.watch.is_due();
            if due {
                self.release();
            }
            let Walk { sweeps, r, watch, knots, best, near, .. } = self;
            if due || sweeps.is_old() {
                sweeps.refresh(r);
            }
            if !watch.goes_on_from(r, |u| sweeps.velocities(r, u)) {
                return false;
            }
            if due {
                knots.look(sweeps.problem, r, watch.velocities());
                if watch.measure() < *best {
                    *best = watch.measure();
                    near.copy_from_slice(r);
                }
            }
            sweeps.sweep(r, 1.0, Visits::Paced(knots.visits()));
        }
        true
    }

    /// Open contacts carry nothing, whatever ω leaves them.
    fn release(&mut self) {
        let Walk { sweeps, r, u, .. } = self;
        sweeps.velocities(r, u);
        sweeps.problem.release_open(r, u);
    }

    /// Least squares from the best of the stretch; whether the walk goes on.
    fn polish(&mut self) -> bool {
        let Walk { sweeps, r, watch, near, .. } = self;
        let stop = Stop { patience: Some(PATIENCE), ..watch.inner_stop() };
        let stop = Stop { max_iterations: stop.max_iterations.min(STEPS), ..stop };
        let problem = sweeps.problem;
        let outcome = LeastSquares.solve(problem, near, &stop);
        watch.count(outcome.iterations);
        let u = problem.velocities(near);
        problem.release_open(near, &u);
        watch.look_next();
        let goes_on = watch.goes_on(near);
        if !goes_on {
            r.copy_from_slice(near);
        }
        goes_on
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fclib::Fclib;
    use crate::laws::Law;
    use crate::panel::Nlgs;
    use std::time::Duration;

    fn one_object() -> Fclib {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../problems/OneObject-i100000-316.hdf5");
        Fclib::read(path.as_ref()).unwrap()
    }

    #[test]
    fn a_cycle_of_plain_sweeps_is_left() {
        let file = one_object();
        let problem = file.problem::<3>(Law::coulomb).unwrap();
        let stop = Stop { max_iterations: 60_000, ..Stop::default() };
        let mut plain = Nlgs { damping: false, ..Nlgs::default() };
        assert_ne!(plain.solve(&problem, &mut file.start::<3>(), &stop).status, Status::Converged);
        let outcome = Wander::default().solve(&problem, &mut file.start::<3>(), &stop);
        assert_eq!(outcome.status, Status::Converged, "{outcome:?}");
    }

    #[test]
    fn limits_hold_for_all_walks_together_and_are_told() {
        let file = one_object();
        let problem = file.problem::<3>(Law::coulomb).unwrap();
        let outcome = |stop: Stop| {
            let mut wander = Wander { walks: 3, ..Wander::default() };
            wander.solve(&problem, &mut file.start::<3>(), &Stop { tolerance: 1e-300, ..stop })
        };
        let brief = outcome(Stop {
            max_time: Some(Duration::from_millis(20)),
            max_iterations: usize::MAX,
            ..Stop::default()
        });
        assert_eq!(brief.status, Status::TimeLimit);
        for most in [1, 5, 1000] {
            let few = outcome(Stop { max_iterations: most, ..Stop::default() });
            assert!(few.status == Status::IterationLimit && few.iterations <= most, "{most}: {few:?}");
        }
    }

    #[test]
    fn settings_without_bounds_are_refused() {
        let refused = |wander: Wander| wander.validate().is_err();
        assert!(refused(Wander { stretch: usize::MAX / 2 + 1, ..Wander::default() }));
        assert!(refused(Wander { walks: 100_000_000, ..Wander::default() }));
        assert!(refused(Wander { walks: 0, ..Wander::default() }));
        assert!(!refused(Wander { stretch: 1, walks: 1, seed: 7 }));
    }

    #[test]
    fn walks_have_the_same_bits_on_any_number_of_threads() {
        let file = one_object();
        let problem = file.problem::<3>(Law::coulomb).unwrap();
        let stop = Stop { tolerance: 1e-300, max_iterations: 3000, ..Stop::default() };
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut r = file.start::<3>();
            let mut wander = Wander { stretch: 200, walks: 3, ..Wander::default() };
            let outcome = pool.install(|| wander.solve(&problem, &mut r, &stop));
            (r, outcome.iterations, outcome.residual)
        };
        let alone = on(1);
        assert!(alone.0.iter().any(|r| r.norm() > 0.0));
        assert!(alone == on(2) && alone == on(3));
    }
}
