//! Superellipse and superellipsoid about their centre, with the radii a, b, c along the axes:
//!
//! ```text
//! in the plane   |x/a|^p + |y/b|^p ≤ 1
//! in space       (|x/a|^p + |y/b|^p)^(q/p) + |z/c|^q ≤ 1
//! ```
//!
//! p is the exponent `across` the last axis of a solid, q the one `along` it; the plane has p only. Exponents of 2
//! give an ellipsoid, large ones a box with round edges, those below 2 a pointed body. Barr's superquadric with the
//! exponents (e, n) has p = 2/e and q = 2/n.
//!
//! The body is the unit ball of nested p-norms, so it is convex, and how far it reaches in the direction n is the
//! dual of these norms: with 1/p + 1/p' = 1 and 1/q + 1/q' = 1,
//!
//! ```text
//! h(n) = (g^q' + |c n_z|^q')^(1/q'),   g = (|a n_x|^p' + |b n_y|^p')^(1/p')
//! ```

use super::{Bounds, Mass};
use crate::space::{Dim, Matrix, Pose, Space, Vector};

/// Least and largest exponent: beyond them the body is sharp to rounding, and a polytope serves better.
const EXPONENTS: std::ops::RangeInclusive<f64> = 1.2..=20.0;

/// The curvature of h is taken with each component of the unit normal at least this large: where one is zero, it is
/// infinite on a flat side and zero at a tip.
const FLAT: f64 = 1e-12;

/// An ellipsoid whose squares are other powers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Superellipsoid<const D: usize> {
    /// Half the width along each axis.
    pub radii: Vector<D>,
    /// Exponent p of the plane, or of the sections across the last axis.
    pub across: f64,
    /// Exponent q along the last axis of a solid; the plane has no use for it.
    pub along: f64,
}

impl Superellipsoid<2> {
    /// A superellipse.
    pub fn new(radii: Vector<2>, p: f64) -> Self {
        Superellipsoid { radii, across: p, along: p }
    }
}

impl Superellipsoid<3> {
    /// A superellipsoid with the exponents across and along its last axis.
    pub fn new(radii: Vector<3>, across: f64, along: f64) -> Self {
        Superellipsoid { radii, across, along }
    }
}

impl<const D: usize> Superellipsoid<D> {
    /// The exponent that cannot be, if there is one.
    pub(super) fn bad_exponent(&self) -> Option<f64> {
        let all = [self.across, self.along];
        all[..D - 1].iter().copied().find(|p| !EXPONENTS.contains(p))
    }

    /// h, and the farthest point ∇h.
    pub(crate) fn reach(&self, n: &Vector<D>) -> (f64, Vector<D>) {
        let a = &self.radii;
        let inner = Norm::of(dual(self.across), a[0] * n[0], a[1] * n[1]);
        let mut point = Vector::zeros();
        [point[0], point[1]] = [a[0] * inner.slope[0], a[1] * inner.slope[1]];
        if D == 2 {
            return (inner.value, point);
        }
        let outer = Norm::of(dual(self.along), inner.value, a[D - 1] * n[D - 1]);
        point *= outer.slope[0];
        point[D - 1] = a[D - 1] * outer.slope[1];
        (outer.value, point)
    }

    /// ∇²h.
    pub(crate) fn curvature(&self, n: &Vector<D>) -> Matrix<D> {
        let n = n.map(|x| x.abs().max(FLAT).copysign(x));
        let a = &self.radii;
        let inner = Norm::of(dual(self.across), a[0] * n[0], a[1] * n[1]);
        let mut turn = Vector::<D>::zeros();
        [turn[0], turn[1]] = [-a[0] * inner.turn[0], a[1] * inner.turn[1]];
        let bend = turn * turn.transpose() * inner.bend;
        if D == 2 {
            return bend;
        }
        let outer = Norm::of(dual(self.along), inner.value, a[D - 1] * n[D - 1]);
        let mut turn = Vector::<D>::zeros();
        [turn[0], turn[1]] = [-a[0] * inner.slope[0] * outer.turn[0], -a[1] * inner.slope[1] * outer.turn[0]];
        turn[D - 1] = a[D - 1] * outer.turn[1];
        bend * outer.slope[0] + turn * turn.transpose() * outer.bend
    }

