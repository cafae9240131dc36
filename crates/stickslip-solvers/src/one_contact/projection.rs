//! One contact under any law, by projections on its set of impulses alone.
//!
//! ```text
//! F(r) = r − P_K(r − ρ (u + g(u) n)) = 0,  u = W r + q         Newton's method, a few steps near the solution
//!
//! r⁺ = P_K(y − ρ (W y + q + s n)),  y⁺ = r⁺ + β (r⁺ − r)       ½ rᵀWr + (q + s n)ᵀr → min over K
//! s ← g(u(r)) until it stays                                   for a flow that is not associated
//! ```
//!
//! Newton's method starts from the impulse of the last visit, where a settled contact stays at once. Where it does not get
//! on, the convex problems take over, each by Nesterov's momentum with restarts. It serves yield surfaces without a closed
//! form, and blocks of slip, roll and spin.

use super::inverse_or_one;
use crate::block::{Matrix, Vector, solve_dense};
use crate::laws::{ContactLaw, Law};

/// Newton's steps at most.
const NEWTON_STEPS: usize = 12;
/// The natural map, relative to the impulses involved, at which Newton's method ends.
const SOLVED: f64 = 1e-14;
/// Newton's method gets on while two steps bring the natural map below this part.
const GETS_ON: f64 = 0.5;
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
    newton(W, q, law, r).unwrap_or_else(|| solve_convex_problems(W, q, law, r))
}

/// Newton's method on the natural map; `None` where it does not get there.
fn newton<const D: usize>(W: &Matrix<D>, q: &Vector<D>, law: &Law, start: &Vector<D>) -> Option<Vector<D>> {
    let rho = inverse_or_one(super::largest_row_sum(W, 0));
    let mut r = law.project(*start);
    let (mut last, mut last_but_one) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..NEWTON_STEPS {
        let u = W * r + q;
        let mut y = r - u * rho;
        y[0] -= law.shift(&u) * rho;
        let projected = law.project(y);
        let F = r - projected;
        let map = F.norm();
        if map <= SOLVED * (r.norm() + rho * (q.norm() + u.norm())) {
            return Some(projected);
        }
        if map.is_nan() || map > GETS_ON * last_but_one {
            return None;
        }
        (last_but_one, last) = (last, map);
        // ∂(u + g n)/∂r = (1 + n g'ᵀ) W
        let mut V = *W;
        let along = law.shift_slope(&u).transpose() * W;
        (0..D).for_each(|j| V[(0, j)] += along[j]);
        let J = Matrix::identity() - law.derivative(&y) * (Matrix::identity() - V * rho);
        r -= solve_dense(J, F)?;
    }
    None
}

/// Convex problems, one after the other, until their shift stays.
fn solve_convex_problems<const D: usize>(
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::one_contact::{natural_map, uniform};

    /// Contacts that open, stick, slip and roll, with blocks whose condition is about 100.
    fn contacts<const D: usize>() -> impl Iterator<Item = (Matrix<D>, Vector<D>)> {
        let mut uniform = uniform(7);
        let mut random = move || 0.5 * uniform();
        (0..300).map(move |_| {
            let root = Matrix::<D>::from_fn(|_, _| random());
            let mut q = Vector::<D>::from_fn(|_, _| random());
            q[0] -= 0.4;
            (root * root.transpose() + Matrix::identity() * 0.1, q)
        })
    }

    fn check<const D: usize>(law: &Law) {
        let mut by_newton = 0;
        for (W, q) in contacts::<D>() {
            let r = solve_by_projection(&W, &q, law, &Vector::zeros());
            let (map, size) = natural_map(&W, &q, law, &r);
            assert!(map <= 1e-9 * size, "{law:?}: {map:e} of {size:e}");
            if let Some(r) = newton(&W, &q, law, &Vector::zeros()) {
                by_newton += 1;
                assert!(natural_map(&W, &q, law, &r).0 <= 1e-12 * size);
            }
        }
        assert!(by_newton >= 200, "{law:?}: {by_newton} of 300");
    }

    #[test]
    fn both_methods_obey_the_laws_and_newtons_serves_most_contacts() {
        check::<3>(&Law::rolling(0.5, 0.2, 0.0));
        check::<6>(&Law::rolling(0.5, 0.2, 0.1));
        check::<3>(&Law::rolling(0.5, 0.2, 0.0).associated());
        check::<6>(&Law::rolling(0.5, 0.2, 0.1).associated());
    }
}
