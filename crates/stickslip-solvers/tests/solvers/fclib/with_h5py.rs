//! The reference library agrees: h5py reads what is written here, and its files are read here.

use std::path::Path;
use std::process::Command;

use stickslip_solvers::fclib::{Fclib, Form, Storage};

use crate::fclib::support::{Folder, global, local, sparse};

fn python() -> Option<&'static str> {
    ["/usr/bin/python3", "python3"].into_iter().find(|python| {
        let found = Command::new(python).args(["-c", "import h5py, numpy"]).output();
        found.is_ok_and(|output| output.status.success())
    })
}

fn run(python: &str, script: &str, path: &Path) {
    let output = Command::new(python).args(["-c", script]).arg(path).output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
}

const READ_LOCAL: &str = r#"
import sys, h5py, numpy as np
h = h5py.File(sys.argv[1], "r")
g = h["fclib_local"]
for name in ["spacedim", "W/m", "W/n", "W/nz", "W/nzmax"]:
    assert g[name].shape == (1,) and g[name].dtype == np.int32, name
assert g["spacedim"][0] == 2 and g["W/nz"][0] == -1 and g["W/nzmax"][0] == 6
assert g["W/p"].dtype == np.int32 and list(g["W/p"]) == [0, 2, 3, 4, 6]
assert g["W/i"].dtype == np.int32 and list(g["W/i"]) == [0, 3, 1, 2, 0, 3]
assert g["W/x"].dtype == np.float64 and list(g["W/x"]) == [2, -.5, 1.5, 1, -.5, 3]
assert list(g["vectors/q"]) == [-1, .25, 0, 1e-300] and list(g["vectors/mu"]) == [.3, 0]
assert g["info/title"][()] == b"two contacts"
assert g["info/description"][()].decode() == "d\u00e9j\u00e0 vu"
assert "guesses" not in h and "solution" not in h
"#;

const READ_GLOBAL: &str = r#"
import sys, h5py, numpy as np
h = h5py.File(sys.argv[1], "r")
g = h["fclib_global"]
assert g["M/nz"][0] == 4 and list(g["M/i"]) == list(g["M/p"]) == [0, 1, 2, 3]
assert g["H/nz"][0] == -2 and list(g["H/p"]) == [0, 1, 3, 3, 4]
assert h["guesses/number_of_guesses"].shape == (1,) and h["guesses/number_of_guesses"][0] == 2
assert list(h["guesses/2/r"]) == [6, 6, 6] and list(h["solution/v"]) == [1, 1, 1, 1]
"#;

const READ_LONG: &str = r#"
import sys, h5py
g = h5py.File(sys.argv[1], "r")["fclib_local"]
assert len(g["vectors/q"]) == 100000 and g["vectors/q"][99999] == 99999 and len(g["W/p"]) == 100001
"#;

const WRITE: &str = r#"
import sys, h5py, numpy as np
for version in ["earliest", "latest"]:
    for kind, order in [("contiguous", "<"), ("chunked", ">"), ("gzip", "<"), ("scalar", "<")]:
        with h5py.File(f"{sys.argv[1]}/{version}-{kind}.hdf5", "w", libver=version) as h:
            def put(name, value, dtype):
                value = np.array(value, dtype=order + dtype)
                how = {}
                if kind == "scalar" and value.size == 1:
                    value = value[0]
                elif kind in ("chunked", "gzip") and value.size > 1:
                    how = dict(chunks=(2,), maxshape=(None,))
                    if kind == "gzip":
                        how.update(compression="gzip", shuffle=True, fletcher32=True)
                h.create_dataset("fclib_local/" + name, data=value, **how)
            put("spacedim", [2], "i4"); put("vectors/mu", [.5, .25], "f8")
            put("vectors/q", [1, 2, 3, 4], "f4" if kind == "chunked" else "f8")
            for name, value in [("m", 4), ("n", 4), ("nz", -2), ("nzmax", 4)]:
                put("W/" + name, [value], "i8" if kind == "gzip" else "i4")
            put("W/p", [0, 1, 2, 3, 4], "i8" if kind == "chunked" else "i4")
            put("W/i", [3, 2, 1, 0], "i4"); put("W/x", [1, 2, 3, 4], "f8")
            title = "stored by h5py" if kind == "gzip" else np.bytes_("stored by h5py")
            h["fclib_local/info/title"] = title
