//! A joint: the relative velocity vanishes and the impulse is free.
//!
//! ```text
//! u = 0,   r ∈ R^D        K = R^D,  K* = {0}
//! ```

use super::ContactLaw;
use crate::block::Vector;

/// Bilateral constraint; its natural map is u itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bilateral;

impl ContactLaw for Bilateral {
    #[inline(always)]
    fn project<const D: usize>(&self, y: Vector<D>) -> Vector<D> {
        y
    }
}
