//! Standard augmented Lagrangian (Alart–Curnier) as a fixed point: one projection for the normal, one for the
//! tangent.
//!
//! ```text
//! r_N ← [r_N − ρ_N u_N]₊                                   Abide 2021, remark 2: SAL
//! r_T ← projection of r_T − ρ_T u_T on the disk |r_T| ≤ μ r_N
//! ```
//!
//! Notation: p = r, ρ is the papers' r. A given `rho` serves both parts; the default takes ρ_N = 1/W_NN and
//! ρ_T = 1/‖W_TT‖, so that an uncoupled isotropic block (spheres) needs two steps and no tuning.
//!
//! Choose it for: reproducing the paper, cheap inexact visits. Fails where: the block is ill-conditioned or
//! couples normal and tangent strongly; convergence is linear at best, and a large given ρ makes it cycle.

use super::{Iteration, OneContact, Prepared, Settings, mu_or_nan};
use crate::block::{Matrix, Vector, tangent_norm};
use crate::laws::Law;

/// Fixed point of the augmented Lagrangian.
pub(super) struct Sal<'a>(pub &'a Settings);

impl Iteration for Sal<'_> {
    fn step<const D: usize>(&self, contact: &OneContact<D>, r: &Vector<D>) -> Option<Vector<D>> {
        let y = augmented(r, &contact.velocity(r), self.0.penalties(contact.W));
        Some(project_apart(y, contact.mu))
    }
}

/// The augmented impulse r − ρ u, normal and tangent with their own ρ.
#[inline(always)]
pub(super) fn augmented<const D: usize>(
    r: &Vector<D>,
    u: &Vector<D>,
    (rho_N, rho_T): (f64, f64),
) -> Vector<D> {
    let mut y = r - u * rho_T;
    y[0] = r[0] - rho_N * u[0];
    y
}

/// The normal part projected on R₊, then the tangential part on the disk that it allows.
#[inline(always)]
pub(super) fn project_apart<const D: usize>(mut y: Vector<D>, mu: f64) -> Vector<D> {
    let y_N = y[0].max(0.0);
    let bound = mu * y_N;
    if D == 2 {
        y[1] = y[1].max(-bound).min(bound);
    } else {
        let y_T = tangent_norm(&y);
        if y_T > bound {
            y *= bound / y_T;
        }
    }
    y[0] = y_N;
    y
}

/// One contact with its ρ, for a sweep that takes one step a visit.
#[derive(Clone, Copy)]
pub(crate) struct ProjectedStep {
    /// Not a number under other laws than Coulomb's, which are left to others.
    pub mu: f64,
    /// ρ_N and ρ_T.
    pub rho: (f64, f64),
}

impl ProjectedStep {
    pub fn of<const D: usize>(settings: &Settings, W: &Matrix<D>, law: &Law) -> Self {
        ProjectedStep { mu: mu_or_nan(law), rho: settings.penalties(W) }
    }
}

impl<const D: usize> Prepared<D> for ProjectedStep {
    #[inline(always)]
    fn solve(&self, u: &Vector<D>, r: &Vector<D>) -> Option<Vector<D>> {
        (!self.mu.is_nan()).then(|| project_apart(augmented(r, u, self.rho), self.mu))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{LocalSolver, Name};
    use super::*;
    use crate::block::Matrix;

    #[test]
    fn a_prepared_contact_takes_the_same_step() {
        let settings = Settings { rho: Some(0.3), ..Settings::default() };
        let W = Matrix::<3>::new(2.0, 0.3, -0.2, 0.3, 3.0, 0.4, -0.2, 0.4, 1.5);
        for q in [[-1.0, 0.2, 0.1], [-1.0, 5.0, -4.0], [9.0, 1.0, 1.0]] {
            let contact = OneContact { W: &W, q: q.into(), mu: 0.4 };
            let r = Vector::<3>::new(0.6, -0.1, 0.05);
            let prepared = ProjectedStep::of(&settings, &W, &Law::coulomb(0.4));
            let next = prepared.solve(&contact.velocity(&r), &r);
            assert_eq!(next, Sal(&settings).step(&contact, &r));
        }
        let left = ProjectedStep::of(&settings, &W, &Law::convex(0.4));
        assert!(left.solve(&Vector::<3>::zeros(), &Vector::zeros()).is_none(), "another law");
    }

    #[test]
    fn projects_each_part() {
        let inside = Vector::<3>::new(2.0, 0.3, -0.4);
        assert_eq!(project_apart(inside, 0.5), inside);
        let slip = project_apart(Vector::<3>::new(1.0, 3.0, -4.0), 0.5);
        assert!((slip - Vector::<3>::new(1.0, 0.3, -0.4)).norm() < 1e-15);
        assert_eq!(project_apart(Vector::<3>::new(-1.0, 3.0, 4.0), 0.5).norm(), 0.0);
    }

    #[test]
    fn spheres_take_two_steps() {
        let W = Matrix::<3>::from_diagonal(&Vector::<3>::new(1.0, 3.5, 3.5));
        let contact = OneContact { W: &W, q: Vector::<3>::new(-1.0, 3.0, 4.0), mu: 0.3 };
        let settings = Settings { solver: Name::Sal, max_iterations: 2, ..Default::default() };
        assert!(settings.solve(&contact, &Vector::zeros()).converged);
    }
}
