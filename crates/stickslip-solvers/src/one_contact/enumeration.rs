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
//! climbs to the root without overshooting; for equal tangential terms (spheres) its first step is exact. What a
//! few free steps do not settle (ill-conditioned or singular blocks, strong coupling) goes to a bracketed search
//! with pivoted elimination, and [`super::direction`] restores the digits that α cannot resolve. Only a block so
//! singular that the law has no solution is left with the best finite impulse instead.

use super::direction::{Flow, refine, unit_tangent};
use super::{LocalSolver, OneContact, Solved, is_finite, relative_residual};
use crate::block::{Matrix, Vector, solve_dense, tangent_norm, tangent_norm_squared};
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
    if r_T.abs() <= mu * r_N && S > 0.0 {
        r[0] = r_N;
        r[1] = r_T;
        return r;
    }
    let side = mu.copysign(-b);
    let below = W_NN + W_NT * side;
    if below > 0.0 {
        r[0] = -q[0] / below;
        r[1] = side * r[0];
        r
    } else {
        solve_guarded(W, q, mu)
    }
}

/// Newton steps on ψ without a bracket; smooth blocks need two to six.
const FREE_STEPS: usize = 12;
/// |ψ| at which the impulse is on the cone, to rounding of its few operations.
const ON_CONE: f64 = 1e-14;
/// det S relative to the product of its diagonal below which Cramer's rule loses more than three digits.
const REGULAR: f64 = 1e-3;

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

    let mut alpha = 0.0;
    for step in 0..FREE_STEPS {
        // r_T = −(S + αI)⁻¹ b by Cramer's rule
        let (S_11, S_22) = (S[0][0] + alpha, S[1][1] + alpha);
        let det = S_11 * S_22 - S[0][1] * S[1][0];
        if !(det > REGULAR * (S_11 * S_22) && S_11 > 0.0) {
            break;
        }
        let inverse_det = 1.0 / det;
        let minus_solve = |x: [f64; 2]| {
            [(S[0][1] * x[1] - S_22 * x[0]) * inverse_det, (S[1][0] * x[0] - S_11 * x[1]) * inverse_det]
        };
        let t = minus_solve(b);
        let r_N = -(q[0] + W_NT[0] * t[0] + W_NT[1] * t[1]) * W_NN_inverse;
        let squared = t[0] * t[0] + t[1] * t[1];
        let sticks = step == 0 && r_N >= 0.0 && squared <= mu * mu * r_N * r_N;
        let norm = squared.sqrt();
        let psi = mu * r_N - norm;
        if sticks || psi.abs() <= ON_CONE * norm {
            let mut r = Vector::zeros();
            r[0] = r_N;
            r[1] = t[0];
            r[2] = t[1];
            return r;
        }
        // d/dα: (S + αI) r_T' = −r_T
        let t_slope = minus_solve(t);
        let r_N_slope = -(W_NT[0] * t_slope[0] + W_NT[1] * t_slope[1]) * W_NN_inverse;
        // slope of ψ = μ r_N/|r_T| − 1, times |r_T|
        let slope = mu * (r_N_slope - r_N * (t[0] * t_slope[0] + t[1] * t_slope[1]) / squared);
        alpha -= psi / slope;
        if !(alpha > 0.0) {
            break;
        }
    }
    solve_guarded(W, q, mu)
}

/// Steps of a bracketed search: each at least divides the bracket, on a logarithmic scale.
const MAX_STEPS: usize = 120;

