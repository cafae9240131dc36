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
    /// How the matrix is laid out in its file; it is written back the same way.
    pub storage: Storage,
}

/// Layout of a matrix in a file, told by its `nz` (the convention of CSparse).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Storage {
    /// `nz >= 0` entries: rows `i`, columns `p`, values `x`.
    Triplet,
    /// `nz = -1`: column pointers `p`, rows `i`, values `x`.
    CompressedColumns,
    /// `nz = -2`: row pointers `p`, columns `i`, values `x`.
    #[default]
    CompressedRows,
}

impl Sparse {
    /// Gathers entries given by their rows, columns and values, in any order; entries at the same place are added
    /// in the order they come.
    ///
    /// # Panics
    /// If a row or a column is out of range.
    pub fn from_entries(rows: usize, cols: usize, row: &[u32], column: &[u32], value: &[f64]) -> Self {
        let mut row_start = vec![0; rows + 1];
        for &i in row {
            row_start[i as usize + 1] += 1;
        }
        for i in 0..rows {
            row_start[i + 1] += row_start[i];
        }
        // counting sort by row, stable within a row
        let mut next = row_start.clone();
        let mut sorted = vec![(0u32, 0.0f64); row.len()];
        for ((&i, &j), &x) in row.iter().zip(column).zip(value) {
            assert!((j as usize) < cols, "column {j} of a matrix with {cols}");
            sorted[next[i as usize]] = (j, x);
            next[i as usize] += 1;
        }
        let mut matrix = Sparse { rows, cols, row_start: vec![0], ..Sparse::default() };
        for i in 0..rows {
            let line = &mut sorted[row_start[i]..row_start[i + 1]];
            line.sort_by_key(|&(j, _)| j);
            for same in line.chunk_by(|a, b| a.0 == b.0) {
                matrix.column.push(same[0].0);
                matrix.value.push(same.iter().map(|&(_, x)| x).sum());
            }
            matrix.row_start.push(matrix.column.len());
        }
        matrix
    }

    /// The same from `(row, column, value)` triplets.
    pub fn from_triplets(rows: usize, cols: usize, entries: &[(u32, u32, f64)]) -> Self {
        let part = |f: fn(&(u32, u32, f64)) -> u32| entries.iter().map(f).collect::<Vec<_>>();
        let value: Vec<f64> = entries.iter().map(|e| e.2).collect();
        Self::from_entries(rows, cols, &part(|e| e.0), &part(|e| e.1), &value)
    }

    /// The row of each entry.
    pub fn rows_of_entries(&self) -> Vec<u32> {
        let mut row = vec![0; self.value.len()];
        for i in 0..self.rows {
            row[self.row_start[i]..self.row_start[i + 1]].fill(i as u32);
        }
        row
    }

    /// The `(column, value)` entries of row i.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.row_start[i]..self.row_start[i + 1];
        self.column[range.clone()].iter().map(|&j| j as usize).zip(self.value[range].iter().copied())
    }

    /// The transpose.
    pub fn transposed(&self) -> Self {
        Self::from_entries(self.cols, self.rows, &self.column, &self.rows_of_entries(), &self.value)
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
