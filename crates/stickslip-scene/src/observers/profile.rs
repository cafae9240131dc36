//! `profile.csv`: the free surface over the first axis, one row a column of bodies.

use super::csv::{Table, number};
use super::{Observer, OutputError, View, is_due};
use crate::build::Built;
use crate::format::ProfileSpec;
use crate::measures::{group, heap};
use crate::reader::{Fault, Spot};
use std::path::Path;
use stickslip::BodyId;
use stickslip::rigid::Rigid;
use stickslip_geometry::space::Dim;

pub const FILE: &str = "profile.csv";

const COLUMNS: [&str; 4] = ["step", "time", "x", "height"];

pub struct Profile {
    every: f64,
    width: f64,
    group: Vec<BodyId>,
    table: Table,
}

impl Profile {
    pub fn new<const D: usize>(
        folder: &Path,
        spec: &ProfileSpec,
        spot: &Spot,
        built: &Built<D>,
    ) -> Result<Self, Fault>
    where
        Dim<D>: Rigid<D>,
    {
        let group = group(built, spec.group.as_deref()).map_err(|fault| fault.at(spot.key(&["group"])))?;
        let table = Table::new(folder.join(FILE), COLUMNS.map(String::from).to_vec());
        let (every, width) = (spot.every(spec.every)?, spot.positive("width", spec.width)?);
        Ok(Profile { every, width, group, table })
    }
}

impl<const D: usize> Observer<D> for Profile
where
    Dim<D>: Rigid<D>,
{
    fn name(&self) -> &'static str {
        FILE
    }

    fn observe(&mut self, view: &View<D>) -> Result<(), OutputError> {
        if !is_due(self.every, view.report) {
            return Ok(());
        }
        let table = self.table.begin()?;
        let (step, time) = (view.world.steps().to_string(), number(view.world.time()));
        for (x, height) in heap::surface(view.world, &self.group, 0.0, self.width) {
            table.row([step.clone(), time.clone(), number(x), number(height)])?;
        }
        Ok(())
    }

    fn state(&mut self) -> Result<String, OutputError> {
        Ok(self.table.sync()?.to_string())
    }

    fn resume(&mut self, state: &str) -> Result<(), OutputError> {
        self.table.resume(state.parse().map_err(|_| OutputError::damaged(self.table.path()))?)
    }
}
