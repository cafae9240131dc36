//! W stored by blocks, as given: an asymmetric W stays asymmetric.
//!
//! Products read the rows of W. Sweeps carry `W r` along and read its columns: a change of one impulse is added to the
//! velocities that it changes, and a contact that stays as it is costs nothing.

use super::{DelassusError, Operator, Part, Rows};
use crate::block::{Matrix, Vector};
use crate::parallel;
use crate::sparse::Sparse;
use std::collections::BTreeMap;

/// The blocks of W, twice.
#[derive(Clone, Debug)]
pub struct Stored<const D: usize> {
    diagonal: Vec<Matrix<D>>,
    rows: Lists<D>,
    columns: Lists<D>,
}

/// For each contact a list of contacts with a block for each.
#[derive(Clone, Debug)]
struct Lists<const D: usize> {
    start: Vec<usize>,
    contact: Vec<u32>,
    /// By columns; a few more than there are, so that the last one can be read over its end.
    block: Vec<[[f64; D]; D]>,
}

/// Components of a contact in one vector register; what stands in those behind the Dth means nothing.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub struct Lanes([f64; LANES]);

const LANES: usize = 4;

/// Asymmetry of W, relative to its largest entry, that is rounding.
const SYMMETRIC: f64 = 1e-13;

impl<const D: usize> Stored<D> {
    /// Cuts a sparse matrix into blocks.
    pub fn new(W: &Sparse) -> Result<Self, DelassusError> {
        if W.rows != W.cols || !W.rows.is_multiple_of(D) {
            return Err(DelassusError::NotBlocks { rows: W.rows, cols: W.cols, dimension: D });
        }
        if D > LANES {
            return Err(DelassusError::TooLarge { dimension: D });
        }
        let contacts = W.rows / D;
        let mut lists = Vec::with_capacity(contacts);
        let mut row: BTreeMap<usize, Matrix<D>> = BTreeMap::new();
        for i in 0..contacts {
            row.clear();
            row.insert(i, Matrix::zeros());
            for k in 0..D {
                for (column, value) in W.row(i * D + k) {
                    row.entry(column / D).or_insert_with(Matrix::zeros)[(k, column % D)] = value;
                }
            }
            lists.push(row.iter().map(|(&j, W_ij)| (j as u32, *W_ij)).collect::<Vec<_>>());
        }
        let mut columns = vec![Vec::new(); contacts];
        let mut diagonal = vec![Matrix::zeros(); contacts];
        for (i, row) in lists.iter().enumerate() {
            for &(j, W_ij) in row {
                columns[j as usize].push((i as u32, W_ij));
                if j as usize == i {
                    diagonal[i] = W_ij;
                }
            }
        }
        let (rows, columns) = (Lists::new(&lists), Lists::new(&columns));
        Ok(Stored { diagonal, rows, columns })
    }

    /// `W + E`: contact i also gives way by E_i, one number a component.
    pub fn with_compliance(mut self, E: &[Vector<D>]) -> Self {
        for (i, E_i) in E.iter().enumerate() {
            self.diagonal[i] += Matrix::from_diagonal(E_i);
            let W_ii = self.diagonal[i].data.0;
            for lists in [&mut self.rows, &mut self.columns] {
                let range = lists.start[i]..lists.start[i + 1];
                let own = range.clone().find(|&k| lists.contact[k] as usize == i);
                lists.block[own.expect("every row has its diagonal block")] = W_ii;
            }
        }
        self
    }

    /// Mean number of blocks in a row, the diagonal one included.
    pub fn blocks_per_row(&self) -> f64 {
        self.rows.contact.len() as f64 / self.diagonal.len() as f64
    }

