//! Gauss–Seidel sweeps with momentum.
//!
//! ```text
//! y  = r + β (r − r⁻)        β from Nesterov's sequence, back to 0 where the sweep went against the momentum
//! r⁺ = one sweep from y
//! ```
//!
//! In hyperstatic packings the impulses creep: a sweep moves them by the small velocities that are left, in a direction
//! that hardly changes, over a long way. Momentum grows along such a way, so that thousands of sweeps become dozens.
//!
//! Sweeps of Coulomb's law are not the steps of a minimisation, and momentum can carry them away. Where the residual
//! rises far above the best one, the method returns to the best impulses and allows less momentum from there on. A
//! `lag` makes the law convex at every moment (see [`Lagged`]), which is steadier and slower.
//!
//! Where all laws are obeyed to the tolerance and only a few contacts still close faster than [`Stop::approach`] allows,
//! these and the ones they push are visited alone; see [`closing`](super::closing).
//!
//! Slabs of the contact graph are swept in parallel, with the same bits on any number of threads.
//!
//! Choose it for: almost everything from 10⁻⁴ down to 10⁻⁸. Stalls on: loose 2D packings and high friction, where
//! impulses of cycling contacts never settle.

use super::sweeps::{Carried, Lagged, Rule, Standstill, Sweeps, Way, with_exact_rule};
use super::{Method, Solver};
use crate::block::Vector;
use crate::delassus::{Arranged, Operator, Part, Rows, with_form};
use crate::laws::Kind;
use crate::outcome::Outcome;
use crate::parallel;
use crate::problem::ContactProblem;
use crate::stop::{Stop, Watch};
use serde::{Deserialize, Serialize};

/// Settings of the accelerated sweeps.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct NlgsAccelerated {
    /// How fast the slip speed s of the lagged law follows |u_T|, a share in (0, 1] a sweep; 0 solves Coulomb's law
    /// itself at each visit. Default 0.
    pub lag: f64,
    /// What ends the momentum. Default `turn`.
    pub restart: Restart,
    /// The residual may rise to this multiple of the best one before the sweeps return to the best impulses. Default 10.
    pub rise: f64,
}

/// When β goes back to 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Restart {
    /// Where a sweep goes against the momentum, `(y − r⁺)·(r⁺ − r) > 0`: fast. Sweeps that stand still go on by `slowing`.
    #[default]
    Turn,
    /// Where a sweep moves the impulses less than the one before: careful.
    Slowing,
}

impl Default for NlgsAccelerated {
    fn default() -> Self {
        NlgsAccelerated { lag: 0.0, restart: Restart::Turn, rise: 10.0 }
    }
}

/// First sweep at which a standstill is asked for: momentum has its ups and downs.
const FIRST_DOUBT: usize = 1000;
/// Momentum at the start is at most this.
const MOST_MOMENTUM: f64 = 0.999;
/// After a return the distance of β from 1 is multiplied by this, down to the least momentum.
const LESS: f64 = 3.0;
const LEAST_MOMENTUM: f64 = 0.5;
/// At each better residual it is divided by this.
const MORE: f64 = 1.1;

impl Method for NlgsAccelerated {
    const NAME: &'static str = "nlgs-accelerated";
    const SUMMARY: &'static str = "Gauss-Seidel sweeps with momentum, parallel in slabs of the contact graph";
    const PAPER: &'static str = "this project; Nesterov 1983, O'Donoghue–Candès 2015";
    const COVERS: &'static [Kind] = Kind::ALL;

    fn validate(&self) -> Result<(), String> {
        if !(0.0..=1.0).contains(&self.lag) {
            return Err(format!("lag = {} is outside [0, 1]: 0 solves Coulomb's law itself", self.lag));
        }
        if self.rise.is_nan() || self.rise <= 1.0 {
            return Err(format!("rise = {}: give more than 1", self.rise));
        }
        Ok(())
    }

    fn build<const D: usize>(&self) -> Box<dyn Solver<D>> {
        Box::new(self.clone())
    }
}

impl<const D: usize> Solver<D> for NlgsAccelerated {
    fn solve(&mut self, problem: &ContactProblem<D>, r: &mut [Vector<D>], stop: &Stop) -> Outcome {
        match Arranged::of(problem) {
            Some(arranged) => parallel::among_the_threads(|| {
                arranged.solve(r, stop, |problem, slabs, r, stop| self.accelerated(problem, slabs, r, stop))
            }),
            None => self.accelerated(problem, &[], r, stop),
        }
    }
}

impl NlgsAccelerated {
    /// How the stages of a solve name it.
    pub(super) fn label(&self) -> &'static str {
        match self.restart {
            Restart::Turn => "nlgs-accelerated",
            Restart::Slowing => "nlgs-accelerated:restart=slowing",
        }
    }

    fn accelerated<const D: usize>(
        &self,
        problem: &ContactProblem<D>,
        slabs: &[Part],
        r: &mut [Vector<D>],
        stop: &Stop,
    ) -> Outcome {
        let mut watch = stop.watch(problem);
        let frictional = problem.laws.iter().any(|law| law.kind() == Kind::Coulomb);
        if self.lag > 0.0 && frictional {
            self.run(problem, Lagged { rate: self.lag }, slabs, r, &mut watch);
        } else {
            with_exact_rule!(problem, rule => self.run(problem, rule, slabs, r, &mut watch));
        }
        watch.finish(r)
    }

    fn run<const D: usize, R: Rule<D>>(
        &self,
        problem: &ContactProblem<D>,
        rule: R,
        slabs: &[Part],
        r: &mut [Vector<D>],
        watch: &mut Watch<D>,
    ) {
        with_form!(&*problem.W, W => {
            let sweeps = Sweeps::new(W, problem, rule, r);
            Momentum::new(self, W, sweeps, slabs, r).run(r, watch);
        });
    }
}

