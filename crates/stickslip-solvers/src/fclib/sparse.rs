//! Sparse matrices as FCLIB stores them, and the compressed rows they become in memory.

use super::check::{check_finite, check_indices, check_pointers, length};
use super::error::Fault;

/// Sparse matrix in compressed rows, whatever the storage of its file: columns increase within a row
/// and duplicates are summed. Explicit zeros stay.
#[derive(Clone, Debug, PartialEq)]
pub struct Sparse {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub cols: usize,
    /// Row i holds the entries `row_start[i]..row_start[i + 1]`; `rows + 1` numbers.
    pub row_start: Vec<usize>,
    /// Column of each entry.
    pub column: Vec<u32>,
    /// Value of each entry.
    pub value: Vec<f64>,
    /// How the matrix is laid out in its file; it is written back the same way.
    pub storage: Storage,
}

/// Layout of a matrix in a file, told by its `nz` (the convention of CSparse).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// `nz >= 0` entries: rows `i`, columns `p`, values `x`.
    Triplet,
    /// `nz = -1`: column pointers `p`, rows `i`, values `x`.
    CompressedColumns,
    /// `nz = -2`: row pointers `p`, columns `i`, values `x`.
    CompressedRows,
}

/// The datasets of one stored matrix; the arrays may be longer than what is used of them.
pub(super) struct Stored {
    pub rows: usize,
    pub cols: usize,
    pub nz: i64,
    pub p: Vec<i64>,
    pub i: Vec<i64>,
    pub x: Vec<f64>,
}

/// A fault in the array `p`, `i` or `x` of a matrix.
type InArray = (&'static str, Fault);

impl Sparse {
    /// Number of stored entries.
    pub fn entries(&self) -> usize {
        self.value.len()
    }

    /// Columns and values of row `i`.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let span = self.row_start[i]..self.row_start[i + 1];
        let column = self.column[span.clone()].iter().map(|&j| j as usize);
        column.zip(self.value[span].iter().copied())
    }

    /// The invariants of compressed rows, for matrices that callers have put together.
    pub(super) fn check(&self) -> Result<(), InArray> {
        let Self { rows, cols, .. } = *self;
        let (column, value) = (&self.column, &self.value);
        if column.len() != value.len() {
            return Err((
                "x",
                length(value.len(), column.len(), "one for each column index"),
            ));
        }
        if self.row_start.len() != rows + 1 {
            return Err((
                "p",
                length(
                    self.row_start.len(),
                    rows + 1,
                    "the rows of the matrix plus one",
                ),
            ));
        }
        check_pointers(self.row_start.iter().map(|&p| p as i64), value.len(), true)
            .map_err(|fault| ("p", fault))?;
        check_indices(column.iter().map(|&j| i64::from(j)), cols).map_err(|fault| ("i", fault))?;
        for row in 0..rows {
            let columns = &column[self.row_start[row]..self.row_start[row + 1]];
            if !columns.is_sorted_by(|a, b| a < b) {
                return Err(("i", Fault::Unsorted { row }));
            }
        }
        check_finite(value).map_err(|fault| ("x", fault))
    }

    /// Compressed rows from any of the three storages, all indices and lengths checked first.
    pub(super) fn from_stored(stored: Stored) -> Result<Self, InArray> {
        let Stored { rows, cols, nz, .. } = stored;
        let storage = match nz {
            0.. => Storage::Triplet,
            -1 => Storage::CompressedColumns,
            -2 => Storage::CompressedRows,
            _ => return Err(("nz", Fault::Storage(nz))),
        };
        // (row, column) lists of the entries in file order
        let (row, column) = match storage {
            Storage::Triplet => {
                let n = usize::try_from(nz).map_err(|_| ("nz", Fault::Count(nz.into())))?;
                let i = first(&stored.i, n, "i", "the number of triplets nz")?;
                let p = first(&stored.p, n, "p", "the number of triplets nz")?;
                (narrow(i, rows, "i")?, narrow(p, cols, "p")?)
            }
            Storage::CompressedColumns => {
                let (column, n) = unroll(&stored, cols)?;
                (narrow(&stored.i[..n], rows, "i")?, column)
            }
            Storage::CompressedRows => {
                let (row, n) = unroll(&stored, rows)?;
                (row, narrow(&stored.i[..n], cols, "i")?)
            }
        };
        let x = first(&stored.x, row.len(), "x", "one for each entry")?;
        check_finite(x).map_err(|fault| ("x", fault))?;
        let mut matrix = bucket(rows, cols, storage, &row, &column, x);
        matrix.sum_duplicates();
        // finite duplicates can still add up to infinity
        check_finite(&matrix.value).map_err(|fault| ("x", fault))?;
        Ok(matrix)
    }

    /// The arrays `p`, `i`, `x` and the number `nz` of the matrix in its own storage.
    pub(super) fn to_stored(&self) -> Stored {
        let Self { rows, cols, .. } = *self;
        let starts = |s: &[usize]| s.iter().map(|&p| p as i64).collect();
        let indices = |c: &[u32]| c.iter().map(|&j| i64::from(j)).collect();
        let (nz, p, i, x) = match self.storage {
            Storage::Triplet => {
                let row = indices(&self.rows_of_entries());
                (
                    self.entries() as i64,
                    indices(&self.column),
                    row,
                    self.value.clone(),
                )
            }
            Storage::CompressedRows => (
                -2,
                starts(&self.row_start),
                indices(&self.column),
                self.value.clone(),
            ),
            Storage::CompressedColumns => {
                // compressed columns are the compressed rows of the transpose
                let t = bucket(
                    cols,
                    rows,
                    self.storage,
                    &self.column,
                    &self.rows_of_entries(),
                    &self.value,
                );
                (-1, starts(&t.row_start), indices(&t.column), t.value)
            }
        };
        Stored {
            rows,
            cols,
            nz,
            p,
            i,
            x,
        }
    }

    fn rows_of_entries(&self) -> Vec<u32> {
        let mut row = vec![0; self.entries()];
        for i in 0..self.rows {
            row[self.row_start[i]..self.row_start[i + 1]].fill(i as u32);
        }
        row
    }

    /// Order the columns of each row and merge equal ones, in the order of the file so that the sum
    /// does not depend on the sorting algorithm.
    fn sum_duplicates(&mut self) {
        let mut end = 0;
        let mut line: Vec<(u32, f64)> = Vec::new();
        for i in 0..self.rows {
            let span = self.row_start[i]..self.row_start[i + 1];
            line.clear();
            line.extend(
                self.column[span.clone()]
                    .iter()
                    .copied()
                    .zip(self.value[span].iter().copied()),
            );
            line.sort_by_key(|&(j, _)| j);
            let start = end;
            for &(j, x) in &line {
                if end > start && self.column[end - 1] == j {
                    self.value[end - 1] += x;
                } else {
                    self.column[end] = j;
                    self.value[end] = x;
                    end += 1;
                }
            }
            self.row_start[i] = start;
        }
        self.row_start[self.rows] = end;
        self.column.truncate(end);
        self.value.truncate(end);
    }
}

