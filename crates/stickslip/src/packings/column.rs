//! Columns of drums and towers of blocks, upright on the origin.

use super::{PackingError, at_least_one, block, point, positive};
use crate::bodies::Body;
use crate::rigid::Rigid;
use stickslip_geometry::shape::{Cylinder, Shape};
use stickslip_geometry::space::{Dim, Pose, Vector};

/// A column of drums: cylinders in space, rectangles in the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column {
    /// Drums.
    pub drums: usize,
    /// Height of a drum.
    pub height: f64,
    /// Diameter of the lowest drum.
    pub diameter: f64,
    /// Diameter of the topmost drum; those between taper.
    pub top_diameter: f64,
}

impl Column {
    /// The drums from the bottom up.
    pub fn bodies<const D: usize>(&self) -> Result<Vec<Body<D>>, PackingError>
    where
        Dim<D>: Rigid<D>,
    {
        at_least_one("drums", self.drums)?;
        positive("height", self.height)?;
        positive("diameter", self.diameter)?;
        positive("top_diameter", self.top_diameter)?;
        let drum = |k: usize| {
            let x = point(0.0, 0.0, (k as f64 + 0.5) * self.height);
            let share = k as f64 / (self.drums - 1).max(1) as f64;
            let diameter = self.diameter + share * (self.top_diameter - self.diameter);
            if D == 2 {
                return block(point(diameter, 0.0, self.height), x);
            }
            let cylinder = Cylinder { half_length: 0.5 * self.height, radius: 0.5 * diameter };
            Body::new(Shape::Cylinder(cylinder), Pose::at(x))
        };
        Ok((0..self.drums).map(drum).collect())
    }
}

/// Blocks on top of each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tower<const D: usize> {
    /// Blocks.
    pub blocks: usize,
    /// Edges of a block.
    pub block: Vector<D>,
}

impl<const D: usize> Tower<D>
where
    Dim<D>: Rigid<D>,
{
    /// The blocks from the bottom up.
    pub fn bodies(&self) -> Result<Vec<Body<D>>, PackingError> {
        at_least_one("blocks", self.blocks)?;
        self.block.iter().try_for_each(|&edge| positive("edge of a block", edge))?;
        let up = |k: usize| (k as f64 + 0.5) * self.block[D - 1];
        Ok((0..self.blocks).map(|k| block(self.block, point(0.0, 0.0, up(k)))).collect())
    }
}