/// Stick or slip where the short way failed: r(α) by pivoted elimination, α in a bracket, then the direction.
#[cold]
#[inline(never)]
fn solve_guarded<const D: usize>(W: &Matrix<D>, q: &Vector<D>, mu: f64) -> Vector<D> {
    let law = Law::coulomb(mu);
    let shifted = |alpha: f64| {
        let mut A = *W;
        for k in 1..D {
            A[(k, k)] += alpha;
        }
        A
    };
    let mut best = Best::new(W, q, law);
    best.offer(&along_normal(-q[0] / W[(0, 0)]));
    let mut bracket = Bracket::from(0.0);
    // where W is singular, α at rounding level selects the smallest impulse
    let smallest = f64::EPSILON * W.trace().abs();
    for _ in 0..MAX_STEPS {
        let alpha = bracket.at;
        let A = shifted(alpha);
        let Some(r) = solve_dense(A, -q) else {
            bracket.beyond(smallest, None);
            continue;
        };
        best.offer(&r);
        let squared = tangent_norm_squared(&r);
        let norm = squared.sqrt();
        let psi = mu * r[0] - norm;
        if psi >= 0.0 && alpha <= smallest || psi.abs() <= ON_CONE * norm {
            break;
        }
        // (W + α I_T) r' = −r_T
        let mut minus_r_T = -r;
        minus_r_T[0] = 0.0;
        let newton = solve_dense(A, minus_r_T).map(|r_slope| {
            let along: f64 = (1..D).map(|k| r[k] * r_slope[k]).sum();
            alpha - psi / (mu * (r_slope[0] - r[0] * along / squared))
        });
        let moved = if psi > 0.0 { bracket.short(newton) } else { bracket.beyond(smallest, newton) };
        if !moved {
            break;
        }
    }
    best.refine(mu, Flow::Coulomb);
    best.r
}

/// The root of a function that is negative at `low` and positive at `high`, on the positive axis.
struct Bracket {
    at: f64,
    low: f64,
    high: f64,
}

impl Bracket {
    fn from(at: f64) -> Self {
        Bracket { at, low: at, high: f64::INFINITY }
    }

    /// The root lies beyond `at`: go on to the guess if it is in the bracket. Whether there was anywhere to go.
    fn beyond(&mut self, smallest: f64, guess: Option<f64>) -> bool {
        self.low = self.at;
        let far = (16.0 * self.low).max(smallest);
        self.go(guess, far)
    }

    /// The root lies short of `at`.
    fn short(&mut self, guess: Option<f64>) -> bool {
        self.high = self.at;
        self.go(guess, self.high)
    }

    fn go(&mut self, guess: Option<f64>, far: f64) -> bool {
        let middle = if self.high == f64::INFINITY {
            far
        } else if self.low > 0.0 && self.high > 4.0 * self.low {
            (self.low * self.high).sqrt()
        } else if self.low == 0.0 {
            self.high / 1024.0
        } else {
            0.5 * (self.low + self.high)
        };
        let next = guess.filter(|x| *x > self.low && *x < self.high).unwrap_or(middle);
        let moved = next > self.low && next < self.high;
        self.at = next;
        moved
    }
}

/// The impulse of least residual among those offered.
struct Best<'a, const D: usize> {
    W: &'a Matrix<D>,
    q: &'a Vector<D>,
    law: Law,
    r: Vector<D>,
    residual: f64,
}

impl<'a, const D: usize> Best<'a, D> {
    fn new(W: &'a Matrix<D>, q: &'a Vector<D>, law: Law) -> Self {
        let r = Vector::zeros();
        Best { W, q, law, r, residual: relative_residual(W, q, &law, &r) }
    }

    fn offer(&mut self, r: &Vector<D>) {
        let residual = relative_residual(self.W, self.q, &self.law, r);
        if is_finite(r) && (residual < self.residual || !self.residual.is_finite()) {
            (self.r, self.residual) = (*r, residual);
        }
    }

    /// Offers the best impulse put on the cone, and along its direction refined.
    fn refine(&mut self, mu: f64, flow: Flow) {
        let r = self.r;
        self.offer(&self.law.project(r));
        if let Some(d) = unit_tangent(&r) {
            for d in [d, -d] {
                if let Some(r) = refine(self.W, self.q, mu, d, flow) {
                    self.offer(&r);
                }
            }
        }
    }
}

