//! Signorini's law with exact Coulomb friction, and the projection on its cone.
//!
//! ```text
//! 0 ≤ r_N ⊥ u_N ≥ 0,   |r_T| ≤ μ r_N,   u_T ≠ 0 ⇒ r_T = −μ r_N u_T/|u_T|
//! ```
//!
//! In De Saxcé's form: r ∈ K, u + μ|u_T| n ∈ K*, orthogonal, with K = {|r_T| ≤ μ r_N}. In D = 1 there is no
//! tangent and the law is Signorini's.

use super::ContactLaw;
use crate::block::{Matrix, Vector, tangent_norm};

/// Exact Coulomb friction with coefficient μ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coulomb {
    /// Friction coefficient, at least 0.
    pub mu: f64,
}

impl ContactLaw for Coulomb {
    #[inline(always)]
    fn project<const D: usize>(&self, y: Vector<D>) -> Vector<D> {
        project_on_cone(y, self.mu)
    }

    #[inline(always)]
    fn shift<const D: usize>(&self, u: &Vector<D>) -> f64 {
        self.mu * tangent_norm(u)
    }

    fn derivative<const D: usize>(&self, y: &Vector<D>) -> Matrix<D> {
        cone_derivative(y, self.mu)
    }

    fn shift_slope<const D: usize>(&self, u: &Vector<D>) -> Vector<D> {
        slip_direction(u) * self.mu
    }
}

/// Euclidean projection on the second-order cone `|y_T| ≤ μ y_N`.
#[inline]
pub fn project_on_cone<const D: usize>(y: Vector<D>, mu: f64) -> Vector<D> {
    let y_N = y[0];
    let y_T = tangent_norm(&y);
    // the polar cone first: for μ = 0 and y_T = 0 the test of the cone itself, 0 ≤ 0, would let a pull pass
    if mu * y_T <= -y_N {
        Vector::zeros()
    } else if y_T <= mu * y_N {
        y
    } else {
        let p_N = (mu * y_T + y_N) / (1.0 + mu * mu);
        let mut p = y * (mu * p_N / y_T);
        p[0] = p_N;
        p
    }
}

/// One element of the derivative of that projection.
pub fn cone_derivative<const D: usize>(y: &Vector<D>, mu: f64) -> Matrix<D> {
    let y_T = tangent_norm(y);
    if mu * y_T <= -y[0] {
        return Matrix::zeros();
    }
    if y_T <= mu * y[0] {
        return Matrix::identity();
    }
    let d = slip_direction(y);
    let p_N = (mu * y_T + y[0]) / (1.0 + mu * mu);
    let mut along = d * mu;
    along[0] = 1.0;
    let mut J = (Matrix::identity() - d * d.transpose()) * (mu * p_N / y_T);
    for k in 0..D {
        J[(k, 0)] = 0.0;
        J[(0, k)] = 0.0;
    }
    J + along * along.transpose() / (1.0 + mu * mu)
}

/// The unit vector along the tangential part; zero where there is none.
pub(super) fn slip_direction<const D: usize>(x: &Vector<D>) -> Vector<D> {
    let size = tangent_norm(x);
    let mut d = if size > 0.0 { x / size } else { Vector::zeros() };
    d[0] = 0.0;
    d
}
