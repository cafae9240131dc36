//! Signorini's law without friction.
//!
//! ```text
//! 0 ≤ r_N ⊥ u_N ≥ 0,   r_T = 0        K = R₊ × {0}
//! ```

use super::{ContactLaw, along_normal};
use crate::block::{Matrix, Vector};

/// Unilateral contact that does not resist sliding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frictionless;

impl ContactLaw for Frictionless {
    #[inline(always)]
    fn project<const D: usize>(&self, y: Vector<D>) -> Vector<D> {
        let mut p = Vector::zeros();
        p[0] = y[0].max(0.0);
        p
    }

    fn derivative<const D: usize>(&self, y: &Vector<D>) -> Matrix<D> {
        along_normal(y[0] > 0.0)
    }
}
