//! `run.json`: all that is needed to repeat a run, and how well it went.

use super::tally::Tally;
use crate::build::Built;
use crate::reader::Source;
use crate::scene::Scene;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use stickslip::rigid::Rigid;
use stickslip_geometry::space::Dim;

/// The record of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// The version of stickslip.
    pub stickslip: String,
    /// The name of the scene.
    pub scene: String,
    /// What it shows.
    pub title: String,
    /// Tells scenes and settings apart.
    pub fingerprint: String,
    /// All files of the scene, and settings of the command line.
    pub sources: Vec<File>,
    /// Settings of the command line.
    pub settings: Vec<String>,
    /// Seed of all random numbers.
    pub seed: u64,
    /// 2 or 3.
    pub dimension: usize,
    /// Bodies of the world.
    pub bodies: usize,
    /// Joints of the world.
    pub joints: usize,
    /// Size of a step.
    pub step: f64,
    /// When it is to end.
    pub end: f64,
    /// Where it ran.
    pub machine: Machine,
    /// How it ended, or that it goes on.
    pub status: RunStatus,
    /// What went wrong, if anything.
    pub message: Option<String>,
    /// Simulated time reached.
    pub time: f64,
    /// Steps done.
    pub steps: usize,
    /// Wall time, of the last part where it was taken up.
    pub seconds: f64,
    /// How well all steps were solved.
    pub certificate: Certificate,
    /// The columns of the series at the end.
    #[serde(deserialize_with = "numbers")]
    pub last: BTreeMap<String, f64>,
    /// What was written: names in the folder of the run, and paths of what is elsewhere.
    pub written: Vec<String>,
    /// What a user should know of it.
    pub notes: Vec<String>,
}

/// Values by name; JSON has null where there was no number.
fn numbers<'a, R: Deserializer<'a>>(reader: R) -> Result<BTreeMap<String, f64>, R::Error> {
    let read = BTreeMap::<String, Option<f64>>::deserialize(reader)?;
    Ok(read.into_iter().map(|(name, value)| (name, value.unwrap_or(f64::NAN))).collect())
}

/// A file of the scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct File {
    /// Its path as it was given.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Where a run was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Operating system.
    pub system: String,
    /// Kind of processor.
    pub processor: String,
    /// Threads; results do not depend on them.
    pub threads: usize,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunStatus {
    /// It goes on, or was killed.
    Running,
    /// It reached its end.
    Finished,
    /// It was stopped and can be taken up.
    Interrupted,
    /// Something went wrong.
    Failed,
}

/// How well all steps were solved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// Whether every step is within the tolerance; false before the first.
    pub certified: bool,
    /// Residual that every step must reach, natural and scaled.
    pub tolerance: f64,
    /// Steps done.
    pub steps: usize,
    /// Steps that missed it.
    pub missed: usize,
    /// The first of them.
    pub misses: Vec<Miss>,
    /// Largest natural residual of a step.
    pub worst_residual: f64,
    /// Largest scaled residual of a step.
    pub worst_scaled_residual: f64,
    /// Deepest overlap where contacts were sought.
    pub penetration: f64,
    /// Fastest speed at which a contact that pushes opens beyond what its scheme allows: what slides lifts under associated
    /// friction.
    pub lift: f64,
    /// Steps that were solved again by `auto`.
    pub retried: usize,
    /// Iterations of all steps.
    pub iterations: usize,
}

/// A step that missed its tolerance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Miss {
    /// Its number, from 1.
    pub step: usize,
    /// Time at its end.
    pub time: f64,
    /// Its natural residual.
    pub residual: f64,
    /// Its scaled residual.
    pub scaled_residual: f64,
}

impl Certificate {
    pub(super) fn new(tally: &Tally, steps: usize, tolerance: f64) -> Self {
        Certificate {
            certified: steps > 0 && tally.missed == 0,
            tolerance,
            steps,
            missed: tally.missed,
            misses: tally.misses.clone(),
            worst_residual: tally.worst,
            worst_scaled_residual: tally.worst_scaled,
            penetration: tally.penetration,
            lift: tally.lift,
            retried: tally.retried,
            iterations: tally.iterations,
        }
    }

    /// One line for people.
    pub fn summary(&self) -> String {
        let Certificate { tolerance, steps, missed, .. } = self;
        let grouped = |number: usize| group(number);
        if self.certified {
            return format!("certified: all {} steps within {tolerance:e}", grouped(*steps));
        }
        if *steps == 0 {
            return "NOT certified: no step is known".into();
        }
        let shown: Vec<String> = self.misses.iter().take(3).map(|miss| miss.step.to_string()).collect();
        let more = if *missed > shown.len() { ", …" } else { "" };
        format!(
            "NOT certified: {} of {} steps missed {tolerance:e} (step {}{more}; worst residual {:.1e}, scaled {:.1e})",
            grouped(*missed),
            grouped(*steps),
            shown.join(", "),
            self.worst_residual,
            self.worst_scaled_residual
        )
    }
}

/// A number with its digits in groups of three.
fn group(number: usize) -> String {
    let digits = number.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

impl Record {
    pub(super) fn new<const D: usize>(scene: &Scene, built: &Built<D>, end: f64) -> Self
    where
        Dim<D>: Rigid<D>,
    {
        let file = |source: &Source| File { name: source.name.clone(), text: source.text.clone() };
        Record {
            stickslip: env!("CARGO_PKG_VERSION").into(),
            scene: scene.name.clone(),
            title: scene.file.title.clone(),
            fingerprint: scene.fingerprint(),
            sources: scene.sources.iter().map(file).collect(),
            settings: scene.settings.clone(),
            seed: scene.file.seed,
            dimension: D,
            bodies: built.world.bodies().len(),
            joints: built.world.joints().len(),
            step: scene.file.time.value.step,
            end,
            machine: Machine {
                system: std::env::consts::OS.into(),
                processor: std::env::consts::ARCH.into(),
                threads: rayon::current_num_threads(),
            },
            status: RunStatus::Running,
            message: None,
            time: 0.0,
            steps: 0,
            seconds: 0.0,
            certificate: Certificate::default(),
            last: BTreeMap::new(),
            written: Vec::new(),
            notes: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_say_how_many_and_which() {
        let fine = Certificate { certified: true, tolerance: 1e-8, steps: 10_000, ..Certificate::default() };
        assert_eq!(fine.summary(), "certified: all 10 000 steps within 1e-8");
        let none = Certificate::new(&Tally::default(), 0, 1e-8);
        assert_eq!(none.summary(), "NOT certified: no step is known");
        let miss = |step| Miss { step, time: 0.1, residual: 1e-5, scaled_residual: 1e-6 };
        let misses = vec![miss(7), miss(8), miss(1234)];
        let missed = Certificate { certified: false, missed: 5, misses, worst_residual: 1e-5, ..fine };
        let text = missed.summary();
        assert!(
            text.starts_with("NOT certified: 5 of 10 000 steps missed 1e-8 (step 7, 8, 1234, …;"),
            "{text}"
        );
        assert_eq!(group(1_234_567), "1 234 567");
    }
}
