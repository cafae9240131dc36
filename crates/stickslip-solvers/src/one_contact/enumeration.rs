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
//! bracket guards the general case. What that does not settle to rounding (nearly singular blocks) goes to a search
//! with pivoted elimination, and [`super::direction`] restores the digits that α cannot resolve. Only a block so
//! singular that the law has no solution is left with a finite impulse that is none.
//!
//! Choose it always, unless a paper's own method is to be shown. Fails on: nothing positive definite.

use super::direction::Flow;
use super::search::{Best, Bracket, MAX_STEPS, NEAR_CONE, Nearest};
use super::{LocalSolver, OneContact, Prepared, Solved, solve_by_projection, solve_convex};
use crate::block::{Matrix, Vector, select, solve_dense, tangent_norm_squared};
use crate::laws::{Cohesive, ContactLaw, Law};

/// Open, stick or slip by root finding.
#[derive(Clone, Copy, Debug, Default)]
pub struct Enumeration;

impl LocalSolver for Enumeration {
    #[inline(always)]
    fn solve<const D: usize>(&self, contact: &OneContact<D>, _r: &Vector<D>) -> Solved<D> {
        Solved { r: solve_coulomb(contact.W, &contact.q, contact.mu), converged: true }
    }
}

/// The impulse of one contact under any law; r is where an iteration starts, if it takes one.
#[inline(always)]
pub fn solve<const D: usize>(W: &Matrix<D>, q: &Vector<D>, law: &Law, r: &Vector<D>) -> Vector<D> {
    match law {
        Law::Coulomb(law) if D <= 3 => solve_coulomb(W, q, law.mu),
        Law::Convex(law) if D <= 3 => solve_convex(W, q, law.mu),
        Law::Frictionless(_) => along_normal((-q[0] / W[(0, 0)]).max(0.0)),
        Law::Bilateral(law) => solve_locked(W, q, law.rows as usize),
        Law::Motor(law) => law.project(along_normal(-q[0] / W[(0, 0)])),
        Law::Cohesive(law) if D <= 3 && (law.dilatancy == 0.0 || law.dilatancy == law.mu) => {
            solve_cohesive(W, q, law)
        }
        law => solve_by_projection(W, q, law, r),
    }
}

/// Stick where that is inside the cone, without the rounding of c; otherwise, with `r + c n` for r, the cone stands at the
/// origin.
#[inline(never)]
fn solve_cohesive<const D: usize>(W: &Matrix<D>, q: &Vector<D>, law: &Cohesive) -> Vector<D> {
    if let Some(stick) = solve_dense(*W, -q)
        && stick[0] >= -law.cohesion
        && tangent_norm_squared(&stick).sqrt() <= law.mu * (stick[0] + law.cohesion)
    {
        return stick;
    }
    let moved = q - W.column(0) * law.cohesion;
    let mut r =
        if law.dilatancy == 0.0 { solve_coulomb(W, &moved, law.mu) } else { solve_convex(W, &moved, law.mu) };
    r[0] -= law.cohesion;
    r
}

pub(super) fn along_normal<const D: usize>(r_N: f64) -> Vector<D> {
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
    slip_in_plane(W, q, mu, -b).unwrap_or_else(|| settle(W, q, mu, 0.0))
}

/// A contact that does not stick, slips to the side of `way`, or opens; `None` where the block couples normal and tangent so
/// strongly that friction wedges it.
#[inline(always)]
fn slip_in_plane<const D: usize>(W: &Matrix<D>, q: &Vector<D>, mu: f64, way: f64) -> Option<Vector<D>> {
    let mut r = Vector::zeros();
    if q[0] >= 0.0 {
        return Some(r);
    }
    let side = mu.copysign(way);
    let below = W[(0, 0)] + W[(0, 1)] * side;
    (below > 0.0).then(|| {
        r[0] = -q[0] / below;
        r[1] = side * r[0];
        r
    })
}

/// Blocks with a larger condition number are left to elimination with pivots.
const WELL_CONDITIONED: f64 = 1e8;

/// W⁻¹ where it has most of its digits.
pub(crate) fn well_conditioned_inverse<const D: usize>(W: &Matrix<D>) -> Option<Matrix<D>> {
    W.try_inverse().filter(|inverse| W.norm() * inverse.norm() <= WELL_CONDITIONED)
}

/// A contact in the plane under Coulomb's law with all divisions done beforehand, for sweeps that come back to it.
#[derive(Clone, Copy)]
pub(crate) struct PlaneContact {
    mu: f64,
    /// W⁻¹ by rows; not a number where the contact is left to [`solve`].
    inverse: [f64; 4],
    /// First row of W.
    W_N: [f64; 2],
    /// `1/(W_NN + μ W_NT)` and `1/(W_NN − μ W_NT)`: normal impulse by velocity in slip to either side.
    slip: [f64; 2],
}

