//! How results and errors look.

use crate::limits::Limits;
use crate::load::{LawChoice, Problem, Solution, name_of};
use anyhow::{Context, Result};
use serde::Serialize;
use std::fmt::{Display, Formatter};
use std::io::{IsTerminal, Write};
use std::path::Path;
use stickslip_solvers::fclib::{Form, Point};
use stickslip_solvers::outcome::{Outcome, Stage, Status};
use stickslip_solvers::residual::Criterion;

/// Prints one line of results. Where the reader has gone away, the work goes on without it: files and the exit status are for
/// others.
pub fn line(text: &str) -> Result<()> {
    match writeln!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("standard output cannot be written; check the free space where it goes"),
    }
}

/// Prints an error with its causes.
pub fn error(error: &anyhow::Error) {
    let (red, plain) = if std::io::stderr().is_terminal() { ("\x1b[31m", "\x1b[0m") } else { ("", "") };
    let _ = writeln!(std::io::stderr(), "{red}error{plain}: {error:#}");
}

/// Prints a remark.
pub fn note(text: &str) {
    let _ = writeln!(std::io::stderr(), "note: {text}");
}

/// Reports a problem that could not be solved for an error, where its certificate would stand.
pub fn failure(path: &Path, error: &anyhow::Error, json: bool) -> Result<()> {
    self::error(error);
    if !json {
        return Ok(());
    }
    let record = serde_json::json!({
        "problem": name_of(path), "file": path.display().to_string(), "status": "error",
        "error": format!("{error:#}"),
    });
    line(&record.to_string())
}

/// What a solver tried, and what each attempt gave.
pub fn explanation(outcome: &Outcome, criterion: Criterion) -> String {
    if outcome.stages.is_empty() {
        return "  this solver is one method and chooses nothing; `auto` explains itself".to_string();
    }
    let width = outcome.stages.iter().map(|stage| stage.solver.len()).max().unwrap_or(0);
    let head = format!(
        "  {:width$}  {:>10}  {:>9}  {:>9}  {:>9}",
        "tried", "iterations", "seconds", "residual", "scaled"
    );
    let mut best = f64::INFINITY;
    let rows = outcome.stages.iter().map(|stage| {
        let Stage { solver, status, iterations, seconds, residual, .. } = stage;
        let seconds = if *seconds < 1e-3 { format!("{seconds:.1e}") } else { format!("{seconds:.4}") };
        let measure = residual.measure(criterion);
        let gain = if measure < best { "" } else { ", nothing gained" };
        best = best.min(measure);
        format!(
            "  {solver:width$}  {iterations:>10}  {seconds:>9}  {:>9.1e}  {:>9.1e}  {}{gain}",
            residual.natural,
            residual.scaled,
            status.name()
        )
    });
    std::iter::once(head).chain(rows).collect::<Vec<_>>().join("\n")
}

/// Asymmetries of W up to this are rounding in the file, and not worth a word.
const ROUNDING: f64 = 1e-12;

/// One problem's certificate as one JSON object.
#[derive(Serialize)]
pub struct Record<'a> {
    problem: String,
    file: String,
    solver: &'a str,
    law: &'static str,
    status: Status,
    residual: f64,
    scaled_residual: f64,
    worst_contact: usize,
    worst_share: f64,
    tolerance: f64,
    criterion: Criterion,
    iterations: usize,
    seconds: f64,
    contacts: usize,
    dimension: usize,
    form: &'static str,
    asymmetry: f64,
    notes: &'a [String],
    stages: &'a [Stage],
    /// Whether the file gives W by a mass matrix.
    #[serde(skip)]
    mass: bool,
}

