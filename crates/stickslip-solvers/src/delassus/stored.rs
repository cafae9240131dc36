//! W stored by block rows, contiguous, as given: an asymmetric W stays asymmetric.

use super::{DelassusError, Operator, Part, Rows};
use crate::block::{Matrix, Vector};
use crate::parallel;
use crate::sparse::Sparse;

/// Block rows of W. Diagonal blocks stand apart: every solver needs them alone.
#[derive(Debug)]
pub struct Stored<const D: usize> {
    diagonal: Vec<Matrix<D>>,
    row_start: Vec<usize>,
    blocks: Vec<Block<D>>,
}

/// One off-diagonal block with its column, side by side so that a row is one stream of memory.
#[derive(Clone, Debug)]
struct Block<const D: usize> {
    W_ij: Matrix<D>,
    column: u32,
}

/// Asymmetry of W, relative to its largest entry, that is rounding.
const SYMMETRIC: f64 = 1e-13;

impl<const D: usize> Stored<D> {
    /// Cuts a sparse matrix into blocks.
    pub fn new(W: &Sparse) -> Result<Self, DelassusError> {
        if W.rows != W.cols || !W.rows.is_multiple_of(D) {
            return Err(DelassusError::NotBlocks { rows: W.rows, cols: W.cols, dimension: D });
        }
        let contacts = W.rows / D;
        let mut stored =
            Stored { diagonal: vec![Matrix::zeros(); contacts], row_start: vec![0], blocks: Vec::new() };
        // place[j] is where block j of the current row went, if it belongs to this row
        let mut place = vec![usize::MAX; contacts];
        for i in 0..contacts {
            let first = stored.blocks.len();
            for k in 0..D {
                for (column, value) in W.row(i * D + k) {
                    let (j, l) = (column / D, column % D);
                    if j == i {
                        stored.diagonal[i][(k, l)] = value;
                        continue;
                    }
                    if place[j] == usize::MAX || place[j] < first {
                        place[j] = stored.blocks.len();
                        stored.blocks.push(Block { W_ij: Matrix::zeros(), column: j as u32 });
                    }
                    stored.blocks[place[j]].W_ij[(k, l)] = value;
                }
            }
            stored.blocks[first..].sort_by_key(|block| block.column);
            place.fill(usize::MAX);
            stored.row_start.push(stored.blocks.len());
        }
        Ok(stored)
    }

    /// Mean number of blocks in a row, the diagonal one included.
    pub fn blocks_per_row(&self) -> f64 {
        1.0 + self.blocks.len() as f64 / self.diagonal.len() as f64
    }

    /// Every block with its row and its column.
    pub(crate) fn all_blocks(&self) -> Vec<(u32, u32, Matrix<D>)> {
        let mut entries = Vec::with_capacity(self.diagonal.len() + self.blocks.len());
        for (i, W_ii) in self.diagonal.iter().enumerate() {
            entries.push((i as u32, i as u32, *W_ii));
            let row = &self.blocks[self.row_start[i]..self.row_start[i + 1]];
            entries.extend(row.iter().map(|block| (i as u32, block.column, block.W_ij)));
        }
        entries
    }

    /// Whether W is symmetric to rounding.
    pub(crate) fn is_symmetric(&self) -> bool {
        let entries = self.all_blocks();
        let largest = entries.iter().map(|(_, _, W_ij)| W_ij.amax()).fold(0.0, f64::max);
        let by_place: std::collections::HashMap<_, _> = entries.iter().map(|e| ((e.0, e.1), e.2)).collect();
        entries.iter().all(|(i, j, W_ij)| {
            let W_ji = by_place.get(&(*j, *i)).copied().unwrap_or_else(Matrix::zeros);
            (W_ij - W_ji.transpose()).amax() <= SYMMETRIC * largest
        })
    }

    /// Off-diagonal part of `(W r)_i`.
    #[inline(always)]
    fn row_without_diagonal(&self, i: usize, r: &[Vector<D>]) -> Vector<D> {
        let mut sum = Vector::zeros();
        for block in &self.blocks[self.row_start[i]..self.row_start[i + 1]] {
            sum += block.W_ij * r[block.column as usize];
        }
        sum
    }
}

impl<const D: usize> Operator<D> for Stored<D> {
    fn contacts(&self) -> usize {
        self.diagonal.len()
    }

    #[inline(always)]
    fn diagonal(&self, i: usize) -> &Matrix<D> {
        &self.diagonal[i]
    }

    fn scratch(&self) -> usize {
        0
    }

    fn apply(&self, r: &[Vector<D>], out: &mut [Vector<D>], _scratch: &mut [f64]) {
        parallel::fill(out, |i| self.diagonal[i] * r[i] + self.row_without_diagonal(i, r));
    }
}

impl<const D: usize> Rows<D> for Stored<D> {
    type Cell = ();

    fn start(&self, _r: &[Vector<D>]) -> Vec<()> {
        Vec::new()
    }

    #[inline(always)]
    fn velocity(&self, _cells: &[()], _part: &Part, r: &[Vector<D>], i: usize) -> Vector<D> {
        self.diagonal[i] * r[i] + self.row_without_diagonal(i, r)
    }

    #[inline(always)]
    fn add(&self, _cells: &mut [()], _part: &Part, _i: usize, _dr: &Vector<D>) {}

    fn extrapolated(_cell: &(), _last: &(), _beta: f64) {}
}
