//! Gauss–Seidel sweeps: what `nlgs` and `nlgs-accelerated` have in common.
//!
//! ```text
//! r_i ← one contact solved with W_ii and q_i + Σ_{j≠i} W_ij r_j        Renouf–Acary 2006 (6)
//! ```

use crate::block::{Matrix, Vector, tangent_norm, tangent_norm_squared};
use crate::delassus::{Operator, Part, Rows};
use crate::laws::{ContactLaw, Law};
use crate::one_contact::{self, LocalSolver, OneContact};
use crate::parallel;
use crate::problem::ContactProblem;
use crate::stop::Watch;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How one contact is solved, the others held.
pub(super) trait Rule<const D: usize>: Sync {
    /// What the rule remembers of each contact from sweep to sweep.
    type Memory: Clone + Send;
    /// What it knows of the contacts before the first sweep from r.
    fn recall(&self, problem: &ContactProblem<D>, r: &[Vector<D>]) -> Vec<Self::Memory>;
    /// Whether a contact without impulse that opens at u_N goes on without one.
    #[inline(always)]
    fn stays_open(&self, _law: &Law, _u_N: f64) -> bool {
        false
    }
    /// The impulse of a contact whose impulse r_i gives it the velocity u_i.
    fn solve(
        &self,
        W_ii: &Matrix<D>,
        u_i: &Vector<D>,
        law: &Law,
        r_i: &Vector<D>,
        memory: &mut Self::Memory,
    ) -> Vector<D>;
}

/// Relative velocity of a contact as if it carried no impulse, Renouf–Acary 2006 (6).
#[inline(always)]
fn without_impulse<const D: usize>(W_ii: &Matrix<D>, u_i: &Vector<D>, r_i: &Vector<D>) -> Vector<D> {
    u_i - W_ii * r_i
}

/// The exact solution, by enumeration. Contacts that stay open or stick, most of them, are settled without a division,
/// those that stay open by their normal velocity alone.
pub(super) struct Exact;

impl<const D: usize> Rule<D> for Exact {
    /// W_ii⁻¹; not a number where W_ii is nearly singular.
    type Memory = Matrix<D>;

    fn recall(&self, problem: &ContactProblem<D>, r: &[Vector<D>]) -> Vec<Matrix<D>> {
        let mut inverses = vec![Matrix::from_element(f64::NAN); r.len()];
        parallel::update(&mut inverses, |i, slot| {
            if let Some(inverse) = one_contact::well_conditioned_inverse(problem.W.diagonal(i)) {
                *slot = inverse;
            }
        });
        inverses
    }

    #[inline(always)]
    fn stays_open(&self, law: &Law, u_N: f64) -> bool {
        matches!(law, Law::Coulomb(_) | Law::Frictionless(_) | Law::Rolling(_)) && u_N >= 0.0
    }

    #[inline(always)]
    fn solve(
        &self,
        W_ii: &Matrix<D>,
        u_i: &Vector<D>,
        law: &Law,
        r_i: &Vector<D>,
        inverse: &mut Matrix<D>,
    ) -> Vector<D> {
        // neither is needed by every contact, and this runs at every visit
        let q_i = || without_impulse(W_ii, u_i, r_i);
        let stick = || r_i - *inverse * u_i;
        match law {
            Law::Coulomb(law) => {
                let stick = stick();
                let bound = law.mu * stick[0];
                if bound > 0.0 && tangent_norm_squared(&stick) <= bound * bound {
                    return stick;
                }
            }
            Law::Rolling(_) | Law::RollingConvex(_) => {
                let stick = stick();
                if law.project(stick) == stick {
                    return stick;
                }
            }
            _ => {}
        }
        one_contact::solve_exactly(W_ii, &q_i(), law, r_i)
    }
}

/// The same in the plane, all divisions done beforehand.
pub(super) struct ExactInPlane;

impl<const D: usize> Rule<D> for ExactInPlane {
    type Memory = one_contact::PlaneContact;

    fn recall(&self, problem: &ContactProblem<D>, r: &[Vector<D>]) -> Vec<Self::Memory> {
        let prepared = |i| one_contact::PlaneContact::of(problem.W.diagonal(i), &problem.laws[i]);
        (0..r.len()).map(prepared).collect()
    }

    #[inline(always)]
    fn stays_open(&self, law: &Law, u_N: f64) -> bool {
        Rule::<D>::stays_open(&Exact, law, u_N)
    }

