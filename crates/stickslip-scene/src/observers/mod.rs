//! What is written down while a run goes: each output is one file, and off unless asked for.

mod certificate;
mod columns;
mod csv;
mod paraview;
mod problems;
mod series;
mod vtk;

pub(crate) use columns::{Columns, centre};

use crate::build::Built;
use crate::reader::Fault;
use crate::run::Totals;
use crate::scene::Scene;
use std::path::{Path, PathBuf};
use stickslip::World;
use stickslip::report::StepReport;
use stickslip::rigid::Rigid;
use stickslip_geometry::space::Dim;
use stickslip_solvers::replace::{ReplaceError, replace};

/// What an observer sees.
pub(crate) struct View<'a, const D: usize>
where
    Dim<D>: Rigid<D>,
{
    pub world: &'a World<D>,
    /// Of the last step; none before the first.
    pub report: Option<&'a StepReport>,
    pub totals: &'a Totals,
}

/// An output. Its state goes into checkpoints, so that it can be taken up there.
pub(crate) trait Observer<const D: usize>: Send
where
    Dim<D>: Rigid<D>,
{
    /// The name of its state.
    fn name(&self) -> &'static str;
    /// Called before a step of a given size.
    fn before(&mut self, _world: &mut World<D>, _h: f64) -> Result<(), OutputError> {
        Ok(())
    }
    /// Called at the start and after every step.
    fn observe(&mut self, view: &View<D>) -> Result<(), OutputError>;
    /// Brings everything to the disk, and tells what a checkpoint must know.
    fn state(&mut self) -> Result<String, OutputError>;
    /// Goes on from what a checkpoint knows; what was written after it is dropped.
    fn resume(&mut self, state: &str) -> Result<(), OutputError>;
}

/// An output that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {fault}", path.display())]
pub struct OutputError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong, and the remedy.
    pub fault: String,
}

impl OutputError {
    pub(crate) fn write(path: &Path, error: impl std::fmt::Display) -> Self {
        let fault = format!("cannot be written ({error}); check the free space and the permissions");
        OutputError { path: path.into(), fault }
    }

    pub(crate) fn damaged(path: &Path) -> Self {
        let fault = "is not as the checkpoint left it; start anew with --force".into();
        OutputError { path: path.into(), fault }
    }
}

/// Writes a file as a whole or not at all.
pub(crate) fn write_whole(path: &Path, content: &[u8]) -> Result<(), OutputError> {
    let written = replace(path, |mut file| std::io::Write::write_all(&mut file, content));
    written.map_err(|error| match error {
        ReplaceError::NoFolder(folder) => OutputError {
            path: path.into(),
            fault: format!("the folder {} is gone; create it again", folder.display()),
        },
        ReplaceError::NotAFile => {
            OutputError { path: path.into(), fault: "is not a regular file; move it away".into() }
        }
        ReplaceError::Write(error) | ReplaceError::Content(error) => OutputError::write(path, error),
    })
}

/// Makes a folder inside that of the run.
pub(crate) fn make_folder(path: &Path) -> Result<(), OutputError> {
    std::fs::create_dir_all(path).map_err(|error| OutputError::write(path, error))
}

/// Whether something is due that happens every so often, in simulated time: at the start, and in the step that reaches
/// another multiple of the interval. It depends on the step alone, so that runs can be taken up anywhere.
pub(crate) fn is_due(every: f64, report: Option<&StepReport>) -> bool {
    let Some(report) = report else { return true };
    // times are sums of steps: a multiple may be missed by rounding
    let tick = |time: f64| (time / every + 1e-6).floor();
    every <= 0.0 || tick(report.time) > tick(report.time - report.h)
}

/// All outputs that a scene asks for, into a folder.
pub(crate) fn observers<const D: usize>(
    scene: &Scene,
    built: &Built<D>,
    folder: &Path,
) -> Result<Vec<Box<dyn Observer<D>>>, Fault>
where
    Dim<D>: Rigid<D>,
{
    let output = &scene.file.output;
    let mut all: Vec<Box<dyn Observer<D>>> = Vec::new();
    if let Some(series) = &output.series {
        let columns = Columns::new(scene, built)?;
        all.push(Box::new(series::Series::new(folder, series.value.every, columns)));
    }
    if output.certificate {
        all.push(Box::new(certificate::Certificate::new(folder)));
    }
    if let Some(paraview) = &output.paraview {
        all.push(Box::new(paraview::ParaView::new(folder, paraview.every, &built.groups)));
    }
    if let Some(problems) = &output.problems {
        all.push(Box::new(problems::Problems::new(folder, problems)));
    }
    Ok(all)
}

/// Names in the folder of a run that belong to outputs.
pub(crate) const FILES: [&str; 7] = [
    series::FILE,
    certificate::FILE,
    "bodies.pvd",
    "contacts.pvd",
    "meshes.pvd",
    paraview::FOLDER,
    problems::FOLDER,
];
