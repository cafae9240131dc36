//! Coulomb's cone moved down by a cohesion c, and a flow between Coulomb's and the associated one.
//!
//! ```text
//! |r_T| ≤ μ (r_N + c)                               Tasora 2013, Fig. 3
//! slip:  u_N = ψ |u_T|,   0 ≤ ψ ≤ μ                  ψ = 0 Coulomb's law, ψ = μ associated flow
//! ```
//!
//! ψ is the tangent of the dilatancy angle. The scaled normal cone of Tasora 2013 (52) with H = diag(μ, ψ, ψ) is the same
//! law: in slip `H u` is normal to the cone, so that `μ u_N = μ ψ |u_T|`. A contact that is pulled holds until −c, and then
//! opens under the constant pull c.

use super::ContactLaw;
use super::coulomb::{cone_derivative, project_on_cone, slip_direction};
use crate::block::{Matrix, Vector, tangent_norm};

/// A cone with cohesion and dilatancy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cohesive {
    /// Friction coefficient, at least 0.
    pub mu: f64,
    /// Pull that the contact holds, an impulse, at least 0.
    pub cohesion: f64,
    /// Opening speed over slip speed, between 0 and μ.
    pub dilatancy: f64,
}

impl ContactLaw for Cohesive {
    #[inline(always)]
    fn project<const D: usize>(&self, y: Vector<D>) -> Vector<D> {
        let mut above_apex = y;
        above_apex[0] += self.cohesion;
        if tangent_norm(&above_apex) < self.mu * above_apex[0] {
            // to the last bit, however small y is beside the cohesion
            return y;
        }
        let mut p = project_on_cone(above_apex, self.mu);
        p[0] -= self.cohesion;
        p
    }

    #[inline(always)]
    fn shift<const D: usize>(&self, u: &Vector<D>) -> f64 {
        (self.mu - self.dilatancy) * tangent_norm(u)
    }

    fn derivative<const D: usize>(&self, y: &Vector<D>) -> Matrix<D> {
        let mut y = *y;
        y[0] += self.cohesion;
        cone_derivative(&y, self.mu)
    }

    fn shift_slope<const D: usize>(&self, u: &Vector<D>) -> Vector<D> {
        slip_direction(u) * (self.mu - self.dilatancy)
    }
}
