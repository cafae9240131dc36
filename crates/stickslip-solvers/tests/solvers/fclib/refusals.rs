//! One test for each fault: the message names the file, the dataset, the value and a remedy.

use std::fs;
use std::path::Path;

use stickslip_solvers::fclib::{Fclib, FclibError};

use crate::fclib::support::Data::{F64, I32, I64, Text};
use crate::fclib::support::{Folder, Raw};

/// The raw file is refused at `dataset`, with all of `words` in the message.
pub fn refused(raw: &Raw, dataset: &str, words: &[&str]) {
    let folder = Folder::new();
    let path = folder.file("broken.hdf5");
    raw.write(&path);
    said(Fclib::read(&path), dataset, words);
}

/// The result is an error at `dataset`, with all of `words` in the message.
pub fn said<T>(result: Result<T, FclibError>, dataset: &str, words: &[&str]) {
    let Err(error) = result else {
        panic!("{dataset}: accepted");
    };
    let message = error.to_string();
    assert_eq!(error.dataset, dataset, "{message}");
    for word in ["hdf5", dataset].iter().chain(words) {
        assert!(message.contains(word), "`{word}` is not in: {message}");
    }
    assert!(message.contains(';'), "no remedy in: {message}");
}

#[test]
fn valid_files_are_the_base_of_these_tests() {
    let folder = Folder::new();
    for (name, raw) in [("local", Raw::local()), ("global", Raw::global())] {
        let path = folder.file(name);
        raw.write(&path);
        Fclib::read(&path).unwrap();
    }
}

#[test]
fn missing_file() {
    said(Fclib::read(Path::new("/nowhere/x.hdf5")), "", &["/nowhere/x.hdf5", "cannot be opened"]);
}

#[test]
fn folder_instead_of_file() {
    let folder = Folder::new();
    let path = folder.file("x.hdf5");
    fs::create_dir(&path).unwrap();
    said(Fclib::read(&path), "", &["not a regular file"]);
}

#[test]
fn not_hdf5() {
    let folder = Folder::new();
    let path = folder.file("x.hdf5");
    for content in ["", "M q mu\n"] {
        fs::write(&path, content).unwrap();
        said(Fclib::read(&path), "", &["not an HDF5 file"]);
    }
}

#[test]
fn truncated() {
    let folder = Folder::new();
    let path = folder.file("x.hdf5");
    Raw::local().write(&path);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..40]).unwrap();
    said(Fclib::read(&path), "", &["truncated"]);
}

#[test]
fn no_problem_inside() {
    let raw = Raw::local().without("fclib_local").with("other/x", I32(vec![1]));
    refused(&raw, "", &["/fclib_local", "/fclib_global"]);
}

#[test]
fn missing_datasets() {
    let local = ["spacedim", "vectors/mu", "vectors/q", "W", "W/m", "W/n", "W/nz", "W/p", "W/i", "W/x"];
    for name in local {
        let raw = Raw::local().without(&format!("fclib_local/{name}"));
        let dataset = if name == "W" { "W/m" } else { name };
        refused(&raw, &format!("/fclib_local/{dataset}"), &["missing"]);
    }
    for name in ["spacedim", "vectors/mu", "vectors/f", "vectors/w", "M/m", "H/x"] {
        let raw = Raw::global().without(&format!("fclib_global/{name}"));
        refused(&raw, &format!("/fclib_global/{name}"), &["missing"]);
    }
}

#[test]
fn wrong_types() {
    let raw = Raw::local().with("fclib_local/vectors/mu", Text("half"));
    refused(&raw, "/fclib_local/vectors/mu", &["string", "floating-point"]);
    let raw = Raw::local().with("fclib_local/W/i", F64(vec![0.0, 1.0]));
    refused(&raw, "/fclib_local/W/i", &["f64", "integers"]);
    let raw = Raw::local().with("fclib_local/info/title", I32(vec![7]));
    refused(&raw, "/fclib_local/info/title", &["i32", "text"]);
}

#[test]
fn scalar_of_wrong_length() {
    for value in [vec![], vec![2, 2]] {
        let words = format!("{} entries", value.len());
        let raw = Raw::local().with("fclib_local/spacedim", I32(value));
        refused(&raw, "/fclib_local/spacedim", &[&words]);
    }
}

#[test]
fn dimension() {
    for d in [0, 4, -1] {
        let raw = Raw::local().with("fclib_local/spacedim", I32(vec![d]));
        refused(&raw, "/fclib_local/spacedim", &[&format!("is {d};"), "1", "2", "3"]);
    }
}

