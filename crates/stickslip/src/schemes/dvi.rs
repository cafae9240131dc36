//! Contacts that give way, yield and break, by one variational inequality a step, Tasora 2013.
//!
//! ```text
//! ẏ_P = (W + E) r + q ∈ −N_Υ(r),   r ∈ Υ        Tasora 2013 (41), with the [interface](crate::contacts::Interface) of each pair
//! ```
//!
//! Pairs of materials without an interface touch rigidly, as in `convex` or `exact`, by the flow.
//!
//! Choose it for: soils, cemented and cohesive grains, contacts whose stiffness matters.

use super::Rules;
use stickslip_solvers::laws::Law;

/// Settings of the scheme.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dvi {
    /// How contacts flow where they yield. Default associated.
    pub flow: Flow,
}

/// The direction of plastic flow on a cone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flow {
    /// Normal to the yield surface, as in the paper: one convex problem, and what slides lifts a little.
    #[default]
    Associated,
    /// Along the contact: exact Coulomb friction.
    Coulomb,
}

impl Flow {
    /// Friction that flows so.
    pub(super) fn law(self, mu: f64) -> Law {
        match self {
            Flow::Associated => Law::convex(mu),
            Flow::Coulomb => Law::coulomb(mu),
        }
    }
}

impl Rules for Dvi {
    const NAME: &'static str = "dvi";
    const PAPER: &'static str = "Tasora 2013";

    fn law(&self, mu: f64) -> Law {
        self.flow.law(mu)
    }

    fn flow(&self) -> Option<Flow> {
        Some(self.flow)
    }
}
