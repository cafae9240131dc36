//! Improved bi-potential: Newton's method where the standard one iterates the projection.
//!
//! ```text
//! Z(r) = r − P_K(y),   y = r − ρ (u + μ|u_T| n)                Abide 2021, remark 2: IBP
//! Z'(r) δr = −Z(r),    Z' = I − P_K'(y) (I − ρ (I + μ n d_uᵀ) W),   d_u = u_T/|u_T|
//! ```
//!
//! The method is that of Feng, Joli, Cros, Magnain 2005, Joli–Feng 2008 and Dumont 2013. P_K' is the derivative
//! of the projection in the region of y: I inside the cone, 0 in its polar, and on the side, with d = y_T/|y_T|,
//!
//! ```text
//! p_N = (y_N + μ|y_T|)/(1 + μ²),   P_K' = g gᵀ/(1 + μ²) + (μ p_N/|y_T|)(I_T − d dᵀ),   g = (1, μ d)
//! ```
//!
//! Notation: p = r; variables and ρ as in [`super::sbp`]. Choose it for: accurate single contacts, two or three
//! steps once the region is right. Fails where: the regions cycle, as Newton's method has no globalisation here:
//! strong coupling of normal and tangent, large μ.

use super::sbp::Balanced;
use super::{Iteration, OneContact, Settings};
use crate::block::{Matrix, Vector, solve_dense, tangent_norm};
use crate::laws::{ContactLaw, Coulomb};

/// Newton's method on the bi-potential's projection.
pub(super) struct Ibp<'a>(pub &'a Settings);

impl Iteration for Ibp<'_> {
    fn step<const D: usize>(&self, contact: &OneContact<D>, r: &Vector<D>) -> Option<Vector<D>> {
        let balanced = Balanced::of(contact, self.0);
        let r_hat = balanced.scaled(r);
        let dr = solve_dense(jacobian(&balanced, &r_hat), -map(&balanced, &r_hat))?;
        Some(balanced.unscaled(r_hat + dr))
    }
}

/// Z(r).
fn map<const D: usize>(balanced: &Balanced<D>, r: &Vector<D>) -> Vector<D> {
    let y = balanced.augmented(r, &balanced.velocity(r));
    r - Coulomb { mu: balanced.mu }.project(y)
}

/// Z'(r); at u_T = 0 with the element of the subgradient of |u_T| that is zero.
fn jacobian<const D: usize>(balanced: &Balanced<D>, r: &Vector<D>) -> Matrix<D> {
    let Balanced { W, mu, rho, .. } = balanced;
    let u = balanced.velocity(r);
    let u_T = tangent_norm(&u);
    // y' = I − ρ (I + μ n d_uᵀ) W
    let mut y_slope = Matrix::identity() - W * *rho;
    if u_T > 0.0 {
        for j in 0..D {
            let slip: f64 = (1..D).map(|k| u[k] * W[(k, j)]).sum();
            y_slope[(0, j)] -= rho * mu * slip / u_T;
        }
    }
    Matrix::identity() - projection_derivative(&balanced.augmented(r, &u), *mu) * y_slope
}

/// P_K'(y), one element of it on the borders of the regions.
fn projection_derivative<const D: usize>(y: &Vector<D>, mu: f64) -> Matrix<D> {
    let y_N = y[0];
    let y_T = tangent_norm(y);
    if y_T <= mu * y_N {
        return Matrix::identity();
    }
    if mu * y_T <= -y_N {
        return Matrix::zeros();
    }
    let mut d = y / y_T;
    d[0] = 0.0;
    let mut g = d * mu;
    g[0] = 1.0;
    let p_N = (y_N + mu * y_T) / (1.0 + mu * mu);
    let mut across = Matrix::identity() - d * d.transpose();
    across[(0, 0)] = 0.0;
    g * g.transpose() / (1.0 + mu * mu) + across * (mu * p_N / y_T)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jacobian_matches_finite_differences() {
        let W = Matrix::<3>::new(2.0, 0.3, -0.2, 0.1, 3.0, 0.4, -0.5, 0.4, 1.5);
        let starts = [[1.0, 0.1, 0.1], [0.3, 0.9, -1.2], [-4.0, 0.2, 0.5], [0.1, -2.0, 0.3]];
        let mut regions = [0; 3];
        for q in [[-1.0, 0.4, 0.2], [-1.0, 3.0, -2.0], [5.0, 1.0, 1.0]] {
            for start in starts {
                let contact = OneContact { W: &W, q: Vector::from(q), mu: 0.6 };
                let balanced = Balanced::of(&contact, &Settings::default());
                let r = Vector::<3>::from(start);
                let y = balanced.augmented(&r, &balanced.velocity(&r));
                let slope = projection_derivative(&y, balanced.mu);
                let region =
                    if slope == Matrix::<3>::identity() { 0 } else { 1 + usize::from(slope.norm() == 0.0) };
                regions[region] += 1;
                let exact = jacobian(&balanced, &r);
                for j in 0..3 {
                    let mut h = Vector::zeros();
                    h[j] = 1e-6;
                    let column = (map(&balanced, &(r + h)) - map(&balanced, &(r - h))) / 2e-6;
                    assert!((column - exact.column(j)).norm() < 1e-7, "{column} {exact}");
                }
            }
        }
        assert!(regions.iter().all(|&count| count > 0), "{regions:?}");
    }
}
