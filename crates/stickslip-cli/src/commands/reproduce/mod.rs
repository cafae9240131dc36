//! `stickslip reproduce ID`: an experiment of a paper run again, and what it claims beside what is measured.

mod tasora_laws;
mod tasora_shear_box;

use crate::report::{line, note};
use crate::{Verdict, files};
use anyhow::{Context, Result, bail};
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Instant;
use stickslip_pictures::plots::Plot;

#[derive(Args)]
pub struct Arguments {
    /// Which experiment; all are listed without it.
    id: Option<String>,
    /// A smaller experiment of the same kind, in seconds.
    #[arg(long)]
    quick: bool,
    /// The folder for figures and tables; that of the name without it.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// One JSON object.
    #[arg(long)]
    json: bool,
}

/// An experiment of a paper.
struct Experiment {
    id: &'static str,
    summary: &'static str,
    paper: &'static str,
    run: fn(&Setting) -> Result<Vec<Claim>>,
}

/// All experiments, one file each.
const EXPERIMENTS: &[Experiment] = &[tasora_laws::EXPERIMENT, tasora_shear_box::EXPERIMENT];

/// How an experiment is run, and where its figures go.
struct Setting {
    quick: bool,
    folder: PathBuf,
}

impl Setting {
    /// Writes a plot as SVG and PNG.
    fn figure(&self, name: &str, plot: &Plot) -> Result<()> {
        for ending in ["svg", "png"] {
            plot.save(&self.folder.join(format!("{name}.{ending}")))?;
        }
        Ok(())
    }

    /// Writes a table of numbers.
    fn table(&self, name: &str, columns: &[&str], rows: impl Iterator<Item = Vec<f64>>) -> Result<()> {
        let mut text = columns.join(",") + "\n";
        for row in rows {
            let cells: Vec<String> = row.iter().map(f64::to_string).collect();
            text += &(cells.join(",") + "\n");
        }
        files::replace(&self.folder.join(format!("{name}.csv")), text.as_bytes())
    }
}

/// What a paper says, and what is found.
#[derive(Clone, Debug, Serialize)]
struct Claim {
    claim: String,
    /// What the paper says.
    paper: f64,
    /// What is found.
    measured: f64,
    /// How far apart they may be.
    tolerance: f64,
    pass: bool,
}

impl Claim {
    /// A value that must be met.
    fn near(claim: impl Into<String>, paper: f64, measured: f64, tolerance: f64) -> Self {
        let pass = (measured - paper).abs() <= tolerance;
        Claim { claim: claim.into(), paper, measured, tolerance, pass }
    }

    /// A value that must be reached or passed, less a tolerance.
    fn at_least(claim: impl Into<String>, paper: f64, measured: f64, tolerance: f64) -> Self {
        Claim { claim: claim.into(), paper, measured, tolerance, pass: measured >= paper - tolerance }
    }

    fn show(&self) -> String {
        let verdict = if self.pass { "pass" } else { "FAIL" };
        format!(
            "{verdict}  {}: paper {:.4}, measured {:.4}, tolerance {:.2e}",
            self.claim, self.paper, self.measured, self.tolerance
        )
    }
}

pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let Some(id) = &arguments.id else { return list(arguments.json) };
    let Some(experiment) = EXPERIMENTS.iter().find(|experiment| experiment.id == id) else {
        let known: Vec<&str> = EXPERIMENTS.iter().map(|experiment| experiment.id).collect();
        bail!("there is no experiment \"{id}\"; there are {}", known.join(", "));
    };
    let folder = arguments.out.clone().unwrap_or_else(|| PathBuf::from(experiment.id));
    prepare(&folder)?;
    let start = Instant::now();
    let setting = Setting { quick: arguments.quick, folder };
    let claims = (experiment.run)(&setting)?;
    let seconds = start.elapsed().as_secs_f64();
    if arguments.json {
        line(&serde_json::json!({ "id": experiment.id, "claims": claims, "seconds": seconds }).to_string())?;
    } else {
        claims.iter().try_for_each(|claim| line(&claim.show()))?;
    }
    note(&format!("figures and tables in {}, {seconds:.1} s", setting.folder.display()));
    let all = claims.iter().all(|claim| claim.pass);
    Ok(if all { Verdict::Converged } else { Verdict::NotConverged })
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
