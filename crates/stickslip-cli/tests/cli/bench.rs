//! `bench`: Siconos beside stickslip, and what happens where Siconos is missing or misbehaves.

use crate::support::{Folder, Run, column, expect, random, stickslip, text};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Runs a bench without profiles if there is a Siconos to run; else says that nothing was tested.
fn with_siconos(arguments: &[&str]) -> Option<Run> {
    let run = stickslip(&[&["bench", "--no-profile"], arguments].concat());
    if run.code == Some(2) && run.err.contains("apt install python3-siconos") {
        let _ =
            std::io::Write::write_all(&mut std::io::stderr(), b"SKIPPED: no Python that imports siconos\n");
        return None;
    }
    Some(run)
}

fn stored(name: &str) -> String {
    text(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../problems").join(name))
}

#[test]
fn small_problems_are_raced_at_each_tolerance() {
    let folder = Folder::new();
    let json = text(&folder.path("bench.json"));
    let files = ["FrictionContact3D_1c", "GFC3D_TwoRods1", "FC2D_SliderCrankLagrangian00000"]
        .map(|name| stored(&format!("{name}.hdf5")));
    let Some(run) = with_siconos(&[&files[0], &files[1], &files[2], "--json", &json]) else { return };
    assert_eq!(run.code, Some(0), "{}", run.err);
    let rows = |name: &str| run.out.lines().filter(|line| line.starts_with(name)).count();
    assert_eq!(
        [rows("FrictionContact3D_1c"), rows("GFC3D_TwoRods1"), rows("FC2D_Slider")],
        [2, 2, 2],
        "{}",
        run.out
    );
    for words in [
        "beside Siconos ",
        "1 thread each",
        "tolerance 1e-4, ",
        "tolerance 1e-8, ",
        "ours 3, Siconos default 3",
    ] {
        assert!(run.out.contains(words), "\"{words}\" is not in: {}", run.out);
    }
    let text = std::fs::read_to_string(&json).unwrap();
    let records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |key: &str, value: &str| records.iter().filter(|record| record[key] == value).count();
    // two problems in space with seven solvers, one in the plane with three, at two tolerances
    assert_eq!((of("by", "stickslip"), of("by", "siconos")), (6, 2 * (2 * 7 + 3)));
    for record in records.iter().filter(|record| record["status"] == "converged") {
        assert!(record["residual"].as_f64() <= record["tolerance"].as_f64(), "{record}");
        assert!(record["seconds"].as_f64().is_some_and(|seconds| seconds < 1.0), "{record}");
    }
}

#[test]
fn what_takes_too_long_is_killed_and_shown() {
    let folder = Folder::new();
    let file = folder.store("column.hdf5", &column(3000, 3));
    let arguments = [file.as_str(), "--solvers", "NSGS", "--tolerance", "1e-13", "--max-seconds", "0.3"];
    let Some(run) = with_siconos(&arguments) else { return };
    assert_eq!(run.code, Some(1), "{}", run.err);
    let row = run.out.lines().find(|line| line.starts_with("column")).unwrap();
    assert!(row.contains("FAILED") && row.contains("timeout") && row.contains("none"), "{row}");
    assert!(
        run.out.contains("FAILED             ours misses the tolerance on 1 problem: column"),
        "{}",
        run.out
    );
}

#[test]
fn profiles_are_drawn_by_dimension_and_tolerance() {
    let folder = Folder::new();
    let file = folder.store("a.hdf5", &random(3, 3, 1));
    let name = text(&folder.path("race"));
    // the guard against a missing Siconos
    if with_siconos(&[&file, "--solvers", "NSGS"]).is_none() {
        return;
    }
    let run = expect(0, &["bench", &text(&folder.path("")), "--solvers", "NSGS", "--profile", &name]);
    assert!(run.err.contains("race-3D-1e-4.svg"), "{}", run.err);
    let files = ["a.hdf5", "race-3D-1e-4.png", "race-3D-1e-4.svg", "race-3D-1e-8.png", "race-3D-1e-8.svg"];
    assert_eq!(folder.names(), files);
    let svg = std::fs::read_to_string(folder.path("race-3D-1e-8.svg")).unwrap();
    assert!(svg.contains("Siconos NSGS") && svg.contains("1 problem in 3D"), "{svg}");
}

#[test]
fn arguments_that_make_no_sense() {
    let folder = Folder::new();
    let file = folder.store("a.hdf5", &random(3, 3, 1));
    let refused = |arguments: &[&str], wanted: &[&str]| {
        let run = expect(2, &[&["bench", &file, "--no-profile"], arguments].concat());
        assert!(run.out.is_empty(), "{}", run.out);
        for word in wanted {
            assert!(run.err.contains(word), "\"{word}\" is not in: {}", run.err);
        }
    };
    refused(&["--solvers", "NSGS,NOPE"], &["\"NOPE\"", "NSGS-NSN", "LEMKE2"]);
    refused(&["--ours", "spg"], &["spg", "coulomb"]);
    refused(&["--tolerance", "1e-4,-1"], &["--tolerance", "such as 1e-8"]);
    refused(&["--patience", "0.5"], &["--patience", "at least 1"]);
    refused(&["--json", &text(&folder.path(""))], &["--json", "folder"]);
    let empty = Folder::new();
    refused(&[&text(&empty.path(""))], &["ends in .hdf5"]);
}

/// A stand-in for Python: a shell script that is given the driver and ignores it.
#[cfg(unix)]
fn python(folder: &Folder, script: &str) -> String {
    let path = text(&folder.path("python"));
    // not written by this process: a test that forks meanwhile would keep it open, and a busy file cannot be run
    let status = Command::new("sh")
        .args(["-c", "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$2\" && chmod +x \"$2\"", "sh", script, &path])
        .status()
        .unwrap();
    assert!(status.success());
    path
}

#[cfg(unix)]
fn with_python(script: &str, more: &[&str]) -> Run {
    let folder = Folder::new();
    let file = folder.store("a.hdf5", &random(3, 3, 1));
    let python = python(&folder, script);
    stickslip(&[&["bench", "--no-profile", &file, "--python", &python, "--tolerance", "1e-4"], more].concat())
}

#[cfg(unix)]
#[test]
fn a_python_without_siconos_is_told_what_to_install() {
    let scripts = [
        ("echo '{\"event\": \"missing\", \"what\": \"No module named siconos\"}'", "No module named siconos"),
        ("echo no such option >&2; exit 3", "no such option"),
        ("echo Welcome", "\"Welcome\", which is not JSON"),
        ("echo '{\"hello\": 1}'", "names no event"),
        ("echo '{\"event\": \"solved\"}'", "\"solved\" where \"ready\" has to come"),
    ];
    for (script, wanted) in scripts {
        let run = with_python(script, &[]);
        assert_eq!(run.code, Some(2), "{}", run.out);
        assert!(run.err.contains(wanted), "\"{wanted}\" is not in: {}", run.err);
        assert!(
            run.err.contains("apt install python3-siconos") && run.err.contains("--python"),
            "{}",
            run.err
        );
    }
    let missing = expect(
        2,
        &["bench", &stored("FrictionContact3D_1c.hdf5"), "--no-profile", "--python", "/none/python3"],
    );
    assert!(missing.err.contains("/none/python3: No such file"), "{}", missing.err);
}

#[cfg(unix)]
const READY: &str = "echo '{\"event\": \"ready\", \"version\": \"0\"}'; read load";

#[cfg(unix)]
#[test]
fn a_child_that_dies_loses_the_race() {
    let run = with_python(&format!("{READY}; echo out of luck >&2; exit 3"), &["--solvers", "NSGS,ADMM"]);
    // ours goes on, and that is what the exit status says
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.err.contains("Siconos NSGS crashed, exit status: 3: out of luck"), "{}", run.err);
    assert!(run.err.contains("Siconos ADMM crashed"), "{}", run.err);
    assert!(run.out.lines().any(|line| line.contains("crashed     –")), "{}", run.out);
    assert!(run.out.contains("no time of Siconos for 1 problem: a"), "{}", run.out);
}

