//! One contact alone: find r with `u = W r + q` under the law, all other contacts held.
//!
//! These solvers run inside a sweep, millions of times. [`Enumeration`] is the default and never fails on a
//! positive definite block; the others are the methods of the papers, each one file and one line of
//! [`ONE_CONTACT`]. An iterative one is judged by the natural map of its own contact, and the sweep falls back
//! on the enumeration where it did not converge.

mod alart_curnier;
mod convex;
pub(crate) mod direction;
mod enumeration;
mod epdas;
pub(crate) mod facets;
mod ibp;
mod ipdas;
mod lemke;
mod projection;
mod qp;
mod sal;
mod sbp;
mod scalar;
mod search;

pub use convex::solve_convex;
pub use enumeration::{Enumeration, solve as solve_exactly, solve_coulomb};
pub(crate) use enumeration::{PlaneContact, slip_nearly, well_conditioned_inverse};
pub(crate) use epdas::PlaneStep;
pub(crate) use ibp::PlaneNewton;
pub use projection::solve_by_projection;
pub(crate) use sal::ProjectedStep;
pub(crate) use scalar::{is_uncoupled, prepare_uncoupled};

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
        let (map, size) = natural_map(self.W, &self.q, &Law::coulomb(self.mu), r);
        if size > f64::MIN_POSITIVE { map / size } else { map }
    }
}

/// Natural map of one contact under any law and the largest of q, r, u, all in units of velocity.
fn natural_map<const D: usize>(W: &Matrix<D>, q: &Vector<D>, law: &Law, r: &Vector<D>) -> (f64, f64) {
    let u = W * r + q;
    let scaled_r = r * (W.trace() / D as f64);
    let size = q.norm().max(scaled_r.norm()).max(u.norm());
    (law.natural_map(&scaled_r, &u).norm(), size)
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

/// A method that improves the impulse step by step.
trait Iteration {
    /// The next impulse; `None` where the method has none, as for a singular system.
    fn step<const D: usize>(&self, contact: &OneContact<D>, r: &Vector<D>) -> Option<Vector<D>>;
}

/// A contact for which all is done beforehand that can be, for sweeps that come back to it. Where it diverges, the residual
/// shows that and ends the solve.
pub(crate) trait Prepared<const D: usize>: Clone + Send {
    /// The impulse of the contact, which has the velocity u under r; `None` where another method has to find it.
    fn solve(&self, u: &Vector<D>, r: &Vector<D>) -> Option<Vector<D>>;
}

/// μ under Coulomb's law, not a number under others.
fn mu_or_nan(law: &Law) -> f64 {
    if let Law::Coulomb(law) = law { law.mu } else { f64::NAN }
}

/// Steps until the natural map is within the tolerance, the iterations are spent, or a step gives no finite
/// impulse; then the last finite one is kept.
fn iterate<I: Iteration, const D: usize>(
    method: &I,
    settings: &Settings,
    contact: &OneContact<D>,
    r: &Vector<D>,
) -> Solved<D> {
    let mut r = if is_finite(r) { *r } else { Vector::zeros() };
    if settings.steps_once() {
        // whether it converged is asked by nobody
        let next = method.step(contact, &r).filter(is_finite);
        return Solved { r: next.unwrap_or(r), converged: false };
    }
    let mut converged = contact.residual(&r) <= settings.tolerance;
    for _ in 0..settings.max_iterations {
        if converged {
            break;
        }
        match method.step(contact, &r) {
            Some(next) if is_finite(&next) => r = next,
            _ => break,
        }
        converged = contact.residual(&r) <= settings.tolerance;
    }
    Solved { r, converged }
}

fn is_finite<const D: usize>(x: &Vector<D>) -> bool {
    x.iter().all(|x| x.is_finite())
}

/// The one-contact solvers by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Name {
    /// Exact enumeration of open, stick and slip.
    #[default]
    Enumeration,
    /// "Exact" primal-dual active set.
    Epdas,
    /// "Iterative" primal-dual active set.
    Ipdas,
    /// Standard augmented Lagrangian as a fixed point.
    Sal,
    /// Standard bi-potential as a fixed point.
    Sbp,
    /// Improved bi-potential: Newton's method.
    Ibp,
    /// Newton's method on the augmented Lagrangian.
    AlartCurnier,
    /// Faceted cone as an LCP, by Lemke's method.
    Lemke,
    /// Faceted cone as a sequence of convex quadratic programs.
    Qp,
    /// Explicit solution of an isotropic, uncoupled block.
    Scalar,
}

