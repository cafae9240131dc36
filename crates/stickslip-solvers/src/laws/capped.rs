//! The rounded cone cut off in compression: a contact that is crushed beyond a load, with associated flow.
//!
//! ```text
//! K = {|r_T| ≤ μ r_N ≤ μ (r̂ − d)} ⊕ {|r| ≤ d},   so that −d ≤ r_N ≤ r̂        Tasora 2013, Fig. 5
//! ```

use super::ContactLaw;
use super::coulomb::{cone_derivative, project_on_cone, slip_direction};
use super::rounded::{project_on_sum, sum_derivative};
use crate::block::{Matrix, Vector, tangent_norm};

/// A rounded cone with a largest compression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capped {
    /// Friction coefficient, at least 0.
    pub mu: f64,
    /// Radius d of the ball, an impulse, at least 0.
    pub radius: f64,
    /// Largest compression r̂, an impulse, at least d.
    pub cap: f64,
}

impl ContactLaw for Capped {
    #[inline(always)]
    fn project<const D: usize>(&self, y: Vector<D>) -> Vector<D> {
        let p = project_on_frustum(y, self.mu, self.cap - self.radius);
        project_on_sum(&y, p, self.radius)
    }

    fn derivative<const D: usize>(&self, y: &Vector<D>) -> Matrix<D> {
        let top = self.cap - self.radius;
        let p = project_on_frustum(*y, self.mu, top);
        sum_derivative(y, p, &frustum_derivative(y, self.mu, top), self.radius)
    }
}

/// Projection on the part of the cone below a top: where the cone alone would pass it, the nearest point lies on the top.
#[inline(always)]
fn project_on_frustum<const D: usize>(y: Vector<D>, mu: f64, top: f64) -> Vector<D> {
    let p = project_on_cone(y, mu);
    if p[0] <= top {
        return p;
    }
    let (y_T, most) = (tangent_norm(&y), mu * top);
    let mut p = if y_T > most { y * (most / y_T) } else { y };
    p[0] = top;
    p
}

/// One element of the derivative of that projection.
fn frustum_derivative<const D: usize>(y: &Vector<D>, mu: f64, top: f64) -> Matrix<D> {
    if project_on_cone(*y, mu)[0] <= top {
        return cone_derivative(y, mu);
    }
    let (y_T, most) = (tangent_norm(y), mu * top);
    let mut J = if y_T > most {
        let d = slip_direction(y);
        (Matrix::identity() - d * d.transpose()) * (most / y_T)
    } else {
        Matrix::identity()
    };
    (0..D).for_each(|k| (J[(k, 0)], J[(0, k)]) = (0.0, 0.0));
    J
}
