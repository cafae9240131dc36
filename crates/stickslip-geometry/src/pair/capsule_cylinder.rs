//! A capsule and a cylinder: the ball that runs along the axis of the capsule, where it is nearest.
//!
//! The signed distance φ from a convex body is convex along the axis, so where its slope n·u changes sign it is least.
//! If the capsule lies along the round side or on an end there are points at both ends of the stretch they share as well.
//! Where the axis itself enters the cylinder, the prism of the cylinder tells how to part them.

use super::capsule_capsule::{NEAREST, SHARED, SIDE_BY_SIDE};
use super::{Point, ball_cylinder, capsule_polytope, prism, rod::Rod};
use crate::shape::{Ball, Capsule, Cylinder};
use crate::space::{Dim, Pose, Space, Vector};

/// Ends of the stretch nearer to the deepest point than this part of the half length are that point.
const NEXT_TO: f64 = 0.05;

/// Appends the contacts, from the capsule to the cylinder. Features are those of two capsules.
pub(super) fn contacts<const D: usize>(
    capsule: (&Capsule, &Pose<D>),
    cylinder: (&Cylinder, &Pose<D>),
    reach: f64,
    out: &mut Vec<Point<D>>,
) where
    Dim<D>: Space<D>,
{
    let rod = Rod::new(capsule.0, capsule.1);
    let ball = Ball { radius: rod.radius };
    let touch = |s: f64, feature: u32| {
        let point = ball_cylinder::contact(&ball, &Pose::at(rod.at(s)), cylinder.0, cylinder.1);
        Point { feature, ..point }
    };
    let slope = |s: f64| -touch(s, NEAREST).normal.dot(&rod.arm);
    let place = zero(slope);
    let deepest = touch(place, NEAREST);
    if deepest.gap > reach {
        return;
    }
    if deepest.gap + rod.radius <= 1e-9 * (cylinder.0.radius + cylinder.0.half_length) {
        return pierced(&rod, cylinder, reach, out);
    }
    let Some(stretch) = shared(&rod, cylinder, &deepest.normal) else {
        return out.push(deepest);
    };
    let tie = 1e-12 * (cylinder.0.radius + cylinder.0.half_length);
    let mut ends = [0, 1].map(|k| touch(stretch[k], SHARED + k as u32));
    // the deepest point is one of the ends, or next to one, or of crossed rods in between
    if deepest.gap < ends[0].gap.min(ends[1].gap) - tie {
        match [0, 1].into_iter().find(|&k| (stretch[k] - place).abs() < NEXT_TO) {
            Some(k) => ends[k] = Point { feature: SHARED + k as u32, ..deepest },
            None => out.push(deepest),
        }
    }
    out.extend(ends);
}