/// Every one-contact solver with a line on what it is and where it comes from.
pub const ONE_CONTACT: &[(Name, &str, &str)] = &[
    (
        Name::Enumeration,
        "open, stick or slip, the slip by a scalar root: exact and never fails",
        "this project",
    ),
    (Name::Epdas, "exact primal-dual active set: semi-smooth Newton by contact status", "Abide 2021, 5.1"),
    (Name::Ipdas, "iterative primal-dual active set: stick without the ratio of impulses", "Abide 2021, 5.2"),
    (Name::Sal, "standard augmented Lagrangian: fixed point of two projections", "Abide 2021, remark 2"),
    (Name::Sbp, "standard bi-potential: fixed point of one projection on the cone", "Abide 2021, remark 2"),
    (Name::Ibp, "improved bi-potential: Newton's method on the projection", "Abide 2021, remark 2"),
    (Name::AlartCurnier, "Newton's method on the augmented Lagrangian", "Renouf–Acary 2006, 4.4"),
    (
        Name::Lemke,
        "faceted cone as an LCP, by Lemke's lexicographic pivots",
        "Renouf–Acary 2006, 3.2 and 4.2",
    ),
    (Name::Qp, "faceted cone as convex quadratic programs, by active sets", "Renouf–Acary 2006, 4.3"),
    (Name::Scalar, "explicit solution of an isotropic, uncoupled block (spheres)", "Renouf–Acary 2006, 4.5"),
];

impl Name {
    /// The name used in settings and reports.
    pub fn name(self) -> &'static str {
        match self {
            Name::Enumeration => "enumeration",
            Name::Epdas => "epdas",
            Name::Ipdas => "ipdas",
            Name::Sal => "sal",
            Name::Sbp => "sbp",
            Name::Ibp => "ibp",
            Name::AlartCurnier => "alart-curnier",
            Name::Lemke => "lemke",
            Name::Qp => "qp",
            Name::Scalar => "scalar",
        }
    }
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

/// More facets than this cost memory and time by their square, and the turned polygon needs few.
pub(crate) const MOST_FACETS: usize = 256;

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

impl Settings {
    /// Checks values that the types allow and the methods do not.
    pub fn validate(&self) -> Result<(), String> {
        let parameters = [("gamma_n", self.gamma_n), ("gamma_t", self.gamma_t), ("rho", self.rho)];
        for (key, value) in parameters {
            if let Some(value) = value
                && !(value > 0.0 && value.is_finite())
            {
                return Err(format!(
                    "{key} = {value} is no positive number: leave it out for a value from W"
                ));
            }
        }
        if !(self.tolerance > 0.0 && self.tolerance.is_finite()) {
            return Err(format!(
                "tolerance = {} is no positive number: 1e-13 is the default",
                self.tolerance
            ));
        }
        if !(3..=MOST_FACETS).contains(&self.facets) {
            return Err(format!("facets = {}: give a polyhedral cone 3 to {MOST_FACETS}", self.facets));
        }
        if self.max_iterations < 1 {
            return Err("max_iterations = 0: at least 1 is needed to change an impulse".into());
        }
        Ok(())
    }

    /// Whether a visit is one step, kept whatever it gave.
    pub(crate) fn steps_once(&self) -> bool {
        self.inexact && self.max_iterations == 1
    }

    /// γ_n and γ_τ of the active sets: as given, or 1/W_NN and 1/mean(W_TT).
    fn gammas<const D: usize>(&self, W: &Matrix<D>) -> (f64, f64) {
        let gamma_n = self.gamma_n.unwrap_or_else(|| inverse_or_one(W[(0, 0)]));
        (gamma_n, self.gamma_t.unwrap_or_else(|| inverse_or_one(mean_tangent(W))))
    }

    /// ρ of the augmented Lagrangian for normal and tangent: as given for both, or 1/W_NN and 1/‖W_TT‖, each
    /// the step that solves its own part when the other is held.
    fn penalties<const D: usize>(&self, W: &Matrix<D>) -> (f64, f64) {
        match self.rho {
            Some(rho) => (rho, rho),
            None => (inverse_or_one(W[(0, 0)]), inverse_or_one(largest_row_sum(W, 1))),
        }
    }

