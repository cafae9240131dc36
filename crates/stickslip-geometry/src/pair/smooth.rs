//! Smooth convex bodies in the world, as the common-normal method sees them: by how far they reach.
//!
//! With h(n) = max n·x over the body, about its centre, the farthest point is s = ∇h and the radii of curvature there
//! are the eigenvalues of ∇²h on the tangent plane. All bodies here are symmetric about their centre: h(-n) = h(n).

use crate::shape::{Ellipsoid, Superellipsoid};
use crate::space::{Dim, Matrix, Pose, Space, Vector};

/// How far a body reaches in a direction.
#[derive(Clone, Copy)]
pub(super) struct Reach<const D: usize> {
    /// h, the distance.
    pub h: f64,
    /// ∇h, the farthest point, from the centre.
    pub s: Vector<D>,
}

/// A smooth convex body at its place.
pub(super) trait Smooth<const D: usize> {
    /// Its centre.
    fn centre(&self) -> &Vector<D>;
    /// Its axes of symmetry; none for a ball.
    fn axes(&self) -> &[Vector<D>];
    /// Radius of a ball about the centre that holds it.
    fn outer_radius(&self) -> f64;
    /// How far it reaches in the direction of a unit vector.
    fn reach(&self, n: &Vector<D>) -> Reach<D>;
    /// ∇²h.
    fn curvature(&self, n: &Vector<D>, reach: &Reach<D>) -> Matrix<D>;
    /// A matrix S with S n ≈ s, exact for an ellipsoid: only to guess where to start.
    fn stretch(&self, reach: &Reach<D>) -> Matrix<D>;
}

/// A ball; a point, if its radius is 0.
pub(super) struct RoundBody<const D: usize> {
    pub centre: Vector<D>,
    pub radius: f64,
}

impl<const D: usize> Smooth<D> for RoundBody<D> {
    fn centre(&self) -> &Vector<D> {
        &self.centre
    }

    fn axes(&self) -> &[Vector<D>] {
        &[]
    }

    fn outer_radius(&self) -> f64 {
        self.radius
    }

    fn reach(&self, n: &Vector<D>) -> Reach<D> {
        Reach { h: self.radius, s: n * self.radius }
    }

    fn curvature(&self, n: &Vector<D>, _: &Reach<D>) -> Matrix<D> {
        (Matrix::identity() - n * n.transpose()) * self.radius
    }

    fn stretch(&self, _: &Reach<D>) -> Matrix<D> {
        Matrix::identity() * self.radius
    }
}

/// An ellipsoid: h = |B n|, s = Bᵀ B n / h, ∇²h = (Bᵀ B - s sᵀ) / h, where B turns into its axes and scales by the
/// radii.
pub(super) struct EllipsoidBody<const D: usize> {
    centre: Vector<D>,
    axes: [Vector<D>; D],
    outer_radius: f64,
    B: Matrix<D>,
}

impl<const D: usize> EllipsoidBody<D>
where
    Dim<D>: Space<D>,
{
    pub fn new(ellipsoid: &Ellipsoid<D>, at: &Pose<D>) -> Self {
        let axes: [Vector<D>; D] = std::array::from_fn(|i| at.axis_to_world(i));
        let B = Matrix::from_fn(|i, j| axes[i][j] * ellipsoid.radii[i]);
        EllipsoidBody { centre: at.x, axes, outer_radius: ellipsoid.radii.max(), B }
    }
}

impl<const D: usize> Smooth<D> for EllipsoidBody<D> {
    fn centre(&self) -> &Vector<D> {
        &self.centre
    }

    fn axes(&self) -> &[Vector<D>] {
        &self.axes
    }

    fn outer_radius(&self) -> f64 {
        self.outer_radius
    }

    fn reach(&self, n: &Vector<D>) -> Reach<D> {
        let scaled = self.B * n;
        let h = scaled.norm();
        Reach { h, s: self.B.tr_mul(&scaled) / h }
    }

    fn curvature(&self, _: &Vector<D>, reach: &Reach<D>) -> Matrix<D> {
        (self.B.tr_mul(&self.B) - reach.s * reach.s.transpose()) / reach.h
    }

    fn stretch(&self, reach: &Reach<D>) -> Matrix<D> {
        self.B.tr_mul(&self.B) / reach.h
    }
}

/// A superellipsoid; its own file has h and its derivatives, in its axes.
pub(super) struct SuperBody<const D: usize> {
    shape: Superellipsoid<D>,
    centre: Vector<D>,
    axes: [Vector<D>; D],
    /// From the axes of the world to those of the body.
    R: Matrix<D>,
}

impl<const D: usize> SuperBody<D>
where
    Dim<D>: Space<D>,
{
    pub fn new(shape: &Superellipsoid<D>, at: &Pose<D>) -> Self {
        let axes: [Vector<D>; D] = std::array::from_fn(|i| at.axis_to_world(i));
        let R = Matrix::from_fn(|i, j| axes[i][j]);
        SuperBody { shape: *shape, centre: at.x, axes, R }
    }
}

impl<const D: usize> Smooth<D> for SuperBody<D> {
    fn centre(&self) -> &Vector<D> {
        &self.centre
    }

    fn axes(&self) -> &[Vector<D>] {
        &self.axes
    }

    fn outer_radius(&self) -> f64 {
        self.shape.radii.norm()
    }

    fn reach(&self, n: &Vector<D>) -> Reach<D> {
        let (h, s) = self.shape.reach(&(self.R * n));
        Reach { h, s: self.R.tr_mul(&s) }
    }

    fn curvature(&self, n: &Vector<D>, _: &Reach<D>) -> Matrix<D> {
        self.R.tr_mul(&(self.shape.curvature(&(self.R * n)) * self.R))
    }

    fn stretch(&self, reach: &Reach<D>) -> Matrix<D> {
        let squares = Matrix::from_diagonal(&self.shape.radii.component_mul(&self.shape.radii));
        self.R.tr_mul(&(squares * self.R)) / reach.h
    }
}