    #[inline(always)]
    fn solve(
        &self,
        W_ii: &Matrix<D>,
        u_i: &Vector<D>,
        law: &Law,
        r_i: &Vector<D>,
        memory: &mut Self::Memory,
    ) -> Vector<D> {
        match memory.solve(u_i, r_i) {
            Some(r) => r,
            None => one_contact::solve_exactly(W_ii, &without_impulse(W_ii, u_i, r_i), law, r_i),
        }
    }
}

/// A one-contact solver of the user's choice, the enumeration where it fails.
pub(super) struct Chosen<'a> {
    pub settings: &'a one_contact::Settings,
    pub fallbacks: AtomicUsize,
}

impl<const D: usize> Rule<D> for Chosen<'_> {
    type Memory = ();

    fn recall(&self, _problem: &ContactProblem<D>, r: &[Vector<D>]) -> Vec<()> {
        vec![(); r.len()]
    }

    #[inline(always)]
    fn solve(&self, W_ii: &Matrix<D>, u_i: &Vector<D>, law: &Law, r_i: &Vector<D>, (): &mut ()) -> Vector<D> {
        let q_i = without_impulse(W_ii, u_i, r_i);
        let Law::Coulomb(law) = law else { return one_contact::solve_exactly(W_ii, &q_i, law, r_i) };
        let solved = self.settings.solve(&OneContact { W: W_ii, q: q_i, mu: law.mu }, r_i);
        if solved.converged || self.settings.inexact {
            return solved.r;
        }
        self.fallbacks.fetch_add(1, Ordering::Relaxed);
        one_contact::solve_coulomb(W_ii, &q_i, law.mu)
    }
}

/// One step of the iterative active set a visit, in the plane.
pub(super) struct ActiveSetInPlane<'a>(pub &'a one_contact::Settings);

impl<const D: usize> Rule<D> for ActiveSetInPlane<'_> {
    type Memory = one_contact::PlaneStep;

    fn recall(&self, problem: &ContactProblem<D>, r: &[Vector<D>]) -> Vec<Self::Memory> {
        (0..r.len()).map(|i| one_contact::PlaneStep::of(self.0, problem.W.diagonal(i))).collect()
    }

    #[inline(always)]
    fn stays_open(&self, law: &Law, u_N: f64) -> bool {
        matches!(law, Law::Coulomb(_)) && u_N >= 0.0
    }

    #[inline(always)]
    fn solve(
        &self,
        W_ii: &Matrix<D>,
        u_i: &Vector<D>,
        law: &Law,
        r_i: &Vector<D>,
        memory: &mut Self::Memory,
    ) -> Vector<D> {
        match law {
            Law::Coulomb(law) => memory.step(law.mu, r_i, u_i),
            _ => one_contact::solve_exactly(W_ii, &without_impulse(W_ii, u_i, r_i), law, r_i),
        }
    }
}

/// Coulomb friction as associated friction with a normal shift μ s, s following |u_T| at a given rate a sweep: the
/// problem that the sweeps see is convex at any moment, and turns into Coulomb's as s settles, Bloch 2023 (39).
pub(super) struct Lagged {
    pub rate: f64,
}

impl<const D: usize> Rule<D> for Lagged {
    /// s, the slip speed that the shift supposes.
    type Memory = f64;

    fn recall(&self, problem: &ContactProblem<D>, r: &[Vector<D>]) -> Vec<f64> {
        problem.velocities(r).iter().map(tangent_norm).collect()
    }

    #[inline(always)]
    fn solve(&self, W_ii: &Matrix<D>, u_i: &Vector<D>, law: &Law, r_i: &Vector<D>, s: &mut f64) -> Vector<D> {
        let q_i = without_impulse(W_ii, u_i, r_i);
        let Law::Coulomb(law) = law else { return one_contact::solve_exactly(W_ii, &q_i, law, r_i) };
        let mut shifted = q_i;
        shifted[0] += law.mu * *s;
        let r = one_contact::solve_convex(W_ii, &shifted, law.mu);
        let slip = tangent_norm(&(W_ii * r + q_i));
        *s += self.rate * (slip - *s);
        r
    }
}

/// Sweeps stand still when the best residual fell by less than this factor while their number doubled.
const STANDSTILL: f64 = 0.9;
/// What ω is multiplied by then, down to the least.
const DAMP: f64 = 0.8;
const LEAST_OMEGA: f64 = 0.2;

