//! Plane and space from one source: all that differs between them is in the trait [`Space`].

use crate::shape::Mass;
use nalgebra::{Rotation2, SMatrix, SVector, UnitComplex, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;
use std::fmt::Debug;

/// A point or a direction.
pub type Vector<const D: usize> = SVector<f64, D>;
/// A D×D matrix.
pub type Matrix<const D: usize> = SMatrix<f64, D, D>;

/// The unit vector along an axis.
pub fn axis<const D: usize>(k: usize) -> Vector<D> {
    let mut axis = Vector::zeros();
    axis[k] = 1.0;
    axis
}

/// The dimension as a type, to hang [`Space`] on.
#[derive(Clone, Copy, Debug)]
pub struct Dim<const D: usize>;

/// Angular velocity, or a torque: a number in the plane, a vector in space.
pub type Spin<const D: usize> = <Dim<D> as Space<D>>::Spin;
/// Orientation.
pub type Rotation<const D: usize> = <Dim<D> as Space<D>>::Rotation;
/// Moments of inertia about the centre of mass along the axes of the body, which are principal axes.
pub type Inertia<const D: usize> = <Dim<D> as Space<D>>::Inertia;

/// What differs between the plane and space.
pub trait Space<const D: usize>: 'static {
    /// Angular velocity, or a torque.
    type Spin: Copy
        + Debug
        + Default
        + PartialEq
        + Send
        + Sync
        + Serialize
        + for<'a> Deserialize<'a>
        + std::ops::Add<Output = Self::Spin>
        + std::ops::Sub<Output = Self::Spin>
        + std::ops::Mul<f64, Output = Self::Spin>
        + std::ops::AddAssign
        + std::ops::Neg<Output = Self::Spin>;
    /// Orientation.
    type Rotation: Copy + Debug + PartialEq + Send + Sync + Serialize + for<'a> Deserialize<'a>;
    /// Principal moments of inertia.
    type Inertia: Copy + Debug + PartialEq + Send + Sync + Serialize + for<'a> Deserialize<'a>;

    /// No turn.
    fn identity() -> Self::Rotation;
    /// From the body's axes to the world's.
    fn rotate(rotation: &Self::Rotation, v: &Vector<D>) -> Vector<D>;
    /// From the world's axes to the body's.
    fn unrotate(rotation: &Self::Rotation, v: &Vector<D>) -> Vector<D>;
    /// First `inner`, then `outer`.
    fn compose(outer: &Self::Rotation, inner: &Self::Rotation) -> Self::Rotation;
    /// The opposite turn.
    fn inverse(rotation: &Self::Rotation) -> Self::Rotation;
    /// The orientation after a constant spin, in the axes of the world, over a time: exact.
    fn turn(rotation: &Self::Rotation, spin: &Self::Spin, time: f64) -> Self::Rotation;
    /// `spin × arm`.
    fn swing(spin: &Self::Spin, arm: &Vector<D>) -> Vector<D>;
    /// `arm × force`.
    fn torque(arm: &Vector<D>, force: &Vector<D>) -> Self::Spin;
    /// Inner product of spins.
    fn dot(a: &Self::Spin, b: &Self::Spin) -> f64;
    /// An orthonormal right-handed frame whose first column is the unit normal; the same for the same normal.
    fn frame(normal: &Vector<D>) -> Matrix<D>;
    /// All components are finite.
    fn is_finite(spin: &Self::Spin) -> bool;
    /// Moments of inertia from the second moments ∫ x_i² dm along principal axes.
    fn moments(second: &Vector<D>) -> Self::Inertia;
    /// Mass of a disk or a sphere about its centre.
    fn ball(radius: f64, density: f64) -> Mass<D>
    where
        Dim<D>: Space<D>;
    /// Mass from `second`, the integral of ρ x xᵀ about the centre: its principal axes and moments.
    fn principal(mass: f64, centre: Vector<D>, second: &Matrix<D>) -> Mass<D>
    where
        Dim<D>: Space<D>;
    /// The integral of ρ x xᵀ about the centre, in the axes of the shape: the way back from [`Space::principal`]. In
    /// the plane only its trace is known, and it is given as a round one.
    fn second_moments(axes: &Self::Rotation, inertia: &Self::Inertia) -> Matrix<D>;
}

impl Space<2> for Dim<2> {
    type Spin = f64;
    type Rotation = UnitComplex<f64>;
    type Inertia = f64;

    #[inline]
    fn identity() -> UnitComplex<f64> {
        UnitComplex::identity()
    }

    #[inline]
    fn rotate(rotation: &UnitComplex<f64>, v: &Vector<2>) -> Vector<2> {
        rotation * v
    }

    #[inline]
    fn unrotate(rotation: &UnitComplex<f64>, v: &Vector<2>) -> Vector<2> {
        rotation.inverse_transform_vector(v)
    }

    #[inline]
    fn compose(outer: &UnitComplex<f64>, inner: &UnitComplex<f64>) -> UnitComplex<f64> {
        outer * inner
    }

