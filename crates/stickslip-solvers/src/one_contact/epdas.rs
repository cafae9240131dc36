//! "Exact" primal-dual active set: semi-smooth Newton by the status of the contact.
//!
//! ```text
//! open    r_N − γ_n u_N < 0                    r⁺ = 0                                        Abide 2021 (5.1)
//! else    u_N⁺ = 0                                                                           (5.2)
//!   with  y = r_T − γ_τ u_T,  d = y/|y|
//!   slip  |y| ≥ μ r_N    plane  r_T⁺ = μ r_N d                                               (3.54), (5.3)
//!                        space  L* u_T⁺ − v r_N⁺ + r_T⁺ = r* − v r_N                         section 3.3
//!   stick |y| < μ r_N    u_T⁺ = u_T − u_T r_N⁺/r_N                                           (3.33), (5.4)
//! ```
//!
//! each joined with u⁺ = W r⁺ + q into one D×D system. Section 3.3 has M* = (r_T dᵀ − μ r_N I)/|y| and
//! L* = −γ_τ (I + M*)⁻¹ M*, r* = (I + M*)⁻¹ r_T, v = μ (I + M*)⁻¹ d. The slip equation is solved here multiplied by
//! I + M*, which need not be regular:
//!
//! ```text
//! −γ_τ M* u_T⁺ − μ d r_N⁺ + (I + M*) r_T⁺ = r_T − μ d r_N
//! ```
//!
//! Departures: stick uses the whole block where (3.39) drops W_TN δr_N and (3.43) takes W_ττ as diagonal.
//! Notation: p = r, the paper's r* is no impulse of ours. Choose it for: reproducing the paper; few steps, one per
//! visit suffices in a sweep. Fails where: r_N is small in stick (the ratio in (5.4)), and where the statuses
//! cycle: strong coupling of normal and tangent, large μ.

use super::{Iteration, OneContact, Prepared, Settings, inverse_or_zero, mu_or_nan};
use crate::block::{Matrix, Vector, select, solve_dense, tangent_norm};
use crate::laws::Law;

/// The exact primal-dual active set.
pub(super) struct Epdas<'a>(pub &'a Settings);

impl Iteration for Epdas<'_> {
    fn step<const D: usize>(&self, contact: &OneContact<D>, r: &Vector<D>) -> Option<Vector<D>> {
        active_set_step(self.0, contact, r, stick)
    }
}

/// One step by status; `stick` alone tells the variants apart.
#[inline(always)]
pub(super) fn active_set_step<const D: usize>(
    settings: &Settings,
    contact: &OneContact<D>,
    r: &Vector<D>,
    stick: impl Fn(&OneContact<D>, &Vector<D>) -> Option<Vector<D>>,
) -> Option<Vector<D>> {
    let (gamma_n, gamma_t) = settings.gammas(contact.W);
    let u = contact.velocity(r);
    if r[0] - gamma_n * u[0] < 0.0 {
        return Some(Vector::zeros());
    }
    let y = r - u * gamma_t;
    if tangent_norm(&y) < contact.mu * r[0] {
        stick(contact, r)
    } else if D < 3 {
        plane_slip(contact, r, &y)
    } else {
        let (A, b) = space_slip(contact, r, &y, gamma_t);
        solve_dense(A, b)
    }
}

/// (5.2), (5.4): W_N r⁺ = −q_N, W_T r⁺ + (u_T/r_N) r_N⁺ = u_T − q_T.
fn stick<const D: usize>(contact: &OneContact<D>, r: &Vector<D>) -> Option<Vector<D>> {
    let u = contact.velocity(r);
    let mut A = *contact.W;
    let mut b = u - contact.q;
    b[0] = -contact.q[0];
    for k in 1..D {
        A[(k, 0)] += u[k] / r[0];
    }
    solve_dense(A, b)
}

/// (5.2), (5.3): the tangential impulse from the last normal one, then u_N⁺ = 0.
fn plane_slip<const D: usize>(contact: &OneContact<D>, r: &Vector<D>, y: &Vector<D>) -> Option<Vector<D>> {
    let &OneContact { W, q, mu } = contact;
    let y_T = tangent_norm(y);
    let mut next = y * if y_T > 0.0 { mu * r[0] / y_T } else { 0.0 };
    next[0] = 0.0;
    next[0] = -(q[0] + (W * next)[0]) / W[(0, 0)];
    Some(next)
}

