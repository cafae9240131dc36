//! `stickslip compare FILE… --solvers a,b,c`: every solver on every problem, a table and a performance profile.

use crate::limits::Limits;
use crate::load::{Problem, Solution, name_of};
use crate::plot::{self, Picture};
use crate::profile::Profile;
use crate::report::{self, Record, line, note};
use crate::spec::Spec;
use crate::table::{Cell, Table, times};
use crate::{Verdict, files, interrupt, progress};
use anyhow::{Result, bail};
use clap::Args;
use std::path::{Path, PathBuf};
use stickslip_solvers::outcome::Status;
use stickslip_solvers::panel::PANEL;
use stickslip_solvers::stop::Stop;

/// A short solve is repeated until this much time is spent on it, and its best time is taken: single times
/// of microseconds are mostly noise.
const ENOUGH_SECONDS: f64 = 0.05;
const MOST_REPETITIONS: usize = 50;

#[derive(Args)]
pub struct Arguments {
    /// FCLIB files (HDF5), local or global, 2D or 3D.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The solvers, each NAME or NAME:key=value:key=value; all that cover the law without it.
    #[arg(long, value_delimiter = ',', value_name = "A,B,…")]
    solvers: Vec<String>,
    #[command(flatten)]
    limits: Limits,
    /// Draw the performance profile into NAME.svg and NAME.png.
    #[arg(long, value_name = "NAME", default_value = "profile")]
    profile: PathBuf,
    /// Draw no profile.
    #[arg(long, conflicts_with = "profile")]
    no_profile: bool,
    /// One JSON object a problem and solver instead of the table.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let limits = &arguments.limits;
    let specs = specs(arguments)?;
    let pictures = if arguments.no_profile { None } else { Some(picture_files(&arguments.profile)?) };
    limits.start_threads()?;

    let labels: Vec<&str> = specs.iter().map(|spec| spec.label.as_str()).collect();
    let table = Table::new(labels.clone(), arguments.files.iter().map(|path| name_of(path)));
    if !arguments.json {
        line(&table.head())?;
    }
    let mut verdict = Verdict::Converged;
    let mut cut_short = false;
    let mut all_times: Vec<Vec<Option<f64>>> = Vec::new();
    for (k, path) in arguments.files.iter().enumerate() {
        if interrupt::raised() {
            cut_short = true;
            break;
        }
        let problem = match Problem::read(path, limits.law) {
            Ok(problem) => problem,
            Err(error) => {
                report::failure(path, &error, arguments.json)?;
                verdict = Verdict::BadInput;
                continue;
            }
        };
        let place = format!("{} ({} of {})", problem.name(), k + 1, arguments.files.len());
        let solutions = race(&problem, &specs, &limits.stop(), &place);
        let cells: Vec<Option<Cell>> = solutions
            .iter()
            .map(|solution| {
                let outcome = &solution.as_ref()?.outcome;
                let residual = outcome.residual.measure(limits.criterion());
                Some(Cell { status: outcome.status, seconds: outcome.seconds, residual })
            })
            .collect();
        if arguments.json {
            for (spec, solution) in specs.iter().zip(&solutions) {
                let Some(solution) = solution else { continue };
                line(&serde_json::to_string(&Record::new(&problem, &spec.label, solution, limits))?)?;
            }
        } else {
            line(&table.row(&problem.name(), problem.file.contacts(), problem.file.dimension, &cells))?;
        }
        if cells.iter().flatten().any(|cell| cell.time().is_none()) {
            verdict = verdict.max(Verdict::NotConverged);
        }
        // a race that was cut short has no winner
        let finished = |cell: &Option<Cell>| cell.is_some_and(|cell| cell.status != Status::Interrupted);
        if cells.iter().all(finished) {
            all_times.push(times(&cells));
        } else {
            cut_short = true;
        }
    }

