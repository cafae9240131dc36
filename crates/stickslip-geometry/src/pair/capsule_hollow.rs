//! A capsule in a round hole: one point for each end, as the farthest point of a segment is one of its ends.

use super::{Point, wall::Wall};
use crate::shape::Capsule;
use crate::space::{Dim, Pose, Space};

/// The contacts, from the capsule to the wall; the feature is the end.
pub(super) fn contacts<const D: usize>(capsule: &Capsule, at: &Pose<D>, wall: &Wall<D>) -> [Point<D>; 2]
where
    Dim<D>: Space<D>,
{
    let ends = capsule.ends(at);
    [0, 1].map(|end| wall.touch(&ends[end], capsule.radius, end as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::HollowBall;
    use crate::space::Vector;

    #[test]
    fn a_capsule_across_a_drum_touches_at_both_ends() {
        let capsule = Capsule { half_length: 3.0, radius: 0.5 };
        let wall = Wall::round(&HollowBall { radius: 5.5 }, &Pose::<2>::identity());
        let points = contacts(&capsule, &Pose::at(Vector::<2>::new(0.0, -4.0)), &wall);
        for (point, x) in points.iter().zip([0.6, -0.6]) {
            assert!(point.gap.abs() < 1e-15);
            assert!((point.normal - Vector::<2>::new(x, -0.8)).norm() < 1e-15);
        }
    }
}
