//! `stickslip solve FILE…`: each problem solved and certified.

use crate::load::{LawChoice, Problem, name_of};
use crate::report::{self, Record, States, line};
use crate::spec::Spec;
use crate::{Verdict, interrupt, progress};
use anyhow::{Result, anyhow, bail};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::time::Duration;
use stickslip_solvers::fclib::write_solution;
use stickslip_solvers::outcome::Status;
use stickslip_solvers::residual::Criterion;
use stickslip_solvers::stop::Stop;

#[derive(Args)]
pub struct Arguments {
    /// FCLIB files (HDF5), local or global, 2D or 3D.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The solver, see `stickslip list solvers`; settings may follow as NAME:key=value:key=value.
    #[arg(long, default_value = "nlgs")]
    solver: String,
    /// A setting of the solver, such as omega=1.2 or one_contact.solver=epdas; may be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Start from the guess (or solution) stored in the file instead of zero.
    #[arg(long)]
    from_guess: bool,
    /// Store r and u in the group /solution of this file; with several problems, a folder.
    #[arg(long, value_name = "OUT.hdf5")]
    write: Option<PathBuf>,
    #[command(flatten)]
    limits: Limits,
    /// One JSON object a problem.
    #[arg(long)]
    json: bool,
}

/// What solve and compare have in common.
#[derive(Args, Clone)]
pub struct Limits {
    /// Residual to reach.
    #[arg(long, default_value_t = 1e-8, value_parser = positive)]
    pub tolerance: f64,
    /// The law of every contact; friction coefficients come from the file.
    #[arg(long, value_enum, default_value_t = LawChoice::Coulomb)]
    pub law: LawChoice,
    /// What the tolerance is meant for: both residuals, or the one of Siconos alone.
    #[arg(long, value_enum, default_value_t = CriterionChoice::Both)]
    pub criterion: CriterionChoice,
    /// Wall time for each solve; without it only the iterations are limited.
    #[arg(long, value_name = "S", value_parser = positive)]
    pub max_seconds: Option<f64>,
    /// Iterations for each solve.
    #[arg(long, value_name = "N", default_value_t = Stop::default().max_iterations)]
    pub max_iterations: usize,
    /// Threads for products and residuals; all cores without it. Results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum CriterionChoice {
    Both,
    Siconos,
}

impl Limits {
    /// When to stop.
    pub fn stop(&self) -> Stop {
        Stop {
            tolerance: self.tolerance,
            criterion: self.criterion(),
            max_iterations: self.max_iterations,
            // beyond a century there is no limit, and a Duration must not overflow
            max_time: self.max_seconds.map(|s| Duration::from_secs_f64(s.min(3e9))),
            interrupt: Some(interrupt::flag()),
            progress: None,
        }
    }

    /// The criterion in the library's words.
    pub fn criterion(&self) -> Criterion {
        match self.criterion {
            CriterionChoice::Both => Criterion::Both,
            CriterionChoice::Siconos => Criterion::Siconos,
        }
    }

    /// Starts the threads.
    pub fn start_threads(&self) -> Result<()> {
        let Some(threads) = self.threads else { return Ok(()) };
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads.into())
            .build_global()
            .map_err(|error| anyhow!("--threads {threads}: {error}"))
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if x > 0.0 && !x.is_nan() => Ok(x),
        _ => Err("give a positive number, such as 1e-8".into()),
    }
}

pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let spec = Spec::parse(&arguments.solver, &arguments.set)?;
    arguments.limits.law.check(&spec.method)?;
    let targets = targets(arguments)?;
    arguments.limits.start_threads()?;

    let mut verdict = Verdict::Converged;
    for (k, path) in arguments.files.iter().enumerate() {
        if interrupt::raised() {
            let _ = line(&format!(
                "interrupted: {} of {} problems left",
                arguments.files.len() - k,
                arguments.files.len()
            ));
            return Ok(verdict.max(Verdict::NotConverged));
        }
        let one = solve_one(arguments, &spec, path, targets[k].as_deref());
        verdict = verdict.max(one.unwrap_or_else(|error| {
            if arguments.json {
                let record = serde_json::json!({
                    "problem": name_of(path), "file": path.display().to_string(), "status": "error",
                    "error": format!("{error:#}"),
                });
                let _ = line(&record.to_string());
            }
            report::error(&error);
            Verdict::BadInput
        }));
    }
    Ok(verdict)
}

/// Where each solution goes, decided before anything is solved.
fn targets(arguments: &Arguments) -> Result<Vec<Option<PathBuf>>> {
    let Some(out) = &arguments.write else {
        return Ok(vec![None; arguments.files.len()]);
    };
    if out.is_dir() {
        let in_folder = |path: &PathBuf| Some(out.join(format!("{}.hdf5", name_of(path))));
        return Ok(arguments.files.iter().map(in_folder).collect());
    }
    if arguments.files.len() > 1 {
        bail!(
            "--write {}: several problems need a folder for their solutions; create it and name it here",
            out.display()
        );
    }
    if let Some(folder) = out.parent()
        && !folder.as_os_str().is_empty()
        && !folder.is_dir()
    {
        bail!("--write {}: the folder {} does not exist; create it first", out.display(), folder.display());
    }
    Ok(vec![Some(out.clone())])
}

fn solve_one(arguments: &Arguments, spec: &Spec, path: &Path, target: Option<&Path>) -> Result<Verdict> {
    let limits = &arguments.limits;
    let problem = Problem::read(path, limits.law)?;
    let progress = progress::callback(format!("{} {}", problem.name(), spec.label));
    let solution = problem.solve(&spec.method, &Stop { progress, ..limits.stop() }, arguments.from_guess);
    progress::clear();
    let record = Record::new(&problem, &spec.label, &solution, (limits.tolerance, limits.criterion()));
    if arguments.json {
        line(&serde_json::to_string(&record)?)?;
    } else {
        let states = States::of(&solution.point, &problem.file.mu, problem.file.dimension);
        line(&record.text(&states))?;
    }
    if let Some(target) = target {
        write_solution(path, target, &solution.point)?;
    }
    Ok(match solution.outcome.status {
        Status::Converged => Verdict::Converged,
        _ => Verdict::NotConverged,
    })
}
