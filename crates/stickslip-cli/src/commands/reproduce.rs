//! `stickslip reproduce ID`: an experiment of a paper run again, and what it claims beside what is measured.

use crate::Verdict;
use crate::report::{line, note};
use anyhow::{Context, Result, bail};
use clap::Args;
use std::path::{Path, PathBuf};
use std::time::Instant;
use stickslip_papers::{EXPERIMENTS, Experiment, Setting};
use stickslip_scene::nearest::did_you_mean;

#[derive(Args)]
pub struct Arguments {
    /// Which experiment, or `all`; all are listed without it.
    id: Option<String>,
    /// A smaller experiment of the same kind, in seconds.
    #[arg(long)]
    quick: bool,
    /// The folder for figures and tables; that of the name without it. With `all`, each has its own folder in it.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// One JSON object an experiment.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let Some(id) = &arguments.id else { return list(arguments.json) };
    if id == "all" {
        return all(arguments);
    }
    let Some(experiment) = EXPERIMENTS.iter().find(|experiment| experiment.id == id) else {
        let known: Vec<&str> = EXPERIMENTS.iter().map(|experiment| experiment.id).chain(["all"]).collect();
        let there_are = || format!("there are {}", known.join(", "));
        let near = did_you_mean(id, known.iter().copied()).unwrap_or_else(there_are);
        bail!("there is no experiment \"{id}\"; {near}");
    };
    let folder = arguments.out.clone().unwrap_or_else(|| PathBuf::from(experiment.id));
    one(experiment, arguments, folder)
}

fn one(experiment: &Experiment, arguments: &Arguments, folder: PathBuf) -> Result<Verdict> {
    prepare(&folder)?;
    let start = Instant::now();
    let setting = Setting { quick: arguments.quick, folder };
    let claims = experiment.run(&setting).with_context(|| experiment.id)?;
    let seconds = start.elapsed().as_secs_f64();
    if arguments.json {
        let quick = arguments.quick;
        let record =
            serde_json::json!({ "id": experiment.id, "quick": quick, "claims": claims, "seconds": seconds });
        line(&record.to_string())?;
    } else {
        claims.iter().try_for_each(|claim| line(&claim.show()))?;
    }
    note(&format!("figures and tables in {}, {seconds:.1} s", setting.folder.display()));
    let met = claims.iter().all(|claim| claim.pass);
    Ok(if met { Verdict::Converged } else { Verdict::NotConverged })
}

/// Runs every experiment, and names those with claims that fail or that could not be done.
fn all(arguments: &Arguments) -> Result<Verdict> {
    let parent = arguments.out.clone().unwrap_or_else(|| PathBuf::from("papers"));
    let (mut failed, mut broken) = (Vec::new(), Vec::new());
    for experiment in EXPERIMENTS {
        if !arguments.json {
            line(&format!("{}: {}", experiment.id, experiment.summary))?;
        }
        match one(experiment, arguments, parent.join(experiment.id)) {
            Ok(Verdict::NotConverged) => failed.push(experiment.id),
            Ok(_) => {}
            Err(error) => broken.push(format!("{error:#}")),
        }
    }
    if !broken.is_empty() {
        bail!(
            "{} of {} experiments could not be done:\n{}",
            broken.len(),
            EXPERIMENTS.len(),
            broken.join("\n")
        );
    }
    if failed.is_empty() {
        note(&format!("all claims of {} experiments pass", EXPERIMENTS.len()));
        return Ok(Verdict::Converged);
    }
    note(&format!("claims fail in {}", failed.join(", ")));
    Ok(Verdict::NotConverged)
}

fn prepare(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("{}: cannot be made a folder; give another one by --out", folder.display()))
}

fn list(json: bool) -> Result<Verdict> {
    for Experiment { id, summary, paper, .. } in EXPERIMENTS {
        if json {
            line(&serde_json::json!({ "id": id, "summary": summary, "paper": paper }).to_string())?;
        } else {
            line(&format!("{id:<20} {summary}\n{:20} {paper}", ""))?;
        }
    }
    Ok(Verdict::Converged)
}
