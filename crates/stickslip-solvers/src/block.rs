//! Blocks: the D-vectors and D×D matrices of one contact, normal component first.

use nalgebra::{SMatrix, SVector};

/// Impulse or relative velocity of one contact: `[normal, tangents…]`.
pub type Vector<const D: usize> = SVector<f64, D>;
/// One block of W.
pub type Matrix<const D: usize> = SMatrix<f64, D, D>;

/// Length of the tangential part.
#[inline(always)]
pub fn tangent_norm<const D: usize>(x: &Vector<D>) -> f64 {
    if D == 2 { x[1].abs() } else { tangent_norm_squared(x).sqrt() }
}

/// Squared length of the tangential part.
#[inline(always)]
pub fn tangent_norm_squared<const D: usize>(x: &Vector<D>) -> f64 {
    x.as_slice()[1..].iter().map(|t| t * t).sum()
}

/// Solves `A x = b` by elimination with partial pivoting; `None` when A is singular to rounding.
pub(crate) fn solve_dense<const D: usize>(mut A: Matrix<D>, mut b: Vector<D>) -> Option<Vector<D>> {
    for k in 0..D {
        let pivot = (k..D).max_by(|&i, &j| A[(i, k)].abs().total_cmp(&A[(j, k)].abs()))?;
        if A[(pivot, k)] == 0.0 || !A[(pivot, k)].is_finite() {
            return None;
        }
        A.swap_rows(k, pivot);
        b.swap_rows(k, pivot);
        for i in k + 1..D {
            let factor = A[(i, k)] / A[(k, k)];
            for j in k + 1..D {
                A[(i, j)] -= factor * A[(k, j)];
            }
            b[i] -= factor * b[k];
        }
    }
    for k in (0..D).rev() {
        for j in k + 1..D {
            b[k] -= A[(k, j)] * b[j];
        }
        b[k] /= A[(k, k)];
    }
    b.iter().all(|x| x.is_finite()).then_some(b)
}

/// One of two numbers, without a jump: which one it is cannot be foretold.
#[inline(always)]
pub(crate) fn select(first: bool, a: f64, b: f64) -> f64 {
    let mask = u64::from(first).wrapping_neg();
    f64::from_bits((a.to_bits() & mask) | (b.to_bits() & !mask))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_solve_pivots() {
        let A = Matrix::<3>::new(0.0, 2.0, 1.0, 1.0, 0.0, 0.0, 3.0, 0.0, 1.0);
        let x = Vector::<3>::new(1.0, -2.0, 5.0);
        let found = solve_dense(A, A * x).unwrap();
        assert!((found - x).norm() < 1e-14);
        assert!(solve_dense(Matrix::<2>::zeros(), Vector::<2>::zeros()).is_none());
    }
}
