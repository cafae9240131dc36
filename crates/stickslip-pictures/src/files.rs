//! Output files: written beside their target first, so that no half of one is ever seen.

use crate::error::PictureError;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A file in the making; it takes its name when it is complete, and is gone if it never is.
#[derive(Debug)]
pub struct Part {
    target: PathBuf,
    path: PathBuf,
    done: bool,
}

impl Part {
    /// Of a target; keeps its ending, by which other programs know the kind.
    pub fn of(target: &Path) -> Self {
        let ending = target.extension().unwrap_or_default().to_string_lossy().into_owned();
        let stem = target.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let path = target.with_file_name(format!(".{stem}.{}.part.{ending}", std::process::id()));
        Part { target: target.to_path_buf(), path, done: false }
    }

    /// Where it is written.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Begins it.
    pub fn create(&self) -> Result<File, PictureError> {
        File::create(&self.path).map_err(|source| self.error(source))
    }

    /// Gives it its name.
    pub fn finish(mut self) -> Result<(), PictureError> {
        fs::rename(&self.path, &self.target).map_err(|source| self.error(source))?;
        self.done = true;
        Ok(())
    }

    /// What went wrong, with the name of the target.
    pub fn error(&self, source: std::io::Error) -> PictureError {
        PictureError::Write { path: self.target.clone(), source }
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if !self.done {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Writes a whole file.
pub fn write(target: &Path, content: &[u8]) -> Result<(), PictureError> {
    let part = Part::of(target);
    let mut file = part.create()?;
    file.write_all(content).and_then(|()| file.sync_all()).map_err(|source| part.error(source))?;
    part.finish()
}
