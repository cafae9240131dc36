//! What solves have in common: the law, when to stop, how many threads.

use crate::interrupt;
use crate::load::LawChoice;
use anyhow::{Result, anyhow};
use clap::{Args, ValueEnum};
use std::time::Duration;
use stickslip_solvers::residual::Criterion;
use stickslip_solvers::stop::Stop;

/// Iterations of a stored problem at most: more than a step of a world has, since a packing that wanders may need them.
const MOST_ITERATIONS: usize = 10_000_000;

/// The options that every solve takes.
#[derive(Args, Clone)]
pub struct Limits {
    /// Residual to reach.
    #[arg(long, default_value = "1e-8", value_name = "EPS", value_parser = tolerance, allow_negative_numbers = true)]
    pub tolerance: f64,
    /// The law of every contact; friction coefficients come from the file.
    #[arg(long, value_enum, default_value_t = LawChoice::Coulomb)]
    pub law: LawChoice,
    /// What the tolerance is meant for.
    #[arg(long, value_enum, default_value_t = CriterionChoice::Both)]
    pub criterion: CriterionChoice,
    /// Wall time for each solve; without it only the iterations are limited.
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    pub max_seconds: Option<f64>,
    /// Iterations for each solve.
    #[arg(long, value_name = "N", default_value_t = MOST_ITERATIONS, allow_negative_numbers = true)]
    pub max_iterations: usize,
    /// Threads for sweeps, products and residuals; all cores without it. Results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), allow_negative_numbers = true)]
    pub threads: Option<u16>,
}

/// The residuals that a tolerance may be meant for.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum CriterionChoice {
    /// The natural residual and the scaled one, which does not depend on units.
    Both,
    /// The natural residual alone, the measure of Siconos.
    Siconos,
}

impl Limits {
    /// When to stop.
    pub fn stop(&self) -> Stop {
        Stop {
            tolerance: self.tolerance,
            criterion: self.criterion(),
            max_iterations: self.max_iterations,
            // beyond a century there is no limit, and a Duration must not overflow
            max_time: self.max_seconds.map(|s| Duration::from_secs_f64(s.min(3e9))),
            interrupt: Some(interrupt::flag()),
            ..Stop::default()
        }
    }

    /// The criterion in the library's words.
    pub fn criterion(&self) -> Criterion {
        match self.criterion {
            CriterionChoice::Both => Criterion::Both,
            CriterionChoice::Siconos => Criterion::Siconos,
        }
    }

    /// Starts the threads.
    pub fn start_threads(&self) -> Result<()> {
        start_threads(self.threads)
    }
}

/// Starts so many threads; as many as there are cores without a number.
pub fn start_threads(threads: Option<u16>) -> Result<()> {
    let Some(threads) = threads else { return Ok(()) };
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.into())
        .build_global()
        .map_err(|error| anyhow!("--threads {threads}: {error}"))
}

/// A tolerance from the command line.
pub fn tolerance(text: &str) -> Result<f64, String> {
    positive(text).ok_or_else(|| "give a positive number, such as 1e-8".into())
}

/// A time limit from the command line.
pub fn seconds(text: &str) -> Result<f64, String> {
    positive(text).ok_or_else(|| "give a positive number of seconds, such as 60 or 0.5".into())
}

/// A finite number above 0.
pub fn positive(text: &str) -> Option<f64> {
    text.parse().ok().filter(|x: &f64| *x > 0.0 && x.is_finite())
}
