//! Exact solution of one contact by its three states: open, stick, slip. The default, robust for every positive
//! definite block.
//!
//! ```text
//! open    q_N ≥ 0                 r = 0
//! stick   u = 0                   r = −W⁻¹ q, if it lies in the cone
//! slip    u_N = 0, u_T = −α r_T   with the α > 0 that puts r on the cone
//! ```
//!
//! Slip: eliminate r_N by u_N = 0. With S = W_TT − W_TN W_NT/W_NN and b = q_T − W_TN q_N/W_NN,
//!
//! ```text
//! r_T(α) = −(S + α I)⁻¹ b,   r_N(α) = −(q_N + W_NT r_T)/W_NN,   ψ(α) = μ r_N/|r_T| − 1 = 0
//! ```
//!
//! ψ < 0 at α = 0 when stick fails, and ψ → +∞ with α when q_N < 0, so a root always exists and every root is a
//! solution. For a block that does not couple normal and tangent ψ is concave, and Newton's method from α = 0
//! climbs to the root without overshooting; for equal tangential terms (spheres) its first step is exact. A
//! bracket guards the general case.

use super::{LocalSolver, OneContact, Solved};
use crate::block::{Matrix, Vector, solve_dense, tangent_norm};
use crate::laws::{ContactLaw, Law};

/// Open, stick or slip by root finding.
#[derive(Clone, Copy, Debug, Default)]
pub struct Enumeration;

impl LocalSolver for Enumeration {
    #[inline(always)]
    fn solve<const D: usize>(&self, contact: &OneContact<D>, _r: &Vector<D>) -> Solved<D> {
        Solved { r: solve_coulomb(contact.W, &contact.q, contact.mu), converged: true }
    }
}

/// The impulse of one contact under any law.
#[inline(always)]
pub fn solve<const D: usize>(W: &Matrix<D>, q: &Vector<D>, law: &Law) -> Vector<D> {
    match law {
        Law::Coulomb(law) => solve_coulomb(W, q, law.mu),
        Law::Convex(law) => solve_convex(W, q, law.mu),
        Law::Frictionless(_) => along_normal((-q[0] / W[(0, 0)]).max(0.0)),
        Law::Bilateral(_) => solve_or_regularise(W, -q),
    }
}

fn along_normal<const D: usize>(r_N: f64) -> Vector<D> {
    let mut r = Vector::zeros();
    r[0] = r_N;
    r
}

/// Exact Signorini–Coulomb.
#[inline(always)]
pub fn solve_coulomb<const D: usize>(W: &Matrix<D>, q: &Vector<D>, mu: f64) -> Vector<D> {
    if q[0] >= 0.0 {
        return Vector::zeros();
    }
    if D == 1 || mu == 0.0 {
        return along_normal(-q[0] / W[(0, 0)]);
    }
    match D {
        2 => solve_plane(W, q, mu),
        _ => solve_space(W, q, mu),
    }
}

/// In the plane slip has two directions, and the sign of the sticking impulse tells which.
#[inline(always)]
fn solve_plane<const D: usize>(W: &Matrix<D>, q: &Vector<D>, mu: f64) -> Vector<D> {
    let (W_NN, W_NT, W_TN, W_TT) = (W[(0, 0)], W[(0, 1)], W[(1, 0)], W[(1, 1)]);
    let mut r = Vector::zeros();
    let S = W_TT - W_TN * W_NT / W_NN;
    let b = q[1] - W_TN * q[0] / W_NN;
    let r_T = -b / S;
    let r_N = -(q[0] + W_NT * r_T) / W_NN;
    if r_T.abs() <= mu * r_N {
        r[0] = r_N;
        r[1] = r_T;
    } else {
        let side = mu.copysign(-b);
        r[0] = -q[0] / (W_NN + W_NT * side);
        r[1] = side * r[0];
    }
    r
}

/// Newton steps on ψ before giving up; a bracketed search ends long before.
const MAX_STEPS: usize = 200;
/// |ψ| at which the impulse is on the cone, to rounding of its few operations.
const ON_CONE: f64 = 1e-14;

