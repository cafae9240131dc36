//! Rectangle and box, about their centre, sides along the axes.

use super::{Bounds, Mass, Topology};
use crate::space::{Dim, Matrix, Pose, Space, Vector};
use std::sync::LazyLock;

/// A rectangle or a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid<const D: usize> {
    /// Half its lengths along the axes.
    pub half: Vector<D>,
}

/// Bit k of a vertex index says on which side of the centre it is along axis k.
static RECTANGLE: LazyLock<Topology> = LazyLock::new(|| {
    let loops: [[u32; 2]; 4] = [[2, 0], [1, 3], [0, 1], [3, 2]];
    Topology::new(loops.map(|l| l.to_vec()).to_vec(), 4).expect("a rectangle is closed")
});
static BOX: LazyLock<Topology> = LazyLock::new(|| {
    let loops: [[u32; 4]; 6] =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    Topology::new(loops.map(|l| l.to_vec()).to_vec(), 8).expect("a box is closed")
});

impl<const D: usize> Cuboid<D>
where
    Dim<D>: Space<D>,
{
    /// From half the lengths.
    pub fn new(half: Vector<D>) -> Self {
        Cuboid { half }
    }

    /// Vertex of an index whose bits are the sides.
    pub fn vertex(&self, index: usize) -> Vector<D> {
        Vector::from_fn(|k, _| if index >> k & 1 == 1 { self.half[k] } else { -self.half[k] })
    }

    /// Outward normal of a face: two for each axis, the lower one first.
    pub(crate) fn normal(face: usize) -> Vector<D> {
        let mut normal = Vector::zeros();
        normal[face / 2] = if face % 2 == 1 { 1.0 } else { -1.0 };
        normal
    }

    /// Its faces and edges.
    pub(crate) fn topology() -> &'static Topology {
        if D == 2 { &RECTANGLE } else { &BOX }
    }

    pub(super) fn mass(&self, density: f64) -> Mass<D> {
        let mass = density * self.half.iter().map(|h| 2.0 * h).product::<f64>();
        let squares = self.half.component_mul(&self.half) * (mass / 3.0);
        Dim::<D>::principal(mass, Vector::zeros(), &Matrix::from_diagonal(&squares))
    }

    pub(super) fn bounds(&self, pose: &Pose<D>) -> Bounds<D> {
        let mut half = Vector::zeros();
        for k in 0..D {
            let mut along = Vector::zeros();
            along[k] = self.half[k];
            half += pose.turn_to_world(&along).abs();
        }
        Bounds::around(&pose.x, &half)
    }

    pub(super) fn support(&self, direction: &Vector<D>) -> Vector<D> {
        self.half.zip_map(direction, |h, d| if d < 0.0 { -h } else { h })
    }
}
