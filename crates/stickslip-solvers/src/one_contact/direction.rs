//! The direction of slip in space: the impulse along a trial direction, and Newton's turn towards the right one.
//!
//! ```text
//! r(d) = r_N g,   g = (1, μ d),   r_N = −e·q / (e·W g)      so that e·u = 0
//! f(θ) = d⊥·u_T = 0                                          u_T along d, θ the angle of d
//! ```
//!
//! e = n gives Coulomb's law (u_N = 0 while sliding), e = g the associated one (r·u = 0). Neither form divides by
//! anything that vanishes when stick and slip meet, so it refines an impulse that a search in another variable
//! left with the rounding of that variable, and it turns the faceted cones of [`super::facets`].

use crate::block::{Matrix, Vector, tangent_norm};

/// Which velocity vanishes while sliding.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Flow {
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

/// The impulse on the cone along d, and Newton's turn of d by f(θ) = 0. `None` where no positive impulse along d
/// stops the approach.
pub(super) fn slip_along<const D: usize>(
    W: &Matrix<D>,
    q: &Vector<D>,
    mu: f64,
    d: &Vector<D>,
    flow: Flow,
) -> Option<(Vector<D>, f64)> {
    let perpendicular = quarter_turn(d);
    let mut g = d * mu;
    g[0] = 1.0;
    let g_slope = perpendicular * mu;
    let (Wg, Wg_slope) = (W * g, W * g_slope);
    // r_N = −e·q/(e·Wg) and its slope in θ
    let (above, below, above_slope, below_slope) = match flow {
        Flow::Coulomb => (-q[0], Wg[0], 0.0, Wg_slope[0]),
        Flow::Associated => (-g.dot(q), g.dot(&Wg), -g_slope.dot(q), g_slope.dot(&Wg) + g.dot(&Wg_slope)),
    };
    let r_N = above / below;
    if !(r_N > 0.0 && r_N.is_finite() && below > 0.0) {
        return None;
    }
    let r_N_slope = (above_slope - r_N * below_slope) / below;
    let u = Wg * r_N + q;
    let u_slope = Wg * r_N_slope + Wg_slope * r_N;
    let slope = perpendicular.dot(&u_slope) - d.dot(&u);
    let turn = -perpendicular.dot(&u) / slope;
    Some((g * r_N, if turn.is_finite() { turn } else { 0.0 }))
}

/// Newton's method on f from d; the impulse of the direction where it comes to rest.
pub(super) fn refine<const D: usize>(
    W: &Matrix<D>,
    q: &Vector<D>,
    mu: f64,
    d: Vector<D>,
    flow: Flow,
) -> Option<Vector<D>> {
    /// Quadratic convergence: from a few digits to all of them takes three steps, from none some more.
    const STEPS: usize = 12;
    let (mut r, mut turn) = slip_along(W, q, mu, &d, flow)?;
    let mut d = d;
    for _ in 0..STEPS {
        if turn.abs() < f64::EPSILON {
            break;
        }
        d = turned(&d, turn.clamp(-0.5, 0.5));
        (r, turn) = slip_along(W, q, mu, &unit_tangent(&d)?, flow)?;
    }
    Some(r)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newton_aligns_velocity_and_impulse() {
        let W = Matrix::<3>::new(2.0, 0.3, -0.2, 0.3, 3.0, 0.4, -0.2, 0.4, 1.5);
        let q = Vector::<3>::new(-1.0, 2.0, -1.5);
        for flow in [Flow::Coulomb, Flow::Associated] {
            let start = unit_tangent(&-q).unwrap();
            let r = refine(&W, &q, 0.3, start, flow).unwrap();
            let u = W * r + q;
            let across = (r[1] * u[2] - r[2] * u[1]) / (tangent_norm(&r) * tangent_norm(&u));
            assert!(across.abs() < 1e-14, "{across}");
            assert!(r[1] * u[1] + r[2] * u[2] < 0.0);
            let power = if flow == Flow::Coulomb { u[0] } else { r.dot(&u) };
            assert!(power.abs() < 1e-14);
        }
    }

    #[test]
    fn turn_is_the_newton_step() {
        let W = Matrix::<3>::new(2.0, 0.5, -0.7, 0.1, 3.0, 0.4, -0.2, 0.6, 1.5);
        let q = Vector::<3>::new(-1.0, 2.0, -1.5);
        for flow in [Flow::Coulomb, Flow::Associated] {
            let f = |angle: f64| {
                let d = turned(&Vector::<3>::new(0.0, 1.0, 0.0), angle);
                let (r, turn) = slip_along(&W, &q, 0.3, &d, flow).unwrap();
                (quarter_turn(&d).dot(&(W * r + q)), turn)
            };
            let (angle, h) = (2.3, 1e-6);
            let slope = (f(angle + h).0 - f(angle - h).0) / (2.0 * h);
            let (value, turn) = f(angle);
            assert!((turn + value / slope).abs() < 1e-7 * turn.abs().max(1.0));
        }
    }
}
