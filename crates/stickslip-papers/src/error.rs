//! Experiments that cannot be done.

use std::path::PathBuf;
use stickslip::contacts::MaterialError;
use stickslip::{BodyError, StepError};
use stickslip_geometry::shape::ShapeError;
use stickslip_pictures::PictureError;
use stickslip_scene::SceneError;
use stickslip_solvers::panel::SettingsError;

/// An experiment that cannot be done.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    /// A scene that cannot be read or built.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A shape that is none.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A body that is none.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// A material that is none.
    #[error(transparent)]
    Material(#[from] MaterialError),
    /// A step that cannot be done.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A solver that is none.
    #[error(transparent)]
    Solver(#[from] SettingsError),
    /// A figure that cannot be drawn or written.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// A table that cannot be written.
    #[error("{path}: cannot be written ({fault}); check the free space and the permissions")]
    Write {
        /// the file
        path: PathBuf,
        /// why
        fault: String,
    },
    /// Something that the analysis needs and the run does not have.
    #[error("{0}")]
    Missing(String),
}

/// What an experiment gives.
pub type Result<T> = std::result::Result<T, ExperimentError>;