    if cut_short {
        note(&format!(
            "interrupted: {} of {} problems were compared",
            all_times.len(),
            arguments.files.len()
        ));
        verdict = verdict.max(Verdict::NotConverged);
    }
    if all_times.is_empty() {
        return Ok(verdict);
    }
    let profile = Profile::of(specs.len(), all_times.iter().map(Vec::as_slice));
    if !arguments.json {
        line(&table.foot(&profile))?;
    }
    if let Some([svg, png]) = pictures {
        let Picture { svg: drawn, png: painted } = plot::draw(&profile, &labels, &title(limits, &profile))?;
        files::replace(&svg, drawn.as_bytes())?;
        files::replace(&png, &painted)?;
        note(&format!("performance profile in {} and {}", svg.display(), png.display()));
    }
    Ok(verdict)
}

/// The solvers asked for that know the law, or all of the panel.
fn specs(arguments: &Arguments) -> Result<Vec<Spec>> {
    let law = arguments.limits.law;
    if arguments.solvers.is_empty() {
        let covering = PANEL.iter().filter(|entry| law.is_among(entry.covers));
        return covering.map(|entry| Spec::parse(entry.name, &[])).collect();
    }
    let mut specs = Vec::new();
    for text in &arguments.solvers {
        let spec = Spec::parse(text, &[])?;
        match law.check(&spec.method) {
            Ok(()) => specs.push(spec),
            Err(why) => note(&format!("left out: {why}")),
        }
    }
    if specs.is_empty() {
        bail!(
            "none of the solvers in --solvers solves {} problems; leave --solvers out to take all that do",
            law.name()
        );
    }
    Ok(specs)
}

/// NAME.svg and NAME.png, refused before the work starts if they cannot be written.
fn picture_files(name: &Path) -> Result<[PathBuf; 2]> {
    if name.file_name().is_none() {
        bail!("--profile \"{}\": give a name, or --no-profile for none", name.display());
    }
    // who names one of the two files means both
    let given = name.extension().is_some_and(|ending| ending == "svg" || ending == "png");
    let stem = if given { name.with_extension("") } else { name.to_path_buf() };
    let targets = ["svg", "png"].map(|ending| {
        let mut target = stem.clone().into_os_string();
        target.push(format!(".{ending}"));
        PathBuf::from(target)
    });
    for target in &targets {
        files::check_target("--profile", target)?;
    }
    Ok(targets)
}

fn title(limits: &Limits, profile: &Profile) -> String {
    let problems = if profile.problems == 1 { "problem" } else { "problems" };
    format!(
        "Performance profile · {} {problems} · {} law · tolerance {:e}",
        profile.problems,
        limits.law.name(),
        limits.tolerance
    )
}

/// Every solver on one problem, in rounds, so that a machine that slows down slows all of them; to and fro, as a
/// solver profits from what its predecessor left in the caches. What Ctrl-C left undone is `None`.
fn race(problem: &Problem, specs: &[Spec], stop: &Stop, place: &str) -> Vec<Option<Solution>> {
    let mut solutions: Vec<Option<Solution>> = specs.iter().map(|_| None).collect();
    let mut spent = vec![0.0; specs.len()];
    let forth: Vec<usize> = (0..specs.len()).collect();
    let back: Vec<usize> = (0..specs.len()).rev().collect();
    for order in [&forth, &back].into_iter().cycle().take(MOST_REPETITIONS) {
        for &k in order {
            if interrupt::raised() {
                return solutions;
            }
            let failed = |solution: &Solution| solution.outcome.status != Status::Converged;
            if spent[k] >= ENOUGH_SECONDS || solutions[k].as_ref().is_some_and(failed) {
                continue;
            }
            let progress = progress::callback(format!("{place}, {}", specs[k].label));
            let solution = problem.solve(&specs[k].method, &Stop { progress, ..stop.clone() }, false);
            progress::clear();
            spent[k] += solution.outcome.seconds;
            match &mut solutions[k] {
                None => solutions[k] = Some(solution),
                // a repetition that Ctrl-C or the time limit cut short says nothing about speed
                Some(_) if failed(&solution) => {}
                Some(best) => best.outcome.seconds = best.outcome.seconds.min(solution.outcome.seconds),
            }
        }
    }
    solutions
}
