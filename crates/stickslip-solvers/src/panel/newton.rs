//! What the Newton methods share: the nonsmooth equations of the laws, their derivatives, and one damped step.
//!
//! ```text
//! F_i(r) = r_i − Φ_i(y_i),   y = r − ρ (u + ε (r − c)),   ρ_i = ρ/s_i,  ε_i = α s_i,  s_i = trace(W_ii)/D
//! (A + B W) dr = −F,   A = I − (1 − ρα) J,   B = ρ_i J,   J = Φ'(y)
//! ```
//!
//! Φ is the response of Alart and Curnier for Coulomb's law, y_N⁺ and the projection of y_T on the disk of radius
//! μ y_N⁺, and the projection on K for every other law, with u + g(u) n for u where the flow is not associated: then
//! B = ρ_i J (I + n g'ᵀ). c is the centre of a proximal step; with c = r the
//! equations are those of the problem itself and α only regularises the matrix, which is singular where W is.

use crate::block::{Matrix, Vector, tangent_norm};
use crate::delassus::Product;
use crate::laws::{ContactLaw, Frictionless, Kind, Law};
use crate::linear::NewtonSystem;
use crate::outcome::Status;
use crate::panel::{Nlgs, Solver};
use crate::parallel;
use crate::problem::ContactProblem;
use crate::stop::{Stop, Watch};
use serde::{Deserialize, Serialize};

/// Which derivative a sliding contact is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// The derivative of Alart and Curnier's equations.
    #[default]
    AlartCurnier,
    /// Active sets (Abide 2021, 5): while a contact slides, the friction bound and direction are those of the last step.
    Pdas,
}

/// Least decrease of |F| that a step must bring, per unit of its length.
const DECREASE: f64 = 1e-4;
/// Halvings of a step.
const HALVINGS: usize = 10;

/// The equations of one problem with their buffers.
pub(super) struct Newton<'a, const D: usize> {
    problem: &'a ContactProblem<D>,
    system: &'a mut NewtonSystem<D>,
    product: Product<'a, D>,
    form: Form,
    rho: f64,
    scale: Vec<f64>,
    pub u: Vec<Vector<D>>,
    F: Vec<Vector<D>>,
    dr: Vec<Vector<D>>,
    Wdr: Vec<Vector<D>>,
    A: Vec<Matrix<D>>,
    B: Vec<Matrix<D>>,
}

/// A proximal term α s_i (r_i − c_i) added to the velocity.
#[derive(Clone, Copy)]
pub(super) struct Proximal<'a, const D: usize> {
    pub alpha: f64,
    /// `None`: the centre is wherever r is.
    pub centre: Option<&'a [Vector<D>]>,
}

impl<'a, const D: usize> Newton<'a, D> {
    pub fn new(
        problem: &'a ContactProblem<D>,
        system: &'a mut NewtonSystem<D>,
        form: Form,
        rho: f64,
    ) -> Self {
        let zero = vec![Vector::zeros(); problem.contacts()];
        let blocks = vec![Matrix::zeros(); problem.contacts()];
        Newton {
            problem,
            system,
            product: problem.W.product(),
            form,
            rho,
            scale: (0..problem.contacts()).map(|i| problem.W.scale(i)).collect(),
            u: zero.clone(),
            F: zero.clone(),
            dr: zero.clone(),
            Wdr: zero,
            A: blocks.clone(),
            B: blocks,
        }
    }

    /// Computes u of r afresh.
    pub fn update(&mut self, r: &[Vector<D>]) {
        self.product.velocities(r, &self.problem.q, &mut self.u);
    }

    /// `|s F|` at r: the size of the equations in velocities; u must belong to r.
    pub fn merit(&self, r: &[Vector<D>], proximal: Proximal<'_, D>) -> f64 {
        self.merit_along(r, 0.0, proximal)
    }

    /// The same at r + t dr, u following along W dr.
    fn merit_along(&self, r: &[Vector<D>], t: f64, proximal: Proximal<'_, D>) -> f64 {
        let term = |i: usize| {
            let r_i = r[i] + self.dr[i] * t;
            let y = self.argument(i, &r_i, &(self.u[i] + self.Wdr[i] * t), proximal);
            (self.scale[i] * (r_i - self.response(i, &r_i, &y))).norm_squared()
        };
        parallel::sum(r.len(), term).sqrt()
    }

    /// y_i.
    fn argument(&self, i: usize, r: &Vector<D>, u: &Vector<D>, proximal: Proximal<'_, D>) -> Vector<D> {
        let pull = proximal.centre.map_or(Vector::zeros(), |c| (r - c[i]) * (self.rho * proximal.alpha));
        let mut y = r - u * (self.rho / self.scale[i]) - pull;
        if let Some(law) = self.shifted(i) {
            y[0] -= law.shift(u) * (self.rho / self.scale[i]);
        }
        y
    }

    /// The law of a contact whose shift enters its equations; that of Coulomb is in the response.
    fn shifted(&self, i: usize) -> Option<&Law> {
        Some(&self.problem.laws[i]).filter(|law| law.kind() == Kind::Cohesive)
    }

    /// Φ_i(y).
    fn response(&self, i: usize, r: &Vector<D>, y: &Vector<D>) -> Vector<D> {
        match self.problem.laws[i] {
            Law::Coulomb(law) => on_disk(y, law.mu * self.bound(r, y)).unwrap_or(Vector::zeros()),
            law => law.project(*y),
        }
    }

    /// The normal impulse that bounds friction.
    fn bound(&self, r: &Vector<D>, y: &Vector<D>) -> f64 {
        match self.form {
            Form::AlartCurnier => y[0],
            Form::Pdas => r[0].max(0.0),
        }
    }

