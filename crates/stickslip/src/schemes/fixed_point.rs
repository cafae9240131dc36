//! Exact Coulomb friction by a sequence of convex problems, Bloch 2023, 2.2.4: the step of [`Exact`](super::Exact) by the
//! paper's own solver.
//!
//! Choose it for: comparison with the paper.

use super::{Rules, polish};
use stickslip_solvers::laws::Law;
use stickslip_solvers::panel::{self, AnyMethod};

/// The fixed-point scheme has no settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FixedPoint;

impl Rules for FixedPoint {
    const NAME: &'static str = "fixed-point";
    const PAPER: &'static str = "Bloch 2023, 2.2.4";

    fn law(&self, mu: f64) -> Law {
        Law::coulomb(mu)
    }

    fn solver(&self, tolerance: f64) -> AnyMethod {
        panel::FixedPoint { polish: polish(tolerance), ..panel::FixedPoint::default() }.into()
    }
}
