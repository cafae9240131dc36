//! `stickslip bench FOLDER|FILE…`: stickslip and Siconos side by side, a table of ratios and performance profiles.

mod duel;
mod table;

use crate::condense::Condensed;
use crate::limits::{self, CriterionChoice, Limits};
use crate::load::{LawChoice, Problem, Solution, name_of};
use crate::profile::Profile;
use crate::race::race;
use crate::report::{self, Record, line, note, plural};
use crate::siconos::{Ended, SOLVERS, Siconos, Solver, default_solver};
use crate::spec::{DEFAULT_SOLVER, Spec};
use crate::table::Cell;
use crate::{Verdict, files, interrupt, pictures, progress};
use anyhow::{Result, bail};
use clap::Args;
use duel::{Attempt, Duel, Fate};
use serde_json::json;
use std::path::{Path, PathBuf};
use stickslip_solvers::outcome::Status;
use table::Table;

/// However fast the best of Siconos is, its other solvers have this long.
const LEAST_PATIENCE_SECONDS: f64 = 1.0;
/// The dimensions that Siconos solves.
const DIMENSIONS: [usize; 2] = [2, 3];

#[derive(Args)]
pub struct Arguments {
    /// FCLIB files, or folders of them.
    #[arg(required = true, value_name = "FOLDER|FILE")]
    places: Vec<PathBuf>,
    /// Solvers of Siconos; of each dimension the usual ones without it.
    #[arg(long, value_delimiter = ',', value_name = "A,B,…")]
    solvers: Vec<String>,
    /// Solvers of stickslip, each NAME or NAME:key=value:key=value.
    #[arg(long, value_delimiter = ',', value_name = "A,B,…", default_value = DEFAULT_SOLVER)]
    ours: Vec<String>,
    /// Residuals to reach, one race each.
    #[arg(long, value_delimiter = ',', value_name = "EPS,…", default_value = "1e-4,1e-8")]
    #[arg(value_parser = limits::tolerance, allow_negative_numbers = true)]
    tolerance: Vec<f64>,
    /// What the tolerance is meant for; Siconos itself knows only its own measure.
    #[arg(long, value_enum, default_value_t = CriterionChoice::Siconos)]
    criterion: CriterionChoice,
    /// Wall time for each solve.
    #[arg(long, value_name = "S", default_value = "60")]
    #[arg(value_parser = limits::seconds, allow_negative_numbers = true)]
    max_seconds: f64,
    /// Give up a solver of Siconos that takes this many times as long as the best of them so far, and at least 1 s.
    #[arg(long, value_name = "FACTOR", default_value = "20")]
    #[arg(value_parser = patience, allow_negative_numbers = true)]
    patience: f64,
    /// Leave out problems with fewer contacts.
    #[arg(long, value_name = "N", default_value_t = 0)]
    min_contacts: usize,
    /// Threads for each side.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// The Python that has Siconos; `python3`, then `/usr/bin/python3` without it.
    #[arg(long, value_name = "PROGRAM")]
    python: Option<PathBuf>,
    /// Write one JSON object a problem, tolerance and solver to this file.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Draw performance profiles into NAME-3D-1e-4.svg and .png, and so on for each dimension and tolerance.
    #[arg(long, value_name = "NAME", default_value = "bench")]
    profile: PathBuf,
    /// Draw no profiles.
    #[arg(long, conflicts_with = "profile")]
    no_profile: bool,
}

fn patience(text: &str) -> Result<f64, String> {
    let factor = limits::positive(text).filter(|&factor| factor >= 1.0);
    factor.ok_or_else(|| "give a factor of at least 1, such as 20".into())
}

pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let specs = ours(arguments)?;
    let solvers = theirs(&arguments.solvers)?;
    let paths = files::problems(&arguments.places)?;
    check_targets(arguments, &paths)?;
    arguments.limits(arguments.tolerance[0]).start_threads()?;
    let siconos = Siconos::find(arguments.python.as_deref(), arguments.threads)?;

    let table = Table::new(&specs, paths.iter().map(|path| name_of(path)));
    line(&table.head(&siconos.version, arguments.threads))?;
    let mut bench = Bench {
        arguments,
        specs: &specs,
        solvers,
        siconos,
        table,
        duels: Vec::new(),
        records: String::new(),
        left_out: 0,
        cut_short: false,
        verdict: Verdict::Converged,
    };
    for (k, path) in paths.iter().enumerate() {
        if bench.cut_short || interrupt::raised() {
            bench.cut_short = true;
            break;
        }
        bench.add(path, &format!("({} of {})", k + 1, paths.len()))?;
    }
    bench.finish()
}

impl Arguments {
    /// Ours have the clock alone to fear: iterations are not comparable.
    fn limits(&self, tolerance: f64) -> Limits {
        Limits {
            tolerance,
            law: LawChoice::Coulomb,
            criterion: self.criterion,
            max_seconds: Some(self.max_seconds),
            max_iterations: usize::MAX,
            threads: Some(self.threads),
        }
    }

