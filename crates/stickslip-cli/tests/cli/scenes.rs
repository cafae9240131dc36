//! Scenes: run, interrupted, killed, taken up, checked and swept.

use crate::support::{Folder, Run, command, expect, shaken, store_scene, text};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What is measured and written.
const MORE: &str = r#"[[measure]]
name = "height"
of = "height"
[output]
series = { every = 0.01, groups = ["grains"] }
certificate = true
"#;

fn store(folder: &Folder) -> String {
    store_scene(folder, &shaken(0.3, 30, MORE))
}

fn read(folder: &str, name: &str) -> Vec<u8> {
    std::fs::read(Path::new(folder).join(name)).unwrap()
}

/// Whether two runs ended in the same bits.
fn assert_same(a: &str, b: &str) {
    for name in ["series.csv", "certificate.csv", "checkpoint.bin"] {
        assert!(read(a, name) == read(b, name), "{name} differs");
    }
}

#[test]
fn a_run_is_certified_and_repeats_to_the_bit_on_any_threads() {
    let folder = Folder::new();
    let scene = store(&folder);
    let [a, b] = ["a", "b"].map(|name| text(&folder.path(name)));
    let run = expect(0, &["run", &scene, "--out", &a, "--threads", "1"]);
    assert!(run.out.contains("certified: all 300 steps within 1e-8"), "{}", run.out);
    let record: serde_json::Value = serde_json::from_slice(&read(&a, "run.json")).unwrap();
    assert_eq!(
        (&record["status"], &record["seed"], &record["steps"]),
        (&"finished".into(), &1.into(), &300.into())
    );
    assert_eq!(record["sources"][0]["text"], std::fs::read_to_string(&scene).unwrap());
    let json = expect(0, &["run", &scene, "--out", &b, "--threads", "3", "--json"]).records();
    assert_eq!(json[0]["certificate"]["certified"], true);
    assert_same(&a, &b);
}

#[test]
fn steps_that_miss_are_told_by_the_status() {
    let folder = Folder::new();
    let scene = store(&folder);
    let out = text(&folder.path("out"));
    let settings = ["--set", "solver.max_iterations=1", "--set", "solver.tolerance=1e-14"];
    let run = expect(1, &[&["run", &scene, "--out", &out, "--end", "0.2"], &settings[..]].concat());
    assert!(run.out.contains("NOT certified") && run.out.contains("missed 1e-14"), "{}", run.out);
}

/// Starts a long run and waits until some of it is done.
fn started(scene: &str, out: &str, more: &[&str]) -> Child {
    let arguments = [&["run", scene, "--out", out, "--end", "3", "--checkpoint", "0.05"], more].concat();
    let child = command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let checkpoint = Path::new(out).join("checkpoint.bin");
    let begin = Instant::now();
    while !checkpoint.is_file() && begin.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(10));
    }
    child
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

#[cfg(unix)]
#[test]
fn ctrl_c_and_kill_leave_a_run_that_goes_on_to_the_same_bits() {
    let folder = Folder::new();
    let scene = store(&folder);
    let [straight, stopped, killed] = ["straight", "stopped", "killed"].map(|name| text(&folder.path(name)));
    expect(0, &["run", &scene, "--out", &straight, "--end", "3"]);

    let child = started(&scene, &stopped, &[]);
    signal(&child, "-INT");
    let run = Run::of(child.wait_with_output().unwrap());
    // a fast machine may be done before
    if run.code == Some(1) {
        assert!(
            run.err.contains("interrupted at time") && run.err.contains("--end 3 --resume"),
            "{}",
            run.err
        );
        let refused = expect(2, &["run", &scene, "--out", &stopped, "--end", "3"]).err;
        assert!(refused.contains("--resume") && refused.contains("--force"), "{refused}");
        expect(0, &["run", &scene, "--out", &stopped, "--end", "3", "--resume"]);
    }
    assert_same(&straight, &stopped);

    let mut child = started(&scene, &killed, &[]);
    signal(&child, "-KILL");
    if !child.wait().unwrap().success() {
        expect(0, &["run", &scene, "--out", &killed, "--end", "3", "--resume"]);
    }
    assert_same(&straight, &killed);
}

