//! One contact under any law, by projections on its set of impulses alone.
//!
//! ```text
//! r⁺ = P_K(y − ρ (W y + q + s n)),  y⁺ = r⁺ + β (r⁺ − r)       ½ rᵀWr + (q + s n)ᵀr → min over K
//! s ← g(u(r)) until it stays                                   for a flow that is not associated
//! ```
//!
//! Nesterov's momentum with restarts; it starts from the impulse of the last visit, where a settled contact stays after one
//! step. It serves yield surfaces without a closed form, and blocks of slip, roll and spin.

use super::inverse_or_one;
use crate::block::{Matrix, Vector};
use crate::laws::{ContactLaw, Law};

/// Steps on one convex problem at most.
const STEPS: usize = 300;
/// Convex problems at most.
const SHIFTS: usize = 40;
/// Rounds in which the shift follows at once.
const FULL_SHIFTS: usize = 5;
/// Change of the impulse, relative to its size, that is rounding.
const SETTLED: f64 = 1e-15;
/// Change of the shift, relative to the velocities of the contact, at which it stays.
const STAYS: f64 = 1e-14;

/// The impulse under any law, from a start r.
pub fn solve_by_projection<const D: usize>(
    W: &Matrix<D>,
    q: &Vector<D>,
    law: &Law,
    r: &Vector<D>,
) -> Vector<D> {
    let associated = law.associated();
    let mut r = associated.project(*r);
    let mut shift = law.shift(&(W * r + q));
    for round in 0..SHIFTS {
        let mut shifted = *q;
        shifted[0] += shift;
        r = minimise(W, &shifted, &associated, r);
        let u = W * r + q;
        let next = law.shift(&u);
        let stays = (next - shift).abs() <= STAYS * (q.norm() + next);
        // a strong coupling makes the shifts overshoot: half the way after some rounds
        shift = if round < FULL_SHIFTS { next } else { 0.5 * (shift + next) };
        if stays {
            break;
        }
    }
    r
}

/// `½ rᵀWr + qᵀr → min` over the set of an associated law.
fn minimise<const D: usize>(W: &Matrix<D>, q: &Vector<D>, law: &Law, start: Vector<D>) -> Vector<D> {
    let rho = inverse_or_one(super::largest_row_sum(W, 0));
    let (mut r, mut y, mut theta) = (start, start, 1.0f64);
    for _ in 0..STEPS {
        let next = law.project(y - (W * y + q) * rho);
        let step = next - r;
        if (next - y).norm() <= SETTLED * next.norm() && step.norm() <= SETTLED * next.norm() {
            return next;
        }
        if (y - next).dot(&step) > 0.0 {
            // the momentum points uphill
            theta = 1.0;
            y = next;
        } else {
            let theta_next = 0.5 * (1.0 + (1.0 + 4.0 * theta * theta).sqrt());
            y = next + step * ((theta - 1.0) / theta_next);
            theta = theta_next;
        }
        r = next;
    }
    r
}
