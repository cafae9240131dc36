//! "Iterative" primal-dual active set: [`super::epdas`] with a stick step that does not divide by r_N.
//!
//! ```text
//! open, slip   as EPDAS                                        Abide 2021 (5.5), (5.7)
//! stick        W_TT (r_T⁺ − r_T) = −u_T                         (5.8), with the block W_TT
//! contact      u_N⁺ = 0                                         (5.6)
//! ```
//!
//! Where the block couples normal and tangent, stick alternates between u_T = 0 for the old r_N and u_N = 0 for the
//! new r_T, a block Gauss–Seidel iteration.
//!
//! Notation: p = r. Choose it for: reproducing the paper; it is steadier than EPDAS when r_N is small. Fails where:
//! strong coupling makes stick slow, and where the statuses cycle, as for EPDAS.

use super::epdas::active_set_step;
use super::{Iteration, OneContact, Settings};
use crate::block::{Matrix, Vector, select, solve_dense};

/// The iterative primal-dual active set.
pub(super) struct Ipdas<'a>(pub &'a Settings);

impl Iteration for Ipdas<'_> {
    fn step<const D: usize>(&self, contact: &OneContact<D>, r: &Vector<D>) -> Option<Vector<D>> {
        active_set_step(self.0, contact, r, stick)
    }
}

/// (5.8) for r_T⁺ and (5.6) for r_N⁺: one system, triangular by blocks.
fn stick<const D: usize>(contact: &OneContact<D>, r: &Vector<D>) -> Option<Vector<D>> {
    let &OneContact { W, q, .. } = contact;
    let u = contact.velocity(r);
    if D == 2 {
        let mut next = Vector::zeros();
        next[1] = r[1] - u[1] / W[(1, 1)];
        next[0] = -(q[0] + W[(0, 1)] * next[1]) / W[(0, 0)];
        return Some(next);
    }
    let mut A: Matrix<D> = *W;
    // rows of the tangent: W_TT r_T⁺ = W_TT r_T − u_T = −q_T − W_TN r_N
    let mut b = -q;
    for k in 1..D {
        A[(k, 0)] = 0.0;
        b[k] = -u[k] + (1..D).map(|j| W[(k, j)] * r[j]).sum::<f64>();
    }
    solve_dense(A, b)
}

fn inverse_or_zero(x: f64) -> f64 {
    if x > 0.0 { 1.0 / x } else { 0.0 }
}

/// One contact in the plane with all divisions of a step done beforehand: a sweep that takes one step a visit, as Abide 2021
/// does, comes back to the same block a thousand times.
///
/// ```text
/// dr_T = −u_T/W_TT where it sticks, ±μ r_N − r_T where it slips
/// dr_N = −(u_N + W_NT dr_T)/W_NN                                   u_N⁺ = 0
/// ```
#[derive(Clone, Copy)]
pub(crate) struct PlaneStep {
    gamma: [f64; 2],
    /// 1/W_NN and 1/W_TT; 0 where an impulse moves nothing, which keeps it as it is.
    inverse: [f64; 2],
    W_NT: f64,
}

impl PlaneStep {
    pub fn of<const D: usize>(settings: &Settings, W: &Matrix<D>) -> Self {
        assert_eq!(D, 2, "a contact in the plane has one tangent");
        let (gamma_n, gamma_t) = settings.gammas(W);
        PlaneStep {
            gamma: [gamma_n, gamma_t],
            inverse: [inverse_or_zero(W[(0, 0)]), inverse_or_zero(W[(1, 1)])],
            W_NT: W[(0, 1)],
        }
    }

    /// The step from r, where the contact has the velocity u.
    #[inline(always)]
    pub fn step<const D: usize>(&self, mu: f64, r: &Vector<D>, u: &Vector<D>) -> Vector<D> {
        let opens = r[0] - self.gamma[0] * u[0] < 0.0;
        let y = r[1] - self.gamma[1] * u[1];
        let bound = mu * r[0];
        let dr_T = select(y.abs() < bound, -u[1] * self.inverse[1], bound.copysign(y) - r[1]);
        let dr_N = -(u[0] + self.W_NT * dr_T) * self.inverse[0];
        let mut next = *r;
        (next[0], next[1]) = (select(opens, 0.0, r[0] + dr_N), select(opens, 0.0, r[1] + dr_T));
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisions_done_beforehand_change_nothing_but_rounding() {
        let mut random = 1u64;
        let mut uniform = || {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let settings = Settings::default();
        let mut states = [0; 3];
        for _ in 0..1000 {
            let a = [uniform(), uniform(), uniform()];
            let W = Matrix::<2>::new(1.0 + a[0] * a[0], a[1], a[1], 1.0 + a[2] * a[2]);
            let r = Vector::<2>::new(uniform().abs(), uniform());
            let contact = OneContact { W: &W, q: Vector::<2>::new(uniform(), uniform()), mu: 0.5 };
            let wanted = Ipdas(&settings).step(&contact, &r).unwrap();
            let next = PlaneStep::of(&settings, &W).step(contact.mu, &r, &contact.velocity(&r));
            assert!((next - wanted).norm() < 1e-14, "{next} {wanted}");
            let open = next == Vector::<2>::zeros();
            let slips = (next[1].abs() - contact.mu * r[0]).abs() < 1e-14;
            states[if open { 0 } else { 1 + usize::from(slips) }] += 1;
        }
        assert!(states.iter().all(|&count| count > 50), "{states:?}");
    }

    #[test]
    fn stick_in_the_plane_obeys_its_equations() {
        let W = Matrix::<2>::new(2.0, 0.3, 0.1, 3.0);
        let contact = OneContact { W: &W, q: Vector::<2>::new(-1.0, 0.2), mu: 0.4 };
        let r = Vector::<2>::new(0.6, -0.1);
        let next = stick(&contact, &r).unwrap();
        assert!(contact.velocity(&next)[0].abs() < 1e-15);
        assert!((W[(1, 1)] * (next[1] - r[1]) + contact.velocity(&r)[1]).abs() < 1e-15);
    }

    #[test]
    fn stick_obeys_its_equations() {
        let W = Matrix::<3>::new(2.0, 0.3, -0.2, 0.1, 3.0, 0.4, -0.5, 0.4, 1.5);
        let contact = OneContact { W: &W, q: Vector::<3>::new(-1.0, 0.2, 0.1), mu: 0.4 };
        let r = Vector::<3>::new(0.6, -0.1, 0.05);
        let next = stick(&contact, &r).unwrap();
        let (u, change) = (contact.velocity(&r), next - r);
        assert!(contact.velocity(&next)[0].abs() < 1e-15);
        for k in 1..3 {
            assert!((W[(k, 1)] * change[1] + W[(k, 2)] * change[2] + u[k]).abs() < 1e-15);
        }
    }
}
