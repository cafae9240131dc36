//! `stickslip report DIR`: a run as one page.

use crate::files;
use crate::report::{line, round};
use crate::{Verdict, files::check_target};
use anyhow::{Context, Result, anyhow};
use clap::Args;
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use stickslip_pictures::report::{Item, Page, Section};
use stickslip_scene::run::{CHECKPOINT, Certificate, RECORD, RunStatus, is_locked};

/// The page in the folder of a run, where nobody chooses.
const PAGE: &str = "report.html";

#[derive(Args)]
pub struct Arguments {
    /// The folder of a run.
    run: PathBuf,
    /// The page; `report.html` in the folder without it.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// What a page begins with.
#[derive(Deserialize)]
struct Known {
    scene: String,
    title: String,
    status: RunStatus,
    message: Option<String>,
    bodies: usize,
    time: f64,
    end: f64,
    certificate: Certificate,
}

pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let out = arguments.out.clone().unwrap_or_else(|| arguments.run.join(PAGE));
    let known = read(&arguments.run)?;
    let ending = ending(&known, &arguments.run);
    check_target("--out", &out)?;
    let mut page = Page::of_folder(&arguments.run).map_err(|error| anyhow!("{error}"))?;
    page.title = if known.title.is_empty() { known.scene.clone() } else { known.title.clone() };
    page.subtitle =
        format!("{}, {} bodies, time {:.6} of {}", known.scene, known.bodies, known.time, known.end);
    page.sections
        .insert(0, Section { title: "Certificate".into(), items: verdict(&known, ending.as_deref()) });
    files::replace(&out, page.html().as_bytes())?;
    let told: Vec<String> = ending.into_iter().chain([known.certificate.summary()]).collect();
    line(&format!("{}\n  written to {}", told.join("\n  "), out.display()))?;
    Ok(Verdict::Converged)
}

fn read(folder: &Path) -> Result<Known> {
    let path = folder.join(RECORD);
    let text = fs::read_to_string(&path)
        .with_context(|| format!("{}: cannot be read; give the folder of a run", path.display()))?;
    serde_json::from_str(&text)
        .with_context(|| format!("{}: is no record of a run; give the folder of one", path.display()))
}

/// How a run ended that did not reach its end.
fn ending(known: &Known, folder: &Path) -> Option<String> {
    let time = round(known.time);
    match known.status {
        RunStatus::Finished => None,
        RunStatus::Running if is_locked(folder) => {
            Some(format!("the run goes on: what follows is up to its last checkpoint, at time {time}"))
        }
        RunStatus::Running if folder.join(CHECKPOINT).is_file() => Some(format!(
            "the run was cut short: what follows is up to its last checkpoint, at time {time} of {}; go on with --resume",
            known.end
        )),
        RunStatus::Running => {
            Some("the run was cut short before its first checkpoint: start it anew with --force".into())
        }
        RunStatus::Interrupted => {
            Some(format!("the run was interrupted at time {time} of {}; go on with --resume", known.end))
        }
        RunStatus::Failed => Some(known.message.clone().unwrap_or_else(|| "the run failed".into())),
    }
}

/// How the run ended, the certificate, and the steps that missed.
fn verdict(known: &Known, ending: Option<&str>) -> Vec<Item> {
    let certificate = &known.certificate;
    let ending = ending.map(|text| Item::Verdict { good: false, text: text.into() });
    let mut items: Vec<Item> = ending.into_iter().collect();
    items.push(Item::Verdict { good: certificate.certified, text: certificate.summary() });
    if !certificate.misses.is_empty() {
        let head = ["step", "time", "residual", "scaled residual"].map(String::from).to_vec();
        let rows = certificate.misses.iter().map(|miss| {
            let numbers = [miss.time, miss.residual, miss.scaled_residual].map(|x| format!("{x:.3e}"));
            std::iter::once(miss.step.to_string()).chain(numbers).collect()
        });
        items.push(Item::Table { head, rows: rows.collect() });
    }
    items
}
