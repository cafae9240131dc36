//! Every built-in scene is listed, has no warnings, and its first steps are certified.

use std::path::Path;
use stickslip::rigid::Rigid;
use stickslip_geometry::space::Dim;
use stickslip_scene::check::check;
use stickslip_scene::{Scene, builtin, schema};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn steps<const D: usize>(scene: &Scene)
where
    Dim<D>: Rigid<D>,
{
    let mut world = scene.build::<D>().unwrap().world;
    for step in 1..=3 {
        let report = world.step(scene.file.time.value.step).unwrap();
        assert!(report.converged(), "{} step {step}", scene.name);
    }
}

#[test]
fn built_in_scenes_build_and_step() {
    for name in builtin::names() {
        let scene = Scene::built_in(name, &[]).unwrap().unwrap_or_else(|error| panic!("{error}"));
        assert!(!scene.file.title.is_empty(), "{name}");
        let findings = check(&scene).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((findings.refused, findings.warnings), (None, vec![]), "{name}");
        if scene.dimension() == 2 { steps::<2>(&scene) } else { steps::<3>(&scene) }
    }
}

#[test]
fn every_file_of_the_folder_is_built_in() {
    let mut files: Vec<String> = std::fs::read_dir(root().join("scenes"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_string())
        .collect();
    files.sort();
    let mut names: Vec<&str> = builtin::names().collect();
    names.sort_unstable();
    assert_eq!(files, names);
}

#[test]
fn schema_and_reference_are_current() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap_or_default();
    let remedy = "is not current; write it anew by `stickslip schema`, with --reference for the page";
    let schema_text = serde_json::to_string_pretty(&schema::schema()).unwrap();
    assert!(read("scenes/schema.json").trim_end() == schema_text, "scenes/schema.json {remedy}");
    assert!(
        read("book/src/scene_reference.md").trim_end() == schema::reference().trim_end(),
        "scene_reference.md {remedy}"
    );
}
