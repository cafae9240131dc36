//! Common normals of two smooth convex bodies, by Newton's method on the sphere of directions. Bloch 2023 (3.3.3)
//!
//! With d the way from centre to centre, the slab between the bodies with the normal n has the width
//!
//! ```text
//! g(n) = n·d - h(n),   h = h_a + h_b
//! ```
//!
//! and the gap is its largest value. At the maximum the farthest points are one gap apart along n: the common normal.
//! On the tangent plane of the sphere g has the slope r = d - ∇h and the curvature -(∇²h + g), so Newton's step is
//!
//! ```text
//! (∇²h + g) δ = r
//! ```
//!
//! While the bodies are apart, g has no other maximum where it is positive. To get there, and to start well if they
//! overlap, n·d / h(n) is raised first, which has one maximum only: the normal where the line of centres leaves the
//! sum of the bodies. Its step is the same with λ ∇²h, λ = n·d / h, and g = 0. A body in a round hole is the same
//! again with λ = -1: its farthest point from the centre of the hole maximises n·d + h(n).
//!
//! The last step is made to first order only: the points move by their own curvature times δ, so that a slope of
//! 1e-9 leaves an error of about its square, and the points stay one gap apart where flat sides leave n undecided.

use super::smooth::{Reach, Smooth};
use crate::space::{Dim, Matrix, Space, Vector, axis};

/// Slope at which the last step is made, as a part of the size of the bodies.
const SLOPE: f64 = 1e-9;
/// Most steps of one ascent. Ellipsoids take about 5; bodies with nearly flat sides, where curvature is all but
/// singular, some tens.
const STEPS: usize = 80;
/// Most times a step is shortened.
const SHORTENINGS: usize = 40;
/// Part of the gain a straight slope promises that a step has to make; the top of a parabola makes half.
const ENOUGH: f64 = 0.1;
/// Longest step, as a tangent.
const LONGEST: f64 = 1.0;
/// Overlap from which more ways out are tried, as a part of the size of the bodies along the normal.
const DEEP: f64 = 0.05;

/// A common normal.
#[derive(Clone, Copy)]
pub(super) struct Common<const D: usize> {
    /// From a to b.
    pub normal: Vector<D>,
    /// The largest width of the slab.
    pub gap: f64,
    /// The point on a.
    pub a: Vector<D>,
}

/// What is to be raised.
#[derive(Clone, Copy, PartialEq)]
enum Goal {
    /// n·d - h
    Gap,
    /// n·d / h, until it exceeds 1
    Ray,
    /// n·d + h
    Farthest,
}

/// Two bodies, and the directions allowed.
pub(super) struct Search<'a, const D: usize, A, B> {
    a: &'a A,
    b: &'a B,
    d: Vector<D>,
    square_to: Option<Vector<D>>,
}

/// A direction and what the bodies do there.
#[derive(Clone, Copy)]
struct Look<const D: usize> {
    n: Vector<D>,
    a: Reach<D>,
    b: Reach<D>,
    along: f64,
}

impl<const D: usize> Look<D> {
    fn h(&self) -> f64 {
        self.a.h + self.b.h
    }

    fn gap(&self) -> f64 {
        self.along - self.h()
    }

    fn merit(&self, goal: Goal) -> f64 {
        match goal {
            Goal::Gap => self.gap(),
            Goal::Ray => self.along / self.h(),
            Goal::Farthest => self.along + self.h(),
        }
    }
}

