//! One sparse square matrix with a fixed pattern, factorised again and again as its values change.
//!
//! The orderings and symbolic factors are computed once, on first use. Everything runs on one thread, so that the bits of
//! a solution do not depend on how many there are.

use super::LinearError;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::cholesky::{self, LltRef, SymbolicCholesky, SymmetricOrdering};
use faer::sparse::linalg::lu::{self, LuRef, NumericLu, SymbolicLu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};

/// A matrix by compressed columns and its factors.
pub(super) struct Factorised {
    pattern: SymbolicSparseColMat<usize>,
    /// Values in the order of the pattern; the caller writes them before it factorises.
    pub values: Vec<f64>,
    cholesky: SymbolicCholesky<usize>,
    lu: Option<SymbolicLu<usize>>,
    factor: Factor,
}

enum Factor {
    None,
    Llt(Vec<f64>),
    Lu(Box<NumericLu<usize, f64>>),
}

impl Factorised {
    /// A matrix with this pattern, columns compressed and rows sorted.
    pub fn new(n: usize, column_start: Vec<usize>, row: Vec<usize>) -> Result<Self, LinearError> {
        let pattern = SymbolicSparseColMat::new_checked(n, n, column_start, None, row);
        let cholesky = cholesky::factorize_symbolic_cholesky(
            pattern.as_ref(),
            Side::Lower,
            SymmetricOrdering::Amd,
            Default::default(),
        )
        .map_err(|_| LinearError::OutOfMemory)?;
        let values = vec![0.0; pattern.row_idx().len()];
        Ok(Factorised { pattern, values, cholesky, lu: None, factor: Factor::None })
    }

    /// Numbers that the Cholesky factor holds: the price of a factorisation.
    pub fn fill(&self) -> usize {
        self.cholesky.len_val()
    }

    /// Where a row stands among the values, in a column that has it.
    pub fn position(&self, row: usize, column: usize) -> Option<usize> {
        let range = self.pattern.col_range(column);
        let rows = &self.pattern.row_idx()[range.clone()];
        rows.binary_search(&row).ok().map(|k| range.start + k)
    }

    /// Factorises a symmetric positive definite matrix; its lower triangle is read.
    pub fn cholesky(&mut self) -> Result<(), LinearError> {
        let mut numeric = match std::mem::replace(&mut self.factor, Factor::None) {
            Factor::Llt(numeric) => numeric,
            _ => vec![0.0; self.cholesky.len_val()],
        };
        let need = self.cholesky.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
        let mut memory = MemBuffer::try_new(need).map_err(|_| LinearError::OutOfMemory)?;
        self.cholesky
            .factorize_numeric_llt(
                &mut numeric,
                SparseColMatRef::new(self.pattern.as_ref(), &self.values),
                Side::Lower,
                Default::default(),
                Par::Seq,
                MemStack::new(&mut memory),
                Default::default(),
            )
            .map_err(|_| LinearError::Singular)?;
        self.factor = Factor::Llt(numeric);
        Ok(())
    }

    /// Factorises a matrix without symmetry.
    pub fn lu(&mut self) -> Result<(), LinearError> {
        let symbolic = match &mut self.lu {
            Some(symbolic) => symbolic,
            none => none.insert(symbolic_lu(self.pattern.as_ref())?),
        };
        let mut numeric = match std::mem::replace(&mut self.factor, Factor::None) {
            Factor::Lu(numeric) => numeric,
            _ => Box::new(NumericLu::new()),
        };
        let need = symbolic.factorize_numeric_lu_scratch::<f64>(Par::Seq, Default::default());
        let mut memory = MemBuffer::try_new(need).map_err(|_| LinearError::OutOfMemory)?;
        symbolic
            .factorize_numeric_lu(
                &mut numeric,
                SparseColMatRef::new(self.pattern.as_ref(), &self.values),
                Par::Seq,
                MemStack::new(&mut memory),
                Default::default(),
            )
            .map_err(|_| LinearError::Singular)?;
        self.factor = Factor::Lu(numeric);
        Ok(())
    }

    /// Overwrites b with the solution.
    pub fn solve(&self, b: &mut [f64]) -> Result<(), LinearError> {
        let n = b.len();
        let rhs = MatMut::from_column_major_slice_mut(&mut *b, n, 1);
        let need = match (&self.factor, &self.lu) {
            (Factor::Lu(_), Some(lu)) => lu.solve_in_place_scratch::<f64>(1, Par::Seq),
            _ => self.cholesky.solve_in_place_scratch::<f64>(1, Par::Seq),
        };
        let mut memory = MemBuffer::try_new(need).map_err(|_| LinearError::OutOfMemory)?;
        let stack = MemStack::new(&mut memory);
        match (&self.factor, &self.lu) {
            (Factor::Llt(numeric), _) => {
                LltRef::new(&self.cholesky, numeric).solve_in_place_with_conj(Conj::No, rhs, Par::Seq, stack)
            }
            (Factor::Lu(numeric), Some(symbolic)) => LuRef::new_unchecked(symbolic, numeric)
                .solve_in_place_with_conj(Conj::No, rhs, Par::Seq, stack),
            _ => return Err(LinearError::Singular),
        }
        if b.iter().all(|x| x.is_finite()) { Ok(()) } else { Err(LinearError::Singular) }
    }
}

fn symbolic_lu(pattern: SymbolicSparseColMatRef<'_, usize>) -> Result<SymbolicLu<usize>, LinearError> {
    lu::factorize_symbolic_lu(pattern, Default::default()).map_err(|_| LinearError::OutOfMemory)
}
