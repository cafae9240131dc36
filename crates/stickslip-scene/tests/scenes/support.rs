//! Folders of runs, and runs to their end.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use stickslip_scene::{Options, Record, Scene, run};

/// A folder that goes away with the test.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Folder(path)
    }

    /// Every file and what it holds, but for times of the wall.
    pub fn content(&self) -> BTreeMap<String, Vec<u8>> {
        fn walk(path: &Path, prefix: &str, all: &mut BTreeMap<String, Vec<u8>>) {
            for entry in fs::read_dir(path).unwrap().map(Result::unwrap) {
                let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
                if entry.path().is_dir() {
                    walk(&entry.path(), &format!("{name}/"), all);
                } else if name != "run.json" {
                    all.insert(name, fs::read(entry.path()).unwrap());
                }
            }
        }
        let mut all = BTreeMap::new();
        walk(&self.0, "", &mut all);
        all
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub fn scene(text: &str) -> Scene {
    Scene::parse("settling", "settling.toml", text, None, &[]).unwrap_or_else(|error| panic!("{error}"))
}

pub fn whole(scene: &Scene, folder: &Folder) -> Record {
    run(scene, &Options::new(&folder.0), &mut |_| true).unwrap_or_else(|error| panic!("{error}"))
}