#[test]
fn dimension_does_not_divide() {
    let raw = Raw::local().with("fclib_local/spacedim", I32(vec![3]));
    refused(&raw, "/fclib_local/W", &["2 by 2", "3 by 3", "spacedim"]);
    let raw = Raw::local().with("fclib_local/vectors/mu", F64(vec![0.5; 2]));
    refused(&raw, "/fclib_local/W", &["2 by 2", "4 by 4"]);
}

#[test]
fn vectors_of_wrong_length() {
    let raw = Raw::local().with("fclib_local/vectors/q", F64(vec![1.0; 5]));
    refused(&raw, "/fclib_local/vectors/q", &["5 entries", "2 are needed"]);
    let raw = Raw::global().with("fclib_global/vectors/f", F64(vec![1.0; 4]));
    refused(&raw, "/fclib_global/vectors/f", &["4 entries", "3 are needed"]);
    let raw = Raw::global().with("fclib_global/vectors/w", F64(vec![1.0]));
    refused(&raw, "/fclib_global/vectors/w", &["1 entries", "2 are needed"]);
}

#[test]
fn counts_that_cannot_be() {
    let raw = Raw::local().with("fclib_local/W/m", I32(vec![-2]));
    refused(&raw, "/fclib_local/W/m", &["-2"]);
    let raw = Raw::local().with("fclib_local/W/n", I64(vec![1 << 40]));
    refused(&raw, "/fclib_local/W/n", &["1099511627776"]);
    // a billion rows are refused by the length of mu, before anything is allocated for them
    let raw = Raw::local().with("fclib_local/W/m", I32(vec![1_000_000_000]));
    refused(&raw, "/fclib_local/W", &["1000000000 by 2"]);
}

#[test]
fn no_contacts() {
    let raw = Raw::local().with("fclib_local/vectors/mu", F64(vec![]));
    refused(&raw, "/fclib_local/vectors/mu", &["no contact"]);
}

#[test]
fn matrices_that_do_not_fit() {
    let raw = Raw::global().with("fclib_global/M/n", I32(vec![2]));
    refused(&raw, "/fclib_global/M", &["3 by 2", "square"]);
    let raw = Raw::global().with("fclib_global/H/m", I32(vec![4]));
    refused(&raw, "/fclib_global/H", &["4 by 2", "3 by 2"]);
    let raw = Raw::global().with("fclib_global/H/n", I32(vec![5]));
    refused(&raw, "/fclib_global/H", &["3 by 5", "3 by 2"]);
}

#[test]
fn equality_constraints() {
    let words = ["equality constraints", "eliminate"];
    for name in ["V", "R"] {
        let name = format!("fclib_local/{name}");
        let raw = Raw::local().with_matrix(&name, (2, 1, -1), &[0, 1], &[0], &[1.0]);
        refused(&raw, &format!("/{name}"), &words);
    }
    let raw = Raw::global().with_matrix("fclib_global/G", (3, 1, -1), &[0, 1], &[0], &[1.0]);
    refused(&raw, "/fclib_global/G", &words);
    refused(&Raw::local().with("fclib_local/vectors/s", F64(vec![1.0])), "/fclib_local/vectors/s", &words);
    let raw = Raw::global().with("fclib_global/vectors/b", F64(vec![1.0]));
    refused(&raw, "/fclib_global/vectors/b", &words);
}

#[test]
fn points_of_wrong_length() {
    for name in ["u", "r"] {
        let raw = Raw::local().with(&format!("solution/{name}"), F64(vec![0.0; 3]));
        refused(&raw, &format!("/solution/{name}"), &["3 entries", "2 are needed"]);
    }
    let raw = Raw::local().with("solution/v", F64(vec![0.0; 3]));
    refused(&raw, "/solution/v", &["3 entries", "0 are needed"]);
    let raw = Raw::local().with("solution/l", F64(vec![0.0]));
    refused(&raw, "/solution/l", &["1 entries", "no equality"]);
    let guess = |count: i32| {
        Raw::global()
            .with("guesses/number_of_guesses", I32(vec![count]))
            .with("guesses/1/v", F64(vec![0.0; 3]))
            .with("guesses/2/v", F64(vec![0.0; 4]))
    };
    refused(&guess(2), "/guesses/2/v", &["4 entries", "3 are needed"]);
    refused(&guess(3).with("guesses/2/v", F64(vec![])), "/guesses/3", &["missing"]);
    refused(&guess(-1), "/guesses/number_of_guesses", &["-1"]);
    let raw = guess(1).without("guesses/number_of_guesses");
    refused(&raw, "/guesses/number_of_guesses", &["missing"]);
}
