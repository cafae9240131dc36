//! What is refused: status 2, and a message that names the thing and the way out.

use crate::support::{Folder, expect, random, text};

#[test]
fn solvers_and_settings() {
    let folder = Folder::new();
    let file = folder.store("a.hdf5", &random(3, 3, 1));
    let refused = |arguments: &[&str], wanted: &[&str]| {
        let run = expect(2, &[&["solve", &file], arguments].concat());
        assert!(run.out.is_empty(), "{}", run.out);
        for word in wanted {
            assert!(run.err.contains(word), "\"{word}\" is not in: {}", run.err);
        }
    };
    refused(&["--solver", "nlsg"], &["\"nlsg\"", "did you mean \"nlgs\"?", "stickslip list solvers"]);
    refused(&["--solver", "nlgs:omga=1.2"], &["nlgs", "`omga`", "did you mean \"omega\"?"]);
    refused(&["--solver", "nlgs", "--set", "omega=fast"], &["nlgs", "`omega`", "\"fast\"", "list solvers"]);
    refused(&["--solver", "nlgs", "--set", "omega=3.0"], &["omega", "3", "(0, 2)"]);
    refused(&["--set", "omega"], &["\"omega\"", "key=value"]);
    refused(&["--set", "omega=1.2", "--set", "omega=1.1"], &["\"omega\" is given twice", "keep one"]);
    refused(&["--solver", "nlgs:omega=1.2", "--set", "omega=1.1"], &["\"omega\" is given twice"]);
    refused(&["--solver", "fixed-point:inner.solver=none"], &["inner", "\"none\"", "apgd"]);
    // a convex solver has no business with Coulomb's law, but may serve inside
    refused(&["--solver", "spg"], &["spg", "coulomb", "--law convex", "fixed-point:inner.solver=spg"]);
    expect(0, &["solve", &file, "--solver", "fixed-point:inner.solver=spg"]);
}

#[test]
fn numbers() {
    let folder = Folder::new();
    let file = folder.store("a.hdf5", &random(3, 3, 1));
    for value in ["0", "nan", "-1", "inf", "small", ""] {
        let run = expect(2, &["solve", &file, &format!("--tolerance={value}")]);
        assert!(run.err.contains("--tolerance") && run.err.contains("such as 1e-8"), "{}", run.err);
    }
    // apart from its option, a negative number is still a number
    let apart = expect(2, &["solve", &file, "--tolerance", "-1"]).err;
    assert!(apart.contains("such as 1e-8") && !apart.contains("tip"), "{apart}");
    for value in ["0", "-1"] {
        let run = expect(2, &["solve", &file, "--max-seconds", value]);
        assert!(
            run.err.contains("--max-seconds") && run.err.contains("of seconds, such as 60"),
            "{}",
            run.err
        );
    }
    assert!(expect(2, &["solve", &file, "--threads", "0"]).err.contains("--threads"));
    assert!(expect(2, &["solve", &file, "--max-iterations=-1"]).err.contains("--max-iterations"));
    assert!(expect(2, &["solve", &file, "--law", "newton"]).err.contains("coulomb"));
    assert!(expect(2, &["solve"]).err.contains("FOLDER|FILE"));
}

#[test]
fn files_that_cannot_be_read() {
    let folder = Folder::new();
    let refused = |path: &str, wanted: &[&str]| {
        for command in [&["solve", path][..], &["compare", path, "--no-profile"]] {
            let run = expect(2, command);
            for word in [&[path], wanted].concat() {
                assert!(run.err.contains(word), "\"{word}\" is not in: {}", run.err);
            }
        }
        let records = expect(2, &["solve", path, "--json"]).records();
        assert_eq!(records[0]["status"], "error");
        assert!(records[0]["error"].as_str().unwrap().contains(path));
    };
    refused(&text(&folder.path("none.hdf5")), &["cannot be opened", "check the name"]);
    let prose = folder.path("prose.hdf5");
    std::fs::write(&prose, "not at all\n".repeat(100)).unwrap();
    refused(&text(&prose), &["not an HDF5 file", "convert it"]);
    let whole = folder.store("whole.hdf5", &random(10, 3, 1));
    let bytes = std::fs::read(whole).unwrap();
    let half = folder.path("half.hdf5");
    std::fs::write(&half, &bytes[..bytes.len() / 2]).unwrap();
    refused(&text(&half), &["truncated or damaged", "again"]);
}

#[test]
fn targets_that_cannot_be_written() {
    let folder = Folder::new();
    let files = [1, 2].map(|k| folder.store(&format!("{k}.hdf5"), &random(3, 3, k)));
    let before = folder.names();
    let missing = text(&folder.path("none/solved.hdf5"));
    let run = expect(2, &["solve", &files[0], "--write", &files[0]]);
    assert!(run.err.contains("the problem itself") && run.err.contains("another name"), "{}", run.err);
    if cfg!(unix) {
        let run = expect(2, &["solve", &files[0], "--write", "/dev/null"]);
        assert!(run.err.contains("not a regular file"), "{}", run.err);
    }
    let run = expect(2, &["solve", &files[0], "--write", &missing]);
    assert!(run.out.is_empty() && run.err.contains("none does not exist; create it first"), "{}", run.err);
    let one = text(&folder.path("solved.hdf5"));
    let run = expect(2, &["solve", &files[0], &files[1], "--write", &one]);
    assert!(run.out.is_empty() && run.err.contains("several problems need a folder"), "{}", run.err);
    let run = expect(2, &["solve", &files[0], &files[0], "--write", &text(&folder.path(""))]);
    assert!(run.out.is_empty() && run.err.contains("two problems are called 1"), "{}", run.err);
    let run = expect(2, &["compare", &files[0], "--profile", &text(&folder.path("none/profile"))]);
    assert!(run.out.is_empty() && run.err.contains("none does not exist; create it first"), "{}", run.err);
    let run = expect(2, &["compare", &files[0], "--profile", ".."]);
    assert!(run.out.is_empty() && run.err.contains("--no-profile"), "{}", run.err);
    let run = expect(2, &["compare", &files[0], "--profile", ""]);
    assert!(run.out.is_empty() && run.err.contains("--profile"), "{}", run.err);
    assert_eq!(folder.names(), before);
}
