//! `W = Hᵀ M⁻¹ H` with any sparse positive definite M, by a sparse Cholesky factorisation.
//!
//! Real files hold M with few digits and so not quite symmetric; where M is ill conditioned that is not small in its
//! inverse. Then M is factorised as given, by LU, and W is the symmetric part `Hᵀ (M⁻¹ + M⁻ᵀ)/2 H`.
//!
//! Sweeps need the columns of W, one contact at a time: they assemble it once, on first use; behind a sparse M the rows
//! of W are nearly full, so nothing sparse is lost by that. Products assemble it only where it is smaller than M.

use super::stored::Lanes;
use super::{DelassusError, Operator, Part, Rows, Stored, Wrenches};
use crate::block::{Matrix, Vector};
use crate::parallel;
use crate::sparse::Sparse;
use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::{Llt, Lu};
use faer::sparse::{SparseColMat, Triplet};
use std::sync::OnceLock;

/// Asymmetry of M that summation in another order may leave.
pub(super) const ROUNDING: f64 = 1e-13;

/// W factored by a sparse mass matrix.
pub struct SparseMass<const D: usize> {
    /// Rows of Hᵀ: `u = Hᵀ v`.
    H_transposed: Sparse,
    H: Sparse,
    /// Boxed: the other forms of W are much smaller.
    M: Box<Sparse>,
    mass: Factor,
    diagonal: Vec<Matrix<D>>,
    assembled: OnceLock<Box<Stored<D>>>,
}

/// M in factors.
enum Factor {
    /// M symmetric.
    Cholesky(Llt<usize, f64>),
    /// M not quite symmetric.
    Lu(Box<Lu<usize, f64>>),
}

impl<const D: usize> std::fmt::Debug for SparseMass<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SparseMass")
            .field("dofs", &self.H.rows)
            .field("contacts", &self.diagonal.len())
            .finish()
    }
}

impl<const D: usize> SparseMass<D> {
    /// Factorises M: by Cholesky where it is symmetric to rounding, by LU otherwise.
    pub fn new(M: &Sparse, H: &Sparse) -> Result<Self, DelassusError> {
        let singular = |dof| DelassusError::MassNotPositive { dof };
        let symmetric = M.asymmetry() <= ROUNDING;
        let mut entries = Vec::with_capacity(M.value.len());
        for i in 0..M.rows {
            let wanted = M.row(i).filter(|&(j, _)| j <= i || !symmetric);
            entries.extend(wanted.map(|(j, x)| Triplet::new(i, j, x)));
        }
        let matrix =
            SparseColMat::try_new_from_triplets(M.rows, M.cols, &entries).map_err(|_| singular(0))?;
        let mass = if symmetric {
            Factor::Cholesky(matrix.sp_cholesky(faer::Side::Lower).map_err(|error| match error {
                faer::sparse::linalg::LltError::Numeric(
                    faer::linalg::cholesky::llt::factor::LltError::NonPositivePivot { index },
                ) => singular(index),
                _ => singular(0),
            })?)
        } else {
            Factor::Lu(Box::new(matrix.sp_lu().map_err(|_| singular(0))?))
        };
        let mut W = SparseMass {
            H_transposed: H.transposed(),
            H: H.clone(),
            M: Box::new(M.clone()),
            mass,
            diagonal: vec![Matrix::zeros(); H.cols / D],
            assembled: OnceLock::new(),
        };
        for i in 0..W.diagonal.len() {
            for l in 0..D {
                let v = W.velocities_of(i * D + l);
                for k in 0..D {
                    W.diagonal[i][(k, l)] = W.H_transposed.row(i * D + k).map(|(dof, h)| h * v[dof]).sum();
                }
            }
        }
        Ok(W)
    }

    /// M, where W is `Hᵀ M⁻¹ H` itself and not a symmetric part.
    pub(crate) fn symmetric_mass(&self) -> Option<&Sparse> {
        matches!(self.mass, Factor::Cholesky(_)).then_some(&self.M)
    }

    /// H by contacts.
    pub(crate) fn wrenches(&self) -> Wrenches<D> {
        let mut wrenches = Wrenches::new(self.H.rows);
        for i in 0..self.diagonal.len() {
            let direction = |k: usize| {
                self.H_transposed.row(i * D + k).map(move |(dof, h)| {
                    let mut row = Vector::zeros();
                    row[k] = h;
                    (dof as u32, row)
                })
            };
            wrenches.push((0..D).flat_map(direction).collect());
        }
        wrenches
    }

