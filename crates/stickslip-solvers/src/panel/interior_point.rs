//! Primal-dual interior point: Nesterov–Todd scaling, Mehrotra's predictor and corrector.
//!
//! ```text
//! r ∈ K,  ũ ∈ K*,  r ∘ ũ = τ e,  τ → 0,     ũ = u for the convex laws,  ũ = u + (μ − ψ)|u_T| n for the others
//! dr + Θ dũ = h,   dũ = G W dr + e,         so (I + Θ G W) dr = h − Θ e
//! ```
//!
//! With x = (μ r_N, r_T) and y = (ũ_N/μ, ũ_T) both cones are the standard one; the scaling S of Nesterov and Todd has
//! S y = S⁻¹ x = λ, Θ is S² in the coordinates of r, h = S (λ \ (σ τ e − λ∘λ − S⁻¹dx ∘ S dy)), and e is what u still
//! lacks. Frictionless contacts, μ = 0 and D = 1 are the cone of one dimension; a locked row has Θ = 1/ε and ũ = 0. For
//! the convex laws G = I, and some twenty iterations reach 1e-9 at any size.
//!
//! Coulomb's law (ψ = 0) and any dilatancy ψ < μ are followed along the same path, that of Tasora 2013, 9 for a flow that
//! is not associated: G = I + (μ − ψ) n dᵀ is the derivative of ũ by u, d = u_T/|u_T|. Cohesion moves the tip of the cone. The
//! certificate says whether the paper's condition for a solution holds. That problem is monotone no more. Where the path ends early, for
//! that reason or by rounding, the steps of [`super::proximal`] go on from there, and the certificate says so.
//!
//! Papers: Nesterov and Todd 1997, Mehrotra 1992, Tasora 2013, 9. Choose it for: convex friction at full accuracy, at any
//! condition of W. It cannot start from a guess. Stalls on: exact friction in hyperstatic packings.

use super::{ApgdAsr, Method, Proximal, Solver};
use crate::block::{Matrix, Vector, tangent_norm};
use crate::laws::{ContactLaw, Kind, Law};
use crate::linear::NewtonSystem;
use crate::outcome::Outcome;
use crate::parallel;
use crate::problem::ContactProblem;
use crate::stop::{Stop, Watch};
use serde::{Deserialize, Serialize};

/// Settings of the interior point.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct InteriorPoint {
    /// Share of the way to the boundary of the cones that a step goes. Default 0.99.
    pub step_share: f64,
    /// Regularisation of joints, in units of s_i. Default 1e-9.
    pub regularisation: f64,
}

impl Default for InteriorPoint {
    fn default() -> Self {
        InteriorPoint { step_share: 0.99, regularisation: 1e-9 }
    }
}

/// After a step shorter than this the next one only returns to the middle of the cones.
const SHORT: f64 = 0.1;
/// Iterations without a residual below this share of the best one after which the path has ended.
const PATIENCE: usize = 12;
const PROGRESS: f64 = 0.9;

impl Method for InteriorPoint {
    const NAME: &'static str = "interior-point";
    const SUMMARY: &'static str = "primal-dual interior point, Nesterov-Todd scaling, Mehrotra's corrector";
    const PAPER: &'static str = "Nesterov-Todd 1997, Mehrotra 1992, Tasora 2013, 9";
    const COVERS: &'static [Kind] = Kind::CONES;

    fn validate(&self) -> Result<(), String> {
        super::positive("regularisation", Some(self.regularisation))?;
        if self.step_share > 0.0 && self.step_share < 1.0 {
            Ok(())
        } else {
            Err(format!("step_share = {}: give a number between 0 and 1", self.step_share))
        }
    }

    fn build<const D: usize>(&self) -> Box<dyn Solver<D>> {
        Box::new(InteriorPointSolver { settings: self.clone(), system: None })
    }
}

struct InteriorPointSolver<const D: usize> {
    settings: InteriorPoint,
    system: Option<NewtonSystem<D>>,
}

impl<const D: usize> Solver<D> for InteriorPointSolver<D> {
    fn solve(&mut self, problem: &ContactProblem<D>, r: &mut [Vector<D>], stop: &Stop) -> Outcome {
        let mut watch = stop.watch_each(problem);
        let system = NewtonSystem::of(&mut self.system, &problem.W);
        if !watch.goes_on(r) {
            return watch.finish(r);
        }
        if problem.laws.iter().any(|law| law.kind() == Kind::Cohesive) {
            watch.note(well_posedness(problem));
        }
        let mut path = Path::new(problem, &self.settings, r);
        let (mut best, mut idle) = (f64::INFINITY, 0);
        loop {
            let step = path.advance(system);
            r.copy_from_slice(&path.r);
            problem.release_open(r, &path.u);
            if !watch.goes_on(r) {
                break;
            }
            idle = if watch.measure() < PROGRESS * best { 0 } else { idle + 1 };
            best = best.min(watch.measure());
            if step.is_none() || idle >= PATIENCE {
                cross_over(problem, r, &mut watch);
                break;
            }
        }
        watch.finish(r)
    }
}

