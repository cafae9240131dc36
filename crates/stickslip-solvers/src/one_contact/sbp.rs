//! Standard bi-potential (De Saxcé–Feng) as a fixed point: one projection on the cone.
//!
//! ```text
//! r ← P_K(r − ρ (u + μ|u_T| n)),   K = {|r_T| ≤ μ r_N}        Abide 2021, remark 2: SBP
//! ```
//!
//! Notation: p = r. A given `rho` is used in this formula as it stands. The default first balances the block: in
//! the variables r_N = s r̂_N, s² = mean(W_TT)/W_NN, the law is again Coulomb's with μ̂ = s μ, û_N = s u_N, and
//! the scaled block has equal diagonals, so one ρ = 1/‖Ŵ‖ suits normal and tangent.
//!
//! Choose it for: reproducing the paper. Fails where: the block is ill-conditioned, or μ̂ is large in slip (the
//! error shrinks by μ̂²/(1 + μ̂²) a step even for spheres): too few iterations.

use super::{Iteration, OneContact, Settings, inverse_or_one, largest_row_sum, mean_tangent};
use crate::block::{Matrix, Vector, tangent_norm};
use crate::laws::{ContactLaw, Coulomb};

/// Fixed point of the bi-potential.
pub(super) struct Sbp<'a>(pub &'a Settings);

impl Iteration for Sbp<'_> {
    fn step<const D: usize>(&self, contact: &OneContact<D>, r: &Vector<D>) -> Option<Vector<D>> {
        let balanced = Balanced::of(contact, self.0);
        let r_hat = balanced.scaled(r);
        let y = balanced.augmented(&r_hat, &balanced.velocity(&r_hat));
        Some(balanced.unscaled(Coulomb { mu: balanced.mu }.project(y)))
    }
}

/// The contact in the variables of the bi-potential, with its ρ.
pub(super) struct Balanced<const D: usize> {
    pub W: Matrix<D>,
    pub q: Vector<D>,
    pub mu: f64,
    pub rho: f64,
    /// s: r_N = s r̂_N, û_N = s u_N.
    pub scale: f64,
}

impl<const D: usize> Balanced<D> {
    pub fn of(contact: &OneContact<D>, settings: &Settings) -> Self {
        let scale = match settings.rho {
            None if D > 1 => (mean_tangent(contact.W) * inverse_or_one(contact.W[(0, 0)])).sqrt(),
            _ => 1.0,
        };
        let scale = if scale > 0.0 && scale.is_finite() { scale } else { 1.0 };
        let (mut W, mut q) = (*contact.W, contact.q);
        for k in 0..D {
            W[(0, k)] *= scale;
            W[(k, 0)] *= scale;
        }
        q[0] *= scale;
        let rho = settings.rho.unwrap_or_else(|| inverse_or_one(largest_row_sum(&W, 0)));
        Balanced { W, q, mu: contact.mu * scale, rho, scale }
    }

    pub fn velocity(&self, r: &Vector<D>) -> Vector<D> {
        self.W * r + self.q
    }

    /// r − ρ (u + μ|u_T| n).
    pub fn augmented(&self, r: &Vector<D>, u: &Vector<D>) -> Vector<D> {
        let mut y = r - u * self.rho;
        y[0] -= self.rho * self.mu * tangent_norm(u);
        y
    }

    pub fn scaled(&self, r: &Vector<D>) -> Vector<D> {
        let mut r = *r;
        r[0] /= self.scale;
        r
    }

    pub fn unscaled(&self, r: Vector<D>) -> Vector<D> {
        let mut r = r;
        r[0] *= self.scale;
        r
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balancing_keeps_the_law() {
        let W = Matrix::<3>::new(0.5, 0.1, 0.2, 0.1, 3.0, 0.4, 0.2, 0.4, 2.0);
        let contact = OneContact { W: &W, q: Vector::<3>::new(-1.0, 0.7, 0.3), mu: 0.4 };
        let balanced = Balanced::of(&contact, &Settings::default());
        assert!((balanced.W[(0, 0)] - mean_tangent(&W)).abs() < 1e-15);
        let r = Vector::<3>::new(1.2, 0.3, -0.1);
        let (u, u_hat) = (contact.velocity(&r), balanced.velocity(&balanced.scaled(&r)));
        assert!((u_hat[0] - balanced.scale * u[0]).abs() < 1e-15 && (u_hat[2] - u[2]).abs() < 1e-15);
        assert!((balanced.unscaled(balanced.scaled(&r)) - r).norm() < 1e-15);
    }

    #[test]
    fn a_given_rho_leaves_the_block() {
        let W = Matrix::<3>::from_diagonal(&Vector::<3>::new(1.0, 3.5, 3.5));
        let contact = OneContact { W: &W, q: Vector::<3>::new(-1.0, 1.0, 0.0), mu: 0.5 };
        let settings = Settings { rho: Some(0.2), ..Default::default() };
        let r = Vector::<3>::new(1.0, -0.2, 0.1);
        let mut y = r - contact.velocity(&r) * 0.2;
        y[0] -= 0.2 * 0.5 * tangent_norm(&contact.velocity(&r));
        let expected = Coulomb { mu: 0.5 }.project(y);
        assert!((Sbp(&settings).step(&contact, &r).unwrap() - expected).norm() < 1e-15);
    }
}
