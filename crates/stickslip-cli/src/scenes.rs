//! Scenes as the command line names them: a file, or a built-in one.

use anyhow::{Result, anyhow};
use std::path::{Path, PathBuf};
use stickslip_scene::nearest::did_you_mean;
use stickslip_scene::{Scene, SceneError, builtin};

/// What is run where nobody chooses.
fn default() -> &'static str {
    builtin::SCENES[0].0
}

/// Reads a scene by its file or its built-in name, with settings.
pub fn read(name: Option<&str>, settings: &[String]) -> Result<Scene> {
    find(name, settings)?.map_err(|error| anyhow!("{error}"))
}

/// The same, where what is wrong with the scene itself is kept apart.
pub fn find(name: Option<&str>, settings: &[String]) -> Result<Result<Scene, SceneError>> {
    let name = name.unwrap_or(default());
    let path = Path::new(name);
    // a folder may well have the name of a scene
    if path.is_file() || path.extension().is_some() {
        return Ok(Scene::read(path, settings));
    }
    Scene::built_in(name, settings).ok_or_else(|| {
        let all = || {
            let known: Vec<&str> = builtin::names().collect();
            format!("give a file such as scene.toml, or one of {}", known.join(", "))
        };
        let near = did_you_mean(name, builtin::names()).unwrap_or_else(all);
        anyhow!("there is no file and no built-in scene \"{name}\"; {near}")
    })
}

/// The folder of a scene's results, where nobody chooses.
pub fn folder(scene: &Scene, kind: &str) -> PathBuf {
    PathBuf::from(format!("{}-{kind}", scene.name))
}
