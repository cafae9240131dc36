//! A problem in the form that needs nothing but contacts: W assembled, for programs that know no factored one.

use stickslip_solvers::block::Vector;
use stickslip_solvers::delassus::Delassus;
use stickslip_solvers::fclib::{Fclib, Form, Sparse};
use stickslip_solvers::problem::ContactProblem;

/// `u = W r + q` with friction coefficients.
pub struct Condensed {
    /// Entries a contact.
    pub dimension: usize,
    /// A stored W as the file has it, an assembled one symmetric.
    pub W: Sparse,
    pub q: Vec<f64>,
    pub mu: Vec<f64>,
}

impl Condensed {
    /// From a file and the problem it poses, so that both are given the same q and the same M⁻¹.
    pub fn new<const D: usize>(file: &Fclib, problem: &ContactProblem<D>) -> Self {
        let W = match &file.form {
            Form::Local { W, .. } => W.clone(),
            Form::Global { M, H, .. } => assemble(&problem.W, M, H),
        };
        let q = problem.q.iter().flat_map(|q: &Vector<D>| q.iter().copied()).collect();
        Condensed { dimension: D, W, q, mu: file.mu.clone() }
    }

    pub fn contacts(&self) -> usize {
        self.mu.len()
    }
}

/// The symmetric part of `Hᵀ M⁻¹ H`.
fn assemble<const D: usize>(factored: &Delassus<D>, M: &Sparse, H: &Sparse) -> Sparse {
    let inverse = inverse(M, |x| factored.inverse_mass(x).unwrap_or_default());
    let W = product(&H.transposed(), &product(&inverse, H));
    let half: Vec<f64> = W.value.iter().map(|x| 0.5 * x).collect();
    let row = W.rows_of_entries();
    let rows = [&row[..], &W.column].concat();
    let columns = [&W.column[..], &row].concat();
    Sparse::from_entries(W.rows, W.cols, &rows, &columns, &[&half[..], &half].concat())
}

/// M⁻¹ by its columns. Degrees of freedom that M does not couple, such as those of different bodies, have their
/// columns computed at once: the k-th of every group together.
fn inverse(M: &Sparse, solve: impl Fn(&[f64]) -> Vec<f64>) -> Sparse {
    let groups = groups(M);
    let largest = groups.iter().map(Vec::len).max().unwrap_or(0);
    let mut entries = Vec::new();
    for k in 0..largest {
        let mut unit = vec![0.0; M.rows];
        let reached = || groups.iter().filter(|group| k < group.len());
        reached().for_each(|group| unit[group[k]] = 1.0);
        let columns = solve(&unit);
        for group in reached() {
            let column = group.iter().map(|&i| (i as u32, group[k] as u32, columns[i]));
            entries.extend(column.filter(|entry| entry.2 != 0.0));
        }
    }
    Sparse::from_triplets(M.rows, M.rows, &entries)
}

/// Degrees of freedom coupled by M, directly or through others.
fn groups(M: &Sparse) -> Vec<Vec<usize>> {
    let transposed = M.transposed();
    let mut seen = vec![false; M.rows];
    let mut groups = Vec::new();
    for first in 0..M.rows {
        if std::mem::replace(&mut seen[first], true) {
            continue;
        }
        let mut group = vec![first];
        let mut next = 0;
        while next < group.len() {
            let i = group[next];
            for (j, _) in M.row(i).chain(transposed.row(i)) {
                if !std::mem::replace(&mut seen[j], true) {
                    group.push(j);
                }
            }
            next += 1;
        }
        groups.push(group);
    }
    groups
}

/// `A B`, row by row.
fn product(A: &Sparse, B: &Sparse) -> Sparse {
    let mut out = Sparse { rows: A.rows, cols: B.cols, row_start: vec![0], ..Sparse::default() };
    let mut sums = vec![0.0; B.cols];
    let mut row_of = vec![usize::MAX; B.cols];
    let mut columns: Vec<u32> = Vec::new();
    for i in 0..A.rows {
        columns.clear();
        for (k, a) in A.row(i) {
            for (j, b) in B.row(k) {
                if row_of[j] != i {
                    row_of[j] = i;
                    sums[j] = 0.0;
                    columns.push(j as u32);
                }
                sums[j] += a * b;
            }
        }
        columns.sort_unstable();
        out.value.extend(columns.iter().map(|&j| sums[j as usize]));
        out.column.extend(&columns);
        out.row_start.push(out.column.len());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use stickslip_solvers::laws::Law;

    #[test]
    fn assembled_and_factored_agree() {
        let problems = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../problems");
        for name in ["GFC3D_TwoRods1", "Box_Stacks-i0035-31-0", "Spheres-i099-356-679"] {
            let file = Fclib::read(&problems.join(format!("{name}.hdf5"))).unwrap();
            let problem = file.problem::<3>(Law::coulomb).unwrap();
            let condensed = Condensed::new(&file, &problem);
            let r: Vec<f64> = (0..condensed.q.len()).map(|i| (i as f64).sin()).collect();
            let blocks: Vec<Vector<3>> = r.chunks_exact(3).map(Vector::from_column_slice).collect();
            let u = file.point(&problem, &blocks).u;
            let Wr = condensed.W.apply(&r);
            let largest = u.iter().fold(0.0f64, |m, u| m.max(u.abs()));
            for ((u, Wr), q) in u.iter().zip(Wr).zip(&condensed.q) {
                assert!((u - Wr - q).abs() <= 1e-11 * largest, "{name}: {u} and {}", Wr + q);
            }
            assert_eq!(condensed.W.asymmetry(), 0.0);
        }
    }
}
