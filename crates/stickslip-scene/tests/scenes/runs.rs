//! Runs: outputs, checkpoints to the last bit, and folders that are not overwritten.

use crate::support::{Folder, scene, whole};
use std::fs;
use std::sync::Mutex;
use stickslip_scene::run::RunStatus;
use stickslip_scene::sweep::{Range, sweep};
use stickslip_scene::{Options, Scene, run};

/// Disks that settle in a box, with every output.
const SETTLING: &str = r#"
dimension = 2
seed = 3
time = { step = 1e-3, end = 0.2 }
solver = { tolerance = 1e-7 }
[[packing]]
name = "walls"
container = { region = { box = { low = [0, 0], high = [0.1, 0.2] } } }
[[packing]]
name = "grains"
fill = { region = { box = { low = [0, 0], high = [0.1, 0.1] } }, sizes = { uniform = [0.012, 0.02] }, number = 20 }
[[measure]]
name = "fallen"
of = { flow = { at = [0, 0.03], normal = [0, -1] } }
[[measure]]
name = "z"
of = "coordination"
[output]
series = { every = 0.01, bodies = ["grains-3"], groups = ["grains"], forces = ["walls"] }
certificate = true
paraview = { every = 0.05 }
problems = { every = 60 }
trajectory = { every = 0.02 }
"#;

#[test]
fn a_run_writes_what_was_asked_for_and_a_record() {
    let (scene, folder) = (scene(SETTLING), Folder::new("outputs"));
    let record = whole(&scene, &folder);
    assert_eq!((record.status, record.steps), (RunStatus::Finished, 200));
    assert!(record.certificate.certified, "{}", record.certificate.summary());
    let content = folder.content();
    let lines = |name: &str| String::from_utf8(content[name].clone()).unwrap().lines().count();
    // head, start, and one in ten steps
    assert_eq!((lines("series.csv"), lines("certificate.csv")), (1 + 1 + 20, 1 + 200));
    let judged = String::from_utf8_lossy(&content["certificate.csv"]);
    assert!(judged.starts_with("step,") && judged.contains(",penetration,lift,joint_opening,joint_turn,"));
    let names: Vec<&str> = content.keys().map(String::as_str).filter(|name| name.contains('/')).collect();
    assert_eq!(names.iter().filter(|name| name.starts_with("paraview/")).count(), 3 * 5);
    assert_eq!(names.iter().filter(|name| name.starts_with("problems/")).count(), 3);
    assert!(stickslip_solvers::fclib::Fclib::read(&folder.0.join("problems/step-00000120.hdf5")).is_ok());
    let json: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(folder.0.join("run.json")).unwrap()).unwrap();
    assert_eq!(json["sources"][0]["text"], SETTLING);
    assert_eq!(json["certificate"]["certified"], true);
    assert_eq!(json["last"]["fallen"], serde_json::json!(record.last["fallen"]));
}

#[test]
fn a_run_says_why_steps_missed() {
    let squeezed = r#"
dimension = 2
time = { step = 1e-3, end = 0.01 }
[[body]]
half_space = {}
fixed = true
[[body]]
ball = { radius = 0.1 }
at = [0, 0.1]
[[body]]
box = { size = [1, 0.1] }
at = [0, 0.2501]
drive = { v = { constant = [0, -0.1] } }
"#;
    let record = whole(&scene(squeezed), &Folder::new("squeezed"));
    assert!(!record.certificate.certified);
    assert!(record.notes.iter().any(|note| note.contains("squeeze others")), "{:?}", record.notes);
}

#[test]
fn an_interrupted_run_goes_on_to_the_same_bits() {
    let scene = scene(SETTLING);
    let (straight, broken) = (Folder::new("straight"), Folder::new("broken"));
    whole(&scene, &straight);
    let stopped = run(&scene, &Options::new(&broken.0), &mut |now| now.steps < 77).unwrap();
    assert_eq!((stopped.status, stopped.steps), (RunStatus::Interrupted, 77));
    // what a killed process leaves behind its last checkpoint is dropped
    let series = broken.0.join("series.csv");
    let text = fs::read_to_string(&series).unwrap();
    fs::write(&series, text + "79.0,0.079,half a ro").unwrap();
    // nor is the run begun anew by accident
    let again = run(&scene, &Options::new(&broken.0), &mut |_| true).unwrap_err().to_string();
    assert!(again.contains("--resume"), "{again}");
    let resume = Options { resume: true, ..Options::new(&broken.0) };
    let record = run(&scene, &resume, &mut |_| true).unwrap();
    assert_eq!((record.status, record.steps), (RunStatus::Finished, 200));
    let (a, b) = (straight.content(), broken.content());
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    for (name, bytes) in &a {
        assert!(bytes == &b[name], "{name} differs");
    }
    let finished = run(&scene, &resume, &mut |_| true).unwrap_err().to_string();
    assert!(finished.contains("--end"), "{finished}");
}

