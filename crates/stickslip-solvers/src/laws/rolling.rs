//! Friction that also resists rolling and spinning: a block of slip, roll and spin under one normal impulse.
//!
//! ```text
//! |r_T| ≤ μ r_N,   |r_R| ≤ μ_R r_N,   |r_S| ≤ μ_S r_N
//! block         normal  slip  roll  spin
//! plane, D = 3       1     1     1     –
//! space, D = 5       1     2     2     –
//! space, D = 6       1     2     2     1
//! ```
//!
//! Couples are divided, and spins multiplied, by a length of the contact, so that all rows of a block have one unit and
//! μ_R and μ_S have none. The exact law has the shift `g = μ|u_T| + μ_R|u_R| + μ_S|u_S|`, for the dual cone is
//! `u_N ≥ μ|u_T| + μ_R|u_R| + μ_S|u_S|`; without it the flow is associated and what slips or rolls lifts.

use super::ContactLaw;
use crate::block::{Matrix, Vector};

/// Coefficients of slip, roll and spin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rolling {
    /// Friction coefficient, at least 0.
    pub mu: f64,
    /// Resistance to rolling, couple over normal impulse and length, at least 0.
    pub rolling: f64,
    /// Resistance to spinning, likewise.
    pub spinning: f64,
}

/// The same with associated flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RollingConvex(pub Rolling);

/// Where slip, roll and spin stand in a block of size D; nothing for a D that is none of rolling friction.
const fn groups(D: usize) -> [(usize, usize); 3] {
    match D {
        3 => [(1, 2), (2, 3), (3, 3)],
        5 => [(1, 3), (3, 5), (5, 5)],
        6 => [(1, 3), (3, 5), (5, 6)],
        _ => [(1, D), (D, D), (D, D)],
    }
}

impl Rolling {
    /// The normal impulse of the point of K nearest to y; negative where that is the tip.
    ///
    /// It makes `r − y_N = Σ μ_k (|y_k| − μ_k r)` over the parts that lie beyond their bounds. Left less right is concave
    /// in r, so from r = 0, where all parts are beyond, Newton's method climbs to the root in as many steps as there are
    /// parts.
    #[inline(always)]
    fn nearest_normal(y_N: f64, parts: &[(f64, f64); 3]) -> f64 {
        let mut r = 0.0;
        for _ in 0..=parts.len() {
            let (mut sum, mut slope) = (y_N, 1.0);
            for (mu, size) in parts.iter().filter(|(mu, size)| *size > mu * r) {
                sum += mu * size;
                slope += mu * mu;
            }
            let next = sum / slope;
            if next <= r {
                return if r > 0.0 { r } else { next };
            }
            r = next;
        }
        r
    }

    /// Coefficients and lengths of slip, roll and spin.
    #[inline(always)]
    fn parts<const D: usize>(&self, x: &Vector<D>) -> [(f64, f64); 3] {
        let norm =
            |(first, end): (usize, usize)| x.as_slice()[first..end].iter().map(|x| x * x).sum::<f64>().sqrt();
        let [slip, roll, spin] = groups(D);
        [(self.mu, norm(slip)), (self.rolling, norm(roll)), (self.spinning, norm(spin))]
    }
}

impl ContactLaw for Rolling {
    #[inline(always)]
    fn project<const D: usize>(&self, y: Vector<D>) -> Vector<D> {
        let parts = self.parts(&y);
        let r = Self::nearest_normal(y[0], &parts);
        if r <= 0.0 {
            return Vector::zeros();
        }
        let mut p = y;
        p[0] = r;
        for ((mu, size), (first, end)) in parts.into_iter().zip(groups(D)) {
            if size > mu * r {
                let factor = mu * r / size;
                (first..end).for_each(|k| p[k] = y[k] * factor);
            }
        }
        p
    }

    #[inline(always)]
    fn shift<const D: usize>(&self, u: &Vector<D>) -> f64 {
        self.parts(u).iter().map(|(mu, size)| mu * size).sum()
    }

    fn derivative<const D: usize>(&self, y: &Vector<D>) -> Matrix<D> {
        let parts = self.parts(y);
        let r = Self::nearest_normal(y[0], &parts);
        if r <= 0.0 {
            return Matrix::zeros();
        }
        let beyond = |(mu, size): (f64, f64)| size > mu * r;
        // along = ∂r/∂y times the slope
        let (mut along, mut slope) = (Vector::<D>::zeros(), 1.0);
        along[0] = 1.0;
        for ((mu, size), (first, end)) in parts.into_iter().zip(groups(D)).filter(|(part, _)| beyond(*part)) {
            slope += mu * mu;
            (first..end).for_each(|k| along[k] = mu * y[k] / size);
        }
        let mut J = along * along.transpose() / slope;
        for ((mu, size), (first, end)) in parts.into_iter().zip(groups(D)) {
            let stretch = if beyond((mu, size)) { mu * r / size } else { 1.0 };
            for k in first..end {
                J[(k, k)] += stretch;
                if beyond((mu, size)) {
                    (first..end).for_each(|l| J[(k, l)] -= stretch * y[k] * y[l] / (size * size));
                }
            }
        }
        J
    }

    fn shift_slope<const D: usize>(&self, u: &Vector<D>) -> Vector<D> {
        let mut slope = Vector::zeros();
        for ((mu, size), (first, end)) in self.parts(u).into_iter().zip(groups(D)) {
            if size > 0.0 {
                (first..end).for_each(|k| slope[k] = mu * u[k] / size);
            }
        }
        slope
    }
}

impl ContactLaw for RollingConvex {
    #[inline(always)]
    fn project<const D: usize>(&self, y: Vector<D>) -> Vector<D> {
        self.0.project(y)
    }

    fn derivative<const D: usize>(&self, y: &Vector<D>) -> Matrix<D> {
        self.0.derivative(y)
    }
}
