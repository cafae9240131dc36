//! Two capsules: where their axes are nearest, and, if they lie side by side, at both ends of the stretch they share,
//! so that one can rest on the other.

use super::ball_capsule::square_to;
use super::{Point, ball_ball, rod::Rod};
use crate::shape::Capsule;
use crate::space::{Dim, Pose, Space, Vector};

/// Sine of the largest angle between capsules that count as side by side. A capsule that rocks on another by less
/// than this keeps both its points.
pub(super) const SIDE_BY_SIDE: f64 = 0.1;

/// Feature of the nearest points.
pub(super) const NEAREST: u32 = 0;
/// Feature of the end of the shared stretch on the positive side of the first capsule; the other end is one more.
pub(super) const SHARED: u32 = 1;

/// The contacts.
pub fn contacts<const D: usize>(
    p: &Capsule,
    at_p: &Pose<D>,
    q: &Capsule,
    at_q: &Pose<D>,
) -> impl Iterator<Item = Point<D>>
where
    Dim<D>: Space<D>,
{
    between(&Rod::new(p, at_p), &Rod::new(q, at_q))
}

/// The contacts of two rods. Features: 0 where the axes are nearest, 1 and 2 the ends of the shared stretch, in the
/// order of the first one's ends.
pub(super) fn between<const D: usize>(p: &Rod<D>, q: &Rod<D>) -> impl Iterator<Item = Point<D>> + use<D>
where
    Dim<D>: Space<D>,
{
    let (u, v, way) = (p.arm, q.arm, q.x - p.x);
    let touch = |s: f64, t: f64, feature| {
        let ends = ((&p.at(s), p.radius), (&q.at(t), q.radius));
        Point { feature, ..ball_ball::between(ends.0, ends.1, || square_to(&u)) }
    };

    let (s, t) = nearest_parameters(p, q);
    let closest = touch(s, t, NEAREST);
    // where the axes meet, the way between them is rounding and has no direction
    if (way + v * t - u * s).norm() <= 1e-14 * (u.norm() + v.norm() + way.norm()) {
        let normal = apart(&u, &v, &way);
        let gap = separation(&u, &v, &way, &normal) - p.radius - q.radius;
        let a = p.at(s) + normal * p.radius;
        let met = Point { gap, normal, a, b: a + normal * gap, feature: NEAREST };
        return [Some(met), None, None].into_iter().flatten();
    }
    let Some(ends) = shared_stretch(&u, &v, &way) else {
        return [Some(closest), None, None].into_iter().flatten();
    };

    let ends = [0, 1].map(|k| touch(ends[k].0, ends[k].1, SHARED + k as u32));
    // in the plane one of the ends is nearest; crossed rods in space are nearer in between
    let between = closest.gap < ends[0].gap.min(ends[1].gap) - 1e-12 * (u.norm() + v.norm());
    [between.then_some(closest), Some(ends[0]), Some(ends[1])].into_iter().flatten()
}

/// Parameters in [-1, 1] of the nearest points of the axes of two rods.
pub(super) fn nearest_parameters<const D: usize>(p: &Rod<D>, q: &Rod<D>) -> (f64, f64) {
    let (u, v, way) = (&p.arm, &q.arm, q.x - p.x);
    let (uu, vv, uv) = (u.norm_squared(), v.norm_squared(), u.dot(v));
    let square = uu * vv - uv * uv;
    // Where the lines are nearest; for parallel lines any point will do, and the middles are as good as any.
    let s = if square > 1e-14 * uu * vv { (way.dot(u) * vv - way.dot(v) * uv) / square } else { 0.0 };
    // the nearest point of the second to that one, then of the first to this one: exact as both are clamped
    let t = q.nearest(&p.at(s.clamp(-1.0, 1.0)));
    (p.nearest(&q.at(t)), t)
}

/// Parameters of both ends of the stretch along which two nearly parallel segments lie side by side. Each end is an
/// end of one segment and the nearest point to it on the other.
fn shared_stretch<const D: usize>(u: &Vector<D>, v: &Vector<D>, way: &Vector<D>) -> Option<[(f64, f64); 2]> {
    let (uu, vv, uv) = (u.norm_squared(), v.norm_squared(), u.dot(v));
    if uu * vv - uv * uv > SIDE_BY_SIDE * SIDE_BY_SIDE * uu * vv || uv == 0.0 {
        return None;
    }
    let side = uv.signum();
    let end = |sign: f64| {
        // the end of the first, seen from the second, on the line of the second
        let t = (u * sign - way).dot(v) / vv;
        if t.abs() <= 1.0 {
            return Some((sign, t));
        }
        let t = sign * side;
        let s = (way + v * t).dot(u) / uu;
        (s.abs() <= 1.0).then_some((s, t))
    };
    Some([end(1.0)?, end(-1.0)?])
}

