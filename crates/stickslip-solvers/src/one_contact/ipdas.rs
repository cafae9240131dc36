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
use crate::block::{Matrix, Vector, solve_dense};

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

#[cfg(test)]
mod tests {
    use super::*;

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
