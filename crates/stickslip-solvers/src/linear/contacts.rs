//! The space of contacts: `A + B W` assembled by blocks.

use super::factor::Factorised;
use super::{LinearError, blocks, is_symmetric, write};
use crate::block::{Matrix, Vector};
use crate::delassus::Delassus;

pub(super) struct ContactSpace<const D: usize> {
    /// Blocks of W by columns: `column_start[j]..column_start[j + 1]`, rows sorted, the diagonal always there.
    column_start: Vec<usize>,
    blocks: Vec<(u32, Matrix<D>)>,
    symmetric: bool,
    matrix: Factorised,
}

impl<const D: usize> ContactSpace<D> {
    /// `None` where the pattern cannot be factorised.
    pub fn new(W: &Delassus<D>) -> Option<Self> {
        let contacts = W.contacts();
        let mut entries = W.blocks();
        entries.sort_by_key(|&(i, j, _)| (j, i));
        let symmetric = W.is_symmetric();
        let mut column_start = vec![0; contacts + 1];
        entries.iter().for_each(|&(_, j, _)| column_start[j as usize + 1] += 1);
        (0..contacts).for_each(|j| column_start[j + 1] += column_start[j]);
        let blocks: Vec<_> = entries.into_iter().map(|(i, _, W_ij)| (i, W_ij)).collect();

        let (mut scalar_start, mut row) = (vec![0], Vec::with_capacity(blocks.len() * D * D));
        for j in 0..contacts {
            for _ in 0..D {
                for (i, _) in &blocks[column_start[j]..column_start[j + 1]] {
                    row.extend((0..D).map(|k| *i as usize * D + k));
                }
                scalar_start.push(row.len());
            }
        }
        let matrix = Factorised::new(contacts * D, scalar_start, row).ok()?;
        Some(ContactSpace { column_start, blocks, symmetric, matrix })
    }

    pub fn fill(&self) -> usize {
        self.matrix.fill()
    }

    pub fn factorise(&mut self, A: &[Matrix<D>], B: &[Matrix<D>]) -> Result<(), LinearError> {
        let mut value = self.matrix.values.iter_mut();
        for j in 0..A.len() {
            for l in 0..D {
                for (i, W_ij) in &self.blocks[self.column_start[j]..self.column_start[j + 1]] {
                    let i = *i as usize;
                    let mut column = B[i] * W_ij.column(l);
                    if i == j {
                        column += A[i].column(l);
                    }
                    column.iter().zip(value.by_ref()).for_each(|(x, value)| *value = *x);
                }
            }
        }
        let plain = B.iter().all(|B| *B == Matrix::<D>::identity()) && A.iter().all(is_symmetric);
        if self.symmetric && plain {
            self.matrix.cholesky().or_else(|_| self.matrix.lu())
        } else {
            self.matrix.lu()
        }
    }

    pub fn solve(&self, f: &[Vector<D>], x: &mut [Vector<D>]) -> Result<(), LinearError> {
        let mut b = vec![0.0; f.len() * D];
        write(f, &mut b);
        self.matrix.solve(&mut b)?;
        x.copy_from_slice(&blocks(&b));
        Ok(())
    }
}
