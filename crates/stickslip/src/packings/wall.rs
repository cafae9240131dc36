//! A wall in running bond: courses of bricks, each shifted by half a brick over the one below, half bricks at its ends.

use super::{PackingError, at_least_one, block, not_negative, point, positive};
use crate::bodies::Body;
use crate::rigid::Rigid;
use stickslip_geometry::space::{Dim, Vector};

/// A wall along the first axis, its lower left end at the origin; in space its middle plane holds the first axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunningBond<const D: usize> {
    /// Courses.
    pub courses: usize,
    /// Bricks of a course; every other course has one less and two halves.
    pub bricks: usize,
    /// Length, depth in space, and height of a brick.
    pub brick: Vector<D>,
    /// Gap between the bricks of a course; 0 closes it.
    pub head_joint: f64,
    /// Gap between courses; 0 closes it.
    pub bed_joint: f64,
}

impl<const D: usize> RunningBond<D>
where
    Dim<D>: Rigid<D>,
{
    /// The bricks, course by course.
    pub fn bodies(&self) -> Result<Vec<Body<D>>, PackingError> {
        at_least_one("courses", self.courses)?;
        at_least_one("bricks", self.bricks)?;
        self.brick.iter().try_for_each(|&edge| positive("edge of a brick", edge))?;
        not_negative("head_joint", self.head_joint)?;
        not_negative("bed_joint", self.bed_joint)?;
        let (length, height) = (self.brick[0], self.brick[D - 1]);
        let half = 0.5 * (length - self.head_joint);
        positive("length of half a brick, without half a head joint", half)?;
        let mut bodies = Vec::new();
        for course in 0..self.courses {
            let up = (course as f64 + 0.5) * height + course as f64 * self.bed_joint;
            let mut lengths = vec![length; self.bricks];
            if course % 2 == 1 {
                lengths[0] = half;
                lengths.push(half);
            }
            let mut along = 0.0;
            for length in lengths {
                let mut size = self.brick;
                size[0] = length;
                bodies.push(block(size, point(along + 0.5 * length, 0.0, up)));
                along += length + self.head_joint;
            }
        }
        Ok(bodies)
    }
}
