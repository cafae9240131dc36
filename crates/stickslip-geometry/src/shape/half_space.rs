//! Half-plane and half-space: all points whose last coordinate is at most 0. The outward normal is the last axis.

use crate::space::{Dim, Pose, Space, Vector};

/// Everything below a line or a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace;

impl HalfSpace {
    /// The outward normal at a pose.
    pub fn normal<const D: usize>(pose: &Pose<D>) -> Vector<D>
    where
        Dim<D>: Space<D>,
    {
        let mut axis = Vector::zeros();
        axis[D - 1] = 1.0;
        pose.turn_to_world(&axis)
    }
}
