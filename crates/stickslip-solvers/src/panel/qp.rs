//! The whole faceted problem as a sequence of convex quadratic programs, by active sets.
//!
//! ```text
//! r = G x,  x ≥ 0,   g = (1, μ d)
//! ½ xᵀ GᵀWG x + (q + μ s n)ᵀ G x → min,   s ← |u_T|                  Renouf–Acary 2006, 4.3, in our form
//! ```
//!
//! The paper hands the non-symmetric LCP to a quadratic programming code. Here each program is symmetric: for fixed s
//! it is the associated law, whose opening μ|u_T| the shift μ s takes away once s = |u_T| stays. One round is one
//! program. It keeps the loaded columns of the last one, a warm start, and adds the polygons turned to where the
//! impulses point, so that the programs tend to that of the round cones. Where W is singular a small proximal term
//! ε|x − x_last|²/2 makes the program definite, and vanishes as the rounds settle. Joints are free columns.
//!
//! Choose it for: a few contacts, the convex law, joints. Stalls on: s that wanders (large μ), asymmetric W, which
//! has no energy; exact sweeps follow then. Above `max_contacts` it is refused.

use super::faceted::{Column, Faceted, Limits, Round, State, is_joint, normal};
use super::{Method, Solver};
use crate::block::{Vector, tangent_norm};
use crate::laws::{Kind, Law};
use crate::outcome::Outcome;
use crate::pivots::Program;
use crate::problem::ContactProblem;
use crate::stop::Stop;
use nalgebra::DVector;
use serde::{Deserialize, Serialize};

/// Settings of the quadratic programs.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Qp {
    /// Number ν of facets of the polyhedral cones in space. Default 8.
    pub facets: usize,
    /// More contacts are refused: a program of n contacts has n² (ν + D)² entries, and
    /// its sets are solved anew at each change. Default 50.
    pub max_contacts: usize,
}

impl Default for Qp {
    fn default() -> Self {
        Qp { facets: 8, max_contacts: 50 }
    }
}

/// s settles slowly, and a warm round is cheap.
const PATIENCE: usize = 8;
/// Descent that counts, against the terms it is made of: columns close to loaded ones fall by the rounding of ε.
const NOISE: f64 = 1e-12;
/// ε over the mean diagonal of GᵀWG.
const PROXIMAL: f64 = 1e-9;

impl Qp {
    fn limits(&self) -> Limits {
        Limits { facets: self.facets, max_contacts: self.max_contacts, patience: PATIENCE }
    }
}

impl Method for Qp {
    const NAME: &'static str = "qp";
    const SUMMARY: &'static str = "the faceted problem as convex programs, by active sets; small problems";
    const PAPER: &'static str = "Renouf–Acary 2006, 4.3";
    const COVERS: &'static [Kind] = &[Kind::Frictionless, Kind::Coulomb, Kind::Convex, Kind::Bilateral];

    fn validate(&self) -> Result<(), String> {
        self.limits().validate()
    }

    fn build<const D: usize>(&self) -> Box<dyn Solver<D>> {
        Box::new(self.clone())
    }
}

impl<const D: usize> Solver<D> for Qp {
    fn solve(&mut self, problem: &ContactProblem<D>, r: &mut [Vector<D>], stop: &Stop) -> Outcome {
        self.limits().solve(&mut Programs::default(), problem, r, stop)
    }
}

/// The loaded columns of the last program.
struct Programs<const D: usize> {
    loaded: Vec<(Column<D>, f64)>,
}

impl<const D: usize> Default for Programs<D> {
    fn default() -> Self {
        Programs { loaded: Vec::new() }
    }
}

impl<const D: usize> Round<D> for Programs<D> {
    fn round(
        &mut self,
        faceted: &Faceted<D>,
        at: State<D>,
        go_on: &dyn Fn() -> bool,
    ) -> Option<Vec<Vector<D>>> {
        let problem = faceted.problem;
        let (mut columns, mut x): (Vec<Column<D>>, Vec<f64>) = self.loaded.iter().copied().unzip();
        for contact in 0..problem.contacts() {
            let fresh = generators(faceted, contact, at);
            columns.extend(fresh.into_iter().map(|g| Column { contact, g }));
        }
        x.resize(columns.len(), 0.0);
        let free: Vec<bool> = columns.iter().map(|column| is_joint(&problem.laws[column.contact])).collect();
        let mut x = DVector::from_vec(x);

        let mut A = faceted.condensed(&columns);
        // an asymmetric W has no energy: that of its symmetric part is taken
        A = (&A + A.transpose()) * 0.5;
        let proximal = PROXIMAL * A.trace() / columns.len() as f64;
        let c = DVector::from_fn(columns.len(), |i, _| {
            let Column { contact, g } = columns[i];
            let mut q = problem.q[contact];
            if let Law::Coulomb(law) = problem.laws[contact] {
                q[0] += law.mu * tangent_norm(&at.u[contact]);
            }
            g.dot(&q) - proximal * x[i]
        });
        (0..columns.len()).for_each(|i| A[(i, i)] += proximal);

        let group: Vec<usize> = columns.iter().map(|column| column.contact).collect();
        let program = Program { A: &A, c: &c, free: &free, group: &group, most: columns.len(), noise: NOISE };
        program.exchange(&mut x, go_on).or_else(|| program.minimise(&mut x, go_on))?;
        self.loaded = columns.iter().copied().zip(x.iter().copied()).filter(|(_, x)| *x != 0.0).collect();
        Some(faceted.impulses(&columns, &x))
    }
}

/// What spans the impulses of one contact, of unit length.
fn generators<const D: usize>(faceted: &Faceted<D>, contact: usize, at: State<D>) -> Vec<Vector<D>> {
    let law = faceted.problem.laws[contact];
    if let Law::Bilateral(law) = law {
        let rows = D.min(law.rows as usize);
        return (0..rows).map(|k| Vector::from_fn(|i, _| f64::from(i == k))).collect();
    }
    let polygon = faceted.polygon(contact, at);
    if polygon.is_empty() {
        return vec![normal()];
    }
    polygon.iter().map(|d| (normal() + d * law.mu()).normalize()).collect()
}
