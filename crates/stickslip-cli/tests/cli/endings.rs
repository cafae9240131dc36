//! Ends that come from outside: Ctrl-C, and a reader that goes away.

use crate::support::{Folder, Run, column, command, random, text};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// Starts a run on an easy problem and one that takes for ever, and presses Ctrl-C while it is at that.
fn interrupted(arguments: &[&str], rows_before: usize) -> (Vec<String>, Run) {
    let folder = Folder::new();
    let easy = folder.store("easy.hdf5", &random(3, 3, 1));
    let slow = folder.store("slow.hdf5", &column(30_000, 3));
    let never = ["--tolerance", "1e-15", "--max-iterations", "1000000000"];
    let mut child = command(&[arguments, &[&easy, &slow, &slow], &never].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut lines = Vec::new();
    for _ in 0..rows_before {
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        lines.push(line);
    }
    // the easy problem is done: the slow one is being read, even on a busy machine not longer than this, or solved
    std::thread::sleep(Duration::from_secs(2));
    press_ctrl_c(&child);
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    let Output { status, stderr, .. } = child.wait_with_output().unwrap();
    lines.extend(rest.lines().map(str::to_string));
    (lines, Run::of(Output { status, stdout: Vec::new(), stderr }))
}

fn press_ctrl_c(child: &Child) {
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_solve_with_what_was_reached() {
    // natural and scaled residuals of 1e-15 are within rounding for the easy problem, so its status is its own affair
    let (lines, run) = interrupted(&["solve", "--json"], 1);
    assert_eq!(run.code, Some(1), "{}", run.err);
    let [_, slow] = &lines[..] else { panic!("{lines:?}") };
    let record: serde_json::Value = serde_json::from_str(slow).unwrap();
    assert_eq!((&record["problem"], &record["status"]), (&"slow".into(), &"interrupted".into()));
    assert!(record["residual"].as_f64().unwrap() > 1e-15);
    assert!(run.err.contains("interrupted: 1 of 3 problems left"), "{}", run.err);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_compare_with_the_table_of_what_was_done() {
    // head and first row
    let (lines, run) = interrupted(&["compare", "--no-profile", "--solvers", "nlgs,nlgs:order=reverse"], 3);
    assert_eq!(run.code, Some(1), "{}", run.err);
    let slow = lines.iter().find(|line| line.starts_with("slow")).unwrap();
    assert!(slow.contains("stopped ") && slow.trim_end().ends_with('-'), "{slow}");
    assert!(lines.iter().any(|line| line.starts_with("solved, of 1")), "{lines:?}");
    assert!(run.err.contains("interrupted: 1 of 3 problems were compared"), "{}", run.err);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_reproduce_and_tells_what_is_left_behind() {
    let folder = Folder::new();
    let out = text(&folder.path("."));
    let child = command(&["reproduce", "abide-belt", "--out", &out]).stderr(Stdio::piped()).spawn().unwrap();
    // the folder is made ready just before the experiment begins, which takes many seconds
    let begun = || folder.names().contains(&"claims.json".to_string());
    while !begun() {
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(500));
    press_ctrl_c(&child);
    let run = Run::of(child.wait_with_output().unwrap());
    assert_eq!(run.code, Some(1), "{}", run.err);
    assert!(
        run.err.contains("holds a part of abide-belt") && run.err.contains("begins it anew"),
        "{}",
        run.err
    );
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = Folder::new();
    let files: Vec<String> = (0..40).map(|k| folder.store(&format!("{k}.hdf5"), &random(2, 3, k))).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let profile = text(&folder.path("profile"));
    for arguments in [
        &["list", "solvers"][..],
        &[&["solve"], &files[..]].concat(),
        &[&["solve", "--json"], &files[..]].concat(),
        &[&["compare", "--profile", &profile], &files[..]].concat(),
    ] {
        let mut child = command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // as `| head -c 1` does
        let mut out = child.stdout.take().unwrap();
        out.read_exact(&mut [0]).unwrap();
        drop(out);
        let run = Run::of(child.wait_with_output().unwrap());
        assert_eq!(run.code, Some(0), "{}", run.err);
        assert_eq!(run.err.lines().filter(|line| line.starts_with("error")).count(), 0, "{}", run.err);
    }
}

#[test]
fn a_reader_that_goes_away_takes_no_work_and_no_verdict_with_it() {
    let folder = Folder::new();
    let file = folder.store("one.hdf5", &random(4, 3, 1));
    let out = text(&folder.path("solved.hdf5"));
    let code = |arguments: &[&str]| {
        let mut child = command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        child.wait().unwrap().code()
    };
    assert_eq!(code(&["solve", &file, "--write", &out]), Some(0));
    assert!(folder.path("solved.hdf5").is_file());
    assert_eq!(code(&["solve", &file, "--tolerance", "1e-300", "--max-iterations", "3"]), Some(1));
    assert_eq!(code(&["solve", &file, "missing.hdf5"]), Some(2));
}
