//! The faceted cone as a linear complementarity problem, solved by Lemke's method with lexicographic pivots.
//!
//! ```text
//! w = M z + c,  0 ≤ w ⊥ z ≥ 0,   z = (β, r_N, λ),  r = r_N n + D β      Renouf–Acary 2006, 3.2.2
//!
//!     [ Dᵀ W_TT D   Dᵀ W_TN   e ]        [ Dᵀ q_T ]
//! M = [ W_NT D      W_NN      0 ],   c = [ q_N    ]                     λ ~ |u_T|
//!     [ −eᵀ         μ         0 ]        [ 0      ]
//! ```
//!
//! M is copositive for a positive semi-definite W, so Lemke's path from the covering vector e ends in a solution;
//! ties are broken lexicographically ([`crate::pivots`]). One iteration is one LCP. In space the polygon
//! of the next one is turned by [`super::facets`] until the natural map of the round cone is within `tolerance`:
//! a departure from the paper, which keeps it fixed and so its error. Another: the impulse is computed anew from
//! the final basis (stick: W r = −q, slip at a vertex: u_N = 0), since the tableau has lost digits by then.
//!
//! Notation: v = u, v_free = q, ν is `facets`. Choose it for: a direct method with an LCP behind it, singular
//! blocks. Fails where: the turns do not settle, about one strongly coupled block of space in a thousand; in the
//! plane, where nothing turns, it does not. It is ten to a hundred times slower than the enumeration.

use super::direction::{Flow, slip_along, unit_tangent};
use super::facets::{aim, directions};
use super::{Iteration, OneContact, Settings, inverse_or_one};
use crate::block::{Vector, solve_dense};
use crate::pivots::solve_lcp;
use nalgebra::{DMatrix, DVector};

/// Lemke's method on the turned polygon.
pub(super) struct Lemke<'a>(pub &'a Settings);

impl Iteration for Lemke<'_> {
    fn step<const D: usize>(&self, contact: &OneContact<D>, r: &Vector<D>) -> Option<Vector<D>> {
        let &OneContact { W, q, mu } = contact;
        let d = directions(self.0.facets, &aim(contact, r, self.0.facets, Flow::Coulomb));
        let (vertices, normal, slip) = (d.len(), d.len(), d.len() + 1);
        let n = vertices + 2;

        // the problem free of units: velocities by |q|, impulses by |q|/w
        let size = inverse_or_one(q.norm());
        let w = inverse_or_one(W.trace() / D as f64);
        let mut generators = d.clone();
        let mut n_vector = Vector::zeros();
        n_vector[0] = 1.0;
        generators.push(n_vector);
        let (mut M, mut c) = (DMatrix::zeros(n, n), DVector::zeros(n));
        for (i, row) in generators.iter().enumerate() {
            for (j, column) in generators.iter().enumerate() {
                M[(i, j)] = w * row.dot(&(W * column));
            }
            c[i] = size * row.dot(&q);
        }
        for i in 0..vertices {
            M[(i, slip)] = 1.0;
            M[(slip, i)] = -1.0;
        }
        M[(slip, normal)] = mu;

        let z = solve_lcp(&M, &c, &|| true)?;
        let mut found: Vector<D> = (0..=vertices).map(|i| generators[i] * z[i]).sum();
        found *= w / size;
        // the impulse once more from the basis
        if z[normal] <= 0.0 {
            return Some(Vector::zeros());
        }
        let loaded = (0..vertices).filter(|&i| z[i] > 0.0).count();
        if z[slip] <= 0.0 {
            Some(solve_dense(*W, -q).unwrap_or(found))
        } else if let (Some(d), true) = (unit_tangent(&found), loaded == 1) {
            Some(slip_along(W, &q, mu, &d).unwrap_or(found))
        } else {
            Some(found)
        }
    }
}