/// The relaxation ω, lowered where the sweeps stand still: a cycle then shrinks to the solution inside it.
pub(super) struct Standstill {
    first: f64,
    omega: f64,
    next_doubt: usize,
}

impl Standstill {
    pub fn new(omega: f64, first_doubt: usize) -> Self {
        Standstill { first: omega, omega, next_doubt: first_doubt }
    }

    pub fn omega(&self) -> f64 {
        self.omega
    }

    /// Whether the sweeps stand still, at a look at the residual; asked again when their number has doubled.
    pub fn is_reached<const D: usize>(&mut self, watch: &Watch<D>) -> bool {
        let reached = watch.iterations() >= self.next_doubt && watch.progress() > STANDSTILL;
        if reached {
            self.next_doubt = 2 * watch.iterations();
        }
        reached
    }

    /// Lowers ω.
    pub fn damp(&mut self) {
        self.omega = (self.omega * DAMP).max(LEAST_OMEGA.min(self.first));
    }

    /// Says what was done.
    pub fn note<const D: usize>(&self, watch: &mut Watch<D>) {
        if self.omega != self.first {
            watch.note(format!(
                "the sweeps stood still: relaxation lowered from {} to {:.2}",
                self.first, self.omega
            ));
        }
    }
}

/// The visits of a sweep to the contacts of a part.
pub(super) enum Visits<'a> {
    Forwards,
    Listed(&'a [u32]),
}

/// Sweeps over one problem, with the state of W that they carry along.
pub(super) struct Sweeps<'a, const D: usize, F: Rows<D>, R: Rule<D>> {
    pub(super) W: &'a F,
    pub(super) problem: &'a ContactProblem<D>,
    pub rule: R,
    pub cells: Vec<F::Cell>,
    /// Sweeps since the state was computed from r.
    age: usize,
    memory: Vec<R::Memory>,
    arch: pulp::Arch,
}

/// A state that has come through this many sweeps is computed afresh.
const OLD: usize = 50;

impl<'a, const D: usize, F: Operator<D> + Rows<D>, R: Rule<D>> Sweeps<'a, D, F, R> {
    pub fn new(W: &'a F, problem: &'a ContactProblem<D>, rule: R, r: &[Vector<D>]) -> Self {
        let memory = rule.recall(problem, r);
        // the widest vector instructions of this machine; no operation is fused or reordered, so the bits are the same
        Sweeps { W, problem, rule, cells: W.start(r), age: 0, memory, arch: pulp::Arch::new() }
    }

    /// Whether the state has gathered rounding of many sweeps.
    pub fn is_old(&self) -> bool {
        self.age >= OLD
    }

    /// Computes the state afresh.
    pub fn refresh(&mut self, r: &[Vector<D>]) {
        self.cells = self.W.start(r);
        self.age = 0;
    }

    /// `u = W r + q` from the state.
    pub fn velocities(&self, r: &[Vector<D>], u: &mut [Vector<D>]) {
        let part = Part::whole(u.len(), self.cells.len());
        let Sweeps { W, problem, cells, .. } = self;
        parallel::fill(u, |i| W.velocity(cells, &part, i, &r[i]) + problem.q[i]);
    }

    /// The contacts to visit, one after the other.
    pub fn sweep(&mut self, r: &mut [Vector<D>], omega: f64, visits: Visits) {
        self.sweep_from(AsTheyAre, r, omega, visits);
    }

    /// The same, and by how much it changed the impulses.
    pub fn sweep_for_change(&mut self, r: &mut [Vector<D>], omega: f64, visits: Visits) -> f64 {
        let Changes { normal, tangent_squared } = self.sweep_from(Changes::default(), r, omega, visits);
        normal + tangent_squared.sqrt()
    }

    /// The same with momentum.
    pub fn sweep_with(&mut self, carried: Carried<D>, r: &mut [Vector<D>], omega: f64) -> Way {
        self.sweep_from(carried, r, omega, Visits::Forwards).way
    }

    fn sweep_from<S: Start<D>>(&mut self, start: S, r: &mut [Vector<D>], omega: f64, visits: Visits) -> S {
        let part = Part::whole(r.len(), self.cells.len());
        self.age += 1;
        let Sweeps { W, problem, rule, cells, memory, arch, .. } = self;
        arch.dispatch(Sweep { W: *W, problem, rule, start, omega, part: &part, cells, r, memory, visits })
    }

