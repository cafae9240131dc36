//! The direction of slip in space: Newton's method on the impulse along it.
//!
//! ```text
//! r = r_N g,   g = (1, μ d),   d at the angle θ
//! e·u = 0,     d⊥·u_T = 0                        two equations for r_N and θ
//! ```
//!
//! e = n gives Coulomb's law (u_N = 0 while sliding), e = g the associated one (r·u = 0). Nothing here is divided by
//! what vanishes when stick and slip meet, so a step refines an impulse that a search in another variable left
//! with the rounding of that variable, and it turns the faceted cones of [`super::facets`].

use crate::block::{Matrix, Vector, tangent_norm};

/// Which velocity vanishes while sliding.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Flow {
    /// u_N = 0.
    Coulomb,
    /// r·u = 0.
    Associated,
}

/// The unit tangent along x_T, if there is one.
pub(super) fn unit_tangent<const D: usize>(x: &Vector<D>) -> Option<Vector<D>> {
    let norm = tangent_norm(x);
    let mut d = x / norm;
    d[0] = 0.0;
    (norm > 0.0 && norm.is_finite() && d.norm() > 0.5).then_some(d)
}

/// d turned by an angle in the plane of the first two tangents.
pub(super) fn turned<const D: usize>(d: &Vector<D>, angle: f64) -> Vector<D> {
    let (sine, cosine) = angle.sin_cos();
    d * cosine + quarter_turn(d) * sine
}

/// d⊥; zero where there is one tangent only.
fn quarter_turn<const D: usize>(d: &Vector<D>) -> Vector<D> {
    let mut perpendicular = Vector::zeros();
    if D == 3 {
        perpendicular[1] = -d[2];
        perpendicular[2] = d[1];
    }
    perpendicular
}

/// The impulse on the cone along d that stops the approach, u_N = 0; `None` where no positive one does.
pub(super) fn slip_along<const D: usize>(
    W: &Matrix<D>,
    q: &Vector<D>,
    mu: f64,
    d: &Vector<D>,
) -> Option<Vector<D>> {
    let mut g = d * mu;
    g[0] = 1.0;
    let r_N = -q[0] / (W * g)[0];
    (r_N > 0.0 && r_N.is_finite()).then(|| g * r_N)
}

/// Newton's change of r_N and θ from the impulse r_N (1, μ d).
pub(super) fn newton<const D: usize>(
    W: &Matrix<D>,
    q: &Vector<D>,
    mu: f64,
    (r_N, d): (f64, &Vector<D>),
    flow: Flow,
) -> Option<(f64, f64)> {
    let across = quarter_turn(d);
    let mut g = d * mu;
    g[0] = 1.0;
    let g_slope = across * mu;
    // u and its derivatives by r_N and θ
    let (Wg, Wg_slope) = (W * g, W * g_slope);
    let u = Wg * r_N + q;
    let (mut e, mut e_slope) = (g, g_slope);
    if flow == Flow::Coulomb {
        e.fill(0.0);
        e[0] = 1.0;
        e_slope.fill(0.0);
    }
    let (stop, align) = (e.dot(&u), across.dot(&u));
    // | e·Wg      e'·u + r_N e·Wg'   | (δr_N)     (e·u   )
    // | d⊥·Wg     r_N d⊥·Wg' − d·u   | (δθ  ) = − (d⊥·u_T)
    let (a, b) = (e.dot(&Wg), e_slope.dot(&u) + r_N * e.dot(&Wg_slope));
    let (c, f) = (across.dot(&Wg), r_N * across.dot(&Wg_slope) - d.dot(&u));
    let det = a * f - b * c;
    let change = ((b * align - f * stop) / det, (c * stop - a * align) / det);
    (change.0.is_finite() && change.1.is_finite()).then_some(change)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::solve_dense;

    #[test]
    fn newton_aligns_velocity_and_impulse() {
        let W = Matrix::<3>::new(2.0, 0.3, -0.2, 0.3, 3.0, 0.4, -0.2, 0.4, 1.5);
        let q = Vector::<3>::new(-1.0, 2.0, -1.5);
        let mu = 0.3;
        for flow in [Flow::Coulomb, Flow::Associated] {
            let mut d = unit_tangent(&-q).unwrap();
            let mut r_N = slip_along(&W, &q, mu, &d).unwrap()[0];
            for _ in 0..6 {
                let (r_N_change, turn) = newton(&W, &q, mu, (r_N, &d), flow).unwrap();
                r_N += r_N_change;
                d = turned(&d, turn);
            }
            let r = Vector::<3>::new(r_N, mu * r_N * d[1], mu * r_N * d[2]);
            let u = W * r + q;
            let across = (r[1] * u[2] - r[2] * u[1]) / (tangent_norm(&r) * tangent_norm(&u));
            assert!(across.abs() < 1e-14, "{across}");
            assert!(r_N > 0.0 && r[1] * u[1] + r[2] * u[2] < 0.0);
            let stop = if flow == Flow::Coulomb { u[0] } else { r.dot(&u) };
            assert!(stop.abs() < 1e-14);
        }
    }

    #[test]
    fn step_matches_finite_differences() {
        let W = Matrix::<3>::new(2.0, 0.5, -0.7, 0.1, 3.0, 0.4, -0.2, 0.6, 1.5);
        let q = Vector::<3>::new(-1.0, 2.0, -1.5);
        let mu = 0.3;
        for flow in [Flow::Coulomb, Flow::Associated] {
            let f = |r_N: f64, angle: f64| {
                let d = turned(&Vector::<3>::new(0.0, 1.0, 0.0), angle);
                let mut g = d * mu;
                g[0] = 1.0;
                let u = W * g * r_N + q;
                let stop = if flow == Flow::Coulomb { u[0] } else { g.dot(&u) };
                Vector::<2>::new(stop, quarter_turn(&d).dot(&u))
            };
            let (r_N, angle, h) = (0.7, 2.3, 1e-6);
            let slopes = Matrix::<2>::from_columns(&[
                (f(r_N + h, angle) - f(r_N - h, angle)) / (2.0 * h),
                (f(r_N, angle + h) - f(r_N, angle - h)) / (2.0 * h),
            ]);
            let expected = -solve_dense(slopes, f(r_N, angle)).unwrap();
            let d = turned(&Vector::<3>::new(0.0, 1.0, 0.0), angle);
            let change = newton(&W, &q, mu, (r_N, &d), flow).unwrap();
            assert!((Vector::<2>::new(change.0, change.1) - expected).norm() < 1e-8);
        }
    }
}