/// Associated friction: the minimum of ½ rᵀWr + qᵀr over the cone.
///
/// Open where q lies in the dual cone, stick where −W⁻¹q lies in the cone. Otherwise r lies on the cone's side.
/// In the plane that is one of two rays. In space u = −α J r with J = diag(−μ², 1, 1), and in a basis v_k that
/// diagonalises W and J together, j_0 < 0 < j_1 ≤ j_2 the values of J and c_k = q·v_k,
///
/// ```text
/// (W + αJ) r = −q,   rᵀJr = Σ j_k c_k²/(1 + α j_k)² = 0
/// ```
///
/// The sum falls strictly from α = 0 to the pole at α_c = −1/j_0, and as a function of β = 1/α it falls strictly from
/// β = 0 to the pole: one root at most in each range. r is in K, not in −K, in the first range when c_0 < 0
/// and in the second when c_0 > 0. The sign of det(W + αJ) tells the ranges apart, so no eigenvalue is needed.
pub fn solve_convex<const D: usize>(W: &Matrix<D>, q: &Vector<D>, mu: f64) -> Vector<D> {
    if D == 1 || mu == 0.0 {
        return along_normal((-q[0] / W[(0, 0)]).max(0.0));
    }
    if q[0] >= mu * tangent_norm(q) {
        return Vector::zeros();
    }
    let stick = solve_dense(*W, -q);
    if let Some(r) = stick
        && tangent_norm(&r) <= mu * r[0]
    {
        return r;
    }
    if D == 2 {
        return convex_ray(W, q, mu);
    }
    let mut best = Best::new(W, q, Law::convex(mu));
    // −W⁻¹q in −K has no root in the first range
    let in_first = stick.is_none_or(|r| tangent_norm(&r) > -mu * r[0]);
    if !(in_first && convex_side(W, q, mu, Range::First, &mut best)) {
        convex_side(W, q, mu, Range::Second, &mut best);
    }
    best.refine(mu, Flow::Associated);
    best.r
}

/// In the plane the cone has two rays g = (1, ±μ): the one where the other's complement is not violated.
fn convex_ray<const D: usize>(W: &Matrix<D>, q: &Vector<D>, mu: f64) -> Vector<D> {
    let ray = |mu: f64| {
        let mut g: Vector<D> = along_normal(1.0);
        g[1] = mu;
        let r_N = -g.dot(q) / g.dot(&(W * g));
        (g, if r_N > 0.0 && r_N.is_finite() { g * r_N } else { Vector::zeros() })
    };
    let ((_, up), (g_down, down)) = (ray(mu), ray(-mu));
    if up[0] > 0.0 && g_down.dot(&(W * up + q)) >= 0.0 { up } else { down }
}

/// Where the root on the cone's side lies: α in (0, α_c), or β = 1/α in (0, 1/α_c).
#[derive(Clone, Copy, PartialEq)]
enum Range {
    First,
    Second,
}

/// Searches the root in one range and offers what it finds; whether the range holds the solution.
fn convex_side<const D: usize>(
    W: &Matrix<D>,
    q: &Vector<D>,
    mu: f64,
    range: Range,
    best: &mut Best<D>,
) -> bool {
    let mut J = Matrix::<D>::identity();
    J[(0, 0)] = -mu * mu;
    let (fixed, slope, start) = match range {
        Range::First => (*W, J, f64::EPSILON * W.trace()),
        Range::Second => (J, *W, mu * mu / W[(0, 0)]),
    };
    let mut bracket = Bracket::from(0.0);
    for _ in 0..MAX_STEPS {
        let x = bracket.at;
        let A = fixed + slope * x;
        let before_pole = (determinant(&A) > 0.0) == (range == Range::First) || x == 0.0;
        let solved = solve_dense(A, -q).filter(|_| before_pole);
        let Some(r) = solved else {
            // singular at 0, or past the pole
            let moved = if x == 0.0 { bracket.beyond(start, None) } else { bracket.short(None) };
            if moved { continue } else { break }
        };
        // in the second range the system gives r/β
        let scale = if range == Range::First { 1.0 } else { x };
        let (r_N, r_T) = (mu * r[0], tangent_norm(&r));
        if r_N < -r_T {
            // within −K: the root is there too
            return false;
        }
        if r[0] > 0.0 {
            best.offer(&(r * scale));
        }
        if (r_N - r_T).abs() <= ON_CONE * r_T {
            break;
        }
        // Newton on 1/(μ r_N) − 1/|r_T|: smooth past the pole, linear for spheres
        let newton = solve_dense(A, -(slope * r)).filter(|_| r_N > 0.0).map(|r_slope| {
            let along: f64 = (1..D).map(|k| r[k] * r_slope[k]).sum();
            let value = 1.0 / r_N - 1.0 / r_T;
            x - value / (along / (r_T * r_T * r_T) - mu * r_slope[0] / (r_N * r_N))
        });
        let moved = if r_T > r_N { bracket.beyond(start, newton) } else { bracket.short(newton) };
        if !moved {
            break;
        }
    }
    best.r[0] > 0.0
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