impl<'a> Record<'a> {
    /// Gathers what is known of one solve.
    pub fn new(problem: &Problem, solver: &'a str, solution: &'a Solution, limits: &Limits) -> Self {
        let outcome = &solution.outcome;
        Record {
            problem: problem.name(),
            file: problem.path.display().to_string(),
            solver,
            law: problem.law.name(),
            status: outcome.status,
            residual: outcome.residual.natural,
            scaled_residual: outcome.residual.scaled,
            worst_contact: outcome.residual.worst_contact,
            worst_share: outcome.residual.worst_share,
            tolerance: limits.tolerance,
            criterion: limits.criterion(),
            iterations: outcome.iterations,
            seconds: outcome.seconds,
            contacts: problem.file.contacts(),
            dimension: problem.file.dimension,
            form: problem.form(),
            asymmetry: problem.asymmetry(),
            notes: &outcome.notes,
            stages: &outcome.stages,
            mass: matches!(problem.file.form, Form::Global { .. }),
        }
    }

    /// The certificate for people.
    pub fn text(&self, states: &States) -> String {
        let status = match self.status {
            Status::Converged => "converged".to_string(),
            other => format!("NOT converged ({})", other.name()),
        };
        let asymmetry = if self.asymmetry > ROUNDING {
            let treatment = if self.mass { "symmetrised, M is" } else { "used as given," };
            format!(", {treatment} asymmetric by {:.0e}", self.asymmetry)
        } else {
            String::new()
        };
        let scaled_means = match self.criterion {
            Criterion::Both => "",
            Criterion::Siconos => ", not asked for",
        };
        let mut text = format!(
            "{}: {} in {}D, {} law, W: {}{asymmetry}\n  \
             {}: {status} after {}, {}\n  \
             residual         {:.2e}  (tolerance {:e})\n  \
             scaled residual  {:.2e}  (independent of units{scaled_means})\n  \
             worst contact    {}  (scaled residual {:.1e} by itself; contacts count from 0)\n  \
             contact states   {states}",
            self.problem,
            plural(self.contacts, "contact"),
            self.dimension,
            self.law,
            self.form,
            self.solver,
            plural(self.iterations, "iteration"),
            duration(self.seconds),
            self.residual,
            self.tolerance,
            self.scaled_residual,
            self.worst_contact,
            self.worst_share,
        );
        for note in self.notes {
            text += &format!("\n  note             {note}");
        }
        text
    }
}

/// How many contacts are open, stick and slip.
pub struct States {
    open: usize,
    stick: usize,
    slip: usize,
    /// Without friction a closed contact neither sticks nor slips.
    friction: bool,
}

impl States {
    /// Counts by the impulses: on the cone's side to one part in a million is slip.
    pub fn of(problem: &Problem, point: &Point) -> Self {
        let largest = point.r.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let friction = problem.law != LawChoice::Frictionless && problem.file.dimension > 1;
        let mut states = States { open: 0, stick: 0, slip: 0, friction };
        for (r, mu) in point.r.chunks_exact(problem.file.dimension).zip(&problem.file.mu) {
            let tangent = r[1..].iter().map(|t| t * t).sum::<f64>().sqrt();
            if r[0] <= 1e-12 * largest {
                states.open += 1;
            } else if tangent < mu * r[0] * (1.0 - 1e-6) {
                states.stick += 1;
            } else {
                states.slip += 1;
            }
        }
        states
    }
}

impl Display for States {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let States { open, stick, slip, friction } = self;
        if *friction {
            write!(f, "{open} open, {stick} stick, {slip} slip")
        } else {
            write!(f, "{open} open, {} closed", stick + slip)
        }
    }
}

/// A number of things: `1 contact`, `2 contacts`.
pub fn plural(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}

/// A time, which is a sum of steps, as a person would write it.
pub fn round(time: f64) -> f64 {
    format!("{time:.9e}").parse().unwrap_or(time)
}

/// Seconds in a readable unit, to three digits.
pub fn duration(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 0.9995e-3 => (s * 1e6, "us"),
        s if s < 0.9995 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    let decimals = match value {
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_three_digits() {
        let texts = [4.2e-7, 1.234e-5, 9.996e-4, 0.0996, 0.99951, 12.34, 1234.5].map(duration);
        assert_eq!(texts, ["0.42 us", "12.3 us", "1.00 ms", "99.6 ms", "1.00 s", "12.3 s", "1234 s"]);
    }
}