    /// Every solver but the enumeration; out of line, so that the sweep's loop stays small.
    #[inline(never)]
    fn solve_by_name<const D: usize>(&self, contact: &OneContact<D>, r: &Vector<D>) -> Solved<D> {
        match self.solver {
            Name::Enumeration => Enumeration.solve(contact, r),
            Name::Epdas => iterate(&epdas::Epdas(self), self, contact, r),
            Name::Ipdas => iterate(&ipdas::Ipdas(self), self, contact, r),
            Name::Sal => iterate(&sal::Sal(self), self, contact, r),
            Name::Sbp => iterate(&sbp::Sbp(self), self, contact, r),
            Name::Ibp => iterate(&ibp::Ibp(self), self, contact, r),
            Name::AlartCurnier => iterate(&alart_curnier::AlartCurnier(self), self, contact, r),
            Name::Lemke => iterate(&lemke::Lemke(self), self, contact, r),
            Name::Qp => iterate(&qp::Qp(self), self, contact, r),
            Name::Scalar => scalar::Scalar(self).solve(contact, r),
        }
    }
}

impl LocalSolver for Settings {
    #[inline(always)]
    fn solve<const D: usize>(&self, contact: &OneContact<D>, r: &Vector<D>) -> Solved<D> {
        match self.solver {
            Name::Enumeration => Enumeration.solve(contact, r),
            _ => self.solve_by_name(contact, r),
        }
    }
}

/// Mean of the tangential diagonal; 0 where there is no tangent.
fn mean_tangent<const D: usize>(W: &Matrix<D>) -> f64 {
    (1..D).map(|k| W[(k, k)]).sum::<f64>() / (D - 1).max(1) as f64
}

/// Largest absolute row sum of the trailing block from `first` on: a bound on its eigenvalues, exact if diagonal.
fn largest_row_sum<const D: usize>(W: &Matrix<D>, first: usize) -> f64 {
    (first..D).map(|i| (first..D).map(|j| W[(i, j)].abs()).sum()).fold(0.0, f64::max)
}

pub(crate) fn inverse_or_one(x: f64) -> f64 {
    if x > 0.0 { 1.0 / x } else { 1.0 }
}

/// Of an impulse that moves nothing 0, which keeps it as it is.
fn inverse_or_zero(x: f64) -> f64 {
    if x > 0.0 { 1.0 / x } else { 0.0 }
}

/// Numbers from −1 to 1 for tests, the same for the same seed.
#[cfg(test)]
fn uniform(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files of the folder that are no solver.
    const SHARED: &[&str] = &["mod", "convex", "direction", "facets", "projection", "search"];

    #[test]
    fn every_file_is_listed_under_its_name() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/one_contact");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().replace('_', "-"))
            .filter(|stem| !SHARED.contains(&stem.as_str()))
            .collect();
        let mut names: Vec<String> = ONE_CONTACT.iter().map(|entry| entry.0.name().to_string()).collect();
        files.sort();
        names.sort();
        assert_eq!(files, names);
    }

    #[test]
    fn names_are_those_of_the_settings() {
        for (name, ..) in ONE_CONTACT {
            let text = format!("solver = {:?}", name.name());
            assert_eq!(toml::from_str::<Settings>(&text).unwrap().solver, *name);
        }
    }

    #[test]
    fn validate_names_key_and_value() {
        assert_eq!(Settings::default().validate(), Ok(()));
        let cases = [
            (Settings { gamma_n: Some(-1.0), ..Default::default() }, "gamma_n = -1"),
            (Settings { gamma_t: Some(f64::NAN), ..Default::default() }, "gamma_t = NaN"),
            (Settings { rho: Some(0.0), ..Default::default() }, "rho = 0"),
            (Settings { tolerance: 0.0, ..Default::default() }, "tolerance = 0"),
            (Settings { facets: 2, ..Default::default() }, "facets = 2"),
            (Settings { max_iterations: 0, ..Default::default() }, "max_iterations = 0"),
        ];
        for (settings, start) in cases {
            let message = settings.validate().unwrap_err();
            assert!(message.starts_with(start), "{message}");
        }
    }
}
