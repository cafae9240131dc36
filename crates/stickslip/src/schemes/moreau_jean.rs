//! Moreau and Jean's θ-scheme with restitution, Abide 2021, 4.
//!
//! ```text
//! x_m = x + (1−θ) h v             where contacts are sought; the paper has θ = ½
//! ũ = (u⁺ + e u⁻)/(1 + e)         obeys Coulomb's law at every contact that is closed at x_m
//! x⁺ = x_m + θ h v⁺
//! ```
//!
//! The law does not change when u_N and u_T are multiplied by positive numbers, so `e u⁻` is added to q and the factors
//! 1/(1+e) are left out: W stays symmetric where e_n and e_τ differ.
//!
//! Choose it for: impacts with restitution, energy that must not be lost between impacts (θ = ½). Contacts may
//! overlap by the way of half a step.

use super::{Flow, Rules};
use crate::contacts::Contact;
use stickslip_geometry::space::Vector;
use stickslip_solvers::laws::Law;

/// Settings of the θ-scheme.
#[derive(Clone, Debug, PartialEq)]
pub struct MoreauJean {
    /// Weight of the new velocity, in [½, 1]. Default ½.
    pub theta: f64,
    /// Whether sliding is along the contact or normal to the cone. Default along it: exact Coulomb friction.
    pub flow: Flow,
}

impl Default for MoreauJean {
    fn default() -> Self {
        MoreauJean { theta: 0.5, flow: Flow::Coulomb }
    }
}

impl Rules for MoreauJean {
    const NAME: &'static str = "moreau-jean";
    const PAPER: &'static str = "Abide 2021, 4";

    fn theta(&self) -> f64 {
        self.theta
    }

    fn looks_ahead(&self) -> bool {
        false
    }

    fn shift<const D: usize>(&self, contact: &Contact<D>, u_before: &Vector<D>, _h: f64) -> Vector<D> {
        let mut shift = u_before * contact.material.e_t;
        shift[0] = u_before[0] * contact.material.e_n;
        shift
    }

    fn law(&self, mu: f64) -> Law {
        self.flow.law(mu)
    }

    fn fault(&self) -> Option<String> {
        let stable = (0.5..=1.0).contains(&self.theta);
        (!stable).then(|| format!("theta = {}: give a number between 0.5 and 1", self.theta))
    }
}
