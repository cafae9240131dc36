//! What the gradient methods share: the metric, the estimate of the largest eigenvalue, scalar products, and a
//! stopping test.
//!
//! The convex problem is `½ rᵀWr + qᵀr → min` over the product of the sets K_i. A step is taken in the metric that
//! weighs contact i by 1/s_i, s_i = 1/mean(diag W_ii): since the weight is one number per contact, the projection
//! stays the Euclidean one, while contacts of light and heavy bodies move at their own pace.

use crate::block::Vector;
use crate::delassus::{Carried, Change, Delassus, Product};
use crate::laws::{ContactLaw, Frictionless, Law};
use crate::outcome::Status;
use crate::parallel;
use crate::problem::ContactProblem;
use crate::stop::{Stop, Watch};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Weak};

/// Settings of the methods with one step size.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Step {
    /// Step ρ (the first one if it adapts), impulse per velocity, the same for all contacts. Default: from the
    /// largest eigenvalue of W in the metric of its diagonal.
    pub rho: Option<f64>,
    /// Also stop when |Δr|/(|r| + 1) falls below this: the test printed in Bloch 2023. Default: off.
    pub increment: Option<f64>,
}

impl Step {
    pub(super) fn validate(&self) -> Result<(), String> {
        super::positive("rho", self.rho)?;
        super::positive("increment", self.increment)
    }
}

/// `Σ a_i · b_i`, with a fixed order of summation.
pub(super) fn dot<const D: usize>(a: &[Vector<D>], b: &[Vector<D>]) -> f64 {
    parallel::sum(a.len(), |i| a[i].dot(&b[i]))
}

/// The laws of all contacts; where these are alike, steps read only one.
pub(super) struct Laws<'a> {
    laws: &'a [Law],
    last: usize,
}

impl<'a> Laws<'a> {
    pub fn new(laws: &'a [Law]) -> Self {
        let are_alike = parallel::all(laws.len(), |i| laws[i] == laws[0]);
        Laws { laws, last: if are_alike { 0 } else { laws.len() - 1 } }
    }

    /// Whether no contact has friction or anything else but a normal impulse that pushes.
    fn are_frictionless(&self) -> bool {
        self.last == 0 && matches!(self.laws.first(), Some(Law::Frictionless(_)))
    }

    #[inline(always)]
    fn of(&self, i: usize) -> &Law {
        &self.laws[i.min(self.last)]
    }
}

/// The stopping test of Bloch 2023, Algorithms 1 and 2: `|r⁺ − r|/(|r| + 1) ≤ tol`, kept for reproduction beside the
/// true residual.
pub(super) struct Increment {
    tolerance: Option<f64>,
    reached: bool,
}

impl Increment {
    pub fn new(tolerance: Option<f64>) -> Self {
        Increment { tolerance, reached: false }
    }

    pub fn reached(&self) -> bool {
        self.reached
    }

    /// The clock of a solve that this test ends, where it is asked for.
    pub fn watch<'a, const D: usize>(&self, stop: &'a Stop, problem: &'a ContactProblem<D>) -> Watch<'a, D> {
        match self.tolerance {
            Some(_) => stop.watch_seldom(problem),
            None => stop.watch(problem),
        }
    }

    /// Sees `|r⁺ − r|²` and `|r|²`; where the test is passed, r⁺ is the answer, as in the paper.
    pub fn observe<const D: usize>(&mut self, change: f64, size: f64, watch: &mut Watch<D>) {
        self.reached =
            self.tolerance.is_some_and(|tolerance| change.sqrt() <= tolerance * (size.sqrt() + 1.0));
        if self.reached {
            watch.forget_best();
            watch.end(Status::Stalled);
        }
    }
}

/// One positive weight per contact, or one for all.
pub(super) struct Metric {
    s: Vec<f64>,
}

impl Metric {
    /// The plain metric, for a step size given by the user.
    pub fn plain() -> Self {
        Metric { s: vec![1.0] }
    }

    /// The metric of the diagonal of W.
    pub fn of<const D: usize>(W: &Delassus<D>) -> Self {
        Metric { s: (0..W.contacts()).map(|i| 1.0 / W.scale(i)).collect() }
    }

    #[inline(always)]
    fn s(&self, i: usize) -> f64 {
        self.s[i.min(self.s.len() - 1)]
    }

    /// `r⁺ = P(y − step s g)` contact by contact, from `start(i) = (y_i, g_i)`; with d = r⁺ − r also `g·d`, `|d|²` and `|r|²`.
    pub fn projected_step<const D: usize>(
        &self,
        laws: &Laws,
        start: impl Fn(usize) -> (Vector<D>, Vector<D>) + Sync,
        step: f64,
        r: &[Vector<D>],
        r_next: &mut [Vector<D>],
    ) -> [f64; 3] {
        parallel::fill_and_sum(r_next, |i| {
            let (y, g) = start(i);
            let r_next = laws.of(i).project(y - g * (step * self.s(i)));
            let d = r_next - r[i];
            (r_next, [g.dot(&d), d.norm_squared(), r[i].norm_squared()])
        })
    }

