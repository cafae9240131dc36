//! The gap-stabilised Coulomb problem, Bloch 2023 (27), by any exact solver.
//!
//! A contact may move by its gap in a step before it pushes, and then obeys Coulomb's law exactly: nothing overlaps,
//! nothing that slides lifts off, nothing that sticks creeps.
//!
//! Choose it for: everything without bounces. The default.

use super::Rules;
use stickslip_solvers::laws::Law;

/// The exact scheme has no settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exact;

impl Rules for Exact {
    const NAME: &'static str = "exact";
    const PAPER: &'static str = "Bloch 2023 (27)";

    fn law(&self, mu: f64) -> Law {
        Law::coulomb(mu)
    }
}
