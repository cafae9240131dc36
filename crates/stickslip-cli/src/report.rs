//! How results and errors look.

use crate::load::{Problem, Solution};
use anyhow::Result;
use serde::Serialize;
use std::io::{IsTerminal, Write};
use stickslip_solvers::fclib::Point;
use stickslip_solvers::outcome::Status;
use stickslip_solvers::residual::Criterion;

/// Prints one line of results. A reader that has gone away ends the program quietly.
pub fn line(text: &str) -> Result<()> {
    match writeln!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        other => Ok(other?),
    }
}

/// Prints an error with its causes.
pub fn error(error: &anyhow::Error) {
    let (red, plain) = if std::io::stderr().is_terminal() { ("\x1b[31m", "\x1b[0m") } else { ("", "") };
    let _ = writeln!(std::io::stderr(), "{red}error{plain}: {error:#}");
}

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
}

impl<'a> Record<'a> {
    /// Gathers what is known of one solve.
    pub fn new(
        problem: &Problem,
        solver: &'a str,
        solution: &'a Solution,
        (tolerance, criterion): (f64, Criterion),
    ) -> Self {
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
            tolerance,
            criterion,
            iterations: outcome.iterations,
            seconds: outcome.seconds,
            contacts: problem.file.contacts(),
            dimension: problem.file.dimension,
            form: problem.form(),
            asymmetry: problem.asymmetry(),
            notes: &outcome.notes,
        }
    }

    /// The certificate for people.
    pub fn text(&self, states: &States) -> String {
        let word = if self.status == Status::Converged { "converged" } else { "NOT converged" };
        let why = if self.status == Status::Converged {
            String::new()
        } else {
            format!(" ({})", self.status.name())
        };
        let asymmetry = if self.asymmetry > 0.0 {
            format!(", W asymmetric by {:.0e}, used as given", self.asymmetry)
        } else {
            String::new()
        };
        let scaled_means = match self.criterion {
            Criterion::Both => "",
            Criterion::Siconos => ", not asked for",
        };
        let mut text = format!(
            "{}: {} contacts in {}D, {} law, W by {}{asymmetry}\n  \
             {}{why}: {word} in {} iterations, {}\n  \
             residual         {:.2e}  (tolerance {:.0e})\n  \
             scaled residual  {:.2e}  (independent of units{scaled_means})\n  \
             worst contact    {}  (share {:.1e} of the scaled residual)\n  \
             contact states   {} open, {} stick, {} slip",
            self.problem,
            self.contacts,
            self.dimension,
            self.law,
            self.form,
            self.solver,
            self.iterations,
            duration(self.seconds),
            self.residual,
            self.tolerance,
            self.scaled_residual,
            self.worst_contact,
            self.worst_share,
            states.open,
            states.stick,
            states.slip,
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
}

impl States {
    /// Counts by the impulses: on the cone's side to one part in a million is slip.
    pub fn of(point: &Point, mu: &[f64], dimension: usize) -> Self {
        let largest = point.r.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let mut states = States { open: 0, stick: 0, slip: 0 };
        for (r, mu) in point.r.chunks_exact(dimension).zip(mu) {
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

/// Seconds in a readable unit.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.0} us", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}
