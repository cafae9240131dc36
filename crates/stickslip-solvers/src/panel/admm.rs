//! Alternating directions (ADMM): one linear system, factorised once, and one projection an iteration.
//!
//! ```text
//! (W + ρS) r = −(q + g n) + ρS (z − ξ),      S = diag(s_i),  s_i = trace(W_ii)/D
//! z⁺ = P_K(r̂ + ξ),   ξ⁺ = ξ + r̂ − z⁺,        r̂ = ω r + (1 − ω) z          Boyd 2011, 3.1 and 3.4
//! ```
//!
//! z are the impulses, always in K; −ρSξ tends to the velocities. g = μ|u_T| is De Saxcé's shift, 0 for the convex laws; for
//! Coulomb's it is taken from u = W r + q at every iteration, which the linear system yields without a product. The
//! best penalty spans six decades (1e-4 on arches and towers, 1 on capsules), and the balance of the two residuals that textbooks
//! recommend does not find it: ρ climbs along the measured rate of the true residual instead, at ever longer intervals, since
//! each change costs a factorisation. Where the iteration runs away, as it may over a W that is not positive or with
//! large μ, sweeps lead back and ρ rises.
//!
//! Choose it for: hyperstatic walls and towers, where W is far from full rank and sweeps crawl. Stalls on: contacts whose
//! best penalties lie far apart (large ratios of mass), and exact friction with large μ, where no theory covers it.

use super::newton::Rescue;
use super::{Method, Solver};
use crate::block::{Matrix, Vector};
use crate::laws::{ContactLaw, Kind};
use crate::linear::NewtonSystem;
use crate::outcome::{Outcome, Status};
use crate::parallel::{fill, sum, update};
use crate::problem::ContactProblem;
use crate::stop::Stop;
use serde::{Deserialize, Serialize};

/// Settings of ADMM.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Admm {
    /// The first penalty ρ, in units of s_i. Default 1e-3.
    pub rho: f64,
    /// Over-relaxation ω in (0, 2). Default 1.6.
    pub omega: f64,
    /// Whether ρ adapts. Default true.
    pub adaptive: bool,
}

impl Default for Admm {
    fn default() -> Self {
        Admm { rho: 1e-3, omega: 1.6, adaptive: true }
    }
}

/// Iterations before the first change of ρ; each change makes the wait half as long again.
const FIRST_CHANGE: usize = 40;
/// ρ changes by this factor.
const CHANGE: f64 = 0.2;
/// ρ stays while the residual falls by this factor an iteration or more: 1e-8 within some 400 iterations.
const GOOD_RATE: f64 = 0.955;
/// ρ stays within these bounds.
const RANGE: (f64, f64) = (1e-7, 1e4);

/// The residual rose this far above its best: ρ is too small for a W that is not positive.
const RUN_AWAY: f64 = 100.0;
/// Impulses this far above the best ones and above q, as velocities, are not worth a look.
const WILD: f64 = 1e4;
/// ρ rises by this factor then, and does not fall below it again.
const RAISE: f64 = 100.0;

/// Where the climb goes on when it has come to the lowest ρ in vain.
const UPPER: f64 = 1.0;

/// Climbs along the rate of convergence: ρ moves on in one direction while that pays, then turns round.
struct Pace {
    wait: usize,
    next: usize,
    /// Iteration and residual at the last change.
    since: (usize, f64),
    /// Factor by which the residual fell an iteration before the last change.
    rate: f64,
    change: f64,
    lowest: f64,
}

impl Pace {
    fn new(residual: f64) -> Self {
        Pace {
            wait: FIRST_CHANGE,
            next: FIRST_CHANGE,
            since: (0, residual),
            rate: 1.0,
            change: CHANGE,
            lowest: RANGE.0,
        }
    }

    /// Whether ρ can rise, and the watch has looked at the residual since the last change.
    fn may_raise(&self, rho: f64, iteration: usize) -> bool {
        rho < RANGE.1 && iteration > self.since.0 + 1 + iteration / 8
    }

    /// A ρ large enough for an iteration that ran away.
    fn raise(&mut self, rho: f64, iteration: usize, residual: f64) -> f64 {
        self.lowest = (rho * RAISE).min(RANGE.1);
        self.next = iteration + self.wait;
        self.since = (iteration, residual);
        self.lowest
    }

    /// The next ρ, where it is time to change it.
    fn next_rho(&mut self, rho: f64, iteration: usize, residual: f64) -> Option<f64> {
        if iteration < self.next {
            return None;
        }
        let rate = (residual / self.since.1).powf(1.0 / (iteration - self.since.0) as f64);
        let good = rate <= GOOD_RATE;
        if !good && rate > self.rate {
            self.change = 1.0 / self.change;
        }
        self.wait += self.wait / 2;
        self.next = iteration + self.wait;
        self.since = (iteration, residual);
        self.rate = rate;
        if rho <= self.lowest && self.change < 1.0 && !good {
            // nothing is left below: on from the other side
            self.change = 1.0 / self.change;
            return Some(UPPER.max(self.lowest));
        }
        let rho_next = (rho * self.change).clamp(self.lowest, RANGE.1);
        (!good && rho_next != rho && rate.is_finite()).then_some(rho_next)
    }
}

impl Method for Admm {
    const NAME: &'static str = "admm";
    const SUMMARY: &'static str = "alternating directions: one factorisation, a projection an iteration";
    const PAPER: &'static str = "Boyd 2011, 3; De Saxce's shift as in Bloch 2023 (39)";
    const COVERS: &'static [Kind] = Kind::SMALL;

