//! Output files: written beside their target first, so that no half of one is ever seen. Movies grow for as long as a run
//! does, and other programs write them too: they are parts; all else is replaced at once.

use crate::error::PictureError;
use std::fs::{self, File};
use std::io::{Error, ErrorKind, Write};
use std::path::{Path, PathBuf};
use stickslip_solvers::replace::{ReplaceError, replace};

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
    let written = replace(target, |mut file| file.write_all(content));
    written.map_err(|error| {
        let source = match error {
            ReplaceError::NoFolder(_) => ErrorKind::NotFound.into(),
            ReplaceError::NotAFile => Error::other("not a regular file"),
            ReplaceError::Write(source) | ReplaceError::Content(source) => source,
        };
        PictureError::Write { path: target.into(), source }
    })
}
