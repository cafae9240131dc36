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

use super::sweeps::{Chosen, Random, Ready, Rule, Standstill, Sweeps, Visits, with_exact_rule};
use super::{Method, Solver, positive};
use crate::block::{Matrix, Vector};
use crate::delassus::{Operator, Rows, with_form};
use crate::laws::{Kind, Law};
use crate::one_contact::{self, Name, PlaneNewton, PlaneStep, Prepared, ProjectedStep};
use crate::outcome::{Outcome, Status};
use crate::problem::ContactProblem;
use crate::stop::{Stop, Watch};
use serde::{Deserialize, Serialize};
use std::sync::atomic::AtomicUsize;

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
    /// End the sweeps when the largest change of a normal impulse and that of a tangential one in a sweep add up to less
    /// than this, whatever the residual: Abide 2021 (4.15). Default never.
    pub change: Option<f64>,
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
    /// The first half and the second in turn. Neighbours in the list share bodies as a rule, and a visit waits for the one
    /// before: this way the processor works on two at once.
    Interleaved,
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
            change: None,
            one_contact: one_contact::Settings::default(),
        }
    }
}

/// First sweep at which a standstill is asked for.
const FIRST_DOUBT: usize = 200;

impl Method for Nlgs {
    const NAME: &'static str = "nlgs";
    const SUMMARY: &'static str = "nonlinear Gauss-Seidel sweeps, each contact solved exactly in its turn";
    const PAPER: &'static str = "Renouf–Acary 2006, 4.1";
    const COVERS: &'static [Kind] = Kind::ALL;

    fn validate(&self) -> Result<(), String> {
        if !(self.omega > 0.0 && self.omega < 2.0) {
            return Err(format!("omega = {} is outside (0, 2): 1 is plain Gauss-Seidel", self.omega));
        }
        positive("change", self.change)?;
        self.one_contact.validate()
    }

    fn build<const D: usize>(&self) -> Box<dyn Solver<D>> {
        Box::new(self.clone())
    }
}

impl<const D: usize> Solver<D> for Nlgs {
    fn solve(&mut self, problem: &ContactProblem<D>, r: &mut [Vector<D>], stop: &Stop) -> Outcome {
        let mut watch = stop.watch(problem);
        let once = self.one_contact.steps_once();
        match self.one_contact.solver {
            Name::Enumeration => with_exact_rule!(problem, rule => {
                with_form!(&*problem.W, W => {
                    self.sweeps(Sweeps::new(W, problem, rule, r), r, &mut watch);
                });
            }),
            Name::Sal if once => self.sweep_ready(problem, ProjectedStep::of, r, &mut watch),
            Name::Epdas if once && D == 2 => {
                self.sweep_ready(problem, PlaneStep::<true>::of, r, &mut watch);
            }
            Name::Ipdas if once && D == 2 => {
                self.sweep_ready(problem, PlaneStep::<false>::of, r, &mut watch);
            }
            Name::Ibp if once && D == 2 => self.sweep_ready(problem, PlaneNewton::of, r, &mut watch),
            _ => {
                let rule = Chosen { settings: &self.one_contact, fallbacks: AtomicUsize::new(0) };
                let rule = with_form!(&*problem.W, W => self.sweeps(Sweeps::new(W, problem, rule, r), r, &mut watch));
                let fallbacks = rule.fallbacks.into_inner();
                if fallbacks > 0 {
                    watch.note(format!(
                        "{} did not converge on {fallbacks} of {} visits: these were solved by enumeration",
                        self.one_contact.solver.name(),
                        watch.iterations() * r.len()
                    ));
                }
            }
        }
        watch.finish(r)
    }
}

impl Nlgs {
    /// One step a visit by contacts that are made ready beforehand.
    fn sweep_ready<const D: usize, P: Prepared<D>>(
        &self,
        problem: &ContactProblem<D>,
        make: impl Fn(&one_contact::Settings, &Matrix<D>, &Law) -> P + Sync,
        r: &mut [Vector<D>],
        watch: &mut Watch<D>,
    ) {
        let rule = Ready(|W: &Matrix<D>, law: &Law| make(&self.one_contact, W, law));
        with_form!(&*problem.W, W => {
            self.sweeps(Sweeps::new(W, problem, rule, r), r, watch);
        });
    }

    fn sweeps<const D: usize, F: Operator<D> + Rows<D>, R: Rule<D>>(
        &self,
        mut sweeps: Sweeps<D, F, R>,
        r: &mut [Vector<D>],
        watch: &mut Watch<D>,
    ) -> R {
        let mut order = Permutation::new(self.order, r.len(), self.seed);
        let mut standstill = Standstill::new(self.omega, FIRST_DOUBT);
        loop {
            let due = watch.is_due();
            if !watch.goes_on_from(r, |u| sweeps.velocities(r, u)) {
                break;
            }
            if sweeps.is_old() {
                sweeps.refresh(r);
            }
            if due && self.damping && standstill.is_reached(watch) {
                standstill.damp();
            }
            let (omega, visits) = (standstill.omega(), order.next_sweep());
            let Some(limit) = self.change else {
                sweeps.sweep(r, omega, visits);
                continue;
            };
            if sweeps.sweep_for_change(r, omega, visits) < limit {
                watch.end(Status::Stalled);
                watch.note(format!("the last sweep changed the impulses by less than {limit:e}"));
                break;
            }
        }
        standstill.note(watch);
        sweeps.rule
    }
}

