//! Sparse matrices by compressed rows: the form in which problems arrive, before blocks are made of them.

/// A sparse matrix, rows compressed, columns sorted in each row, no entry twice.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Sparse {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub cols: usize,
    /// Where each row starts in `column` and `value`; `rows + 1` entries.
    pub row_start: Vec<usize>,
    /// Column of each entry.
    pub column: Vec<u32>,
    /// Value of each entry.
    pub value: Vec<f64>,
}

impl Sparse {
    /// Gathers `(row, column, value)` entries in any order; entries at the same place are added.
    pub fn from_triplets(rows: usize, cols: usize, entries: &[(u32, u32, f64)]) -> Self {
        let mut row_start = vec![0; rows + 1];
        for &(i, _, _) in entries {
            row_start[i as usize + 1] += 1;
        }
        for i in 0..rows {
            row_start[i + 1] += row_start[i];
        }
        let mut next = row_start.clone();
        let mut placed = vec![(0u32, 0.0f64); entries.len()];
        for &(i, j, x) in entries {
            placed[next[i as usize]] = (j, x);
            next[i as usize] += 1;
        }
        let mut matrix = Sparse { rows, cols, row_start: vec![0], column: Vec::new(), value: Vec::new() };
        for i in 0..rows {
            let row = &mut placed[row_start[i]..row_start[i + 1]];
            row.sort_by_key(|&(j, _)| j);
            let first = matrix.column.len();
            for &(j, x) in row.iter() {
                if matrix.column.len() > first && matrix.column.last() == Some(&j) {
                    *matrix.value.last_mut().expect("an entry was pushed") += x;
                } else {
                    matrix.column.push(j);
                    matrix.value.push(x);
                }
            }
            matrix.row_start.push(matrix.column.len());
        }
        matrix
    }

    /// The `(column, value)` entries of row i.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.row_start[i]..self.row_start[i + 1];
        self.column[range.clone()].iter().map(|&j| j as usize).zip(self.value[range].iter().copied())
    }

    /// The transpose.
    pub fn transposed(&self) -> Self {
        let entries: Vec<_> =
            (0..self.rows).flat_map(|i| self.row(i).map(move |(j, x)| (j as u32, i as u32, x))).collect();
        Self::from_triplets(self.cols, self.rows, &entries)
    }

    /// `A x`.
    pub fn apply(&self, x: &[f64]) -> Vec<f64> {
        (0..self.rows).map(|i| self.row(i).map(|(j, a)| a * x[j]).sum()).collect()
    }

    /// Largest `|A_ij − A_ji|` over largest `|A_ij|`; 0 for a symmetric matrix.
    pub fn asymmetry(&self) -> f64 {
        let transposed = self.transposed();
        let mut worst: f64 = 0.0;
        for i in 0..self.rows {
            let mut other: std::collections::BTreeMap<usize, f64> = transposed.row(i).collect();
            for (j, a) in self.row(i) {
                worst = worst.max((a - other.remove(&j).unwrap_or(0.0)).abs());
            }
            worst = other.values().fold(worst, |w, a| w.max(a.abs()));
        }
        let largest = self.value.iter().fold(0.0f64, |m, a| m.max(a.abs()));
        if largest > 0.0 { worst / largest } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triplets_are_sorted_and_added() {
        let A = Sparse::from_triplets(2, 3, &[(1, 2, 1.0), (0, 1, 2.0), (1, 0, 3.0), (1, 2, 0.5)]);
        assert_eq!(A.row_start, [0, 1, 3]);
        assert_eq!(A.column, [1, 0, 2]);
        assert_eq!(A.value, [2.0, 3.0, 1.5]);
        assert_eq!(A.transposed().transposed(), A);
        assert_eq!(A.apply(&[1.0, 1.0, 2.0]), [2.0, 6.0]);
    }

    #[test]
    fn asymmetry_is_relative() {
        assert_eq!(Sparse::from_triplets(2, 2, &[(0, 1, 4.0), (1, 0, 4.0)]).asymmetry(), 0.0);
        assert_eq!(Sparse::from_triplets(2, 2, &[(0, 1, 4.0), (1, 0, 3.0)]).asymmetry(), 0.25);
        assert_eq!(Sparse::from_triplets(2, 2, &[(0, 1, 4.0)]).asymmetry(), 1.0);
    }
}
