//! What rigid bodies need of plane and space beyond geometry: inertia in the axes of the world, and the block sizes of W.

use crate::compiled::Compiled;
use crate::contacts::Contact;
use crate::many;
use nalgebra::{Complex, Matrix3, Quaternion, SMatrix, UnitComplex, UnitQuaternion, Vector3, Vector4};
use std::f64::consts::{FRAC_PI_2, TAU};
use stickslip_geometry::space::{Dim, Inertia, Matrix, Rotation, Space, Spin, Vector};
use stickslip_solvers::delassus::{Bodies as BodyBlocks, Delassus, RoundContact, Side};

/// One contact, or one block of a joint, as it acts on one moving body: force and torque of unit impulses.
#[derive(Clone, Copy, Debug)]
pub struct Lever<const D: usize>
where
    Dim<D>: Space<D>,
{
    /// Index among the moving bodies.
    pub body: u32,
    /// Impulse on the body, one column a row of the block.
    pub linear: Matrix<D>,
    /// Impulse about its centre.
    pub angular: [Spin<D>; D],
}

impl<const D: usize> Lever<D>
where
    Dim<D>: Space<D>,
{
    /// Impulses along a frame at a point `arm` away from the centre; reversed on the first body of a pair.
    pub fn at(body: u32, sign: f64, arm: &Vector<D>, frame: &Matrix<D>) -> Self {
        let linear = frame * sign;
        Lever {
            body,
            linear,
            angular: std::array::from_fn(|k| Dim::<D>::torque(arm, &linear.column(k).into_owned())),
        }
    }
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
    /// The only direction in which it moves, where it is guided.
    pub guide: Option<Vector<D>>,
}

impl<const D: usize> Mover<D>
where
    Dim<D>: Rigid<D>,
{
    /// What an impulse and one about the centre change: velocity and spin.
    #[inline]
    pub fn kick(&self, impulse: &Vector<D>, torque: &Spin<D>) -> (Vector<D>, Spin<D>) {
        match &self.guide {
            Some(guide) => (guide * (guide.dot(impulse) / self.mass), Spin::<D>::default()),
            None => (impulse / self.mass, Dim::<D>::spin_of(&self.rotation, &self.inertia, torque)),
        }
    }

    /// A lever as a guided body feels it.
    #[inline]
    pub fn felt(&self, lever: Lever<D>) -> Lever<D> {
        match &self.guide {
            Some(guide) => {
                let linear = guide * guide.tr_mul(&lever.linear);
                Lever { linear, angular: [Spin::<D>::default(); D], ..lever }
            }
            None => lever,
        }
    }
}

/// Rigid bodies in the plane or in space.
pub trait Rigid<const D: usize>: Space<D> + Compiled<D> {
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
    /// How many numbers an orientation and a spin have.
    const PACKED: usize;
    /// Adds the numbers of an orientation and a spin.
    fn pack(rotation: &Rotation<D>, spin: &Spin<D>, numbers: &mut Vec<f64>)
    where
        Dim<D>: Space<D>;
    /// The way back, to the same bits.
    fn unpack(numbers: &[f64]) -> (Rotation<D>, Spin<D>)
    where
        Dim<D>: Space<D>;
    /// All moments are positive numbers.
    fn is_positive(inertia: &Inertia<D>) -> bool
    where
        Dim<D>: Space<D>;
    /// How fast a unit angular impulse turns the body, in the mean over directions.
    fn mobility(inertia: &Inertia<D>) -> f64
    where
        Dim<D>: Space<D>;
    /// An axis of the body in the world.
    fn axis_to_world(rotation: &Rotation<D>, axis: &Spin<D>) -> Spin<D>
    where
        Dim<D>: Space<D>;
    /// Unit axes that span all turns.
    fn axes() -> Vec<Spin<D>>
    where
        Dim<D>: Space<D>;
    /// Unit axes across a unit axis: none in the plane.
    fn axes_across(axis: &Spin<D>) -> Vec<Spin<D>>
    where
        Dim<D>: Space<D>;
    /// The shortest turn to an orientation, about an axis by the length of it.
    fn turn_of(rotation: &Rotation<D>) -> Spin<D>
    where
        Dim<D>: Space<D>;
    /// The part of it about a unit axis, in (−π, π].
    fn twist(rotation: &Rotation<D>, axis: &Spin<D>) -> f64
    where
        Dim<D>: Space<D>;
    /// Unit axes of roll and spin of a contact: of all turns in the plane, across and along the normal in space.
    fn roll_axes(frame: &Matrix<D>) -> Vec<Spin<D>>
    where
        Dim<D>: Space<D>;
    /// The numbers of a spin.
    fn components(spin: &Spin<D>) -> Vec<f64>
    where
        Dim<D>: Space<D>;
    /// W of contacts on moving bodies; `contact_start` tells where the levers of each contact begin.
    fn delassus(
        movers: &[Mover<D>],
        contact_start: Vec<u32>,
        levers: impl Iterator<Item = Lever<D>>,
    ) -> Delassus<D>
    where
        Dim<D>: Space<D>;
    /// The same where all bodies are round, in space, and free to move; `place` is the number of a body among those that
    /// move, `u32::MAX` of others.
    fn round_delassus(_movers: &[Mover<D>], _contacts: &[Contact<D>], _place: &[u32]) -> Option<Delassus<D>>
    where
        Dim<D>: Space<D>,
    {
        None
    }
}

