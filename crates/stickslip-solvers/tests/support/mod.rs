//! What the integration tests share: contact problems made from seeds, and small helpers on blocks.

#![allow(dead_code, non_snake_case)]

pub mod generate;

use nalgebra::DMatrix;
use std::path::{Path, PathBuf};
use stickslip_solvers::block::Vector;
use stickslip_solvers::delassus::{Delassus, SparseMass};
use stickslip_solvers::fclib::Fclib;
use stickslip_solvers::laws::{Kind, Law};
use stickslip_solvers::outcome::Outcome;
use stickslip_solvers::panel::{AnyMethod, Entry};
use stickslip_solvers::problem::ContactProblem;
use stickslip_solvers::sparse::Sparse;
use stickslip_solvers::stop::Stop;

/// splitmix64 (Steele, Lea and Flood 2014): the same numbers on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in [−1, 1).
    pub fn sign(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    pub fn vector<const D: usize>(&mut self) -> Vector<D> {
        Vector::from_fn(|_, _| self.sign())
    }

    pub fn vectors<const D: usize>(&mut self, n: usize) -> Vec<Vector<D>> {
        (0..n).map(|_| self.vector()).collect()
    }
}

/// Bodies and contacts before condensation: `M v = f + H r`, `u = Hᵀ v + w`, one law a contact.
#[derive(Clone)]
pub struct System<const D: usize> {
    pub M: Sparse,
    pub H: Sparse,
    pub f: Vec<f64>,
    pub w: Vec<f64>,
    pub laws: Vec<Law>,
}

impl<const D: usize> System<D> {
    /// W and q by dense Cholesky, sharing nothing with the forms under test.
    pub fn condensed(&self) -> (DMatrix<f64>, Vec<Vector<D>>) {
        let H = dense(&self.H);
        let mass = dense(&self.M).cholesky().expect("M is positive definite");
        let W = H.tr_mul(&mass.solve(&H));
        let f = DMatrix::from_column_slice(self.f.len(), 1, &self.f);
        let q = H.tr_mul(&mass.solve(&f)) + DMatrix::from_column_slice(self.w.len(), 1, &self.w);
        ((&W + W.transpose()) * 0.5, blocks(q.as_slice()))
    }

    fn q(&self, W: &Delassus<D>) -> Vec<Vector<D>> {
        let v_free = W.inverse_mass(&self.f).expect("factored");
        let q: Vec<f64> =
            self.H.transposed().apply(&v_free).iter().zip(&self.w).map(|(a, b)| a + b).collect();
        blocks(&q)
    }

    /// The problem with W stored by blocks.
    pub fn stored(&self) -> ContactProblem<D> {
        let (W, q) = self.condensed();
        ContactProblem::new(Delassus::stored(&sparse(&W)).unwrap(), q, self.laws.clone()).unwrap()
    }

    /// The problem with W factored as the library chooses.
    pub fn factored(&self) -> ContactProblem<D> {
        let W = Delassus::factored(&self.M, &self.H).unwrap();
        let q = self.q(&W);
        ContactProblem::new(W, q, self.laws.clone()).unwrap()
    }

    /// The problem with W factored by a sparse mass matrix, even where M is block diagonal.
    pub fn by_sparse_mass(&self) -> ContactProblem<D> {
        let W = Delassus::SparseMass(SparseMass::new(&self.M, &self.H).unwrap());
        let q = self.q(&W);
        ContactProblem::new(W, q, self.laws.clone()).unwrap()
    }

    /// The same bodies and contacts under other laws.
    pub fn with_laws(mut self, law: impl Fn(usize) -> Law) -> Self {
        self.laws = (0..self.laws.len()).map(law).collect();
        self
    }
}

/// One law of a family.
pub fn law_of(kind: Kind, mu: f64) -> Law {
    match kind {
        Kind::Frictionless => Law::frictionless(),
        Kind::Coulomb => Law::coulomb(mu),
        Kind::Convex => Law::convex(mu),
        Kind::Bilateral => Law::bilateral(),
        // a bound in place of the friction coefficient
        Kind::Motor => Law::motor(mu),
        Kind::Cohesive => Law::cohesive(mu, 0.2, 0.3 * mu),
        Kind::CohesiveConvex => Law::cohesive(mu, 0.2, mu),
        Kind::Yielding => Law::capped(mu, 0.1, 0.8),
        Kind::Rolling => Law::rolling(mu, 0.2 * mu, 0.1 * mu),
        Kind::RollingConvex => Law::rolling(mu, 0.2 * mu, 0.1 * mu).associated(),
    }
}

