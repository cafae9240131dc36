//! What the direct methods on faceted cones share: dense W, the columns that span the cones, the rounds.
//!
//! A round solves the whole problem with a polygon for each friction cone. In space the polygons of the next round are
//! turned ([`facets`](crate::one_contact::facets)), so that the solutions tend to that of the round cones; where the
//! rounds no longer gain, sweeps over the contacts, each solved exactly, end the solve.

use super::{Method, Nlgs};
use crate::block::Vector;
use crate::laws::{Kind, Law};
use crate::one_contact::MOST_FACETS;
use crate::one_contact::OneContact;
use crate::one_contact::direction::Flow;
use crate::one_contact::facets::{aim, directions};
use crate::outcome::{Outcome, Status};
use crate::problem::ContactProblem;
use crate::stop::{Stop, Watch};
use nalgebra::{DMatrix, DVector};

/// A method that solves the whole faceted problem at once.
pub(super) trait Round<const D: usize> {
    /// The impulses of the polygons that r and u suggest; `None` where there are none, or the search is called off.
    fn round(
        &mut self,
        faceted: &Faceted<D>,
        at: State<D>,
        go_on: &dyn Fn() -> bool,
    ) -> Option<Vec<Vector<D>>>;
}

/// Impulses and velocities from which a round starts.
#[derive(Clone, Copy)]
pub(super) struct State<'a, const D: usize> {
    pub r: &'a [Vector<D>],
    pub u: &'a [Vector<D>],
}

/// Limits of the rounds.
pub(super) struct Limits {
    pub facets: usize,
    pub max_contacts: usize,
    /// Rounds without gain before the sweeps take over.
    pub patience: usize,
}

/// Gain: the best residual falls by this factor.
const GAIN: f64 = 0.7;

impl Limits {
    pub fn validate(&self) -> Result<(), String> {
        if !(3..=MOST_FACETS).contains(&self.facets) {
            return Err(format!("facets = {}: give a polyhedral cone 3 to {MOST_FACETS}", self.facets));
        }
        if self.max_contacts == 0 {
            return Err("max_contacts = 0: give at least 1".into());
        }
        Ok(())
    }

    /// Rounds, then sweeps if need be.
    pub fn solve<const D: usize>(
        &self,
        method: &mut impl Round<D>,
        problem: &ContactProblem<D>,
        r: &mut [Vector<D>],
        stop: &Stop,
    ) -> Outcome {
        let mut watch = stop.watch_each(problem);
        if problem.contacts() > self.max_contacts {
            watch.note(format!(
                "{} contacts are more than max_contacts = {}: memory grows with their square, time with their cube",
                problem.contacts(),
                self.max_contacts
            ));
            watch.end(Status::Broken);
            return watch.finish(r);
        }
        let faceted = Faceted { problem, W: dense(problem), facets: self.facets };
        let (mut best, mut since) = (f64::INFINITY, 0);
        loop {
            if !watch.goes_on(r) {
                problem.release_open(r, watch.velocities());
                break;
            }
            if watch.measure() < GAIN * best {
                (best, since) = (watch.measure(), 0);
            } else {
                since += 1;
            }
            let go_on = || !watch.is_called_off();
            let next = if since < self.patience {
                method.round(&faceted, State { r, u: watch.velocities() }, &go_on)
            } else {
                None
            };
            match next {
                Some(next) => r.copy_from_slice(&next),
                None if watch.is_called_off() => {}
                None => {
                    sweep(problem, r, &mut watch);
                    break;
                }
            }
        }
        watch.finish(r)
    }
}

/// Exact sweeps from the faceted impulses.
fn sweep<const D: usize>(problem: &ContactProblem<D>, r: &mut [Vector<D>], watch: &mut Watch<D>) {
    let reached = watch.measure();
    let outcome = Nlgs::default().build::<D>().solve(problem, r, &watch.rest());
    watch.note(format!("the facets gave {reached:.1e}; {} exact sweeps followed", outcome.iterations));
    watch.end(if outcome.status == Status::IterationLimit { Status::Stalled } else { outcome.status });
}

/// W as a dense matrix, by unit impulses.
fn dense<const D: usize>(problem: &ContactProblem<D>) -> DMatrix<f64> {
    let n = problem.contacts();
    let mut W = DMatrix::zeros(n * D, n * D);
    let mut product = problem.W.product();
    let mut r = vec![Vector::<D>::zeros(); n];
    let mut u = r.clone();
    for j in 0..n {
        for l in 0..D {
            r[j][l] = 1.0;
            product.apply(&r, &mut u);
            r[j][l] = 0.0;
            for (i, u) in u.iter().enumerate() {
                (0..D).for_each(|k| W[(D * i + k, D * j + l)] = u[k]);
            }
        }
    }
    W
}

/// One unknown of the faceted problem: so much impulse of one contact along g.
#[derive(Clone, Copy)]
pub(super) struct Column<const D: usize> {
    pub contact: usize,
    pub g: Vector<D>,
}

/// The problem with dense W.
pub(super) struct Faceted<'a, const D: usize> {
    pub problem: &'a ContactProblem<D>,
    pub W: DMatrix<f64>,
    pub facets: usize,
}