impl Rigid<2> for Dim<2> {
    const PACKED: usize = 3;

    fn pack(rotation: &Rotation<2>, spin: &f64, numbers: &mut Vec<f64>) {
        numbers.extend([rotation.re, rotation.im, *spin]);
    }

    fn unpack(numbers: &[f64]) -> (Rotation<2>, f64) {
        (UnitComplex::new_unchecked(Complex::new(numbers[0], numbers[1])), numbers[2])
    }

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

    fn mobility(inertia: &f64) -> f64 {
        1.0 / inertia
    }

    fn axis_to_world(_: &Rotation<2>, axis: &f64) -> f64 {
        *axis
    }

    fn axes() -> Vec<f64> {
        vec![1.0]
    }

    fn axes_across(_: &f64) -> Vec<f64> {
        Vec::new()
    }

    fn turn_of(rotation: &Rotation<2>) -> f64 {
        rotation.angle()
    }

    fn twist(rotation: &Rotation<2>, axis: &f64) -> f64 {
        rotation.angle() * axis
    }

    fn roll_axes(_: &Matrix<2>) -> Vec<f64> {
        vec![1.0]
    }

    fn components(spin: &f64) -> Vec<f64> {
        vec![*spin]
    }

    fn delassus(
        movers: &[Mover<2>],
        contact_start: Vec<u32>,
        levers: impl Iterator<Item = Lever<2>>,
    ) -> Delassus<2> {
        let factors: Vec<SMatrix<f64, 3, 3>> = movers
            .iter()
            .map(|mover| {
                let linear = 1.0 / mover.mass.sqrt();
                SMatrix::from_diagonal(&Vector3::new(linear, linear, 1.0 / mover.inertia.sqrt()))
            })
            .collect();
        let mut sides = Vec::with_capacity(contact_start.last().map_or(0, |&end| end as usize));
        sides.extend(levers.map(|lever| {
            let factor = &factors[lever.body as usize];
            let mut H = SMatrix::<f64, 3, 2>::zeros();
            for (k, (linear, angular)) in lever.linear.column_iter().zip(lever.angular).enumerate() {
                H[(0, k)] = factor[(0, 0)] * linear[0];
                H[(1, k)] = factor[(1, 1)] * linear[1];
                H[(2, k)] = factor[(2, 2)] * angular;
            }
            Side { H, body: lever.body }
        }));
        Delassus::Bodies3(BodyBlocks::from_scaled(factors, contact_start, sides))
    }
}

/// Iterations on the spin of a coasting body: each gains as many digits as the turn in a step is small.
const COAST_ITERATIONS: usize = 50;

/// Whether all directions are alike, as for a sphere or a cube.
#[inline]
fn is_round(inertia: &Vector3<f64>) -> bool {
    inertia[0] == inertia[1] && inertia[1] == inertia[2]
}

impl Rigid<3> for Dim<3> {
    const PACKED: usize = 7;

    fn pack(rotation: &Rotation<3>, spin: &Vector3<f64>, numbers: &mut Vec<f64>) {
        numbers.extend(rotation.coords.iter().chain(spin.iter()));
    }

    fn unpack(numbers: &[f64]) -> (Rotation<3>, Vector3<f64>) {
        let coords = Vector4::from_column_slice(&numbers[..4]);
        let rotation = UnitQuaternion::new_unchecked(Quaternion::from_vector(coords));
        (rotation, Vector3::from_column_slice(&numbers[4..7]))
    }

