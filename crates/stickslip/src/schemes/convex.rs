//! Associated friction: one convex problem a step, Bloch 2023, 2.2.2.
//!
//! Sliding contacts dilate: they open at μ |u_T|, so that a sliding body floats h μ |u_T| above the ground. The report of
//! the step tells how far.
//!
//! Choose it for: dense flows where speed counts more than the gap of sliding contacts.

use super::Rules;
use stickslip_solvers::laws::Law;

/// The convex scheme has no settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Convex;

impl Rules for Convex {
    const NAME: &'static str = "convex";
    const PAPER: &'static str = "Bloch 2023, 2.2.2";

    fn law(&self, mu: f64) -> Law {
        Law::convex(mu)
    }
}
