//! `list`: what it prints can be given back.

use crate::support::{Folder, expect, random};
use stickslip_solvers::panel::PANEL;

#[test]
fn every_solver_and_its_settings_can_be_given_back() {
    let run = expect(0, &["list", "solvers"]);
    assert!(run.out.lines().all(|line| line.chars().count() <= 100), "{}", run.out);
    assert!(run.out.contains("one_contact.tolerance=1e-13"), "{}", run.out);
    let folder = Folder::new();
    let file = folder.store("a.hdf5", &random(3, 2, 1));
    for (entry, block) in PANEL.iter().zip(blocks(&run.out)) {
        assert!(block.starts_with(entry.name));
        let settings: Vec<&str> = block.split_whitespace().filter(|word| word.contains('=')).collect();
        let solver = [&[entry.name], &settings[..]].concat().join(":");
        expect(0, &["solve", &file, "--law", "frictionless", "--solver", &solver]);
    }
}

#[test]
fn one_json_object_a_line() {
    for what in ["solvers", "one-contact"] {
        let records = expect(0, &["list", what, "--json"]).records();
        assert!(records.iter().all(|record| record["name"].is_string() && record["paper"].is_string()));
    }
    assert!(expect(2, &["list", "laws"]).err.contains("one-contact"));
}

/// A line that is not indented starts a block.
fn blocks(text: &str) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    for line in text.lines() {
        match blocks.last_mut() {
            Some(block) if line.starts_with(' ') => *block += line,
            _ => blocks.push(line.to_string()),
        }
    }
    blocks
}