    /// `M⁻¹ x`, M as given.
    pub fn inverse_mass(&self, x: &[f64]) -> Vec<f64> {
        let mut v = faer::Mat::from_fn(x.len(), 1, |i, _| x[i]);
        match &self.mass {
            Factor::Cholesky(mass) => mass.solve_in_place(&mut v),
            Factor::Lu(mass) => mass.solve_in_place(&mut v),
        }
        v.col(0).iter().copied().collect()
    }

    /// `(M⁻¹ + M⁻ᵀ)/2 x`, which is M⁻¹ x where M is symmetric.
    fn symmetric_inverse_mass(&self, x: &[f64]) -> Vec<f64> {
        let mut v = self.inverse_mass(x);
        if let Factor::Lu(mass) = &self.mass {
            let mut transposed = faer::Mat::from_fn(x.len(), 1, |i, _| x[i]);
            mass.solve_transpose_in_place(&mut transposed);
            for (v, t) in v.iter_mut().zip(transposed.col(0).iter()) {
                *v = 0.5 * (*v + t);
            }
        }
        v
    }

    /// `(M⁻¹ + M⁻ᵀ)/2 H e`: velocities under a unit impulse along one scalar direction.
    fn velocities_of(&self, column: usize) -> Vec<f64> {
        let mut x = vec![0.0; self.H.rows];
        for (dof, h) in self.H_transposed.row(column) {
            x[dof] = h;
        }
        self.symmetric_inverse_mass(&x)
    }

    /// Whether W, full, has fewer entries than M.
    fn is_smaller_assembled(&self) -> bool {
        self.H.cols * self.H.cols <= self.M.value.len()
    }

    /// W, assembled on first use.
    pub fn assembled(&self) -> &Stored<D> {
        self.assembled.get_or_init(|| {
            let mut entries = Vec::new();
            for column in 0..self.H.cols {
                let v = self.velocities_of(column);
                for (row, x) in self.H_transposed.apply(&v).into_iter().enumerate().filter(|&(_, x)| x != 0.0)
                {
                    entries.push((row as u32, column as u32, x));
                }
            }
            let W = Sparse::from_triplets(self.H.cols, self.H.cols, &entries);
            Box::new(Stored::new(&W).expect("W is square by construction"))
        })
    }
}

impl<const D: usize> Operator<D> for SparseMass<D> {
    fn contacts(&self) -> usize {
        self.diagonal.len()
    }

    #[inline]
    fn diagonal(&self, i: usize) -> &Matrix<D> {
        &self.diagonal[i]
    }

    fn scratch(&self) -> usize {
        self.H.rows
    }

    fn apply(&self, r: &[Vector<D>], out: &mut [Vector<D>], scratch: &mut [f64]) {
        if self.is_smaller_assembled() {
            return self.assembled().apply(r, out, &mut []);
        }
        parallel::fill(scratch, |dof| self.H.row(dof).map(|(j, h)| h * r[j / D][j % D]).sum());
        let v = self.symmetric_inverse_mass(scratch);
        parallel::fill(out, |i| {
            Vector::from_fn(|k, _| self.H_transposed.row(i * D + k).map(|(dof, h)| h * v[dof]).sum())
        });
    }
}

impl<const D: usize> Rows<D> for SparseMass<D> {
    type Cell = Lanes;

    fn start(&self, r: &[Vector<D>]) -> Vec<Lanes> {
        self.assembled().start(r)
    }

    #[inline(always)]
    fn velocity(&self, u: &[Lanes], part: &Part, i: usize, r_i: &Vector<D>) -> Vector<D> {
        self.assembled().velocity(u, part, i, r_i)
    }

    #[inline(always)]
    fn normal_velocity(&self, u: &[Lanes], part: &Part, i: usize, r_N: f64) -> f64 {
        self.assembled().normal_velocity(u, part, i, r_N)
    }

    fn for_moved(&self, i: usize, look: impl FnMut(usize)) {
        self.assembled().for_moved(i, look);
    }

    #[inline(always)]
    fn add(&self, u: &mut [Lanes], part: &Part, i: usize, dr: &Vector<D>) {
        self.assembled().add(u, part, i, dr);
    }

    #[inline(always)]
    fn extrapolated(u: &Lanes, last: &Lanes, beta: f64) -> Lanes {
        <Stored<D> as Rows<D>>::extrapolated(u, last, beta)
    }
}
