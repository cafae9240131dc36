//! Output files: refused before the work if they cannot be written, replaced only by complete ones.

use anyhow::{Context, Result, anyhow, bail};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use stickslip_solvers::replace::{ReplaceError, replace as replace_file};

/// Refuses a target that cannot be written, naming the option that asked for it.
pub fn check_target(option: &str, path: &Path) -> Result<()> {
    let place = || format!("{option} {}", path.display());
    if path.is_dir() {
        bail!("{}: this is a folder; give the name of a file", place());
    }
    if path.exists() && !path.is_file() {
        bail!("{}: this is not a regular file; give the name of one", place());
    }
    if let Some(folder) = path.parent()
        && !folder.as_os_str().is_empty()
        && !folder.is_dir()
    {
        bail!("{}: the folder {} does not exist; create it first", place(), folder.display());
    }
    // only an attempt tells: permissions, quotas and read-only disks differ between systems
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.part", std::process::id()));
    let temporary = path.with_file_name(name);
    File::create(&temporary)
        .with_context(|| format!("{}: cannot be written; check the permissions of its folder", place()))?;
    let _ = fs::remove_file(temporary);
    Ok(())
}

/// Refuses a target that is one of the inputs, by whatever path.
pub fn check_is_no_input(option: &str, target: &Path, inputs: &[PathBuf]) -> Result<()> {
    let Ok(place) = target.canonicalize() else { return Ok(()) };
    if inputs.iter().any(|input| input.canonicalize().is_ok_and(|input| input == place)) {
        bail!(
            "{option} {}: this is the problem itself, and what it holds would be lost; give another name",
            target.display()
        );
    }
    Ok(())
}

/// The problems of a command: files as given, and the files of folders by name.
pub fn problems(places: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for place in places {
        if !place.is_dir() {
            paths.push(place.clone());
            continue;
        }
        let entries = fs::read_dir(place)
            .with_context(|| format!("{}: cannot be read; check its permissions", place.display()))?;
        let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        found.retain(|path| path.extension().is_some_and(|ending| ending == "hdf5"));
        if found.is_empty() {
            bail!("{}: no file in this folder ends in .hdf5; name the files themselves", place.display());
        }
        found.sort();
        paths.append(&mut found);
    }
    Ok(paths)
}

/// Writes a file as a whole or not at all.
pub fn replace(path: &Path, content: &[u8]) -> Result<()> {
    let written = replace_file(path, |mut file| file.write_all(content));
    written.map_err(|error| {
        let fault = match error {
            ReplaceError::NoFolder(folder) => format!("the folder {} does not exist", folder.display()),
            ReplaceError::NotAFile => "this is not a regular file".into(),
            ReplaceError::Write(error) | ReplaceError::Content(error) => error.to_string(),
        };
        anyhow!("{}: cannot be written ({fault}); check the free space and the permissions", path.display())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_checked_and_leave_nothing_behind() {
        let folder = std::env::temp_dir().join(format!("stickslip-files-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let target = folder.join("a.svg");
        check_target("--profile", &target).unwrap();
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        replace(&target, b"one").unwrap();
        replace(&target, b"two").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"two");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        let around = folder.join("..").join(folder.file_name().unwrap()).join("a.svg");
        let inputs = [around];
        check_is_no_input("--json", &folder.join("b.svg"), &inputs).unwrap();
        assert!(check_is_no_input("--json", &target, &inputs).unwrap_err().to_string().contains("lost"));
        let refused = |path: &Path| check_target("--profile", path).unwrap_err().to_string();
        assert!(refused(&folder).contains("folder"));
        assert!(refused(&folder.join("none").join("a.svg")).contains("does not exist; create it"));
        fs::remove_dir_all(&folder).unwrap();
    }
}
