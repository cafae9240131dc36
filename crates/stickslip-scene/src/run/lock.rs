//! Who writes to a folder: one run or one study at a time.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::Path;

/// Locked while something is written to the folder; holds who does. The system frees it when that process ends, however it
/// does.
pub const LOCK: &str = ".lock";

/// A folder that nobody else writes to.
pub struct Lock(File);

impl Lock {
    /// Locks a folder, or tells who has it; a lock that a dead process has left is none.
    pub fn take(folder: &Path) -> Result<Self, String> {
        let path = folder.join(LOCK);
        let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = open.map_err(|error| {
            format!(
                "cannot be written ({error}); check the permissions and the free space, or give another --out"
            )
        })?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let holder = fs::read_to_string(&path).unwrap_or_default();
                let holder = if holder.trim().is_empty() { "another process" } else { holder.trim() };
                Err(format!(
                    "a run or a study is being written here by {holder}; wait for its end, or give another --out"
                ))
            }
            // not every file system can lock: the run goes on without
            Err(TryLockError::Error(_)) | Ok(()) => {
                let _ = file.set_len(0).and_then(|()| write!(file, "process {}", std::process::id()));
                Ok(Lock(file))
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // the file stays: were it removed, another process could lock the removed one
        let _ = self.0.set_len(0);
    }
}

/// Whether another process, or another run of this one, writes to a folder.
pub fn is_locked(folder: &Path) -> bool {
    File::open(folder.join(LOCK)).is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}