/// (5.2) and the slip equation of section 3.3, as a linear system for r⁺.
fn space_slip<const D: usize>(
    contact: &OneContact<D>,
    r: &Vector<D>,
    y: &Vector<D>,
    gamma_t: f64,
) -> (Matrix<D>, Vector<D>) {
    let &OneContact { W, q, mu } = contact;
    let y_T = tangent_norm(y);
    let mut d = if y_T > 0.0 { y / y_T } else { Vector::zeros() };
    d[0] = 0.0;
    let mut r_T = *r;
    r_T[0] = 0.0;
    // M* on the tangent, zero on the normal
    let mut M = Matrix::zeros();
    if y_T > 0.0 {
        M = (r_T * d.transpose() - Matrix::identity() * (mu * r[0])) / y_T;
        M[(0, 0)] = 0.0;
    }
    // −γ_τ M* (W r⁺ + q) − μ d r_N⁺ + (I + M*) r⁺ = r_T − μ d r_N
    let mut A = Matrix::identity() + M - M * W * gamma_t;
    let mut b = r_T - d * (mu * r[0]) + M * q * gamma_t;
    for k in 1..D {
        A[(k, 0)] -= mu * d[k];
    }
    A.set_row(0, &W.row(0));
    b[0] = -q[0];
    (A, b)
}

/// One contact in the plane with most divisions of a step done beforehand, by the stick of this method (`EXACT`) or of
/// [`super::ipdas`]: a sweep that takes one step a visit, as Abide 2021 does, comes back to the same block a thousand times.
///
/// ```text
/// dr_T = (c u_N − u_T)/(W_TT − c W_NT), c = (W_TN + u_T/r_N)/W_NN     where it sticks, (5.4)
///        −u_T/W_TT                                                     likewise, (5.8)
///        ±μ r_N − r_T                                                  where it slips
/// dr_N = −(u_N + W_NT dr_T)/W_NN                                       u_N⁺ = 0
/// ```
#[derive(Clone, Copy)]
pub(crate) struct PlaneStep<const EXACT: bool> {
    /// Not a number under other laws than Coulomb's, which are left to others.
    mu: f64,
    gamma: [f64; 2],
    /// 1/W_NN and 1/W_TT; 0 where an impulse moves nothing, which keeps it as it is.
    inverse: [f64; 2],
    W_NT: f64,
    W_TN: f64,
    W_TT: f64,
}

impl<const EXACT: bool> PlaneStep<EXACT> {
    pub fn of<const D: usize>(settings: &Settings, W: &Matrix<D>, law: &Law) -> Self {
        assert_eq!(D, 2, "a contact in the plane has one tangent");
        let (gamma_n, gamma_t) = settings.gammas(W);
        PlaneStep {
            mu: mu_or_nan(law),
            gamma: [gamma_n, gamma_t],
            inverse: [inverse_or_zero(W[(0, 0)]), inverse_or_zero(W[(1, 1)])],
            W_NT: W[(0, 1)],
            W_TN: W[(1, 0)],
            W_TT: W[(1, 1)],
        }
    }

    /// The change of r_T where the contact sticks.
    #[inline(always)]
    fn stick(&self, u_N: f64, u_T: f64, r_N: f64) -> f64 {
        if EXACT {
            let c = (self.W_TN + u_T / r_N) * self.inverse[0];
            (c * u_N - u_T) / (self.W_TT - c * self.W_NT)
        } else {
            -u_T * self.inverse[1]
        }
    }
}

impl<const D: usize, const EXACT: bool> Prepared<D> for PlaneStep<EXACT> {
    /// The step from r.
    #[inline(always)]
    fn solve(&self, u: &Vector<D>, r: &Vector<D>) -> Option<Vector<D>> {
        if self.mu.is_nan() {
            return None;
        }
        let opens = r[0] - self.gamma[0] * u[0] < 0.0;
        let y = r[1] - self.gamma[1] * u[1];
        let bound = self.mu * r[0];
        let dr_T = select(y.abs() < bound, self.stick(u[0], u[1], r[0]), bound * 1f64.copysign(y) - r[1]);
        let dr_N = -(u[0] + self.W_NT * dr_T) * self.inverse[0];
        let mut next = *r;
        (next[0], next[1]) = (select(opens, 0.0, r[0] + dr_N), select(opens, 0.0, r[1] + dr_T));
        Some(if EXACT && !next[0].is_finite() { *r } else { next })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ipdas, uniform};
    use super::*;

