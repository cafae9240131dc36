//! A house of cards: tents of two cards, floors of flat ones on their ridges, one tent less from level to level.
//!
//! ```text
//!            /\
//!          ------            lean: angle of a card from the vertical
//!          /\  /\            length: of a leaning card, along its inner face
//! ```
//!
//! Leaning cards are cut to fit: level at the foot and at the ridge, upright where the two of a tent meet. Two cards with
//! square ends would touch at an edge alone, where no normal is defined.

use super::{PackingError, at_least_one, block, point, positive, prism};
use crate::bodies::Body;
use crate::rigid::Rigid;
use libm::{cos, sin, tan};
use std::f64::consts::FRAC_PI_2;
use stickslip_geometry::space::Dim;

/// A house of cards on the ground, its middle above the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CardHouse {
    /// Levels; the lowest has as many tents.
    pub levels: usize,
    /// Length of the inner face of a leaning card.
    pub length: f64,
    /// Thickness of a card.
    pub thickness: f64,
    /// Angle of a leaning card from the vertical.
    pub lean: f64,
    /// Width of a card, in space only.
    pub width: f64,
}

impl CardHouse {
    /// The cards, level by level: the left and the right card of each tent, then the floor above them.
    pub fn bodies<const D: usize>(&self) -> Result<Vec<Body<D>>, PackingError>
    where
        Dim<D>: Rigid<D>,
    {
        at_least_one("levels", self.levels)?;
        positive("length", self.length)?;
        positive("thickness", self.thickness)?;
        positive("width", self.width)?;
        if !(self.lean > 0.0 && self.lean < FRAC_PI_2) {
            let allowed = "give an angle between 0 and a quarter turn";
            return Err(PackingError::Value { what: "lean", value: self.lean, allowed });
        }
        // half the inside of a tent at the ground, and a card cut level
        let (inside, foot) = (self.length * sin(self.lean), self.thickness / cos(self.lean));
        let ridge = (inside + 0.5 * foot) / tan(self.lean);
        // neighbours stand apart, or their corners would meet
        let apart = 0.25 * self.thickness;
        let floor = 2.0 * (inside + foot);
        let pitch = floor + apart;
        let level_height = ridge + self.thickness;
        let profile = [
            [-inside - foot, 0.0],
            [-inside, 0.0],
            [0.0, self.length * cos(self.lean)],
            [0.0, ridge],
            [-0.5 * foot, ridge],
        ];
        let mut bodies = Vec::new();
        for level in 0..self.levels {
            let (tents, up) = (self.levels - level, level as f64 * level_height);
            let middle = |k: usize| (k as f64 - 0.5 * (tents as f64 - 1.0)) * pitch;
            for k in 0..tents {
                for side in [1.0, -1.0] {
                    let card = profile.map(|[along, height]| [middle(k) + side * along, up + height]);
                    bodies.push(prism(&card, self.width)?);
                }
            }
            for k in 1..tents {
                let x = point(0.5 * (middle(k - 1) + middle(k)), 0.0, up + ridge + 0.5 * self.thickness);
                bodies.push(block(point(floor, self.width, self.thickness), x));
            }
        }
        Ok(bodies)
    }
}