    /// Radius of the largest ball about the centre that lies inside: the least h.
    pub(super) fn inner_radius(&self) -> f64 {
        // of a pointed body it lies between the axes; for two radii Σ a_i^-k = r^-k with k = 2p / (2 - p)
        let least = |p: f64, a: f64, b: f64| {
            let small = a.min(b);
            if p >= 2.0 {
                return small;
            }
            let k = 2.0 * p / (2.0 - p);
            small * ((small / a).powf(k) + (small / b).powf(k)).powf(-1.0 / k)
        };
        let section = least(self.across, self.radii[0], self.radii[1]);
        if D == 2 { section } else { least(self.along, section, self.radii[D - 1]) }
    }
}

impl<const D: usize> Superellipsoid<D>
where
    Dim<D>: Space<D>,
{
    pub(super) fn bounds(&self, pose: &Pose<D>) -> Bounds<D> {
        Bounds::around(&pose.x, &Vector::from_fn(|i, _| self.reach(&pose.axis_to_local(i)).0))
    }

    /// Volume and second moments by Dirichlet's integral: over the quarter of the section,
    /// ∫ x^(i-1) y^(j-1) = a^i b^j / p² Γ(i/p) Γ(j/p) / Γ(1 + (i+j)/p); along z the section shrinks by
    /// (1 - |z/c|^q)^(1/q), and ∫ z^(k-1) (1 - |z/c|^q)^(m/q) over half of it is c^k / q B(k/q, 1 + m/q).
    pub(super) fn mass(&self, density: f64) -> Mass<D> {
        let (p, a, b) = (self.across, self.radii[0], self.radii[1]);
        let section = |i: f64, j: f64| {
            let log = log_gamma(i / p) + log_gamma(j / p) - log_gamma(1.0 + (i + j) / p);
            4.0 * density / (p * p) * a.powf(i) * b.powf(j) * log.exp()
        };
        let mut second = Vector::zeros();
        if D == 2 {
            [second[0], second[1]] = [section(3.0, 1.0), section(1.0, 3.0)];
            return Mass::symmetric(section(1.0, 1.0), &second);
        }
        let (q, c) = (self.along, self.radii[D - 1]);
        let stack = |k: f64, m: f64| {
            let log = log_gamma(k / q) + log_gamma(1.0 + m / q) - log_gamma(1.0 + (k + m) / q);
            2.0 / q * c.powf(k) * log.exp()
        };
        second[0] = section(3.0, 1.0) * stack(1.0, 4.0);
        second[1] = section(1.0, 3.0) * stack(1.0, 4.0);
        second[D - 1] = section(1.0, 1.0) * stack(3.0, 2.0);
        Mass::symmetric(section(1.0, 1.0) * stack(1.0, 2.0), &second)
    }
}

/// The exponent q with 1/p + 1/q = 1.
fn dual(p: f64) -> f64 {
    p / (p - 1.0)
}

/// N(u, v) = (|u|^q + |v|^q)^(1/q), with its derivatives.
struct Norm {
    value: f64,
    /// ∇N
    slope: [f64; 2],
    /// ∇²N = bend t tᵀ with t = (-turn[0], turn[1]): the normal to (u, v), along which N does not bend
    turn: [f64; 2],
    bend: f64,
}

impl Norm {
    fn of(q: f64, u: f64, v: f64) -> Norm {
        let size = u.abs().max(v.abs());
        if size == 0.0 {
            return Norm { value: 0.0, slope: [0.0; 2], turn: [0.0; 2], bend: 0.0 };
        }
        let (x, y) = (u / size, v / size);
        let (px, py) = (x.abs().powf(q), y.abs().powf(q));
        let sum = px + py;
        let root = sum.powf(1.0 / q);
        let slope = |x: f64, power: f64| if x == 0.0 { 0.0 } else { power / x * root / sum };
        // (q - 1) |x y|^(q-2) / sum^(2 - 1/q); where x or y is zero it is not called for
        let bend = (q - 1.0) * (px / (x * x)) * (py / (y * y)) * root / (sum * sum) / size;
        Norm { value: size * root, slope: [slope(x, px), slope(y, py)], turn: [y, x], bend }
    }
}

