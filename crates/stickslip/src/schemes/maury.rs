//! Maury's scheme: inelastic contact without friction, one convex projection a step, Maury 2006.
//!
//! Velocities are projected on those that keep the linearised gaps open. The distance of balls is convex, so
//! that their gaps stay open at any step size, to the tolerance of the solver.
//!
//! Choose it for: frictionless balls, large steps.

use super::Rules;
use stickslip_solvers::laws::Law;

/// Maury's scheme has no settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Maury;

impl Rules for Maury {
    const NAME: &'static str = "maury";
    const PAPER: &'static str = "Maury 2006";

    fn law(&self, _mu: f64) -> Law {
        Law::frictionless()
    }
}
