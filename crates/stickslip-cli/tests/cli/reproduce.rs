//! Experiments of papers: listed, run and judged.

use crate::support::{Folder, expect, text};

/// The claims of a run, which pass or are known not to, and the names of its files.
fn claims(id: &str, quick: bool) -> (Vec<serde_json::Value>, Vec<String>) {
    let folder = Folder::new();
    let out = text(&folder.path("."));
    let mut arguments = vec!["reproduce", id, "--json", "--out", &out];
    arguments.extend(quick.then_some("--quick"));
    let run = expect(0, &arguments);
    let record: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((&record["id"], &record["quick"]), (&id.into(), &quick.into()));
    assert!(record["seconds"].as_f64().unwrap() > 0.0);
    let claims = record["claims"].as_array().unwrap().clone();
    for claim in &claims {
        assert!(claim["pass"] == true || claim["finding"] == true && claim["why"].is_string(), "{claim}");
        assert!(claim["measured"].is_number() && claim["paper"].is_number(), "{claim}");
    }
    (claims, folder.names())
}

/// Runs an experiment, and looks for figures in both formats and for tables.
fn writes(id: &str, quick: bool, figures: &[&str], tables: &[&str]) -> Vec<serde_json::Value> {
    let (claims, files) = claims(id, quick);
    let drawn = figures.iter().flat_map(|name| ["svg", "png"].map(|ending| format!("{name}.{ending}")));
    for name in drawn.chain(tables.iter().map(|name| format!("{name}.csv"))) {
        assert!(files.contains(&name), "{name} is not in {files:?}");
    }
    claims
}

#[test]
fn what_a_folder_holds_is_not_lost() {
    let folder = Folder::new();
    std::fs::write(folder.path("thesis.txt"), "years of work").unwrap();
    let out = text(&folder.path("."));
    let refused = expect(2, &["reproduce", "tasora-laws", "--out", &out]).err;
    assert!(refused.contains("not of an experiment") && refused.contains("--force"), "{refused}");
    assert_eq!(folder.names(), ["thesis.txt"]);
    expect(0, &["reproduce", "tasora-laws", "--out", &out, "--force"]);
    let page = std::fs::read_to_string(folder.path("reproduced.md")).unwrap();
    assert!(page.contains("| pass |") && page.contains("](figure-1a.svg)"), "{page}");

    let refused = expect(2, &["reproduce", "tasora-laws", "--out", &out, "--quick"]).err;
    assert!(refused.contains("full run"), "{refused}");
    let refused = expect(2, &["reproduce", "bloch-table1", "--out", &out]).err;
    assert!(refused.contains("tasora-laws"), "{refused}");
    expect(0, &["reproduce", "tasora-laws", "--out", &out]);

    // what an earlier run wrote and this one does not goes, what others wrote stays and is not shown
    let store = folder.path("claims.json");
    let record = std::fs::read_to_string(&store).unwrap();
    assert!(record.contains("\"figure-1a.svg\"") && !record.contains("thesis"), "{record}");
    std::fs::write(&store, record.replacen("\"figure-1a.svg\"", "\"figure-0.svg\", \"figure-1a.svg\"", 1))
        .unwrap();
    for name in ["figure-0.svg", "figure-99.svg"] {
        std::fs::write(folder.path(name), "").unwrap();
    }
    expect(0, &["reproduce", "tasora-laws", "--out", &out]);
    let names = folder.names();
    assert!(!names.contains(&"figure-0.svg".into()) && names.contains(&"figure-99.svg".into()), "{names:?}");
    let page = std::fs::read_to_string(folder.path("reproduced.md")).unwrap();
    assert!(page.contains("](figure-1a.svg)") && !page.contains("figure-99"), "{page}");

    let all = Folder::new();
    std::fs::write(all.path("reproduced.md"), "years of work").unwrap();
    let refused = expect(2, &["reproduce", "all", "--quick", "--out", &text(&all.path("."))]).err;
    assert!(refused.contains("not a page of an earlier run") && refused.contains("--force"), "{refused}");
    assert_eq!(all.names(), ["reproduced.md"]);

    let file = text(&folder.path("thesis.txt"));
    let refused = expect(2, &["reproduce", "tasora-laws", "--out", &file]).err;
    assert!(refused.contains("cannot be made a folder"), "{refused}");
    let lost = expect(2, &["reproduce", "--quick"]).err;
    assert!(lost.contains("<ID>") || lost.contains("[ID]"), "{lost}");
}

