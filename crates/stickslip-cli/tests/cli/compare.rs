//! `compare`: the table, the records and the pictures.

use crate::support::{Folder, column, expect, random, text};

#[test]
fn one_row_a_problem_and_one_column_a_solver() {
    let folder = Folder::new();
    let files =
        [(1, 2), (2, 3)].map(|(k, d)| folder.store(&format!("heap-{k}.hdf5"), &random(4 + k, d, k as u64)));
    let profile = text(&folder.path("comparison"));
    let arguments = [
        "compare",
        &files[0],
        &files[1],
        "--solvers",
        "nlgs,fixed-point,nlgs:order=reverse",
        "--profile",
        &profile,
    ];
    let run = expect(0, &arguments);
    let lines: Vec<&str> = run.out.lines().collect();
    let [key, head, first, second, rule, solved, fastest] = lines[..] else { panic!("{}", run.out) };
    assert_eq!(key, "[3] nlgs:order=reverse");
    assert_eq!(words(head), ["problem", "contacts", "nlgs", "fixed-point", "[3]"]);
    assert_eq!(words(first)[..3], ["heap-1", "5", "2D"]);
    assert_eq!(words(second)[..3], ["heap-2", "6", "3D"]);
    // time, unit and ratio of each solver, one of them the best
    assert_eq!(words(first).len(), 3 + 3 * 3);
    assert!(words(first).contains(&"1.00"), "{first}");
    assert!(rule.chars().all(|c| c == '-'));
    assert_eq!(words(solved), ["solved,", "of", "2", "2", "2", "2"]);
    assert!(fastest.starts_with("fastest"));
    assert!(run.err.contains("comparison.svg and "), "{}", run.err);
    let png = std::fs::read(folder.path("comparison.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG"));
    let svg = std::fs::read_to_string(folder.path("comparison.svg")).unwrap();
    assert!(svg.contains("fixed-point") && svg.contains("2 problems"), "{svg}");
    assert_eq!(folder.names(), ["comparison.png", "comparison.svg", "heap-1.hdf5", "heap-2.hdf5"]);
}

#[test]
fn what_does_not_converge_shows_how_far_it_came() {
    let folder = Folder::new();
    let file = folder.store("column.hdf5", &column(200, 2));
    let run = expect(1, &["compare", &file, "--no-profile", "--max-iterations", "20"]);
    assert!(run.out.contains("max-iter "), "{}", run.out);
    assert!(run.out.lines().last().unwrap().starts_with("fastest"));
    assert_eq!(folder.names(), ["column.hdf5"]);
}

#[test]
fn records_are_those_of_solve() {
    let folder = Folder::new();
    let file = folder.store("a.hdf5", &random(5, 3, 1));
    let keys = |arguments: &[&str]| -> Vec<(String, Vec<String>)> {
        let records = expect(0, arguments).records();
        let keys = |record: &serde_json::Value| record.as_object().unwrap().keys().cloned().collect();
        records.iter().map(|record| (record["solver"].as_str().unwrap().to_string(), keys(record))).collect()
    };
    let compared = keys(&["compare", &file, "--json", "--no-profile", "--solvers", "fixed-point,nlgs"]);
    let solved = keys(&["solve", &file, "--json", "--solver", "nlgs"]);
    assert_eq!(compared[1], solved[0]);
    assert_eq!(compared[0].0, "fixed-point");
    assert_eq!(compared[0].1, solved[0].1);
}

#[test]
fn solvers_that_do_not_know_the_law_are_left_out() {
    let folder = Folder::new();
    let file = folder.store("a.hdf5", &random(5, 3, 1));
    let run = expect(0, &["compare", &file, "--no-profile", "--solvers", "spg,nlgs"]);
    assert!(run.err.contains("left out: solver spg") && run.err.contains("--law convex"), "{}", run.err);
    assert_eq!(words(run.out.lines().next().unwrap()), ["problem", "contacts", "nlgs"]);
    let run = expect(2, &["compare", &file, "--no-profile", "--solvers", "spg,pgd"]);
    assert!(run.out.is_empty() && run.err.contains("none of the solvers"), "{}", run.err);
    let run = expect(0, &["compare", &file, "--no-profile", "--law", "convex"]);
    assert!(run.out.contains("apgd-asr") && run.out.contains("spg"), "{}", run.out);
    assert!(expect(2, &["compare", &file, "--solvers", "nlgs,nlsg"]).err.contains("\"nlsg\""));
}

#[test]
fn an_unreadable_file_does_not_stop_the_others() {
    let folder = Folder::new();
    let file = folder.store("a.hdf5", &random(5, 3, 1));
    let missing = text(&folder.path("none.hdf5"));
    let run = expect(2, &["compare", &missing, &file, "--no-profile"]);
    assert!(run.err.contains("none.hdf5"), "{}", run.err);
    assert!(run.out.contains("solved, of 1 "), "{}", run.out);
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}
