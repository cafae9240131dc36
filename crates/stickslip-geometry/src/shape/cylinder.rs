//! Cylinder about its centre, its axis along the last one. In space only.

use super::{Bounds, Mass};
use crate::space::{Dim, Matrix, Pose, Space, Vector};
use std::f64::consts::PI;

/// A cylinder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    /// Half its length along the axis.
    pub half_length: f64,
    /// Its radius.
    pub radius: f64,
}

impl Cylinder {
    pub(super) fn mass<const D: usize>(&self, density: f64) -> Mass<D>
    where
        Dim<D>: Space<D>,
    {
        let mass = density * 2.0 * PI * self.half_length * self.radius * self.radius;
        let mut squares = Vector::repeat(mass * self.radius * self.radius / 4.0);
        squares[D - 1] = mass * self.half_length * self.half_length / 3.0;
        Dim::<D>::principal(mass, Vector::zeros(), &Matrix::from_diagonal(&squares))
    }

    pub(super) fn bounds<const D: usize>(&self, pose: &Pose<D>) -> Bounds<D>
    where
        Dim<D>: Space<D>,
    {
        let mut along = Vector::zeros();
        along[D - 1] = 1.0;
        let axis = pose.turn_to_world(&along);
        let half = axis.map(|c| self.half_length * c.abs() + self.radius * (1.0 - c * c).max(0.0).sqrt());
        Bounds::around(&pose.x, &half)
    }

    pub(super) fn support<const D: usize>(&self, direction: &Vector<D>) -> Vector<D> {
        let mut across = *direction;
        across[D - 1] = 0.0;
        let length = across.norm();
        let mut far = if length > 0.0 { across * (self.radius / length) } else { Vector::zeros() };
        far[D - 1] = if direction[D - 1] < 0.0 { -self.half_length } else { self.half_length };
        far
    }
}