    fn agrees<const EXACT: bool>(off: f64, step: impl Fn(&OneContact<2>, &Vector<2>) -> Option<Vector<2>>) {
        let mut uniform = uniform(1);
        let settings = Settings::default();
        let mut states = [0; 3];
        for _ in 0..1000 {
            let a = [uniform(), uniform(), uniform()];
            let W = Matrix::<2>::new(1.0 + a[0] * a[0], a[1], a[1], 1.0 + a[2] * a[2]);
            let r = Vector::<2>::new(uniform() + 0.7, uniform());
            let contact = OneContact { W: &W, q: Vector::<2>::new(uniform(), uniform()), mu: 0.5 };
            let wanted = step(&contact, &r).unwrap();
            let prepared = PlaneStep::<EXACT>::of(&settings, &W, &Law::coulomb(contact.mu));
            let next = prepared.solve(&contact.velocity(&r), &r).unwrap();
            assert!((next - wanted).norm() < off * (1.0 + wanted.norm()), "{next} {wanted}");
            let open = next == Vector::<2>::zeros();
            let slips = (next[1].abs() - contact.mu * r[0]).abs() < 1e-14;
            states[if open { 0 } else { 1 + usize::from(slips) }] += 1;
        }
        assert!(states.iter().all(|&count| count > 50), "{states:?}");
        let left = PlaneStep::<EXACT>::of(&settings, &Matrix::<2>::identity(), &Law::convex(0.5));
        assert!(left.solve(&Vector::<2>::zeros(), &Vector::zeros()).is_none(), "another law");
    }

    #[test]
    fn divisions_done_beforehand_change_nothing_but_rounding() {
        let settings = Settings::default();
        agrees::<true>(1e-11, |contact, r| Epdas(&settings).step(contact, r));
        agrees::<false>(1e-14, |contact, r| ipdas::Ipdas(&settings).step(contact, r));
    }

    /// The complementary function of the slip case, |y| r_T − μ r_N y, with u_N on the normal.
    fn slip_function(contact: &OneContact<3>, r: &Vector<3>, gamma_t: f64) -> Vector<3> {
        let u = contact.velocity(r);
        let y = r - u * gamma_t;
        let mut c = r * tangent_norm(&y) - y * (contact.mu * r[0]);
        c[0] = u[0];
        c
    }

    #[test]
    fn space_slip_is_newton_on_its_function() {
        let W = Matrix::<3>::new(2.0, 0.3, -0.2, 0.1, 3.0, 0.4, -0.5, 0.4, 1.5);
        let contact = OneContact { W: &W, q: Vector::<3>::new(-1.0, 2.0, 1.0), mu: 0.4 };
        let (r, gamma_t) = (Vector::<3>::new(0.6, -0.3, 0.1), 0.4);
        let y = r - contact.velocity(&r) * gamma_t;
        let (A, b) = space_slip(&contact, &r, &y, gamma_t);
        let next = solve_dense(A, b).unwrap();
        let mut slope = Matrix::<3>::zeros();
        for j in 0..3 {
            let mut h = Vector::zeros();
            h[j] = 1e-6;
            let (up, down) =
                (slip_function(&contact, &(r + h), gamma_t), slip_function(&contact, &(r - h), gamma_t));
            slope.set_column(j, &((up - down) / 2e-6));
        }
        let newton = r - solve_dense(slope, slip_function(&contact, &r, gamma_t)).unwrap();
        assert!((next - newton).norm() < 1e-8, "{next} {newton}");
    }

    #[test]
    fn stick_obeys_its_equations() {
        let W = Matrix::<3>::new(2.0, 0.3, -0.2, 0.1, 3.0, 0.4, -0.5, 0.4, 1.5);
        let contact = OneContact { W: &W, q: Vector::<3>::new(-1.0, 0.2, 0.1), mu: 0.4 };
        let r = Vector::<3>::new(0.6, -0.1, 0.05);
        let next = stick(&contact, &r).unwrap();
        let (u, u_next) = (contact.velocity(&r), contact.velocity(&next));
        assert!(u_next[0].abs() < 1e-15);
        for k in 1..3 {
            assert!((u_next[k] - u[k] * (1.0 - next[0] / r[0])).abs() < 1e-15);
        }
    }
}
