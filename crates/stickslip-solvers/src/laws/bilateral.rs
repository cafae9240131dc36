//! A joint: the relative velocity vanishes along the first rows of the block, whatever impulse that takes.
//!
//! ```text
//! u_k = 0, r_k ∈ R  for k < rows,     r_k = 0  for the others        K = R^rows × {0}
//! ```

use super::ContactLaw;
use crate::block::{Matrix, Vector};

/// Bilateral constraint; its natural map is u along the locked rows and r along the free ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bilateral {
    /// Rows that are locked, from the first on; all of them where the block has no more.
    pub rows: u8,
}

impl ContactLaw for Bilateral {
    #[inline(always)]
    fn project<const D: usize>(&self, y: Vector<D>) -> Vector<D> {
        Vector::from_fn(|k, _| if k < self.rows as usize { y[k] } else { 0.0 })
    }

    fn derivative<const D: usize>(&self, _y: &Vector<D>) -> Matrix<D> {
        Matrix::from_diagonal(&self.project(Vector::repeat(1.0)))
    }
}
