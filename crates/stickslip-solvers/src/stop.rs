//! When to stop, and the watch that decides it from the true residual.
//!
//! A solver asks [`Watch::goes_on`] before each iteration. The watch recomputes the residual at every second or fourth
//! iteration at first, then at intervals that grow with the count (never more than an eighth of it, so that looking costs
//! little and overshoots little), keeps the best impulses seen, and ends the solve on convergence, limits, a call from
//! outside, or a residual that no longer moves. A solver may lend it the velocities it carries along; success is certified
//! from (W, q, r) alone.

use crate::block::Vector;
use crate::delassus::Product;
use crate::outcome::{Check, Outcome, Status};
use crate::parallel;
use crate::problem::ContactProblem;
use crate::residual::{Criterion, Residual, residual_by};
use crate::squeezed::{self, is_squeezed};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Called at each look at the residual.
pub type Progress = Arc<dyn Fn(&Check) + Send + Sync>;

/// What ends a solve.
#[derive(Clone)]
pub struct Stop {
    /// Residual to reach. Default 1e-8.
    pub tolerance: f64,
    /// Which residual the tolerance is meant for. Default both.
    pub criterion: Criterion,
    /// Largest speed at which a one-sided contact may still close. Default any.
    pub approach: Option<f64>,
    /// Largest number of iterations. Default 1 000 000.
    pub max_iterations: usize,
    /// Largest wall time. Default none.
    pub max_time: Option<Duration>,
    /// Ends a solve whose residual stands still, so that another method can have a try. Default none.
    pub patience: Option<Patience>,
    /// Set from outside to end the solve with what it has.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// Called at each look at the residual.
    pub progress: Option<Progress>,
}

impl Default for Stop {
    fn default() -> Self {
        Stop {
            tolerance: 1e-8,
            criterion: Criterion::Both,
            approach: None,
            max_iterations: 1_000_000,
            max_time: None,
            patience: None,
            interrupt: None,
            progress: None,
        }
    }
}

/// When a solve stands still.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patience {
    /// Not before this many iterations.
    pub iterations: usize,
    /// The best residual must fall to this share of itself while the iterations double.
    pub share: f64,
}

/// Looks are at least and at most this many iterations apart: a look costs about as much as a sweep. Of few contacts, few
/// sweeps are expected.
const SHORTEST_INTERVAL: usize = 4;
const FEW_CONTACTS: usize = 256;
const SHORTEST_OF_FEW: usize = 2;
const LONGEST_INTERVAL: usize = 100;
/// A solve that is younger than this is not called stalled.
const YOUNG: usize = 10_000;
/// Stalled: over half of all iterations the residual stayed within this factor of itself. A cycle or a hump moves
/// more, and any progress in the end.
const FLAT: f64 = 1.01;
/// Broken: the residual rose this far above the best one seen.
const RUNAWAY: f64 = 1e6;

impl Stop {
    /// What is compared with the tolerance: the residual, or as many times the tolerance as contacts close too fast.
    pub fn measure(&self, residual: &Residual) -> f64 {
        let measure = residual.measure(self.criterion);
        match self.approach {
            Some(limit) if !measure.is_nan() => measure.max(self.tolerance * (residual.approach / limit)),
            _ => measure,
        }
    }

    /// Starts the clock on one problem.
    pub fn watch<'a, const D: usize>(&'a self, problem: &'a ContactProblem<D>) -> Watch<'a, D> {
        Watch {
            stop: self,
            problem,
            product: problem.W.product(),
            scale: parallel::map(problem.contacts(), |i| problem.W.scale(i)),
            u: vec![Vector::zeros(); problem.contacts()],
            start: Instant::now(),
            iterations: 0,
            next_look: 0,
            pace: Pace::Usual,
            restless: false,
            best: None,
            trace: Vec::new(),
            status: Status::IterationLimit,
            notes: Vec::new(),
        }
    }

