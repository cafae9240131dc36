//! The wall of a round hole: a circle, a sphere, or a tube seen along its axis.
//!
//! With x the way from the centre (or from the axis) to a point, a ball of radius r about that point has the gap
//! R - |x| - r to the wall, and the normal x / |x|.

use super::Point;
use crate::shape::{HollowBall, HollowCylinder};
use crate::space::{Dim, Pose, Space, Vector, axis};

/// The wall in the world.
pub(super) struct Wall<const D: usize> {
    /// Radius of the hole.
    pub radius: f64,
    /// Its centre, or a point of its axis.
    pub centre: Vector<D>,
    /// The direction it is open in, if any.
    pub axis: Option<Vector<D>>,
}

impl<const D: usize> Wall<D>
where
    Dim<D>: Space<D>,
{
    /// The wall of a hollow ball.
    pub fn round(hollow: &HollowBall, at: &Pose<D>) -> Self {
        Wall { radius: hollow.radius, centre: at.x, axis: None }
    }

    /// The wall of a tube.
    pub fn tube(hollow: &HollowCylinder, at: &Pose<D>) -> Self {
        Wall { radius: hollow.radius, centre: at.x, axis: Some(at.axis_to_world(D - 1)) }
    }

    /// The way from the centre or from the axis to a point.
    pub fn way_to(&self, point: &Vector<D>) -> Vector<D> {
        let way = point - self.centre;
        match &self.axis {
            Some(axis) => way - axis * axis.dot(&way),
            None => way,
        }
    }

    /// Some direction towards the wall, for what lies in the centre.
    pub fn anywhere(&self) -> Vector<D> {
        match &self.axis {
            Some(axis) => Dim::<D>::frame(axis).column(1).into_owned(),
            None => axis(D - 1),
        }
    }

    /// The contact of a ball inside.
    pub fn touch(&self, centre: &Vector<D>, radius: f64, feature: u32) -> Point<D> {
        let way = self.way_to(centre);
        let distance = way.norm();
        let normal = if distance > 0.0 { way / distance } else { self.anywhere() };
        let gap = self.radius - distance - radius;
        let a = centre + normal * radius;
        Point { gap, normal, a, b: a + normal * gap, feature }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_in_a_drum() {
        let wall = Wall::round(&HollowBall { radius: 10.0 }, &Pose::at(Vector::<2>::new(1.0, 0.0)));
        let point = wall.touch(&Vector::<2>::new(4.0, -4.0), 2.0, 0);
        assert_eq!(point.gap, 3.0);
        assert!((point.normal - Vector::<2>::new(0.6, -0.8)).norm() < 1e-15);
        assert!((point.b - Vector::<2>::new(7.0, -8.0)).norm() < 1e-14);
    }

    #[test]
    fn a_tube_is_open_along_its_axis() {
        let wall = Wall::tube(&HollowCylinder { radius: 10.0 }, &Pose::<3>::identity());
        let point = wall.touch(&Vector::<3>::new(3.0, -4.0, 1e3), 2.0, 0);
        assert_eq!(point.gap, 3.0);
        assert!((point.b - Vector::<3>::new(6.0, -8.0, 1e3)).norm() < 1e-14);
        let centred = wall.touch(&Vector::<3>::new(0.0, 0.0, 5.0), 2.0, 0);
        assert_eq!((centred.gap, centred.normal[2]), (8.0, 0.0));
    }
}
