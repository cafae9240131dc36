//! The convex relaxation of Coulomb friction: associated flow, one minimisation for the whole problem.
//!
//! ```text
//! r ∈ K,   u ∈ K*,   r · u = 0        Bloch 2023 (30);   ½ rᵀWr + qᵀr → min over K   (32)
//! ```
//!
//! A sliding contact separates at u_N = μ|u_T|: the price of convexity.

use super::ContactLaw;
use super::coulomb::{cone_derivative, project_on_cone};
use crate::block::{Matrix, Vector};

/// Associated friction with coefficient μ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Convex {
    /// Friction coefficient, at least 0.
    pub mu: f64,
}

impl ContactLaw for Convex {
    #[inline(always)]
    fn project<const D: usize>(&self, y: Vector<D>) -> Vector<D> {
        project_on_cone(y, self.mu)
    }

    fn derivative<const D: usize>(&self, y: &Vector<D>) -> Matrix<D> {
        cone_derivative(y, self.mu)
    }
}
