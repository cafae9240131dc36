//! What rigid bodies need of plane and space beyond geometry: inertia in the axes of the world, and the block sizes of W.

use nalgebra::{Matrix3, SMatrix, UnitQuaternion, Vector3};
use stickslip_geometry::space::{Dim, Inertia, Rotation, Space, Spin, Vector};
use stickslip_solvers::delassus::{Bodies as BodyBlocks, Delassus, Side};

/// One contact as it acts on one moving body.
#[derive(Clone, Copy, Debug)]
pub struct Lever<const D: usize> {
    /// Index among the moving bodies.
    pub body: u32,
    /// +1 for the second body of the contact, −1 for the first.
    pub sign: f64,
    /// From the centre of the body to the contact.
    pub arm: Vector<D>,
    /// Normal and tangents.
    pub frame: SMatrix<f64, D, D>,
}

/// Mass and orientation of a moving body.
#[derive(Clone, Copy, Debug)]
pub struct Mover<const D: usize>
where
    Dim<D>: Space<D>,
{
    /// Its mass.
    pub mass: f64,
    /// Its moments.
    pub inertia: Inertia<D>,
    /// Its orientation.
    pub rotation: Rotation<D>,
}

/// Rigid bodies in the plane or in space.
pub trait Rigid<const D: usize>: Space<D> {
    /// Angular momentum of a spin, both in the axes of the world.
    fn angular_momentum(rotation: &Rotation<D>, inertia: &Inertia<D>, spin: &Spin<D>) -> Spin<D>
    where
        Dim<D>: Space<D>;
    /// The spin that an angular momentum or impulse gives.
    fn spin_of(rotation: &Rotation<D>, inertia: &Inertia<D>, momentum: &Spin<D>) -> Spin<D>
    where
        Dim<D>: Space<D>;
    /// Spin and orientation after a time without torque; energy and angular momentum stay to rounding.
    fn coast(
        rotation: &Rotation<D>,
        inertia: &Inertia<D>,
        spin: &Spin<D>,
        time: f64,
    ) -> (Spin<D>, Rotation<D>)
    where
        Dim<D>: Space<D>;
    /// All moments are positive numbers.
    fn is_positive(inertia: &Inertia<D>) -> bool
    where
        Dim<D>: Space<D>;
    /// W of contacts on moving bodies; `contact_start` tells where the levers of each contact begin.
    fn delassus(movers: &[Mover<D>], contact_start: Vec<u32>, levers: &[Lever<D>]) -> Delassus<D>
    where
        Dim<D>: Space<D>;
}

impl Rigid<2> for Dim<2> {
    #[inline]
    fn angular_momentum(_: &Rotation<2>, inertia: &f64, spin: &f64) -> f64 {
        inertia * spin
    }

    #[inline]
    fn spin_of(_: &Rotation<2>, inertia: &f64, momentum: &f64) -> f64 {
        momentum / inertia
    }

    fn coast(rotation: &Rotation<2>, _: &f64, spin: &f64, time: f64) -> (f64, Rotation<2>) {
        (*spin, Self::turn(rotation, spin, time))
    }

    #[inline]
    fn is_positive(inertia: &f64) -> bool {
        *inertia > 0.0 && inertia.is_finite()
    }

    fn delassus(movers: &[Mover<2>], contact_start: Vec<u32>, levers: &[Lever<2>]) -> Delassus<2> {
        let factors: Vec<SMatrix<f64, 3, 3>> = movers
            .iter()
            .map(|mover| {
                let linear = 1.0 / mover.mass.sqrt();
                SMatrix::from_diagonal(&Vector3::new(linear, linear, 1.0 / mover.inertia.sqrt()))
            })
            .collect();
        let sides = levers
            .iter()
            .map(|lever| {
                let factor = &factors[lever.body as usize];
                let mut H = SMatrix::<f64, 3, 2>::zeros();
                for (k, direction) in lever.frame.column_iter().enumerate() {
                    let direction = direction * lever.sign;
                    H[(0, k)] = factor[(0, 0)] * direction[0];
                    H[(1, k)] = factor[(1, 1)] * direction[1];
                    H[(2, k)] = factor[(2, 2)] * Self::torque(&lever.arm, &direction);
                }
                Side { H, body: lever.body }
            })
            .collect();
        Delassus::Bodies3(BodyBlocks::from_scaled(factors, contact_start, sides))
    }
}

/// Iterations on the spin of a coasting body: each gains as many digits as the turn in a step is small.
const COAST_ITERATIONS: usize = 50;

