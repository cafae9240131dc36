//! A cylinder in a round hole: it touches with its rims, where they are farthest from the centre or the axis.
//!
//! With p the way to the centre of a rim and q, r its two radii, all without the part along the axis of the hole, the
//! distance is
//!
//! ```text
//! F(θ) = |p + q cos θ + r sin θ|²
//! ```
//!
//! which has one or two maxima. A cylinder that stands in the middle touches all round: four fixed points of each rim
//! come first.

use super::{Point, merge, reduce::spread, wall::Wall};
use crate::shape::Cylinder;
use crate::space::{Dim, Pose, Space, Vector};
use std::f64::consts::{FRAC_PI_2, TAU};

/// Places where maxima are looked for: more than twice the four where a rim may be level.
const LOOKS: usize = 12;

/// Appends the contacts, from the cylinder to the wall. Features: of each rim the four fixed points, then the maxima.
pub(super) fn contacts<const D: usize>(
    (cylinder, at): (&Cylinder, &Pose<D>),
    wall: &Wall<D>,
    reach: f64,
    out: &mut Vec<Point<D>>,
) where
    Dim<D>: Space<D>,
{
    let first = out.len();
    let axes: [Vector<D>; D] = std::array::from_fn(|k| at.axis_to_world(k));
    let (e, f) = (axes[0] * cylinder.radius, axes[1] * cylinder.radius);
    for end in [0, 1] {
        let side = if end == 0 { -cylinder.half_length } else { cylinder.half_length };
        let centre = at.x + axes[D - 1] * side;
        let rim = |angle: f64| centre + e * angle.cos() + f * angle.sin();
        let fixed = (0..4).map(|k| f64::from(k) * FRAC_PI_2);
        let p = wall.way_to(&centre);
        let (q, r) = (wall.way_to(&(wall.centre + e)), wall.way_to(&(wall.centre + f)));
        for (angle, feature) in fixed.chain(farthest(&p, &q, &r)).zip(6 * end..) {
            let point = wall.touch(&rim(angle), 0.0, feature);
            if point.gap <= reach {
                out.push(point);
            }
        }
    }
    // a maximum may be one of the four
    merge(out, first, 1e-6 * cylinder.radius);
    spread(out, first, 2.0 * cylinder.radius.hypot(cylinder.half_length));
}

/// The angles of the maxima of F, in order; at most two.
fn farthest<const D: usize>(
    p: &Vector<D>,
    q: &Vector<D>,
    r: &Vector<D>,
) -> impl Iterator<Item = f64> + use<D> {
    let slope = {
        let (pq, pr, qr, rr) = (p.dot(q), p.dot(r), q.dot(r), 0.5 * (r.norm_squared() - q.norm_squared()));
        move |angle: f64| {
            let (sin, cos) = angle.sin_cos();
            pr * cos - pq * sin + qr * (cos * cos - sin * sin) + 2.0 * rr * sin * cos
        }
    };
    let step = TAU / LOOKS as f64;
    // level all round to rounding: there is no farthest point
    let level = 1e-12 * (q.norm_squared() + r.norm_squared() + p.norm() * q.norm());
    let found = (0..LOOKS).filter_map(move |k| {
        let (mut low, mut high) = (step * k as f64, step * (k + 1) as f64);
        let falls = slope(low) > 0.0 && slope(high) <= 0.0;
        if !falls || slope(low).max(-slope(high)) <= level {
            return None;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if slope(middle) > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(0.5 * (low + high))
    });
    found.take(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{HollowBall, HollowCylinder};

    fn all(wall: &Wall<3>, at: &Pose<3>) -> Vec<Point<3>> {
        let mut out = Vec::new();
        contacts((&Cylinder { half_length: 2.0, radius: 0.5 }, at), wall, 0.1, &mut out);
        out
    }

    #[test]
    fn a_cylinder_lies_in_a_tube_on_both_ends() {
        let wall = Wall::tube(&HollowCylinder { radius: 3.0 }, &Pose::<3>::identity());
        let points = all(&wall, &Pose::at(Vector::<3>::new(1.5, -2.0, 7.0)));
        let touching: Vec<_> = points.iter().filter(|p| p.gap.abs() < 1e-14).collect();
        assert_eq!(touching.len(), 2);
        for (p, z) in touching.iter().zip([5.0, 9.0]) {
            assert!((p.a - Vector::<3>::new(1.8, -2.4, z)).norm() < 1e-7);
        }
    }

    #[test]
    fn a_cylinder_stands_in_a_ball_on_its_rim() {
        let wall = Wall::round(&HollowBall { radius: 2.5 }, &Pose::<3>::identity());
        let points = all(&wall, &Pose::at(Vector::<3>::new(0.0, 0.0, -6f64.sqrt() + 2.0)));
        assert_eq!(points.len(), 4);
        assert!(points.iter().all(|p| p.gap.abs() < 1e-14));
    }

    #[test]
    fn a_cylinder_across_a_tube_touches_on_both_sides() {
        let wall = Wall::tube(&HollowCylinder { radius: 2.1 }, &Pose::<3>::identity());
        let points = all(&wall, &Pose::<3>::turned(Vector::<3>::zeros(), Vector::<3>::y() * FRAC_PI_2));
        assert_eq!(points.len(), 4);
        let exact = 2.1 - 4.25f64.sqrt();
        assert!(points.iter().all(|p| (p.gap - exact).abs() < 1e-14), "{points:?}");
    }
}
