//! Problems made on the spot, and runs of the program.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use stickslip_solvers::fclib::{Fclib, Form, Info, Sparse};

/// A folder that goes away with the test.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("cli-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Stores a problem and gives its path.
    pub fn store(&self, name: &str, problem: &Fclib) -> String {
        let path = self.path(name);
        problem.write(&path).unwrap();
        text(&path)
    }

    /// The names of all files.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn text(path: &Path) -> String {
    path.to_str().unwrap().to_string()
}

/// Stores a scene and gives its path.
pub fn store_scene(folder: &Folder, scene: &str) -> String {
    let path = folder.path("shaken.toml");
    std::fs::write(&path, scene).unwrap();
    text(&path)
}

/// Disks on a floor that never rests: how long, how many, and what is measured and written.
pub fn shaken(end: f64, number: usize, more: &str) -> String {
    let head = r#"
title = "Shaken disks"
dimension = 2
seed = 1
time = { step = 1e-3, end = $END }
[parameters]
mu = 0.3
[material.default]
mu = "$mu"
[[body]]
name = "floor"
half_space = {}
drive = { v = { cosine = { amplitude = [0, 0.3], frequency = 10 } } }
[[packing]]
name = "grains"
fill = { region = { box = { low = [0, 0.05], high = [0.3, 0.2] } }, sizes = { uniform = [0.02, 0.03] }, number = $NUMBER }
"#;
    head.replace("$END", &end.to_string()).replace("$NUMBER", &number.to_string()) + more
}

/// The program with these arguments; in the test's folder, should it write where nobody told it to.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stickslip"));
    command.args(arguments).current_dir(env!("CARGO_TARGET_TMPDIR")).stdin(Stdio::null());
    command
}

/// A finished run.
pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Run {
    pub fn of(output: Output) -> Self {
        let utf8 = |bytes| String::from_utf8(bytes).unwrap();
        let run = Run { code: output.status.code(), out: utf8(output.stdout), err: utf8(output.stderr) };
        assert!(!run.err.contains("panicked"), "{}", run.err);
        run
    }

    /// Every line of standard output as JSON.
    pub fn records(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// Runs the program to its end; whatever happens it must not panic.
pub fn stickslip(arguments: &[&str]) -> Run {
    Run::of(command(arguments).output().unwrap())
}

/// The same, which must end with this status.
pub fn expect(code: i32, arguments: &[&str]) -> Run {
    let run = stickslip(arguments);
    assert_eq!(run.code, Some(code), "{arguments:?}\n{}\n{}", run.out, run.err);
    run
}

/// Contacts coupled by chance, W well conditioned: any solver gets there.
pub fn random(contacts: usize, dimension: usize, seed: u64) -> Fclib {
    let m = contacts * dimension;
    let mut state = seed;
    let mut chance = || {
        // splitmix64, to (-1, 1)
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let H: Vec<f64> = (0..m * m).map(|_| chance()).collect();
    let mut entries = Vec::new();
    for i in 0..m {
        for j in 0..m {
            let product: f64 = (0..m).map(|k| H[k * m + i] * H[k * m + j]).sum();
            entries.push((i, j, product / m as f64 + if i == j { 1.0 } else { 0.0 }));
        }
    }
    let q = (0..m).map(|i| if i % dimension == 0 { -chance().abs() } else { chance() }).collect();
    local(contacts, dimension, &entries, q)
}

/// A column of equal balls: the weight of all rests on the lowest contact, and sweeps carry it there one contact at
/// a time, so that long columns take for ever.
pub fn column(contacts: usize, dimension: usize) -> Fclib {
    let m = contacts * dimension;
    let mut entries = Vec::new();
    for i in 0..m {
        entries.push((i, i, if i < dimension { 1.0 } else { 2.0 }));
        if i >= dimension {
            entries.extend([(i, i - dimension, -1.0), (i - dimension, i, -1.0)]);
        }
    }
    let mut q = vec![0.0; m];
    q[0] = -0.1;
    q[dimension - 1] -= 0.01;
    local(contacts, dimension, &entries, q)
}

fn local(contacts: usize, dimension: usize, entries: &[(usize, usize, f64)], q: Vec<f64>) -> Fclib {
    let m = contacts * dimension;
    let row: Vec<u32> = entries.iter().map(|entry| entry.0 as u32).collect();
    let column: Vec<u32> = entries.iter().map(|entry| entry.1 as u32).collect();
    let value: Vec<f64> = entries.iter().map(|entry| entry.2).collect();
    Fclib {
        dimension,
        form: Form::Local { W: Sparse::from_entries(m, m, &row, &column, &value), q },
        mu: vec![0.4; contacts],
        info: Info::default(),
        guesses: Vec::new(),
        solution: None,
    }
}
