//! `stickslip solve FOLDER|FILE…`: each problem solved and certified.

use crate::limits::Limits;
use crate::load::{Problem, name_of};
use crate::report::{self, Record, States, line, note};
use crate::spec::{DEFAULT_SOLVER, Spec};
use crate::{Verdict, files, interrupt, progress};
use anyhow::{Result, bail};
use clap::Args;
use std::path::{Path, PathBuf};
use stickslip_solvers::fclib::write_solution;
use stickslip_solvers::outcome::Status;
use stickslip_solvers::stop::Stop;

#[derive(Args)]
pub struct Arguments {
    /// FCLIB files (HDF5), local or global, 2D or 3D, or folders of them.
    #[arg(required = true, value_name = "FOLDER|FILE")]
    places: Vec<PathBuf>,
    /// The solver, see `stickslip list solvers`; settings may follow as NAME:key=value:key=value.
    #[arg(long, default_value = DEFAULT_SOLVER)]
    solver: String,
    /// A setting of the solver, such as omega=1.2 or one_contact.solver=epdas; may be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Start from the guess (or solution) stored in the file instead of zero.
    #[arg(long)]
    from_guess: bool,
    /// Write the problem with its r and u as /solution to this file; with several problems, to this folder.
    #[arg(long, value_name = "OUT")]
    write: Option<PathBuf>,
    #[command(flatten)]
    limits: Limits,
    /// Show what the solver tried, and what each attempt gave.
    #[arg(long)]
    explain: bool,
    /// One JSON object a problem.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let spec = Spec::parse(&arguments.solver, &arguments.set)?;
    arguments.limits.law.check(&spec.method)?;
    let paths = files::problems(&arguments.places)?;
    let targets = targets(arguments, &paths)?;
    arguments.limits.start_threads()?;

    let mut verdict = Verdict::Converged;
    for (k, path) in paths.iter().enumerate() {
        if interrupt::raised() {
            let all = paths.len();
            note(&format!("interrupted: {} of {all} problems left", all - k));
            return Ok(verdict.max(Verdict::NotConverged));
        }
        let one = solve_one(arguments, &spec, path, targets[k].as_deref());
        verdict = verdict.max(match one {
            Ok(verdict) => verdict,
            Err(error) => {
                report::failure(path, &error, arguments.json)?;
                Verdict::BadInput
            }
        });
    }
    Ok(verdict)
}

/// Where each solution goes, decided before anything is solved.
fn targets(arguments: &Arguments, paths: &[PathBuf]) -> Result<Vec<Option<PathBuf>>> {
    let Some(out) = &arguments.write else {
        return Ok(vec![None; paths.len()]);
    };
    let several = paths.len() > 1;
    if several && !out.is_dir() {
        bail!(
            "--write {}: several problems need a folder for their solutions; create it and name it here",
            out.display()
        );
    }
    let mut targets: Vec<PathBuf> = Vec::new();
    for path in paths {
        let target = if out.is_dir() { out.join(format!("{}.hdf5", name_of(path))) } else { out.clone() };
        if targets.contains(&target) {
            bail!(
                "--write {}: two problems are called {}; solve them one by one, or rename one",
                out.display(),
                name_of(path)
            );
        }
        files::check_target("--write", &target)?;
        targets.push(target);
    }
    for target in &targets {
        files::check_is_no_input("--write", target, paths)?;
    }
    Ok(targets.into_iter().map(Some).collect())
}

fn solve_one(arguments: &Arguments, spec: &Spec, path: &Path, target: Option<&Path>) -> Result<Verdict> {
    let limits = &arguments.limits;
    let problem = Problem::read(path, limits.law)?;
    if arguments.from_guess && problem.file.guesses.is_empty() && problem.file.solution.is_none() {
        note(&format!("{} holds no guess and no solution: the start is zero", path.display()));
    }
    let progress = progress::callback(format!("{} {}", problem.name(), spec.label));
    let solution = problem.solve(&spec.method, &Stop { progress, ..limits.stop() }, arguments.from_guess);
    progress::clear();
    let written = target.map_or(Ok(()), |target| write_solution(path, target, &solution.point));
    let record = Record::new(&problem, &spec.label, &solution, limits);
    if arguments.json {
        line(&serde_json::to_string(&record)?)?;
    } else {
        line(&record.text(&States::of(&problem, &solution.point)))?;
        if arguments.explain {
            line(&report::explanation(&solution.outcome, limits.criterion()))?;
        }
    }
    // a solution that could not be kept was found all the same
    written?;
    Ok(match solution.outcome.status {
        Status::Converged => Verdict::Converged,
        _ => Verdict::NotConverged,
    })
}
