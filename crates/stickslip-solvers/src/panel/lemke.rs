//! The whole faceted problem as one linear complementarity problem, by Lemke's pivots.
//!
//! ```text
//! w = M z + c,  0 ≤ w ⊥ z ≥ 0,   z = (β, r_N, λ),  r = r_N n + D β      Renouf–Acary 2006, 3.2 and 4.2
//!
//!     [ Dᵀ W_TT D   Dᵀ W_TN   E ]        [ Dᵀ q_T ]
//! M = [ W_NT D      W_NN      0 ],   c = [ q_N    ]                     λ ~ |u_T|, E = one e for each contact
//!     [ −Eᵀ         μ         0 ]        [ 0      ]
//! ```
//!
//! On the line and in the plane that is the problem itself, and one round ends it. In space the polygons are turned
//! between rounds, a departure from the paper, which keeps their error. The impulses are computed anew from the final
//! basis, for the tableau loses digits.
//!
//! Choose it for: a few contacts, singular W, an answer without a tolerance in the plane. Stalls on: polygons whose
//! turns do not settle (exact sweeps follow then); above some hundred contacts it is slow, above `max_contacts` refused.

use super::faceted::{Column, Faceted, Limits, Round, State, normal};
use super::{Method, Solver};
use crate::block::Vector;
use crate::laws::Kind;
use crate::one_contact::inverse_or_one;
use crate::outcome::Outcome;
use crate::pivots::{restore, solve_lcp};
use crate::problem::ContactProblem;
use crate::stop::Stop;
use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

/// Settings of Lemke's method.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Lemke {
    /// Number ν of facets of the polyhedral cones in space. Default 8.
    pub facets: usize,
    /// More contacts are refused: the tableau of n contacts has 2 n² (ν + 2)² entries. Default 100.
    pub max_contacts: usize,
}

impl Default for Lemke {
    fn default() -> Self {
        Lemke { facets: 8, max_contacts: 100 }
    }
}

/// Rounds are dear: the turns gain at once or not at all.
const PATIENCE: usize = 2;

impl Lemke {
    fn limits(&self) -> Limits {
        Limits { facets: self.facets, max_contacts: self.max_contacts, patience: PATIENCE }
    }
}

impl Method for Lemke {
    const NAME: &'static str = "lemke";
    const SUMMARY: &'static str = "direct: the faceted problem as one LCP, by Lemke's pivots; small problems";
    const PAPER: &'static str = "Renouf–Acary 2006, 3.2 and 4.2";
    const COVERS: &'static [Kind] = &[Kind::Frictionless, Kind::Coulomb];

    fn validate(&self) -> Result<(), String> {
        self.limits().validate()
    }

    fn build<const D: usize>(&self) -> Box<dyn Solver<D>> {
        Box::new(self.clone())
    }
}

impl<const D: usize> Solver<D> for Lemke {
    fn solve(&mut self, problem: &ContactProblem<D>, r: &mut [Vector<D>], stop: &Stop) -> Outcome {
        self.limits().solve(&mut Pivots, problem, r, stop)
    }
}

/// One LCP a round.
struct Pivots;

impl<const D: usize> Round<D> for Pivots {
    fn round(
        &mut self,
        faceted: &Faceted<D>,
        at: State<D>,
        go_on: &dyn Fn() -> bool,
    ) -> Option<Vec<Vector<D>>> {
        let Faceted { problem, W, .. } = faceted;
        let mut columns: Vec<Column<D>> = Vec::new();
        // the columns of each polygon; the normal's follows them
        let mut polygons = Vec::new();
        for contact in 0..problem.contacts() {
            let first = columns.len();
            let vertices = faceted.polygon(contact, at);
            columns.extend(vertices.into_iter().chain([normal()]).map(|g| Column { contact, g }));
            polygons.push(first..columns.len() - 1);
        }
        let slipping: Vec<usize> = (0..polygons.len()).filter(|&i| !polygons[i].is_empty()).collect();

        // the problem free of units: velocities by max |q|, impulses by max |q|/w
        let size = inverse_or_one(problem.q.iter().map(|q| q.norm()).fold(0.0, f64::max));
        let w = inverse_or_one(W.trace() / W.nrows() as f64);
        let (generators, n) = (columns.len(), columns.len() + slipping.len());
        let (mut M, mut c) = (DMatrix::zeros(n, n), DVector::zeros(n));
        M.view_mut((0, 0), (generators, generators)).copy_from(&(faceted.condensed(&columns) * w));
        for (i, column) in columns.iter().enumerate() {
            c[i] = size * column.g.dot(&problem.q[column.contact]);
        }
        for (k, &contact) in slipping.iter().enumerate() {
            let lambda = generators + k;
            for i in polygons[contact].clone() {
                M[(i, lambda)] = 1.0;
                M[(lambda, i)] = -1.0;
            }
            M[(lambda, polygons[contact].end)] = problem.laws[contact].mu();
        }
        let mut z = solve_lcp(&M, &c, go_on)?;
        restore(&M, &c, &mut z);
        Some(faceted.impulses(&columns, &(z * (w / size))))
    }
}