impl PlaneContact {
    pub fn of<const D: usize>(W: &Matrix<D>, law: &Law) -> Self {
        assert_eq!(D, 2, "a contact in the plane has one tangent");
        let left = PlaneContact { mu: f64::NAN, inverse: [f64::NAN; 4], W_N: [0.0; 2], slip: [0.0; 2] };
        let Law::Coulomb(law) = law else { return left };
        let below = [1.0, -1.0].map(|side| W[(0, 0)] + side * law.mu * W[(0, 1)]);
        match well_conditioned_inverse(W) {
            Some(inverse) if below.iter().all(|&below| below > 0.0) => PlaneContact {
                mu: law.mu,
                inverse: [inverse[(0, 0)], inverse[(0, 1)], inverse[(1, 0)], inverse[(1, 1)]],
                W_N: [W[(0, 0)], W[(0, 1)]],
                slip: below.map(f64::recip),
            },
            _ => left,
        }
    }
}

impl<const D: usize> Prepared<D> for PlaneContact {
    #[inline(always)]
    fn solve(&self, u: &Vector<D>, r: &Vector<D>) -> Option<Vector<D>> {
        let [a, b, c, d] = self.inverse;
        let stick = [r[0] - (a * u[0] + b * u[1]), r[1] - (c * u[0] + d * u[1])];
        if stick[1].is_nan() {
            return None;
        }
        let u_N_open = u[0] - (self.W_N[0] * r[0] + self.W_N[1] * r[1]);
        let slip_N = (-u_N_open * self.slip[usize::from(stick[1] < 0.0)]).max(0.0);
        let slip = [slip_N, (self.mu * slip_N).copysign(stick[1])];
        let sticks = stick[1].abs() <= self.mu * stick[0];
        let mut solved = *r;
        (solved[0], solved[1]) = (select(sticks, stick[0], slip[0]), select(sticks, stick[1], slip[1]));
        Some(solved)
    }
}

/// Newton steps on ψ before the search with pivoted elimination; smooth blocks need two to six.
const SHORT_STEPS: usize = 20;
/// |ψ| at which the impulse is on the cone, to rounding of its few operations.
const ON_CONE: f64 = 1e-14;
/// det S over the product of its diagonal below which Cramer's rule loses more than two digits.
const REGULAR: f64 = 1e-2;

#[inline(always)]
fn solve_space<const D: usize>(W: &Matrix<D>, q: &Vector<D>, mu: f64) -> Vector<D> {
    let sliding = Sliding::of(W, q);
    let mut alpha = 0.0;
    let (mut low, mut high) = (0.0, f64::INFINITY);
    for step in 0..SHORT_STEPS {
        let Some(slipping) = sliding.at(alpha) else { break };
        if step == 0 && slipping.is_inside(mu) || slipping.is_on_cone(mu) {
            // stick, or slip
            return slipping.impulse();
        }
        let psi = slipping.psi(mu);
        if psi < 0.0 {
            low = alpha;
        } else {
            high = alpha;
        }
        let newton = alpha - slipping.newton(&sliding, mu, psi);
        let next = if newton > low && newton < high {
            newton
        } else if high < f64::INFINITY {
            0.5 * (low + high)
        } else {
            2.0 * alpha + sliding.S[0][0] + sliding.S[1][1]
        };
        if (next - alpha).abs() <= f64::EPSILON * alpha {
            break;
        }
        alpha = next;
    }
    settle(W, q, mu, alpha)
}

/// How far from the cone, relative to its radius, a slip may end that is only nearly solved.
const NEARLY: f64 = 1e-2;
/// Newton steps to it at most.
const NEARLY_STEPS: usize = 2;

/// The slip of a contact in space that is known not to stick, nearly solved from the α of an earlier visit, which is kept up;
/// `None` where that leads nowhere.
#[inline(always)]
pub(crate) fn slip_nearly<const D: usize>(
    W: &Matrix<D>,
    q: &Vector<D>,
    mu: f64,
    alpha: &mut f64,
) -> Option<Vector<D>> {
    let sliding = Sliding::of(W, q);
    let mut at = *alpha;
    for _ in 0..=NEARLY_STEPS {
        let slipping = sliding.at(at)?;
        let psi = slipping.psi(mu);
        if psi * psi <= NEARLY * NEARLY * slipping.squared {
            *alpha = at;
            return (slipping.r_N > 0.0).then(|| slipping.impulse());
        }
        at -= slipping.newton(&sliding, mu, psi);
        // what is not a number does not lie there either
        if !(0.0..f64::INFINITY).contains(&at) {
            return None;
        }
    }
    None
}