pub fn blocks<const D: usize>(x: &[f64]) -> Vec<Vector<D>> {
    x.chunks_exact(D).map(Vector::from_column_slice).collect()
}

pub fn flat<const D: usize>(x: &[Vector<D>]) -> Vec<f64> {
    x.iter().flat_map(|x| x.iter().copied()).collect()
}

pub fn norm<const D: usize>(x: &[Vector<D>]) -> f64 {
    x.iter().map(|x| x.norm_squared()).sum::<f64>().sqrt()
}

pub fn dot<const D: usize>(a: &[Vector<D>], b: &[Vector<D>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(b)).sum()
}

pub fn distance<const D: usize>(a: &[Vector<D>], b: &[Vector<D>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).norm_squared()).sum::<f64>().sqrt()
}

pub fn dense(A: &Sparse) -> DMatrix<f64> {
    let mut full = DMatrix::zeros(A.rows, A.cols);
    for i in 0..A.rows {
        A.row(i).for_each(|(j, x)| full[(i, j)] = x);
    }
    full
}

pub fn sparse(A: &DMatrix<f64>) -> Sparse {
    let mut entries = Vec::new();
    for (k, &x) in A.iter().enumerate().filter(|&(_, &x)| x != 0.0) {
        entries.push(((k % A.nrows()) as u32, (k / A.nrows()) as u32, x));
    }
    Sparse::from_triplets(A.nrows(), A.ncols(), &entries)
}

/// W of any form as a dense matrix, by products with unit vectors.
pub fn assembled<const D: usize>(problem: &ContactProblem<D>) -> DMatrix<f64> {
    let n = D * problem.contacts();
    let mut W = DMatrix::zeros(n, n);
    let mut product = problem.W.product();
    let mut e = vec![Vector::<D>::zeros(); problem.contacts()];
    let mut column = e.clone();
    for j in 0..n {
        e[j / D][j % D] = 1.0;
        product.apply(&e, &mut column);
        e[j / D][j % D] = 0.0;
        W.column_mut(j).copy_from_slice(&flat(&column));
    }
    W
}

/// Whether a problem is larger than a direct method takes by default: it must refuse it and say so.
pub fn is_too_large(entry: &Entry, contacts: usize) -> bool {
    let limit = entry.defaults().get("max_contacts").and_then(|limit| limit.as_integer());
    limit.is_some_and(|limit| contacts > limit as usize)
}

/// Solves from zero with the defaults of the named method.
pub fn solve<const D: usize>(
    name: &str,
    problem: &ContactProblem<D>,
    tolerance: f64,
    max_iterations: usize,
) -> (Vec<Vector<D>>, Outcome) {
    let mut r = vec![Vector::zeros(); problem.contacts()];
    let stop = Stop { tolerance, max_iterations, ..Stop::default() };
    let outcome = solve_from(name, problem, &mut r, &stop);
    (r, outcome)
}

/// Solves from r with the defaults of the named method.
pub fn solve_from<const D: usize>(
    name: &str,
    problem: &ContactProblem<D>,
    r: &mut [Vector<D>],
    stop: &Stop,
) -> Outcome {
    let method = AnyMethod::parse(name, &toml::Table::new()).unwrap();
    method.build::<D>().solve(problem, r, stop)
}

/// The stored problems of a folder given relative to this crate, with at most `largest` contacts; none where the
/// folder is absent.
pub fn files(folder: &str, largest: usize) -> Vec<(String, Fclib)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: no folder {}", folder.display());
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "hdf5" || e == "h5"));
    // a contact takes at least 40 bytes of a compressed file: do not unpack the huge ones
    paths.retain(|path| path.metadata().unwrap().len() < 40_000 * largest as u64);
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (name, Fclib::read(&path).unwrap())
    };
    paths.into_iter().map(read).filter(|(_, file)| file.contacts() <= largest).collect()
}

/// A Python that imports these modules, if there is one.
pub fn python(modules: &str) -> Option<&'static str> {
    let found = ["/usr/bin/python3", "python3"].into_iter().find(|python| {
        let tried = std::process::Command::new(python).args(["-c", &format!("import {modules}")]).output();
        tried.is_ok_and(|output| output.status.success())
    });
    if found.is_none() {
        eprintln!("skipped: no python3 that imports {modules}");
    }
    found
}