#[inline(always)]
fn solve_space<const D: usize>(W: &Matrix<D>, q: &Vector<D>, mu: f64) -> Vector<D> {
    let W_NN_inverse = 1.0 / W[(0, 0)];
    let W_NT = [W[(0, 1)], W[(0, 2)]];
    // S and b: the tangential problem once u_N = 0 has given r_N
    let f = [W[(1, 0)] * W_NN_inverse, W[(2, 0)] * W_NN_inverse];
    let S = [
        [W[(1, 1)] - f[0] * W_NT[0], W[(1, 2)] - f[0] * W_NT[1]],
        [W[(2, 1)] - f[1] * W_NT[0], W[(2, 2)] - f[1] * W_NT[1]],
    ];
    let b = [q[1] - f[0] * q[0], q[2] - f[1] * q[0]];
    let normal = |t: [f64; 2]| -(q[0] + W_NT[0] * t[0] + W_NT[1] * t[1]) * W_NN_inverse;

    let mut alpha = 0.0;
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let mut r = Vector::zeros();
    for step in 0..MAX_STEPS {
        let (A, D_) = (S[0][0] + alpha, S[1][1] + alpha);
        let inverse_det = 1.0 / (A * D_ - S[0][1] * S[1][0]);
        let solve = |x: [f64; 2]| {
            [(S[0][1] * x[1] - D_ * x[0]) * inverse_det, (S[1][0] * x[0] - A * x[1]) * inverse_det]
        };
        let t = solve(b);
        let r_N = normal(t);
        let squared = t[0] * t[0] + t[1] * t[1];
        if step == 0 && r_N >= 0.0 && squared <= mu * mu * r_N * r_N {
            // stick
            r[0] = r_N;
            r[1] = t[0];
            r[2] = t[1];
            return r;
        }
        if r_N > 0.0 && (squared - mu * mu * r_N * r_N).abs() <= 2.0 * ON_CONE * squared {
            r[0] = r_N;
            r[1] = t[0];
            r[2] = t[1];
            return r;
        }
        // d/dα: (S + αI) r_T' = −r_T
        let t_slope = solve(t);
        let r_N_slope = -(W_NT[0] * t_slope[0] + W_NT[1] * t_slope[1]) * W_NN_inverse;
        let psi = mu * r_N - squared.sqrt();
        // slope of ψ = μ r_N/|r_T| − 1, times |r_T|³
        let slope = mu * (r_N_slope * squared - r_N * (t[0] * t_slope[0] + t[1] * t_slope[1]));
        if psi < 0.0 || psi.is_nan() {
            low = alpha;
        } else {
            high = alpha;
        }
        let newton = alpha - psi * squared / slope;
        let next = if newton > low && newton < high {
            newton
        } else if high.is_finite() {
            0.5 * (low + high)
        } else {
            // a first scale where S is singular, then doubling
            2.0 * alpha + (S[0][0].abs() + S[1][1].abs()) * if alpha == 0.0 { 1e-14 } else { 1.0 }
        };
        if next == alpha || next == low && step > 0 && next == high {
            break;
        }
        alpha = next;
        r[0] = r_N;
        r[1] = t[0];
        r[2] = t[1];
    }
    // the bracket closed to rounding: put the last iterate on the cone
    Law::coulomb(mu).project(r)
}

/// Associated friction: the minimum of ½ rᵀWr + qᵀr over the cone.
///
/// On the cone's side u = −α J r with J = diag(−μ², 1, …), so `(W + αJ) r = −q`. W + αJ changes signature at one
/// α_c > 0; the root of ψ lies below α_c when the null vector z there has qᵀz < 0, above it otherwise.
pub fn solve_convex<const D: usize>(W: &Matrix<D>, q: &Vector<D>, mu: f64) -> Vector<D> {
    if D == 1 || mu == 0.0 {
        return along_normal((-q[0] / W[(0, 0)]).max(0.0));
    }
    // open: q in the dual cone
    if q[0] >= mu * tangent_norm(q) {
        return Vector::zeros();
    }
    let stick = solve_or_regularise(W, -q);
    if tangent_norm(&stick) <= mu * stick[0] {
        return stick;
    }
    let shifted = |alpha: f64| {
        let mut A = *W;
        A[(0, 0)] -= alpha * mu * mu;
        for k in 1..D {
            A[(k, k)] += alpha;
        }
        A
    };
    let impulse = |alpha: f64| solve_or_regularise(&shifted(alpha), -q);

    // α_c by bisection on the sign of the determinant
    let mut critical = (0.0, W[(0, 0)] / (mu * mu));
    while determinant(&shifted(critical.1)) > 0.0 {
        critical.1 *= 2.0;
    }
    for _ in 0..200 {
        let middle = 0.5 * (critical.0 + critical.1);
        if middle == critical.0 || middle == critical.1 {
            break;
        }
        if determinant(&shifted(middle)) > 0.0 {
            critical.0 = middle;
        } else {
            critical.1 = middle;
        }
    }

    // ψ is negative at `out` and positive at `inside`
    let psi = |r: &Vector<D>| mu * r[0] - tangent_norm(r);
    let (mut out, mut inside) = if impulse(critical.0)[0] > 0.0 {
        (0.0, critical.0)
    } else {
        let mut far = 2.0 * critical.1;
        while psi(&impulse(far)) > 0.0 && far < 1e300 {
            far *= 4.0;
        }
        (far, critical.1)
    };
    for _ in 0..200 {
        let middle = 0.5 * (out + inside);
        if middle == out || middle == inside {
            break;
        }
        if psi(&impulse(middle)) < 0.0 {
            out = middle;
        } else {
            inside = middle;
        }
    }
    Law::convex(mu).project(impulse(inside))
}

fn determinant<const D: usize>(A: &Matrix<D>) -> f64 {
    match D {
        1 => A[(0, 0)],
        2 => A[(0, 0)] * A[(1, 1)] - A[(0, 1)] * A[(1, 0)],
        _ => {
            A[(0, 0)] * (A[(1, 1)] * A[(2, 2)] - A[(1, 2)] * A[(2, 1)])
                - A[(0, 1)] * (A[(1, 0)] * A[(2, 2)] - A[(1, 2)] * A[(2, 0)])
                + A[(0, 2)] * (A[(1, 0)] * A[(2, 1)] - A[(1, 1)] * A[(2, 0)])
        }
    }
}

/// `W r = b`; where W is singular to rounding, with a diagonal lifted by rounding.
fn solve_or_regularise<const D: usize>(W: &Matrix<D>, b: Vector<D>) -> Vector<D> {
    solve_dense(*W, b).unwrap_or_else(|| {
        let lift = f64::EPSILON * W.trace().abs().max(f64::MIN_POSITIVE);
        solve_dense(W + Matrix::identity() * lift, b).unwrap_or_else(Vector::zeros)
    })
}