/// The tangential problem of a contact in space once u_N = 0 has given r_N: S and b.
struct Sliding {
    q_N: f64,
    W_NN_inverse: f64,
    W_NT: [f64; 2],
    S: [[f64; 2]; 2],
    b: [f64; 2],
}

impl Sliding {
    #[inline(always)]
    fn of<const D: usize>(W: &Matrix<D>, q: &Vector<D>) -> Self {
        let W_NN_inverse = 1.0 / W[(0, 0)];
        let W_NT = [W[(0, 1)], W[(0, 2)]];
        let f = [W[(1, 0)] * W_NN_inverse, W[(2, 0)] * W_NN_inverse];
        let S = [
            [W[(1, 1)] - f[0] * W_NT[0], W[(1, 2)] - f[0] * W_NT[1]],
            [W[(2, 1)] - f[1] * W_NT[0], W[(2, 2)] - f[1] * W_NT[1]],
        ];
        let b = [q[1] - f[0] * q[0], q[2] - f[1] * q[0]];
        Sliding { q_N: q[0], W_NN_inverse, W_NT, S, b }
    }

    /// `r_T = −(S + αI)⁻¹ b` by Cramer's rule; a nearly singular S needs back substitution to keep its digits.
    #[inline(always)]
    fn at(&self, alpha: f64) -> Option<Slipping> {
        let Sliding { q_N, W_NN_inverse, W_NT, S, b } = self;
        let (S_11, S_22) = (S[0][0] + alpha, S[1][1] + alpha);
        let diagonal = S_11 * S_22;
        let det = diagonal - S[0][1] * S[1][0];
        if det <= 0.0 {
            return None;
        }
        let inverse_det = 1.0 / det;
        let t_2 = (S[1][0] * b[0] - S_11 * b[1]) * inverse_det;
        let t_1 = if det > REGULAR * diagonal {
            (S[0][1] * b[1] - S_22 * b[0]) * inverse_det
        } else {
            -(b[0] + S[0][1] * t_2) / S_11
        };
        let t = [t_1, t_2];
        let r_N = -(q_N + W_NT[0] * t[0] + W_NT[1] * t[1]) * W_NN_inverse;
        Some(Slipping { t, r_N, squared: t[0] * t[0] + t[1] * t[1], diagonal: [S_11, S_22], inverse_det })
    }
}

/// r(α), and what its slope needs.
struct Slipping {
    t: [f64; 2],
    r_N: f64,
    /// |r_T|²
    squared: f64,
    /// Of S + αI.
    diagonal: [f64; 2],
    inverse_det: f64,
}

impl Slipping {
    #[inline(always)]
    fn impulse<const D: usize>(&self) -> Vector<D> {
        let mut r = Vector::zeros();
        r[0] = self.r_N;
        r[1] = self.t[0];
        r[2] = self.t[1];
        r
    }

    #[inline(always)]
    fn is_inside(&self, mu: f64) -> bool {
        self.r_N >= 0.0 && self.squared <= mu * mu * self.r_N * self.r_N
    }

    /// |ψ| ≤ ON_CONE without a square root.
    #[inline(always)]
    fn is_on_cone(&self, mu: f64) -> bool {
        let cone = mu * mu * self.r_N * self.r_N;
        self.r_N > 0.0 && (self.squared - cone).abs() <= 2.0 * ON_CONE * self.squared
    }

    /// ψ |r_T|
    #[inline(always)]
    fn psi(&self, mu: f64) -> f64 {
        mu * self.r_N - self.squared.sqrt()
    }

    /// ψ over its slope, the step back to its root.
    #[inline(always)]
    fn newton(&self, sliding: &Sliding, mu: f64, psi: f64) -> f64 {
        let Slipping { t, r_N, squared, diagonal: [S_11, S_22], inverse_det } = self;
        let Sliding { S, W_NT, W_NN_inverse, .. } = sliding;
        // d/dα: (S + αI) r_T' = −r_T
        let t_slope =
            [(S[0][1] * t[1] - S_22 * t[0]) * inverse_det, (S[1][0] * t[0] - S_11 * t[1]) * inverse_det];
        let r_N_slope = -(W_NT[0] * t_slope[0] + W_NT[1] * t_slope[1]) * W_NN_inverse;
        // slope of ψ = μ r_N/|r_T| − 1, times |r_T|³
        let slope = mu * (r_N_slope * squared - r_N * (t[0] * t_slope[0] + t[1] * t_slope[1]));
        psi * squared / slope
    }
}

