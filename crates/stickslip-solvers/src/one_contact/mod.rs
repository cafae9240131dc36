//! One contact alone: find r with `u = W r + q` under the law, all other contacts held.
//!
//! These solvers run inside a sweep, millions of times. [`Enumeration`] is the default and never fails on a
//! positive definite block; the others are the methods of the papers, each one file. An iterative one is judged
//! by the natural map of its own contact, and the sweep falls back on the enumeration where it did not converge.

mod enumeration;

pub use enumeration::{Enumeration, solve as solve_exactly, solve_convex, solve_coulomb};

/// The one-contact solvers with what they are and where they come from.
pub const ONE_CONTACT: &[(Name, &str, &str)] = &[(Name::Enumeration, "exact", "own")];

use crate::block::{Matrix, Vector};
use crate::laws::Law;
use serde::{Deserialize, Serialize};

/// One contact under Coulomb's law.
pub struct OneContact<'a, const D: usize> {
    /// The diagonal block W_ii.
    pub W: &'a Matrix<D>,
    /// Relative velocity without this contact's impulse.
    pub q: Vector<D>,
    /// Friction coefficient.
    pub mu: f64,
}

impl<const D: usize> OneContact<'_, D> {
    /// `u = W r + q`.
    #[inline(always)]
    pub fn velocity(&self, r: &Vector<D>) -> Vector<D> {
        self.W * r + self.q
    }

    /// Natural map of (r, u) relative to the velocities involved: independent of units.
    pub fn residual(&self, r: &Vector<D>) -> f64 {
        let u = self.velocity(r);
        let scaled_r = r * (self.W.trace() / D as f64);
        let size = self.q.norm().max(scaled_r.norm()).max(u.norm());
        let map = Law::coulomb(self.mu).natural_map(&scaled_r, &u).norm();
        if size > f64::MIN_POSITIVE { map / size } else { map }
    }
}

/// What a one-contact solver found.
pub struct Solved<const D: usize> {
    /// The impulse.
    pub r: Vector<D>,
    /// Whether it obeys the law to the solver's tolerance.
    pub converged: bool,
}

/// A solver of one contact with exact Coulomb friction, in every dimension.
pub trait LocalSolver {
    /// Solves from the impulse r.
    fn solve<const D: usize>(&self, contact: &OneContact<D>, r: &Vector<D>) -> Solved<D>;
}

/// The one-contact solvers by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Name {
    /// Exact enumeration of open, stick and slip.
    #[default]
    Enumeration,
}

/// Settings of the one-contact solvers; a solver reads those that concern it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Which solver. Default `enumeration`.
    pub solver: Name,
    /// Normal active-set parameter γ_n of Abide 2021; impulse per velocity. Default 1/W_NN.
    pub gamma_n: Option<f64>,
    /// Tangential active-set parameter γ_τ of Abide 2021; impulse per velocity. Default 1/mean(W_TT).
    pub gamma_t: Option<f64>,
    /// Penalty ρ of the augmented Lagrangian and of the bi-potential; impulse per velocity. Default from W_ii.
    pub rho: Option<f64>,
    /// Number ν of facets of the polyhedral cone. Default 8.
    pub facets: usize,
    /// Natural-map residual of one contact at which an iteration ends. Default 1e-13.
    pub tolerance: f64,
    /// Iterations on one contact before it counts as failed. Default 100.
    pub max_iterations: usize,
    /// Keep what `max_iterations` gave even if it is not converged, as Abide 2021 does (remark 3, with one
    /// iteration a visit). Default false: fall back on the enumeration.
    pub inexact: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            solver: Name::Enumeration,
            gamma_n: None,
            gamma_t: None,
            rho: None,
            facets: 8,
            tolerance: 1e-13,
            max_iterations: 100,
            inexact: false,
        }
    }
}

impl LocalSolver for Settings {
    #[inline(always)]
    fn solve<const D: usize>(&self, contact: &OneContact<D>, r: &Vector<D>) -> Solved<D> {
        match self.solver {
            Name::Enumeration => Enumeration.solve(contact, r),
        }
    }
}
