//! The stickslip command line. Results go to standard output, notes and progress to standard error.
//!
//! Exit status: 0 everything converged, 1 something did not, 2 bad input.

#![allow(non_snake_case)]

mod commands;
mod condense;
mod files;
mod interrupt;
mod limits;
mod load;
mod pictures;
mod plot;
mod profile;
mod progress;
mod race;
mod report;
mod scenes;
mod siconos;
mod spec;
mod table;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Bodies with hard contact and exact Coulomb friction: scenes run and problems solved, every step certified.
#[derive(Parser)]
#[command(name = "stickslip", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a scene, by its file or a built-in name; without one, the first example.
    Run(commands::run::Arguments),
    /// Look at a scene before it runs: what is in it, and what may go wrong.
    Check(commands::check::Arguments),
    /// Run a scene for all values of some parameters, and gather one table.
    Sweep(commands::sweep::Arguments),
    /// Gather a run into one HTML page: certificate, pictures, plots, parameters and the scene.
    Report(commands::report::Arguments),
    /// Print the JSON schema of scene files, for editors.
    Schema(commands::schema::Arguments),
    /// Solve FCLIB problems and show the certificate of each.
    Solve(commands::solve::Arguments),
    /// Run several solvers on the same problems: a table and a performance profile.
    Compare(commands::compare::Arguments),
    /// Run Siconos beside stickslip on the same problems: a table of ratios and a performance profile.
    Bench(commands::bench::Arguments),
    /// Run an experiment of a paper again, and hold what it claims beside what is measured.
    Reproduce(commands::reproduce::Arguments),
    /// List what there is to choose from.
    List(commands::list::Arguments),
}

/// How a command ended, by what its exit status says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    Converged = 0,
    NotConverged = 1,
    BadInput = 2,
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Run(arguments) => commands::run::run(&arguments),
        Command::Check(arguments) => commands::check::run(&arguments),
        Command::Sweep(arguments) => commands::sweep::run(&arguments),
        Command::Report(arguments) => commands::report::run(&arguments),
        Command::Schema(arguments) => commands::schema::run(&arguments),
        Command::Solve(arguments) => commands::solve::run(&arguments),
        Command::Compare(arguments) => commands::compare::run(&arguments),
        Command::Bench(arguments) => commands::bench::run(&arguments),
        Command::Reproduce(arguments) => commands::reproduce::run(&arguments),
        Command::List(arguments) => commands::list::run(&arguments),
    };
    let verdict = outcome.unwrap_or_else(|error| {
        report::error(&error);
        Verdict::BadInput
    });
    ExitCode::from(verdict as u8)
}