/// Sweeps with momentum.
struct Momentum<'a, const D: usize, F: Rows<D>, R: Rule<D>> {
    rise: f64,
    restart: Restart,
    W: &'a F,
    sweeps: Sweeps<'a, D, F, R>,
    slabs: &'a [Part],
    /// Impulses before the last sweep, less its momentum, and the state that belongs to them.
    r_last: Vec<Vector<D>>,
    cells_last: Vec<F::Cell>,
    /// Traces of W_ii, which turn impulses into velocities.
    weights: Vec<f64>,
    /// What the last sweep did.
    way: Way,
    /// `|r⁺ − r|²` of the sweep before.
    length_squared_before: f64,
    /// Nesterov's sequence.
    theta: f64,
    /// Bound of β.
    most: f64,
}

impl<'a, const D: usize, F: Operator<D> + Rows<D>, R: Rule<D>> Momentum<'a, D, F, R> {
    fn new(
        settings: &'a NlgsAccelerated,
        W: &'a F,
        sweeps: Sweeps<'a, D, F, R>,
        slabs: &'a [Part],
        r: &[Vector<D>],
    ) -> Self {
        let cells_last = sweeps.cells.clone();
        Momentum {
            rise: settings.rise,
            restart: settings.restart,
            W,
            sweeps,
            slabs,
            r_last: r.to_vec(),
            cells_last,
            weights: (0..r.len()).map(|i| W.diagonal(i).trace()).collect(),
            way: Way::default(),
            length_squared_before: 0.0,
            theta: 1.0,
            most: MOST_MOMENTUM,
        }
    }

    fn run(mut self, r: &mut [Vector<D>], watch: &mut Watch<D>) {
        let mut best = f64::INFINITY;
        let mut returns = 0;
        let mut standstill = Standstill::new(1.0, FIRST_DOUBT);
        let mut closed = false;
        loop {
            let due = watch.is_due();
            if !watch.goes_on_from(r, |u| self.sweeps.velocities(r, u)) {
                break;
            }
            let returns_to_best = due && watch.measure() > self.rise * best;
            if due {
                if returns_to_best {
                    returns += 1;
                    if let Some(best) = watch.best() {
                        r.copy_from_slice(best);
                    }
                    self.begin_again(r);
                } else if watch.measure() < best {
                    best = watch.measure();
                    self.most = 1.0 - (1.0 - self.most) / MORE;
                }
            }
            // a round that has just failed waits for further sweeps
            closed = due
                && !(closed || returns_to_best)
                && watch.closing().is_some_and(|limit| self.sweeps.close(r, watch.velocities(), limit));
            if closed {
                self.stand(r);
                watch.look_next();
                continue;
            }
            if self.sweeps.is_old() {
                // both states: momentum would carry on the error of one alone, amplified
                self.sweeps.refresh(r);
                self.cells_last = self.W.start(&self.r_last);
            }
            if due && standstill.is_reached(watch) {
                match self.restart {
                    Restart::Turn => self.restart = Restart::Slowing,
                    Restart::Slowing => standstill.damp(),
                }
            }
            self.sweep(r, standstill.omega());
        }
        standstill.note(watch);
        if returns > 0 {
            watch.note(format!(
                "momentum carried the sweeps away and back to the best impulses, times: {returns}"
            ));
        }
    }

    /// From r, without momentum, and with less of it to come.
    fn begin_again(&mut self, r: &[Vector<D>]) {
        self.most = (1.0 - LESS * (1.0 - self.most)).max(LEAST_MOMENTUM);
        self.sweeps.refresh(r);
        self.stand(r);
    }

    /// From r and the state of the sweeps, without momentum.
    fn stand(&mut self, r: &[Vector<D>]) {
        self.forget();
        self.r_last.copy_from_slice(r);
        self.cells_last.copy_from_slice(&self.sweeps.cells);
    }

    fn forget(&mut self) {
        self.theta = 1.0;
        (self.way, self.length_squared_before) = (Way::default(), 0.0);
    }

    /// One sweep from the impulses r of the last one, with momentum.
    fn sweep(&mut self, r: &mut [Vector<D>], omega: f64) {
        if self.must_restart() {
            self.forget();
        }
        let theta_next = 0.5 * (1.0 + (1.0 + 4.0 * self.theta * self.theta).sqrt());
        let beta = ((self.theta - 1.0) / theta_next).min(self.most);
        self.theta = theta_next;

        let (cells, cells_last) = (&self.sweeps.cells, &mut self.cells_last);
        parallel::update(cells_last, |b, last| *last = F::extrapolated(&cells[b], last, beta));
        // now cells_last belongs to y and cells to r
        std::mem::swap(&mut self.sweeps.cells, &mut self.cells_last);

        let carried = Carried { beta, last: &mut self.r_last, weights: &self.weights, way: Way::default() };
        self.length_squared_before = self.way.length_squared;
        self.way = if self.slabs.is_empty() {
            self.sweeps.sweep_with(carried, r, omega)
        } else {
            self.sweeps.sweep_slabs_with(carried, r, omega, self.slabs)
        };
    }

    /// Whether momentum along the last sweep would go wrong.
    fn must_restart(&self) -> bool {
        match self.restart {
            Restart::Turn => self.way.against > 0.0,
            Restart::Slowing => self.length_squared_before > self.way.length_squared,
        }
    }
}
