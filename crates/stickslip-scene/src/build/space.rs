//! Points, turns and spins from numbers.

use crate::reader::{Point, Turn};
use libm::atan2;
use stickslip_geometry::space::{Dim, Pose, Rotation, Space, Spin, Vector, axis};

/// A point of as many numbers as the reader has counted.
pub(crate) fn vector<const D: usize>(point: &Point) -> Vector<D> {
    Vector::from_fn(|k, _| point.0.get(k).copied().unwrap_or(0.0))
}

/// The spin of unit size about each axis; in the plane there is one.
fn unit_spins<const D: usize>() -> Vec<Spin<D>>
where
    Dim<D>: Space<D>,
{
    let planes: &[(usize, usize)] = if D == 2 { &[(0, 1)] } else { &[(1, 2), (2, 0), (0, 1)] };
    planes.iter().map(|&(i, j)| Dim::<D>::torque(&axis(i), &axis(j))).collect()
}

pub(crate) fn spin<const D: usize>(turn: &Turn) -> Spin<D>
where
    Dim<D>: Space<D>,
{
    let parts = unit_spins::<D>().into_iter().zip(&turn.0);
    parts.fold(Spin::<D>::default(), |sum, (unit, &size)| sum + unit * size)
}

/// The numbers of a spin: one in the plane, three in space.
pub(crate) fn spin_parts<const D: usize>(spin: &Spin<D>) -> Vec<f64>
where
    Dim<D>: Space<D>,
{
    unit_spins::<D>().iter().map(|unit| Dim::<D>::dot(unit, spin)).collect()
}

pub(crate) fn rotation<const D: usize>(turn: &Turn) -> Rotation<D>
where
    Dim<D>: Space<D>,
{
    Dim::<D>::turn(&Dim::<D>::identity(), &spin::<D>(turn), 1.0)
}

/// A pose by the keys `at` and `turn`.
pub(crate) fn pose<const D: usize>(at: Option<&Point>, turn: Option<&Turn>) -> Pose<D>
where
    Dim<D>: Space<D>,
{
    Pose { x: at.map_or(Vector::zeros(), vector), rotation: turn.map_or(Dim::<D>::identity(), rotation::<D>) }
}

/// The turn that takes an axis to a direction; `None` where that has no length.
pub(crate) fn towards<const D: usize>(from: usize, direction: &Vector<D>) -> Option<Rotation<D>>
where
    Dim<D>: Space<D>,
{
    let start: Vector<D> = axis(from);
    let direction = direction.try_normalize(0.0)?;
    let normal = Dim::<D>::torque(&start, &direction);
    let sine = Dim::<D>::dot(&normal, &normal).sqrt();
    let angle = atan2(sine, start.dot(&direction));
    let about =
        if sine > 0.0 { normal * (1.0 / sine) } else { Dim::<D>::torque(&start, &axis((from + 1) % D)) };
    Some(Dim::<D>::turn(&Dim::<D>::identity(), &about, angle))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axes_turn_to_every_direction<const D: usize>(directions: &[Vector<D>])
    where
        Dim<D>: Space<D>,
    {
        for direction in directions {
            for from in 0..D {
                let rotation = towards::<D>(from, direction).unwrap();
                let turned = Dim::<D>::rotate(&rotation, &axis(from));
                assert!((turned - direction.normalize()).norm() < 1e-15, "{from} {direction}");
            }
        }
        assert!(towards::<D>(0, &Vector::zeros()).is_none());
    }

    #[test]
    fn axes_turn_to_directions() {
        let plane = [[1.0, 0.0], [-1.0, 0.0], [0.0, -2.0], [0.3, 0.4]];
        axes_turn_to_every_direction::<2>(&plane.map(|x| Vector::<2>::new(x[0], x[1])));
        let space = [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [1.0, 2.0, -2.0]];
        axes_turn_to_every_direction::<3>(&space.map(|x| Vector::<3>::new(x[0], x[1], x[2])));
    }

    #[test]
    fn spins_go_there_and_back() {
        let turn = Turn(vec![0.1, -0.2, 0.3]);
        assert_eq!(spin_parts::<3>(&spin::<3>(&turn)), turn.0);
        assert_eq!(spin_parts::<2>(&spin::<2>(&Turn(vec![-4.0]))), [-4.0]);
    }
}
