//! Experiments of papers: listed, run and judged.

use crate::support::{Folder, expect, text};

/// The claims of a run, all of which pass, and the names of its files.
fn claims(id: &str, quick: bool) -> (Vec<serde_json::Value>, Vec<String>) {
    let folder = Folder::new();
    let out = text(&folder.path("."));
    let mut arguments = vec!["reproduce", id, "--json", "--out", &out];
    arguments.extend(quick.then_some("--quick"));
    let run = expect(0, &arguments);
    let record: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(record["id"], id);
    assert!(record["seconds"].as_f64().unwrap() > 0.0);
    let claims = record["claims"].as_array().unwrap().clone();
    for claim in &claims {
        assert!(claim["pass"].as_bool().unwrap(), "{claim}");
        assert!(claim["measured"].is_number() && claim["paper"].is_number(), "{claim}");
    }
    (claims, folder.names())
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
    assert!(refused.contains("tasora-lawz") && refused.contains("tasora-laws"), "{refused}");
}

#[test]
fn one_contact_follows_six_laws_and_four_surfaces() {
    let (claims, files) = claims("tasora-laws", false);
    assert_eq!(claims.len(), 6 * 2 + 4);
    for figure in ["1a", "1b", "1c", "1d", "1e", "1f", "2", "3", "4", "5"] {
        for ending in ["svg", "png", "csv"] {
            let name = format!("figure-{figure}.{ending}");
            assert!(files.contains(&name), "{name} is not in {files:?}");
        }
    }
}

#[test]
fn a_small_shear_box_bears_its_load() {
    let (claims, files) = claims("tasora-shear-box", true);
    assert_eq!(claims.len(), 3);
    for name in ["series.csv", "figure-9.svg", "figure-10.svg", "figure-11.svg", "warm-start.csv"] {
        assert!(files.iter().any(|file| file == name), "{name} is not in {files:?}");
    }
}