    /// `Σ |d_i|²/s_i`.
    pub fn norm_squared<const D: usize>(&self, d: &[Vector<D>]) -> f64 {
        parallel::sum(d.len(), |i| d[i].norm_squared() / self.s(i))
    }

    /// Largest eigenvalue of W in this metric, by the power method: exact from below to a few percent, so that a
    /// caller must guard its step all the same.
    pub fn largest_eigenvalue<const D: usize>(&self, product: &mut Product<'_, D>) -> f64 {
        let contacts = self.s.len();
        // a start without symmetries, the same for every run
        let mut x: Vec<Vector<D>> = (0..contacts)
            .map(|i| Vector::from_fn(|k, _| 1.0 + 0.5 * (((i * D + k) as f64 + 1.0) * 0.754_877_666).fract()))
            .collect();
        let mut Wx = vec![Vector::zeros(); contacts];
        let mut largest = 0.0;
        for _ in 0..POWER_STEPS {
            let size = self.norm_squared(&x).sqrt();
            parallel::fill(&mut Wx, |i| x[i] / size);
            std::mem::swap(&mut x, &mut Wx);
            product.apply(&x, &mut Wx);
            let estimate = dot(&x, &Wx);
            parallel::fill(&mut x, |i| Wx[i] * self.s[i]);
            if (estimate - largest).abs() <= 1e-3 * estimate {
                return estimate;
            }
            largest = estimate;
        }
        largest
    }
}

/// Impulses on their way: projected steps from y = r + β (r − r_last), and what they do carried along.
pub(super) struct Descent<'a, const D: usize, C> {
    q: &'a [Vector<D>],
    /// What contacts give way by themselves; empty where none does.
    compliance: &'a [Vector<D>],
    laws: Laws<'a>,
    metric: &'a Metric,
    carried: C,
    beta: f64,
    r: Vec<Vector<D>>,
    /// Impulses before these until a step replaces them by the next.
    r_next: Vec<Vector<D>>,
    /// Impulses before these, where a step may be taken again or asked for its curvature; otherwise empty.
    r_last: Vec<Vector<D>>,
}

impl<'a, const D: usize, C: Carried<D>> Descent<'a, D, C> {
    /// From impulses r, whose effect is carried; where it is guarded, steps can be taken again.
    pub fn new(
        problem: &'a ContactProblem<D>,
        carried: C,
        metric: &'a Metric,
        r: &[Vector<D>],
        guarded: bool,
    ) -> Self {
        Descent {
            q: &problem.q,
            compliance: problem.W.compliance(),
            laws: Laws::new(&problem.laws),
            metric,
            carried,
            beta: 0.0,
            r: r.to_vec(),
            r_next: r.to_vec(),
            r_last: if guarded { r.to_vec() } else { Vec::new() },
        }
    }

    /// Whether to do one more step; counts it.
    pub fn goes_on(&self, watch: &mut Watch<D>) -> bool {
        let Descent { q, compliance, carried, r, .. } = self;
        watch.goes_on_from(r, |u| {
            carried.velocities(q, u);
            if !compliance.is_empty() {
                parallel::update(u, |i, u_i| *u_i += own_velocity(compliance, i, &r[i]));
            }
        })
    }

    /// `r⁺ = P(y − step s g)` contact by contact, g = W y + q; with d = r⁺ − r also `g·d`, `|d|²` and `|r|²`.
    pub fn step(&mut self, step: f64) -> [f64; 3] {
        let Descent { q, compliance, laws, metric, carried, beta, r, r_next, r_last } = self;
        if !r_last.is_empty() {
            parallel::fill(r_next, |i| r_last[i]);
        }
        let steps = Steps { q, metric, beta: *beta, step, r };
        if laws.are_frictionless() && compliance.is_empty() {
            carried.step(r_next, &Projected { steps, contacts: RigidAndSmooth })
        } else {
            carried.step(r_next, &Projected { steps, contacts: Contacts { compliance, laws } })
        }
    }

    /// `dᵀWd` and `Σ |d_i|²/s_i` of the way d from y to r⁺: their ratio is the curvature along it.
    pub fn curvature(&self) -> [f64; 2] {
        let Descent { compliance, metric, carried, beta, r, r_next, r_last, .. } = self;
        let way = |i: usize| r_next[i] - (r[i] + (r[i] - r_last[i]) * *beta);
        let [own, length] = parallel::sums(r.len(), |i| {
            let d = way(i);
            [d.dot(&own_velocity(compliance, i, &d)), d.norm_squared() / metric.s(i)]
        });
        [carried.curvature(r_next, way) + own, length]
    }

