//! An arch: a ring of voussoirs with radial joints, fitted face to face.
//!
//! Its faces between joints are flat, so that a voussoir is a trapezium whose corners lie on the two circles.

use super::{PackingError, at_least_one, positive, prism};
use crate::bodies::{Body, Motion};
use crate::rigid::Rigid;
use libm::{cos, sin};
use std::f64::consts::PI;
use stickslip_geometry::space::Dim;

/// An arch above the first axis, the centre of its circles at the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arch {
    /// Voussoirs, from the right to the left.
    pub voussoirs: usize,
    /// Radius of the corners inside.
    pub inner_radius: f64,
    /// Length of a joint.
    pub thickness: f64,
    /// Angle between the outermost joints: π for a semicircle, less for a segment.
    pub opening: f64,
    /// Depth, in space only.
    pub depth: f64,
    /// Fixed blocks under both ends, which carry the ring on as two more voussoirs would.
    pub springers: bool,
}

impl Arch {
    /// The voussoirs, then the springers.
    pub fn bodies<const D: usize>(&self) -> Result<Vec<Body<D>>, PackingError>
    where
        Dim<D>: Rigid<D>,
    {
        at_least_one("voussoirs", self.voussoirs)?;
        positive("inner_radius", self.inner_radius)?;
        positive("thickness", self.thickness)?;
        positive("depth", self.depth)?;
        let share = self.opening / self.voussoirs as f64;
        let refuse = |allowed| Err(PackingError::Value { what: "opening", value: self.opening, allowed });
        if !(self.opening > 0.0 && self.opening <= 1.5 * PI) {
            return refuse("give an angle above 0 and at most 3/2 π");
        }
        if share >= PI / 2.0 {
            return refuse("take a smaller one or more voussoirs: each must span less than a quarter");
        }
        let first = 0.5 * (PI - self.opening);
        let between = |k: f64| {
            let [inside, outside] = [self.inner_radius, self.inner_radius + self.thickness];
            let [a, b] = [first + k * share, first + (k + 1.0) * share];
            let corner = |radius: f64, angle: f64| [radius * cos(angle), radius * sin(angle)];
            prism(&[corner(inside, a), corner(outside, a), corner(outside, b), corner(inside, b)], self.depth)
        };
        let mut bodies = Vec::new();
        for k in 0..self.voussoirs {
            bodies.push(between(k as f64)?);
        }
        if self.springers {
            for k in [-1.0, self.voussoirs as f64] {
                bodies.push(Body { motion: Motion::Fixed, ..between(k)? });
            }
        }
        Ok(bodies)
    }
}
