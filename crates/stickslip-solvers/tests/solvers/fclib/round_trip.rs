//! What is written is read back; what other writers do differently is understood.

use std::fs;
use std::path::{Path, PathBuf};

use stickslip_solvers::fclib::Storage::{CompressedColumns, CompressedRows, Triplet};
use stickslip_solvers::fclib::{Fclib, Form, Point, Storage, write_solution};

use crate::fclib::support::Data::{F32, F64, I32, I64, LongText, Text};
use crate::fclib::support::{Folder, Raw, global, local, sparse};

const STORAGES: [Storage; 3] = [Triplet, CompressedColumns, CompressedRows];

fn there_and_back(problem: &Fclib) -> Fclib {
    let folder = Folder::new();
    let path = folder.file("problem.hdf5");
    problem.write(&path).unwrap();
    Fclib::read(&path).unwrap()
}

fn read(raw: &Raw) -> Fclib {
    let folder = Folder::new();
    let path = folder.file("raw.hdf5");
    raw.write(&path);
    Fclib::read(&path).unwrap()
}

fn local_matrix(problem: &Fclib) -> &stickslip_solvers::fclib::Sparse {
    match &problem.form {
        Form::Local { W, .. } => W,
        Form::Global { .. } => panic!("expected a local problem"),
    }
}

#[test]
fn local_in_every_storage() {
    for storage in STORAGES {
        let problem = local(storage);
        assert_eq!(there_and_back(&problem), problem);
    }
}

#[test]
fn global_in_every_storage_with_guesses_and_solution() {
    for M in STORAGES {
        for H in STORAGES {
            let problem = global(M, H);
            assert_eq!(there_and_back(&problem), problem);
        }
    }
}

#[test]
fn one_dimension_and_partial_points() {
    let mut problem = local(CompressedRows);
    problem.dimension = 1;
    problem.mu = vec![0.0; 4];
    problem.guesses = vec![Point { r: vec![1.0; 4], ..Point::default() }];
    problem.solution = Some(Point::default());
    assert_eq!(there_and_back(&problem), problem);
    assert_eq!((problem.contacts(), problem.contact_size(), problem.body_size()), (4, 4, 0));
}

#[test]
fn large_arrays_are_compressed_and_read_back() {
    let n = 100_000;
    let entries: Vec<_> = (0..n).map(|i| (i, (n - 1 - i) as u32, (i as f64).sqrt())).collect();
    let mut problem = local(CompressedColumns);
    problem.dimension = 1;
    problem.mu = vec![0.5; n];
    problem.form = Form::Local {
        W: sparse(n, n, &entries, CompressedColumns),
        q: (0..n).map(|i| (i as f64).sin()).collect(),
    };
    let folder = Folder::new();
    let path = folder.file("large.hdf5");
    problem.write(&path).unwrap();
    assert_eq!(Fclib::read(&path).unwrap(), problem);
    let plain = (n * (8 + 8 + 8 + 4 + 4)) as u64;
    assert!(fs::metadata(&path).unwrap().len() < plain / 2);
}

#[test]
fn duplicates_are_summed_and_columns_sorted() {
    let raw = Raw::local().with_matrix(
        "fclib_local/W",
        (2, 2, 4),
        &[1, 0, 1, 1, 7],
        &[0, 0, 0, 1, 9],
        &[1.0, 2.0, 4.0, 8.0, f64::NAN],
    );
    // the fifth triplet is padding beyond nz
    let expected = sparse(2, 2, &[(0, 0, 2.0), (0, 1, 5.0), (1, 1, 8.0)], Triplet);
    assert_eq!(*local_matrix(&read(&raw)), expected);
}

#[test]
fn padded_compressed_arrays_are_cut() {
    let raw = Raw::local().with_matrix(
        "fclib_local/W",
        (2, 2, -1),
        &[0, 1, 2, 99],
        &[0, 1, -5],
        &[1.0, 2.0, f64::INFINITY],
    );
    let problem = read(&raw);
    let W = local_matrix(&problem);
    assert_eq!(W.value.len(), 2);
    assert_eq!(W.row(1).collect::<Vec<_>>(), [(1, 2.0)]);
}

#[test]
fn other_number_types_and_texts_are_understood() {
    let raw = Raw::local()
        .with("fclib_local/spacedim", I64(vec![2]))
        .with("fclib_local/W/p", I64(vec![0, 1, 2]))
        .with("fclib_local/vectors/mu", F32(vec![0.5]))
        .with("fclib_local/vectors/q", I32(vec![-1, 2]))
        .with("fclib_local/info/title", Text("fixed"))
        .with("fclib_local/info/description", LongText("variable"));
    let problem = read(&raw);
    assert_eq!(problem.mu, [0.5]);
    assert_eq!(problem.info.title, "fixed");
    assert_eq!(problem.info.description, "variable");
    assert_eq!(problem.info.math_info, "");
}

#[test]
fn empty_equalities_are_accepted() {
    let raw = Raw::global()
        .with_matrix("fclib_global/G", (3, 0, -1), &[0], &[], &[])
        .with("fclib_global/vectors/b", F64(vec![]));
    assert_eq!(read(&raw).contacts(), 1);
}

#[test]
fn a_solution_is_added_in_place() {
    let folder = Folder::new();
    let path = folder.file("problem.hdf5");
    let mut problem = local(Triplet);
    problem.write(&path).unwrap();
    let solution = Point { u: vec![0.0; 4], r: vec![1.0, 0.0, 2.0, 0.0], ..Point::default() };
    write_solution(&path, &path, &solution).unwrap();
    problem.solution = Some(solution);
    assert_eq!(Fclib::read(&path).unwrap(), problem);
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "temporary files remain");
}

#[test]
fn a_failed_write_leaves_the_old_file_alone() {
    let folder = Folder::new();
    let path = folder.file("problem.hdf5");
    let good = local(Triplet);
    good.write(&path).unwrap();
    let mut bad = good.clone();
    bad.mu[1] = f64::NAN;
    assert!(bad.write(&path).is_err());
    assert_eq!(Fclib::read(&path).unwrap(), good);
    // a folder in the way makes the rename fail after the temporary was written
    let taken = folder.file("taken");
    fs::create_dir_all(taken.join("inside")).unwrap();
    assert!(good.write(&taken).is_err());
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 2, "temporary files remain");
}

#[test]
fn every_stored_problem_is_read_and_written_back() {
    let stored = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/problems");
    let Ok(list) = fs::read_dir(&stored) else {
        eprintln!("skipped: {} is not there", stored.display());
        return;
    };
    let mut files: Vec<PathBuf> = list.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "hdf5"));
    assert!(!files.is_empty());
    let folder = Folder::new();
    let copy = folder.file("copy.hdf5");
    for path in files {
        let problem = Fclib::read(&path).unwrap_or_else(|e| panic!("{e}"));
        problem.write(&copy).unwrap();
        assert_eq!(Fclib::read(&copy).unwrap(), problem, "{}", path.display());
    }
}