    /// Goes on from the last step, with β.
    pub fn take_up(&mut self, beta: f64) {
        self.beta = beta;
        self.carried.take_up(&self.r_next, beta);
        std::mem::swap(&mut self.r, &mut self.r_next);
        if !self.r_last.is_empty() {
            std::mem::swap(&mut self.r_next, &mut self.r_last);
        }
    }

    /// The impulses r.
    pub fn impulses(&self) -> &[Vector<D>] {
        &self.r
    }
}

/// How contacts give way by themselves, and what impulses their laws allow.
trait Yield<const D: usize>: Sync {
    /// `E_i r_i`
    fn own_velocity(&self, i: usize, r_i: &Vector<D>) -> Vector<D>;

    /// The impulse of K_i that is nearest to y_i.
    fn project(&self, i: usize, y_i: Vector<D>) -> Vector<D>;
}

/// Contacts of any kind.
struct Contacts<'a, const D: usize> {
    compliance: &'a [Vector<D>],
    laws: &'a Laws<'a>,
}

impl<const D: usize> Yield<D> for Contacts<'_, D> {
    #[inline(always)]
    fn own_velocity(&self, i: usize, r_i: &Vector<D>) -> Vector<D> {
        own_velocity(self.compliance, i, r_i)
    }

    #[inline(always)]
    fn project(&self, i: usize, y_i: Vector<D>) -> Vector<D> {
        self.laws.of(i).project(y_i)
    }
}

/// Rigid contacts without friction, of which a step has nothing to look up.
struct RigidAndSmooth;

impl<const D: usize> Yield<D> for RigidAndSmooth {
    #[inline(always)]
    fn own_velocity(&self, _i: usize, _r_i: &Vector<D>) -> Vector<D> {
        Vector::zeros()
    }

    #[inline(always)]
    fn project(&self, _i: usize, y_i: Vector<D>) -> Vector<D> {
        Frictionless.project(y_i)
    }
}

/// Where a step starts, and how long it is.
struct Steps<'a, const D: usize> {
    q: &'a [Vector<D>],
    metric: &'a Metric,
    beta: f64,
    step: f64,
    r: &'a [Vector<D>],
}

/// One projected step of every impulse.
struct Projected<'a, const D: usize, Y> {
    steps: Steps<'a, D>,
    contacts: Y,
}

impl<const D: usize, Y: Yield<D>> Change<D, 3> for Projected<'_, D, Y> {
    #[inline(always)]
    fn change(&self, i: usize, Wy_i: Vector<D>, slot: &mut Vector<D>) -> [f64; 3] {
        let Steps { q, metric, beta, step, r } = self.steps;
        let r = r[i];
        let y = r + (r - *slot) * beta;
        let g = Wy_i + self.contacts.own_velocity(i, &y) + q[i];
        let r_next = self.contacts.project(i, y - g * (step * metric.s(i)));
        *slot = r_next;
        let d = r_next - r;
        [g.dot(&d), d.norm_squared(), r.norm_squared()]
    }
}

/// `E_i r_i`: how contact i itself gives way.
#[inline(always)]
fn own_velocity<const D: usize>(compliance: &[Vector<D>], i: usize, r_i: &Vector<D>) -> Vector<D> {
    compliance.get(i).map_or_else(Vector::zeros, |E| E.component_mul(r_i))
}

/// The metric of diag W and the largest eigenvalue in it, kept from one solve to the next on the same W.
pub(super) struct Spectrum<const D: usize> {
    of: Weak<Delassus<D>>,
    metric: Arc<Metric>,
    largest: f64,
}

impl<const D: usize> Default for Spectrum<D> {
    fn default() -> Self {
        Spectrum { of: Weak::new(), metric: Arc::new(Metric::plain()), largest: 0.0 }
    }
}

impl<const D: usize> Spectrum<D> {
    /// Metric and largest eigenvalue of W.
    pub fn of(&mut self, W: &Arc<Delassus<D>>) -> (Arc<Metric>, f64) {
        if !Weak::ptr_eq(&self.of, &Arc::downgrade(W)) {
            let metric = Metric::of(W);
            let largest = metric.largest_eigenvalue(&mut W.product());
            *self = Spectrum { of: Arc::downgrade(W), metric: Arc::new(metric), largest };
        }
        (self.metric.clone(), self.largest)
    }
}

/// Products spent on the eigenvalue at most.
const POWER_STEPS: usize = 50;
