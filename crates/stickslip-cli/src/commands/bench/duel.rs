//! One problem at one tolerance: how ours did and how theirs did.

use crate::limits::Limits;
use crate::siconos::default_solver;
use crate::table::Cell;
use serde_json::{Value, json};
use stickslip_solvers::residual::Residual;

/// A race on one problem.
pub struct Duel {
    pub problem: String,
    pub contacts: usize,
    pub dimension: usize,
    pub tolerance: f64,
    /// In the order of our solvers.
    pub ours: Vec<Cell>,
    /// Those of Siconos that have this dimension, in the order they ran.
    pub theirs: Vec<Attempt>,
}

/// How one solver of Siconos did.
pub struct Attempt {
    pub solver: &'static str,
    pub fate: Fate,
    pub seconds: Option<f64>,
    pub iterations: Option<u64>,
    /// Computed here from its impulses, whatever it claims.
    pub residual: Option<Residual>,
    /// That residual, as the tolerance measures it.
    pub measure: f64,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Solved,
    /// It ended, but its impulses miss the tolerance.
    Missed,
    TimeLimit,
    /// Given up, as another one was much faster.
    Slower,
    Crashed,
}

impl Fate {
    /// The status in records.
    pub fn name(self) -> &'static str {
        match self {
            Fate::Solved => "converged",
            Fate::Missed => "missed",
            Fate::TimeLimit => "time-limit",
            Fate::Slower => "slower",
            Fate::Crashed => "crashed",
        }
    }
}

impl Attempt {
    /// One that left nothing to judge.
    pub fn failed(solver: &'static str, fate: Fate) -> Self {
        Attempt { solver, fate, seconds: None, iterations: None, residual: None, measure: f64::NAN }
    }

    /// One that left impulses; without a residual their number was wrong.
    pub fn judged(
        solver: &'static str,
        seconds: f64,
        iterations: u64,
        residual: Option<Residual>,
        limits: &Limits,
    ) -> Self {
        let measure = residual.map_or(f64::NAN, |residual| residual.measure(limits.criterion()));
        let fate = if measure <= limits.tolerance { Fate::Solved } else { Fate::Missed };
        Attempt { solver, fate, seconds: Some(seconds), iterations: Some(iterations), residual, measure }
    }

    /// The time, if it counts.
    pub fn time(&self) -> Option<f64> {
        self.seconds.filter(|_| self.fate == Fate::Solved)
    }

    /// What is known of it, as JSON.
    pub fn record(&self) -> Value {
        json!({
            "solver": self.solver, "status": self.fate.name(), "seconds": self.seconds,
            "iterations": self.iterations,
            "residual": self.residual.map(|residual| residual.natural),
            "scaled_residual": self.residual.map(|residual| residual.scaled),
        })
    }
}

impl Duel {
    /// What Siconos does where nobody chooses, if it ran.
    pub fn default(&self) -> Option<&Attempt> {
        self.theirs.iter().find(|attempt| attempt.solver == default_solver(self.dimension))
    }

    /// The fastest of theirs that solved it.
    pub fn best(&self) -> Option<&Attempt> {
        let time = |attempt: &&Attempt| attempt.time().unwrap_or(f64::INFINITY);
        let solved = self.theirs.iter().filter(|attempt| attempt.time().is_some());
        solved.min_by(|a, b| time(a).total_cmp(&time(b)))
    }

    /// Their time over that of our k-th, where both solved it.
    pub fn ratio(&self, k: usize, theirs: Option<&Attempt>) -> Option<f64> {
        // a clock too coarse to see a solve must not divide by zero
        Some(theirs?.time()?.max(1e-9) / self.ours[k].time()?.max(1e-9))
    }

    /// Of every solver, ours first, for a profile.
    pub fn times(&self) -> Vec<Option<f64>> {
        self.ours.iter().map(Cell::time).chain(self.theirs.iter().map(Attempt::time)).collect()
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use stickslip_solvers::outcome::Status;

    /// A race of one of ours against NSGS and ADMM, each with its time if it solved the problem.
    pub fn duel(problem: &str, contacts: usize, times: [Option<f64>; 3]) -> Duel {
        let attempt = |solver, time: Option<f64>| match time {
            None => Attempt::failed(solver, Fate::TimeLimit),
            time => Attempt { seconds: time, measure: 9e-5, ..Attempt::failed(solver, Fate::Solved) },
        };
        let ours = Cell {
            status: times[0].map_or(Status::Stalled, |_| Status::Converged),
            seconds: times[0].unwrap_or(60.0),
            residual: 9.9e-5,
        };
        let theirs = vec![attempt("NSGS", times[1]), attempt("ADMM", times[2])];
        let problem = problem.to_string();
        Duel { problem, contacts, dimension: 3, tolerance: 1e-4, ours: vec![ours], theirs }
    }

    #[test]
    fn ratios_need_both_sides() {
        let both = duel("a", 1, [Some(2.0), Some(8.0), Some(3.0)]);
        assert_eq!(both.ratio(0, both.default()), Some(4.0));
        assert_eq!(both.best().map(|best| best.solver), Some("ADMM"));
        assert_eq!(both.ratio(0, both.best()), Some(1.5));
        let none_of_theirs = duel("b", 1, [Some(2.0), None, None]);
        assert!(none_of_theirs.best().is_none());
        assert_eq!(none_of_theirs.ratio(0, none_of_theirs.default()), None);
        let not_ours = duel("c", 1, [None, Some(1.0), None]);
        assert_eq!(not_ours.ratio(0, not_ours.best()), None);
        assert_eq!(not_ours.times(), [None, Some(1.0), None]);
    }
}
