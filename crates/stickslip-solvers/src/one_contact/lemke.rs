//! The faceted cone as a linear complementarity problem, solved by Lemke's method with lexicographic pivots.
//!
//! ```text
//! w = M z + c,  0 ≤ w ⊥ z ≥ 0,   z = (β, r_N, λ),  r = r_N n + D β      Renouf–Acary 2006, 3.2.2
//!
//!     [ Dᵀ W_TT D   Dᵀ W_TN   e ]        [ Dᵀ q_T ]
//! M = [ W_NT D      W_NN      0 ],   c = [ q_N    ]                     λ ~ |u_T|
//!     [ −eᵀ         μ         0 ]        [ 0      ]
//! ```
//!
//! M is copositive for a positive semi-definite W, so Lemke's path from the covering vector e ends in a solution;
//! a lexicographic ratio test keeps it from cycling on ties (4.2). One iteration is one LCP. In space the polygon
//! of the next one is turned by [`super::facets`] until the natural map of the round cone is within `tolerance`:
//! a departure from the paper, which keeps it fixed and so its error. Another: the impulse is computed anew from
//! the final basis (stick: W r = −q, slip at a vertex: u_N = 0), since the tableau has lost digits by then.
//!
//! Notation: v = u, v_free = q, ν is `facets`. Choose it for: a direct method with an LCP behind it, singular
//! blocks. Fails where: the turns do not settle, about one strongly coupled block of space in a thousand; in the
//! plane, where nothing turns, it does not. It is ten to a hundred times slower than the enumeration.

use super::direction::{slip_along, unit_tangent};
use super::facets::{aim, directions};
use super::{Iteration, OneContact, Settings, inverse_or_one};
use crate::block::{Vector, solve_dense};

/// Lemke's method on the turned polygon.
pub(super) struct Lemke<'a>(pub &'a Settings);

impl Iteration for Lemke<'_> {
    fn step<const D: usize>(&self, contact: &OneContact<D>, r: &Vector<D>) -> Option<Vector<D>> {
        let &OneContact { W, q, mu } = contact;
        let d = directions(self.0.facets, &aim(contact, r, self.0.facets));
        let (vertices, normal, slip) = (d.len(), d.len(), d.len() + 1);
        let n = vertices + 2;

        // the problem free of units: velocities by |q|, impulses by |q|/w
        let size = inverse_or_one(q.norm());
        let w = inverse_or_one(W.trace() / D as f64);
        let mut generators = d.clone();
        let mut n_vector = Vector::zeros();
        n_vector[0] = 1.0;
        generators.push(n_vector);
        let mut tableau = Tableau::new(n);
        for (i, row) in generators.iter().enumerate() {
            for (j, column) in generators.iter().enumerate() {
                tableau.set(i, j, w * row.dot(&(W * column)));
            }
            tableau.set_constant(i, size * row.dot(&q));
        }
        for i in 0..vertices {
            tableau.set(i, slip, 1.0);
            tableau.set(slip, i, -1.0);
        }
        tableau.set(slip, normal, mu);

        let z = tableau.solve()?;
        let mut found: Vector<D> = (0..=vertices).map(|i| generators[i] * z[i]).sum();
        found *= w / size;
        // the impulse once more from the basis
        if z[normal] <= 0.0 {
            return Some(Vector::zeros());
        }
        let loaded = (0..vertices).filter(|&i| z[i] > 0.0).count();
        if z[slip] <= 0.0 {
            Some(solve_dense(*W, -q).unwrap_or(found))
        } else if let (Some(d), true) = (unit_tangent(&found), loaded == 1) {
            Some(slip_along(W, &q, mu, &d).unwrap_or(found))
        } else {
            Some(found)
        }
    }
}

/// Rows of the basis: `[w | z | z₀ | constant]`, each equation solved for its basic variable.
struct Tableau {
    n: usize,
    rows: Vec<f64>,
    basis: Vec<usize>,
}

impl Tableau {
    /// w − M z − e z₀ = c with M = 0, c = 0 and the w basic.
    fn new(n: usize) -> Self {
        let mut tableau = Tableau { n, rows: vec![0.0; n * (2 * n + 2)], basis: (0..n).collect() };
        for i in 0..n {
            *tableau.at(i, i) = 1.0;
            *tableau.at(i, 2 * n) = -1.0;
        }
        tableau
    }

    fn at(&mut self, i: usize, j: usize) -> &mut f64 {
        &mut self.rows[i * (2 * self.n + 2) + j]
    }

    fn set(&mut self, i: usize, j: usize, value: f64) {
        let n = self.n;
        *self.at(i, n + j) = -value;
    }

    fn set_constant(&mut self, i: usize, value: f64) {
        let n = self.n;
        *self.at(i, 2 * n + 1) = value;
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.rows[i * (2 * self.n + 2)..][..2 * self.n + 2]
    }

    /// z of a solution; `None` if the path ends in a ray or does not end.
    fn solve(&mut self) -> Option<Vec<f64>> {
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
                if pivots > 50 * n {
                    return None;
                }
            }
        }
        let mut z = vec![0.0; n];
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
        let mut tableau = Tableau::new(2);
        for (i, j, value) in [(0, 0, 2.0), (0, 1, 1.0), (1, 0, 1.0), (1, 1, 2.0)] {
            tableau.set(i, j, value);
        }
        tableau.set_constant(0, -5.0);
        tableau.set_constant(1, -6.0);
        let z = tableau.solve().unwrap();
        assert!((z[0] - 4.0 / 3.0).abs() < 1e-14 && (z[1] - 7.0 / 3.0).abs() < 1e-14, "{z:?}");
    }

    #[test]
    fn degenerate_ties_end() {
        let mut tableau = Tableau::new(3);
        for i in 0..3 {
            for j in 0..3 {
                tableau.set(i, j, 1.0);
            }
            tableau.set_constant(i, -1.0);
        }
        let z = tableau.solve().unwrap();
        assert!((z.iter().sum::<f64>() - 1.0).abs() < 1e-14);
    }
}
