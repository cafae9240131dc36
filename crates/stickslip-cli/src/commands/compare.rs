//! `stickslip compare FILE… --solvers a,b,c`.

use crate::Verdict;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct Arguments {
    files: Vec<PathBuf>,
}

pub fn run(_arguments: &Arguments) -> Result<Verdict> {
    Ok(Verdict::Converged)
}