#[cfg(unix)]
#[test]
fn a_child_that_talks_nonsense_ends_the_bench() {
    let loaded = format!("{READY}; echo '{{\"event\": \"loaded\"}}'; read solve");
    for (answer, wanted) in [
        ("I am not JSON", "\"I am not JSON\", which is not JSON"),
        ("{\"event\": \"loaded\"}", "\"loaded\" where \"solved\" has to come"),
        ("{\"event\": \"solved\"}", "gives no time"),
        ("{\"event\": \"solved\", \"seconds\": 1.0}", "left no impulses"),
    ] {
        let run = with_python(&format!("{loaded}; echo '{answer}'; read more"), &["--solvers", "NSGS"]);
        assert_eq!(run.code, Some(2), "{}\n{}", run.out, run.err);
        assert!(run.err.contains(wanted), "\"{wanted}\" is not in: {}", run.err);
    }
}

#[cfg(unix)]
#[test]
fn a_child_that_hangs_is_killed() {
    let hangs = format!(
        "{READY}; echo '{{\"event\": \"loaded\"}}'; read solve; echo '{{\"event\": \"start\"}}'; exec sleep 100"
    );
    let start = std::time::Instant::now();
    let run = with_python(&hangs, &["--solvers", "NSGS", "--max-seconds", "0.2"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains("timeout     –"), "{}", run.out);
    assert!(start.elapsed().as_secs() < 50);
}

#[cfg(unix)]
#[test]
fn nothing_stays_behind() {
    let folder = Folder::new();
    let file = folder.store("a.hdf5", &random(3, 3, 1));
    let python = python(&folder, &format!("{READY}; exit 3"));
    let scratch = Folder::new();
    let output = Command::new(env!("CARGO_BIN_EXE_stickslip"))
        .args(["bench", "--no-profile", &file, "--python", &python])
        .env("TMPDIR", scratch.path(""))
        .output()
        .unwrap();
    assert_eq!(Run::of(output).code, Some(0));
    assert!(scratch.names().is_empty(), "{:?}", scratch.names());
}
