//! Accelerated projected gradient (Nesterov), with adaptive step and adaptive restart as options.
//!
//! ```text
//! r⁺ = P_K(y − ρ (W y + q))
//! θ⁺ = ½ (θ √(4 + θ²) − θ²),   β = θ (1 − θ)/(θ² + θ⁺)
//! y⁺ = r⁺ + β (r⁺ − r)                                             Bloch 2023, Algorithm 2
//! ```
//!
//! Adaptive step (`-as`): with ρ = 1/L, L is first lowered by 3 %, then doubled while
//! f(r⁺) > f(y) + ∇f(y)·d + ½L|d|², d = r⁺ − y. For our quadratic f that test is exactly `dᵀWd > L|d|²`, which needs no
//! function values and suffers no cancellation. Adaptive restart (`-ar`): the momentum is dropped (θ = 1, y = r) when
//! ∇f(y)·(r⁺ − r) > 0. `-asr` is both.
//!
//! What impulses do is carried along as velocities of bodies, at y by linearity: an iteration costs one pass over the
//! contacts, and the true residual is at hand. Memory sets the pace: neither y nor velocities of contacts are stored.
//! Choose it for: convex friction at large sizes; `apgd-asr` is the one to start with.

use super::gradient::{Descent, Increment, Metric, Spectrum, Step};
use super::{Method, Solver};
use crate::block::Vector;
use crate::delassus::{Carried, Carries, with_form};
use crate::laws::Kind;
use crate::outcome::Outcome;
use crate::problem::ContactProblem;
use crate::stop::{Stop, Watch};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The accelerated gradient; the variant is its type.
#[derive(Clone, Debug, Default)]
pub struct Accelerated<const ADAPTIVE_STEP: bool, const RESTART: bool>(pub Step);

/// `apgd`
pub type Apgd = Accelerated<false, false>;
/// `apgd-as`
pub type ApgdAs = Accelerated<true, false>;
/// `apgd-ar`
pub type ApgdAr = Accelerated<false, true>;
/// `apgd-asr`
pub type ApgdAsr = Accelerated<true, true>;

/// L shrinks by this factor before each adaptive step (Bloch 2023, 3.1.2).
const LOWER: f64 = 0.97;
/// L does not shrink below this part of λ_max where that is known: a much longer step only excites what the next one
/// must damp.
const LOWEST: f64 = 0.7;
/// L grows by this factor while the step is too long (Bloch 2023, 3.1.2).
const RAISE: f64 = 2.0;

impl<const ADAPTIVE_STEP: bool, const RESTART: bool> Method for Accelerated<ADAPTIVE_STEP, RESTART> {
    const NAME: &'static str = match (ADAPTIVE_STEP, RESTART) {
        (false, false) => "apgd",
        (true, false) => "apgd-as",
        (false, true) => "apgd-ar",
        (true, true) => "apgd-asr",
    };
    const SUMMARY: &'static str = match (ADAPTIVE_STEP, RESTART) {
        (false, false) => "accelerated projected gradient (Nesterov)",
        (true, false) => "accelerated projected gradient, adaptive step",
        (false, true) => "accelerated projected gradient, adaptive restart",
        (true, true) => "accelerated projected gradient, adaptive step and restart",
    };
    const PAPER: &'static str = "Bloch 2023, Algorithm 2 and 3.1.2";
    const COVERS: &'static [Kind] = Kind::CONVEX;

    fn validate(&self) -> Result<(), String> {
        self.0.validate()
    }

    fn build<const D: usize>(&self) -> Box<dyn Solver<D>> {
        Box::new(AcceleratedSolver::<D, ADAPTIVE_STEP, RESTART> {
            settings: self.0.clone(),
            spectrum: Spectrum::default(),
        })
    }
}

