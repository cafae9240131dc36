//! Sweeps that do not settle: another order and another ω every few thousand sweeps, and least squares from the best of each stretch.
//!
//! ```text
//! stretch   ω and an order of the contacts at random; r_i ← r_i + ω (one contact solved − r_i)      from where the last one ended
//! after it  least squares from the best impulses of the stretch, where these are near the tolerance
//! ```
//!
//! Coulomb friction is not associated: of the solutions of a hyperstatic packing many repel sweeps, since the derivative of u by r in their state
//! of open, sticking and sliding contacts has eigenvalues with a negative real part, and sweeps with one ω and one order wander for ever
//! among the states that they know. Other sweeps wander otherwise. What is a cycle of one is left by the next, and
//! once a state is near enough, [`super::least_squares`] ends in it whether it attracts or not.
//!
//! Choose it for: packings of up to some thousand contacts that no other method brings to rest. Slow on: everything else.

use super::least_squares::LeastSquares;
use super::sweeps::{Random, Rule, Sweeps, Visits, with_exact_rule};
use super::{Method, Solver};
use crate::block::Vector;
use crate::delassus::{Operator, Rows, with_form};
use crate::laws::Kind;
use crate::outcome::Outcome;
use crate::problem::ContactProblem;
use crate::stop::{Patience, Stop, Watch};
use serde::{Deserialize, Serialize};

/// Settings of the wandering sweeps.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Wander {
    /// Sweeps of a stretch. Default 10 000.
    pub stretch: usize,
    /// Seed of orders and relaxations. Default 0.
    pub seed: u64,
}

impl Default for Wander {
    fn default() -> Self {
        Wander { stretch: 10_000, seed: 0 }
    }
}

/// ω of a stretch is between these.
const RELAXATION: (f64, f64) = (0.3, 1.6);
/// Least squares are tried from residuals of up to this many times the tolerance: they gain one or two digits, not more.
const NEAR: f64 = 100.0;
/// A stretch that comes so near goes on for up to this many times its length.
const LONGER: usize = 4;
/// Steps of least squares at most, and when they are given up.
const STEPS: usize = 12;
const PATIENCE: Patience = Patience { iterations: 4, share: 0.8 };

impl Method for Wander {
    const NAME: &'static str = "wander";
    const SUMMARY: &'static str =
        "restless sweeps, then least squares: for packings that nothing brings to rest";
    const PAPER: &'static str = "this project";
    const COVERS: &'static [Kind] = Kind::SMALL;

    fn validate(&self) -> Result<(), String> {
        if self.stretch == 0 { Err("stretch = 0: give at least 1".into()) } else { Ok(()) }
    }

    fn build<const D: usize>(&self) -> Box<dyn Solver<D>> {
        Box::new(self.clone())
    }
}

impl<const D: usize> Solver<D> for Wander {
    fn solve(&mut self, problem: &ContactProblem<D>, r: &mut [Vector<D>], stop: &Stop) -> Outcome {
        let mut watch = stop.watch_restless(problem);
        with_exact_rule!(problem, rule => {
            with_form!(&*problem.W, W => {
                Walk::new(Sweeps::new(W, problem, rule, r), stop).run(self, r, &mut watch);
            });
        });
        watch.finish(r)
    }
}

/// The sweeps of one solve.
struct Walk<'a, const D: usize, F: Rows<D>, R: Rule<D>> {
    sweeps: Sweeps<'a, D, F, R>,
    stop: &'a Stop,
    /// The best residual of this stretch, and its impulses.
    best: f64,
    near: Vec<Vector<D>>,
    u: Vec<Vector<D>>,
}

impl<'a, const D: usize, F: Operator<D> + Rows<D>, R: Rule<D>> Walk<'a, D, F, R> {
    fn new(sweeps: Sweeps<'a, D, F, R>, stop: &'a Stop) -> Self {
        let zero = vec![Vector::zeros(); sweeps.problem.contacts()];
        Walk { sweeps, stop, best: f64::INFINITY, near: zero.clone(), u: zero }
    }

