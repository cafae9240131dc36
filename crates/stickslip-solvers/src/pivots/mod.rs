//! Pivoting methods on dense problems, shared by one contact and by the whole problem.

mod active_set;
mod lemke;

pub(crate) use active_set::Program;
pub(crate) use lemke::{restore, solve_lcp};

use nalgebra::{DMatrix, DVector};

/// x with A x = −c on the chosen rows and columns; `None` where they are singular.
fn solve_chosen(A: &DMatrix<f64>, c: &DVector<f64>, chosen: &[usize]) -> Option<DVector<f64>> {
    if chosen.is_empty() {
        // the factorisation refuses an empty matrix
        return Some(DVector::zeros(0));
    }
    let A = A.select_rows(chosen).select_columns(chosen);
    let x = A.lu().solve(&-c.select_rows(chosen))?;
    x.iter().all(|x| x.is_finite()).then_some(x)
}
