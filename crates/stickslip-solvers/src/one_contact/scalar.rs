//! Explicit solution of a block that is isotropic and uncoupled: W = diag(W_NN, w I), as between spheres.
//!
//! ```text
//! r_N = [−q_N/W_NN]₊,   r_T = projection of −q_T/w on the disk |r_T| ≤ μ r_N      Renouf–Acary 2006, 4.5
//! ```
//!
//! w is the mean of the tangential diagonal. On any other block the same formulas give an approximation, and the
//! natural map says so: converged is true only where it confirms the impulse.
//!
//! Choose it for: spheres and disks, where nothing is faster. Fails on: every block with coupling or two
//! different tangential terms, unless the contact is open.

use super::sal::{ProjectedStep, project_apart};
use super::{LocalSolver, OneContact, Settings, Solved, inverse_or_one, is_finite, mean_tangent, mu_or_nan};
use crate::block::{Matrix, Vector};
use crate::laws::Law;
use crate::problem::ContactProblem;

/// The explicit solution.
pub(super) struct Scalar<'a>(pub &'a Settings);

impl LocalSolver for Scalar<'_> {
    fn solve<const D: usize>(&self, contact: &OneContact<D>, _r: &Vector<D>) -> Solved<D> {
        let mut sticking = contact.q * -inverse_or_one(mean_tangent(contact.W));
        sticking[0] = -contact.q[0] * inverse_or_one(contact.W[(0, 0)]);
        let r = project_apart(sticking, contact.mu);
        if !is_finite(&r) {
            return Solved { r: Vector::zeros(), converged: false };
        }
        Solved { r, converged: contact.residual(&r) <= self.0.tolerance }
    }
}

/// Coupling below this part of the diagonal is left to the next visit: where W_NN and w are positive, the impulse that a visit
/// does not change obeys the law whatever the block.
const COUPLING: f64 = 1e-5;

/// Whether every contact of a problem has such a block, without friction or with Coulomb's.
pub(crate) fn is_uncoupled<const D: usize>(problem: &ContactProblem<D>) -> bool {
    let is_isotropic = |W_ii: &Matrix<D>| {
        let (W_NN, w) = (W_ii[(0, 0)], mean_tangent(W_ii));
        let is_small = |x: f64, of: f64| x.abs() <= COUPLING * of;
        let mean = (W_NN * w).sqrt();
        let couples = |k: usize| !(is_small(W_ii[(0, k)], mean) && is_small(W_ii[(k, 0)], mean));
        let differs = |i: usize, j: usize| !is_small(W_ii[(i, j)] - if i == j { w } else { 0.0 }, w);
        let moves = W_NN > 0.0 && (D == 1 || w > 0.0);
        moves && (1..D).all(|i| !couples(i) && (1..D).all(|j| !differs(i, j)))
    };
    problem.laws.iter().enumerate().all(|(i, law)| {
        matches!(law, Law::Coulomb(_) | Law::Frictionless(_)) && is_isotropic(problem.W.diagonal(i))
    })
}

/// The explicit solution of such a contact: the step of [`super::sal`] with ρ = 1/W.
pub(crate) fn prepare_uncoupled<const D: usize>(W: &Matrix<D>, law: &Law) -> ProjectedStep {
    let mu = if let Law::Frictionless(_) = law { 0.0 } else { mu_or_nan(law) };
    ProjectedStep { mu, rho: (inverse_or_one(W[(0, 0)]), inverse_or_one(mean_tangent(W))) }
}

#[cfg(test)]
mod tests {
    use super::super::{Prepared, solve_coulomb, uniform};
    use super::*;
    use crate::delassus::Delassus;
    use crate::sparse::Sparse;

    fn agrees<const D: usize>() {
        let mut uniform = uniform(3);
        let mut states = [0; 3];
        for _ in 0..1000 {
            let (a, b, mu) = (2.0 + uniform(), 2.0 + uniform(), 0.6 + 0.5 * uniform());
            let W = Matrix::<D>::from_diagonal(&Vector::from_fn(|k, _| if k == 0 { a } else { b }));
            let mut vector =
                |normal: f64| Vector::<D>::from_fn(|k, _| uniform() + if k == 0 { normal } else { 0.0 });
            let (q, r) = (vector(-0.5), vector(1.0));
            let solved = prepare_uncoupled(&W, &Law::coulomb(mu)).solve(&(W * r + q), &r).unwrap();
            let wanted = solve_coulomb(&W, &q, mu);
            assert!((solved - wanted).norm() < 1e-14 * (1.0 + wanted.norm()), "{solved} {wanted}");
            let slips = D > 1 && crate::block::tangent_norm(&solved) > 0.999999 * mu * solved[0];
            states[if solved[0] == 0.0 { 0 } else { 1 + usize::from(slips) }] += 1;
        }
        assert!(states.iter().take(D + 1).all(|&count| count > 100), "{states:?}");
    }

    #[test]
    fn uncoupled_contacts_are_solved_exactly() {
        agrees::<1>();
        agrees::<2>();
        agrees::<3>();
    }

    #[test]
    fn coupled_blocks_and_other_laws_do_not_fit() {
        let fits = |entries: &[(u32, u32, f64)], law: Law| {
            let W = Delassus::<3>::stored(&Sparse::from_triplets(3, 3, entries)).unwrap();
            is_uncoupled(&ContactProblem::new(W, vec![Vector::zeros()], vec![law]).unwrap())
        };
        let round = [(0, 0, 1.0), (1, 1, 3.5), (2, 2, 3.5)];
        assert!(fits(&round, Law::coulomb(0.3)) && fits(&round, Law::frictionless()));
        assert!(!fits(&round, Law::convex(0.3)));
        let other = |entry: (u32, u32, f64)| {
            let mut entries: Vec<_> =
                round.into_iter().filter(|own| (own.0, own.1) != (entry.0, entry.1)).collect();
            entries.push(entry);
            fits(&entries, Law::coulomb(0.3))
        };
        assert!(other((2, 2, 3.50001)) && !other((2, 2, 3.5002)));
        assert!(other((0, 1, 1e-5)) && !other((0, 1, 1e-4)) && !other((1, 0, 1e-4)) && !other((1, 2, 1e-4)));
        let light = [(0, 0, 1.0), (1, 1, 1e-6), (2, 2, 1.5e-6)];
        assert!(!fits(&light, Law::coulomb(0.3)), "small beside W_NN, and different");
        assert!(!fits(&light[..1], Law::coulomb(0.3)), "held along the tangents");
    }

    #[test]
    fn spheres_are_explicit_and_others_are_refused() {
        let mut W = Matrix::<3>::from_diagonal(&Vector::<3>::new(1.0, 3.5, 3.5));
        let q = Vector::<3>::new(-2.0, 3.0, 4.0);
        let settings = Settings::default();
        let solved = Scalar(&settings).solve(&OneContact { W: &W, q, mu: 0.25 }, &Vector::zeros());
        assert!(solved.converged && (solved.r - Vector::<3>::new(2.0, -0.3, -0.4)).norm() < 1e-15);
        W[(0, 1)] = 0.1;
        W[(1, 0)] = 0.1;
        assert!(!Scalar(&settings).solve(&OneContact { W: &W, q, mu: 0.25 }, &Vector::zeros()).converged);
    }
}