    fn run(mut self, settings: &Wander, r: &mut [Vector<D>], watch: &mut Watch<D>) {
        // the start is kept as it is, should nothing be better
        if !watch.goes_on(r) {
            return;
        }
        let mut random = Random::new(settings.seed);
        let mut order: Vec<u32> = (0..r.len() as u32).collect();
        let (mut tries, mut stretches) = (0, 0);
        loop {
            let omega = random.between(RELAXATION.0, RELAXATION.1);
            random.shuffle(&mut order);
            stretches += 1;
            if !self.stretch(settings.stretch, omega, &order, r, watch) {
                break;
            }
            if self.is_near() {
                tries += 1;
                if !self.polish(r, watch) {
                    break;
                }
            }
        }
        watch.note(format!("{stretches} stretches, least squares after {tries} of them"));
    }

    fn is_near(&self) -> bool {
        self.best <= NEAR * self.stop.tolerance
    }

    /// Sweeps of one kind; whether the solve goes on.
    fn stretch(
        &mut self,
        length: usize,
        omega: f64,
        order: &[u32],
        r: &mut [Vector<D>],
        watch: &mut Watch<D>,
    ) -> bool {
        self.best = f64::INFINITY;
        for sweep in 0..LONGER * length {
            if sweep >= length && !self.is_near() {
                break;
            }
            let due = watch.is_due();
            if due {
                self.release(r);
            }
            if due || self.sweeps.is_old() {
                self.sweeps.refresh(r);
            }
            if !watch.goes_on_from(r, |u| self.sweeps.velocities(r, u)) {
                return false;
            }
            if due && watch.measure() < self.best {
                self.best = watch.measure();
                self.near.copy_from_slice(r);
            }
            self.sweeps.sweep(r, omega, Visits::Listed(order));
        }
        true
    }

    /// Open contacts carry nothing, whatever ω leaves them.
    fn release(&mut self, r: &mut [Vector<D>]) {
        let mut u = std::mem::take(&mut self.u);
        self.sweeps.velocities(r, &mut u);
        self.sweeps.problem.release_open(r, &u);
        self.u = u;
    }

    /// Least squares from the best of the stretch; whether the solve goes on.
    fn polish(&mut self, r: &mut [Vector<D>], watch: &mut Watch<D>) -> bool {
        let stop = Stop { patience: Some(PATIENCE), ..watch.inner_stop() };
        let stop = Stop { max_iterations: stop.max_iterations.min(STEPS), ..stop };
        let problem = self.sweeps.problem;
        let outcome = LeastSquares.solve(problem, &mut self.near, &stop);
        watch.count(outcome.iterations);
        let u = problem.velocities(&self.near);
        problem.release_open(&mut self.near, &u);
        watch.look_next();
        let goes_on = watch.goes_on(&self.near);
        if !goes_on {
            r.copy_from_slice(&self.near);
        }
        goes_on
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fclib::Fclib;
    use crate::laws::Law;
    use crate::outcome::Status;
    use crate::panel::Nlgs;

    #[test]
    fn a_cycle_of_plain_sweeps_is_left() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../problems/OneObject-i100000-316.hdf5");
        let file = Fclib::read(path.as_ref()).unwrap();
        let problem = file.problem::<3>(Law::coulomb).unwrap();
        let stop = Stop { max_iterations: 60_000, ..Stop::default() };
        let mut plain = Nlgs { damping: false, ..Nlgs::default() };
        assert_ne!(plain.solve(&problem, &mut file.start::<3>(), &stop).status, Status::Converged);
        let outcome = Wander::default().solve(&problem, &mut file.start::<3>(), &stop);
        assert_eq!(outcome.status, Status::Converged, "{outcome:?}");
    }
}
