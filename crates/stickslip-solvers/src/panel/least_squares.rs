//! Least squares: the natural map itself made as small as it gets, all contacts at once (Levenberg 1944, Marquardt 1963).
//!
//! ```text
//! F_i(r) = s_i r_i − P(y_i),   y_i = s_i r_i − u_i − g(u_i) n,   s_i = trace(W_ii)/D,   x = s dr
//! |K x + F|² + λ²|x|² → min,   K = A + B W s⁻¹,   A = I − J,   B = J (I + n g'ᵀ),   J = P'(y)
//! r ← r + x/s  where |F| falls;  λ falls with it, and grows where it does not
//! ```
//!
//! Newton's method asks for K x = −F. Where contacts hold each other, K is all but singular and the equations all but contradict
//! each other: its step then runs along a self-stress, as far as the contradiction divided by almost nothing, out of the state of open,
//! sticking and sliding contacts for which K was made. The least squares leave the contradiction alone and mend the rest, in that state.
//! |F| is what the certificate measures, so that no step makes it worse. Conjugate gradients on the normal equations solve them, two
//! products with W an iteration and no factorisation, for symmetric W (with others the steps are rough, and judged all the same).
//!
//! It serves other methods for the last digits near a solution, and stalls from afar, where |F| has minima that are no solutions.

use super::Solver;
use super::gradient::dot;
use crate::block::{Matrix, Vector};
use crate::delassus::Product;
use crate::laws::{ContactLaw, Law};
use crate::outcome::{Outcome, Status};
use crate::parallel;
use crate::problem::ContactProblem;
use crate::stop::Stop;

/// The method as a stage of others.
#[derive(Clone, Copy)]
pub(super) struct LeastSquares;

/// λ of the first step.
const FIRST_DAMPING: f64 = 1e-4;
/// λ stays above this.
const LEAST_DAMPING: f64 = 1e-9;
/// λ grows by this factor where |F| does not fall, and shrinks by it where |F| falls well, by its root otherwise.
const FACTOR: f64 = 4.0;
/// |F| falls well where it loses this share of itself.
const WELL: f64 = 0.1;
/// So often in a row λ grows before the method stalls.
const MOST_REFUSALS: usize = 8;
/// Conjugate gradients of a step at most.
const MOST_GRADIENTS: usize = 400;
/// The gradient that they leave, relative to the first.
const INNER_TOLERANCE: f64 = 1e-5;

impl<const D: usize> Solver<D> for LeastSquares {
    fn solve(&mut self, problem: &ContactProblem<D>, r: &mut [Vector<D>], stop: &Stop) -> Outcome {
        let mut watch = stop.watch_each(problem);
        let mut map = NaturalMap::new(problem);
        let mut damping = FIRST_DAMPING;
        let mut size = map.evaluate(r);
        'steps: while watch.goes_on_with(r, &map.u) {
            map.linearise(r);
            for _ in 0..MOST_REFUSALS {
                map.step(damping);
                let next: Vec<_> = (0..r.len()).map(|i| r[i] + map.x[i] / map.scale[i]).collect();
                let next_size = map.evaluate(&next);
                if next_size < size {
                    let well = next_size < (1.0 - WELL) * size;
                    damping = (damping / if well { FACTOR } else { FACTOR.sqrt() }).max(LEAST_DAMPING);
                    size = next_size;
                    r.copy_from_slice(&next);
                    continue 'steps;
                }
                damping *= FACTOR;
            }
            watch.end(Status::Stalled);
            break;
        }
        watch.finish(r)
    }
}

/// F of one problem, its derivative K, and the buffers of a step.
struct NaturalMap<'a, const D: usize> {
    problem: &'a ContactProblem<D>,
    product: Product<'a, D>,
    scale: Vec<f64>,
    /// The laws of s r.
    laws: Vec<Law>,
    u: Vec<Vector<D>>,
    /// −F where K was taken.
    rest: Vec<Vector<D>>,
    A: Vec<Matrix<D>>,
    B: Vec<Matrix<D>>,
    /// The step, s dr.
    x: Vec<Vector<D>>,
    between: Vec<Vector<D>>,
}

impl<'a, const D: usize> NaturalMap<'a, D> {
    fn new(problem: &'a ContactProblem<D>) -> Self {
        let scale: Vec<f64> = (0..problem.contacts()).map(|i| problem.W.scale(i)).collect();
        let laws = problem.laws.iter().zip(&scale).map(|(law, &s)| law.scaled(s)).collect();
        let zero = vec![Vector::zeros(); scale.len()];
        let blocks = vec![Matrix::zeros(); scale.len()];
        NaturalMap {
            problem,
            product: problem.W.product(),
            scale,
            laws,
            u: zero.clone(),
            rest: zero.clone(),
            A: blocks.clone(),
            B: blocks,
            x: zero.clone(),
            between: zero,
        }
    }

    /// Takes u of r; |F| there.
    fn evaluate(&mut self, r: &[Vector<D>]) -> f64 {
        self.product.velocities(r, &self.problem.q, &mut self.u);
        let F_i = |i: usize| self.laws[i].natural_map(&(r[i] * self.scale[i]), &self.u[i]);
        parallel::sum(r.len(), |i| F_i(i).norm_squared()).sqrt()
    }

