//! What impulses do, carried along by a gradient method, which changes all of them at once.
//!
//! ```text
//! y = r + β (r − r_last)        r⁺ = P(y − ρ (W y + q))
//! ```
//!
//! W is linear, so that `W y` follows from what r and r_last have done to the bodies: where W is factored by bodies, one
//! velocity a body takes the place of one a contact. A step reads each contact once, for its velocity at y and for what its
//! new impulse does to its bodies.

use super::{Operator, SparseMass, Stored};
use crate::block::Vector;
use crate::parallel;

/// How a step changes one impulse. A trait and no closure: it must be inlined where contacts are read.
pub(crate) trait Change<const D: usize, const N: usize>: Sync {
    /// Replaces the impulse r_i by the next one, given `(W y)_i`; returns terms to be summed.
    fn change(&self, i: usize, Wy_i: Vector<D>, r_i: &mut Vector<D>) -> [f64; N];
}

/// What impulses r do, and those before them.
pub(crate) trait Carried<const D: usize>: Sync {
    /// Changes every impulse, and sums the terms. Of contacts that give way by themselves, W is that of the bodies.
    fn step<const N: usize>(&mut self, r: &mut [Vector<D>], change: &impl Change<D, N>) -> [f64; N];

    /// `dᵀWd` of the way d from y to the impulses r of the last step.
    fn curvature(&self, r: &[Vector<D>], d: impl Fn(usize) -> Vector<D> + Sync) -> f64;

    /// Takes up the impulses r of the last step; the next one goes from `r + β (r − r_last)`.
    fn take_up(&mut self, r: &[Vector<D>], beta: f64);

    /// `u = W r + q` of the impulses that were taken up.
    fn velocities(&self, q: &[Vector<D>], u: &mut [Vector<D>]);
}

/// A form of W whose effect can be carried along.
pub(crate) trait Carries<const D: usize> {
    /// How.
    type Carried<'a>: Carried<D>
    where
        Self: 'a;

    /// What impulses r do, those before them alike.
    fn carried(&self, r: &[Vector<D>]) -> Self::Carried<'_>;
}

/// One velocity a contact.
pub(crate) struct ByContacts<'a, const D: usize, F> {
    W: &'a F,
    scratch: Vec<f64>,
    /// `W r` now, at y, and of the last step.
    now: Vec<Vector<D>>,
    at_y: Vec<Vector<D>>,
    next: Vec<Vector<D>>,
}

impl<'a, const D: usize, F: Operator<D> + Sync> ByContacts<'a, D, F> {
    fn new(W: &'a F, r: &[Vector<D>]) -> Self {
        let mut scratch = vec![0.0; W.scratch()];
        let mut now = vec![Vector::zeros(); r.len()];
        W.apply(r, &mut now, &mut scratch);
        ByContacts { W, scratch, at_y: now.clone(), next: now.clone(), now }
    }
}

impl<const D: usize, F: Operator<D> + Sync> Carried<D> for ByContacts<'_, D, F> {
    fn step<const N: usize>(&mut self, r: &mut [Vector<D>], change: &impl Change<D, N>) -> [f64; N] {
        let at_y = &self.at_y;
        let sums = parallel::update_and_sum(r, |i, r_i| change.change(i, at_y[i], r_i));
        self.W.apply(r, &mut self.next, &mut self.scratch);
        sums
    }

    fn curvature(&self, r: &[Vector<D>], d: impl Fn(usize) -> Vector<D> + Sync) -> f64 {
        parallel::sum(r.len(), |i| d(i).dot(&(self.next[i] - self.at_y[i])))
    }

    fn take_up(&mut self, _r: &[Vector<D>], beta: f64) {
        let ByContacts { now, at_y, next, .. } = self;
        parallel::fill(at_y, |i| next[i] + (next[i] - now[i]) * beta);
        std::mem::swap(now, next);
    }

    fn velocities(&self, q: &[Vector<D>], u: &mut [Vector<D>]) {
        parallel::fill(u, |i| self.now[i] + q[i]);
    }
}

impl<const D: usize> Carries<D> for Stored<D> {
    type Carried<'a> = ByContacts<'a, D, Self>;

    fn carried(&self, r: &[Vector<D>]) -> ByContacts<'_, D, Self> {
        ByContacts::new(self, r)
    }
}

impl<const D: usize> Carries<D> for SparseMass<D> {
    type Carried<'a> = ByContacts<'a, D, Self>;

    fn carried(&self, r: &[Vector<D>]) -> ByContacts<'_, D, Self> {
        ByContacts::new(self, r)
    }
}
