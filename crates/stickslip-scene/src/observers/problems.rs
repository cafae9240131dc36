//! `problems/step-….hdf5`: the contact problems of chosen steps as FCLIB files.

use super::{Observer, OutputError, View, make_folder};
use crate::format::ProblemsSpec;
use std::path::{Path, PathBuf};
use stickslip::World;
use stickslip::rigid::Rigid;
use stickslip_geometry::space::Dim;

pub const FOLDER: &str = "problems";

pub struct Problems {
    folder: PathBuf,
    chosen: ProblemsSpec,
}

impl Problems {
    pub fn new(folder: &Path, chosen: &ProblemsSpec) -> Self {
        Problems { folder: folder.join(FOLDER), chosen: chosen.clone() }
    }

    fn is_chosen(&self, step: usize) -> bool {
        let ProblemsSpec { steps, every } = &self.chosen;
        steps.contains(&step) || (*every > 0 && step.is_multiple_of(*every))
    }
}

impl<const D: usize> Observer<D> for Problems
where
    Dim<D>: Rigid<D>,
{
    fn name(&self) -> &'static str {
        FOLDER
    }

    fn before(&mut self, world: &mut World<D>, h: f64) -> Result<(), OutputError> {
        let step = world.steps() + 1;
        if !self.is_chosen(step) {
            return Ok(());
        }
        make_folder(&self.folder)?;
        let path = self.folder.join(format!("step-{step:08}.hdf5"));
        let refused = |fault: String| OutputError { path: path.clone(), fault };
        match world.export(h).map_err(|error| refused(error.to_string()))? {
            Some(problem) => problem.write(&path).map_err(|error| refused(error.to_string())),
            None => Ok(()),
        }
    }

    fn observe(&mut self, _view: &View<D>) -> Result<(), OutputError> {
        Ok(())
    }

    fn state(&mut self) -> Result<String, OutputError> {
        Ok(String::new())
    }

    fn resume(&mut self, _state: &str) -> Result<(), OutputError> {
        Ok(())
    }
}
