//! What adds up over a run.

use super::record::Miss;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use stickslip::report::{Ledger, StepReport};

/// Steps that missed their tolerance and are kept by number.
const KEPT: usize = 20;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Energies now, work and losses since the start.
    pub totals: Ledger,
    /// Steps that missed their tolerance.
    pub missed: usize,
    /// The first of them.
    pub misses: Vec<Miss>,
    /// Largest residual of a step, natural and scaled.
    pub worst: f64,
    pub worst_scaled: f64,
    /// Deepest overlap.
    pub penetration: f64,
    /// Fastest lift of a contact that pushes.
    #[serde(default)]
    pub lift: f64,
    /// Steps that were solved again by `auto`.
    pub retried: usize,
    /// Iterations of all steps.
    pub iterations: usize,
    /// What measures have counted, by their names.
    pub counts: BTreeMap<String, f64>,
}

impl Tally {
    pub fn add(&mut self, step: usize, report: &StepReport) {
        self.totals += report.energy;
        self.penetration = self.penetration.max(report.penetration);
        self.lift = self.lift.max(report.lift);
        self.retried += usize::from(report.retried);
        let Some(outcome) = &report.outcome else { return };
        self.iterations += outcome.iterations;
        let residual = finite(outcome.residual.natural);
        let scaled_residual = finite(outcome.residual.scaled);
        self.worst = self.worst.max(residual);
        self.worst_scaled = self.worst_scaled.max(scaled_residual);
        if report.converged() {
            return;
        }
        self.missed += 1;
        if self.misses.len() < KEPT {
            self.misses.push(Miss { step, time: report.time, residual, scaled_residual });
        }
    }
}

/// JSON has no infinity.
fn finite(value: f64) -> f64 {
    if value.is_finite() { value } else { f64::MAX }
}