/// ln Γ(x) for x > 0: Stirling's series, started far out.
fn log_gamma(x: f64) -> f64 {
    let mut product = 1.0;
    let mut z = x;
    while z < 16.0 {
        product *= z;
        z += 1.0;
    }
    // Bernoulli numbers B_2k / (2k (2k - 1)); the next term is below 1e-18 from 16 on
    const SERIES: [f64; 7] = [
        1.0 / 12.0,
        -1.0 / 360.0,
        1.0 / 1260.0,
        -1.0 / 1680.0,
        1.0 / 1188.0,
        -691.0 / 360_360.0,
        1.0 / 156.0,
    ];
    let tail = SERIES.iter().rev().fold(0.0, |sum, term| sum / (z * z) + term) / z;
    (z - 0.5) * z.ln() - z + 0.5 * std::f64::consts::TAU.ln() + tail - f64::ln(product)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Ellipsoid;
    use std::f64::consts::PI;

    #[test]
    fn gamma_at_known_places() {
        assert!((log_gamma(0.5) - 0.5 * PI.ln()).abs() < 1e-14);
        assert!(log_gamma(1.0).abs() < 2e-14);
        assert!((log_gamma(5.0) - 24f64.ln()).abs() < 2e-14);
        // reflection: Γ(x) Γ(1 - x) = π / sin πx
        assert!((log_gamma(0.05) + log_gamma(0.95) - (PI / (PI * 0.05).sin()).ln()).abs() < 2e-14);
    }

    #[test]
    fn exponents_of_two_give_an_ellipsoid() {
        let radii = Vector::<3>::new(0.3, 0.7, 1.1);
        let (body, exact) = (Superellipsoid::<3>::new(radii, 2.0, 2.0), Ellipsoid { radii });
        let (m, e) = (body.mass(1.3), exact.mass(1.3));
        assert!((m.mass - e.mass).abs() < 1e-13 && (m.inertia - e.inertia).norm() < 1e-13);
        let n = Vector::<3>::new(0.48, -0.6, 0.64);
        assert!((body.reach(&n).1 - exact.support(&n)).norm() < 1e-15);
        assert!((body.inner_radius() - 0.3).abs() < 1e-15);
    }

    /// ∫ over the section of a superellipse by the midpoint rule in a variable that makes it smooth.
    #[test]
    fn masses_agree_with_quadrature() {
        for p in [1.2, 1.5, 3.0, 8.0, 20.0] {
            let (a, b) = (0.8, 0.5);
            let mass = Superellipsoid::<2>::new(Vector::<2>::new(a, b), p).mass(1.0);
            let (mut area, mut inertia) = (0.0, 0.0);
            // tanh-sinh: x = (1 + tanh(π/2 sinh t)) / 2, and its complement to full precision
            let h = 1.0 / 64.0;
            for k in -320..=320 {
                let t = k as f64 * h;
                let e = (-PI * t.sinh()).exp();
                let (x, rest) = (1.0 / (1.0 + e), e / (1.0 + e));
                let weight = PI * t.cosh() * x * rest * h;
                // 1 - x^p without cancellation
                let y = (-(p * (-rest).ln_1p()).exp_m1()).powf(1.0 / p);
                area += 4.0 * a * b * weight * y;
                inertia += 4.0 * a * b * weight * (a * a * x * x * y + b * b * y.powi(3) / 3.0);
            }
            assert!((mass.mass - area).abs() < 1e-12, "p = {p}: {} {area}", mass.mass);
            assert!((mass.inertia - inertia).abs() < 1e-12, "p = {p}: {} {inertia}", mass.inertia);
        }
    }

    #[test]
    fn the_octahedron_is_the_limit_of_pointed_bodies() {
        // with p = q = 1 the volume would be 4/3 a b c and the inner radius (1/a² + 1/b² + 1/c²)^(-1/2)
        let body = Superellipsoid::<3>::new(Vector::<3>::new(1.0, 2.0, 3.0), 1.0, 1.0);
        assert!((body.mass(1.0).mass - 8.0).abs() < 1e-12);
        assert!((body.inner_radius() - (1.0f64 + 1.0 / 4.0 + 1.0 / 9.0).powf(-0.5)).abs() < 1e-14);
    }

    #[test]
    fn the_curvature_is_the_derivative_of_the_farthest_point() {
        for (p, q) in [(1.3, 4.0), (2.0, 2.0), (5.0, 1.5), (8.0, 6.0)] {
            let body = Superellipsoid::<3>::new(Vector::<3>::new(0.4, 1.0, 0.7), p, q);
            let n = Vector::<3>::new(0.48, -0.6, 0.64);
            let step = 1e-5;
            let exact = body.curvature(&n);
            for k in 0..3 {
                let mut way = Vector::<3>::zeros();
                way[k] = step;
                let column = (body.reach(&(n + way)).1 - body.reach(&(n - way)).1) / (2.0 * step);
                assert!((exact.column(k) - column).norm() < 1e-7, "{exact} {column}");
            }
            assert!((body.reach(&n).0 - body.reach(&n).1.dot(&n)).abs() < 1e-15);
        }
    }
}
