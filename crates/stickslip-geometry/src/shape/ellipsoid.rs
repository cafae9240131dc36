//! Ellipse and ellipsoid about their centre: Σ (x_i / a_i)² ≤ 1 with the radii a along the axes.
//!
//! How far it reaches in the direction n is h(n) = √ Σ (a_i n_i)².

use super::{Bounds, Mass, unit_ball};
use crate::space::{Dim, Pose, Space, Vector};

/// An ellipse or an ellipsoid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipsoid<const D: usize> {
    /// Half the width along each axis.
    pub radii: Vector<D>,
}

impl<const D: usize> Ellipsoid<D> {
    pub(super) fn support(&self, direction: &Vector<D>) -> Vector<D> {
        let scaled = self.radii.component_mul(direction);
        let reach = scaled.norm();
        if reach > 0.0 { self.radii.component_mul(&scaled) / reach } else { Vector::zeros() }
    }
}

impl<const D: usize> Ellipsoid<D>
where
    Dim<D>: Space<D>,
{
    pub(super) fn bounds(&self, pose: &Pose<D>) -> Bounds<D> {
        let half = Vector::from_fn(|i, _| self.radii.component_mul(&pose.axis_to_local(i)).norm());
        Bounds::around(&pose.x, &half)
    }

    pub(super) fn mass(&self, density: f64) -> Mass<D> {
        let mass = density * unit_ball(D) * self.radii.product();
        Mass::symmetric(mass, &self.radii.map(|a| mass * a * a / (D + 2) as f64))
    }
}
