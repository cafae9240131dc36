//! Nonlinear Gauss–Seidel: sweep the contacts, solve each one exactly, keep the others fixed.
//!
//! ```text
//! r_i ← one contact solved with W_ii and q_i + Σ_{j≠i} W_ij r_j        Renouf–Acary 2006 (6)
//! ```
//!
//! With friction the sweeps may fall into a cycle, even though each contact is solved exactly. Where the residual stands
//! still while the sweeps double, ω is lowered by a fifth: a cycle then shrinks to the solution inside it.
//!
//! Choose it for: large dry packings at moderate accuracy, any law, asymmetric W. Slow on: tall stacks, walls,
//! high mass ratios.

use super::{Method, Solver};
use crate::block::{Matrix, Vector};
use crate::delassus::{Operator, Rows, with_form};
use crate::laws::{Kind, Law};
use crate::one_contact::{self, LocalSolver, OneContact};
use crate::outcome::Outcome;
use crate::problem::ContactProblem;
use crate::stop::Stop;
use serde::{Deserialize, Serialize};

/// Settings of the sweeps.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Nlgs {
    /// Over-relaxation ω in (0, 2); 1 is plain Gauss–Seidel. Default 1.
    pub omega: f64,
    /// Lower ω where the sweeps stand still. Default true.
    pub damping: bool,
    /// In which order a sweep visits the contacts. Default `given`.
    pub order: Order,
    /// Seed of the shuffled orders. Default 0.
    pub seed: u64,
    /// The solver of one contact.
    pub one_contact: one_contact::Settings,
}

/// The order of a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// As the problem lists the contacts.
    #[default]
    Given,
    /// Backwards.
    Reverse,
    /// Forwards and backwards in turn (symmetric Gauss–Seidel).
    Alternating,
    /// Shuffled once.
    Shuffled,
    /// Shuffled anew for each sweep.
    Reshuffled,
}

impl Default for Nlgs {
    fn default() -> Self {
        Nlgs {
            omega: 1.0,
            damping: true,
            order: Order::Given,
            seed: 0,
            one_contact: one_contact::Settings::default(),
        }
    }
}

/// Sweeps stand still when the best residual fell by less than this factor while their number doubled.
const STANDSTILL: f64 = 0.9;
/// First sweep at which that is asked.
const FIRST_DOUBT: usize = 200;
/// What ω is multiplied by then, down to the least.
const DAMP: f64 = 0.8;
const LEAST_OMEGA: f64 = 0.2;

impl Method for Nlgs {
    const NAME: &'static str = "nlgs";
    const SUMMARY: &'static str = "nonlinear Gauss-Seidel sweeps, each contact solved exactly in its turn";
    const PAPER: &'static str = "Renouf–Acary 2006, 4.1";
    const COVERS: &'static [Kind] = Kind::ALL;

    fn validate(&self) -> Result<(), String> {
        if !(self.omega > 0.0 && self.omega < 2.0) {
            return Err(format!("omega = {} is outside (0, 2): 1 is plain Gauss-Seidel", self.omega));
        }
        self.one_contact.validate()
    }

    fn build<const D: usize>(&self) -> Box<dyn Solver<D>> {
        Box::new(self.clone())
    }
}

impl<const D: usize> Solver<D> for Nlgs {
    fn solve(&mut self, problem: &ContactProblem<D>, r: &mut [Vector<D>], stop: &Stop) -> Outcome {
        with_form!(&*problem.W, W => self.sweeps(W, problem, r, stop))
    }
}

impl Nlgs {
    fn sweeps<const D: usize, F: Operator<D> + Rows<D>>(
        &self,
        W: &F,
        problem: &ContactProblem<D>,
        r: &mut [Vector<D>],
        stop: &Stop,
    ) -> Outcome {
        let mut watch = stop.watch(problem);
        let mut visits = Visits::new(self.order, r.len(), self.seed);
        let mut state = W.start(r);
        let mut fallbacks = 0usize;
        let mut omega = self.omega;
        let mut next_doubt = FIRST_DOUBT;
        // the widest vector instructions of this machine; no operation is fused or reordered, so the bits are the same
        let arch = pulp::Arch::new();
        loop {
            let due = watch.is_due();
            if !watch.goes_on(r) {
                break;
            }
            if due {
                // the state has gathered rounding since the last look
                state = W.start(r);
                if self.damping && watch.iterations() >= next_doubt && watch.progress() > STANDSTILL {
                    omega = (omega * DAMP).max(LEAST_OMEGA.min(self.omega));
                    next_doubt = 2 * watch.iterations();
                }
            }
            let order = visits.next_sweep();
            let sweep = Sweep {
                settings: &self.one_contact,
                omega,
                W,
                problem,
                state: &mut state,
                r,
                order,
                fallbacks: &mut fallbacks,
            };
            match self.one_contact.solver {
                one_contact::Name::Enumeration => arch.dispatch(Exact(sweep)),
                _ => arch.dispatch(sweep),
            }
        }
        if omega != self.omega {
            watch.note(format!(
                "the sweeps stood still: relaxation lowered from {} to {omega:.2}",
                self.omega
            ));
        }
        if fallbacks > 0 {
            watch.note(format!(
                "{} did not converge on {fallbacks} of {} visits: these were solved by enumeration",
                self.one_contact.solver.name(),
                watch.iterations() * r.len()
            ));
        }
        watch.finish(r)
    }
}