    /// The same, with a look at the residual before every iteration: for methods whose iterations are dear.
    pub fn watch_each<'a, const D: usize>(&'a self, problem: &'a ContactProblem<D>) -> Watch<'a, D> {
        Watch { pace: Pace::Each, ..self.watch(problem) }
    }

    /// The same, with twice the iterations before each look: for methods that a test of their own ends.
    pub fn watch_seldom<'a, const D: usize>(&'a self, problem: &'a ContactProblem<D>) -> Watch<'a, D> {
        Watch { pace: Pace::Seldom, ..self.watch(problem) }
    }

    /// The same as [`watch`](Self::watch) for methods that leave by themselves where the residual stands still.
    pub fn watch_restless<'a, const D: usize>(&'a self, problem: &'a ContactProblem<D>) -> Watch<'a, D> {
        Watch { restless: true, ..self.watch(problem) }
    }
}

/// The best impulses seen.
struct Best<const D: usize> {
    measure: f64,
    r: Vec<Vector<D>>,
    /// Their residual, where the watch has computed the velocities itself.
    certified: Option<Residual>,
}

/// Where the velocities of a look come from.
#[derive(Clone, Copy, PartialEq)]
enum Source {
    /// The watch has computed them.
    Watch,
    /// The solver has computed them afresh.
    Solver,
    /// The solver has carried them along.
    Carried,
}

/// How often to look at the residual.
#[derive(Clone, Copy)]
enum Pace {
    /// At intervals that grow with the count.
    Usual,
    /// Before every iteration.
    Each,
    /// Each time the count has doubled.
    Seldom,
}

/// The clock of one solve.
pub struct Watch<'a, const D: usize> {
    stop: &'a Stop,
    problem: &'a ContactProblem<D>,
    product: Product<'a, D>,
    /// `trace(W_ii)/D`
    scale: Vec<f64>,
    u: Vec<Vector<D>>,
    start: Instant,
    iterations: usize,
    next_look: usize,
    pace: Pace,
    /// Whether a residual that stands still is none of the watch's concern.
    restless: bool,
    best: Option<Best<D>>,
    trace: Vec<Check>,
    status: Status,
    notes: Vec<String>,
}

