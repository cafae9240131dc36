//! The folder of a run: whose it is, and what belongs to it.

use super::record::{Record, RunStatus};
use super::{Options, RunError};
use crate::observers::{OutputError, is_output, write_whole};
use crate::scene::Scene;
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};

/// The record of the run.
pub const RECORD: &str = "run.json";
/// The state from which it can be taken up.
pub const CHECKPOINT: &str = "checkpoint.bin";

pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Makes the folder, or refuses one that holds something else.
    pub fn claim(scene: &Scene, options: &Options) -> Result<Self, RunError> {
        let path = options.out.clone();
        let refuse = |fault: String| Err(RunError::Folder { path: path.clone(), fault });
        if path.exists() && !path.is_dir() {
            return refuse("this is not a folder; give another --out".into());
        }
        let old = read_record(&path);
        if options.resume {
            return match old {
                Some(_) if path.join(CHECKPOINT).is_file() => Ok(Folder { path }),
                _ => refuse(
                    "there is no run to go on with; start it without --resume, or give its --out".into(),
                ),
            };
        }
        let strange = path.is_dir() && fs::read_dir(&path).is_ok_and(|mut entries| entries.next().is_some());
        match old {
            _ if options.force => {}
            Some(old) if old.scene != scene.name => {
                return refuse(format!(
                    "this folder holds a run of {}; give another --out, or --force",
                    old.scene
                ));
            }
            Some(old) if old.status == RunStatus::Interrupted => {
                return refuse(
                    "this run was interrupted; go on with --resume, or start anew with --force".into(),
                );
            }
            None if strange => {
                return refuse("this folder holds other files; give another --out, or --force".into());
            }
            _ => {}
        }
        if let Err(error) = fs::create_dir_all(&path) {
            return refuse(format!("cannot be made ({error}); check the permissions, or give another --out"));
        }
        Ok(Folder { path })
    }

    pub fn checkpoint(&self) -> PathBuf {
        self.path.join(CHECKPOINT)
    }

    /// Removes what an earlier run has left.
    pub fn clear(&self) -> Result<(), OutputError> {
        let entries = fs::read_dir(&self.path).map_err(|error| OutputError::write(&self.path, error))?;
        let ours = |name: &str| name == CHECKPOINT || is_output(name);
        for entry in entries.flatten().filter(|entry| entry.file_name().to_str().is_some_and(ours)) {
            let path = entry.path();
            let folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let removed = if folder { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            removed.map_err(|error| OutputError::write(&path, error))?;
        }
        Ok(())
    }

    pub fn write(&self, record: &Record) -> Result<(), OutputError> {
        let path = self.path.join(RECORD);
        let mut text =
            serde_json::to_string_pretty(record).map_err(|error| OutputError::write(&path, error))?;
        text.push('\n');
        write_whole(&path, text.as_bytes())
    }
}

/// What a folder tells of the run in it.
#[derive(Deserialize)]
struct Known {
    scene: String,
    status: RunStatus,
}

/// The record in a folder, if there is one.
fn read_record(folder: &Path) -> Option<Known> {
    serde_json::from_str(&fs::read_to_string(folder.join(RECORD)).ok()?).ok()
}
