//! Several shapes held rigidly together, each at its pose in the axes of the compound. Parts that overlap count twice in
//! the mass.

use super::{Bounds, Mass, Shape, ShapeError};
use crate::space::{Dim, Matrix, Pose, Space, Vector};

/// Parts that move as one.
#[derive(Clone, Debug)]
pub struct Compound<const D: usize>
where
    Dim<D>: Space<D>,
{
    /// Each part and where it is.
    pub parts: Vec<(Pose<D>, Shape<D>)>,
}

impl<const D: usize> Compound<D>
where
    Dim<D>: Space<D>,
{
    /// From parts.
    pub fn new(parts: Vec<(Pose<D>, Shape<D>)>) -> Self {
        Compound { parts }
    }

    pub(super) fn validate(&self) -> Result<(), ShapeError> {
        if self.parts.is_empty() {
            return Err(ShapeError::Empty { shape: "compound" });
        }
        self.parts.iter().try_for_each(|(_, shape)| shape.validate())
    }

    pub(super) fn mass(&self, density: f64) -> Result<Mass<D>, ShapeError> {
        if self.parts.is_empty() {
            return Err(ShapeError::Empty { shape: "compound" });
        }
        let mut parts = Vec::with_capacity(self.parts.len());
        for (pose, shape) in &self.parts {
            let part = shape.mass(density)?;
            let axes = Dim::<D>::compose(&pose.rotation, &part.axes);
            parts.push((
                part.mass,
                pose.to_world(&part.centre),
                Dim::<D>::second_moments(&axes, &part.inertia),
            ));
        }
        let mass: f64 = parts.iter().map(|p| p.0).sum();
        let centre = parts.iter().map(|p| p.1 * p.0).sum::<Vector<D>>() / mass;
        // parallel axes
        let second: Matrix<D> = parts
            .iter()
            .map(|(mass, x, second)| second + (x - centre) * (x - centre).transpose() * *mass)
            .sum();
        Ok(Dim::<D>::principal(mass, centre, &second))
    }

    pub(super) fn bounds(&self, pose: &Pose<D>) -> Bounds<D> {
        let all = self.parts.iter().map(|(part, shape)| shape.bounds(&pose.of_part(part)));
        Bounds::of_points(all.flat_map(|b| [b.low, b.high]))
    }

    /// Of the smallest part: the one that is first to slip through something.
    pub(super) fn inner_radius(&self) -> f64 {
        self.parts.iter().map(|(_, shape)| shape.inner_radius()).fold(f64::INFINITY, f64::min)
    }
}
