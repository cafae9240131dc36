//! One contact under the convex relaxation of Coulomb's law: associated friction, exact.
//!
//! ```text
//! ½ rᵀWr + qᵀr → min over K = {|r_T| ≤ μ r_N}                   Bloch 2023 (32), one contact
//! ```
//!
//! Open where q lies in the dual cone, stick where −W⁻¹q lies in the cone. Otherwise r lies on the cone's side, along
//! some g = (1, μ d) with |d| = 1, and as much of it as stops g·u:
//!
//! ```text
//! r = −(a/k) g,   a = g·q < 0,   k = g·Wg;       energy −a²/2k
//! f = k d⊥·q − a d⊥·Wg = 0,   d·u ≤ 0            d⊥·u = f/k
//! ```
//!
//! In the plane that is the better of two rays. In space d turns by Newton's method, f' = μ (d⊥·Wg)(d⊥·q) − k d·q
//! − a (μ d⊥·Wd⊥ − d·Wg), which is positive at the solution; one division a step. For spheres the first d is exact.
//! Every d that it settles on solves the contact, for the minimum is one and its conditions suffice.
//!
//! Where that fails (blocks singular or nearly so) a careful search takes over. There u = −α J r with
//! J = diag(−μ², 1, 1), and in a basis v_k that diagonalises W and J together, j_0 < 0 < j_1 ≤ j_2 the values of J
//! and c_k = q·v_k,
//!
//! ```text
//! (W + αJ) r = −q,   rᵀJr = Σ j_k c_k²/(1 + α j_k)² = 0
//! ```
//!
//! The sum falls strictly from α = 0 to the pole at α_c = −1/j_0, and as a function of β = 1/α it falls strictly from
//! β = 0 to the pole: one root at most in each range. r is in K, not in −K, in the first range when c_0 < 0
//! and in the second when c_0 > 0. The sign of det(W + αJ) tells the ranges apart, so no eigenvalue is needed.
//! W + αJ eliminated with the normal last is stable for every α, its tangential block being positive definite.
//!
//! Fails where: W is singular and the energy has no minimum; then a finite impulse is returned that is none.

use super::direction::{Flow, unit_tangent};
use super::enumeration::along_normal;
use super::is_finite;
use super::search::{Best, Bracket, MAX_STEPS, NEAR_CONE, Nearest};
use crate::block::{Matrix, Vector, solve_dense, tangent_norm};
use crate::laws::Law;

/// Lift of the diagonal, relative to the trace, where W is singular to rounding.
const LIFT: f64 = 1e-13;
/// det W over the product of its diagonal below which Cramer's rule loses more than two digits.
const REGULAR: f64 = 1e-2;
/// Newton steps on d before the careful search; smooth blocks need two to five.
const TURNS: usize = 16;
/// |d⊥·u| against the velocities of the contact at which d stays: the rounding of its few operations.
const ALIGNED: f64 = 4e-15;

/// The impulse under associated friction.
#[inline(always)]
pub fn solve_convex<const D: usize>(W: &Matrix<D>, q: &Vector<D>, mu: f64) -> Vector<D> {
    if D == 1 || mu == 0.0 {
        return along_normal((-q[0] / W[(0, 0)]).max(0.0));
    }
    // open
    let q_T = tangent_norm(q);
    if q[0] >= mu * q_T {
        return Vector::zeros();
    }
    match D {
        2 => solve_plane(W, q, mu),
        _ => solve_space(W, q, mu, q_T),
    }
}