impl<const D: usize> Watch<'_, D> {
    /// Whether to do one more iteration from r; counts it.
    pub fn goes_on(&mut self, r: &[Vector<D>]) -> bool {
        let due = self.is_due();
        if due {
            self.evaluate(r);
        }
        self.advances(r, due.then_some(Source::Watch))
    }

    /// The same for a solver that carries a state along and can write `u = W r + q` from it: a look that ends the solve
    /// with success is taken again, from velocities computed afresh.
    pub fn goes_on_from(&mut self, r: &[Vector<D>], velocities: impl FnOnce(&mut [Vector<D>])) -> bool {
        let due = self.is_due();
        if due {
            velocities(&mut self.u);
        }
        self.advances(r, due.then_some(Source::Carried))
    }

    /// The same for a solver that has just computed `u = W r + q` itself, afresh and not by recursion.
    pub fn goes_on_with(&mut self, r: &[Vector<D>], u: &[Vector<D>]) -> bool {
        let due = self.is_due();
        if due {
            self.u.copy_from_slice(u);
        }
        self.advances(r, due.then_some(Source::Solver))
    }

    /// Whether the next call of [`goes_on`](Self::goes_on) will look at the residual: the moment to remove the
    /// rounding that recursions have gathered.
    pub fn is_due(&self) -> bool {
        let planned = self.iterations >= self.next_look.min(self.stop.max_iterations);
        planned || (!self.looks_often() && self.is_called_off())
    }

    fn has_few_contacts(&self) -> bool {
        self.problem.contacts() < FEW_CONTACTS
    }

    /// Whether looks come so soon after each other that a call from outside and the clock can wait for the next one.
    fn looks_often(&self) -> bool {
        self.has_few_contacts() && !matches!(self.pace, Pace::Seldom)
    }

    /// Looks at the residual before the next iteration.
    pub fn look_next(&mut self) {
        self.next_look = self.iterations;
    }

    /// Looks at the residual after so many more iterations, and not before.
    pub fn look_after(&mut self, iterations: usize) {
        self.next_look = self.iterations + iterations;
    }

    /// The largest speed at which contacts may close, where the last look missed nothing but that.
    pub fn closing(&self) -> Option<f64> {
        let residual = &self.trace.last()?.residual;
        let limit = self.stop.approach?;
        let obeyed = residual.measure(self.stop.criterion) <= self.stop.tolerance;
        (obeyed && residual.approach > limit).then_some(limit)
    }

    /// Iterations counted so far.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// The last residual seen, as the tolerance measures it.
    pub fn measure(&self) -> f64 {
        self.trace.last().map_or(f64::INFINITY, |check| self.stop.measure(&check.residual))
    }

    /// The best residual seen over the best one at half the iterations: near 1 where a method stands still.
    pub fn progress(&self) -> f64 {
        let best = self.best.as_ref().map_or(f64::INFINITY, |best| best.measure);
        best / self.best_until(self.iterations / 2)
    }

    /// The best impulses seen.
    pub fn best(&self) -> Option<&[Vector<D>]> {
        self.best.as_ref().map(|best| best.r.as_slice())
    }

    /// Velocities at the last look.
    pub fn velocities(&self) -> &[Vector<D>] {
        &self.u
    }

    /// Limits for a solver inside this solve: the iterations and the time that are left; who called decides on patience
    /// and shows the progress.
    pub fn inner_stop(&self) -> Stop {
        Stop {
            max_iterations: self.stop.max_iterations.saturating_sub(self.iterations),
            max_time: self.stop.max_time.map(|limit| limit.saturating_sub(self.start.elapsed())),
            patience: None,
            progress: None,
            ..self.stop.clone()
        }
    }

    /// The same for a solver that takes over for the rest: it inherits the patience too.
    pub fn rest(&self) -> Stop {
        Stop { patience: self.stop.patience, ..self.inner_stop() }
    }

    /// Counts the iterations of a solver inside this solve.
    pub fn count(&mut self, iterations: usize) {
        self.iterations += iterations;
    }

    /// Adds a remark to the outcome.
    pub fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// Ends the solve for a reason of the method's own.
    pub fn end(&mut self, status: Status) {
        self.status = status;
    }

    /// Forgets the best impulses, so that those at the end are the answer.
    pub fn forget_best(&mut self) {
        self.best = None;
    }

    /// Leaves the best impulses in r and certifies them.
    pub fn finish(mut self, r: &mut [Vector<D>]) -> Outcome {
        let residual = self.certified(r);
        let tolerance = self.stop.tolerance;
        let status = if self.stop.measure(&residual) > tolerance || self.stop.measure(&residual).is_nan() {
            self.status
        } else if is_squeezed(self.problem, r, &residual, tolerance) {
            self.notes.push(squeezed::remark(&residual));
            Status::Broken
        } else {
            Status::Converged
        };
        Outcome {
            status,
            iterations: self.iterations,
            residual,
            seconds: self.start.elapsed().as_secs_f64(),
            notes: self.notes,
            trace: self.trace,
            stages: Vec::new(),
        }
    }

    /// The residual of r or, where r misses the tolerance and the best impulses are better, of these, which r then is.
    fn certified(&mut self, r: &mut [Vector<D>]) -> Residual {
        let best = self.best.take();
        if let Some(Best { r: r_best, certified: Some(residual), .. }) = &best
            && r_best == r
        {
            return *residual;
        }
        self.evaluate(r);
        let residual = self.residual(r);
        let measure = self.stop.measure(&residual);
        match best {
            Some(best) if measure.is_nan() || measure > best.measure.max(self.stop.tolerance) => {
                r.copy_from_slice(&best.r);
                best.certified.unwrap_or_else(|| {
                    self.evaluate(r);
                    self.residual(r)
                })
            }
            _ => residual,
        }
    }

    /// Counts an iteration, unless a look that is due ends the solve.
    fn advances(&mut self, r: &[Vector<D>], due: Option<Source>) -> bool {
        if let Some(source) = due {
            let check = self.look(r, source);
            if self.ends(&check) {
                return false;
            }
        }
        self.iterations += 1;
        true
    }

    fn evaluate(&mut self, r: &[Vector<D>]) {
        self.product.velocities(r, &self.problem.q, &mut self.u);
    }

    /// The residual of (r, self.u).
    fn residual(&self, r: &[Vector<D>]) -> Residual {
        residual_by(self.problem, |i| self.scale[i], r, &self.u)
    }

    /// Whether time is up or the call from outside came: for methods whose iterations are long.
    pub fn is_called_off(&self) -> bool {
        self.interrupted() || self.stop.max_time.is_some_and(|limit| self.start.elapsed() >= limit)
    }

    fn interrupted(&self) -> bool {
        self.stop.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Records the residual of (r, self.u) and plans the next look.
    fn look(&mut self, r: &[Vector<D>], mut source: Source) -> Check {
        let mut residual = self.residual(r);
        if source == Source::Carried && self.stop.measure(&residual) <= self.stop.tolerance {
            self.evaluate(r);
            (residual, source) = (self.residual(r), Source::Watch);
        }
        let check =
            Check { iteration: self.iterations, seconds: self.start.elapsed().as_secs_f64(), residual };
        let measure = self.stop.measure(&residual);
        let certified = (source == Source::Watch).then_some(residual);
        match &mut self.best {
            Some(best) if measure < best.measure => {
                (best.measure, best.certified) = (measure, certified);
                best.r.copy_from_slice(r);
            }
            Some(_) => {}
            None if measure.is_nan() => {}
            None => self.best = Some(Best { measure, r: r.to_vec(), certified }),
        }
        self.trace.push(check);
        if let Some(progress) = &self.stop.progress {
            progress(&check);
        }
        let shortest = if self.has_few_contacts() { SHORTEST_OF_FEW } else { SHORTEST_INTERVAL };
        let interval = match self.pace {
            Pace::Usual => (self.iterations / 8).clamp(shortest, LONGEST_INTERVAL),
            Pace::Each => 1,
            Pace::Seldom => self.iterations.max(shortest),
        };
        self.next_look = self.iterations + interval;
        check
    }

    fn ends(&mut self, check: &Check) -> bool {
        let measure = self.stop.measure(&check.residual);
        let best = self.best.as_ref().map_or(f64::NAN, |best| best.measure);
        let status = if measure <= self.stop.tolerance {
            Status::Converged
        } else if self.interrupted() {
            Status::Interrupted
        } else if !measure.is_finite() || measure > RUNAWAY * best.max(1.0) {
            Status::Broken
        } else if self.iterations >= self.stop.max_iterations {
            Status::IterationLimit
        } else if self.stop.max_time.is_some_and(|limit| check.seconds >= limit.as_secs_f64()) {
            Status::TimeLimit
        } else if self.is_still() || self.is_out_of_patience() {
            Status::Stalled
        } else {
            return false;
        };
        self.status = status;
        true
    }

    fn is_out_of_patience(&self) -> bool {
        let out_of =
            |patience: Patience| self.iterations >= patience.iterations && self.progress() > patience.share;
        self.stop.patience.is_some_and(out_of)
    }

    /// Whether the residual has not moved during the second half of the iterations.
    fn is_still(&self) -> bool {
        if self.restless || self.iterations <= YOUNG {
            return false;
        }
        let half = self.trace.iter().rev().take_while(|check| 2 * check.iteration >= self.iterations);
        let measures = half.map(|check| self.stop.measure(&check.residual));
        let (low, high) = measures.fold((f64::INFINITY, 0.0f64), |(low, high), m| (low.min(m), high.max(m)));
        high <= FLAT * low
    }

    /// The best residual seen up to an iteration.
    fn best_until(&self, iteration: usize) -> f64 {
        self.trace
            .iter()
            .take_while(|check| check.iteration <= iteration)
            .map(|check| self.stop.measure(&check.residual))
            .fold(f64::INFINITY, f64::min)
    }
}