/// Where a function that never falls is zero in [-1, 1], or the end that is nearest to that.
fn zero(f: impl Fn(f64) -> f64) -> f64 {
    let (at_low, at_high) = (f(-1.0), f(1.0));
    if at_low >= 0.0 || at_high <= 0.0 {
        // a level stretch has no least place: its middle
        return match (at_low > 0.0, at_high < 0.0) {
            (true, _) => -1.0,
            (_, true) => 1.0,
            _ if at_low == 0.0 && at_high == 0.0 => 0.0,
            _ if at_low == 0.0 => -1.0,
            _ => 1.0,
        };
    }
    let (mut low, mut high) = (-1.0, 1.0);
    while high - low > 1e-15 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if f(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// The ends, the one of the positive side first, of the part of the axis along the round side or over an end.
fn shared<const D: usize>(
    rod: &Rod<D>,
    (cylinder, at): (&Cylinder, &Pose<D>),
    normal: &Vector<D>,
) -> Option<[f64; 2]>
where
    Dim<D>: Space<D>,
{
    if normal.dot(&rod.arm).abs() > SIDE_BY_SIDE * rod.arm.norm() {
        return None;
    }
    let (mut x, mut u, n) = (at.to_local(&rod.x), at.turn_to_local(&rod.arm), at.turn_to_local(normal));
    let (z, rise) = (x[D - 1], u[D - 1]);
    let (low, high) = if n[D - 1].abs() < SIDE_BY_SIDE {
        // along the side while |z + s rise| ≤ half length; across the axis it only crosses
        if rise.abs() < (1.0 - SIDE_BY_SIDE) * u.norm() {
            return None;
        }
        let (p, q) = ((-cylinder.half_length - z) / rise, (cylinder.half_length - z) / rise);
        (p.min(q), p.max(q))
    } else if n[D - 1].abs() > 1.0 - 0.5 * SIDE_BY_SIDE * SIDE_BY_SIDE {
        // over an end while |x + s u| ≤ radius
        (x[D - 1], u[D - 1]) = (0.0, 0.0);
        let (uu, xu) = (u.norm_squared(), x.dot(&u));
        let root = xu * xu - uu * (x.norm_squared() - cylinder.radius * cylinder.radius);
        let width = if root > 0.0 { root.sqrt() } else { return None };
        ((-xu - width) / uu, (-xu + width) / uu)
    } else {
        return None;
    };
    let (low, high) = (low.max(-1.0), high.min(1.0));
    (high - low > 1e-6).then_some([high, low])
}

/// The axis is in the cylinder.
fn pierced<const D: usize>(
    rod: &Rod<D>,
    (cylinder, at): (&Cylinder, &Pose<D>),
    reach: f64,
    out: &mut Vec<Point<D>>,
) where
    Dim<D>: Space<D>,
{
    let first = out.len();
    let origin = at.x;
    let seen = Rod { x: rod.x - origin, ..*rod };
    prism::follow((cylinder, at), &origin, reach, out, |solid, reach, out| {
        let from = out.len();
        capsule_polytope::contacts(&seen, solid, reach, out);
        for point in &mut out[from..] {
            *point = Point { a: point.a + origin, b: point.b + origin, ..*point }.flipped();
        }
    });
    for (k, point) in out[first..].iter_mut().enumerate() {
        *point = Point { feature: k as u32, ..point.flipped() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(at: &Pose<3>) -> Vec<Point<3>> {
        let (capsule, cylinder) =
            (Capsule { half_length: 1.0, radius: 0.25 }, Cylinder { half_length: 2.0, radius: 0.5 });
        let mut out = Vec::new();
        contacts((&capsule, at), (&cylinder, &Pose::identity()), f64::INFINITY, &mut out);
        out
    }

    #[test]
    fn a_capsule_lies_along_the_side_and_across_an_end() {
        let quarter = std::f64::consts::FRAC_PI_2;
        let at = Pose::<3>::turned(Vector::<3>::new(0.75, 0.0, 1.5), Vector::<3>::y() * quarter);
        let points = all(&at);
        assert_eq!(points.len(), 2);
        assert!(points.iter().all(|p| p.gap.abs() < 1e-14 && (p.normal + Vector::<3>::x()).norm() < 1e-14));
        let across = all(&Pose::at(Vector::<3>::new(0.2, 0.0, 2.35)));
        assert_eq!(across.len(), 2);
        assert!(across.iter().all(|p| (p.gap - 0.1).abs() < 1e-14 && p.normal == -Vector::<3>::z()));
        let ends: Vec<f64> = across.iter().map(|p| p.b[0]).collect();
        assert!((ends[0] - 0.5).abs() < 1e-14 && (ends[1] + 0.5).abs() < 1e-14);
    }

    #[test]
    fn a_capsule_over_the_rim_touches_with_its_side() {
        let tilt = 0.5f64;
        // its side touches the rim at (0.5, 0, 2)
        let normal = Vector::<3>::new(tilt.sin(), 0.0, tilt.cos());
        let along = Vector::<3>::new(tilt.cos(), 0.0, -tilt.sin());
        let at = Pose::<3>::turned(
            Vector::<3>::new(0.5, 0.0, 2.0) + normal * 0.35 + along * 0.2,
            Vector::<3>::y() * tilt,
        );
        let points = all(&at);
        assert_eq!(points.len(), 1);
        assert!((points[0].gap - 0.1).abs() < 1e-14 && (points[0].normal + normal).norm() < 1e-7);
    }
}