/// The contacts in the order of each sweep.
struct Permutation {
    order: Order,
    list: Vec<u32>,
    random: Random,
    started: bool,
}

impl Permutation {
    fn new(order: Order, contacts: usize, seed: u64) -> Self {
        let (list, random) = ((0..contacts as u32).collect(), Random::new(seed));
        let mut visits = Permutation { order, list, random, started: false };
        match order {
            Order::Reverse => visits.list.reverse(),
            Order::Interleaved => {
                let half = contacts.div_ceil(2);
                visits.list = (0..contacts).map(|k| (k / 2 + (k % 2) * half) as u32).collect();
            }
            Order::Shuffled => visits.random.shuffle(&mut visits.list),
            Order::Given | Order::Alternating | Order::Reshuffled => {}
        }
        visits
    }

    fn next_sweep(&mut self) -> Visits<'_> {
        match self.order {
            Order::Reshuffled => self.random.shuffle(&mut self.list),
            Order::Alternating if self.started => self.list.reverse(),
            Order::Given => return Visits::Forwards,
            _ => {}
        }
        self.started = true;
        Visits::Listed(&self.list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delassus::Delassus;
    use crate::fclib::Fclib;
    use crate::sparse::Sparse;

    #[test]
    fn one_step_a_visit_of_every_method_gets_there() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../problems/disks2d-1k.hdf5");
        let file = Fclib::read(path.as_ref()).unwrap();
        let problem = file.problem::<2>(Law::coulomb).unwrap();
        let stop = Stop { tolerance: 1e-4, ..Stop::default() };
        for solver in [Name::Epdas, Name::Ipdas, Name::Sal, Name::Ibp] {
            let one_contact =
                one_contact::Settings { solver, max_iterations: 1, inexact: true, ..Default::default() };
            let mut sweeps = Nlgs { order: Order::Interleaved, one_contact, ..Nlgs::default() };
            let outcome = sweeps.solve(&problem, &mut file.start::<2>(), &stop);
            assert_eq!(outcome.status, Status::Converged, "{solver:?}");
        }
    }

    #[test]
    fn a_contact_that_cannot_move_along_its_tangent_slides() {
        let W = Delassus::<2>::stored(&Sparse::from_triplets(2, 2, &[(0, 0, 1.0)])).unwrap();
        let q = vec![Vector::<2>::new(-1.0, 1.0)];
        let problem = ContactProblem::new(W, q, vec![Law::coulomb(0.3)]).unwrap();
        let mut r = vec![Vector::zeros()];
        let outcome = Nlgs::default().solve(&problem, &mut r, &Stop::default());
        assert!(outcome.status == Status::Converged && outcome.iterations < 5, "{outcome:?}");
        assert!((r[0] - Vector::<2>::new(1.0, -0.3)).norm() < 1e-12, "{:?}", r[0]);
    }

    fn listed(visits: Visits, contacts: u32) -> Vec<u32> {
        match visits {
            Visits::Forwards => (0..contacts).collect(),
            Visits::Listed(list) => list.to_vec(),
            Visits::Paced(list) => list.iter().map(|visit| visit.0).collect(),
        }
    }

    #[test]
    fn every_order_visits_each_contact_once() {
        let orders = [
            Order::Given,
            Order::Reverse,
            Order::Interleaved,
            Order::Alternating,
            Order::Shuffled,
            Order::Reshuffled,
        ];
        for order in orders {
            for contacts in [50, 51] {
                let mut visits = Permutation::new(order, contacts as usize, 7);
                for _ in 0..3 {
                    let mut sweep = listed(visits.next_sweep(), contacts);
                    sweep.sort();
                    assert_eq!(sweep, (0..contacts).collect::<Vec<u32>>(), "{order:?}");
                }
            }
        }
        let sweeps = |order| {
            let mut visits = Permutation::new(order, 5, 0);
            (listed(visits.next_sweep(), 5), listed(visits.next_sweep(), 5))
        };
        assert_eq!(sweeps(Order::Alternating), (vec![0, 1, 2, 3, 4], vec![4, 3, 2, 1, 0]));
        assert_eq!(sweeps(Order::Interleaved).1, [0, 3, 1, 4, 2]);
        let (first, second) = sweeps(Order::Shuffled);
        assert_eq!(first, second);
        let (first, second) = sweeps(Order::Reshuffled);
        assert_ne!(first, second);
    }
}