/// How far apart two segments are in a direction; negative if they are not.
fn separation<const D: usize>(u: &Vector<D>, v: &Vector<D>, way: &Vector<D>, n: &Vector<D>) -> f64 {
    n.dot(way) - n.dot(u).abs() - n.dot(v).abs()
}

/// The normal that parts two segments that meet: in space square to both, in the plane square to the one that is
/// sooner left.
fn apart<const D: usize>(u: &Vector<D>, v: &Vector<D>, way: &Vector<D>) -> Vector<D>
where
    Dim<D>: Space<D>,
{
    let first = square_to(u);
    if D == 2 {
        let second = square_to(v);
        let facing = |n: Vector<D>| if n.dot(way) < 0.0 { -n } else { n };
        let (first, second) = (facing(first), facing(second));
        let better = separation(u, v, way, &second) > separation(u, v, way, &first);
        return if better { second } else { first };
    }
    // square to u, and, turned about u, to v
    let Some(axis) = u.try_normalize(0.0) else { return square_to(v) };
    let frame = Dim::<D>::frame(&axis);
    let (e, f) = (frame.column(1), frame.column(D - 1));
    let normal = e * v.dot(&f) - f * v.dot(&e);
    normal.try_normalize(1e-12 * v.norm()).unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all<const D: usize>(p: &Capsule, at_p: &Pose<D>, q: &Capsule, at_q: &Pose<D>) -> Vec<Point<D>>
    where
        Dim<D>: Space<D>,
    {
        contacts(p, at_p, q, at_q).collect()
    }

    #[test]
    fn a_capsule_rests_on_another_with_two_points() {
        let (p, q) = (Capsule { half_length: 2.0, radius: 0.5 }, Capsule { half_length: 1.0, radius: 0.25 });
        let at = Pose::<2>::turned(Vector::<2>::new(1.5, 1.0), std::f64::consts::PI);
        let points = all(&p, &Pose::identity(), &q, &at);
        assert_eq!(points.len(), 2);
        for (point, x) in points.iter().zip([2.0, 0.5]) {
            assert!((point.gap - 0.25).abs() < 1e-15);
            assert!((point.normal - Vector::<2>::y()).norm() < 1e-15);
            assert!((point.a - Vector::<2>::new(x, 0.5)).norm() < 1e-15);
        }
        assert_eq!((points[0].feature, points[1].feature), (1, 2));
    }

    #[test]
    fn crossed_rods_touch_once() {
        let rod = Capsule { half_length: 2.0, radius: 0.5 };
        let at = Pose::<3>::turned(Vector::<3>::new(0.3, 0.1, 1.5), Vector::<3>::new(0.0, 0.0, 1.2));
        let points = all(&rod, &Pose::identity(), &rod, &at);
        assert_eq!(points.len(), 1);
        assert!((points[0].gap - 0.5).abs() < 1e-14);
        assert!((points[0].normal - Vector::<3>::z()).norm() < 1e-14);
    }

    #[test]
    fn a_small_cross_keeps_both_ends_and_the_middle() {
        let rod = Capsule { half_length: 2.0, radius: 0.1 };
        let at = Pose::<3>::turned(Vector::<3>::new(0.0, 0.0, 0.2), Vector::<3>::new(0.0, 0.0, 0.05));
        let points = all(&rod, &Pose::identity(), &rod, &at);
        assert_eq!(points.len(), 3);
        assert!(points[0].gap.abs() < 1e-15);
        assert!(points[1].gap > 1e-3 && points[2].gap > 1e-3);
    }

    #[test]
    fn segments_that_cross_in_the_plane_are_parted_the_short_way() {
        let (p, q) = (Capsule { half_length: 2.0, radius: 0.1 }, Capsule { half_length: 1.0, radius: 0.1 });
        let at = Pose::<2>::turned(Vector::<2>::new(0.5, 0.75), std::f64::consts::FRAC_PI_2);
        let points = all(&p, &Pose::identity(), &q, &at);
        assert_eq!(points.len(), 1);
        assert!((points[0].gap + 0.45).abs() < 1e-12, "{:?}", points);
        assert!((points[0].b - points[0].a - points[0].normal * points[0].gap).norm() < 1e-15);
    }

    #[test]
    fn one_on_the_other_is_finite() {
        let rod = Capsule { half_length: 1.0, radius: 0.5 };
        for point in all(&rod, &Pose::<3>::identity(), &rod, &Pose::identity()) {
            assert!((point.gap + 1.0).abs() < 1e-15);
            assert!((point.normal.norm() - 1.0).abs() < 1e-15);
        }
        for point in all(&rod, &Pose::<2>::identity(), &rod, &Pose::identity()) {
            assert!((point.gap + 1.0).abs() < 1e-15);
        }
    }
}