/// The end of a search that could not put r on the cone to rounding: refine where it stopped, or search anew.
#[cold]
#[inline(never)]
fn settle<const D: usize>(W: &Matrix<D>, q: &Vector<D>, mu: f64, alpha: f64) -> Vector<D> {
    let mut best = Best::new(W, q, Law::coulomb(mu));
    if let Some(r) = solve_dense(shifted(W, alpha), -q) {
        best.offer(&r);
        best.refine(mu, &r, Flow::Coulomb);
    }
    if !best.is_settled() {
        search(mu, &mut best);
    }
    best.r
}

/// W + α I_T, the block whose sticking impulse is r(α).
fn shifted<const D: usize>(W: &Matrix<D>, alpha: f64) -> Matrix<D> {
    let mut A = *W;
    for k in 1..D {
        A[(k, k)] += alpha;
    }
    A
}

/// Stick or slip where the short way failed: r(α) by pivoted elimination, α in a bracket, then the direction.
fn search<const D: usize>(mu: f64, best: &mut Best<D>) {
    let (W, q) = (best.W, best.q);
    best.offer(&along_normal(-q[0] / W[(0, 0)]));
    let mut nearest = Nearest::default();
    let mut bracket = Bracket::from(0.0);
    // where W is singular, α at rounding level selects the smallest impulse
    let smallest = f64::EPSILON * W.trace().abs();
    for _ in 0..MAX_STEPS {
        let alpha = bracket.at;
        let A = shifted(W, alpha);
        let Some(r) = solve_dense(A, -q) else {
            bracket.beyond(smallest, None);
            continue;
        };
        best.offer(&r);
        let squared = tangent_norm_squared(&r);
        let norm = squared.sqrt();
        let psi = mu * r[0] - norm;
        nearest.keep(psi / norm, &r);
        if psi >= 0.0 && alpha <= smallest || psi.abs() <= NEAR_CONE * norm {
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
    best.refine(mu, &nearest.r, Flow::Coulomb);
}

/// u = 0 along the first rows. Their diagonal is lifted by rounding, so that rows that depend on one another share the
/// impulse; a sweep takes back what that costs at its next visit.
fn solve_locked<const D: usize>(W: &Matrix<D>, q: &Vector<D>, rows: usize) -> Vector<D> {
    let lift = D as f64 * f64::EPSILON * W.trace();
    let A = Matrix::from_fn(|i, j| {
        let locked = if i.max(j) < rows { W[(i, j)] } else { 0.0 };
        locked
            + if i != j {
                0.0
            } else if i < rows {
                lift
            } else {
                1.0
            }
    });
    let b = Vector::from_fn(|k, _| if k < rows { -q[k] } else { 0.0 });
    solve_dense(A, b).unwrap_or_else(Vector::zeros)
}

#[cfg(test)]
mod tests {
    use super::super::uniform;
    use super::*;

    #[test]
    fn divisions_done_beforehand_change_nothing_but_rounding() {
        let mut uniform = uniform(1);
        let (mut states, mut left) = ([0; 3], 0);
        for _ in 0..2000 {
            let a = [uniform(), uniform(), uniform()];
            let W = Matrix::<2>::new(1.1 + a[0], a[1], a[1], (1.1 + a[2]) + a[1] * a[1] / (1.1 + a[0]));
            let (r, q) =
                (Vector::<2>::new(uniform().abs(), uniform()), Vector::<2>::new(uniform(), uniform()));
            let mu = 0.5 + 0.5 * uniform();
            let Some(solved) = PlaneContact::of(&W, &Law::coulomb(mu)).solve(&(W * r + q), &r) else {
                left += 1;
                continue;
            };
            let wanted = solve_coulomb(&W, &q, mu);
            assert!((solved - wanted).norm() < 1e-12 * (1.0 + wanted.norm()), "{solved} {wanted}");
            let slips = (solved[1].abs() - mu * solved[0]).abs() < 1e-14;
            states[if solved[0] == 0.0 { 0 } else { 1 + usize::from(slips) }] += 1;
        }
        assert!(states.iter().all(|&count| count > 100) && left > 10, "{states:?} {left}");
    }

    #[test]
    fn what_the_plane_leaves_to_others() {
        let W = Matrix::<2>::new(1.0, 0.9, 0.9, 1.0);
        let left = |W: &Matrix<2>, law: Law| {
            PlaneContact::of(W, &law).solve(&Vector::<2>::new(-1.0, 0.2), &Vector::zeros()).is_none()
        };
        assert!(!left(&W, Law::coulomb(1.0)));
        assert!(left(&W, Law::coulomb(1.2)), "friction may wedge it");
        assert!(left(&W, Law::convex(0.5)), "another law");
        assert!(left(&Matrix::<2>::new(1.0, 1.0, 1.0, 1.0), Law::coulomb(0.5)), "no inverse");
    }
}
