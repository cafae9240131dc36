//! Sparse matrices as FCLIB stores them, to and from the compressed rows of [`Sparse`].

use super::check::{check_finite, check_indices, check_pointers, length};
use super::error::Fault;
use crate::sparse::{Sparse, Storage};

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
    /// The invariants of compressed rows, for matrices that callers have put together.
    pub(super) fn check(&self) -> Result<(), InArray> {
        let Self { rows, cols, .. } = *self;
        let (column, value) = (&self.column, &self.value);
        if column.len() != value.len() {
            return Err(("x", length(value.len(), column.len(), "one for each column index")));
        }
        if self.row_start.len() != rows + 1 {
            return Err(("p", length(self.row_start.len(), rows + 1, "the rows of the matrix plus one")));
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
        let entries = Self::from_entries(rows, cols, &row, &column, x);
        let matrix = Sparse { storage, ..entries };
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
                (self.value.len() as i64, indices(&self.column), row, self.value.clone())
            }
            Storage::CompressedRows => {
                (-2, starts(&self.row_start), indices(&self.column), self.value.clone())
            }
            Storage::CompressedColumns => {
                // compressed columns are the compressed rows of the transpose
                let t = self.transposed();
                (-1, starts(&t.row_start), indices(&t.column), t.value)
            }
        };
        Stored { rows, cols, nz, p, i, x }
    }
}

/// Major index of each entry of a compressed storage, and the number of entries.
fn unroll(stored: &Stored, major: usize) -> Result<(Vec<u32>, usize), InArray> {
    let p = first(&stored.p, major + 1, "p", "the compressed dimension plus one")?;
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
