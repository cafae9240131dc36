//! Runs that are killed, find their disk full, their folder taken or closed: nothing is ever half there, and all go on.

#![cfg(unix)]

use crate::support::{Folder, Run, command, expect, shaken, store_scene, text};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use stickslip_pictures::Picture;

/// Every output.
const MORE: &str = r#"[[measure]]
name = "fallen"
of = { flow = { at = [0, 0.05], normal = [0, -1] } }
[output]
series = { every = 0.01 }
certificate = true
profile = { every = 0.05, width = 0.05 }
paraview = { every = 0.1 }
problems = { every = 400 }
trajectory = { every = 0.02 }
picture = { every = 0.5, size = [160, 90] }
movie = { every = 0.05, size = [160, 90] }
"#;

fn store(folder: &Folder) -> String {
    store_scene(folder, &shaken(1.5, 20, MORE))
}

/// All files below a folder, but for hidden ones and the record, which holds times of the wall.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        match entry.path() {
            _ if name.starts_with('.') || name == "run.json" => {}
            path if path.is_dir() => all.extend(files(&path)),
            path => drop(all.insert(path.clone(), fs::read(&path).unwrap())),
        }
    }
    all
}

/// Files that are written as a whole are whole.
fn assert_whole(folder: &Path) {
    let record = fs::read_to_string(folder.join("run.json")).unwrap();
    assert!(serde_json::from_str::<serde_json::Value>(&record).is_ok(), "{record}");
    for (path, bytes) in files(folder) {
        let whole = match path.extension().and_then(|ending| ending.to_str()) {
            Some("png") => Picture::read(&path).is_ok(),
            Some("gif") => bytes.starts_with(b"GIF89a") && bytes.ends_with(b";"),
            Some("hdf5") if path.ends_with("trajectory.hdf5") => hdf5_pure::File::open(&path)
                .is_ok_and(|file| file.dataset("position").is_ok_and(|all| all.read_f64().is_ok())),
            Some("hdf5") => stickslip_solvers::fclib::Fclib::read(&path).is_ok(),
            Some("pvd" | "vtp") => bytes.trim_ascii_end().ends_with(b"</VTKFile>"),
            _ => true,
        };
        assert!(whole, "{} is damaged", path.display());
    }
}

/// Two finished runs wrote the same.
fn assert_same(a: &Path, b: &Path) {
    let (all_a, all_b) = (files(a), files(b));
    let names = |all: &BTreeMap<PathBuf, Vec<u8>>, folder: &Path| -> Vec<PathBuf> {
        all.keys().map(|path| path.strip_prefix(folder).unwrap().to_path_buf()).collect()
    };
    assert_eq!(names(&all_a, a), names(&all_b, b));
    for ((path, bytes), other) in all_a.iter().zip(all_b.values()) {
        assert!(bytes == other, "{} differs", path.display());
    }
}

