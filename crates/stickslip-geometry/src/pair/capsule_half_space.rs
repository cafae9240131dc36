//! A capsule and a half-space: one point for each end, so that it can lie.

use super::{Point, ball_half_space};
use crate::shape::{Ball, Capsule};
use crate::space::{Dim, Pose, Space};

/// The contacts, from the capsule to the half-space; the feature is the end.
pub fn contacts<const D: usize>(
    capsule: &Capsule,
    at: &Pose<D>,
    plane: &Pose<D>,
) -> impl Iterator<Item = Point<D>>
where
    Dim<D>: Space<D>,
{
    let ball = Ball { radius: capsule.radius };
    let ends = capsule.ends(at);
    (0..2).filter_map(move |end| {
        let point = ball_half_space::contact(&ball, &Pose::at(ends[end]), plane)?;
        Some(Point { feature: end as u32, ..point })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Vector;

    #[test]
    fn a_leaning_capsule_touches_with_one_end() {
        let capsule = Capsule { half_length: 5.0, radius: 1.0 };
        let at = Pose::<2>::turned(Vector::<2>::new(0.0, 5.0), (0.8f64).asin());
        let points: Vec<_> = contacts(&capsule, &at, &Pose::identity()).collect();
        assert_eq!((points[0].feature, points[1].feature), (0, 1));
        assert!((points[0].gap - 8.0).abs() < 1e-14);
        assert!(points[1].gap.abs() < 1e-14);
        assert!((points[1].b - Vector::<2>::new(-3.0, 0.0)).norm() < 1e-14);
    }
}
