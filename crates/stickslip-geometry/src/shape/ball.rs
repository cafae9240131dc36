//! Disk and sphere, about their centre.

use super::Bounds;
use crate::space::{Dim, Pose, Space, Vector};

/// A disk or a sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// Its radius.
    pub radius: f64,
}

impl Ball {
    pub(super) fn bounds<const D: usize>(&self, pose: &Pose<D>) -> Bounds<D>
    where
        Dim<D>: Space<D>,
    {
        Bounds::around(&pose.x, &Vector::repeat(self.radius))
    }
}
