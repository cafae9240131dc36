//! What a solver reports: its status and the residual computed afresh.

use crate::residual::Residual;
use serde::Serialize;

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The residual is within the tolerance.
    Converged,
    /// The iterations were used up.
    IterationLimit,
    /// The time was used up.
    TimeLimit,
    /// The residual no longer decreases, or the impulses no longer move by a test of the method.
    Stalled,
    /// The iteration ran away (a step given too large, or an operator that is not positive), or no impulses can solve the problem.
    Broken,
    /// Stopped from outside.
    Interrupted,
}

impl Status {
    /// One or two words for people.
    pub fn name(self) -> &'static str {
        match self {
            Status::Converged => "converged",
            Status::IterationLimit => "iteration limit",
            Status::TimeLimit => "time limit",
            Status::Stalled => "stalled",
            Status::Broken => "broken",
            Status::Interrupted => "interrupted",
        }
    }
}

/// The certificate of one solve.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// Sweeps, gradient steps or outer iterations, as the method counts them.
    pub iterations: usize,
    /// Computed from (W, q, r) after the last iteration, never the method's own estimate.
    pub residual: Residual,
    /// Wall time of the solve.
    pub seconds: f64,
    /// Remarks a user should know, such as a one-contact solver that fell back.
    pub notes: Vec<String>,
    /// Residuals along the way.
    pub trace: Vec<Check>,
    /// What was tried one after the other, by a method that chooses; empty for the others.
    pub stages: Vec<Stage>,
}

/// One attempt of a method that chooses among others.
#[derive(Clone, Debug, Serialize)]
pub struct Stage {
    /// The solver, with the settings that matter.
    pub solver: String,
    /// How it ended.
    pub status: Status,
    /// Its iterations.
    pub iterations: usize,
    /// Its wall time.
    pub seconds: f64,
    /// The residual that it left.
    pub residual: Residual,
    /// Its remarks.
    pub notes: Vec<String>,
}

/// One look at the residual during a solve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Check {
    /// Iterations done.
    pub iteration: usize,
    /// Seconds since the start.
    pub seconds: f64,
    /// The residual then.
    pub residual: Residual,
}