/// Counting sort of entries by row, stable within a row.
fn bucket(
    rows: usize,
    cols: usize,
    storage: Storage,
    row: &[u32],
    col: &[u32],
    x: &[f64],
) -> Sparse {
    let mut row_start = vec![0; rows + 1];
    for &i in row {
        row_start[i as usize + 1] += 1;
    }
    for i in 0..rows {
        row_start[i + 1] += row_start[i];
    }
    let mut next = row_start.clone();
    let (mut column, mut value) = (vec![0; row.len()], vec![0.0; row.len()]);
    for ((&i, &j), &x) in row.iter().zip(col).zip(x) {
        let k = &mut next[i as usize];
        (column[*k], value[*k]) = (j, x);
        *k += 1;
    }
    Sparse {
        rows,
        cols,
        row_start,
        column,
        value,
        storage,
    }
}

/// Major index of each entry of a compressed storage, and the number of entries.
fn unroll(stored: &Stored, major: usize) -> Result<(Vec<u32>, usize), InArray> {
    let p = first(
        &stored.p,
        major + 1,
        "p",
        "the compressed dimension plus one",
    )?;
    let available = stored.i.len().min(stored.x.len());
    check_pointers(p.iter().copied(), available, false).map_err(|fault| ("p", fault))?;
    let end = p[major] as usize;
    let mut index = Vec::with_capacity(end);
    for k in 0..major {
        index.resize(p[k + 1] as usize, k as u32);
    }
    Ok((index, end))
}

/// Checked indices in 32 bits; matrices have at most 2³¹ rows and columns.
fn narrow(indices: &[i64], size: usize, array: &'static str) -> Result<Vec<u32>, InArray> {
    check_indices(indices.iter().copied(), size).map_err(|fault| (array, fault))?;
    Ok(indices.iter().map(|&index| index as u32).collect())
}

/// The used head of an array that may be padded.
fn first<'a, T>(
    array: &'a [T],
    n: usize,
    name: &'static str,
    reason: &'static str,
) -> Result<&'a [T], InArray> {
    array.get(..n).ok_or((name, length(array.len(), n, reason)))
}
