//! The faceted cone as convex quadratic programs, solved by active sets.
//!
//! ```text
//! r = G x,  x ≥ 0,   g_i = (1, μ d_i)
//! ½ xᵀ GᵀWG x + (q + μ s n)ᵀ G x → min,   s ← |u_T|                Renouf–Acary 2006, 4.3, in our form
//! ```
//!
//! The paper hands the non-symmetric LCP to a quadratic programming code. Here the program is symmetric: for fixed
//! s it is the associated law, whose sliding would open the contact by μ|u_T|, and the shift μ s takes exactly that
//! away once s = |u_T| stays. Each program is solved by the active sets of [`crate::pivots`]; at most D generators are
//! ever needed, so it is finite and small. One iteration is one program; in space [`super::facets`] turns the
//! polygon between them.
//!
//! Notation: v = u, v_free = q, ν is `facets`. Choose it for: blocks where the convex relaxation is close (small μ),
//! and for comparison. Fails where: the fixed point in s is slow or cycles: large μ, ill-conditioned or strongly
//! coupled blocks. An asymmetric W has no energy; the same steps are then a heuristic.

use super::direction::Flow;
use super::facets::{aim, directions};
use super::{Iteration, OneContact, Settings};
use crate::block::{Matrix, Vector, tangent_norm};
use crate::pivots::Program;
use nalgebra::{DMatrix, DVector};

/// Quadratic programs on the turned polygon.
pub(super) struct Qp<'a>(pub &'a Settings);

impl Iteration for Qp<'_> {
    fn step<const D: usize>(&self, contact: &OneContact<D>, r: &Vector<D>) -> Option<Vector<D>> {
        let &OneContact { W, q, mu } = contact;
        let mut generators: Vec<Vector<D>> =
            directions(self.0.facets, &aim(contact, r, self.0.facets, Flow::Coulomb));
        generators.iter_mut().for_each(|g| {
            *g *= mu;
            g[0] = 1.0;
        });
        if generators.is_empty() {
            let mut n = Vector::zeros();
            n[0] = 1.0;
            generators.push(n);
        }
        let mut shifted = q;
        shifted[0] += mu * tangent_norm(&contact.velocity(r));
        minimise(W, &shifted, &generators)
    }
}

/// The minimum of ½ rᵀWr + qᵀr over the cone of the generators.
fn minimise<const D: usize>(W: &Matrix<D>, q: &Vector<D>, generators: &[Vector<D>]) -> Option<Vector<D>> {
    let n = generators.len();
    // of unit length, so that descents compare
    let unit: Vec<Vector<D>> = generators.iter().map(|g| g / g.norm()).collect();
    let A = DMatrix::from_fn(n, n, |i, j| unit[i].dot(&(W * unit[j])));
    let c = DVector::from_fn(n, |i, _| unit[i].dot(q));
    let mut x = DVector::zeros(n);
    let (free, group) = (vec![false; n], vec![0; n]);
    let program = Program { A: &A, c: &c, free: &free, group: &group, most: D, noise: 1e-15 };
    program.minimise(&mut x, &|| true)?;
    Some(unit.iter().zip(x.iter()).map(|(g, x)| g * *x).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minimum_obeys_the_optimality_conditions() {
        let W = Matrix::<3>::new(2.0, 0.3, -0.2, 0.3, 3.0, 0.4, -0.2, 0.4, 1.5);
        let mut aim = Vector::<3>::zeros();
        aim[1] = 1.0;
        let generators: Vec<Vector<3>> =
            directions(7, &aim).iter().map(|d| Vector::<3>::new(1.0, 0.4 * d[1], 0.4 * d[2])).collect();
        for q in [[-1.0, 0.1, 0.2], [-1.0, 2.0, 1.0], [-0.1, 3.0, -2.0], [2.0, 0.1, 0.3]] {
            let q = Vector::<3>::from(q);
            let r = minimise(&W, &q, &generators).unwrap();
            let u = W * r + q;
            assert!(generators.iter().all(|g| g.dot(&u) > -1e-13), "{q}");
            assert!(r.dot(&u).abs() < 1e-13);
        }
    }
}