/// One sweep, compiled once for each set of vector instructions.
struct Sweep<'a, const D: usize, F: Rows<D>> {
    settings: &'a one_contact::Settings,
    omega: f64,
    W: &'a F,
    problem: &'a ContactProblem<D>,
    state: &'a mut F::State,
    r: &'a mut [Vector<D>],
    order: &'a [u32],
    fallbacks: &'a mut usize,
}

impl<const D: usize, F: Operator<D> + Rows<D>> pulp::WithSimd for Sweep<'_, D, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _simd: S) {
        for &i in self.order {
            let settings = self.settings;
            let fallbacks = &mut *self.fallbacks;
            visit(self.W, self.problem, self.state, self.r, self.omega, i as usize, |W_ii, q_i, law, r_i| {
                let Law::Coulomb(law) = law else { return one_contact::solve_exactly(W_ii, q_i, law) };
                let solved = settings.solve(&OneContact { W: W_ii, q: *q_i, mu: law.mu }, r_i);
                if solved.converged || settings.inexact {
                    return solved.r;
                }
                *fallbacks += 1;
                one_contact::solve_coulomb(W_ii, q_i, law.mu)
            });
        }
    }
}

/// The same with the default one-contact solver, without a detour: the hot loop.
struct Exact<'a, const D: usize, F: Rows<D>>(Sweep<'a, D, F>);

impl<const D: usize, F: Operator<D> + Rows<D>> pulp::WithSimd for Exact<'_, D, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _simd: S) {
        let Sweep { omega, W, problem, state, r, order, .. } = self.0;
        for &i in order {
            visit(W, problem, state, r, omega, i as usize, |W_ii, q_i, law, _| {
                one_contact::solve_exactly(W_ii, q_i, law)
            });
        }
    }
}

/// Solves contact i with the others held.
#[inline(always)]
fn visit<const D: usize, F: Operator<D> + Rows<D>>(
    W: &F,
    problem: &ContactProblem<D>,
    state: &mut F::State,
    r: &mut [Vector<D>],
    omega: f64,
    i: usize,
    solve: impl FnOnce(&Matrix<D>, &Vector<D>, &Law, &Vector<D>) -> Vector<D>,
) {
    let W_ii = W.diagonal(i);
    let r_i = r[i];
    // relative velocity of contact i as if it carried no impulse, Renouf–Acary 2006 (6)
    let q_i = problem.q[i] + W.velocity(state, r, i) - W_ii * r_i;
    let dr = (solve(W_ii, &q_i, &problem.laws[i], &r_i) - r_i) * omega;
    if dr.iter().any(|&x| x != 0.0) {
        // an open contact that stays open changes nothing
        W.add(state, i, &dr);
        r[i] = r_i + dr;
    }
}

/// The contacts in the order of each sweep.
struct Visits {
    order: Order,
    list: Vec<u32>,
    random: u64,
    started: bool,
}

impl Visits {
    fn new(order: Order, contacts: usize, seed: u64) -> Self {
        let mut visits = Visits { order, list: (0..contacts as u32).collect(), random: seed, started: false };
        match order {
            Order::Reverse => visits.list.reverse(),
            Order::Shuffled => visits.shuffle(),
            Order::Given | Order::Alternating | Order::Reshuffled => {}
        }
        visits
    }

    fn next_sweep(&mut self) -> &[u32] {
        match self.order {
            Order::Reshuffled => self.shuffle(),
            Order::Alternating if self.started => self.list.reverse(),
            _ => {}
        }
        self.started = true;
        &self.list
    }

    /// Fisher–Yates with the splitmix64 generator: the same order for the same seed, on every machine.
    fn shuffle(&mut self) {
        for last in (1..self.list.len()).rev() {
            self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut bits = self.random;
            bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            bits ^= bits >> 31;
            self.list.swap(last, (bits % (last as u64 + 1)) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_visits_each_contact_once() {
        for order in [Order::Given, Order::Reverse, Order::Alternating, Order::Shuffled, Order::Reshuffled] {
            let mut visits = Visits::new(order, 50, 7);
            for _ in 0..3 {
                let mut sweep = visits.next_sweep().to_vec();
                sweep.sort();
                assert_eq!(sweep, (0..50).collect::<Vec<u32>>(), "{order:?}");
            }
        }
        let sweeps = |order| {
            let mut visits = Visits::new(order, 5, 0);
            (visits.next_sweep().to_vec(), visits.next_sweep().to_vec())
        };
        assert_eq!(sweeps(Order::Alternating), (vec![0, 1, 2, 3, 4], vec![4, 3, 2, 1, 0]));
        let (first, second) = sweeps(Order::Shuffled);
        assert_eq!(first, second);
        let (first, second) = sweeps(Order::Reshuffled);
        assert_ne!(first, second);
    }
}
