//! Explicit solution of a block that is isotropic and uncoupled: W = diag(W_NN, w I), as between spheres.
//!
//! ```text
//! r_N = [−q_N/W_NN]₊,   r_T = projection of −q_T/w on the disk |r_T| ≤ μ r_N      Renouf–Acary 2006, 4.5
//! ```
//!
//! w is the mean of the tangential diagonal. On any other block the same formulas give an approximation, and the
//! natural map says so: converged is true only where it confirms the impulse.
//!
//! Choose it for: spheres and disks, where nothing is faster. Fails on: every block with coupling or two
//! different tangential terms, unless the contact is open.

use super::sal::project_apart;
use super::{LocalSolver, OneContact, Settings, Solved, inverse_or_one, is_finite, mean_tangent};
use crate::block::Vector;

/// The explicit solution.
pub(super) struct Scalar<'a>(pub &'a Settings);

impl LocalSolver for Scalar<'_> {
    fn solve<const D: usize>(&self, contact: &OneContact<D>, _r: &Vector<D>) -> Solved<D> {
        let mut sticking = contact.q * -inverse_or_one(mean_tangent(contact.W));
        sticking[0] = -contact.q[0] * inverse_or_one(contact.W[(0, 0)]);
        let r = project_apart(sticking, contact.mu);
        if !is_finite(&r) {
            return Solved { r: Vector::zeros(), converged: false };
        }
        Solved { r, converged: contact.residual(&r) <= self.0.tolerance }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::Matrix;

    #[test]
    fn spheres_are_explicit_and_others_are_refused() {
        let mut W = Matrix::<3>::from_diagonal(&Vector::<3>::new(1.0, 3.5, 3.5));
        let q = Vector::<3>::new(-2.0, 3.0, 4.0);
        let settings = Settings::default();
        let solved = Scalar(&settings).solve(&OneContact { W: &W, q, mu: 0.25 }, &Vector::zeros());
        assert!(solved.converged && (solved.r - Vector::<3>::new(2.0, -0.3, -0.4)).norm() < 1e-15);
        W[(0, 1)] = 0.1;
        W[(1, 0)] = 0.1;
        assert!(!Scalar(&settings).solve(&OneContact { W: &W, q, mu: 0.25 }, &Vector::zeros()).converged);
    }
}
