//! `series.csv`: energies, penetration, residual, iterations, bodies, groups, forces and measures over time.

use super::csv::{Csv, number};
use super::{Columns, Observer, OutputError, View, is_due};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use stickslip::rigid::Rigid;
use stickslip_geometry::space::Dim;

pub const FILE: &str = "series.csv";

pub struct Series<const D: usize>
where
    Dim<D>: Rigid<D>,
{
    path: PathBuf,
    every: f64,
    columns: Columns<D>,
    csv: Option<Csv>,
}

#[derive(Serialize, Deserialize)]
struct State {
    length: u64,
    columns: Vec<f64>,
}

impl<const D: usize> Series<D>
where
    Dim<D>: Rigid<D>,
{
    pub fn new(folder: &Path, every: f64, columns: Columns<D>) -> Self {
        Series { path: folder.join(FILE), every, columns, csv: None }
    }
}

impl<const D: usize> Observer<D> for Series<D>
where
    Dim<D>: Rigid<D>,
{
    fn name(&self) -> &'static str {
        FILE
    }

    fn observe(&mut self, view: &View<D>) -> Result<(), OutputError> {
        self.columns.follow(view.world);
        if !is_due(self.every, view.report) {
            return Ok(());
        }
        if self.csv.is_none() {
            self.csv = Some(Csv::create(&self.path, &self.columns.names())?);
        }
        let values = self.columns.values(view);
        self.csv.iter_mut().try_for_each(|csv| csv.row(values.iter().map(|value| number(*value))))
    }

    fn state(&mut self) -> Result<String, OutputError> {
        let length = self.csv.as_mut().map_or(Ok(0), Csv::sync)?;
        let state = State { length, columns: self.columns.state() };
        serde_json::to_string(&state).map_err(|error| OutputError::write(&self.path, error))
    }

    fn resume(&mut self, state: &str) -> Result<(), OutputError> {
        let damaged = || OutputError::damaged(&self.path);
        let state: State = serde_json::from_str(state).map_err(|_| damaged())?;
        self.columns.resume(&state.columns).ok_or_else(damaged)?;
        self.csv = Some(Csv::cut(&self.path, state.length)?);
        Ok(())
    }
}
