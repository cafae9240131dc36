//! `stickslip schema`: the JSON schema of scene files, and the reference page.

use crate::Verdict;
use crate::report::line;
use anyhow::Result;
use clap::Args;
use stickslip_scene::schema::{reference, schema};

#[derive(Args)]
pub struct Arguments {
    /// The reference page of the book instead: every key with its meaning, unit and default.
    #[arg(long)]
    reference: bool,
}

pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let text = if arguments.reference { reference() } else { serde_json::to_string_pretty(&schema())? };
    line(text.trim_end())?;
    Ok(Verdict::Converged)
}
