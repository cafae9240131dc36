//! The axis of a capsule with its radius, where it is; an edge is one without thickness.

use crate::shape::Capsule;
use crate::space::{Dim, Pose, Space, Vector};

/// All points within a radius of the segment from `x - arm` to `x + arm`.
#[derive(Clone, Copy)]
pub(super) struct Rod<const D: usize> {
    pub x: Vector<D>,
    pub arm: Vector<D>,
    pub radius: f64,
}

impl<const D: usize> Rod<D> {
    pub fn new(capsule: &Capsule, at: &Pose<D>) -> Self
    where
        Dim<D>: Space<D>,
    {
        Rod { x: at.x, arm: capsule.arm(at), radius: capsule.radius }
    }

    /// From one point to another.
    pub fn from_to(p: &Vector<D>, q: &Vector<D>) -> Self {
        Rod { x: (p + q) * 0.5, arm: (q - p) * 0.5, radius: 0.0 }
    }

    /// The point of the axis at a parameter in [-1, 1].
    pub fn at(&self, s: f64) -> Vector<D> {
        self.x + self.arm * s
    }

    /// Where on the axis a point is nearest, in [-1, 1].
    pub fn nearest(&self, point: &Vector<D>) -> f64 {
        let squared = self.arm.norm_squared();
        if squared > 0.0 { ((point - self.x).dot(&self.arm) / squared).clamp(-1.0, 1.0) } else { 0.0 }
    }
}