impl Rigid<3> for Dim<3> {
    #[inline]
    fn angular_momentum(rotation: &Rotation<3>, inertia: &Vector3<f64>, spin: &Vector3<f64>) -> Vector3<f64> {
        rotation * inertia.component_mul(&rotation.inverse_transform_vector(spin))
    }

    #[inline]
    fn spin_of(rotation: &Rotation<3>, inertia: &Vector3<f64>, momentum: &Vector3<f64>) -> Vector3<f64> {
        rotation * rotation.inverse_transform_vector(momentum).component_div(inertia)
    }

    /// Simo and Wong's scheme: the body turns by the mean Ω̄ of its spins before and after, in its own axes, and
    /// `I Ω⁺ = exp(−h Ω̄) I Ω`. The angular momentum stays, as the turn of the axes undoes that of the vector; the
    /// energy stays, as `2 ΔE = 2 Ω̄·(I Ω⁺ − I Ω)` and a turn about Ω̄ leaves the component along it.
    fn coast(
        rotation: &Rotation<3>,
        inertia: &Vector3<f64>,
        spin: &Vector3<f64>,
        time: f64,
    ) -> (Vector3<f64>, Rotation<3>) {
        if inertia[0] == inertia[1] && inertia[1] == inertia[2] {
            return (*spin, Self::turn(rotation, spin, time));
        }
        let Omega = rotation.inverse_transform_vector(spin);
        let momentum = inertia.component_mul(&Omega);
        let mut next = Omega;
        for _ in 0..COAST_ITERATIONS {
            let turn = UnitQuaternion::from_scaled_axis((Omega + next) * (0.5 * time));
            let better = turn.inverse_transform_vector(&momentum).component_div(inertia);
            let change = (better - next).amax();
            next = better;
            if change <= f64::EPSILON * next.amax() {
                break;
            }
        }
        let mut turned = rotation * UnitQuaternion::from_scaled_axis((Omega + next) * (0.5 * time));
        turned.renormalize();
        (turned * next, turned)
    }

    #[inline]
    fn is_positive(inertia: &Vector3<f64>) -> bool {
        inertia.iter().all(|x| *x > 0.0 && x.is_finite())
    }

    fn delassus(movers: &[Mover<3>], contact_start: Vec<u32>, levers: &[Lever<3>]) -> Delassus<3> {
        let factors: Vec<(f64, Matrix3<f64>)> = movers
            .iter()
            .map(|mover| {
                let roots = mover.inertia.map(|moment| 1.0 / moment.sqrt());
                let to_local = mover.rotation.inverse().to_rotation_matrix();
                (1.0 / mover.mass.sqrt(), Matrix3::from_diagonal(&roots) * to_local.matrix())
            })
            .collect();
        let sides = levers
            .iter()
            .map(|lever| {
                let (linear, angular) = &factors[lever.body as usize];
                let mut H = SMatrix::<f64, 6, 3>::zeros();
                for (k, direction) in lever.frame.column_iter().enumerate() {
                    let direction = direction * lever.sign;
                    H.fixed_view_mut::<3, 1>(0, k).copy_from(&(direction * *linear));
                    H.fixed_view_mut::<3, 1>(3, k).copy_from(&(angular * lever.arm.cross(&direction)));
                }
                Side { H, body: lever.body }
            })
            .collect();
        let mass_factor = factors
            .iter()
            .map(|(linear, angular)| {
                let mut factor = SMatrix::<f64, 6, 6>::zeros();
                factor.fixed_view_mut::<3, 3>(0, 0).copy_from(&(Matrix3::identity() * *linear));
                factor.fixed_view_mut::<3, 3>(3, 3).copy_from(angular);
                factor
            })
            .collect();
        Delassus::Bodies6(BodyBlocks::from_scaled(mass_factor, contact_start, sides))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_free_top_keeps_energy_and_angular_momentum() {
        let inertia = Vector3::new(1.0, 2.0, 3.5);
        let mut rotation = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, -1.0, 0.2));
        let mut spin = Vector3::new(0.1, 8.0, 0.2); // near the unstable axis
        let momentum = |rotation: &Rotation<3>, spin: &Vector3<f64>| {
            Dim::<3>::angular_momentum(rotation, &inertia, spin)
        };
        let start = momentum(&rotation, &spin);
        let energy = 0.5 * start.dot(&spin);
        for _ in 0..10_000 {
            (spin, rotation) = Dim::<3>::coast(&rotation, &inertia, &spin, 1e-2);
        }
        let end = momentum(&rotation, &spin);
        assert!((end - start).norm() < 1e-11 * start.norm());
        assert!((0.5 * end.dot(&spin) - energy).abs() < 1e-11 * energy);
    }
}
