//! Coulomb's cone rounded by a ball: their Minkowski sum, with associated flow.
//!
//! ```text
//! K = {|r_T| ≤ μ r_N} ⊕ {|r| ≤ d}                    Tasora 2013, Fig. 4
//! ```
//!
//! The contact holds a pull and a shear of d, and its yield surface has a normal everywhere.

use super::ContactLaw;
use super::coulomb::{cone_derivative, project_on_cone};
use crate::block::{Matrix, Vector};

/// A cone rounded by a ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rounded {
    /// Friction coefficient, at least 0.
    pub mu: f64,
    /// Radius d of the ball, an impulse, at least 0.
    pub radius: f64,
}

impl ContactLaw for Rounded {
    #[inline(always)]
    fn project<const D: usize>(&self, y: Vector<D>) -> Vector<D> {
        project_on_sum(&y, project_on_cone(y, self.mu), self.radius)
    }

    fn derivative<const D: usize>(&self, y: &Vector<D>) -> Matrix<D> {
        let p = project_on_cone(*y, self.mu);
        sum_derivative(y, p, &cone_derivative(y, self.mu), self.radius)
    }
}

/// Projection on the sum of a convex set and a ball, from the projection p on the set: as far towards p as the ball is wide.
#[inline(always)]
pub(super) fn project_on_sum<const D: usize>(y: &Vector<D>, p: Vector<D>, radius: f64) -> Vector<D> {
    let way = y - p;
    let distance = way.norm();
    if distance <= radius { *y } else { p + way * (radius / distance) }
}

/// One element of the derivative of that projection, from the derivative J of p.
pub(super) fn sum_derivative<const D: usize>(
    y: &Vector<D>,
    p: Vector<D>,
    J: &Matrix<D>,
    radius: f64,
) -> Matrix<D> {
    let way = y - p;
    let distance = way.norm();
    if distance <= radius {
        return Matrix::identity();
    }
    let d = way / distance;
    J + (Matrix::identity() - d * d.transpose()) * (Matrix::identity() - J) * (radius / distance)
}