#[test]
fn scenes_and_folders_that_cannot_be_are_refused() {
    let folder = Folder::new();
    let scene = store(&folder);
    let refused = |arguments: &[&str], words: &[&str]| {
        let run = expect(2, arguments);
        for word in words {
            assert!(run.err.contains(word), "\"{word}\" is not in: {}", run.err);
        }
    };
    refused(&["run", "no-such-scene"], &["no-such-scene", "rotating-drum"]);
    refused(&["run", "rotating-drun"], &["did you mean \"rotating-drum\"?"]);
    refused(&["check", &scene, "--set", "time.step=-1"], &["--set time.step=-1: step = -1", "^^^^"]);
    refused(&["run", &scene, "--set", "mu=-1"], &["--set mu=-1: mu = -1", "it stands for $mu in"]);
    refused(&["run", &text(&folder.path("none.toml"))], &["none.toml", "cannot be read"]);
    refused(&["run", &scene, "--set", "mue=1"], &["did you mean \"mu\"?"]);
    refused(&["run", &scene, "--out", &scene], &["not a folder", "--out"]);
    refused(&["run", &scene, "--resume", "--out", &text(&folder.path("new"))], &["no run to go on with"]);
    refused(&["run", &scene, "--resume", "--force"], &["--resume", "--force"]);
    refused(&["run", &scene, "--end", "-1"], &["positive time"]);
    refused(&["sweep", &scene, "--set", "mu=1:0:1"], &["such as mu=0.1:0.9:0.1"]);
    refused(&["sweep", &scene, "--set", "mue=0.1,0.2"], &["did you mean \"mu\"?"]);
    let wrong = shaken(0.3, 30, MORE).replace("number = 30", "nummer = 30");
    std::fs::write(folder.path("wrong.toml"), wrong).unwrap();
    refused(
        &["check", &text(&folder.path("wrong.toml"))],
        &["wrong.toml:16:105:", "nummer", "^^^^^^", "did you mean \"number\"?"],
    );
}

#[test]
fn a_scene_is_counted_before_it_runs() {
    let folder = Folder::new();
    let run = expect(0, &["check", &store(&folder)]);
    for words in
        ["Shaken disks", "31: 1 driven, 30 free", "30 disk, 1 half-plane", "grains (30)", "300 steps"]
    {
        assert!(run.out.contains(words), "\"{words}\" is not in: {}", run.out);
    }
    let run = expect(0, &["check", &store(&folder), "--set", "time.step=0.1"]);
    assert!(run.out.contains("warning: in a step of 0.1"), "{}", run.out);
}

#[test]
fn a_sweep_gathers_one_table() {
    let folder = Folder::new();
    let out = text(&folder.path("study"));
    let settings = ["--set", "mu=0.1:0.3:0.1", "--set", "seed=1,2", "--set", "time.end=0.05"];
    expect(0, &[&["sweep", &store(&folder), "--out", &out], &settings[..]].concat());
    let table = String::from_utf8(read(&out, "table.csv")).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 1 + 6, "{table}");
    assert_eq!(rows[0][..6], ["run", "mu", "seed", "time.end", "status", "certified"]);
    assert_eq!(rows[2][..6], ["2", "0.1", "2", "0.05", "finished", "true"]);
    let height = rows[0].iter().position(|name| *name == "height").unwrap();
    assert!(rows[1][height] != rows[2][height] && rows[1][height].parse::<f64>().is_ok());
    assert!(rows.iter().all(|row| row.len() == rows[0].len()));
}

#[test]
fn schema_and_scenes_are_listed() {
    let schema: serde_json::Value = serde_json::from_str(&expect(0, &["schema"]).out).unwrap();
    assert!(schema["properties"]["body"].is_object());
    assert!(expect(0, &["schema", "--reference"]).out.contains("| `dimension` |"));
    let scenes = expect(0, &["list", "scenes", "--json"]).records();
    assert!(scenes.len() > 10 && scenes[0]["name"] == "rotating-drum");
}
