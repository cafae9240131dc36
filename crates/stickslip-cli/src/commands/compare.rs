//! `stickslip compare FOLDER|FILE… --solvers a,b,c`: every solver on every problem, a table and a performance profile.

use crate::limits::Limits;
use crate::load::{Problem, Solution, name_of};
use crate::profile::Profile;
use crate::race::race;
use crate::report::{self, Record, line, note, plural};
use crate::spec::Spec;
use crate::table::{Cell, Table, times};
use crate::{Verdict, files, interrupt, pictures};
use anyhow::{Result, bail};
use clap::Args;
use std::path::{Path, PathBuf};
use stickslip_solvers::outcome::Status;
use stickslip_solvers::panel::PANEL;

#[derive(Args)]
pub struct Arguments {
    /// FCLIB files (HDF5), local or global, 2D or 3D, or folders of them.
    #[arg(required = true, value_name = "FOLDER|FILE")]
    places: Vec<PathBuf>,
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
    let specs = specs(arguments)?;
    let pictures = if arguments.no_profile { None } else { Some(pictures::targets(&arguments.profile, "")?) };
    let paths = files::problems(&arguments.places)?;
    arguments.limits.start_threads()?;

    let mut comparison = Comparison::new(arguments, &specs, &paths);
    if !arguments.json {
        line(&comparison.table.head())?;
    }
    for (k, path) in paths.iter().enumerate() {
        if interrupt::raised() {
            comparison.cut_short = true;
            break;
        }
        comparison.add(path, &format!("({} of {})", k + 1, paths.len()))?;
    }
    comparison.finish(pictures.as_ref())
}

/// What has been compared so far.
struct Comparison<'a> {
    arguments: &'a Arguments,
    specs: &'a [Spec],
    paths: &'a [PathBuf],
    table: Table<'a>,
    times: Vec<Vec<Option<f64>>>,
    verdict: Verdict,
    cut_short: bool,
}

impl<'a> Comparison<'a> {
    fn new(arguments: &'a Arguments, specs: &'a [Spec], paths: &'a [PathBuf]) -> Self {
        let names = paths.iter().map(|path| name_of(path));
        Comparison {
            arguments,
            specs,
            paths,
            table: Table::new(labels(specs), names),
            times: Vec::new(),
            verdict: Verdict::Converged,
            cut_short: false,
        }
    }

    /// Every solver on the problem of one file.
    fn add(&mut self, path: &Path, place: &str) -> Result<()> {
        let limits = &self.arguments.limits;
        let problem = match Problem::read(path, limits.law) {
            Ok(problem) => problem,
            Err(error) => {
                self.verdict = Verdict::BadInput;
                return report::failure(path, &error, self.arguments.json);
            }
        };
        let solutions = race(&problem, self.specs, &limits.stop(), &format!("{} {place}", problem.name()));
        let cell = |solution: &Solution| Cell::of(&solution.outcome, limits.criterion());
        let cells: Vec<Option<Cell>> = solutions.iter().map(|solution| solution.as_ref().map(cell)).collect();
        self.show(&problem, &solutions, &cells)?;
        if cells.iter().flatten().any(|cell| cell.time().is_none()) {
            self.verdict = self.verdict.max(Verdict::NotConverged);
        }
        // a race that was cut short has no winner
        let finished = |cell: &Option<Cell>| cell.is_some_and(|cell| cell.status != Status::Interrupted);
        if cells.iter().all(finished) {
            self.times.push(times(&cells));
        } else {
            self.cut_short = true;
        }
        Ok(())
    }

    fn show(&self, problem: &Problem, solutions: &[Option<Solution>], cells: &[Option<Cell>]) -> Result<()> {
        if !self.arguments.json {
            let file = &problem.file;
            return line(&self.table.row(&problem.name(), file.contacts(), file.dimension, cells));
        }
        for (spec, solution) in self.specs.iter().zip(solutions) {
            let Some(solution) = solution else { continue };
            let record = Record::new(problem, &spec.label, solution, &self.arguments.limits);
            line(&serde_json::to_string(&record)?)?;
        }
        Ok(())
    }

    /// The foot of the table and the profile.
    fn finish(mut self, pictures: Option<&[PathBuf; 2]>) -> Result<Verdict> {
        if self.cut_short {
            let (done, all) = (self.times.len(), self.paths.len());
            note(&format!("interrupted: {done} of {all} problems were compared"));
            self.verdict = self.verdict.max(Verdict::NotConverged);
        }
        if self.times.is_empty() {
            return Ok(self.verdict);
        }
        let profile = Profile::of(self.specs.len(), self.times.iter().map(Vec::as_slice));
        if !self.arguments.json {
            line(&self.table.foot(&profile))?;
        }
        if let Some(pictures) = pictures {
            let title = title(&self.arguments.limits, &profile);
            pictures::save(pictures, &profile, &labels(self.specs), &title)?;
        }
        Ok(self.verdict)
    }
}

fn labels(specs: &[Spec]) -> Vec<&str> {
    specs.iter().map(|spec| spec.label.as_str()).collect()
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

fn title(limits: &Limits, profile: &Profile) -> String {
    format!(
        "Performance profile · {} · {} law · tolerance {:e}",
        plural(profile.problems, "problem"),
        limits.law.name(),
        limits.tolerance
    )
}
