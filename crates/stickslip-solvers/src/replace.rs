//! Files that are replaced as a whole or not at all: the new content is written beside the old one, then takes its name.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Why a file was not replaced; the old one is as it was.
#[derive(Debug)]
pub enum ReplaceError<E> {
    /// The folder of the file does not exist.
    NoFolder(PathBuf),
    /// The path leads to something else, such as a folder or a device.
    NotAFile,
    /// The system refused.
    Write(io::Error),
    /// The content could not be made.
    Content(E),
}

/// Writes a file by `content`. Whatever goes wrong, the path has its old content or the complete new one.
pub fn replace<E>(path: &Path, content: impl FnOnce(&File) -> Result<(), E>) -> Result<(), ReplaceError<E>> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        return Err(ReplaceError::NoFolder(folder.to_path_buf()));
    }
    // through a link to the file itself; a device or a pipe is never replaced by a file
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let existing = fs::metadata(&target).ok();
    if existing.as_ref().is_some_and(|metadata| !metadata.is_file()) {
        return Err(ReplaceError::NotAFile);
    }
    let (temporary, file) = Temporary::create(&target).map_err(ReplaceError::Write)?;
    content(&file).map_err(ReplaceError::Content)?;
    if let Some(metadata) = existing {
        file.set_permissions(metadata.permissions()).map_err(ReplaceError::Write)?;
    }
    // on the disk before the name points to it, else a crash could leave an empty file
    file.sync_all().map_err(ReplaceError::Write)?;
    drop(file);
    temporary.rename(&target).map_err(ReplaceError::Write)?;
    // The rename itself reaches the disk with the folder. Not every system can sync a folder, and
    // the file is complete either way.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// A new file beside the target, removed unless it takes the target's name.
struct Temporary(Option<PathBuf>);

impl Temporary {
    fn create(target: &Path) -> io::Result<(Self, File)> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let no_name = || io::Error::new(io::ErrorKind::InvalidInput, "the path has no file name");
        let name = target.file_name().ok_or_else(no_name)?;
        loop {
            let mut hidden = OsString::from(".");
            hidden.push(name);
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            hidden.push(format!(".{}-{count}.tmp", std::process::id()));
            let path = target.with_file_name(hidden);
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok((Self(Some(path)), file)),
                // left by a crashed process of the same number
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(e) => return Err(e),
            }
        }
    }

    fn rename(mut self, target: &Path) -> io::Result<()> {
        if let Some(path) = &self.0 {
            fs::rename(path, target)?;
        }
        self.0 = None;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            let _ = fs::remove_file(path);
        }
    }
}