/// Least share of internal forces that sets bodies in motion for which a flow that is not associated is called well posed.
const INTERNAL: f64 = 1e-5;
/// Iterations spent on that question.
const QUESTION: usize = 2000;

/// Whether Tasora 2013, theorem 1, promises a solution: no γ ≠ 0 in the cones with W γ = 0.
///
/// The least of `γᵀWγ/(Σ γ_N)²`, in units of the mean of W_ii, is 1 over `Σ γ_N` at the minimum of `½ γᵀWγ − Σ γ_N`, which has
/// none where internal forces exist.
fn well_posedness<const D: usize>(problem: &ContactProblem<D>) -> String {
    let contacts = problem.contacts();
    let scale = (0..contacts).map(|i| problem.W.scale(i)).sum::<f64>() / contacts as f64;
    let mut question = problem.with_laws(|law| Law::convex(law.mu()));
    question.q.iter_mut().for_each(|q| {
        *q = Vector::zeros();
        q[0] = -1.0;
    });
    let mut gamma = vec![Vector::zeros(); contacts];
    // the residual is relative, and falls where γ grows without end: only the iterations end that
    let stop = Stop { tolerance: 1e-9, max_iterations: QUESTION, ..Stop::default() };
    ApgdAsr::default().build::<D>().solve(&question, &mut gamma, &stop);
    let sum: f64 = gamma.iter().map(|gamma| gamma[0]).sum();
    let least = 1.0 / (sum * scale);
    if least > INTERNAL {
        format!(
            "well posed: every internal force moves bodies, by {least:.0e} at least (Tasora 2013, theorem 1)"
        )
    } else {
        "internal forces that move nothing exist: no theorem promises a solution (Tasora 2013, theorem 1)"
            .into()
    }
}

/// Where the path ends early, by rounding or because Coulomb's law has none: proximal Newton steps from there.
fn cross_over<const D: usize>(problem: &ContactProblem<D>, r: &mut [Vector<D>], watch: &mut Watch<'_, D>) {
    let reached = watch.measure();
    let outcome = Proximal::default().build::<D>().solve(problem, r, &watch.rest());
    watch.count(outcome.iterations);
    watch.end(outcome.status);
    watch.note(format!(
        "the path ended at {reached:.0e}: {} proximal Newton steps followed",
        outcome.iterations
    ));
}

/// The cone of one contact in the coordinates where it is the standard one.
#[derive(Clone, Copy)]
struct Cone {
    /// Components that the cone has; 0 for a joint.
    size: usize,
    /// Weight of the normal component.
    mu: f64,
    /// Friction that enters ũ.
    shift: f64,
    /// How far the tip of the cone lies below the origin.
    cohesion: f64,
}

impl Cone {
    fn of<const D: usize>(law: &Law) -> Self {
        let mu = law.mu();
        let (shift, cohesion) = match law {
            Law::Coulomb(law) => (law.mu, 0.0),
            Law::Cohesive(law) => (law.mu - law.dilatancy, law.cohesion),
            _ => (0.0, 0.0),
        };
        match law {
            Law::Bilateral(_) => Cone { size: 0, mu: 1.0, shift: 0.0, cohesion: 0.0 },
            _ if D == 1 || mu == 0.0 => Cone { size: 1, mu: 1.0, shift: 0.0, cohesion },
            _ => Cone { size: D, mu, shift, cohesion },
        }
    }

    /// r of x.
    fn impulse<const D: usize>(&self, x: &Vector<D>) -> Vector<D> {
        let mut r = self.unweigh_normal(x);
        r[0] -= self.cohesion;
        r
    }

    /// dx of dr, and ũ of y; components outside the cone are dropped.
    fn weigh_normal<const D: usize>(&self, r: &Vector<D>) -> Vector<D> {
        self.weigh(r, self.mu)
    }

    /// y of ũ, and dr of dx.
    fn unweigh_normal<const D: usize>(&self, u: &Vector<D>) -> Vector<D> {
        self.weigh(u, 1.0 / self.mu)
    }

