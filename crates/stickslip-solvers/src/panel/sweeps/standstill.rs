//! Sweeps that stand still are damped.

use crate::stop::Watch;

/// Sweeps stand still when the best residual fell by less than this factor while their number doubled.
const STANDSTILL: f64 = 0.9;
/// What ω is multiplied by then, down to the least.
const DAMP: f64 = 0.8;
const LEAST_OMEGA: f64 = 0.2;

/// The relaxation ω, lowered where the sweeps stand still: a cycle then shrinks to the solution inside it.
pub(in crate::panel) struct Standstill {
    first: f64,
    omega: f64,
    next_doubt: usize,
}

impl Standstill {
    pub fn new(omega: f64, first_doubt: usize) -> Self {
        Standstill { first: omega, omega, next_doubt: first_doubt }
    }

    pub fn omega(&self) -> f64 {
        self.omega
    }

    /// Whether the sweeps stand still, at a look at the residual; asked again when their number has doubled.
    pub fn is_reached<const D: usize>(&mut self, watch: &Watch<D>) -> bool {
        let reached = watch.iterations() >= self.next_doubt && watch.progress() > STANDSTILL;
        if reached {
            self.next_doubt = 2 * watch.iterations();
        }
        reached
    }

    /// Lowers ω.
    pub fn damp(&mut self) {
        self.omega = (self.omega * DAMP).max(LEAST_OMEGA.min(self.first));
    }

    /// Says what was done.
    pub fn note<const D: usize>(&self, watch: &mut Watch<D>) {
        if self.omega != self.first {
            watch.note(format!(
                "the sweeps stood still: relaxation lowered from {} to {:.2}",
                self.first, self.omega
            ));
        }
    }
}
