//! `certificate.csv`: how well every step was solved, one line a step.

use super::csv::{Csv, number, quoted};
use super::{Observer, OutputError, View};
use std::path::{Path, PathBuf};
use stickslip::report::StepReport;
use stickslip::rigid::Rigid;
use stickslip::{BodyId, World};
use stickslip_geometry::space::Dim;

pub const FILE: &str = "certificate.csv";

const COLUMNS: [&str; 16] = [
    "step",
    "time",
    "h",
    "contacts",
    "active",
    "solver",
    "retried",
    "status",
    "iterations",
    "residual",
    "scaled_residual",
    "worst_a",
    "worst_b",
    "penetration",
    "momentum_error",
    "energy_error",
];

pub struct Certificate {
    path: PathBuf,
    csv: Option<Csv>,
}

impl Certificate {
    pub fn new(folder: &Path) -> Self {
        Certificate { path: folder.join(FILE), csv: None }
    }
}

impl<const D: usize> Observer<D> for Certificate
where
    Dim<D>: Rigid<D>,
{
    fn name(&self) -> &'static str {
        FILE
    }

    fn observe(&mut self, view: &View<D>) -> Result<(), OutputError> {
        if self.csv.is_none() {
            self.csv = Some(Csv::create(&self.path, &COLUMNS.map(String::from))?);
        }
        let Some(report) = view.report else { return Ok(()) };
        let row = row(view.world, report);
        self.csv.iter_mut().try_for_each(|csv| csv.row(row.clone()))
    }

    fn state(&mut self) -> Result<String, OutputError> {
        Ok(self.csv.as_mut().map_or(Ok(0), Csv::sync)?.to_string())
    }

    fn resume(&mut self, state: &str) -> Result<(), OutputError> {
        let length = state.parse().map_err(|_| OutputError::damaged(&self.path))?;
        self.csv = Some(Csv::cut(&self.path, length)?);
        Ok(())
    }
}

fn row<const D: usize>(world: &World<D>, report: &StepReport) -> Vec<String>
where
    Dim<D>: Rigid<D>,
{
    let name = |body: BodyId| quoted(&world.bodies().name(body.index()));
    let (a, b) = report.worst.map_or_else(Default::default, |(a, b)| (name(a), name(b)));
    let outcome = report.outcome.as_ref();
    let of_outcome = |value: f64| outcome.map_or(String::new(), |_| number(value));
    vec![
        world.steps().to_string(),
        number(report.time),
        number(report.h),
        report.contacts.to_string(),
        report.active.to_string(),
        outcome.map_or("", |_| report.solver).into(),
        report.retried.to_string(),
        outcome.map_or("no contacts", |outcome| outcome.status.name()).into(),
        outcome.map_or(0, |outcome| outcome.iterations).to_string(),
        of_outcome(outcome.map_or(0.0, |outcome| outcome.residual.natural)),
        of_outcome(outcome.map_or(0.0, |outcome| outcome.residual.scaled)),
        a,
        b,
        number(report.penetration),
        number(report.momentum_error),
        number(report.energy.error()),
    ]
}