    /// From loose to tight.
    fn tolerances(&self) -> Vec<f64> {
        let mut tolerances = self.tolerance.clone();
        tolerances.sort_by(|a, b| b.total_cmp(a));
        tolerances.dedup();
        tolerances
    }
}

fn ours(arguments: &Arguments) -> Result<Vec<Spec>> {
    let specs: Vec<Spec> = arguments.ours.iter().map(|text| Spec::parse(text, &[])).collect::<Result<_>>()?;
    specs.iter().try_for_each(|spec| LawChoice::Coulomb.check(&spec.method))?;
    Ok(specs)
}

/// The solvers of Siconos in the order of the race, the defaults first, as all the others are measured by the best.
fn theirs(names: &[String]) -> Result<Vec<&'static Solver>> {
    for name in names {
        if !SOLVERS.iter().any(|solver| solver.name == name) {
            let known: Vec<&str> = SOLVERS.iter().map(|solver| solver.name).collect();
            bail!("--solvers: Siconos has no \"{name}\" here; choose among {}", known.join(", "));
        }
    }
    let asked = |solver: &&Solver| {
        if names.is_empty() { solver.usual } else { names.iter().any(|name| name == solver.name) }
    };
    let mut solvers: Vec<&Solver> = SOLVERS.iter().filter(asked).collect();
    solvers.sort_by_key(|solver| solver.name != default_solver(solver.dimension));
    Ok(solvers)
}

fn check_targets(arguments: &Arguments, paths: &[PathBuf]) -> Result<()> {
    if let Some(json) = &arguments.json {
        files::check_target("--json", json)?;
        files::check_is_no_input("--json", json, paths)?;
    }
    if arguments.no_profile {
        return Ok(());
    }
    for tolerance in arguments.tolerances() {
        for dimension in DIMENSIONS {
            pictures::targets(&arguments.profile, &behind(dimension, tolerance))?;
        }
    }
    Ok(())
}

/// What follows the name of a profile.
fn behind(dimension: usize, tolerance: f64) -> String {
    format!("-{dimension}D-{tolerance:e}")
}

/// What has been raced so far.
struct Bench<'a> {
    arguments: &'a Arguments,
    specs: &'a [Spec],
    solvers: Vec<&'static Solver>,
    siconos: Siconos,
    table: Table,
    duels: Vec<Duel>,
    records: String,
    left_out: usize,
    cut_short: bool,
    verdict: Verdict,
}

