//! `certificate.csv`: how well every step was solved, one line a step.

use super::csv::{Table, number, quoted};
use super::{Observer, OutputError, View};
use std::path::Path;
use stickslip::report::StepReport;
use stickslip::rigid::Rigid;
use stickslip::{BodyId, World};
use stickslip_geometry::space::Dim;

pub const FILE: &str = "certificate.csv";

const COLUMNS: [&str; 19] = [
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
    "lift",
    "joint_opening",
    "joint_turn",
    "momentum_error",
    "energy_error",
];

pub struct Certificate {
    table: Table,
}

impl Certificate {
    pub fn new(folder: &Path) -> Self {
        Certificate { table: Table::new(folder.join(FILE), COLUMNS.map(String::from).to_vec()) }
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
        let table = self.table.begin()?;
        view.report.map_or(Ok(()), |report| table.row(row(view.world, report)))
    }

    fn state(&mut self) -> Result<String, OutputError> {
        Ok(self.table.sync()?.to_string())
    }

    fn resume(&mut self, state: &str) -> Result<(), OutputError> {
        self.table.resume(state.parse().map_err(|_| OutputError::damaged(self.table.path()))?)
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
        number(report.lift),
        number(report.opening.position),
        number(report.opening.angle),
        number(report.momentum_error),
        number(report.energy.error()),
    ]
}