impl<'a, const D: usize, A: Smooth<D>, B: Smooth<D>> Search<'a, D, A, B>
where
    Dim<D>: Space<D>,
{
    /// Over all directions, or over those square to an axis.
    pub fn new(a: &'a A, b: &'a B, square_to: Option<Vector<D>>) -> Self {
        let way = b.centre() - a.centre();
        let d = square_to.map_or(way, |axis| way - axis * axis.dot(&way));
        Search { a, b, d, square_to }
    }

    /// The body a in a round hole about the centre of b, a point, which may be open along an axis.
    pub fn in_hole(a: &'a A, b: &'a B, open: Option<Vector<D>>) -> Self {
        let search = Search::new(a, b, open);
        Search { d: -search.d, ..search }
    }

    /// The common normal across the gap, or across the least overlap near the line of centres.
    pub fn nearest(&self) -> Common<D> {
        let mut best = self.start();
        if best.gap() <= 0.0 && best.along > 0.0 {
            best = self.ascend(best, Goal::Ray);
        }
        best = self.ascend(best, Goal::Gap);
        if best.gap() < 0.0 {
            // The bodies overlap, and there may be a shorter way out than the one near the line of centres: of a
            // shallow overlap only where an axis is better at once, of a deep one near any axis.
            let deep = -best.gap() > DEEP * best.h();
            for axis in self.a.axes().iter().chain(self.b.axes()) {
                let Some(n) = self.allowed(axis) else { continue };
                let look = self.look(if n.dot(&self.d) < 0.0 { -n } else { n });
                if deep || look.gap() > best.gap() {
                    let top = self.ascend(look, Goal::Gap);
                    best = if top.gap() > best.gap() { top } else { best };
                }
            }
        }
        self.last_step(&best, Goal::Gap)
    }

    /// The farthest point of a body in a hole near a direction; `gap` is its distance from the centre.
    pub fn farthest(&self, near: &Vector<D>) -> Option<Common<D>> {
        let start = self.look(self.allowed(near)?);
        let top = self.ascend(start, Goal::Farthest);
        Some(self.last_step(&top, Goal::Farthest))
    }

    /// The unit vector along the part of a direction that is allowed.
    fn allowed(&self, direction: &Vector<D>) -> Option<Vector<D>> {
        let part = self.square_to.map_or(*direction, |axis| direction - axis * axis.dot(direction));
        part.try_normalize(1e-9 * direction.norm())
    }

    /// Tangents of the allowed directions; the rest are zero.
    fn tangents(&self, n: &Vector<D>) -> [Vector<D>; 2] {
        let frame = Dim::<D>::frame(self.square_to.as_ref().unwrap_or(n));
        let (e, f) = (frame.column(1).into_owned(), frame.column(D - 1).into_owned());
        match (self.square_to, D) {
            (None, 2) => [e, Vector::zeros()],
            (None, _) => [e, f],
            (Some(_), 2) => [Vector::zeros(); 2],
            (Some(_), _) => [f * n.dot(&e) - e * n.dot(&f), Vector::zeros()],
        }
    }

    fn look(&self, n: Vector<D>) -> Look<D> {
        Look { n, a: self.a.reach(&n), b: self.b.reach(&n), along: n.dot(&self.d) }
    }

    /// The better of the line of centres and the normal two ellipsoids would have.
    fn start(&self) -> Look<D> {
        let Some(line) = self.d.try_normalize(0.0) else { return self.narrowest() };
        let straight = self.look(line);
        let gap = straight.gap().max(0.0);
        let S = self.a.stretch(&straight.a) + self.b.stretch(&straight.b) + Matrix::identity() * gap;
        let turned = S.try_inverse().and_then(|inverse| self.allowed(&(inverse * self.d)));
        match turned.map(|n| self.look(n)) {
            Some(turned) if turned.gap() > straight.gap() => turned,
            _ => straight,
        }
    }

    /// The axis along which bodies with one centre reach least far.
    fn narrowest(&self) -> Look<D> {
        let mut best: Option<Look<D>> = None;
        let last = axis(D - 1);
        let aside = self.square_to.map_or(last, |axis| Dim::<D>::frame(&axis).column(1).into_owned());
        for n in self.a.axes().iter().chain(self.b.axes()).filter_map(|axis| self.allowed(axis)) {
            let look = self.look(n);
            if best.is_none_or(|best| look.gap() > best.gap()) {
                best = Some(look);
            }
        }
        best.unwrap_or_else(|| self.look(aside))
    }

    /// λ and g of the header.
    fn lambda(at: &Look<D>, goal: Goal) -> (f64, f64) {
        match goal {
            Goal::Gap => (1.0, at.gap()),
            Goal::Ray => (at.merit(Goal::Ray), 0.0),
            Goal::Farthest => (-1.0, at.merit(Goal::Farthest)),
        }
    }

    /// d - λ ∇h; its tangential part is the slope.
    fn miss(&self, at: &Look<D>, goal: Goal) -> Vector<D> {
        self.d - (at.a.s + at.b.s) * Self::lambda(at, goal).0
    }

    /// Newton's step at a direction.
    fn step(&self, at: &Look<D>, goal: Goal) -> Step<D> {
        let (lambda, value) = Self::lambda(at, goal);
        let [e, f] = self.tangents(&at.n);
        let miss = self.miss(at, goal);
        let r = [miss.dot(&e), miss.dot(&f)];
        let curved_a = self.a.curvature(&at.n, &at.a);
        let curved = (curved_a + self.b.curvature(&at.n, &at.b)) * lambda;
        let (Ce, Cf) = (curved * e, curved * f);
        let m00 = e.dot(&Ce) + value;
        let m11 = if f[0] == 0.0 && f.norm_squared() == 0.0 { m00 } else { f.dot(&Cf) + value };
        let M = [m00, e.dot(&Cf), m11];
        let x = solve_upward(M, r);
        Step { slope: r[0].hypot(r[1]), gain: r[0] * x[0] + r[1] * x[1], way: e * x[0] + f * x[1], curved_a }
    }

    /// Climbs to a maximum; the merit never falls by more than rounding.
    fn ascend(&self, start: Look<D>, goal: Goal) -> Look<D> {
        let mut at = start;
        for _ in 0..STEPS {
            let size = at.h() + 1e-6 * at.along.abs();
            let step = self.step(&at, goal);
            if step.slope.is_nan() || step.slope <= SLOPE * size || (goal == Goal::Ray && at.gap() > 0.0) {
                break;
            }
            match self.climb(&at, &step, goal, size) {
                Some(next) => at = next,
                None => break,
            }
        }
        at
    }

    /// The step, or the part of it that leads up enough.
    fn climb(&self, at: &Look<D>, step: &Step<D>, goal: Goal, size: f64) -> Option<Look<D>> {
        // n·d / h has no unit, the others are lengths
        let unit = if goal == Goal::Ray { at.h() } else { 1.0 };
        let merit = at.merit(goal);
        let rounding = 1e-15 * (size / unit + merit.abs());
        let mut part = (LONGEST / step.way.norm()).min(1.0);
        for _ in 0..SHORTENINGS {
            let n = (at.n + step.way * part).normalize();
            if n == at.n {
                return None;
            }
            let trial = self.look(n);
            if trial.merit(goal) >= merit + ENOUGH * part * step.gain / unit - rounding {
                return Some(trial);
            }
            // the slope along the way has turned: where it is zero, between two points of a line
            let ahead = self.miss(&trial, goal).dot(&step.way);
            part *= (step.gain / (step.gain - ahead)).clamp(0.1, 0.5);
        }
        None
    }

    /// One more step, to first order: the point on a moves with the normal by its own curvature.
    fn last_step(&self, at: &Look<D>, goal: Goal) -> Common<D> {
        let step = self.step(at, goal);
        let a = self.a.centre() + at.a.s;
        if step.way.norm() < 1e-3 {
            let normal = (at.n + step.way).normalize();
            Common { normal, gap: at.merit(goal) + 0.5 * step.gain, a: a + step.curved_a * step.way }
        } else {
            // rounding stopped the climb before it came near, and a step to first order would not help
            Common { normal: at.n, gap: at.merit(goal), a }
        }
    }
}

