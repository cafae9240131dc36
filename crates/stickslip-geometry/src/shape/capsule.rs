//! Capsule: all points within a radius of a segment along the first axis, about its middle.

use super::{Bounds, Mass, unit_ball};
use crate::space::{Dim, Pose, Space, Vector};

/// A rod with round ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// From the middle to the centre of either end.
    pub half_length: f64,
    /// Its radius.
    pub radius: f64,
}

impl Capsule {
    /// From the middle to the centre of the first end, in the world; the second end lies opposite.
    pub fn arm<const D: usize>(&self, pose: &Pose<D>) -> Vector<D>
    where
        Dim<D>: Space<D>,
    {
        let mut arm = Vector::zeros();
        arm[0] = self.half_length;
        pose.turn_to_world(&arm)
    }

    /// Centres of the two ends in the world, the one of the positive side first.
    pub fn ends<const D: usize>(&self, pose: &Pose<D>) -> [Vector<D>; 2]
    where
        Dim<D>: Space<D>,
    {
        let arm = self.arm(pose);
        [pose.x + arm, pose.x - arm]
    }

    pub(super) fn support<const D: usize>(&self, direction: &Vector<D>) -> Vector<D> {
        let length = direction.norm();
        let mut point = if length > 0.0 { direction * (self.radius / length) } else { Vector::zeros() };
        point[0] += self.half_length.copysign(direction[0]);
        point
    }

    pub(super) fn bounds<const D: usize>(&self, pose: &Pose<D>) -> Bounds<D>
    where
        Dim<D>: Space<D>,
    {
        Bounds::around(&pose.x, &self.arm(pose).map(|x| x.abs() + self.radius))
    }

    /// A bar of length `2 half_length` and two half-balls, each moved out by `half_length`.
    pub(super) fn mass<const D: usize>(&self, density: f64) -> Mass<D>
    where
        Dim<D>: Space<D>,
    {
        let (l, r) = (self.half_length, self.radius);
        let section = density * unit_ball(D - 1) * r.powi(D as i32 - 1);
        let bar = 2.0 * l * section;
        let ball = density * unit_ball(D) * r.powi(D as i32);
        let (inside, across) = ((D + 2) as f64, (D + 1) as f64);

        // ∫ x² over a bar, over a ball, and what the ball gains by parting its halves, whose first moments are
        // ± section r² / (D + 1)
        let parted = ball * l * l + 4.0 * l * section * r * r / across;
        let mut second = Vector::repeat(ball * r * r / inside + bar * r * r / across);
        second[0] = ball * r * r / inside + bar * l * l / 3.0 + parted;
        Mass::symmetric(bar + ball, &second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn mass_of_a_solid_capsule_is_the_textbook_one() {
        let (l, r, density) = (0.7, 0.3, 2.5);
        let mass: Mass<3> = Capsule { half_length: l, radius: r }.mass(density);
        let (bar, ball) = (density * PI * r * r * 2.0 * l, density * 4.0 / 3.0 * PI * r.powi(3));
        let across = bar * (r * r / 4.0 + l * l / 3.0) + ball * (0.4 * r * r + l * l + 0.75 * l * r);
        assert!((mass.mass - bar - ball).abs() < 1e-14);
        assert!((mass.inertia[0] - bar * r * r / 2.0 - ball * 0.4 * r * r).abs() < 1e-14);
        assert!((mass.inertia[1] - across).abs() < 1e-14);
        assert!((mass.inertia[2] - across).abs() < 1e-14);
    }

    #[test]
    fn mass_of_a_flat_capsule_agrees_with_a_sum_of_strips() {
        let (l, r) = (0.7, 0.3);
        let mass: Mass<2> = Capsule { half_length: l, radius: r }.mass(1.0);
        let (mut area, mut inertia) = (4.0 * l * r, 4.0 * l * r * (l * l + r * r) / 3.0);
        let n = 200_000;
        for k in 0..n {
            // x = r sin(t) makes the integrand smooth, so that the midpoint rule is exact to rounding
            let t = PI / 2.0 * (k as f64 + 0.5) / n as f64;
            let (x, y) = (r * t.sin(), r * t.cos());
            let strip = 4.0 * y * y * PI / 2.0 / n as f64;
            area += strip;
            inertia += strip * ((l + x).powi(2) + y * y / 3.0);
        }
        assert!((mass.mass - area).abs() < 1e-10);
        assert!((mass.inertia - inertia).abs() < 1e-10);
    }
}