#[test]
fn experiments_are_listed_and_others_refused() {
    let listed = expect(0, &["reproduce"]).out;
    for id in ["tasora-laws", "tasora-shear-box", "renouf-packing", "renouf-brazil-nut", "renouf-masonry"] {
        assert!(listed.contains(id), "{id} is not in {listed}");
    }
    for id in ["bloch-scaling", "bloch-fixed-point"] {
        assert!(listed.contains(id), "{id} is not in {listed}");
    }
    let refused = expect(2, &["reproduce", "tasora-lawz"]).err;
    assert!(
        refused.contains("tasora-lawz") && refused.contains("did you mean \"tasora-laws\"?"),
        "{refused}"
    );
    let refused = expect(2, &["reproduce", "galileo"]).err;
    assert!(refused.contains("there are abide-belt") && refused.contains(", all"), "{refused}");
}

#[test]
fn one_contact_follows_seven_laws_and_four_surfaces() {
    let figures = ["1a", "1b", "1c", "1d", "1e", "1f", "viscous", "2", "3", "4", "5"]
        .map(|name| format!("figure-{name}"));
    let figures = figures.each_ref().map(String::as_str);
    let claims = writes("tasora-laws", false, &figures, &figures);
    assert_eq!(claims.len(), 7 * 2 + 4 * 2);
}

#[test]
fn a_small_shear_box_bears_its_load() {
    let figures = ["figure-9", "figure-10", "figure-11", "friction-height"];
    let claims = writes("tasora-shear-box", true, &figures, &["series", "warm-start", "friction"]);
    assert_eq!(claims.len(), 4 * 3 + 1 + 2 + 2 * 3 + 1);
}

#[test]
fn a_ball_on_a_belt_takes_the_sweeps_of_the_paper() {
    let figures = ["figure-2a", "figure-2b", "figure-2c"];
    let claims = writes("abide-belt", true, &figures, &["table-1", "table-2", "series"]);
    let sweeps = claims.iter().filter(|claim| claim["claim"].as_str().unwrap().starts_with("sweeps"));
    let sweeps: Vec<f64> = sweeps.map(|claim| claim["measured"].as_f64().unwrap()).collect();
    assert_eq!(sweeps, [2.0, 3.0, 2.0, 3.0, 20.0, 20.0, 2.0, 2.0]);
}

#[test]
fn a_ball_in_a_drum_slides_and_swings() {
    writes("abide-drum-ball", true, &["figure-4a", "figure-4b"], &["table-3", "series"]);
}

#[test]
fn gradient_methods_take_the_iterations_of_the_table() {
    let claims =
        writes("bloch-table1", false, &["figure-4-constraint", "figure-4-cost"], &["table-1", "figure-4"]);
    assert_eq!(claims.len(), 5 * 2 + 1);
}

#[test]
fn a_disk_on_a_slope_moves_as_the_paper_says() {
    let figures =
        ["figure-5-distance", "figure-6", "figure-7-mu-0.1-inset", "figure-8-centre", "figure-8-angle"];
    let claims = writes("bloch-order", true, &figures, &["errors", "figure-5", "figure-7-mu-1"]);
    assert_eq!(claims.len(), 2 + 6 * 2 + 1 + 4 + 2 * 3 + 2 + 2);
}

#[test]
fn two_steps_find_two_solutions_of_one_problem() {
    let figures = ["figure-2", "figure-3", "figure-4", "limits"];
    let claims = writes("maury-nonuniqueness", true, &figures, &["limits", "figure-3", "figure-4"]);
    assert_eq!(claims.len(), 2 * 2 + 3);
}

#[test]
fn a_column_of_ellipses_collapses_on_common_normals() {
    let claims = writes("bloch-ellipses", true, &[], &["runs"]);
    assert_eq!(claims.len(), 2 * 5 + 2);
}

#[test]
fn points_that_stick_together_end_in_the_same_places_by_any_step() {
    let claims = writes("maury-sticky", true, &["figure-5", "figure-6", "figure-7"], &["seeds", "figure-5"]);
    assert_eq!(claims.len(), 3 * 4);
}