/// See [`Search::step`].
struct Step<const D: usize> {
    slope: f64,
    gain: f64,
    way: Vector<D>,
    curved_a: Matrix<D>,
}

/// Solves the symmetric `[m00 m01; m01 m11] x = r` with the moduli of the eigenvalues, so that x always leads up.
fn solve_upward([m00, m01, m11]: [f64; 3], r: [f64; 2]) -> [f64; 2] {
    let determinant = m00 * m11 - m01 * m01;
    if m00 > 0.0 && determinant > 1e-12 * m00 * m11.abs() {
        return [(m11 * r[0] - m01 * r[1]) / determinant, (m00 * r[1] - m01 * r[0]) / determinant];
    }
    // eigenvectors (c, s) and (-s, c)
    let (mean, half) = (0.5 * (m00 + m11), 0.5 * (m00 - m11));
    let angle = 0.5 * m01.atan2(half);
    let (s, c) = angle.sin_cos();
    let radius = half.hypot(m01);
    let least = 1e-14 * (mean.abs() + radius) + f64::MIN_POSITIVE;
    let (large, small) = ((mean + radius).abs().max(least), (mean - radius).abs().max(least));
    let (p, q) = ((c * r[0] + s * r[1]) / large, (c * r[1] - s * r[0]) / small);
    [c * p - s * q, s * p + c * q]
}