fn spawn(scene: &str, out: &Path, more: &[&str]) -> Child {
    let out = text(out);
    let arguments = [&["run", scene, "--out", &out, "--checkpoint", "0.01"], more].concat();
    command(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Waits until a run can be taken up.
fn await_checkpoint(out: &Path) {
    await_until(|| out.join("checkpoint.bin").is_file());
}

fn await_until(happened: impl Fn() -> bool) {
    let begin = Instant::now();
    while !happened() && begin.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn killed_at_any_moment_every_file_is_whole_and_the_run_goes_on_to_the_same_bytes() {
    let folder = Folder::new();
    let scene = store(&folder);
    let [straight, killed] = ["straight", "killed"].map(|name| folder.path(name));
    expect(0, &["run", &scene, "--out", &text(&straight)]);
    for k in 0..8u64 {
        let begun = killed.join("checkpoint.bin").is_file();
        let mut child = spawn(&scene, &killed, if begun { &["--resume"] } else { &["--force"] });
        // moments that have nothing to do with what the run does
        std::thread::sleep(Duration::from_millis(20 + 137 * k * k % 210));
        let _ = child.kill();
        if child.wait().unwrap().success() {
            break;
        }
        if killed.join("run.json").is_file() {
            assert_whole(&killed);
        }
    }
    await_checkpoint(&killed);
    if killed.join("checkpoint.bin").is_file() {
        // a fast machine may be done
        let run = command(&["run", &scene, "--out", &text(&killed), "--resume"]).output().unwrap();
        let run = Run::of(run);
        assert!(run.code == Some(0) || run.err.contains("has reached its end"), "{}", run.err);
    } else {
        expect(0, &["run", &scene, "--out", &text(&killed), "--force"]);
    }
    assert_whole(&killed);
    assert_same(&straight, &killed);
    let left: Vec<String> = fs::read_dir(&killed)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with('.') && name != ".lock")
        .collect();
    assert_eq!(left, Vec::<String>::new(), "left over");
}

#[test]
fn a_folder_is_written_by_one_run_alone() {
    let folder = Folder::new();
    let (scene, out) = (store(&folder), folder.path("out"));
    let long = ["--end", "1000"];
    let mut child = spawn(&scene, &out, &long);
    await_checkpoint(&out);
    for how in ["--resume", "--force"] {
        let run = expect(2, &["run", &scene, "--out", &text(&out), "--end", "1000", how]);
        let holder = format!("is being written here by process {}", child.id());
        assert!(run.err.contains(&holder) && run.err.contains("another --out"), "{}", run.err);
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // what a dead process has left is neither in the way nor overwritten by accident
    let run = expect(2, &["run", &scene, "--out", &text(&out)]);
    assert!(run.err.contains("was killed; go on with --resume"), "{}", run.err);
    expect(0, &["run", &scene, "--out", &text(&out), "--force", "--end", "0.01"]);
}

/// A run that may write files of 64 KiB at most.
fn with_little_room(scene: &str, out: &Path) -> Run {
    let limited = "trap '' XFSZ; ulimit -f 128; exec \"$0\" \"$@\"";
    let program = env!("CARGO_BIN_EXE_stickslip");
    let run = Command::new("sh")
        .args(["-c", limited, program, "run", scene, "--out", &text(out), "--checkpoint", "0.001"])
        .output();
    Run::of(run.unwrap())
}

#[test]
fn the_report_of_a_killed_run_tells_how_far_it_is_known() {
    let folder = Folder::new();
    let (scene, out) = (store(&folder), folder.path("out"));
    let mut child = spawn(&scene, &out, &["--end", "1000"]);
    let record = || fs::read_to_string(out.join("run.json")).unwrap_or_default();
    await_until(|| record().contains("\"certified\": true"));
    let report = || expect(0, &["report", &text(&out)]).out;
    assert!(report().contains("the run goes on"), "{}", report());
    child.kill().unwrap();
    child.wait().unwrap();
    let told = report();
    assert!(told.contains("was cut short") && told.contains("last checkpoint, at time"), "{told}");
    assert!(told.contains("of 1000; go on with --resume") && told.contains("certified: all"), "{told}");
    assert!(fs::read_to_string(out.join("report.html")).unwrap().contains("was cut short"));
    // killed before its first checkpoint
    let mut record: serde_json::Value = serde_json::from_str(&record()).unwrap();
    record["certificate"]["steps"] = 0.into();
    record["certificate"]["certified"] = false.into();
    fs::write(out.join("run.json"), record.to_string()).unwrap();
    fs::remove_file(out.join("checkpoint.bin")).unwrap();
    let told = report();
    assert!(told.contains("before its first checkpoint") && told.contains("no step is known"), "{told}");
    assert!(!told.contains("certified: all"), "{told}");
}

#[test]
fn a_full_disk_is_told_and_the_run_goes_on_when_there_is_room() {
    let folder = Folder::new();
    let scene = store(&folder);
    let [straight, full] = ["straight", "full"].map(|name| folder.path(name));
    expect(0, &["run", &scene, "--out", &text(&straight)]);
    // the certificate grows beyond what there is room for
    let run = with_little_room(&scene, &full);
    assert_eq!(run.code, Some(2), "{}", run.err);
    assert!(run.err.contains("cannot be written") && run.err.contains("free space"), "{}", run.err);
    assert!(run.err.contains("--resume"), "{}", run.err);
    assert_whole(&full);
    let record: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(full.join("run.json")).unwrap()).unwrap();
    assert_eq!(record["status"], "failed");
    expect(0, &["run", &scene, "--out", &text(&full), "--resume"]);
    assert_same(&straight, &full);
}

#[test]
fn a_movie_without_room_is_told_and_goes_on_to_the_same_bytes() {
    let folder = Folder::new();
    let movie = "[output]\nmovie = { file = \"m.png\", every = 0.02, size = [240, 136] }";
    let scene = store_scene(&folder, &shaken(1.5, 20, movie));
    let [straight, full] = ["straight", "full"].map(|name| folder.path(name));
    expect(0, &["run", &scene, "--out", &text(&straight)]);
    let run = with_little_room(&scene, &full);
    assert_eq!(run.code, Some(2), "{}", run.err);
    assert!(run.err.contains("m.png") && run.err.contains("--resume"), "{}", run.err);
    assert!(!full.join("m.png").exists());
    expect(0, &["run", &scene, "--out", &text(&full), "--resume"]);
    assert_same(&straight, &full);
}

#[test]
fn a_folder_that_cannot_be_written_is_told() {
    let folder = Folder::new();
    let scene = store(&folder);
    let run = expect(2, &["run", &scene, "--out", "/proc/stickslip"]);
    assert!(run.err.contains("cannot be made") && run.err.contains("permissions"), "{}", run.err);
    let closed = folder.path("closed");
    fs::create_dir(&closed).unwrap();
    let mode =
        |mode| fs::set_permissions(&closed, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    mode(0o555);
    if fs::write(closed.join("a"), "").is_ok() {
        eprintln!("skipped: this user may write anywhere");
        return mode(0o755);
    }
    let run = expect(2, &["run", &scene, "--out", &text(&closed)]);
    mode(0o755);
    assert!(run.err.contains("cannot be written") && run.err.contains("permissions"), "{}", run.err);
}

#[test]
fn a_sweep_that_is_taken_up_keeps_what_is_done() {
    let folder = Folder::new();
    let (scene, out) = (store(&folder), folder.path("study"));
    let sweep = |mu: &str, more: &[&str], code: i32| {
        let setting = format!("mu={mu}");
        let short = ["--set", "time.end=0.05", "--out"];
        expect(code, &[&["sweep", &scene, "--set", &setting], &short[..], &[&text(&out)], more].concat())
    };
    sweep("0.1:0.3:0.1", &[], 0);
    let read = |name: &str| fs::read_to_string(out.join(name)).unwrap();
    let (table, first) = (read("table.csv"), read("0001/run.json"));
    fs::remove_dir_all(out.join("0002")).unwrap();
    fs::write(out.join("table.csv"), "").unwrap();
    sweep("0.1:0.3:0.1", &["--resume"], 0);
    assert_eq!((read("table.csv"), read("0001/run.json")), (table, first));
    assert!(out.join("0002/series.csv").is_file());
    // the second folder would be that of another value
    let run = sweep("0.1:0.3:0.2", &["--resume"], 2);
    assert!(run.err.contains("0002") && run.err.contains("holds a run with other settings"), "{}", run.err);
}