    #[inline]
    fn angular_momentum(rotation: &Rotation<3>, inertia: &Vector3<f64>, spin: &Vector3<f64>) -> Vector3<f64> {
        if is_round(inertia) {
            return spin * inertia[0];
        }
        rotation * inertia.component_mul(&rotation.inverse_transform_vector(spin))
    }

    #[inline]
    fn spin_of(rotation: &Rotation<3>, inertia: &Vector3<f64>, momentum: &Vector3<f64>) -> Vector3<f64> {
        if is_round(inertia) {
            return momentum / inertia[0];
        }
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
        if is_round(inertia) {
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

    fn mobility(inertia: &Vector3<f64>) -> f64 {
        inertia.map(|moment| 1.0 / moment).mean()
    }

    fn axis_to_world(rotation: &Rotation<3>, axis: &Vector3<f64>) -> Vector3<f64> {
        rotation * axis
    }

    fn axes() -> Vec<Vector3<f64>> {
        vec![Vector3::x(), Vector3::y(), Vector3::z()]
    }

    fn axes_across(axis: &Vector3<f64>) -> Vec<Vector3<f64>> {
        Self::frame(axis).column_iter().skip(1).map(|across| across.into_owned()).collect()
    }

    fn turn_of(rotation: &Rotation<3>) -> Vector3<f64> {
        rotation.scaled_axis()
    }

    fn twist(rotation: &Rotation<3>, axis: &Vector3<f64>) -> f64 {
        let half = rotation.imag().dot(axis).atan2(rotation.w);
        // q and −q are one orientation
        if half > FRAC_PI_2 {
            2.0 * half - TAU
        } else if half <= -FRAC_PI_2 {
            2.0 * half + TAU
        } else {
            2.0 * half
        }
    }

    fn roll_axes(frame: &Matrix<3>) -> Vec<Vector3<f64>> {
        [1, 2, 0].map(|k| frame.column(k).into_owned()).to_vec()
    }

    fn components(spin: &Vector3<f64>) -> Vec<f64> {
        spin.as_slice().to_vec()
    }

    fn delassus(
        movers: &[Mover<3>],
        contact_start: Vec<u32>,
        levers: impl Iterator<Item = Lever<3>>,
    ) -> Delassus<3> {
        let factors: Vec<(f64, Matrix3<f64>)> = movers
            .iter()
            .map(|mover| {
                let roots = mover.inertia.map(|moment| 1.0 / moment.sqrt());
                let to_local = mover.rotation.inverse().to_rotation_matrix();
                (1.0 / mover.mass.sqrt(), Matrix3::from_diagonal(&roots) * to_local.matrix())
            })
            .collect();
        let mut sides = Vec::with_capacity(contact_start.last().map_or(0, |&end| end as usize));
        sides.extend(levers.map(|lever| {
            let (linear, angular) = &factors[lever.body as usize];
            let mut H = SMatrix::<f64, 6, 3>::zeros();
            H.fixed_view_mut::<3, 3>(0, 0).copy_from(&(lever.linear * *linear));
            for (k, torque) in lever.angular.iter().enumerate() {
                H.fixed_view_mut::<3, 1>(3, k).copy_from(&(angular * torque));
            }
            Side { H, body: lever.body }
        }));
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

    fn round_delassus(movers: &[Mover<3>], contacts: &[Contact<3>], place: &[u32]) -> Option<Delassus<3>> {
        let is_round = |mover: &Mover<3>| {
            let J = &mover.inertia;
            mover.guide.is_none() && J[0] == J[1] && J[1] == J[2]
        };
        if !movers.iter().all(is_round) {
            return None;
        }
        let roots: Vec<[f64; 2]> =
            movers.iter().map(|mover| [mover.mass, mover.inertia[0]].map(|x| 1.0 / x.sqrt())).collect();
        let contacts = many::map(contacts, |contact| {
            let sides = contact.sides().map(|(body, _, arm)| {
                let body = place[body as usize];
                (body, roots.get(body as usize).map_or([0.0; 3], |root| (arm * root[1]).into()))
            });
            RoundContact {
                frame: contact.frame.data.0,
                arms: sides.map(|(_, arm)| arm),
                bodies: sides.map(|(body, _)| body),
            }
        });
        Some(Delassus::Bodies6(BodyBlocks::of_round(&roots, contacts)))
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
