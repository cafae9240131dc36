//! Faults inside the arrays: storage, lengths, indices, pointers and numbers.

use crate::fclib::refusals::refused;
use crate::fclib::support::Data::{F64, I32, I64};
use crate::fclib::support::Raw;

#[test]
fn unknown_storage() {
    let raw = Raw::local().with("fclib_local/W/nz", I32(vec![-3]));
    refused(&raw, "/fclib_local/W/nz", &["-3", "-1", "-2"]);
}

#[test]
fn arrays_shorter_than_declared() {
    let raw = Raw::local().with("fclib_local/W/p", I32(vec![0, 1]));
    refused(&raw, "/fclib_local/W/p", &["2 entries", "3 are needed"]);
    let raw = Raw::local().with("fclib_local/W/x", F64(vec![1.0]));
    refused(&raw, "/fclib_local/W/p", &["entry 2 is 2", "1..=1"]);
    let raw = Raw::global().with("fclib_global/M/nz", I32(vec![2_000_000_000]));
    refused(&raw, "/fclib_global/M/i", &["3 entries", "2000000000 are needed"]);
}

#[test]
fn indices_out_of_range() {
    let raw = Raw::local().with("fclib_local/W/i", I32(vec![0, 2]));
    refused(&raw, "/fclib_local/W/i", &["entry 1 is 2", "0..2"]);
    let raw = Raw::global().with("fclib_global/H/i", I32(vec![-1, 0]));
    refused(&raw, "/fclib_global/H/i", &["entry 0 is -1", "0..3"]);
    let raw = Raw::global().with("fclib_global/M/p", I32(vec![0, 1, 3]));
    refused(&raw, "/fclib_global/M/p", &["entry 2 is 3", "0..3"]);
    let raw = Raw::global().with("fclib_global/M/i", I64(vec![0, 1 << 32, 2]));
    refused(&raw, "/fclib_global/M/i", &["entry 1 is 4294967296"]);
}

#[test]
fn pointers_out_of_order() {
    for (p, words) in [
        ([1, 1, 2], "entry 0 is 1"),
        ([0, 2, 1], "entry 2 is 1"),
        ([0, -1, 2], "entry 1 is -1"),
        ([0, 1, 3], "entry 2 is 3"),
    ] {
        let raw = Raw::local().with("fclib_local/W/p", I32(p.to_vec()));
        refused(&raw, "/fclib_local/W/p", &[words, "never decrease"]);
    }
}

#[test]
fn numbers_that_are_not_finite() {
    for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let words = format!("entry 1 is {x}");
        for name in ["vectors/q", "W/x"] {
            let raw = Raw::local().with(&format!("fclib_local/{name}"), F64(vec![1.0, x]));
            refused(&raw, &format!("/fclib_local/{name}"), &[&words]);
        }
        let raw = Raw::local().with("fclib_local/vectors/mu", F64(vec![x]));
        refused(&raw, "/fclib_local/vectors/mu", &[&format!("entry 0 is {x}")]);
        let raw = Raw::global().with("fclib_global/vectors/f", F64(vec![0.0, x, 0.0]));
        refused(&raw, "/fclib_global/vectors/f", &[&words]);
        let raw = Raw::local().with("solution/r", F64(vec![0.0, x]));
        refused(&raw, "/solution/r", &[&words]);
    }
    // each duplicate is finite, their sum is not
    let raw = Raw::local().with_matrix("fclib_local/W", (2, 2, 2), &[0, 0], &[0, 0], &[f64::MAX, f64::MAX]);
    refused(&raw, "/fclib_local/W/x", &["inf"]);
}

#[test]
fn negative_friction() {
    let raw = Raw::local().with("fclib_local/vectors/mu", F64(vec![-0.25]));
    refused(&raw, "/fclib_local/vectors/mu", &["entry 0 is -0.25", "zero or positive"]);
}
