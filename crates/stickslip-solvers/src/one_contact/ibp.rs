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
use super::{Iteration, OneContact, Prepared, Settings, is_finite, mu_or_nan};
use crate::block::{Matrix, Vector, solve_dense, tangent_norm};
use crate::laws::{ContactLaw, Coulomb, Law};

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

/// One contact in the plane, balanced beforehand, for a sweep that takes one step a visit. In the plane P_K' has rank one on
/// the sides of the cone, and with q = u − W r the step is
///
/// ```text
/// inside   r⁺ = r − W⁻¹ u
/// polar    r⁺ = 0
/// side     r⁺ = −g (b·q)/(b·W g),   b = (1, μ (sgn y_T + sgn u_T))
/// ```
#[derive(Clone, Copy)]
pub(crate) struct PlaneNewton {
    /// Not a number under other laws than Coulomb's, which are left to others.
    mu: f64,
    rho: f64,
    /// s and 1/s of the balance.
    scale: f64,
    unscale: f64,
    W: [[f64; 2]; 2],
    inverse: [[f64; 2]; 2],
}

impl PlaneNewton {
    pub fn of<const D: usize>(settings: &Settings, W: &Matrix<D>, law: &Law) -> Self {
        assert_eq!(D, 2, "a contact in the plane has one tangent");
        let contact = OneContact { W, q: Vector::zeros(), mu: mu_or_nan(law) };
        let Balanced { W, mu, rho, scale, .. } = Balanced::of(&contact, settings);
        let rows = |A: &Matrix<D>| [[A[(0, 0)], A[(0, 1)]], [A[(1, 0)], A[(1, 1)]]];
        let inverse = W.try_inverse().unwrap_or_else(|| Matrix::from_element(f64::NAN));
        PlaneNewton { mu, rho, scale, unscale: 1.0 / scale, W: rows(&W), inverse: rows(&inverse) }
    }
}

impl<const D: usize> Prepared<D> for PlaneNewton {
    /// The step from r, and r where it has none.
    #[inline(always)]
    fn solve(&self, u: &Vector<D>, r: &Vector<D>) -> Option<Vector<D>> {
        let PlaneNewton { mu, rho, scale, unscale, W, inverse } = self;
        if mu.is_nan() {
            return None;
        }
        let product = |A: &[[f64; 2]; 2], x: [f64; 2]| A.map(|row| row[0] * x[0] + row[1] * x[1]);
        let sign = |x: f64| if x == 0.0 { 0.0 } else { x.signum() };
        let (r_hat, u_hat) = ([r[0] * unscale, r[1]], [u[0] * scale, u[1]]);
        let y = [r_hat[0] - rho * (u_hat[0] + mu * u_hat[1].abs()), r_hat[1] - rho * u_hat[1]];
        let next = if y[1].abs() <= mu * y[0] {
            let dr = product(inverse, u_hat);
            [r_hat[0] - dr[0], r_hat[1] - dr[1]]
        } else if mu * y[1].abs() <= -y[0] {
            [0.0; 2]
        } else {
            let (side, g) = (sign(y[1]), [1.0, mu.copysign(y[1])]);
            let b = mu * (side + sign(u_hat[1]));
            let (W_r, W_g) = (product(W, r_hat), product(W, g));
            let s = ((W_r[0] - u_hat[0]) + b * (W_r[1] - u_hat[1])) / (W_g[0] + b * W_g[1]);
            [s * g[0], s * g[1]]
        };
        let mut moved = *r;
        (moved[0], moved[1]) = (next[0] * scale, next[1]);
        Some(if is_finite(&moved) { moved } else { *r })
    }
}

#[cfg(test)]
mod tests {
    use super::super::uniform;
    use super::*;

    #[test]
    fn a_contact_in_the_plane_takes_the_same_step() {
        let mut uniform = uniform(5);
        let mut regions = [0; 3];
        for rho in [None, Some(0.4)] {
            let settings = Settings { rho, ..Settings::default() };
            for _ in 0..1000 {
                let a = [uniform(), uniform(), uniform()];
                let W = Matrix::<2>::new(1.0 + a[0] * a[0], 0.5 * a[1], 0.5 * a[1], 1.0 + a[2] * a[2]);
                let r = Vector::<2>::new(uniform() + 0.3, uniform());
                let contact = OneContact { W: &W, q: Vector::<2>::new(2.0 * uniform(), uniform()), mu: 0.5 };
                let wanted = Ibp(&settings).step(&contact, &r).unwrap();
                let prepared = PlaneNewton::of(&settings, &W, &Law::coulomb(contact.mu));
                let next = prepared.solve(&contact.velocity(&r), &r).unwrap();
                assert!((next - wanted).norm() < 1e-12 * (1.0 + wanted.norm()), "{next} {wanted}");
                let slips = (next[1].abs() - contact.mu * next[0].abs()).abs() < 1e-12;
                regions[if next.norm() < 1e-15 { 0 } else { 1 + usize::from(slips) }] += 1;
            }
        }
        assert!(regions.iter().all(|&count| count > 100), "{regions:?}");
        let prepared = |W: Matrix<2>, law| PlaneNewton::of(&Settings::default(), &W, &law);
        let (u, r) = (Vector::<2>::new(-1.0, 0.0), Vector::<2>::new(1.0, 0.1));
        assert!(prepared(Matrix::identity(), Law::convex(0.5)).solve(&u, &r).is_none(), "another law");
        let singular = prepared(Matrix::<2>::new(1.0, 0.0, 0.0, 0.0), Law::coulomb(0.5));
        assert_eq!(singular.solve(&u, &r), Some(r), "no step");
    }

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
