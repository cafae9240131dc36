//! `stickslip sweep SCENE --set mu=0.1:0.9:0.1`: a study in parallel, and one table.

use crate::limits::start_threads;
use crate::report::{self, line, note, plural};
use crate::{Verdict, interrupt, progress, scenes};
use anyhow::{Result, anyhow, bail};
use clap::Args;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use stickslip_scene::run::RunStatus;
use stickslip_scene::sweep::{Range, StudyRun, sweep};
use stickslip_scene::{Options, Scene};

#[derive(Args)]
pub struct Arguments {
    /// A scene file, or the name of a built-in one, see `stickslip list scenes`.
    scene: Option<String>,
    /// A parameter or key and its values, as FROM:TO:STEP or VALUE,VALUE; of several, all combinations are run.
    #[arg(long, value_name = "NAME=VALUES", required = true)]
    set: Vec<String>,
    /// The folder for all runs and `table.csv`; the name of the scene with `-sweep` without it.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Keep runs that are done, go on with those that were begun, start the others.
    #[arg(long)]
    resume: bool,
    /// Overwrite what the folders of the runs hold.
    #[arg(long, conflicts_with = "resume")]
    force: bool,
    /// Threads; all cores without it. Results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), allow_negative_numbers = true)]
    threads: Option<u16>,
}

pub fn run(arguments: &Arguments) -> Result<Verdict> {
    start_threads(arguments.threads)?;
    let ranges: Vec<Range> = arguments
        .set
        .iter()
        .map(|text| Range::parse(text))
        .collect::<Result<_, _>>()
        .map_err(|e| anyhow!(e))?;
    let name = arguments.scene.as_deref();
    let first: Vec<String> =
        ranges.iter().map(|range| format!("{}={}", range.name, range.values[0])).collect();
    let scene: Scene = scenes::read(name, &first)?;
    let out = arguments.out.clone().unwrap_or_else(|| scenes::folder(&scene, "sweep"));
    let options = Options { resume: arguments.resume, force: arguments.force, ..Options::new(out.clone()) };
    let (stop, ended) = (interrupt::flag(), AtomicUsize::new(0));
    let all: usize = ranges.iter().map(|range| range.values.len()).product();
    let read = |settings: &[String]| match scenes::find(name, settings) {
        Ok(scene) => scene,
        // the first one was found
        Err(_) => Ok(scene.clone()),
    };
    let done = |_: &StudyRun| {
        let ended = ended.fetch_add(1, Ordering::Relaxed) + 1;
        progress::show(&format!("{}: {ended} of {} done", scene.name, plural(all, "run")));
    };
    let runs = sweep(&ranges, &read, &options, &|| !stop.load(Ordering::Relaxed), &done);
    progress::clear();
    let runs = runs.map_err(|error| anyhow!("{error}"))?;
    let verdict = runs.iter().map(show).collect::<Result<Vec<Verdict>>>()?.into_iter().max();
    line(&format!("written to {}", out.join("table.csv").display()))?;
    if interrupt::raised() {
        note(
            "interrupted: runs that were stopped are marked in the table; go on with the same command and --resume",
        );
    }
    match verdict {
        Some(verdict) => Ok(verdict),
        None => bail!("there is nothing to run"),
    }
}

/// A line for each run.
fn show(run: &StudyRun) -> Result<Verdict> {
    let name = run.folder.display();
    let values = run.values.join(", ");
    match &run.outcome {
        Ok(record) => {
            line(&format!("{name} ({values}): {}", record.certificate.summary()))?;
            let fine = record.certificate.certified && record.status == RunStatus::Finished;
            Ok(if fine { Verdict::Converged } else { Verdict::NotConverged })
        }
        Err(error) => {
            report::error(&anyhow!("{name} ({values}): {error}"));
            Ok(Verdict::BadInput)
        }
    }
}