    /// The same, the even slabs at once, then the odd ones; see [`Arranged`](crate::delassus::Arranged).
    pub fn sweep_slabs_with(
        &mut self,
        carried: Carried<D>,
        r: &mut [Vector<D>],
        omega: f64,
        slabs: &[Part],
    ) -> Way {
        self.age += 1;
        let Sweeps { W, problem, rule, cells, memory, arch, .. } = self;
        let Carried { beta, last, weights, mut way } = carried;
        for parity in [0, 1] {
            let parts = || slabs.iter().skip(parity).step_by(2);
            let slices = carve(r, parts().map(|part| part.contacts.clone()))
                .zip(carve(cells, parts().map(|part| part.cells.clone())))
                .zip(carve(memory, parts().map(|part| part.contacts.clone())))
                .zip(carve(last, parts().map(|part| part.contacts.clone())));
            let tasks: Vec<_> = parts().zip(slices).collect();
            let sweep = |(part, (((r, cells), memory), last)): (&Part, (_, &mut [Vector<D>]))| {
                let weights = &weights[part.contacts.clone()];
                let start = Carried { beta, last, weights, way: Way::default() };
                let visits = Visits::Forwards;
                arch.dispatch(Sweep { W: *W, problem, rule, start, omega, part, cells, r, memory, visits })
                    .way
            };
            let ways: Vec<Way> = tasks.into_par_iter().map(sweep).collect();
            ways.iter().for_each(|part| way.add(part));
        }
        way
    }
}

/// Where a visit starts.
pub(super) trait Start<const D: usize> {
    /// The impulse from which the contact at place k is solved; the sweep before gave it r.
    fn of(&mut self, k: usize, r: &Vector<D>) -> Vector<D>;
    /// The visit changed its impulse from y to r.
    fn end(&mut self, k: usize, y: &Vector<D>, r: &Vector<D>);
}

/// From what the sweep before gave.
struct AsTheyAre;

impl<const D: usize> Start<D> for AsTheyAre {
    #[inline(always)]
    fn of(&mut self, _k: usize, r: &Vector<D>) -> Vector<D> {
        *r
    }

    #[inline(always)]
    fn end(&mut self, _k: usize, _y: &Vector<D>, _r: &Vector<D>) {}
}

/// The same; of the changes the largest of a normal impulse and that of a tangential one, Abide 2021 (4.15).
#[derive(Default)]
struct Changes {
    normal: f64,
    tangent_squared: f64,
}

impl<const D: usize> Start<D> for Changes {
    #[inline(always)]
    fn of(&mut self, _k: usize, r: &Vector<D>) -> Vector<D> {
        *r
    }

    #[inline(always)]
    fn end(&mut self, _k: usize, y: &Vector<D>, r: &Vector<D>) {
        let dr = r - y;
        self.normal = self.normal.max(dr[0].abs());
        self.tangent_squared = self.tangent_squared.max(tangent_norm_squared(&dr));
    }
}

/// From `y = r + β (r − r⁻)`.
pub(super) struct Carried<'a, const D: usize> {
    pub beta: f64,
    /// r⁻, and after the sweep r.
    pub last: &'a mut [Vector<D>],
    /// Traces of W_ii, which turn impulses into velocities.
    pub weights: &'a [f64],
    pub way: Way,
}

/// What a sweep from y did to the impulses, from r to r⁺, summed over the contacts by their weights.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Way {
    /// `(y − r⁺)·(r⁺ − r)`: positive where it went against the momentum.
    pub against: f64,
    /// `|r⁺ − r|²`.
    pub length_squared: f64,
}

impl Way {
    fn add(&mut self, part: &Way) {
        self.against += part.against;
        self.length_squared += part.length_squared;
    }
}

impl<const D: usize> Start<D> for Carried<'_, D> {
    #[inline(always)]
    fn of(&mut self, k: usize, r: &Vector<D>) -> Vector<D> {
        let last = std::mem::replace(&mut self.last[k], *r);
        r + (r - last) * self.beta
    }

    #[inline(always)]
    fn end(&mut self, k: usize, y: &Vector<D>, r: &Vector<D>) {
        let (step, weight) = (r - self.last[k], self.weights[k]);
        self.way.against += weight * (y - r).dot(&step);
        self.way.length_squared += weight * step.norm_squared();
    }
}

