//! What is written down while a run goes: each output is one file, and off unless asked for.

mod certificate;
mod columns;
mod csv;
mod look;
mod movie;
mod paraview;
mod picture;
mod problems;
mod profile;
mod series;
mod trajectory;
mod vtk;

pub(crate) use columns::{COMMON, Columns, TABLE_COLUMNS, centre};

use crate::build::Built;
use crate::reader::Fault;
use crate::run::Options;
use crate::scene::Scene;
use std::path::{Path, PathBuf};
use stickslip::World;
use stickslip::report::{Ledger, StepReport};
use stickslip::rigid::Rigid;
use stickslip_geometry::space::Dim;
use stickslip_pictures::{Depict, PictureError};
use stickslip_solvers::replace::{ReplaceError, replace};

/// What an observer sees.
pub(crate) struct View<'a, const D: usize>
where
    Dim<D>: Rigid<D>,
{
    pub world: &'a World<D>,
    /// Of the last step; none before the first.
    pub report: Option<&'a StepReport>,
    pub totals: &'a Ledger,
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
    /// Begins in the middle of a run, whose checkpoint does not know of it; tells the names of what lacks its beginning.
    fn begin_late(&mut self) -> Vec<String> {
        self.files()
    }
    /// Called when the run ends, however it does.
    fn finish(&mut self, _view: &View<D>) -> Result<(), OutputError> {
        Ok(())
    }
    /// Called when the run has reached its end: what only served to take it up may go.
    fn close(&mut self) {}
    /// The names of what it has written, in the folder of the run unless they are paths.
    fn files(&self) -> Vec<String> {
        vec![self.name().into()]
    }
    /// What a user should know of it.
    fn note(&self) -> Option<String> {
        None
    }
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
    replace_by(path, |mut file| std::io::Write::write_all(&mut file, content))
}

/// The same by a function.
pub(crate) fn replace_by<E: std::fmt::Display>(
    path: &Path,
    content: impl FnOnce(&std::fs::File) -> Result<(), E>,
) -> Result<(), OutputError> {
    replace(path, content).map_err(|error| match error {
        ReplaceError::NoFolder(folder) => OutputError {
            path: path.into(),
            fault: format!("the folder {} is gone; create it again", folder.display()),
        },
        ReplaceError::NotAFile => {
            OutputError { path: path.into(), fault: "is not a regular file; move it away".into() }
        }
        ReplaceError::Write(error) => OutputError::write(path, error),
        ReplaceError::Content(error) => OutputError::write(path, error),
    })
}

/// What is wrong with a picture names its file itself, or not.
pub(crate) fn not_drawn(path: &Path, error: &PictureError) -> OutputError {
    let text = error.to_string();
    let fault = text.strip_prefix(&format!("{}: ", path.display())).unwrap_or(&text);
    OutputError { path: path.into(), fault: fault.into() }
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
    tick(report.time) > tick(report.time - report.h)
}

/// All outputs that a scene or the options of a run ask for.
pub(crate) fn observers<const D: usize>(
    scene: &Scene,
    built: &Built<D>,
    options: &Options,
) -> Result<Vec<Box<dyn Observer<D>>>, Fault>
where
    Dim<D>: Depict<D>,
{
    let (output, folder) = (&scene.file.output.value, options.out.as_path());
    // a look may be wrong though nobody draws
    look::style::<D>(scene, picture::SIZE)?;
    let mut all: Vec<Box<dyn Observer<D>>> = Vec::new();
    if let Some(series) = &output.series {
        let columns = Columns::new(scene, built)?;
        let every = series.value.every.map(|every| scene.spot(series).every(every)).transpose()?;
        all.push(Box::new(series::Series::new(folder, every, columns)));
    }
    if let Some(profile) = &output.profile {
        all.push(Box::new(profile::Profile::new(folder, &profile.value, scene.spot(profile), built)?));
    }
    if output.certificate {
        all.push(Box::new(certificate::Certificate::new(folder)));
    }
    if let Some(paraview) = &output.paraview {
        let every = scene.spot(paraview).every(paraview.value.every)?;
        all.push(Box::new(paraview::ParaView::new(folder, every, &built.groups)));
    }
    if let Some(problems) = &output.problems {
        all.push(Box::new(problems::Problems::new(folder, problems, scene, built)?));
    }
    if let Some(trajectory) = &output.trajectory {
        let every = scene.spot(trajectory).every(trajectory.value.every)?;
        all.push(Box::new(trajectory::Trajectory::<D>::new(folder, every, scene)));
    }
    if output.picture.is_some() || options.picture.is_some() {
        all.push(Box::new(picture::Pictures::<D>::new(scene, options)?));
    }
    if output.movie.is_some() || options.movie.is_some() {
        all.push(Box::new(movie::Reel::<D>::new(scene, options)?));
    }
    Ok(all)
}

/// Names in the folder of a run that belong to outputs.
const FILES: [&str; 7] = [
    series::FILE,
    profile::FILE,
    certificate::FILE,
    "bodies.pvd",
    "contacts.pvd",
    "meshes.pvd",
    picture::FILE,
];

/// Folders inside that of a run.
pub(crate) const FOLDERS: [&str; 4] = [paraview::FOLDER, problems::FOLDER, picture::FOLDER, movie::KEPT];

/// Outputs of which there may be several, with numbers behind their names.
const NUMBERED: [&str; 2] = ["movie", "trajectory"];

/// Whether a name in the folder of a run belongs to an output.
pub(crate) fn is_output(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    let stem = stem.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('-');
    FILES.contains(&name) || FOLDERS.contains(&name) || NUMBERED.contains(&stem)
}

/// A path as it is told: the name alone of what is in the folder of the run.
pub(crate) fn shown(path: &Path, folder: &Path) -> String {
    path.strip_prefix(folder).unwrap_or(path).display().to_string()
}
