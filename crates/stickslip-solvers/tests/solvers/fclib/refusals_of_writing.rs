//! Writing refuses what reading would refuse, and says so in the same words.

use stickslip_solvers::fclib::{Fclib, Form, Point, Sparse, Storage};

use crate::fclib::refusals::said;
use crate::fclib::support::{Folder, global, local};

#[test]
fn writing_into_a_missing_folder() {
    let folder = Folder::new();
    let path = folder.file("absent/x.hdf5");
    said(local(Storage::Triplet).write(&path), "", &["absent", "does not exist", "create"]);
}

#[test]
fn writing_what_could_not_be_read() {
    let folder = Folder::new();
    let path = folder.file("x.hdf5");
    let refuse = |change: &dyn Fn(&mut Fclib), dataset: &str, words: &[&str]| {
        let mut problem = global(Storage::Triplet, Storage::CompressedColumns);
        change(&mut problem);
        said(problem.write(&path), dataset, words);
        assert!(!path.exists());
    };
    refuse(&|p| p.dimension = 4, "/fclib_global/spacedim", &["is 4"]);
    refuse(&|p| p.mu.clear(), "/fclib_global/vectors/mu", &["no contact"]);
    refuse(&|p| p.solution = Some(Point { u: vec![1.0], ..Point::default() }), "/solution/u", &["1 entries"]);
    refuse(&|p| p.guesses[1].v[2] = f64::NAN, "/guesses/2/v", &["entry 2 is NaN"]);
    let H = |change: &dyn Fn(&mut Sparse), array: &str, words: &[&str]| {
        let inner = |p: &mut Fclib| {
            if let Form::Global { H, .. } = &mut p.form {
                change(H);
            }
        };
        refuse(&inner, &format!("/fclib_global/H{array}"), words);
    };
    H(&|H| H.rows = 5, "", &["5 by 3", "4 by 3"]);
    H(&|H| H.row_start.truncate(2), "/p", &["2 entries"]);
    H(&|H| H.row_start[4] = 3, "/p", &["entry 4 is 3"]);
    H(&|H| H.column[0] = 3, "/i", &["entry 0 is 3"]);
    H(&|H| H.column.swap(1, 2), "/i", &["row 1"]);
    H(&|H| H.value.truncate(1), "/x", &["1 entries"]);
    H(&|H| H.value[3] = f64::INFINITY, "/x", &["entry 3 is inf"]);
}
