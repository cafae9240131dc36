//! `series.csv`: energies, penetration, residual, iterations, bodies, groups, forces and measures over time.

use super::csv::{Table, number};
use super::{Columns, Observer, OutputError, View, is_due};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use stickslip::World;
use stickslip::rigid::Rigid;
use stickslip_geometry::space::Dim;

pub const FILE: &str = "series.csv";

pub struct Series<const D: usize>
where
    Dim<D>: Rigid<D>,
{
    /// Every step without it.
    every: Option<f64>,
    columns: Columns<D>,
    /// Whether it has seen where bodies are before the next step.
    looked: bool,
    table: Table,
}

#[derive(Serialize, Deserialize)]
struct State {
    length: u64,
    counts: BTreeMap<String, f64>,
}

impl<const D: usize> Series<D>
where
    Dim<D>: Rigid<D>,
{
    pub fn new(folder: &Path, every: Option<f64>, columns: Columns<D>) -> Self {
        Series { table: Table::new(folder.join(FILE), columns.names()), every, columns, looked: false }
    }
}

impl<const D: usize> Observer<D> for Series<D>
where
    Dim<D>: Rigid<D>,
{
    fn name(&self) -> &'static str {
        FILE
    }

    fn before(&mut self, world: &mut World<D>, _h: f64) -> Result<(), OutputError> {
        // what crosses a plane in the first step after a checkpoint counts too
        if !self.looked {
            self.columns.follow(world);
            self.looked = true;
        }
        Ok(())
    }

    fn observe(&mut self, view: &View<D>) -> Result<(), OutputError> {
        self.columns.follow(view.world);
        if !self.every.is_none_or(|every| is_due(every, view.report)) {
            return Ok(());
        }
        self.table.row(self.columns.values(view).into_iter().map(number))
    }

    fn state(&mut self) -> Result<String, OutputError> {
        let state = State { length: self.table.sync()?, counts: self.columns.state() };
        serde_json::to_string(&state).map_err(|error| OutputError::write(self.table.path(), error))
    }

    fn resume(&mut self, state: &str) -> Result<(), OutputError> {
        let damaged = |_| OutputError::damaged(self.table.path());
        let state: State = serde_json::from_str(state).map_err(damaged)?;
        self.columns.resume(&state.counts);
        self.table.resume(state.length)
    }
}