    #[inline]
    fn inverse(rotation: &UnitComplex<f64>) -> UnitComplex<f64> {
        rotation.inverse()
    }

    #[inline]
    fn turn(rotation: &UnitComplex<f64>, spin: &f64, time: f64) -> UnitComplex<f64> {
        let mut turned = UnitComplex::new(spin * time) * rotation;
        turned.renormalize();
        turned
    }

    #[inline]
    fn swing(spin: &f64, arm: &Vector<2>) -> Vector<2> {
        Vector::<2>::new(-spin * arm[1], spin * arm[0])
    }

    #[inline]
    fn torque(arm: &Vector<2>, force: &Vector<2>) -> f64 {
        arm[0] * force[1] - arm[1] * force[0]
    }

    #[inline]
    fn dot(a: &f64, b: &f64) -> f64 {
        a * b
    }

    #[inline]
    fn frame(normal: &Vector<2>) -> Matrix<2> {
        Matrix::<2>::new(normal[0], -normal[1], normal[1], normal[0])
    }

    #[inline]
    fn is_finite(spin: &f64) -> bool {
        spin.is_finite()
    }

    fn moments(second: &Vector<2>) -> f64 {
        second.sum()
    }

    fn ball(radius: f64, density: f64) -> Mass<2> {
        let mass = density * PI * radius * radius;
        Mass { mass, centre: Vector::zeros(), axes: Self::identity(), inertia: 0.5 * mass * radius * radius }
    }

    fn principal(mass: f64, centre: Vector<2>, second: &Matrix<2>) -> Mass<2> {
        Mass { mass, centre, axes: Self::identity(), inertia: second.trace() }
    }

    fn second_moments(_axes: &UnitComplex<f64>, inertia: &f64) -> Matrix<2> {
        Matrix::<2>::identity() * (0.5 * inertia)
    }
}

impl Space<3> for Dim<3> {
    type Spin = Vector3<f64>;
    type Rotation = UnitQuaternion<f64>;
    type Inertia = Vector3<f64>;

    #[inline]
    fn identity() -> UnitQuaternion<f64> {
        UnitQuaternion::identity()
    }

    #[inline]
    fn rotate(rotation: &UnitQuaternion<f64>, v: &Vector<3>) -> Vector<3> {
        rotation * v
    }

    #[inline]
    fn unrotate(rotation: &UnitQuaternion<f64>, v: &Vector<3>) -> Vector<3> {
        rotation.inverse_transform_vector(v)
    }

    #[inline]
    fn compose(outer: &UnitQuaternion<f64>, inner: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
        outer * inner
    }

    #[inline]
    fn inverse(rotation: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
        rotation.inverse()
    }

    #[inline]
    fn turn(rotation: &UnitQuaternion<f64>, spin: &Vector3<f64>, time: f64) -> UnitQuaternion<f64> {
        let mut turned = UnitQuaternion::from_scaled_axis(spin * time) * rotation;
        turned.renormalize();
        turned
    }

    #[inline]
    fn swing(spin: &Vector3<f64>, arm: &Vector<3>) -> Vector<3> {
        spin.cross(arm)
    }

    #[inline]
    fn torque(arm: &Vector<3>, force: &Vector<3>) -> Vector3<f64> {
        arm.cross(force)
    }

    #[inline]
    fn dot(a: &Vector3<f64>, b: &Vector3<f64>) -> f64 {
        a.dot(b)
    }

    #[inline]
    fn frame(normal: &Vector<3>) -> Matrix<3> {
        // the axis that is least along the normal is far from parallel to it
        let axis = Vector3::ith(normal.iamin(), 1.0);
        let tangent = (axis - normal * normal.dot(&axis)).normalize();
        Matrix::<3>::from_columns(&[*normal, tangent, normal.cross(&tangent)])
    }

    #[inline]
    fn is_finite(spin: &Vector3<f64>) -> bool {
        spin.iter().all(|x| x.is_finite())
    }

    fn moments(second: &Vector<3>) -> Vector3<f64> {
        let [x, y, z] = [second[0], second[1], second[2]];
        Vector3::new(y + z, x + z, x + y)
    }

    fn ball(radius: f64, density: f64) -> Mass<3> {
        let mass = density * 4.0 / 3.0 * PI * radius.powi(3);
        let inertia = Vector::repeat(0.4 * mass * radius * radius);
        Mass { mass, centre: Vector::zeros(), axes: Self::identity(), inertia }
    }

    fn principal(mass: f64, centre: Vector<3>, second: &Matrix<3>) -> Mass<3> {
        let J = Matrix::<3>::identity() * second.trace() - second;
        let mixed = J[(0, 1)].abs() + J[(0, 2)].abs() + J[(1, 2)].abs();
        // axes that are principal already stay as they are, in their order
        if mixed <= 1e-14 * J.trace() {
            return Mass { mass, centre, axes: Self::identity(), inertia: J.diagonal() };
        }
        let eigen = J.symmetric_eigen();
        let mut axes = eigen.eigenvectors;
        if axes.determinant() < 0.0 {
            axes.column_mut(2).neg_mut();
        }
        let rotation = nalgebra::Rotation3::from_matrix_unchecked(axes);
        Mass {
            mass,
            centre,
            axes: UnitQuaternion::from_rotation_matrix(&rotation),
            inertia: eigen.eigenvalues,
        }
    }