/// Stick, or the ray of less energy: its a²/k is the larger one.
#[inline(always)]
fn solve_plane<const D: usize>(W: &Matrix<D>, q: &Vector<D>, mu: f64) -> Vector<D> {
    let (W_NN, W_NT, W_TN, W_TT) = (W[(0, 0)], W[(0, 1)], W[(1, 0)], W[(1, 1)]);
    let det = W_NN * W_TT - W_NT * W_TN;
    if det <= REGULAR * W_NN * W_TT {
        return search(W, q, mu);
    }
    let mut r = Vector::zeros();
    // the sticking impulse times det
    (r[0], r[1]) = (W_NT * q[1] - W_TT * q[0], W_TN * q[0] - W_NN * q[1]);
    if r[1].abs() <= mu * r[0] {
        return r / det;
    }
    let (even, odd) = (W_NN + mu * mu * W_TT, mu * (W_NT + W_TN));
    let (a, k) = ([q[0] + mu * q[1], q[0] - mu * q[1]], [even + odd, even - odd]);
    let pull = [a[0].min(0.0), a[1].min(0.0)];
    let first = pull[0] * pull[0] * k[1] >= pull[1] * pull[1] * k[0];
    let (a, k, side) = if first { (a[0], k[0], mu) } else { (a[1], k[1], -mu) };
    r[0] = -a / k;
    r[1] = side * r[0];
    r
}

/// Stick, or the direction of slip by Newton's method.
#[inline(always)]
fn solve_space<const D: usize>(W: &Matrix<D>, q: &Vector<D>, mu: f64, q_T: f64) -> Vector<D> {
    if let Some(r) = stick_in_space(W, q, mu) {
        return r;
    }
    let weight = W[(0, 0)] + W[(1, 1)] + W[(2, 2)];
    // against the tangential velocity that is left when the normal one is stopped
    let mut d = [W[(1, 0)] * q[0] - W[(0, 0)] * q[1], W[(2, 0)] * q[0] - W[(0, 0)] * q[2]];
    let scale = 1.0 / (d[0] * d[0] + d[1] * d[1]).sqrt();
    d = [d[0] * scale, d[1] * scale];
    for _ in 0..TURNS {
        // W g and W d⊥, with d⊥ = (−d_2, d_1)
        let g = [mu * d[0], mu * d[1]];
        let Wg = [
            W[(0, 0)] + W[(0, 1)] * g[0] + W[(0, 2)] * g[1],
            W[(1, 0)] + W[(1, 1)] * g[0] + W[(1, 2)] * g[1],
            W[(2, 0)] + W[(2, 1)] * g[0] + W[(2, 2)] * g[1],
        ];
        let a = q[0] + g[0] * q[1] + g[1] * q[2];
        let k = Wg[0] + g[0] * Wg[1] + g[1] * Wg[2];
        let (along_q, across_q) = (d[0] * q[1] + d[1] * q[2], d[0] * q[2] - d[1] * q[1]);
        let (along_Wg, across_Wg) = (d[0] * Wg[1] + d[1] * Wg[2], d[0] * Wg[2] - d[1] * Wg[1]);
        let f = k * across_q - a * across_Wg;
        if f.abs() <= ALIGNED * (k * (q_T + q[0].abs()) - a * weight) {
            // d·u ≤ 0 tells the minimum from other stationary rays
            if a < 0.0 && k > 0.0 && k * along_q <= a * along_Wg {
                let mut r = Vector::zeros();
                r[0] = -a / k;
                (r[1], r[2]) = (g[0] * r[0], g[1] * r[0]);
                return r;
            }
            break;
        }
        let across_W = d[1] * (d[1] * W[(1, 1)] - d[0] * (W[(1, 2)] + W[(2, 1)])) + d[0] * d[0] * W[(2, 2)];
        let slope = mu * across_Wg * across_q - k * along_q - a * (mu * across_W - along_Wg);
        // a turn by 2 atan h, h = −f/2f', towards less energy and by half a radian or so at most
        let slope = slope.abs().max(f.abs());
        let (rise, run) = (-f, 2.0 * slope);
        let inverse = 1.0 / (run * run + rise * rise);
        let (cosine, sine) = ((run * run - rise * rise) * inverse, 2.0 * run * rise * inverse);
        d = [d[0] * cosine - d[1] * sine, d[1] * cosine + d[0] * sine];
    }
    search(W, q, mu)
}