    fn weigh<const D: usize>(&self, v: &Vector<D>, weight: f64) -> Vector<D> {
        Vector::from_fn(|k, _| match k {
            _ if k >= self.size => 0.0,
            0 => v[0] * weight,
            _ => v[k],
        })
    }
}

/// One iterate of the path.
struct Path<'a, const D: usize> {
    problem: &'a ContactProblem<D>,
    settings: &'a InteriorPoint,
    cones: Vec<Cone>,
    r: Vec<Vector<D>>,
    x: Vec<Vector<D>>,
    y: Vec<Vector<D>>,
    /// u = W r + q.
    u: Vec<Vector<D>>,
    /// Length of the last step.
    step: f64,
}

impl<'a, const D: usize> Path<'a, D> {
    /// A start well inside both cones, of the size of q.
    fn new(problem: &'a ContactProblem<D>, settings: &'a InteriorPoint, r: &[Vector<D>]) -> Self {
        let cones: Vec<Cone> = problem.laws.iter().map(Cone::of::<D>).collect();
        let size = problem.q.iter().map(|q| q.norm()).fold(0.0, f64::max);
        let size = if size > 0.0 { size } else { 1.0 };
        let mut path = Path {
            problem,
            settings,
            x: vec![Vector::zeros(); r.len()],
            y: vec![Vector::zeros(); r.len()],
            u: Vec::new(),
            step: 1.0,
            r: r.iter().zip(&problem.laws).map(|(r, law)| law.project(*r)).collect(),
            cones,
        };
        for (i, cone) in path.cones.iter().enumerate().filter(|(_, cone)| cone.size > 0) {
            path.x[i][0] = size / problem.W.scale(i) * cone.mu.min(1.0);
            path.y[i][0] = size * (1.0 + cone.shift);
            path.r[i] = cone.impulse(&path.x[i]);
        }
        path.u = problem.velocities(&path.r);
        path
    }

    /// τ: the mean of r·ũ.
    fn gap(&self) -> f64 {
        let cones = self.cones.iter().filter(|cone| cone.size > 0).count().max(1);
        parallel::sum(self.x.len(), |i| self.x[i].dot(&self.y[i])) / cones as f64
    }

    /// Predictor and corrector; the length of the step, or `None` where the system cannot be solved.
    fn advance(&mut self, system: &mut NewtonSystem<D>) -> Option<f64> {
        let contacts = self.r.len();
        let scalings: Vec<Scaling<D>> = (0..contacts).map(|i| self.scaling(i)).collect();
        let G: Vec<Matrix<D>> = (0..contacts).map(|i| self.slope(i)).collect();
        let lack: Vec<Vector<D>> = (0..contacts).map(|i| self.lack(i)).collect();
        let gap = self.gap();
        let row: Vec<f64> =
            (0..contacts).map(|i| 1.0 / (1.0 + scalings[i].Theta.amax() * self.problem.W.scale(i))).collect();
        let A: Vec<_> = row.iter().map(|row| Matrix::identity() * *row).collect();
        let B: Vec<_> = (0..contacts).map(|i| scalings[i].Theta * G[i] * row[i]).collect();
        system.factorise(&A, &B).ok()?;

        let mut product = self.problem.W.product();
        let (mut dr, mut f) = (self.r.clone(), self.r.clone());
        let mut Wdr = self.r.clone();
        let mut solve = |h: &[Vector<D>], path: &Self| -> Option<(Vec<Vector<D>>, Vec<Vector<D>>)> {
            parallel::fill(&mut f, |i| (h[i] - scalings[i].Theta * lack[i]) * row[i]);
            system.solve(&f, &mut dr).ok()?;
            product.apply(&dr, &mut Wdr);
            // dx from dr and not as h − Θ dũ, where a large Θ would multiply the rounding of dũ
            let dx = |i: usize| path.cones[i].weigh_normal(&dr[i]);
            let dy = |i: usize| path.cones[i].unweigh_normal(&(G[i] * Wdr[i] + lack[i]));
            Some((0..contacts).map(|i| (dx(i), dy(i))).unzip())
        };

        // predictor: straight to τ = 0
        let target = |i: usize, tau: f64, correction: Vector<D>| {
            let S = &scalings[i];
            let mut d = -jordan(&S.lambda, &S.lambda) - correction;
            d[0] += if self.cones[i].size > 0 { tau } else { 0.0 };
            S.apply(&divide(&S.lambda, &d))
        };
        let impulse = |i: usize, v: Vector<D>| self.cones[i].unweigh_normal(&v);
        let h: Vec<_> = (0..contacts).map(|i| impulse(i, target(i, 0.0, Vector::zeros()))).collect();
        let (dx, dy) = solve(&h, self)?;
        let reach = self.longest(&dx, &dy).min(1.0);
        let sigma = if self.step < SHORT { 1.0 } else { (1.0 - reach).powi(3).clamp(1e-8, 1.0) };

        // corrector: the second-order term of the predictor, and a target τ > 0
        let corrected = |i: usize| {
            let S = &scalings[i];
            let correction = jordan(&S.apply_inverse(&dx[i]), &S.apply(&dy[i]));
            target(i, sigma * gap, correction)
        };
        let h: Vec<_> = (0..contacts).map(|i| impulse(i, corrected(i))).collect();
        let (dx, dy) = solve(&h, self)?;
        let t = (self.settings.step_share * self.longest(&dx, &dy)).min(1.0);
        for i in 0..contacts {
            self.x[i] += dx[i] * t;
            self.y[i] += dy[i] * t;
            self.r[i] = if self.cones[i].size == 0 {
                self.r[i] + dr[i] * t
            } else {
                self.cones[i].impulse(&self.x[i])
            };
        }
        self.u = self.problem.velocities(&self.r);
        self.step = t;
        t.is_finite().then_some(t)
    }