    fn second_moments(axes: &UnitQuaternion<f64>, inertia: &Vector3<f64>) -> Matrix<3> {
        let R = axes.to_rotation_matrix().into_inner();
        let along = Vector3::repeat(0.5 * inertia.sum()) - inertia;
        R * Matrix::<3>::from_diagonal(&along) * R.transpose()
    }
}

/// Where something is and how it is turned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose<const D: usize>
where
    Dim<D>: Space<D>,
{
    /// Position of its origin.
    pub x: Vector<D>,
    /// Its orientation.
    pub rotation: Rotation<D>,
}

impl<const D: usize> Pose<D>
where
    Dim<D>: Space<D>,
{
    /// At the origin, not turned.
    #[inline]
    pub fn identity() -> Self {
        Pose::at(Vector::zeros())
    }

    /// At a point, not turned.
    #[inline]
    pub fn at(x: Vector<D>) -> Self {
        Pose { x, rotation: Dim::<D>::identity() }
    }

    /// A point of the body in the world.
    #[inline]
    pub fn to_world(&self, point: &Vector<D>) -> Vector<D> {
        self.x + Dim::<D>::rotate(&self.rotation, point)
    }

    /// A point of the world in the body.
    #[inline]
    pub fn to_local(&self, point: &Vector<D>) -> Vector<D> {
        Dim::<D>::unrotate(&self.rotation, &(point - self.x))
    }

    /// A direction of the body in the world.
    #[inline]
    pub fn turn_to_world(&self, direction: &Vector<D>) -> Vector<D> {
        Dim::<D>::rotate(&self.rotation, direction)
    }

    /// A direction of the world in the body.
    #[inline]
    pub fn turn_to_local(&self, direction: &Vector<D>) -> Vector<D> {
        Dim::<D>::unrotate(&self.rotation, direction)
    }

    /// An axis of the body in the world.
    #[inline]
    pub fn axis_to_world(&self, k: usize) -> Vector<D> {
        self.turn_to_world(&axis(k))
    }

    /// An axis of the world in the body.
    #[inline]
    pub fn axis_to_local(&self, k: usize) -> Vector<D> {
        self.turn_to_local(&axis(k))
    }

    /// The pose in the world of a part that has the pose `part` in this one.
    #[inline]
    pub fn of_part(&self, part: &Pose<D>) -> Pose<D> {
        Pose { x: self.to_world(&part.x), rotation: Dim::<D>::compose(&self.rotation, &part.rotation) }
    }

    /// The pose of the world in this one.
    #[inline]
    pub fn inverse(&self) -> Pose<D> {
        let rotation = Dim::<D>::inverse(&self.rotation);
        Pose { x: -Dim::<D>::rotate(&rotation, &self.x), rotation }
    }
}

impl Pose<2> {
    /// At a point, turned by an angle.
    pub fn turned(x: Vector<2>, angle: f64) -> Self {
        Pose { x, rotation: Rotation2::new(angle).into() }
    }
}

impl Pose<3> {
    /// At a point, turned about an axis by the length of the vector.
    pub fn turned(x: Vector<3>, axis_angle: Vector<3>) -> Self {
        Pose { x, rotation: UnitQuaternion::from_scaled_axis(axis_angle) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_orthonormal_and_right_handed() {
        for normal in [[0.6, 0.0, 0.8], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [-0.48, 0.6, 0.64]] {
            let frame = Dim::<3>::frame(&Vector3::from(normal));
            assert!((frame.transpose() * frame - Matrix::<3>::identity()).amax() < 1e-15);
            assert!((frame.determinant() - 1.0).abs() < 1e-15);
        }
        let frame = Dim::<2>::frame(&Vector::<2>::new(0.6, 0.8));
        assert!((frame.determinant() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn a_constant_spin_turns_exactly() {
        let spin = Vector3::new(0.3, -0.2, 0.9) * 7.0;
        let mut rotation = Dim::<3>::identity();
        for _ in 0..1000 {
            rotation = Dim::<3>::turn(&rotation, &spin, 1e-3);
        }
        assert!(rotation.angle_to(&UnitQuaternion::from_scaled_axis(spin)) < 1e-13);
    }

    #[test]
    fn poses_compose() {
        let outer = Pose::<3>::turned(Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.1, 0.7, -0.4));
        let part = Pose::<3>::turned(Vector3::new(-0.5, 0.1, 0.2), Vector3::new(1.0, 0.0, 0.3));
        let point = Vector3::new(0.3, 0.4, -2.0);
        let both = outer.of_part(&part);
        assert!((both.to_world(&point) - outer.to_world(&part.to_world(&point))).norm() < 1e-14);
        assert!((both.to_local(&both.to_world(&point)) - point).norm() < 1e-14);
        assert!((outer.inverse().to_world(&outer.to_world(&point)) - point).norm() < 1e-14);
    }
}