    /// Every block with its row and its column.
    pub(crate) fn all_blocks(&self) -> Vec<(u32, u32, Matrix<D>)> {
        let mut blocks = Vec::with_capacity(self.rows.contact.len());
        for i in 0..self.diagonal.len() {
            blocks.extend(self.rows.of(i).map(|(j, W_ij)| (i as u32, j, W_ij)));
        }
        blocks
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

    /// `(W r)_i`.
    fn row_times(&self, i: usize, r: &[Vector<D>]) -> Vector<D> {
        let mut sum = Vector::zeros();
        for (j, W_ij) in self.rows.of(i) {
            sum += W_ij * r[j as usize];
        }
        sum
    }
}

impl<const D: usize> Lists<D> {
    fn new(lists: &[Vec<(u32, Matrix<D>)>]) -> Self {
        let mut joined = Lists { start: vec![0], contact: Vec::new(), block: Vec::new() };
        for list in lists {
            joined.contact.extend(list.iter().map(|entry| entry.0));
            joined.block.extend(list.iter().map(|entry| entry.1.data.0));
            joined.start.push(joined.contact.len());
        }
        joined.block.extend([[[0.0; D]; D]; LANES]);
        joined
    }

    #[inline(always)]
    fn of(&self, i: usize) -> impl Iterator<Item = (u32, Matrix<D>)> {
        let range = self.start[i]..self.start[i + 1];
        self.contact[range.clone()]
            .iter()
            .copied()
            .zip(self.block[range].iter().map(|&block| Matrix::from(block)))
    }

    /// The same with the columns of each block in lanes: each is read four numbers at once, over its end.
    #[inline(always)]
    fn in_lanes(&self, i: usize) -> impl Iterator<Item = (u32, [Lanes; D])> {
        let range = self.start[i]..self.start[i + 1];
        let numbers = self.block[range.start..].as_flattened().as_flattened();
        let blocks = numbers.windows(D * (D - 1) + LANES).step_by(D * D);
        let lanes = |block: &[f64], l: usize| Lanes(std::array::from_fn(|k| block[D * l + k]));
        self.contact[range]
            .iter()
            .copied()
            .zip(blocks.map(move |block| std::array::from_fn(|l| lanes(block, l))))
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
        parallel::fill(out, |i| self.row_times(i, r));
    }
}

impl<const D: usize> Rows<D> for Stored<D> {
    /// `(W r)_i`.
    type Cell = Lanes;

    fn start(&self, r: &[Vector<D>]) -> Vec<Lanes> {
        let mut u = vec![Lanes([0.0; LANES]); r.len()];
        parallel::update(&mut u, |i, u_i| u_i.0[..D].copy_from_slice(self.row_times(i, r).as_slice()));
        u
    }

    #[inline(always)]
    fn velocity(&self, u: &[Lanes], _part: &Part, i: usize, _r_i: &Vector<D>) -> Vector<D> {
        Vector::from_fn(|k, _| u[i].0[k])
    }

    #[inline(always)]
    fn normal_velocity(&self, u: &[Lanes], _part: &Part, i: usize, _r_N: f64) -> f64 {
        u[i].0[0]
    }

    fn for_moved(&self, i: usize, mut look: impl FnMut(usize)) {
        let columns = &self.columns;
        for &j in &columns.contact[columns.start[i]..columns.start[i + 1]] {
            look(j as usize);
        }
    }

    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // indices as in the formula
    fn add(&self, u: &mut [Lanes], _part: &Part, i: usize, dr: &Vector<D>) {
        for (j, W_ji) in self.columns.in_lanes(i) {
            // a local copy, stored once: the compiler cannot know that u and W do not overlap
            let mut u_j = u[j as usize];
            for l in 0..D {
                for k in 0..LANES {
                    u_j.0[k] += W_ji[l].0[k] * dr[l];
                }
            }
            u[j as usize] = u_j;
        }
    }

    #[inline(always)]
    fn extrapolated(u: &Lanes, last: &Lanes, beta: f64) -> Lanes {
        Lanes(std::array::from_fn(|k| u.0[k] + (u.0[k] - last.0[k]) * beta))
    }
}