    /// The derivative of ũ by u: 1 + μ n dᵀ.
    fn slope(&self, i: usize) -> Matrix<D> {
        let mut G = Matrix::identity();
        let speed = tangent_norm(&self.u[i]);
        if speed > 0.0 {
            (1..D).for_each(|k| G[(0, k)] = self.cones[i].shift * self.u[i][k] / speed);
        }
        G
    }

    /// What the dual variable lacks to be ũ of r.
    fn lack(&self, i: usize) -> Vector<D> {
        let mut lack = self.u[i] - self.cones[i].weigh_normal(&self.y[i]);
        lack[0] += self.cones[i].shift * tangent_norm(&self.u[i]);
        lack
    }

    fn scaling(&self, i: usize) -> Scaling<D> {
        let cone = &self.cones[i];
        if cone.size == 0 {
            let softness = 1.0 / (self.settings.regularisation * self.problem.W.scale(i));
            // the locked rows alone
            return Scaling::joint(self.problem.laws[i].project(Vector::repeat(softness)));
        }
        Scaling::new(cone, &self.x[i], &self.y[i])
    }

    /// The longest step that leaves x and y in their cones.
    fn longest(&self, dx: &[Vector<D>], dy: &[Vector<D>]) -> f64 {
        let mut t = f64::INFINITY;
        for i in (0..dx.len()).filter(|&i| self.cones[i].size > 0) {
            t = t.min(to_boundary(&self.x[i], &dx[i])).min(to_boundary(&self.y[i], &dy[i]));
        }
        t
    }
}

/// The scaling of Nesterov and Todd at one contact: `S y = S⁻¹ x = λ`, `S = η (…)` of the unit vector w.
struct Scaling<const D: usize> {
    eta: f64,
    w: Vector<D>,
    size: usize,
    lambda: Vector<D>,
    /// S² in the coordinates of r and ũ.
    Theta: Matrix<D>,
}

impl<const D: usize> Scaling<D> {
    fn joint(softness: Vector<D>) -> Self {
        let zero = Vector::zeros();
        Scaling { eta: 0.0, w: zero, size: 0, lambda: zero, Theta: Matrix::from_diagonal(&softness) }
    }

    fn new(cone: &Cone, x: &Vector<D>, y: &Vector<D>) -> Self {
        let (x_size, y_size) = (determinant(x).sqrt(), determinant(y).sqrt());
        let (x_unit, y_unit) = (x / x_size, y / y_size);
        let gamma = (0.5 * (1.0 + x_unit.dot(&y_unit))).sqrt();
        let w = (x_unit + reflect(&y_unit)) / (2.0 * gamma);
        let eta = (x_size / y_size).sqrt();
        let mut S = Scaling { eta, w, size: cone.size, lambda: Vector::zeros(), Theta: Matrix::zeros() };
        S.lambda = S.apply(y);
        for l in 0..cone.size {
            let mut e = Vector::zeros();
            e[l] = 1.0;
            S.Theta.set_column(l, &cone.unweigh_normal(&S.square(&cone.unweigh_normal(&e))));
        }
        S
    }

    /// `S v`.
    fn apply(&self, v: &Vector<D>) -> Vector<D> {
        if self.size == 0 { Vector::zeros() } else { hyperbolic(&self.w, v) * self.eta }
    }