    /// One Newton step with halvings until |F| falls below `reference`; its new size, or `None` where it does not fall.
    pub fn step(&mut self, r: &mut [Vector<D>], proximal: Proximal<'_, D>, reference: f64) -> Option<f64> {
        let keep = 1.0 - self.rho * proximal.alpha;
        for (i, r_i) in r.iter().enumerate() {
            let y = self.argument(i, r_i, &self.u[i], proximal);
            let J = self.derivative(i, r_i, &y);
            self.F[i] = self.response(i, r_i, &y) - r_i;
            self.A[i] = Matrix::identity() - J * keep;
            self.B[i] = J * (self.rho / self.scale[i]);
            if let Some(law) = self.shifted(i) {
                let normal = self.B[i].column(0) * law.shift_slope(&self.u[i]).transpose();
                self.B[i] += normal;
            }
        }
        self.system.factorise(&self.A, &self.B).ok()?;
        self.system.solve(&self.F, &mut self.dr).ok()?;
        self.product.apply(&self.dr, &mut self.Wdr);
        let mut t = 1.0;
        for _ in 0..HALVINGS {
            let merit = self.merit_along(r, t, proximal);
            if merit <= (1.0 - DECREASE * t) * reference {
                parallel::update(r, |i, r| *r += self.dr[i] * t);
                self.update(r);
                return Some(merit);
            }
            t *= 0.5;
        }
        None
    }

    /// One element of Φ_i'(y).
    fn derivative(&self, i: usize, r: &Vector<D>, y: &Vector<D>) -> Matrix<D> {
        match self.problem.laws[i] {
            Law::Coulomb(law) => match self.form {
                Form::AlartCurnier => alart_curnier(y, law.mu),
                Form::Pdas => active_set(y, law.mu * self.bound(r, y)),
            },
            law => law.derivative(y),
        }
    }
}

/// y_N and the projection of y_T on a disk; `None` for an open contact.
fn on_disk<const D: usize>(y: &Vector<D>, radius: f64) -> Option<Vector<D>> {
    if y[0] <= 0.0 {
        return None;
    }
    let y_T = tangent_norm(y);
    let mut p = if y_T <= radius { *y } else { y * (radius / y_T) };
    p[0] = y[0];
    Some(p)
}

/// Derivative of the response of Alart and Curnier, Renouf–Acary 2006 (9).
fn alart_curnier<const D: usize>(y: &Vector<D>, mu: f64) -> Matrix<D> {
    let y_T = tangent_norm(y);
    if y[0] <= 0.0 {
        return Matrix::zeros();
    }
    if y_T <= mu * y[0] {
        return Matrix::identity();
    }
    let mut d = y / y_T;
    d[0] = 0.0;
    let mut J = (Matrix::identity() - d * d.transpose()) * (mu * y[0] / y_T);
    for k in 0..D {
        J[(k, 0)] = if k == 0 { 1.0 } else { mu * d[k] };
    }
    J
}

/// Open, stick or slip with all that slips held, Abide 2021 (5.1)–(5.4).
fn active_set<const D: usize>(y: &Vector<D>, radius: f64) -> Matrix<D> {
    if y[0] > 0.0 && tangent_norm(y) <= radius { Matrix::identity() } else { Frictionless.derivative(y) }
}

/// Sweeps for where Newton's method makes no progress: they always do, if slowly. Twice as many each time.
pub(super) struct Rescue {
    count: usize,
    /// Sweeps so far.
    pub swept: usize,
    failures: usize,
    best: f64,
}

/// Sweeps of the first rescue and of the longest.
const SWEEPS: (usize, usize) = (10, 20_000);
/// Rescues that do not halve the best residual, after which the method stalls.
const MOST_FAILURES: usize = 15;

impl Rescue {
    pub fn new() -> Self {
        Rescue { count: SWEEPS.0, swept: 0, failures: 0, best: f64::INFINITY }
    }

    /// Sweeps from r, or ends the solve where that has helped too little too often.
    pub fn sweep<const D: usize>(
        &mut self,
        problem: &ContactProblem<D>,
        r: &mut [Vector<D>],
        watch: &mut Watch<'_, D>,
    ) -> bool {
        self.failures += 1;
        if watch.measure() < 0.5 * self.best {
            (self.best, self.failures) = (watch.measure(), 0);
        }
        if self.failures > MOST_FAILURES {
            watch.end(Status::Stalled);
            return false;
        }
        let stop = Stop { max_iterations: self.count, ..watch.inner_stop() };
        self.swept += Nlgs::default().solve(problem, r, &stop).iterations;
        self.count = (2 * self.count).min(SWEEPS.1);
        true
    }

    /// Tells how many there were.
    pub fn note<const D: usize>(&self, watch: &mut Watch<'_, D>) {
        if self.swept > 0 {
            watch.note(format!("{} sweeps where the method made no progress", self.swept));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_match_finite_differences() {
        let mu = 0.5;
        for y in [[-1.0, 0.3, 0.1], [2.0, 0.4, 0.3], [1.0, 0.7, -0.9], [0.2, 1.0, 2.0]] {
            let y = Vector::<3>::from(y);
            let response = |y: &Vector<3>| on_disk(y, mu * y[0]).unwrap_or(Vector::zeros());
            for k in 0..3 {
                let mut h = Vector::<3>::zeros();
                h[k] = 1e-6;
                let by = |f: &dyn Fn(&Vector<3>) -> Vector<3>| (f(&(y + h)) - f(&(y - h))) / 2e-6;
                assert!((by(&response) - alart_curnier(&y, mu).column(k)).norm() < 1e-8, "{y}");
            }
        }
    }
}
