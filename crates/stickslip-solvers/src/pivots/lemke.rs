//! Lemke's method with lexicographic pivots on a dense linear complementarity problem.
//!
//! ```text
//! w = M z + c,  0 ≤ w ⊥ z ≥ 0                                     Renouf–Acary 2006, 4.2
//! ```
//!
//! From the covering vector e the path ends in a solution where M is copositive, as that of a faceted friction cone
//! is; a lexicographic ratio test keeps it from cycling on ties.

use super::solve_chosen;
use nalgebra::{DMatrix, DVector};

/// Pivots per unknown after which a path counts as endless; usual ones take one or two.
const MOST_PIVOTS: usize = 50;

/// z of a solution; `None` if the path ends in a ray, does not end, or is called off.
pub(crate) fn solve_lcp(
    M: &DMatrix<f64>,
    c: &DVector<f64>,
    go_on: &dyn Fn() -> bool,
) -> Option<DVector<f64>> {
    Tableau::new(M, c).solve(go_on)
}

/// Solves anew for the positive z, w = 0 there: the tableau has lost digits on its way.
pub(crate) fn restore(M: &DMatrix<f64>, c: &DVector<f64>, z: &mut DVector<f64>) {
    let loaded: Vec<usize> = (0..z.len()).filter(|&i| z[i] > 0.0).collect();
    let Some(x) = solve_chosen(M, c, &loaded) else { return };
    let largest = z.amax();
    if loaded.iter().zip(x.iter()).all(|(&i, x)| (x - z[i]).abs() <= 1e-3 * largest) {
        loaded.iter().zip(x.iter()).for_each(|(&i, &x)| z[i] = x.max(0.0));
    }
}

/// Rows of the basis: `[w | z | z₀ | constant]`, each equation solved for its basic variable.
struct Tableau {
    n: usize,
    rows: Vec<f64>,
    basis: Vec<usize>,
}

impl Tableau {
    /// w − M z − e z₀ = c with the w basic.
    fn new(M: &DMatrix<f64>, c: &DVector<f64>) -> Self {
        let n = c.len();
        let mut rows = vec![0.0; n * (2 * n + 2)];
        for (i, row) in rows.chunks_exact_mut(2 * n + 2).enumerate() {
            row[i] = 1.0;
            (0..n).for_each(|j| row[n + j] = -M[(i, j)]);
            row[2 * n] = -1.0;
            row[2 * n + 1] = c[i];
        }
        Tableau { n, rows, basis: (0..n).collect() }
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.rows[i * (2 * self.n + 2)..][..2 * self.n + 2]
    }

    fn solve(&mut self, go_on: &dyn Fn() -> bool) -> Option<DVector<f64>> {
        let (n, artificial) = (self.n, 2 * self.n);
        if (0..n).any(|i| self.row(i)[artificial + 1] < 0.0) {
            // z₀ enters at the lexicographically smallest row of [c | I]
            let first = (0..n).reduce(|a, b| if self.precedes(b, a, 1.0, 1.0) { b } else { a })?;
            let mut leaving = self.pivot(first, artificial);
            let mut pivots = 0;
            while leaving != artificial {
                // the complement of what left enters
                let entering = if leaving < n { leaving + n } else { leaving - n };
                leaving = self.pivot(self.ratio_test(entering)?, entering);
                pivots += 1;
                if pivots > MOST_PIVOTS * n || !go_on() {
                    return None;
                }
            }
        }
        let mut z = DVector::zeros(n);
        for i in 0..n {
            if (n..2 * n).contains(&self.basis[i]) {
                z[self.basis[i] - n] = self.row(i)[artificial + 1];
            }
        }
        Some(z)
    }

    /// Whether row a divided by `by_a` comes before row b divided by `by_b`: constant first, then the columns of w.
    fn precedes(&self, a: usize, b: usize, by_a: f64, by_b: f64) -> bool {
        let (row_a, row_b, constant) = (self.row(a), self.row(b), 2 * self.n + 1);
        std::iter::once(constant)
            .chain(0..self.n)
            .map(|j| (row_a[j] / by_a, row_b[j] / by_b))
            .find(|(x, y)| (x - y).abs() > 1e-14 * (x.abs() + y.abs()))
            .is_some_and(|(x, y)| x < y)
    }

    /// The row that leaves when column j enters; z₀ leaves as soon as it may.
    fn ratio_test(&self, j: usize) -> Option<usize> {
        let (n, artificial) = (self.n, 2 * self.n);
        let largest = (0..n).map(|i| self.row(i)[j].abs()).fold(0.0, f64::max);
        let mut best: Option<usize> = None;
        for i in (0..n).filter(|&i| self.row(i)[j] > 1e-13 * largest) {
            best = match best {
                Some(b) if !self.precedes(i, b, self.row(i)[j], self.row(b)[j]) => Some(b),
                _ => Some(i),
            };
        }
        let best = best?;
        let ratio = |i: usize| self.row(i)[artificial + 1] / self.row(i)[j];
        let out = (0..n).find(|&i| self.basis[i] == artificial && self.row(i)[j] > 1e-13 * largest);
        Some(out.filter(|&i| ratio(i) <= ratio(best) + 1e-15).unwrap_or(best))
    }

    /// Makes column j basic in row i; returns the variable that left.
    fn pivot(&mut self, i: usize, j: usize) -> usize {
        let width = 2 * self.n + 2;
        let inverse = 1.0 / self.row(i)[j];
        let pivot_row: Vec<f64> = self.row(i).iter().map(|x| x * inverse).collect();
        for (k, row) in self.rows.chunks_exact_mut(width).enumerate() {
            let factor = row[j];
            if k == i {
                row.copy_from_slice(&pivot_row);
            } else if factor != 0.0 {
                for (x, p) in row.iter_mut().zip(&pivot_row) {
                    *x -= factor * p;
                }
                row[j] = 0.0;
            }
        }
        std::mem::replace(&mut self.basis[i], j)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tableau_solves_a_small_lcp() {
        // w = M z + c with M = [2 1; 1 2], c = (−5, −6): z = (4/3, 7/3)
        let M = DMatrix::from_row_slice(2, 2, &[2.0, 1.0, 1.0, 2.0]);
        let c = DVector::from_vec(vec![-5.0, -6.0]);
        let z = solve_lcp(&M, &c, &|| true).unwrap();
        assert!((z[0] - 4.0 / 3.0).abs() < 1e-14 && (z[1] - 7.0 / 3.0).abs() < 1e-14, "{z:?}");
        assert!(solve_lcp(&M, &c, &|| false).is_none(), "called off");
    }

    #[test]
    fn degenerate_ties_end() {
        let M = DMatrix::from_element(3, 3, 1.0);
        let c = DVector::from_element(3, -1.0);
        let z = solve_lcp(&M, &c, &|| true).unwrap();
        assert!((z.sum() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn lost_digits_come_back() {
        let M = DMatrix::from_row_slice(2, 2, &[2.0, 1.0, 1.0, 2.0]);
        let c = DVector::from_vec(vec![-5.0, -6.0]);
        let mut z = DVector::from_vec(vec![1.333, 2.334]);
        restore(&M, &c, &mut z);
        assert!((&M * &z + &c).norm() < 1e-14, "{z}");
        let mut open = DVector::zeros(2);
        restore(&M, &c, &mut open);
        assert_eq!(open, DVector::zeros(2));
    }
}