// serde derives nothing for const parameters
impl<const ADAPTIVE_STEP: bool, const RESTART: bool> Serialize for Accelerated<ADAPTIVE_STEP, RESTART> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, const ADAPTIVE_STEP: bool, const RESTART: bool> Deserialize<'de>
    for Accelerated<ADAPTIVE_STEP, RESTART>
{
    fn deserialize<T: Deserializer<'de>>(deserializer: T) -> Result<Self, T::Error> {
        Step::deserialize(deserializer).map(Accelerated)
    }
}

struct AcceleratedSolver<const D: usize, const ADAPTIVE_STEP: bool, const RESTART: bool> {
    settings: Step,
    spectrum: Spectrum<D>,
}

impl<const D: usize, const ADAPTIVE_STEP: bool, const RESTART: bool> Solver<D>
    for AcceleratedSolver<D, ADAPTIVE_STEP, RESTART>
{
    fn solve(&mut self, problem: &ContactProblem<D>, r: &mut [Vector<D>], stop: &Stop) -> Outcome {
        // L = 1/ρ bounds the curvature of f in the metric
        let (metric, L, L_lowest) = match self.settings.rho {
            Some(rho) => (Metric::plain().into(), 1.0 / rho, 0.0),
            None => {
                let (metric, largest) = self.spectrum.of(&problem.W);
                (metric, largest, LOWEST * largest)
            }
        };
        let momentum = Momentum {
            adaptive: ADAPTIVE_STEP,
            restarts: RESTART,
            is_given: self.settings.rho.is_some(),
            L,
            L_lowest,
        };
        let mut increment = Increment::new(self.settings.increment);
        let mut watch = increment.watch(stop, problem);
        with_form!(&*problem.W, W => {
            let descent = Descent::new(problem, W.carried(r), &metric, r, momentum.is_guarded());
            momentum.run(descent, r, &mut watch, &mut increment);
        });
        watch.finish(r)
    }
}

/// How momentum and step change.
struct Momentum {
    adaptive: bool,
    restarts: bool,
    /// Whether the first step is the user's.
    is_given: bool,
    L: f64,
    L_lowest: f64,
}

impl Momentum {
    /// A step that is neither given nor adaptive is still guarded: λ_max is only an estimate.
    fn is_guarded(&self) -> bool {
        self.adaptive || !self.is_given
    }

    fn run<const D: usize>(
        self,
        mut descent: Descent<D, impl Carried<D>>,
        r: &mut [Vector<D>],
        watch: &mut Watch<D>,
        increment: &mut Increment,
    ) {
        let mut L = self.L;
        let mut theta: f64 = 1.0;
        while !increment.reached() && descent.goes_on(watch) {
            let [uphill, change, size] = loop {
                let sums = descent.step(1.0 / L);
                if !self.is_guarded() {
                    break sums;
                }
                let [curvature, length] = descent.curvature();
                // the last factor lets rounding pass where the step has become tiny
                let bound = L * length * (1.0 + 1e-10);
                if curvature <= bound || !curvature.is_finite() || !L.is_finite() {
                    break sums;
                }
                L *= RAISE;
            };
            // ∇f(y)·(r⁺ − r) > 0: the momentum points uphill
            let restart = self.restarts && uphill > 0.0;
            // a longer next step allows less momentum: 1/θ⁺² shrinks with L (not in the printed algorithm, which a given
            // ρ follows)
            let L_next = if self.adaptive { (L * LOWER).max(self.L_lowest) } else { L };
            let theta_kept = if self.is_given { theta } else { (theta * (L / L_next).sqrt()).min(1.0) };
            let beta;
            (theta, beta) = if restart {
                (1.0, 0.0)
            } else {
                let squared = theta_kept * theta_kept;
                let theta_next = 0.5 * (theta_kept * (4.0 + squared).sqrt() - squared);
                (theta_next, theta_kept * (1.0 - theta) / (squared + theta_next))
            };
            L = L_next;
            increment.observe(change, size, watch);
            descent.take_up(beta);
        }
        r.copy_from_slice(descent.impulses());
    }
}