/// The sticking impulse if it lies in the cone: by Cramer's rule where that keeps the digits.
#[inline(always)]
fn stick_in_space<const D: usize>(W: &Matrix<D>, q: &Vector<D>, mu: f64) -> Option<Vector<D>> {
    let cross = |i: usize, j: usize| {
        [
            W[(i, 1)] * W[(j, 2)] - W[(i, 2)] * W[(j, 1)],
            W[(i, 2)] * W[(j, 0)] - W[(i, 0)] * W[(j, 2)],
            W[(i, 0)] * W[(j, 1)] - W[(i, 1)] * W[(j, 0)],
        ]
    };
    let C = [cross(1, 2), cross(2, 0), cross(0, 1)];
    let det = W[(0, 0)] * C[0][0] + W[(0, 1)] * C[0][1] + W[(0, 2)] * C[0][2];
    if det <= REGULAR * W[(0, 0)] * W[(1, 1)] * W[(2, 2)] {
        return stick_carefully(W, q, mu);
    }
    let mut r = Vector::zeros();
    for k in 0..3 {
        // times det
        r[k] = -(C[0][k] * q[0] + C[1][k] * q[1] + C[2][k] * q[2]);
    }
    (r[0] >= 0.0 && r[1] * r[1] + r[2] * r[2] <= mu * mu * r[0] * r[0]).then(|| r / det)
}

#[cold]
#[inline(never)]
fn stick_carefully<const D: usize>(W: &Matrix<D>, q: &Vector<D>, mu: f64) -> Option<Vector<D>> {
    solve_dense(*W, -q).filter(|r| tangent_norm(r) <= mu * r[0])
}

/// Stick or slip where the short way failed.
#[cold]
#[inline(never)]
fn search<const D: usize>(W: &Matrix<D>, q: &Vector<D>, mu: f64) -> Vector<D> {
    let stick = solve_dense(*W, -q);
    if let Some(r) = stick
        && tangent_norm(&r) <= mu * r[0]
    {
        return r;
    }
    let mut best = Best::new(W, q, Law::convex(mu));
    slide(mu, stick, &mut best);
    if !best.is_settled() {
        // W singular to rounding: lifted by a little more it has one solution, close to one of ours if any exists
        let lifted = W + Matrix::identity() * (LIFT * W.trace());
        let stick = solve_dense(lifted, -q);
        let mut best_lifted = Best::new(&lifted, q, Law::convex(mu));
        match stick {
            Some(r) if tangent_norm(&r) <= mu * r[0] => best_lifted.offer(&r),
            _ => slide(mu, stick, &mut best_lifted),
        }
        best.offer(&best_lifted.r);
    }
    best.r
}

/// Offers the impulse on the cone's side.
fn slide<const D: usize>(mu: f64, stick: Option<Vector<D>>, best: &mut Best<D>) {
    if D == 2 {
        for side in [mu, -mu] {
            let mut tangent = Vector::zeros();
            tangent[1] = side;
            best.offer(&convex_ray(best.W, best.q, &tangent));
        }
        return;
    }
    // −W⁻¹q in −K has no root in the first range
    let in_first = stick.is_none_or(|r| tangent_norm(&r) > -mu * r[0]);
    if !(in_first && convex_side(mu, Range::First, best)) {
        convex_side(mu, Range::Second, best);
    }
    if !best.is_settled()
        && let Some(d) = unit_tangent(&-best.q)
    {
        // the root lies on the pole itself, as when q_N = 0 and the block is diagonal: no α reaches it
        let ray = convex_ray(best.W, best.q, &(d * mu));
        best.refine(mu, &ray, Flow::Associated);
    }
}

