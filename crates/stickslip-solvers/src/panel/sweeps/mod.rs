//! Gauss–Seidel sweeps: what `nlgs` and `nlgs-accelerated` have in common.
//!
//! ```text
//! r_i ← one contact solved with W_ii and q_i + Σ_{j≠i} W_ij r_j        Renouf–Acary 2006 (6)
//! ```

mod random;
mod rules;
mod standstill;
mod starts;

pub(super) use random::Random;
pub(super) use rules::{Chosen, Exact, Lagged, Nearly, Ready, Rule, with_exact_rule};
pub(super) use standstill::Standstill;
pub(super) use starts::{Carried, Way};

use crate::block::Vector;
use crate::delassus::{Operator, Part, Rows};
use crate::parallel;
use crate::problem::ContactProblem;
use rayon::prelude::*;
use rules::Visited;
use starts::{AsTheyAre, Changes, Start};

/// The visits of a sweep to the contacts of a part.
pub(super) enum Visits<'a> {
    Forwards,
    Listed(&'a [u32]),
    /// Each with an ω of its own.
    Paced(&'a [(u32, f64)]),
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
            Visits::Paced(list) => {
                for &(i, omega) in list {
                    self.omega = omega;
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
        let (at, q_i) = (Visited { W: self.W, problem: self.problem, i }, &self.problem.q[i]);
        if R::LEAVES_OPEN && y_i.iter().all(|&x| x == 0.0) {
            let u_N = q_i[0] + self.W.normal_velocity(self.cells, self.part, i, 0.0);
            if at.opens(u_N) {
                return *y_i;
            }
        }
        let u_i = q_i + self.W.velocity(self.cells, self.part, i, y_i);
        let solved = self.rule.solve(at, &u_i, y_i, &mut self.memory[k]);
        let dr = (solved - y_i) * self.omega;
        // an open contact that stays open changes nothing
        if dr.iter().any(|&x| x != 0.0) {
            self.W.add(self.cells, self.part, i, &dr);
        }
        y_i + dr
    }
}