impl Bench<'_> {
    /// The problem of one file, at every tolerance: ours, then theirs.
    fn add(&mut self, path: &Path, place: &str) -> Result<()> {
        let problem = match Problem::read(path, LawChoice::Coulomb) {
            Ok(problem) => problem,
            Err(error) => {
                self.verdict = Verdict::BadInput;
                return report::failure(path, &error, false);
            }
        };
        if problem.file.contacts() < self.arguments.min_contacts {
            self.left_out += 1;
            return Ok(());
        }
        let place = format!("{} {place}", problem.name());
        let condensed: Condensed = problem.condensed();
        self.siconos.pose(&condensed)?;
        let mut hopeless = Vec::new();
        for tolerance in self.arguments.tolerances() {
            let limits = self.arguments.limits(tolerance);
            let solutions = race(&problem, self.specs, &limits.stop(), &place);
            let Some(theirs) = self.race_theirs(&problem, &limits, &mut hopeless, &place)? else {
                self.cut_short = true;
                return Ok(());
            };
            if !self.take(&problem, &limits, &solutions, theirs)? {
                self.cut_short = true;
                return Ok(());
            }
        }
        Ok(())
    }

    /// The solvers of Siconos on the problem posed; `None` if Ctrl-C ended it. One that ran out of time is hopeless
    /// at tighter tolerances and not run again.
    fn race_theirs(
        &mut self,
        problem: &Problem,
        limits: &Limits,
        hopeless: &mut Vec<&'static str>,
        place: &str,
    ) -> Result<Option<Vec<Attempt>>> {
        let mut attempts = Vec::new();
        let mut best = f64::INFINITY;
        for k in 0..self.solvers.len() {
            let Solver { name, dimension, .. } = *self.solvers[k];
            if dimension != problem.file.dimension {
                continue;
            }
            if hopeless.contains(&name) {
                attempts.push(Attempt::failed(name, Fate::TimeLimit));
                continue;
            }
            let longest = self.arguments.max_seconds;
            let limit = (self.arguments.patience * best).clamp(LEAST_PATIENCE_SECONDS.min(longest), longest);
            progress::show(&format!("{place}, Siconos {name}"));
            let ended = self.siconos.solve(name, limits.tolerance, limit);
            progress::clear();
            let attempt = match ended? {
                Ended::Solved { seconds, iterations, r } => {
                    Attempt::judged(name, seconds, iterations, problem.judge(&r, limits.tolerance), limits)
                }
                Ended::TooLate if limit < longest => Attempt::failed(name, Fate::Slower),
                Ended::TooLate => {
                    hopeless.push(name);
                    Attempt::failed(name, Fate::TimeLimit)
                }
                Ended::Crashed(why) => {
                    note(&format!("{}: Siconos {name} crashed, {why}", problem.name()));
                    Attempt::failed(name, Fate::Crashed)
                }
                Ended::Interrupted => return Ok(None),
            };
            best = attempt.time().map_or(best, |time| best.min(time));
            attempts.push(attempt);
        }
        Ok(Some(attempts))
    }

    /// Shows and keeps a race; false if it was cut short and has no winner.
    fn take(
        &mut self,
        problem: &Problem,
        limits: &Limits,
        solutions: &[Option<Solution>],
        theirs: Vec<Attempt>,
    ) -> Result<bool> {
        let cells: Option<Vec<Cell>> = solutions
            .iter()
            .map(|solution| Some(Cell::of(&solution.as_ref()?.outcome, limits.criterion())))
            .collect();
        let Some(ours) = cells.filter(|cells| cells.iter().all(|c| c.status != Status::Interrupted)) else {
            return Ok(false);
        };
        if ours.iter().any(|cell| cell.time().is_none()) {
            self.verdict = self.verdict.max(Verdict::NotConverged);
        }
        self.record(problem, limits, solutions, &theirs)?;
        let duel = Duel {
            problem: problem.name(),
            contacts: problem.file.contacts(),
            dimension: problem.file.dimension,
            tolerance: limits.tolerance,
            ours,
            theirs,
        };
        self.table.rows(&duel).iter().try_for_each(|row| line(row))?;
        self.duels.push(duel);
        Ok(true)
    }

    /// Written anew after each race, so that a long run that is killed leaves what it had.
    fn record(
        &mut self,
        problem: &Problem,
        limits: &Limits,
        solutions: &[Option<Solution>],
        theirs: &[Attempt],
    ) -> Result<()> {
        let Some(json) = &self.arguments.json else { return Ok(()) };
        for (spec, solution) in self.specs.iter().zip(solutions) {
            let Some(solution) = solution else { continue };
            let mut record = serde_json::to_value(Record::new(problem, &spec.label, solution, limits))?;
            record["by"] = json!("stickslip");
            record["version"] = json!(env!("CARGO_PKG_VERSION"));
            self.records += &format!("{record}\n");
        }
        for attempt in theirs {
            let mut record = attempt.record();
            record["by"] = json!("siconos");
            record["version"] = json!(self.siconos.version);
            record["problem"] = json!(problem.name());
            record["file"] = json!(problem.path.display().to_string());
            record["contacts"] = json!(problem.file.contacts());
            record["dimension"] = json!(problem.file.dimension);
            record["tolerance"] = json!(limits.tolerance);
            record["criterion"] = json!(limits.criterion());
            self.records += &format!("{record}\n");
        }
        files::replace(json, self.records.as_bytes())
    }

    fn finish(self) -> Result<Verdict> {
        if self.left_out > 0 {
            let contacts = plural(self.arguments.min_contacts, "contact");
            let left_out =
                format!("{} left out with fewer than {contacts}", plural(self.left_out, "problem"));
            if self.duels.is_empty() && self.verdict == Verdict::Converged && !self.cut_short {
                bail!("--min-contacts: {left_out}, and none is left; give a smaller number");
            }
            note(&left_out);
        }
        let mut verdict = self.verdict;
        if self.cut_short {
            note(&format!("interrupted after {}", plural(self.duels.len(), "race")));
            verdict = verdict.max(Verdict::NotConverged);
        }
        for tolerance in self.arguments.tolerances() {
            let duels: Vec<&Duel> = self.duels.iter().filter(|duel| duel.tolerance == tolerance).collect();
            if duels.is_empty() {
                continue;
            }
            for k in 0..self.specs.len() {
                line(&self.table.foot(&duels, k))?;
            }
            if !self.arguments.no_profile {
                self.draw(tolerance, &duels)?;
            }
        }
        Ok(verdict)
    }

    /// A profile for each dimension, as Siconos has different solvers in each.
    fn draw(&self, tolerance: f64, duels: &[&Duel]) -> Result<()> {
        for dimension in DIMENSIONS {
            let of_dimension = |solver: &&&Solver| solver.dimension == dimension;
            let names = self.solvers.iter().filter(of_dimension).map(|s| format!("Siconos {}", s.name));
            let labels: Vec<String> = self.specs.iter().map(|spec| spec.label.clone()).chain(names).collect();
            let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
            let times: Vec<Vec<Option<f64>>> =
                duels.iter().filter(|duel| duel.dimension == dimension).map(|duel| duel.times()).collect();
            if times.is_empty() {
                continue;
            }
            let profile = Profile::of(labels.len(), times.iter().map(Vec::as_slice));
            let title = format!(
                "stickslip and Siconos · {} in {dimension}D · tolerance {tolerance:e}",
                plural(profile.problems, "problem")
            );
            let targets = pictures::targets(&self.arguments.profile, &behind(dimension, tolerance))?;
            pictures::save(&targets, &profile, &labels, &title)?;
        }
        Ok(())
    }
}