/// The impulse along the ray g = (1, tangent) of the cone's side that stops g·u.
fn convex_ray<const D: usize>(W: &Matrix<D>, q: &Vector<D>, tangent: &Vector<D>) -> Vector<D> {
    let mut g = *tangent;
    g[0] = 1.0;
    g * (-g.dot(q) / g.dot(&(W * g))).max(0.0)
}

/// Where the root on the cone's side lies: α in (0, α_c), or β = 1/α in (0, 1/α_c).
#[derive(Clone, Copy, PartialEq)]
enum Range {
    First,
    Second,
}

/// Searches the root in one range and offers what it finds; whether the range holds the solution.
fn convex_side<const D: usize>(mu: f64, range: Range, best: &mut Best<D>) -> bool {
    let (W, q) = (best.W, best.q);
    let mut nearest = Nearest::default();
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
        let (pivot, r) = solve_normal_last(A, -q);
        if !is_finite(&r) || (pivot > 0.0) != (range == Range::First) {
            // singular at 0, or past the pole
            let moved = if x == 0.0 { bracket.beyond(start, None) } else { bracket.short(None) };
            if moved { continue } else { break }
        }
        // in the second range the system gives r/β
        let scale = if range == Range::First { 1.0 } else { x };
        let (r_N, r_T) = (mu * r[0], tangent_norm(&r));
        if r_N < -r_T {
            // within −K: the root is there too
            return false;
        }
        if r[0] > 0.0 {
            nearest.keep((r_N - r_T) / r_T, &(r * scale));
        }
        if (r_N - r_T).abs() <= NEAR_CONE * r_T {
            break;
        }
        // Newton on 1/(μ r_N) − 1/|r_T|: smooth past the pole, linear for spheres
        let newton = (r_N > 0.0).then(|| {
            let (_, r_slope) = solve_normal_last(A, -(slope * r));
            let along: f64 = (1..D).map(|k| r[k] * r_slope[k]).sum();
            let value = 1.0 / r_N - 1.0 / r_T;
            x - value / (along / (r_T * r_T * r_T) - mu * r_slope[0] / (r_N * r_N))
        });
        let moved = if r_T > r_N { bracket.beyond(start, newton) } else { bracket.short(newton) };
        if !moved {
            break;
        }
    }
    best.offer(&nearest.r);
    best.refine(mu, &nearest.r, Flow::Associated);
    best.is_settled()
}

/// `A r = b` for a positive definite tangential block, and the pivot left to the normal, whose sign is that of det A.
fn solve_normal_last<const D: usize>(mut A: Matrix<D>, mut b: Vector<D>) -> (f64, Vector<D>) {
    for k in 1..D {
        for i in (k + 1..D).chain([0]) {
            let factor = A[(i, k)] / A[(k, k)];
            for j in (k + 1..D).chain([0]) {
                A[(i, j)] -= factor * A[(k, j)];
            }
            b[i] -= factor * b[k];
        }
    }
    b[0] /= A[(0, 0)];
    for k in (1..D).rev() {
        for j in (k + 1..D).chain([0]) {
            b[k] -= A[(k, j)] * b[j];
        }
        b[k] /= A[(k, k)];
    }
    (A[(0, 0)], b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sweeps over a packing stood still on a contact of this kind: free fall stopped along the normal, sliding left.
    #[test]
    fn sliding_without_approach_loads_the_contact() {
        let W = Matrix::<3>::from_diagonal(&Vector::<3>::new(1.585, 5.549, 5.549));
        for q_N in [0.0, 1e-18, -1e-18, 1e-9, -1e-9] {
            let q = Vector::<3>::new(q_N, -0.00981, 0.0);
            let r = solve_convex(&W, &q, 0.5);
            let map = Law::convex(0.5).natural_map(&r, &(W * r + q)).norm();
            assert!(map <= 1e-14 && r[0] > 1e-3, "q_N = {q_N}: r = {r:?}, natural map {map:e}");
        }
    }
}
