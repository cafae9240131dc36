//! `stickslip report DIR`: a run as one page.

use crate::files;
use crate::report::line;
use crate::{Verdict, files::check_target};
use anyhow::{Context, Result, anyhow};
use clap::Args;
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use stickslip_pictures::report::{Item, Page, Section};
use stickslip_scene::run::{Certificate, RECORD, RunStatus};

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
    check_target("--out", &out)?;
    let mut page = Page::of_folder(&arguments.run).map_err(|error| anyhow!("{error}"))?;
    page.title = if known.title.is_empty() { known.scene.clone() } else { known.title.clone() };
    page.subtitle =
        format!("{}, {} bodies, time {:.6} of {}", known.scene, known.bodies, known.time, known.end);
    page.sections.insert(0, Section { title: "Certificate".into(), items: verdict(&known) });
    files::replace(&out, page.html().as_bytes())?;
    line(&format!("{}\n  written to {}", known.certificate.summary(), out.display()))?;
    Ok(Verdict::Converged)
}

fn read(folder: &Path) -> Result<Known> {
    let path = folder.join(RECORD);
    let text = fs::read_to_string(&path)
        .with_context(|| format!("{}: cannot be read; give the folder of a run", path.display()))?;
    serde_json::from_str(&text)
        .with_context(|| format!("{}: is no record of a run; give the folder of one", path.display()))
}

/// The certificate, how the run ended, and the steps that missed.
fn verdict(known: &Known) -> Vec<Item> {
    let certificate = &known.certificate;
    let mut items = vec![Item::Verdict { good: certificate.certified, text: certificate.summary() }];
    let ending = match known.status {
        RunStatus::Finished => None,
        RunStatus::Running => Some("the run has not ended, or was killed".to_string()),
        RunStatus::Interrupted => Some(format!("the run was interrupted at time {:.6}", known.time)),
        RunStatus::Failed => Some(known.message.clone().unwrap_or_else(|| "the run failed".into())),
    };
    items.extend(ending.map(|text| Item::Verdict { good: false, text }));
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