/// Disjoint pieces of a slice, by ranges in rising order.
fn carve<T>(
    slice: &mut [T],
    ranges: impl Iterator<Item = std::ops::Range<usize>>,
) -> impl Iterator<Item = &mut [T]> {
    let mut rest = slice;
    let mut cut = 0;
    ranges.map(move |range| {
        let tail = std::mem::take(&mut rest).split_at_mut(range.start - cut).1;
        let (piece, tail) = tail.split_at_mut(range.len());
        rest = tail;
        cut = range.end;
        piece
    })
}

/// One sweep over a part, compiled once for each set of vector instructions.
struct Sweep<'a, 'b, const D: usize, F: Rows<D>, R: Rule<D>, S> {
    W: &'a F,
    problem: &'a ContactProblem<D>,
    rule: &'a R,
    start: S,
    omega: f64,
    part: &'a Part,
    cells: &'b mut [F::Cell],
    r: &'b mut [Vector<D>],
    memory: &'b mut [R::Memory],
    visits: Visits<'a>,
}

impl<const D: usize, F: Operator<D> + Rows<D>, R: Rule<D>, S: Start<D>> pulp::WithSimd
    for Sweep<'_, '_, D, F, R, S>
{
    type Output = S;

    #[inline(always)]
    fn with_simd<I: pulp::Simd>(mut self, _simd: I) -> S {
        match self.visits {
            Visits::Forwards => {
                for i in self.part.contacts.clone() {
                    self.visit(i);
                }
            }
            Visits::Listed(list) => {
                for &i in list {
                    self.visit(i as usize);
                }
            }
        }
        self.start
    }
}

impl<const D: usize, F: Operator<D> + Rows<D>, R: Rule<D>, S: Start<D>> Sweep<'_, '_, D, F, R, S> {
    /// Solves contact i with the others held.
    #[inline(always)]
    fn visit(&mut self, i: usize) {
        let k = i - self.part.contacts.start;
        let y_i = self.start.of(k, &self.r[k]);
        let r_i = self.solved(i, k, &y_i);
        self.start.end(k, &y_i, &r_i);
        self.r[k] = r_i;
    }

    /// The impulse of contact i, solved from y_i.
    #[inline(always)]
    fn solved(&mut self, i: usize, k: usize, y_i: &Vector<D>) -> Vector<D> {
        let (q_i, law) = (&self.problem.q[i], &self.problem.laws[i]);
        if y_i.iter().all(|&x| x == 0.0) {
            let u_N = q_i[0] + self.W.normal_velocity(self.cells, self.part, i, 0.0);
            if self.rule.stays_open(law, u_N) {
                return *y_i;
            }
        }
        let W_ii = self.W.diagonal(i);
        let u_i = q_i + self.W.velocity(self.cells, self.part, i, y_i);
        let solved = self.rule.solve(W_ii, &u_i, law, y_i, &mut self.memory[k]);
        let dr = (solved - y_i) * self.omega;
        // an open contact that stays open changes nothing
        if dr.iter().any(|&x| x != 0.0) {
            self.W.add(self.cells, self.part, i, &dr);
        }
        y_i + dr
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_change_adds_the_largest_of_both_parts() {
        let mut changes = Changes::default();
        let visits = [([0.0; 3], [-0.5, 0.0, 0.1]), ([1.0, 2.0, 2.0], [1.2, 2.3, 2.4])];
        for (before, after) in visits {
            Start::<3>::end(&mut changes, 0, &before.into(), &after.into());
        }
        assert_eq!(changes.normal, 0.5);
        assert!((changes.tangent_squared - 0.25).abs() < 1e-15);
    }

    #[test]
    fn momentum_starts_ahead_and_measures_the_way() {
        let mut last = [Vector::<2>::new(1.0, 0.0)];
        let mut carried = Carried { beta: 0.5, last: &mut last, weights: &[2.0], way: Way::default() };
        let y = carried.of(0, &Vector::<2>::new(3.0, 1.0));
        assert_eq!(y, Vector::<2>::new(4.0, 1.5));
        carried.end(0, &y, &Vector::<2>::new(3.0, 2.0));
        let way = carried.way;
        assert_eq!(way.length_squared, 2.0 * 1.0);
        assert_eq!(way.against, 2.0 * -0.5);
        assert_eq!(last[0], Vector::<2>::new(3.0, 1.0));
    }
}
