//! The folder of a run: whose it is, who writes to it, and what belongs to it.

use super::lock::{LOCK, Lock, is_locked};
use super::record::{Record, RunStatus};
use super::{Options, RunError};
use crate::observers::{FOLDERS, OutputError, is_output, write_whole};
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
    _lock: Lock,
}

impl Folder {
    /// Makes the folder and locks it, or refuses one that holds something else or is being written to.
    pub fn claim(scene: &Scene, options: &Options) -> Result<Self, RunError> {
        let path = options.out.clone();
        let refuse = |fault: String| RunError::Folder { path: path.clone(), fault };
        may_take(scene, options).map_err(refuse)?;
        fs::create_dir_all(&path).map_err(|error| {
            refuse(format!("cannot be made ({error}); check the permissions, or give another --out"))
        })?;
        let lock = Lock::take(&path).map_err(refuse)?;
        // who had it before may just have ended
        may_take(scene, options).map_err(refuse)?;
        remove_halves(&path);
        FOLDERS.iter().for_each(|name| remove_halves(&path.join(name)));
        Ok(Folder { path, _lock: lock })
    }

    pub fn checkpoint(&self) -> PathBuf {
        self.path.join(CHECKPOINT)
    }

    /// The record that an earlier run has left.
    pub fn record(&self) -> Option<Record> {
        read(&self.path)
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

/// Whether a run may take a folder; why not otherwise, and the remedy.
fn may_take(scene: &Scene, options: &Options) -> Result<(), String> {
    let path = &options.out;
    if path.exists() && !path.is_dir() {
        return Err("this is not a folder; give another --out".into());
    }
    let (old, begun) = (read::<Known>(path), path.join(CHECKPOINT).is_file());
    if options.resume {
        return match old {
            Some(_) if begun => Ok(()),
            _ => Err("there is no run to go on with; start it without --resume, or give its --out".into()),
        };
    }
    if options.force {
        return Ok(());
    }
    let go_on = "go on with --resume, or start anew with --force";
    match old {
        Some(old) if old.scene != scene.name => {
            Err(format!("this folder holds a run of {}; give another --out, or --force", old.scene))
        }
        Some(old) if old.status == RunStatus::Interrupted => {
            Err(format!("this run was interrupted; {go_on}"))
        }
        Some(old) if old.status == RunStatus::Running && begun && !is_locked(path) => {
            Err(format!("this run was killed; {go_on}"))
        }
        None if holds_anything(path) => {
            Err("this folder holds other files; give another --out, or --force".into())
        }
        _ => Ok(()),
    }
}

fn holds_anything(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| entry.file_name() != LOCK)
}

/// Removes files that killed runs have left unfinished.
fn remove_halves(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    // .NAME.PROCESS-COUNT.tmp of files that are replaced as a whole, .NAME.PROCESS.part.ENDING of movies
    let number = |text: &str| text.chars().all(|c| c.is_ascii_digit() || c == '-');
    let half = |name: &str| {
        let parts: Vec<&str> = name.strip_prefix('.').unwrap_or_default().split('.').collect();
        matches!(parts[..], [_, .., process, "tmp"] | [_, .., process, "part", _] if number(process))
    };
    for entry in entries.filter(|entry| entry.file_name().to_str().is_some_and(half)) {
        let _ = fs::remove_file(entry.path());
    }
}

/// What a folder tells of the run in it.
#[derive(Deserialize)]
struct Known {
    scene: String,
    status: RunStatus,
}

/// The record in a folder, if there is one.
fn read<T: for<'a> Deserialize<'a>>(folder: &Path) -> Option<T> {
    serde_json::from_str(&fs::read_to_string(folder.join(RECORD)).ok()?).ok()
}

/// What an earlier attempt at the same run has left.
pub enum Earlier {
    /// Nothing that could be used.
    Nothing,
    /// The whole run.
    Done(Box<Record>),
    /// A checkpoint to go on from.
    Begun,
    /// A run of another scene, or with other settings.
    Other,
}

impl Earlier {
    /// Looks into the folder of a run.
    pub fn find(scene: &Scene, folder: &Path) -> Self {
        let Some(record) = read::<Record>(folder) else { return Earlier::Nothing };
        if record.fingerprint != scene.fingerprint() || record.scene != scene.name {
            return Earlier::Other;
        }
        match record.status {
            RunStatus::Finished => Earlier::Done(Box::new(record)),
            _ if folder.join(CHECKPOINT).is_file() => Earlier::Begun,
            _ => Earlier::Nothing,
        }
    }
}
