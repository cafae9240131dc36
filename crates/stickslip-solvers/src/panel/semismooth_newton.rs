//! Semismooth Newton: all contacts at once.
//!
//! ```text
//! F(r) = r − Φ(r − ρ (W r + q)) = 0,     (A + B W) dr = −F,     r ← r + t dr
//! ```
//!
//! Φ, A and B stand in [`super::newton`]: the equations of Alart and Curnier (Renouf–Acary 2006 (7)–(9), there for one
//! contact), or the active sets of Abide 2021, 5 (`form = "pdas"`), where the matrix is symmetric but convergence
//! linear. The search halves t until |F| falls below the largest of its last values. Where it does not fall, or the matrix is
//! singular, sweeps take over for a while, twice as long each time.
//!
//! Choose it for: full accuracy on problems of up to some thousand contacts, near a solution above all: a handful of steps. Stalls
//! on: hyperstatic problems from far away, where |F| has local minima; `proximal` is the remedy.

use super::newton::{Form, Newton, Proximal, Rescue};
use super::{Method, Solver};
use crate::block::Vector;
use crate::laws::Kind;
use crate::linear::NewtonSystem;
use crate::outcome::Outcome;
use crate::problem::ContactProblem;
use crate::stop::Stop;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Settings of the semismooth Newton method.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct SemismoothNewton {
    /// `"alart-curnier"` or `"pdas"`. Default `"alart-curnier"`.
    pub form: Form,
    /// Penalty ρ, in units of 1/s_i at each contact. Default 1.
    pub rho: f64,
    /// Regularisation of the matrix, in units of s_i. Default 1e-8.
    pub regularisation: f64,
    /// How many past values the search compares with; 1 is a monotone search. Default 4.
    pub memory: usize,
}

impl Default for SemismoothNewton {
    fn default() -> Self {
        SemismoothNewton { form: Form::AlartCurnier, rho: 1.0, regularisation: 1e-8, memory: 4 }
    }
}

impl Method for SemismoothNewton {
    const NAME: &'static str = "semismooth-newton";
    const SUMMARY: &'static str = "semismooth Newton on all contacts at once, Alart-Curnier or active sets";
    const PAPER: &'static str = "Renouf-Acary 2006 (7)-(9), Abide 2021, 5";
    const COVERS: &'static [Kind] = Kind::SMALL;

    fn validate(&self) -> Result<(), String> {
        super::positive("rho", Some(self.rho))?;
        super::positive("regularisation", Some(self.regularisation))?;
        if self.regularisation * self.rho >= 1.0 {
            return Err(format!("regularisation = {}: give less than 1/rho", self.regularisation));
        }
        if self.memory == 0 { Err("memory = 0: give at least 1".into()) } else { Ok(()) }
    }

    fn build<const D: usize>(&self) -> Box<dyn Solver<D>> {
        Box::new(SemismoothNewtonSolver { settings: self.clone(), system: None })
    }
}

struct SemismoothNewtonSolver<const D: usize> {
    settings: SemismoothNewton,
    system: Option<NewtonSystem<D>>,
}

impl<const D: usize> Solver<D> for SemismoothNewtonSolver<D> {
    fn solve(&mut self, problem: &ContactProblem<D>, r: &mut [Vector<D>], stop: &Stop) -> Outcome {
        let settings = &self.settings;
        let system = NewtonSystem::of(&mut self.system, &problem.W);
        let mut newton = Newton::new(problem, system, settings.form, settings.rho);
        let mut watch = stop.watch_each(problem);
        let proximal = Proximal { alpha: settings.regularisation, centre: None };
        newton.update(r);
        let mut past = VecDeque::from([newton.merit(r, proximal)]);
        let mut rescue = Rescue::new();
        while watch.goes_on_with(r, &newton.u) {
            let reference = past.iter().copied().fold(0.0, f64::max);
            let merit = match newton.step(r, proximal, reference) {
                Some(merit) => merit,
                None if rescue.sweep(problem, r, &mut watch) => {
                    past.clear();
                    newton.update(r);
                    newton.merit(r, proximal)
                }
                None => break,
            };
            past.push_back(merit);
            if past.len() > settings.memory {
                past.pop_front();
            }
        }
        rescue.note(&mut watch);
        watch.finish(r)
    }
}
