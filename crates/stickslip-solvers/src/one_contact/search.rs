//! What the careful searches share: a bracket for a scalar root, and the impulses they keep.
//!
//! A search in a scalar (α of the enumeration, α or 1/α of the convex law) comes as close to the cone as the rounding
//! of that scalar lets it; Newton's method on the direction, [`super::direction`], does the rest.

use super::direction::{Flow, newton, turned, unit_tangent};
use super::{is_finite, natural_map};
use crate::block::{Matrix, Vector};
use crate::laws::{ContactLaw, Law};

/// Steps of a bracketed search: each at least divides the bracket, on a logarithmic scale.
pub(super) const MAX_STEPS: usize = 120;
/// |ψ| from where Newton's method on the direction does the rest.
pub(super) const NEAR_CONE: f64 = 1e-11;

/// Natural-map residual that ends the search: below it only rounding is left.
const SETTLED: f64 = 1e-14;
/// Quadratic convergence: from a few digits to all of them takes three steps, from none some more.
const REFINEMENTS: usize = 10;

/// The root of a function that is negative at `low` and positive at `high`, on the positive axis.
pub(super) struct Bracket {
    /// Where the function is to be evaluated next.
    pub at: f64,
    low: f64,
    high: f64,
}

impl Bracket {
    pub fn from(at: f64) -> Self {
        Bracket { at, low: at, high: f64::INFINITY }
    }

    /// The root lies beyond `at`: go on to the guess if it is in the bracket. Whether there was anywhere to go.
    pub fn beyond(&mut self, smallest: f64, guess: Option<f64>) -> bool {
        self.low = self.at;
        let far = (16.0 * self.low).max(smallest);
        self.go(guess, far)
    }

    /// The root lies short of `at`.
    pub fn short(&mut self, guess: Option<f64>) -> bool {
        self.high = self.at;
        self.go(guess, self.high)
    }

    fn go(&mut self, guess: Option<f64>, far: f64) -> bool {
        let middle = if self.high == f64::INFINITY {
            far
        } else if self.low > 0.0 && self.high > 4.0 * self.low {
            (self.low * self.high).sqrt()
        } else if self.low == 0.0 {
            self.high / 1024.0
        } else {
            0.5 * (self.low + self.high)
        };
        let next = guess.filter(|x| *x > self.low && *x < self.high).unwrap_or(middle);
        let moved = next > self.low && next < self.high;
        self.at = next;
        moved
    }
}

/// The impulse of least natural map among those offered, not relative to r: that would favour huge ones.
pub(super) struct Best<'a, const D: usize> {
    pub W: &'a Matrix<D>,
    pub q: &'a Vector<D>,
    law: Law,
    pub r: Vector<D>,
    map: f64,
    size: f64,
}

impl<'a, const D: usize> Best<'a, D> {
    pub fn new(W: &'a Matrix<D>, q: &'a Vector<D>, law: Law) -> Self {
        let r = Vector::zeros();
        let (map, size) = natural_map(W, q, &law, &r);
        Best { W, q, law, r, map, size }
    }

    pub fn offer(&mut self, r: &Vector<D>) {
        let (map, size) = natural_map(self.W, self.q, &self.law, r);
        if map < self.map && is_finite(r) {
            (self.r, self.map, self.size) = (*r, map, size);
        }
    }

    /// Whether only rounding is left.
    pub fn is_settled(&self) -> bool {
        self.map <= SETTLED * self.size
    }

    /// Offers r put on the cone, and from there Newton's steps on its direction.
    pub fn refine(&mut self, mu: f64, r: &Vector<D>, flow: Flow) {
        let projected = self.law.project(*r);
        self.offer(&projected);
        let (mut r_N, Some(mut d)) = (projected[0], unit_tangent(&projected)) else { return };
        for _ in 0..REFINEMENTS {
            let Some((r_N_change, turn)) = newton(self.W, self.q, mu, (r_N, &d), flow) else { return };
            r_N += r_N_change;
            let Some(next) = unit_tangent(&turned(&d, turn.clamp(-0.5, 0.5))) else { return };
            d = next;
            let mut r = d * (mu * r_N);
            r[0] = r_N;
            let before = self.map;
            self.offer(&r);
            if self.is_settled() && self.map >= 0.5 * before {
                return;
            }
        }
    }
}

/// The iterate of a search that came closest to the cone.
pub(super) struct Nearest<const D: usize> {
    psi: f64,
    pub r: Vector<D>,
}

impl<const D: usize> Default for Nearest<D> {
    fn default() -> Self {
        Nearest { psi: f64::INFINITY, r: Vector::zeros() }
    }
}

impl<const D: usize> Nearest<D> {
    pub fn keep(&mut self, psi: f64, r: &Vector<D>) {
        if psi.abs() < self.psi {
            (self.psi, self.r) = (psi.abs(), *r);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bracket_finds_roots_over_many_decades() {
        for root in [1e-12, 3e-4, 1.0, 7e9] {
            let mut bracket = Bracket::from(0.0);
            let mut steps = 0;
            loop {
                let value = bracket.at - root;
                steps += 1;
                let moved = if value < 0.0 { bracket.beyond(1e-16, None) } else { bracket.short(None) };
                if !moved || steps == MAX_STEPS {
                    break;
                }
            }
            assert!((bracket.at - root).abs() < 1e-10 * root, "{root} {} {steps}", bracket.at);
        }
    }
}
