//! Small problems, and raw HDF5 files put together dataset by dataset.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use hdf5_pure::{FileBuilder, FinishedGroup, GroupBuilder};
use stickslip_solvers::fclib::{Fclib, Form, Info, Point, Sparse, Storage};

/// A folder that is removed with its content at the end of a test.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("fclib-{}-{count}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub fn sparse(rows: usize, cols: usize, entries: &[(usize, u32, f64)], storage: Storage) -> Sparse {
    let mut row_start = vec![0; rows + 1];
    for &(i, _, _) in entries {
        row_start[i + 1] += 1;
    }
    for i in 0..rows {
        row_start[i + 1] += row_start[i];
    }
    Sparse {
        rows,
        cols,
        row_start,
        column: entries.iter().map(|e| e.1).collect(),
        value: entries.iter().map(|e| e.2).collect(),
        storage,
    }
}

pub fn local(storage: Storage) -> Fclib {
    let entries = [(0, 0, 2.0), (0, 3, -0.5), (1, 1, 1.5), (2, 2, 1.0), (3, 0, -0.5), (3, 3, 3.0)];
    Fclib {
        dimension: 2,
        form: Form::Local { W: sparse(4, 4, &entries, storage), q: vec![-1.0, 0.25, 0.0, 1e-300] },
        mu: vec![0.3, 0.0],
        info: Info {
            title: "two contacts".into(), description: "déjà vu".into(), math_info: String::new()
        },
        guesses: vec![],
        solution: None,
    }
}

pub fn global(M: Storage, H: Storage) -> Fclib {
    let f = vec![0.0, -9.81, 0.5, 1.0];
    let masses = [(0, 0, 1.0), (1, 1, 2.0), (2, 2, 3.0), (3, 3, 4.0)];
    let lever = [(0, 2, 1.0), (1, 0, 1.0), (1, 1, -0.25), (3, 1, 1.0)];
    let point = |x: f64| Point { u: vec![x; 3], r: vec![x + 1.0; 3], v: vec![x + 2.0; 4], l: vec![] };
    Fclib {
        dimension: 3,
        form: Form::Global {
            M: sparse(4, 4, &masses, M),
            H: sparse(4, 3, &lever, H),
            f,
            w: vec![0.1, 0.2, 0.3],
        },
        mu: vec![0.7],
        info: Info::default(),
        guesses: vec![point(0.0), point(5.0)],
        solution: Some(point(-1.0)),
    }
}

/// The content of one dataset.
#[derive(Clone)]
pub enum Data {
    I32(Vec<i32>),
    I64(Vec<i64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    Text(&'static str),
    LongText(&'static str),
}
use Data::{F64, I32};

/// A file as a table of datasets.
#[derive(Clone)]
pub struct Raw(BTreeMap<String, Data>);

impl Raw {
    pub fn local() -> Self {
        Self(BTreeMap::new())
            .with("fclib_local/spacedim", I32(vec![2]))
            .with("fclib_local/vectors/mu", F64(vec![0.5]))
            .with("fclib_local/vectors/q", F64(vec![-1.0, 0.5]))
            .with_matrix("fclib_local/W", (2, 2, -2), &[0, 1, 2], &[0, 1], &[1.0, 2.0])
    }

    pub fn global() -> Self {
        Self(BTreeMap::new())
            .with("fclib_global/spacedim", I32(vec![2]))
            .with("fclib_global/vectors/mu", F64(vec![0.5]))
            .with("fclib_global/vectors/f", F64(vec![0.0; 3]))
            .with("fclib_global/vectors/w", F64(vec![-1.0, 0.5]))
            .with_matrix("fclib_global/M", (3, 3, 3), &[0, 1, 2], &[0, 1, 2], &[1.0; 3])
            .with_matrix("fclib_global/H", (3, 2, -1), &[0, 1, 2], &[0, 1], &[1.0, 2.0])
    }

    pub fn with(mut self, path: &str, data: Data) -> Self {
        self.0.insert(path.into(), data);
        self
    }

    pub fn without(mut self, path: &str) -> Self {
        self.0.retain(|p, _| p != path && !p.starts_with(&format!("{path}/")));
        self
    }

    pub fn with_matrix(
        self,
        path: &str,
        (m, n, nz): (i32, i32, i32),
        p: &[i32],
        i: &[i32],
        x: &[f64],
    ) -> Self {
        self.with(&format!("{path}/m"), I32(vec![m]))
            .with(&format!("{path}/n"), I32(vec![n]))
            .with(&format!("{path}/nz"), I32(vec![nz]))
            .with(&format!("{path}/nzmax"), I32(vec![x.len() as i32]))
            .with(&format!("{path}/p"), I32(p.to_vec()))
            .with(&format!("{path}/i"), I32(i.to_vec()))
            .with(&format!("{path}/x"), F64(x.to_vec()))
    }

    pub fn write(&self, path: &Path) {
        let mut file = FileBuilder::new();
        let mut tops: Vec<&str> = self.0.keys().map(|p| p.split('/').next().unwrap()).collect();
        tops.dedup();
        for top in tops {
            let group = file.create_group(top);
            file.add_group(self.fill(group, &format!("{top}/")));
        }
        file.write(path).unwrap();
    }

    fn fill(&self, mut group: GroupBuilder, prefix: &str) -> FinishedGroup {
        let mut below: Vec<&str> = Vec::new();
        for (path, data) in &self.0 {
            let Some(rest) = path.strip_prefix(prefix) else {
                continue;
            };
            match rest.split_once('/') {
                Some((name, _)) => below.push(name),
                None => put(&mut group, rest, data),
            }
        }
        below.dedup();
        for name in below {
            let inner = group.create_group(name);
            let inner = self.fill(inner, &format!("{prefix}{name}/"));
            group.add_group(inner);
        }
        group.finish()
    }
}

fn put(group: &mut GroupBuilder, name: &str, data: &Data) {
    let dataset = group.create_dataset(name);
    match data {
        Data::I32(x) => dataset.with_i32_data(x),
        Data::I64(x) => dataset.with_i64_data(x),
        Data::F32(x) => dataset.with_f32_data(x),
        Data::F64(x) => dataset.with_f64_data(x),
        Data::Text(x) => dataset.with_strings(&[x]).unwrap().with_shape(&[]),
        Data::LongText(x) => dataset.with_vlen_strings(&[x]),
    };
}
