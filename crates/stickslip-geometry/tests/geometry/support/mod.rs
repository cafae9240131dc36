//! Seeded random numbers and poses.

use stickslip_geometry::space::{Dim, Pose, Space, Vector};

/// Splitmix64.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as f64 / u64::MAX as f64
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.roll()
    }

    pub fn vector<const D: usize>(&mut self) -> Vector<D> {
        Vector::from_fn(|_, _| self.between(-1.0, 1.0))
    }

    pub fn direction<const D: usize>(&mut self) -> Vector<D> {
        loop {
            let v = self.vector::<D>();
            if v.norm() > 0.1 && v.norm() < 1.0 {
                return v.normalize();
            }
        }
    }
}

/// Random poses, which each dimension makes in its own way.
pub trait Turned<const D: usize>
where
    Dim<D>: Space<D>,
{
    fn pose(dice: &mut Dice) -> Pose<D>;
}

impl Turned<2> for Dim<2> {
    fn pose(dice: &mut Dice) -> Pose<2> {
        Pose::<2>::turned(dice.vector(), dice.between(-4.0, 4.0))
    }
}

impl Turned<3> for Dim<3> {
    fn pose(dice: &mut Dice) -> Pose<3> {
        Pose::<3>::turned(dice.vector(), dice.vector::<3>() * 3.0)
    }
}
