//! The faceted cone as convex quadratic programs, solved by active sets.
//!
//! ```text
//! r = G x,  x ≥ 0,   g_i = (1, μ d_i)
//! ½ xᵀ GᵀWG x + (q + μ s n)ᵀ G x → min,   s ← |u_T|                Renouf–Acary 2006, 4.3, in our form
//! ```
//!
//! The paper hands the non-symmetric LCP to a quadratic programming code. Here the program is symmetric: for fixed
//! s it is the associated law, whose sliding would open the contact by μ|u_T|, and the shift μ s takes exactly that
//! away once s = |u_T| stays. Each program is solved by the active sets of Lawson and Hanson: add the generator
//! with the steepest descent, solve on the chosen ones, drop those that turn negative. At most D generators are
//! ever needed, so it is finite and small. One iteration is one program; in space [`super::facets`] turns the
//! polygon between them.
//!
//! Notation: v = u, v_free = q, ν is `facets`. Choose it for: blocks where the convex relaxation is close (small μ),
//! and for comparison. Fails where: the fixed point in s is slow or cycles: large μ, ill-conditioned or strongly
//! coupled blocks. An asymmetric W has no energy; the same steps are then a heuristic.

use super::facets::{aim, directions};
use super::{Iteration, OneContact, Settings};
use crate::block::{Matrix, Vector, solve_dense, tangent_norm};

/// Quadratic programs on the turned polygon.
pub(super) struct Qp<'a>(pub &'a Settings);

impl Iteration for Qp<'_> {
    fn step<const D: usize>(&self, contact: &OneContact<D>, r: &Vector<D>) -> Option<Vector<D>> {
        let &OneContact { W, q, mu } = contact;
        let mut generators: Vec<Vector<D>> = directions(self.0.facets, &aim(contact, r, self.0.facets));
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
    let mut chosen: Vec<usize> = Vec::with_capacity(D + 1);
    let mut x = [0.0; 8];
    let mut r = Vector::zeros();
    for _ in 0..10 * generators.len() {
        // steepest descent among the generators at rest
        let u = W * r + q;
        let noise = 1e-15 * (q.norm() + (W * r).norm());
        let descent = |i: &usize| generators[*i].dot(&u) / generators[*i].norm();
        let entering = (0..generators.len())
            .filter(|i| !chosen.contains(i))
            .min_by(|i, j| descent(i).total_cmp(&descent(j)))
            .filter(|i| descent(i) < -noise);
        let Some(entering) = entering else { break };
        if chosen.len() == D {
            break;
        }
        chosen.push(entering);
        x[chosen.len() - 1] = 0.0;
        // minimum on the chosen generators; the first that turns negative on the way leaves
        loop {
            let target = minimum_on(W, q, generators, &chosen)?;
            let blocking = (0..chosen.len())
                .filter(|&k| target[k] <= 0.0)
                .map(|k| (k, x[k] / (x[k] - target[k])))
                .min_by(|a, b| a.1.total_cmp(&b.1));
            let Some((leaving, way)) = blocking else {
                x[..D].copy_from_slice(target.as_slice());
                break;
            };
            let way = if way.is_finite() { way } else { 0.0 };
            (0..chosen.len()).for_each(|k| x[k] += way * (target[k] - x[k]));
            chosen.remove(leaving);
            x[leaving..].rotate_left(1);
            if chosen.is_empty() {
                break;
            }
        }
        r = chosen.iter().zip(x).map(|(&i, x)| generators[i] * x).sum();
    }
    Some(r)
}

/// x of the chosen generators with GᵀWG x = −Gᵀq; unit equations fill the block.
fn minimum_on<const D: usize>(
    W: &Matrix<D>,
    q: &Vector<D>,
    generators: &[Vector<D>],
    chosen: &[usize],
) -> Option<Vector<D>> {
    let mut A = Matrix::identity();
    let mut b = Vector::zeros();
    for (k, &i) in chosen.iter().enumerate() {
        let row = W.transpose() * generators[i];
        for (l, &j) in chosen.iter().enumerate() {
            A[(k, l)] = row.dot(&generators[j]);
        }
        b[k] = -generators[i].dot(q);
    }
    solve_dense(A, b)
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
