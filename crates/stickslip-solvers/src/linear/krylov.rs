//! GMRES with a right preconditioner, for systems whose factors would not fit.
//!
//! ```text
//! min |b − K P y| over y in span(b, KP b, …),   x = P y            Saad and Schultz 1986
//! ```

use super::LinearError;

/// Vectors kept between restarts.
const RESTART: usize = 60;
/// Products in all.
const MOST: usize = 600;

/// Overwrites b with x, `|b − K x| ≤ tolerance |b|`. K and P overwrite their second argument.
pub(super) fn gmres(
    b: &mut [f64],
    tolerance: f64,
    mut K: impl FnMut(&[f64], &mut [f64]),
    mut P: impl FnMut(&[f64], &mut [f64]),
) -> Result<usize, LinearError> {
    let n = b.len();
    let goal = tolerance * norm(b);
    let mut x = vec![0.0; n];
    let mut rest = b.to_vec();
    let (mut y, mut products) = (vec![0.0; n], 0);
    while products < MOST && norm(&rest) > goal {
        let (mut basis, size) = (vec![scaled(&rest, 1.0 / norm(&rest))], norm(&rest));
        let mut R: Vec<Vec<f64>> = Vec::new();
        let mut turns: Vec<(f64, f64)> = Vec::new();
        let mut g = vec![size];
        while basis.len() <= RESTART && products < MOST && g[g.len() - 1].abs() > goal {
            P(&basis[basis.len() - 1], &mut y);
            let mut v = vec![0.0; n];
            K(&y, &mut v);
            products += 1;
            let mut column: Vec<f64> = Vec::with_capacity(basis.len() + 1);
            for e in &basis {
                let h = dot(e, &v);
                v.iter_mut().zip(e).for_each(|(v, e)| *v -= h * e);
                column.push(h);
            }
            let below = norm(&v);
            for (k, &(c, s)) in turns.iter().enumerate() {
                (column[k], column[k + 1]) =
                    (c * column[k] + s * column[k + 1], c * column[k + 1] - s * column[k]);
            }
            let last = column.len() - 1;
            let length = column[last].hypot(below);
            if length == 0.0 || !length.is_finite() {
                return Err(LinearError::Singular);
            }
            let (c, s) = (column[last] / length, below / length);
            column[last] = length;
            turns.push((c, s));
            R.push(column);
            let end = g.len() - 1;
            g.push(-s * g[end]);
            g[end] *= c;
            if below <= f64::EPSILON * length {
                break;
            }
            basis.push(scaled(&v, 1.0 / below));
        }
        // back substitution, then x += P Σ y_k e_k
        let mut coefficients = vec![0.0; R.len()];
        for k in (0..R.len()).rev() {
            let known: f64 = (k + 1..R.len()).map(|j| R[j][k] * coefficients[j]).sum();
            coefficients[k] = (g[k] - known) / R[k][k];
        }
        let mut sum = vec![0.0; n];
        for (e, a) in basis.iter().zip(&coefficients) {
            sum.iter_mut().zip(e).for_each(|(sum, e)| *sum += a * e);
        }
        P(&sum, &mut y);
        x.iter_mut().zip(&y).for_each(|(x, y)| *x += y);
        K(&x, &mut rest);
        rest.iter_mut().zip(&*b).for_each(|(rest, b)| *rest = b - *rest);
        if !norm(&rest).is_finite() {
            return Err(LinearError::Singular);
        }
    }
    // an inexact step still serves Newton's method
    let reached = norm(&rest) <= goal.max(ACCEPTED * norm(b));
    b.copy_from_slice(&x);
    if reached { Ok(products) } else { Err(LinearError::NotConverged) }
}

/// A relative residual that a caller can still use.
const ACCEPTED: f64 = 1e-2;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

fn scaled(a: &[f64], factor: f64) -> Vec<f64> {
    a.iter().map(|a| a * factor).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_an_unsymmetric_system() {
        let n = 100;
        let apply = |x: &[f64], out: &mut [f64]| {
            for i in 0..n {
                let (left, right) =
                    (if i > 0 { x[i - 1] } else { 0.0 }, if i + 1 < n { x[i + 1] } else { 0.0 });
                out[i] = 3.0 * x[i] - left + 0.5 * right;
            }
        };
        let x: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        let mut b = vec![0.0; n];
        apply(&x, &mut b);
        gmres(&mut b, 1e-12, apply, |x, out| out.copy_from_slice(x)).unwrap();
        assert!(b.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-10));
    }
}
