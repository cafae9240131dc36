//! `solve`: certificates, their numbers, and solutions that are written and taken up again.

use crate::support::{Folder, column, expect, random, text};
use serde_json::Value;
use stickslip_solvers::fclib::Fclib;
use stickslip_solvers::laws::{Kind, Law};
use stickslip_solvers::panel::PANEL;
use stickslip_solvers::problem::ContactProblem;
use stickslip_solvers::residual::residual;

#[test]
fn exit_status_tells_converged_from_not() {
    let folder = Folder::new();
    let file = folder.store("a.hdf5", &random(5, 3, 1));
    let run = expect(0, &["solve", &file]);
    assert!(run.out.contains("a: 5 contacts in 3D, coulomb law"), "{}", run.out);
    assert!(run.out.contains("auto: converged after"), "{}", run.out);
    let run = expect(1, &["solve", &file, "--max-iterations", "1"]);
    assert!(run.out.contains("NOT converged (iteration limit) after 1 iteration,"), "{}", run.out);
    // the worst of all counts
    let missing = text(&folder.path("none.hdf5"));
    let run = expect(2, &["solve", &missing, &file]);
    assert!(run.out.contains("converged") && run.err.contains("none.hdf5"), "{}{}", run.out, run.err);
}

#[test]
fn a_folder_stands_for_its_problems() {
    let folder = Folder::new();
    let all = text(&folder.path("."));
    for command in [vec!["solve"], vec!["compare", "--no-profile"]] {
        let refused = expect(2, &[&command[..], &[&all]].concat()).err;
        assert!(refused.contains("no file in this folder ends in .hdf5"), "{refused}");
    }
    folder.store("b.hdf5", &random(5, 3, 1));
    folder.store("a.hdf5", &random(4, 3, 2));
    let records = expect(0, &["solve", &all, "--json"]).records();
    let names: Vec<&str> = records.iter().map(|record| record["problem"].as_str().unwrap()).collect();
    assert_eq!(names, ["a", "b"]);
    let table = expect(0, &["compare", "--no-profile", "--solvers", "nlgs,auto", &all]).out;
    assert!(table.contains("\na ") && table.contains("\nb "), "{table}");
}

#[test]
fn auto_explains_itself() {
    let folder = Folder::new();
    for (contacts, first) in [(5, "newton on states"), (12, "nlgs-accelerated")] {
        let file = folder.store("a.hdf5", &random(contacts, 3, 1));
        let run = expect(0, &["solve", &file, "--explain"]);
        assert!(run.out.contains("tried") && run.out.contains(first), "{}", run.out);
        let records = expect(0, &["solve", &file, "--json"]).records();
        assert_eq!(records[0]["stages"][0]["solver"], first);
    }
    let file = folder.store("a.hdf5", &random(5, 3, 1));
    let run = expect(0, &["solve", &file, "--explain", "--solver", "nlgs"]);
    assert!(run.out.contains("chooses nothing"), "{}", run.out);
}

#[test]
fn json_carries_the_certificate_and_its_numbers_are_true() {
    let folder = Folder::new();
    let file = folder.store("a.hdf5", &random(6, 3, 2));
    let out = text(&folder.path("solved.hdf5"));
    let records = expect(0, &["solve", &file, "--json", "--write", &out]).records();
    let [record] = &records[..] else { panic!("{records:?}") };
    let keys = [
        "problem",
        "solver",
        "status",
        "residual",
        "scaled_residual",
        "worst_contact",
        "iterations",
        "seconds",
        "contacts",
        "dimension",
    ];
    for key in keys {
        assert!(!record[key].is_null(), "{key} in {record}");
    }
    assert_eq!(record["problem"], "a");
    assert_eq!((&record["solver"], &record["status"]), (&"auto".into(), &"converged".into()));
    assert_eq!((&record["contacts"], &record["dimension"]), (&6.into(), &3.into()));

    // the residual again, from the solution written
    let solved = Fclib::read(out.as_ref()).unwrap();
    let problem: ContactProblem<3> = solved.problem(Law::coulomb).unwrap();
    let check = residual(&problem, &solved.start());
    let agrees = |key: &str, value: f64| {
        let stated = record[key].as_f64().unwrap();
        assert!((stated - value).abs() <= 1e-6 * value, "{key}: {stated} stated, {value} computed");
        assert!(value <= 1e-8);
    };
    agrees("residual", check.natural);
    agrees("scaled_residual", check.scaled);
    assert_eq!(record["worst_contact"], check.worst_contact);
}

