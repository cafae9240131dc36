//! A motor: it holds its row at rest with an impulse up to a bound, and gives way beyond.
//!
//! ```text
//! |r_N| ≤ most,   u_N = 0 unless |r_N| = most,   r_N u_N ≤ 0,   r_T = 0        K = [−most, most] × {0}
//! ```
//!
//! The speed that it aims at is part of q. It is also Coulomb's law in one direction under a known load.

use super::{ContactLaw, along_normal};
use crate::block::{Matrix, Vector};

/// A row with a bounded impulse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor {
    /// Largest impulse, at least 0.
    pub most: f64,
}

impl ContactLaw for Motor {
    #[inline(always)]
    fn project<const D: usize>(&self, y: Vector<D>) -> Vector<D> {
        let mut p = Vector::zeros();
        // not `clamp`, which panics where the bound is NaN
        p[0] = y[0].max(-self.most).min(self.most);
        p
    }

    fn derivative<const D: usize>(&self, y: &Vector<D>) -> Matrix<D> {
        along_normal(y[0].abs() < self.most)
    }
}