#[test]
fn a_trajectory_holds_every_frame_of_every_body() {
    let (scene, folder) = (scene(SETTLING), Folder::new("trajectory"));
    let record = whole(&scene, &folder);
    let file = hdf5_pure::File::open(folder.0.join("trajectory.hdf5")).unwrap();
    let read = |name: &str| file.dataset(name).unwrap().read_f64().unwrap();
    let shape = |name: &str| file.dataset(name).unwrap().shape().unwrap();
    let bodies = record.bodies as u64;
    assert_eq!((shape("time"), shape("position")), (vec![11], vec![11, bodies, 2]));
    assert_eq!((shape("orientation"), shape("spin")), (vec![11, bodies, 1], vec![11, bodies, 1]));
    let names = file.dataset("bodies/name").unwrap().read_string().unwrap();
    let body = names.iter().position(|name| name == "grains-3").unwrap();
    let (x, v) = (read("position"), read("velocity"));
    let last = 2 * (10 * record.bodies + body);
    assert_eq!(x[last..last + 2], [record.last["grains-3.x"], record.last["grains-3.y"]]);
    assert_eq!(v[last..last + 2], [record.last["grains-3.v_x"], record.last["grains-3.v_y"]]);
    assert!((read("time")[10] - 0.2).abs() < 1e-9);
    let attributes = file.dataset("velocity").unwrap().attrs().unwrap();
    assert_eq!(attributes["unit"].as_str(), Some("length/time"));
}

#[test]
fn folders_of_others_are_refused() {
    let (scene, folder) = (scene(SETTLING), Folder::new("refused"));
    let refused = |options: &Options| run(&scene, options, &mut |_| false).unwrap_err().to_string();
    let options = Options::new(&folder.0);
    let resume = Options { resume: true, ..options.clone() };
    assert!(refused(&resume).contains("there is no run to go on with"));
    fs::create_dir_all(&folder.0).unwrap();
    fs::write(folder.0.join("thesis.tex"), "mine").unwrap();
    assert!(refused(&options).contains("other files"));
    let forced = run(&scene, &Options { force: true, ..options.clone() }, &mut |_| false).unwrap();
    assert_eq!(forced.status, RunStatus::Interrupted);
    assert_eq!(fs::read_to_string(folder.0.join("thesis.tex")).unwrap(), "mine");
    let text = SETTLING.replace("seed = 3", "seed = 4");
    let changed = Scene::parse("settling", "settling.toml", &text, None, &[]).unwrap();
    let error = run(&changed, &resume, &mut |_| true).unwrap_err().to_string();
    assert!(error.contains("another"), "{error}");
    let other = Scene::parse("other", "other.toml", SETTLING, None, &[]).unwrap();
    assert!(run(&other, &options, &mut |_| true).unwrap_err().to_string().contains("a run of settling"));
    let file = Options::new(folder.0.join("thesis.tex"));
    assert!(refused(&file).contains("not a folder"));
    let below = Options::new(folder.0.join("thesis.tex/run"));
    assert!(refused(&below).contains("cannot be made"));
}

#[test]
fn outputs_and_measures_may_be_added_when_a_run_is_taken_up() {
    let plain = SETTLING.replace("certificate = true\n", "").replace("trajectory = { every = 0.02 }\n", "");
    let folder = Folder::new("added");
    run(&scene(&plain), &Options::new(&folder.0), &mut |now| now.steps < 77).unwrap();
    let resume = Options { resume: true, ..Options::new(&folder.0) };
    // another world is another run, and a table has one set of columns
    let other =
        run(&scene(&plain.replace("seed = 3", "seed = 4")), &resume, &mut |_| true).unwrap_err().to_string();
    assert!(other.contains("belongs to another"), "{other}");
    let wider = plain.replace("groups = [\"grains\"], ", "");
    let wider = run(&scene(&wider), &resume, &mut |_| true).unwrap_err().to_string();
    assert!(wider.contains("series.csv") && wider.contains("other columns"), "{wider}");
    let record = run(&scene(SETTLING), &resume, &mut |_| true).unwrap();
    assert_eq!(record.notes.len(), 2, "{:?}", record.notes);
    assert!(record.notes[0].contains("certificate.csv begins at time 0.077"), "{:?}", record.notes);
    let content = folder.content();
    assert_eq!(String::from_utf8_lossy(&content["certificate.csv"]).lines().count(), 1 + 200 - 77);
    let straight = Folder::new("added-straight");
    whole(&scene(SETTLING), &straight);
    assert!(content["series.csv"] == straight.content()["series.csv"]);
}