"#;

const WRITE_ODD: &str = r#"
import sys, h5py, numpy as np
def start(name):
    h = h5py.File(f"{sys.argv[1]}/{name}.hdf5", "w")
    h["fclib_local/spacedim"] = np.array([2], np.int32)
    return h
with start("loop") as h:
    h["fclib_local/vectors/mu"] = h5py.SoftLink("/fclib_local/vectors/mu")
with start("elsewhere") as h:
    h["fclib_local/vectors/mu"] = h5py.ExternalLink("loop.hdf5", "/fclib_local/spacedim")
with start("group") as h:
    h.create_group("fclib_local/vectors/mu")
with start("under") as h:
    h["fclib_local/vectors"] = np.array([0.5])
with start("unwritten") as h:
    h.create_dataset("fclib_local/vectors/mu", shape=(1 << 40,), dtype="f8", chunks=(1024,))
with start("huge") as h:
    h.create_dataset("fclib_local/vectors/mu", shape=(1 << 40,), dtype="f8", compression="gzip",
                     chunks=(1 << 26,))
with start("record") as h:
    h["fclib_local/vectors/mu"] = np.zeros(1, dtype=[("a", "f8"), ("b", "i4")])
"#;

/// Legal HDF5 that is no legal problem: an error each time, and quickly.
#[test]
fn odd_files_of_h5py_are_refused() {
    let Some(python) = python() else {
        eprintln!("skipped: no python3 that imports h5py");
        return;
    };
    let folder = Folder::new();
    run(python, WRITE_ODD, folder.path());
    let names = ["loop", "elsewhere", "group", "under", "unwritten", "huge", "record"];
    for name in names {
        let error = Fclib::read(&folder.file(&format!("{name}.hdf5"))).unwrap_err();
        assert_eq!(error.dataset, "/fclib_local/vectors/mu", "{error}");
    }
}

#[test]
fn h5py_reads_what_is_written() {
    let Some(python) = python() else {
        eprintln!("skipped: no python3 that imports h5py");
        return;
    };
    let folder = Folder::new();
    let path = folder.file("problem.hdf5");
    local(Storage::CompressedColumns).write(&path).unwrap();
    run(python, READ_LOCAL, &path);
    global(Storage::Triplet, Storage::CompressedRows).write(&path).unwrap();
    run(python, READ_GLOBAL, &path);
    let unknowns = 100_000;
    let diagonal: Vec<_> = (0..unknowns).map(|i| (i, i as u32, 1.0)).collect();
    let long = Fclib {
        form: Form::Local {
            W: sparse(unknowns, unknowns, &diagonal, Storage::CompressedColumns),
            q: (0..unknowns).map(|i| i as f64).collect(),
        },
        mu: vec![0.5; unknowns / 2],
        ..local(Storage::CompressedColumns)
    };
    long.write(&path).unwrap();
    run(python, READ_LONG, &path);
}

#[test]
fn files_of_h5py_are_read() {
    let Some(python) = python() else {
        eprintln!("skipped: no python3 that imports h5py");
        return;
    };
    let folder = Folder::new();
    run(python, WRITE, folder.path());
    for version in ["earliest", "latest"] {
        for kind in ["contiguous", "chunked", "gzip", "scalar"] {
            let path = folder.file(&format!("{version}-{kind}.hdf5"));
            let problem = Fclib::read(&path).unwrap_or_else(|e| panic!("{e}"));
            let Form::Local { W, q } = &problem.form else {
                panic!("{kind}: not local");
            };
            assert_eq!(*q, [1.0, 2.0, 3.0, 4.0], "{version} {kind}");
            assert_eq!(W.column, [3, 2, 1, 0], "{version} {kind}");
            assert_eq!(W.value, [1.0, 2.0, 3.0, 4.0], "{version} {kind}");
            assert_eq!(problem.mu, [0.5, 0.25], "{version} {kind}");
            assert_eq!(problem.info.title, "stored by h5py", "{version} {kind}");
        }
    }
}
