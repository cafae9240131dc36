//! Newton's method on the augmented Lagrangian of Alart and Curnier.
//!
//! ```text
//! F(u, r) = ( u − q − W r,  r − γ_n⁺ n − proj(γ_t; disk of radius μ γ_n⁺) ) = 0,   γ = r − ρ u
//! [I −W; A B] (δu, δr) = −F                                     Renouf–Acary 2006 (7), (8), (9)
//! ```
//!
//! u = W r + q holds at every iterate, so δu = W δr and a step solves `(A W + B) δr = −F₂`. With d = γ_t/|γ_t| and
//! G = (μ γ_n/|γ_t|)(I − d dᵀ), the derivatives A of F₂ by u and B by r are
//!
//! ```text
//! open   γ_n ≤ 0          A = 0                                 B = I
//! stick  |γ_t| ≤ μ γ_n    A = diag(ρ_N, ρ_T I)                  B = 0
//! slip   |γ_t| > μ γ_n    A = [ρ_N 0; μ ρ_N d  ρ_T G]           B = [0 0; −μ d  I − G]
//! ```
//!
//! Notation: v = u, v_free = q; ρ may differ for normal and tangent, as in [`super::sal`].
//! Choose it for: general blocks at full accuracy, few steps. Fails where: the three cases cycle: large μ with
//! strong coupling of normal and tangent.

use super::sal::{augmented, project_apart};
use super::{Iteration, OneContact, Settings};
use crate::block::{Matrix, Vector, solve_dense, tangent_norm};

/// Newton's method of Alart and Curnier.
pub(super) struct AlartCurnier<'a>(pub &'a Settings);

impl Iteration for AlartCurnier<'_> {
    fn step<const D: usize>(&self, contact: &OneContact<D>, r: &Vector<D>) -> Option<Vector<D>> {
        let rho = self.0.penalties(contact.W);
        let u = contact.velocity(r);
        let (A, B) = derivatives(r, &u, contact.mu, rho);
        Some(r + solve_dense(A * contact.W + B, -second_part(r, &u, contact.mu, rho))?)
    }
}

/// F₂ of (7).
fn second_part<const D: usize>(r: &Vector<D>, u: &Vector<D>, mu: f64, rho: (f64, f64)) -> Vector<D> {
    r - project_apart(augmented(r, u, rho), mu)
}

/// A = ∂F₂/∂u and B = ∂F₂/∂r of (9), one element where F₂ has a kink.
fn derivatives<const D: usize>(
    r: &Vector<D>,
    u: &Vector<D>,
    mu: f64,
    rho: (f64, f64),
) -> (Matrix<D>, Matrix<D>) {
    let (rho_N, rho_T) = rho;
    let gamma = augmented(r, u, rho);
    let gamma_t = tangent_norm(&gamma);
    if gamma[0] <= 0.0 {
        return (Matrix::zeros(), Matrix::identity());
    }
    let mut A = Matrix::identity() * rho_T;
    A[(0, 0)] = rho_N;
    if gamma_t <= mu * gamma[0] {
        return (A, Matrix::zeros());
    }
    let mut d = gamma / gamma_t;
    d[0] = 0.0;
    let mut G = (Matrix::identity() - d * d.transpose()) * (mu * gamma[0] / gamma_t);
    G[(0, 0)] = 1.0;
    A *= G;
    let mut B = Matrix::identity() - G;
    for k in 1..D {
        A[(k, 0)] = mu * rho_N * d[k];
        B[(k, 0)] = -mu * d[k];
    }
    (A, B)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_match_finite_differences() {
        let (mu, rho) = (0.5, (0.7, 0.3));
        let cases = [
            ("open", [0.1, 0.2, 0.3], [2.0, -1.0, 0.5]),
            ("stick", [2.0, 0.2, 0.3], [0.3, -0.4, 0.5]),
            ("slip", [1.0, 0.4, -0.9], [0.2, -1.0, 0.5]),
        ];
        for (name, r, u) in cases {
            let (r, u) = (Vector::<3>::from(r), Vector::<3>::from(u));
            let (A, B) = derivatives(&r, &u, mu, rho);
            for j in 0..3 {
                let mut h = Vector::zeros();
                h[j] = 1e-6;
                let by_u = (second_part(&r, &(u + h), mu, rho) - second_part(&r, &(u - h), mu, rho)) / 2e-6;
                let by_r = (second_part(&(r + h), &u, mu, rho) - second_part(&(r - h), &u, mu, rho)) / 2e-6;
                assert!((by_u - A.column(j)).norm() < 1e-8, "{name} A {j}");
                assert!((by_r - B.column(j)).norm() < 1e-8, "{name} B {j}");
            }
        }
    }
}
