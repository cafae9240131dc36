//! Solvers of ours against each other on one problem.

use crate::load::{Problem, Solution};
use crate::spec::Spec;
use crate::{interrupt, progress};
use stickslip_solvers::outcome::Status;
use stickslip_solvers::stop::Stop;

/// A short solve is repeated until this much time is spent on it, and its best time is taken: single times
/// of microseconds are mostly noise.
pub const ENOUGH_SECONDS: f64 = 0.05;
pub const MOST_REPETITIONS: usize = 50;

/// Every solver on one problem, in rounds, so that a machine that slows down slows all of them; to and fro, as a
/// solver profits from what its predecessor left in the caches. What Ctrl-C left undone is `None`.
pub fn race(problem: &Problem, specs: &[Spec], stop: &Stop, place: &str) -> Vec<Option<Solution>> {
    let mut solutions: Vec<Option<Solution>> = specs.iter().map(|_| None).collect();
    let mut spent = vec![0.0; specs.len()];
    let forth: Vec<usize> = (0..specs.len()).collect();
    let back: Vec<usize> = (0..specs.len()).rev().collect();
    for order in [&forth, &back].into_iter().cycle().take(MOST_REPETITIONS) {
        for &k in order {
            if interrupt::raised() {
                return solutions;
            }
            let failed = |solution: &Solution| solution.outcome.status != Status::Converged;
            if spent[k] >= ENOUGH_SECONDS || solutions[k].as_ref().is_some_and(failed) {
                continue;
            }
            let progress = progress::callback(format!("{place}, {}", specs[k].label));
            let solution = problem.solve(&specs[k].method, &Stop { progress, ..stop.clone() }, false);
            progress::clear();
            spent[k] += solution.outcome.seconds;
            match &mut solutions[k] {
                None => solutions[k] = Some(solution),
                // a repetition that Ctrl-C or the time limit cut short says nothing about speed
                Some(_) if failed(&solution) => {}
                Some(best) => best.outcome.seconds = best.outcome.seconds.min(solution.outcome.seconds),
            }
        }
    }
    solutions
}
