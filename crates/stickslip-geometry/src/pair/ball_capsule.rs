//! A ball and a capsule: the ball against the ball of the capsule nearest to it.

use super::{Point, ball_ball, rod::Rod};
use crate::shape::{Ball, Capsule};
use crate::space::{Dim, Pose, Space, Vector, axis};

/// The contact, from the ball to the capsule; a ball centred on the axis is parted square to it.
pub fn contact<const D: usize>(
    ball: &Ball,
    at: &Pose<D>,
    capsule: &Capsule,
    at_c: &Pose<D>,
) -> Option<Point<D>>
where
    Dim<D>: Space<D>,
{
    let rod = Rod::new(capsule, at_c);
    let nearest = rod.at(rod.nearest(&at.x));
    Some(ball_ball::between((&at.x, ball.radius), (&nearest, rod.radius), || square_to(&rod.arm)))
}

/// A unit vector square to another, which need not be one.
pub(super) fn square_to<const D: usize>(arm: &Vector<D>) -> Vector<D>
where
    Dim<D>: Space<D>,
{
    match arm.try_normalize(0.0) {
        Some(axis) => Dim::<D>::frame(&axis).column(1).into_owned(),
        None => axis(D - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_meets_the_side_and_the_end() {
        let capsule = Capsule { half_length: 2.0, radius: 0.5 };
        let at = |x, y| Pose::<2>::at(Vector::<2>::new(x, y));
        let ball = Ball { radius: 0.25 };
        let side = contact(&ball, &at(1.0, 3.0), &capsule, &at(0.0, 1.0)).unwrap();
        assert_eq!(side.gap, 1.25);
        assert_eq!(side.normal, Vector::<2>::new(0.0, -1.0));
        assert_eq!((side.a, side.b), (Vector::<2>::new(1.0, 2.75), Vector::<2>::new(1.0, 1.5)));
        let end = contact(&ball, &at(5.0, 5.0), &capsule, &at(0.0, 1.0)).unwrap();
        assert_eq!(end.gap, 4.25);
        assert!((end.normal - Vector::<2>::new(-0.6, -0.8)).norm() < 1e-15);
    }

    #[test]
    fn a_sphere_on_the_axis_is_parted_square_to_it() {
        let capsule = Capsule { half_length: 2.0, radius: 0.5 };
        let point =
            contact(&Ball { radius: 0.25 }, &Pose::<3>::identity(), &capsule, &Pose::identity()).unwrap();
        assert_eq!(point.gap, -0.75);
        assert_eq!(point.normal[0], 0.0);
        assert_eq!(point.normal.norm(), 1.0);
    }
}