#[test]
fn a_chosen_solver_says_at_the_end_whether_the_problem_is_well_posed() {
    let text = r#"
dimension = 3
scheme = "dvi"
gravity = [0, 0, -9.81]
time = { step = 1e-3, end = 5e-3 }
solver = { method = "interior-point" }
material.stone = { mu = 0.5, interface = { dilatancy = 0.2 } }
body = [
    { half_space = {}, fixed = true, material = "stone" },
    { ball = { radius = 0.1 }, at = [0, 0, 0.1], v = [1, 0, 0], density = 1000, material = "stone" },
]
"#;
    let record = whole(&scene(text), &Folder::new("well-posed"));
    let told = record
        .notes
        .iter()
        .any(|note| note.contains("interior-point at time") && note.contains("well posed"));
    assert!(told, "{:?}", record.notes);
}

#[test]
fn checkpoints_that_cannot_be_taken_up_are_told_with_the_remedy() {
    let (scene, folder) = (scene(SETTLING), Folder::new("checkpoints"));
    run(&scene, &Options::new(&folder.0), &mut |now| now.steps < 5).unwrap();
    let path = folder.0.join("checkpoint.bin");
    let whole = fs::read(&path).unwrap();
    let resume = Options { resume: true, ..Options::new(&folder.0) };
    let half = &whole[..whole.len() / 2];
    for (bytes, words) in [(half, "damaged or cut off"), (b"mine", "not a checkpoint of this version")] {
        fs::write(&path, bytes).unwrap();
        let told = run(&scene, &resume, &mut |_| true).unwrap_err().to_string();
        assert!(told.contains("checkpoint.bin") && told.contains(words), "{told}");
        assert!(told.contains("--force in the place of --resume") && !told.contains("World"), "{told}");
    }
    fs::write(&path, whole).unwrap();
    let larger = SETTLING.replace("number = 20", "number = 21");
    let larger = Scene::parse("settling", "settling.toml", &larger, None, &[]).unwrap();
    let told = run(&larger, &resume, &mut |_| true).unwrap_err().to_string();
    assert!(told.contains("another scene, or to other settings") && told.contains("--force"), "{told}");
}

#[test]
fn a_run_that_was_killed_after_its_last_step_is_completed() {
    let (scene, folder) = (scene(SETTLING), Folder::new("completed"));
    let record = whole(&scene, &folder);
    let (content, path) = (folder.content(), folder.0.join("run.json"));
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("\"finished\"", "\"running\"")).unwrap();
    let resume = Options { resume: true, ..Options::new(&folder.0) };
    let again = run(&scene, &resume, &mut |_| true).unwrap();
    assert_eq!((again.status, again.steps, again.last), (RunStatus::Finished, 200, record.last));
    assert!(content == folder.content());
    let ended = run(&scene, &resume, &mut |_| true).unwrap_err().to_string();
    assert!(ended.contains("has reached its end"), "{ended}");
}

#[test]
fn two_sweeps_do_not_share_a_folder() {
    let folder = Folder::new("studies");
    let read = |_: &[String]| Ok(scene(SETTLING));
    let ranges = [Range::parse("seed=3").unwrap()];
    let told = Mutex::new(String::new());
    let options = Options::new(&folder.0);
    let watch = || {
        let second = Options { force: true, ..options.clone() };
        let refused = sweep(&ranges, &read, &second, &|| true, &|_| ()).unwrap_err();
        *told.lock().unwrap() = refused.to_string();
        false
    };
    sweep(&ranges, &read, &options, &watch, &|_| ()).unwrap();
    let told = told.into_inner().unwrap();
    let process = format!("process {}", std::process::id());
    assert!(told.contains(&process) && told.contains("another --out"), "{told}");
    let twice = [Range::parse("seed=3").unwrap(), Range::parse("z=1").unwrap()];
    let told = sweep(&twice, &read, &options, &|| true, &|_| ()).unwrap_err().to_string();
    assert!(told.contains("two columns named \"z\""), "{told}");
}

#[test]
fn two_runs_do_not_share_a_folder() {
    let (scene, folder) = (scene(SETTLING), Folder::new("shared"));
    let mut told = String::new();
    run(&scene, &Options::new(&folder.0), &mut |_| {
        let second = Options { force: true, ..Options::new(&folder.0) };
        told = run(&scene, &second, &mut |_| true).unwrap_err().to_string();
        false
    })
    .unwrap();
    let process = format!("process {}", std::process::id());
    assert!(told.contains(&process) && told.contains("another --out"), "{told}");
}
