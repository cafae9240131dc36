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

/// Blocks with a larger condition number are left to the enumeration.
const WELL_CONDITIONED: f64 = 1e8;

impl<const D: usize> Rule<D> for Exact {
    /// W_ii⁻¹; not a number where W_ii is nearly singular.
    type Memory = Matrix<D>;

    fn recall(&self, problem: &ContactProblem<D>, r: &[Vector<D>]) -> Vec<Matrix<D>> {
        let mut inverses = vec![Matrix::from_element(f64::NAN); r.len()];
        parallel::update(&mut inverses, |i, slot| {
            let W_ii = problem.W.diagonal(i);
            if let Some(inverse) = W_ii.try_inverse()
                && W_ii.norm() * inverse.norm() <= WELL_CONDITIONED
            {
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
                if D == 2
                    && stick[1].is_finite()
                    && let Some(slip) = one_contact::slip_in_plane(W_ii, &q_i(), law.mu, stick[1])
                {
                    return slip;
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
        let part = Part::whole(r.len(), self.cells.len());
        self.age += 1;
        let Sweeps { W, problem, rule, cells, memory, arch, .. } = self;
        arch.dispatch(Sweep { W: *W, problem, rule, omega, part: &part, cells, r, memory, visits });
    }

    /// The even slabs at once, then the odd ones; see [`Arranged`](crate::delassus::Arranged).
    pub fn sweep_slabs(&mut self, r: &mut [Vector<D>], omega: f64, slabs: &[Part]) {
        self.age += 1;
        let Sweeps { W, problem, rule, cells, memory, arch, .. } = self;
        for parity in [0, 1] {
            let parts = || slabs.iter().skip(parity).step_by(2);
            let slices = carve(r, parts().map(|part| part.contacts.clone()))
                .zip(carve(cells, parts().map(|part| part.cells.clone())))
                .zip(carve(memory, parts().map(|part| part.contacts.clone())));
            let tasks: Vec<_> = parts().zip(slices).collect();
            tasks.into_par_iter().for_each(|(part, ((r, cells), memory))| {
                let visits = Visits::Forwards;
                arch.dispatch(Sweep { W: *W, problem, rule, omega, part, cells, r, memory, visits });
            });
        }
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
struct Sweep<'a, 'b, const D: usize, F: Rows<D>, R: Rule<D>> {
    W: &'a F,
    problem: &'a ContactProblem<D>,
    rule: &'a R,
    omega: f64,
    part: &'a Part,
    cells: &'b mut [F::Cell],
    r: &'b mut [Vector<D>],
    memory: &'b mut [R::Memory],
    visits: Visits<'a>,
}

impl<const D: usize, F: Operator<D> + Rows<D>, R: Rule<D>> pulp::WithSimd for Sweep<'_, '_, D, F, R> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(mut self, _simd: S) {
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
    }
}

impl<const D: usize, F: Operator<D> + Rows<D>, R: Rule<D>> Sweep<'_, '_, D, F, R> {
    /// Solves contact i with the others held.
    #[inline(always)]
    fn visit(&mut self, i: usize) {
        let k = i - self.part.contacts.start;
        let (r_i, q_i, law) = (self.r[k], &self.problem.q[i], &self.problem.laws[i]);
        if r_i.iter().all(|&x| x == 0.0) {
            let u_N = q_i[0] + self.W.normal_velocity(self.cells, self.part, i, 0.0);
            if self.rule.stays_open(law, u_N) {
                return;
            }
        }
        let W_ii = self.W.diagonal(i);
        let u_i = q_i + self.W.velocity(self.cells, self.part, i, &r_i);
        let solved = self.rule.solve(W_ii, &u_i, law, &r_i, &mut self.memory[k]);
        let dr = (solved - r_i) * self.omega;
        if dr.iter().any(|&x| x != 0.0) {
            // an open contact that stays open changes nothing
            self.W.add(self.cells, self.part, i, &dr);
            self.r[k] = r_i + dr;
        }
    }
}