#[test]
fn a_written_solution_is_a_guess_that_needs_no_iteration() {
    let folder = Folder::new();
    for dimension in 1..=3 {
        let file = folder.store(&format!("{dimension}.hdf5"), &random(6, dimension, 3));
        let out = text(&folder.path("solved.hdf5"));
        expect(0, &["solve", &file, "--write", &out]);
        let records = expect(0, &["solve", &out, "--from-guess", "--json"]).records();
        assert_eq!(records[0]["iterations"], 0, "{}", records[0]);
        let records = expect(0, &["solve", &out, "--json"]).records();
        assert_ne!(records[0]["iterations"], 0, "{}", records[0]);
    }
}

#[test]
fn several_solutions_go_to_a_folder() {
    let folder = Folder::new();
    let files = [1, 2].map(|k| folder.store(&format!("{k}.hdf5"), &random(3, 2, k)));
    let out = folder.path("out");
    std::fs::create_dir(&out).unwrap();
    expect(0, &["solve", &files[0], &files[1], "--write", &text(&out)]);
    for name in ["1.hdf5", "2.hdf5"] {
        assert!(Fclib::read(&out.join(name)).unwrap().solution.is_some());
    }
}

#[test]
fn the_criterion_of_siconos_looks_at_one_residual() {
    let folder = Folder::new();
    let file = folder.store("a.hdf5", &random(5, 3, 4));
    let records = expect(0, &["solve", &file, "--criterion", "siconos", "--json"]).records();
    assert_eq!(records[0]["criterion"], "siconos");
    assert!(records[0]["residual"].as_f64().unwrap() <= 1e-8);
    let run = expect(0, &["solve", &file, "--criterion", "siconos"]);
    assert!(run.out.contains("not asked for"), "{}", run.out);
}

#[test]
fn every_solver_of_the_panel_solves_its_laws_and_refuses_others() {
    let folder = Folder::new();
    let file = folder.store("a.hdf5", &random(8, 3, 5));
    for entry in PANEL {
        for kind in [Kind::Coulomb, Kind::Convex, Kind::Frictionless] {
            let arguments = ["solve", &file, "--law", kind.name(), "--solver", entry.name, "--json"];
            if entry.covers.contains(&kind) {
                let records = expect(0, &arguments).records();
                assert_eq!(records[0]["law"], kind.name());
                assert_eq!(records[0]["solver"], entry.name);
            } else {
                let message = format!("solver {} does not solve {} problems", entry.name, kind.name());
                assert!(expect(2, &arguments).err.contains(&message));
            }
        }
    }
}

#[test]
fn without_friction_contacts_are_open_or_closed() {
    let folder = Folder::new();
    let file = folder.store("a.hdf5", &random(8, 3, 6));
    let run = expect(0, &["solve", &file, "--law", "frictionless"]);
    assert!(run.out.contains("closed") && !run.out.contains("stick"), "{}", run.out);
}

#[test]
fn threads_do_not_change_a_bit() {
    let folder = Folder::new();
    // long enough for its sums to be split
    let file = folder.store("a.hdf5", &column(20_000, 3));
    for solver in ["spg", "apgd-asr", "nlgs"] {
        let record = |threads: &str| -> Value {
            let common =
                ["solve", &file, "--law", "convex", "--max-iterations", "40", "--json", "--solver", solver];
            let arguments = [&common[..], &["--threads", threads]].concat();
            let mut record = expect(1, &arguments).records().remove(0);
            record.as_object_mut().unwrap().remove("seconds");
            record
        };
        assert_eq!(record("1"), record("2"));
    }
}