impl<const D: usize> Faceted<'_, D> {
    /// The vertices of contact i's polygon; none without friction.
    pub fn polygon(&self, i: usize, State { r, u }: State<D>) -> Vec<Vector<D>> {
        let law = self.problem.laws[i];
        let flow = if law.kind() == Kind::Convex { Flow::Associated } else { Flow::Coulomb };
        let mu = law.mu();
        if mu == 0.0 || D == 1 {
            return Vec::new();
        }
        // the contact alone, the others held
        let W_ii = self.problem.W.diagonal(i);
        let contact = OneContact { W: W_ii, q: u[i] - W_ii * r[i], mu };
        directions(self.facets, &aim(&contact, &r[i], self.facets, flow))
    }

    /// GᵀWG of the columns.
    pub fn condensed(&self, columns: &[Column<D>]) -> DMatrix<f64> {
        let rows = self.W.nrows();
        let mut WG = DMatrix::zeros(rows, columns.len());
        for (j, column) in columns.iter().enumerate() {
            for k in 0..D {
                WG.column_mut(j).axpy(column.g[k], &self.W.column(D * column.contact + k), 1.0);
            }
        }
        DMatrix::from_fn(columns.len(), columns.len(), |i, j| {
            (0..D).map(|k| columns[i].g[k] * WG[(D * columns[i].contact + k, j)]).sum()
        })
    }

    /// G x by contact.
    pub fn impulses(&self, columns: &[Column<D>], x: &DVector<f64>) -> Vec<Vector<D>> {
        let mut r = vec![Vector::zeros(); self.problem.contacts()];
        for (column, x) in columns.iter().zip(x.iter()) {
            r[column.contact] += column.g * *x;
        }
        r
    }
}

/// The unit normal.
pub(super) fn normal<const D: usize>() -> Vector<D> {
    let mut n = Vector::zeros();
    n[0] = 1.0;
    n
}

/// Whether the law asks for u = 0 whatever the impulse.
pub(super) fn is_joint(law: &Law) -> bool {
    law.kind() == Kind::Bilateral
}

#[cfg(test)]
mod tests {
    use super::super::{AnyMethod, Solver};
    use super::*;
    use crate::block::Matrix;
    use crate::delassus::Delassus;
    use crate::sparse::Sparse;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    /// Three contacts coupled like those of one body: stick, slip, open.
    fn problem<const D: usize>() -> ContactProblem<D> {
        let n = 3;
        let B = Matrix::<D>::from_fn(|i, j| if i == j { 1.0 } else { 0.1 });
        let mut entries = Vec::new();
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            for (k, l) in (0..D).flat_map(|k| (0..D).map(move |l| (k, l))) {
                let share = if i == j { 3.0 } else { 0.5 };
                entries.push(((D * i + k) as u32, (D * j + l) as u32, share * B[(k, l)]));
            }
        }
        let W = Delassus::stored(&Sparse::from_triplets(n * D, n * D, &entries)).unwrap();
        let q = [-1.0, -0.5, 2.0]
            .map(|q_N| Vector::from_fn(|k, _| if k == 0 { q_N } else { 0.8 / (q_N + 2.0) - 0.7 * k as f64 }));
        ContactProblem::new(W, q.to_vec(), vec![Law::coulomb(0.4); n]).unwrap()
    }

    fn solver<const D: usize>(name: &str, settings: &str) -> Box<dyn Solver<D>> {
        AnyMethod::parse(name, &settings.parse().unwrap()).unwrap().build()
    }

    fn solves<const D: usize>() {
        for name in ["lemke", "qp"] {
            let mut r = vec![Vector::zeros(); 3];
            let stop = Stop { tolerance: 1e-12, ..Stop::default() };
            let outcome = solver::<D>(name, "").solve(&problem(), &mut r, &stop);
            assert_eq!(outcome.status, Status::Converged, "D = {D}, {name}: {outcome:?}");
            assert!(name == "qp" || D == 3 || outcome.iterations == 1, "D = {D}: {outcome:?}");
        }
    }

    #[test]
    fn rounds_reach_the_round_cone() {
        solves::<1>();
        solves::<2>();
        solves::<3>();
    }

    #[test]
    fn too_many_contacts_are_refused() {
        for name in ["lemke", "qp"] {
            let mut r = vec![Vector::zeros(); 3];
            let outcome = solver::<3>(name, "max_contacts = 2").solve(&problem(), &mut r, &Stop::default());
            assert_eq!((outcome.status, outcome.iterations), (Status::Broken, 0));
            assert!(outcome.notes[0].contains("max_contacts = 2"), "{:?}", outcome.notes);
            for bad in ["facets = 2", "max_contacts = 0"] {
                assert!(AnyMethod::parse(name, &bad.parse().unwrap()).is_err(), "{name} {bad}");
            }
        }
    }

    #[test]
    fn a_call_from_outside_ends_the_pivots() {
        let interrupt = Some(Arc::new(AtomicBool::new(true)));
        for name in ["lemke", "qp"] {
            let mut r = vec![Vector::zeros(); 3];
            let stop = Stop { interrupt: interrupt.clone(), ..Stop::default() };
            let outcome = solver::<2>(name, "").solve(&problem(), &mut r, &stop);
            assert_eq!(outcome.status, Status::Interrupted, "{name}");
        }
    }
}