    /// Takes −F, A and B at r, whose u is at hand.
    fn linearise(&mut self, r: &[Vector<D>]) {
        for (i, law) in self.laws.iter().enumerate() {
            let (sr, u) = (r[i] * self.scale[i], &self.u[i]);
            self.rest[i] = -law.natural_map(&sr, u);
            let mut y = sr - u;
            y[0] -= law.shift(u);
            let J = law.derivative(&y);
            self.A[i] = Matrix::identity() - J;
            self.B[i] = J + J.column(0) * law.shift_slope(u).transpose();
        }
    }

    /// x that minimises |K x − rest|² + λ²|x|², by conjugate gradients from zero.
    fn step(&mut self, damping: f64) {
        let damping = damping * damping;
        let contacts = self.x.len();
        let mut rest = self.rest.clone();
        let mut gradient = vec![Vector::zeros(); contacts];
        let mut Kp = gradient.clone();
        self.x.fill(Vector::zeros());
        self.apply_transposed(&rest, &mut gradient);
        let mut p = gradient.clone();
        let mut size = dot(&gradient, &gradient);
        let enough = INNER_TOLERANCE * INNER_TOLERANCE * size;
        for _ in 0..MOST_GRADIENTS {
            self.apply(&p, &mut Kp);
            let curvature = dot(&Kp, &Kp) + damping * dot(&p, &p);
            if size <= enough || curvature <= 0.0 {
                break;
            }
            let t = size / curvature;
            parallel::update(&mut self.x, |i, x| *x += p[i] * t);
            parallel::update(&mut rest, |i, rest| *rest -= Kp[i] * t);
            self.apply_transposed(&rest, &mut gradient);
            let x = &self.x;
            parallel::update(&mut gradient, |i, gradient| *gradient -= x[i] * damping);
            let last = std::mem::replace(&mut size, dot(&gradient, &gradient));
            let beta = size / last;
            parallel::update(&mut p, |i, p| *p = gradient[i] + *p * beta);
        }
    }

    /// `out = K x`.
    fn apply(&mut self, x: &[Vector<D>], out: &mut [Vector<D>]) {
        let NaturalMap { A, B, scale, between, product, .. } = self;
        parallel::fill(between, |i| x[i] / scale[i]);
        product.apply(between, out);
        parallel::update(out, |i, out| *out = A[i] * x[i] + B[i] * *out);
    }

    /// `out = Kᵀ y`, W being symmetric.
    fn apply_transposed(&mut self, y: &[Vector<D>], out: &mut [Vector<D>]) {
        let NaturalMap { A, B, scale, between, product, .. } = self;
        parallel::fill(between, |i| B[i].tr_mul(&y[i]));
        product.apply(between, out);
        parallel::update(out, |i, out| *out = A[i].tr_mul(&y[i]) + *out / scale[i]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fclib::Fclib;
    use crate::panel::Nlgs;

    /// A packing of disks and impulses near its solution.
    fn near(tolerance: f64) -> (ContactProblem<2>, Vec<Vector<2>>, Outcome) {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../problems/disks2d-1k.hdf5");
        let file = Fclib::read(path.as_ref()).unwrap();
        let problem = file.problem::<2>(Law::coulomb).unwrap();
        let mut r = file.start::<2>();
        let outcome = Nlgs::default().solve(&problem, &mut r, &Stop { tolerance, ..Stop::default() });
        (problem, r, outcome)
    }

    #[test]
    fn the_derivative_and_its_transpose_match_finite_differences() {
        let (problem, r, _) = near(1e-3);
        let mut map = NaturalMap::new(&problem);
        map.evaluate(&r);
        map.linearise(&r);
        let x: Vec<_> =
            (0..r.len()).map(|i| Vector::<2>::new((i as f64).sin(), (2.0 * i as f64).cos())).collect();
        let [mut Kx, mut Kty] = [x.clone(), x.clone()];
        map.apply(&x, &mut Kx);
        let y: Vec<_> =
            (0..r.len()).map(|i| Vector::<2>::new((3.0 * i as f64).cos(), (i as f64).cos())).collect();
        map.apply_transposed(&y, &mut Kty);
        assert!((dot(&Kx, &y) - dot(&x, &Kty)).abs() < 1e-10 * dot(&Kx, &Kx).sqrt() * dot(&y, &y).sqrt());
        let h = 1e-9;
        let ahead: Vec<_> = (0..r.len()).map(|i| r[i] + x[i] * (h / map.scale[i])).collect();
        let rest = map.rest.clone();
        map.evaluate(&ahead);
        map.linearise(&ahead);
        let slope: Vec<_> = (0..r.len()).map(|i| (rest[i] - map.rest[i]) / h).collect();
        let off = (0..r.len()).filter(|&i| (slope[i] - Kx[i]).norm() > 1e-4).count();
        // a few contacts lie within h of another state
        assert!(off <= r.len() / 20, "{off} of {} contacts", r.len());
    }

    #[test]
    fn steps_gain_near_a_solution_and_never_lose() {
        let (problem, r_start, before) = near(1e-6);
        let mut r = r_start.clone();
        let stop = Stop { tolerance: 1e-300, max_iterations: 10, ..Stop::default() };
        let after = LeastSquares.solve(&problem, &mut r, &stop);
        assert!(after.residual.scaled < 0.6 * before.residual.scaled, "{before:?}\n{after:?}");
        let sizes: Vec<f64> = after.trace.iter().map(|check| check.residual.scaled).collect();
        assert!(sizes.windows(2).all(|pair| pair[1] <= 1.001 * pair[0]), "{sizes:?}");
    }
}