    /// `S⁻¹ v`.
    fn apply_inverse(&self, v: &Vector<D>) -> Vector<D> {
        if self.size == 0 { Vector::zeros() } else { hyperbolic(&reflect(&self.w), v) / self.eta }
    }

    /// `S² v = η² (2 w wᵀ − J) v`.
    fn square(&self, v: &Vector<D>) -> Vector<D> {
        if self.size == 0 {
            return Vector::zeros();
        }
        (self.w * (2.0 * self.w.dot(v)) - reflect(v)) * (self.eta * self.eta)
    }
}

/// `[w₀ w₁ᵀ; w₁ I + w₁w₁ᵀ/(1 + w₀)] v`.
fn hyperbolic<const D: usize>(w: &Vector<D>, v: &Vector<D>) -> Vector<D> {
    let along = w.dot(v) - w[0] * v[0];
    let mut out = v + w * (v[0] + along / (1.0 + w[0]));
    out[0] = w.dot(v);
    out
}

/// `J v`: tangents reversed.
fn reflect<const D: usize>(v: &Vector<D>) -> Vector<D> {
    let mut out = -v;
    out[0] = v[0];
    out
}

/// `v₀² − |v₁|²`, without cancellation.
fn determinant<const D: usize>(v: &Vector<D>) -> f64 {
    let tangent = tangent_norm(v);
    (v[0] - tangent) * (v[0] + tangent)
}

/// The product of the cone, `a ∘ b = (a·b, a₀b₁ + b₀a₁)`.
fn jordan<const D: usize>(a: &Vector<D>, b: &Vector<D>) -> Vector<D> {
    let mut out = b * a[0] + a * b[0];
    out[0] = a.dot(b);
    out
}

/// v with `a ∘ v = d`; 0 where a joint has no cone.
fn divide<const D: usize>(a: &Vector<D>, d: &Vector<D>) -> Vector<D> {
    if a[0] == 0.0 {
        return Vector::zeros();
    }
    let first = (2.0 * a[0] * d[0] - a.dot(d)) / determinant(a);
    let mut out = (d - a * first) / a[0];
    out[0] = first;
    out
}

/// The largest t with v + t dv in the cone.
fn to_boundary<const D: usize>(v: &Vector<D>, dv: &Vector<D>) -> f64 {
    let a = dv[0] * dv[0] - tangent_norm(dv).powi(2);
    let b = 2.0 * v[0] * dv[0] - v.dot(dv);
    let c = determinant(v);
    // roots of a t² + 2 b t + c, c > 0, in the form that does not cancel
    let discriminant = b * b - a * c;
    let apex = if dv[0] < 0.0 { -v[0] / dv[0] } else { f64::INFINITY };
    if discriminant < 0.0 {
        return apex;
    }
    let root = if b < 0.0 { c / (-b + discriminant.sqrt()) } else { -(b + discriminant.sqrt()) / a };
    if root > 0.0 { apex.min(root) } else { apex }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaling_maps_both_sides_to_one_point() {
        let cone = Cone { size: 3, mu: 0.4, shift: 0.0, cohesion: 0.0 };
        let (x, y) = (Vector::<3>::new(2.0, 1.0, -0.5), Vector::<3>::new(1.0, -0.2, 0.7));
        let S = Scaling::new(&cone, &x, &y);
        assert!((S.apply(&y) - S.apply_inverse(&x)).norm() < 1e-14);
        assert!((S.square(&y) - x).norm() < 1e-14);
        assert!((S.apply(&S.apply(&y)) - x).norm() < 1e-14);
        let d = Vector::<3>::new(0.3, -1.0, 2.0);
        assert!((jordan(&S.lambda, &divide(&S.lambda, &d)) - d).norm() < 1e-13);
        let (r, u) = (cone.unweigh_normal(&x), cone.weigh_normal(&y));
        assert!((S.Theta * u - r).norm() < 1e-13, "Θ takes ũ to r");
    }

    #[test]
    fn steps_end_on_the_boundary() {
        for dv in [[-1.0, 0.3, 0.2], [0.1, 3.0, -1.0], [-0.5, -2.0, 0.0], [1.0, 1.0, 0.0]] {
            let (v, dv) = (Vector::<3>::new(2.0, 0.5, -0.7), Vector::<3>::from(dv));
            let t = to_boundary(&v, &dv);
            if t.is_finite() {
                assert!(determinant(&(v + dv * t)).abs() < 1e-12 && t > 0.0, "{t}");
            } else {
                assert!(determinant(&dv) >= 0.0 && dv[0] >= 0.0);
            }
        }
    }
}