    fn validate(&self) -> Result<(), String> {
        super::positive("rho", Some(self.rho))?;
        if self.omega > 0.0 && self.omega < 2.0 {
            Ok(())
        } else {
            Err(format!("omega = {}: give a number between 0 and 2", self.omega))
        }
    }

    fn build<const D: usize>(&self) -> Box<dyn Solver<D>> {
        Box::new(AdmmSolver { settings: self.clone(), system: None })
    }
}

struct AdmmSolver<const D: usize> {
    settings: Admm,
    system: Option<NewtonSystem<D>>,
}

impl<const D: usize> Solver<D> for AdmmSolver<D> {
    fn solve(&mut self, problem: &ContactProblem<D>, z: &mut [Vector<D>], stop: &Stop) -> Outcome {
        let ContactProblem { W, q, laws } = problem;
        let Admm { mut rho, omega, adaptive } = self.settings;
        let contacts = problem.contacts();
        let mut watch = stop.watch(problem);
        if !watch.goes_on(z) {
            return watch.finish(z);
        }
        let system = NewtonSystem::of(&mut self.system, W);
        let s: Vec<f64> = (0..contacts).map(|i| W.scale(i)).collect();
        let factorise = |system: &mut NewtonSystem<D>, rho: f64| {
            let A: Vec<_> = s.iter().map(|s| Matrix::identity() * (rho * s)).collect();
            system.factorise(&A, &vec![Matrix::identity(); contacts]).is_ok()
        };

        update(z, |i, z| *z = laws[i].project(*z));
        let mut u = problem.velocities(z);
        let shift = |i: usize, u: &Vector<D>| laws[i].shift(u);
        let mut xi = vec![Vector::zeros(); contacts];
        let (mut f, mut r, mut z_next) = (xi.clone(), xi.clone(), xi.clone());
        let mut pace = Pace::new(watch.measure());
        let mut factorisations = 1;
        let mut best = (watch.measure(), z.to_vec());
        let mut rescue = Rescue::new();
        let size = |z: &[Vector<D>]| sum(contacts, |i| (z[i] * s[i]).norm_squared()).sqrt();
        let q_size = sum(contacts, |i| q[i].norm_squared()).sqrt();
        let mut solvable = factorise(system, rho);
        loop {
            fill(&mut f, |i| {
                let mut f = (z[i] - xi[i]) * (rho * s[i]) - q[i];
                f[0] -= shift(i, &u[i]);
                f
            });
            solvable = solvable && system.solve_plain(&f, &mut r).is_ok();
            if !solvable {
                watch.end(Status::Stalled);
                break;
            }
            // W r = f − ρ S r: u without a product
            update(&mut u, |i, u| *u = f[i] - r[i] * (rho * s[i]) + q[i]);
            fill(&mut z_next, |i| laws[i].project(r[i] * omega + z[i] * (1.0 - omega) + xi[i]));
            update(&mut xi, |i, xi| *xi += r[i] * omega + z[i] * (1.0 - omega) - z_next[i]);
            let wild = size(&z_next) > WILD * size(&best.1).max(q_size);
            z.copy_from_slice(if wild { &best.1 } else { &z_next });
            if !watch.goes_on(z) {
                break;
            }
            if watch.measure() < best.0 {
                best.0 = watch.measure();
                best.1.copy_from_slice(z);
            }
            let ran_away = watch.measure() > RUN_AWAY * best.0 && pace.may_raise(rho, watch.iterations());
            let next = if wild || ran_away {
                z.copy_from_slice(&best.1);
                if !rescue.sweep(problem, z, &mut watch) || !watch.goes_on(z) {
                    break;
                }
                best.0 = watch.measure();
                best.1.copy_from_slice(z);
                u = problem.velocities(z);
                // −ρSξ is ũ at a solution
                fill(&mut xi, |i| {
                    let mut velocity = u[i];
                    velocity[0] += shift(i, &u[i]);
                    velocity / (-rho * s[i])
                });
                Some(pace.raise(rho, watch.iterations(), best.0))
            } else {
                pace.next_rho(rho, watch.iterations(), watch.measure())
            };
            let next = next.filter(|_| adaptive);
            if let Some(rho_next) = next {
                // ρ ξ is a velocity and stays
                update(&mut xi, |_, xi| *xi *= rho / rho_next);
                rho = rho_next;
                solvable = factorise(system, rho);
                factorisations += 1;
            }
        }
        rescue.note(&mut watch);
        watch.note(format!("{factorisations} factorisations, the last with rho = {rho:.1e}"));
        watch.finish(z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pace_turns_round_where_a_change_does_harm() {
        let mut pace = Pace::new(1.0);
        assert_eq!(pace.next_rho(1.0, 10, 0.9), None, "too early");
        let first = pace.next_rho(1.0, 40, 0.9).unwrap();
        assert!(first < 1.0);
        // slower than before: back
        let second = pace.next_rho(first, 200, 0.89).unwrap();
        assert!(second > first);
        // fast: stay
        assert_eq!(pace.next_rho(second, 400, 1e-8), None);
        // down to the lowest in vain: on from above
        let mut pace = Pace::new(1.0);
        assert_eq!(pace.next_rho(RANGE.0, 40, 1.0), Some(UPPER));
    }
}
