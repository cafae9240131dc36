//! Runs that cannot begin or go on.

use crate::observers::OutputError;
use crate::reader::SceneError;
use std::path::PathBuf;
use stickslip::StepError;
use stickslip::checkpoint::CheckpointError;

/// A run that could not begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The scene cannot be built.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The folder is not to be written, or holds something else.
    #[error("{}: {fault}", path.display())]
    Folder {
        /// the folder
        path: PathBuf,
        /// what is wrong, and the remedy
        fault: String,
    },
    /// A step could not be done.
    #[error("step {step}: {fault}")]
    Step {
        /// its number, from 1
        step: usize,
        /// what is wrong
        fault: StepError,
    },
    /// An output could not be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A checkpoint was not written or not taken up.
    #[error("{}", in_words_of_runs(.0))]
    Checkpoint(#[from] CheckpointError),
}

impl RunError {
    /// Whether the run can go on from its last checkpoint once the cause is gone: something could not be written.
    pub fn can_go_on(&self) -> bool {
        matches!(self, RunError::Output(_) | RunError::Checkpoint(CheckpointError::Write { .. }))
    }
}

/// What is wrong with a checkpoint, with the remedy as the command line has it.
fn in_words_of_runs(error: &CheckpointError) -> String {
    let (path, fault) = match error {
        CheckpointError::Write { path, fault } => {
            (path, format!("cannot be written ({fault}); check the free space and the permissions"))
        }
        CheckpointError::Read { .. } => return error.to_string(),
        CheckpointError::Stranger { path } => {
            let fault = "is not a checkpoint of this version of stickslip; go on with the version that wrote it, \
                         or start anew with --force in the place of --resume";
            (path, fault.into())
        }
        CheckpointError::Damaged { path } => {
            let fault = "is damaged or cut off; put a copy of it back, or start anew with --force in the place of \
                         --resume";
            (path, fault.into())
        }
        CheckpointError::Other { path, fault } => {
            let remedy = "give the scene and the settings of the run to go on, or start anew with --force";
            (path, format!("belongs to another scene, or to other settings ({fault}); {remedy}"))
        }
    };
    format!("{}: {fault}", path.display())
}
