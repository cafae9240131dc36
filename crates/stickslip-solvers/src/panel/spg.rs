//! Spectral projected gradient: Barzilai–Borwein steps with the non-monotone search of Grippo, Lampariello and
//! Lucidi.
//!
//! ```text
//! d = P_K(r − α g) − r,   g = W r + q
//! r ← r + λ d,  λ so that f(r + λd) ≤ max of the last m values + c λ g·d
//! α ← |d|²/(dᵀWd)                                                   Tasora 2013, 10.1
//! ```
//!
//! f is quadratic, so f(r + λd) follows from g·d and dᵀWd, and the search costs no product. Choose it for: convex
//! friction and joints; often the fastest first-order method, though not steadily.

use super::gradient::{Laws, Metric, dot};
use super::{Method, Solver};
use crate::block::Vector;
use crate::laws::Kind;
use crate::outcome::{Outcome, Status};
use crate::parallel::update;
use crate::problem::ContactProblem;
use crate::stop::Stop;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Settings of the spectral gradient.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Spg {
    /// How many past values the search compares with; 1 is a monotone search. Default 10.
    pub memory: usize,
}

impl Default for Spg {
    fn default() -> Self {
        Spg { memory: 10 }
    }
}

/// Sufficient decrease c of the search.
const DECREASE: f64 = 1e-4;
/// Bounds of the spectral step, relative to the metric of diag W.
const STEP_RANGE: (f64, f64) = (1e-10, 1e10);

impl Method for Spg {
    const NAME: &'static str = "spg";
    const SUMMARY: &'static str = "spectral projected gradient, Barzilai-Borwein with a non-monotone search";
    const PAPER: &'static str = "Tasora 2013, 10.1";
    const COVERS: &'static [Kind] = Kind::CONVEX;

    fn validate(&self) -> Result<(), String> {
        if self.memory == 0 { Err("memory = 0: give at least 1".into()) } else { Ok(()) }
    }

    fn build<const D: usize>(&self) -> Box<dyn Solver<D>> {
        Box::new(self.clone())
    }
}

impl<const D: usize> Solver<D> for Spg {
    fn solve(&mut self, problem: &ContactProblem<D>, r: &mut [Vector<D>], stop: &Stop) -> Outcome {
        let ContactProblem { W, q, .. } = problem;
        let metric = Metric::of(W);
        let laws = Laws::new(&problem.laws);
        let mut product = W.product();
        let mut watch = stop.watch(problem);

        // start inside K: the search moves along chords of K
        update(r, |i, r| *r = crate::laws::ContactLaw::project(&problem.laws[i], *r));
        let mut g = problem.velocities(r);
        let mut d = r.to_vec();
        let mut Wd = r.to_vec();
        let mut f = 0.5 * (dot(r, &g) + dot(r, q));
        let mut past = VecDeque::from([f]);
        let mut alpha = 1.0;
        loop {
            if watch.is_due() {
                // g and f have been carried along by recursion: compute them afresh
                product.velocities(r, q, &mut g);
                f = 0.5 * (dot(r, &g) + dot(r, q));
                past.pop_back();
                past.push_back(f);
            }
            if !watch.goes_on_with(r, &g) {
                break;
            }
            let [slope, ..] = metric.projected_step(&laws, |i| (r[i], g[i]), alpha, r, &mut d);
            update(&mut d, |i, d| *d -= r[i]);
            let length = metric.norm_squared(&d);
            if length == 0.0 {
                watch.end(Status::Stalled);
                break;
            }
            product.apply(&d, &mut Wd);
            let curvature = dot(&d, &Wd);
            let reference = past.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let value = |lambda: f64| f + lambda * slope + 0.5 * lambda * lambda * curvature;
            let mut lambda = 1.0;
            while value(lambda) > reference + DECREASE * lambda * slope && lambda > 1e-12 {
                // the minimum along d, kept between a tenth and a half of the last try
                lambda = (-slope / curvature).clamp(0.1 * lambda, 0.5 * lambda);
            }
            f = value(lambda);
            past.push_back(f);
            if past.len() > self.memory {
                past.pop_front();
            }
            update(r, |i, r| *r += d[i] * lambda);
            update(&mut g, |i, g| *g += Wd[i] * lambda);
            alpha = if curvature > 0.0 {
                (length / curvature).clamp(STEP_RANGE.0, STEP_RANGE.1)
            } else {
                STEP_RANGE.1
            };
        }
        watch.finish(r)
    }
}
