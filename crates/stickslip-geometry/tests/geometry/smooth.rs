//! Contacts of smooth shapes, judged by witnesses that share nothing with the method: the points lie on the surfaces,
//! the surfaces are square to the normal there, and no direction of a fine search parts the shapes better.

use crate::support::{Dice, Turned};
use stickslip_geometry::pair::{Point, contacts};
use stickslip_geometry::shape::{
    Ball, Capsule, Ellipsoid, HalfSpace, HollowBall, HollowCylinder, Segment, Shape, Superellipsoid,
};
use stickslip_geometry::space::{Dim, Pose, Space, Vector};

/// Lengths with an aspect ratio of up to `aspect`.
fn radii<const D: usize>(dice: &mut Dice, aspect: f64) -> Vector<D> {
    Vector::from_fn(|_, _| aspect.powf(-dice.roll()))
}

fn all<const D: usize>(p: &Shape<D>, at_p: &Pose<D>, q: &Shape<D>, at_q: &Pose<D>) -> Vec<Point<D>>
where
    Dim<D>: Space<D>,
{
    let mut out = Vec::new();
    contacts((p, at_p), (q, at_q), f64::INFINITY, &mut out);
    for point in &out {
        assert!((point.normal.norm() - 1.0).abs() < 1e-14, "{point:?}");
        assert!((point.b - point.a - point.normal * point.gap).norm() < 1e-12, "{point:?}");
    }
    out
}

fn one<const D: usize>(p: &Shape<D>, at_p: &Pose<D>, q: &Shape<D>, at_q: &Pose<D>) -> Point<D>
where
    Dim<D>: Space<D>,
{
    let points = all(p, at_p, q, at_q);
    assert_eq!(points.len(), 1);
    points[0]
}

/// Value (1 on the surface) and gradient, both scaled to a length, of the function that bounds a shape.
fn level<const D: usize>(shape: &Shape<D>, x: &Vector<D>) -> (f64, Vector<D>)
where
    Dim<D>: Space<D>,
{
    match shape {
        Shape::Ball(ball) => (x.norm() - ball.radius, *x),
        Shape::Capsule(capsule) => {
            let mut axis = Vector::zeros();
            axis[0] = x[0].clamp(-capsule.half_length, capsule.half_length);
            ((x - axis).norm() - capsule.radius, x - axis)
        }
        Shape::Ellipsoid(body) => {
            let scaled = x.component_div(&body.radii);
            let gradient = scaled.component_div(&body.radii);
            ((scaled.norm_squared() - 1.0) / (2.0 * gradient.norm()), gradient)
        }
        Shape::Superellipsoid(body) => {
            // the nested norm and its gradient
            let norm = |p: f64, u: f64, v: f64| {
                let value = (u.abs().powf(p) + v.abs().powf(p)).powf(1.0 / p);
                let slope = |u: f64| (u.abs() / value).powf(p - 1.0).copysign(u);
                (value, slope(u), slope(v))
            };
            let scaled = x.component_div(&body.radii);
            let (section, u, v) = norm(body.across, scaled[0], scaled[1]);
            let (value, s, w) =
                if D == 2 { (section, 1.0, 0.0) } else { norm(body.along, section, scaled[D - 1]) };
            let mut gradient = Vector::<D>::zeros();
            gradient[D - 1] = w;
            gradient[0] = u * s;
            gradient[1] = v * s;
            let gradient = gradient.component_div(&body.radii);
            ((value - 1.0) / gradient.norm(), gradient)
        }
        other => panic!("no level function of a {}", other.name()),
    }
}

/// How closely a pair is judged.
#[derive(Clone, Copy)]
struct Strict {
    /// Error of the gap, and distance of the points from their surfaces.
    gap: f64,
    /// Change of a point under rounding of the poses: on a nearly flat side it moves far.
    point: f64,
    /// Angle between the normal and the surface there: near a tip it changes fast.
    turn: f64,
}

const ELLIPSOIDS: Strict = Strict { gap: 1e-10, point: 1e-10, turn: 1e-7 };
const POINTED: Strict = Strict { gap: 1e-10, point: 1e-6, turn: 2.0 };
const ROUND_BOXES: Strict = Strict { gap: 1e-10, point: 2.0, turn: 1e-7 };
const BOXES: Strict = Strict { gap: 1e-8, point: 2.0, turn: 1e-3 };

/// The point lies on the surface, which is square to the direction there.
fn certify<const D: usize>(
    shape: &Shape<D>,
    at: &Pose<D>,
    point: &Vector<D>,
    outward: &Vector<D>,
    strict: Strict,
) where
    Dim<D>: Space<D>,
{
    let (off, gradient) = level(shape, &at.to_local(point));
    assert!(off.abs() < strict.gap, "{} is {off:e} off its surface", shape.name());
    let turn = (at.turn_to_world(&gradient.normalize()) - outward).norm();
    assert!(turn < strict.turn, "{} is turned by {turn:e}", shape.name());
}

fn width<const D: usize>(p: &Shape<D>, at_p: &Pose<D>, q: &Shape<D>, at_q: &Pose<D>, n: &Vector<D>) -> f64
where
    Dim<D>: Space<D>,
{
    let far = |shape: &Shape<D>, at: &Pose<D>, n: &Vector<D>| {
        at.to_world(&shape.support(&at.turn_to_local(n)).unwrap())
    };
    (far(q, at_q, &-n) - far(p, at_p, n)).dot(n)
}

/// The widest slab between two shapes, by a search over a fine net of directions and then by ever smaller steps.
fn widest<const D: usize>(
    p: &Shape<D>,
    at_p: &Pose<D>,
    q: &Shape<D>,
    at_q: &Pose<D>,
    dice: &mut Dice,
) -> (f64, Vector<D>)
where
    Dim<D>: Space<D>,
{
    let mut starts: Vec<(f64, Vector<D>)> =
        (0..2000).map(|_| dice.direction::<D>()).map(|n| (width(p, at_p, q, at_q, &n), n)).collect();
    starts.sort_by(|x, y| y.0.total_cmp(&x.0));
    let mut best = starts[0];
    for start in &starts[..4] {
        let (mut value, mut n) = *start;
        let mut step = 0.1;
        while step > 1e-9 {
            let frame = Dim::<D>::frame(&n);
            let mut better = None;
            for k in 0..12 {
                let angle = std::f64::consts::TAU * k as f64 / 12.0;
                let way = frame.column(1) * angle.cos() + frame.column(D - 1) * angle.sin();
                let trial = (n + way * step).normalize();
                let w = width(p, at_p, q, at_q, &trial);
                if w > better.map_or(value, |b: (f64, Vector<D>)| b.0) {
                    better = Some((w, trial));
                }
            }
            match better {
                Some(found) => (value, n) = found,
                None => step *= 0.5,
            }
        }
        if value > best.0 {
            best = (value, n);
        }
    }
    best
}

/// Two shapes at random places at a positive gap.
fn apart<const D: usize>(p: &Shape<D>, q: &Shape<D>, dice: &mut Dice) -> (Pose<D>, Pose<D>)
where
    Dim<D>: Space<D> + Turned<D>,
{
    let (at_p, mut at_q) = (Dim::<D>::pose(dice), Dim::<D>::pose(dice));
    let n = dice.direction::<D>();
    // moved along some direction until they are apart in it: the nearest normal is another one
    let gap = 10f64.powf(dice.between(-6.0, 0.5));
    at_q.x += n * (gap - width(p, &at_p, q, &at_q, &n));
    (at_p, at_q)
}

/// Runs a pair through all witnesses.
fn judge<const D: usize>(p: &Shape<D>, q: &Shape<D>, dice: &mut Dice, strict: Strict, search: bool)
where
    Dim<D>: Space<D> + Turned<D>,
{
    let (at_p, at_q) = apart(p, q, dice);
    let point = one(p, &at_p, q, &at_q);
    assert!(point.gap > 0.0);
    certify(p, &at_p, &point.a, &point.normal, strict);
    certify(q, &at_q, &point.b, &-point.normal, strict);

    let other = one(q, &at_q, p, &at_p);
    assert!((other.gap - point.gap).abs() < strict.gap);
    assert!((other.normal + point.normal).norm() < strict.turn);
    assert!((other.a - point.b).norm() < strict.point && (other.b - point.a).norm() < strict.point);

    // moved by any pose, the contact moves along
    let moved = Dim::<D>::pose(dice);
    let carried = one(p, &moved.of_part(&at_p), q, &moved.of_part(&at_q));
    assert!((carried.gap - point.gap).abs() < strict.gap);
    assert!((carried.a - moved.to_world(&point.a)).norm() < strict.point);
    assert!((carried.b - moved.to_world(&point.b)).norm() < strict.point);

    // pushed along the normal into a shallow overlap: the same normal, and the depth is known
    let depth = 0.02 * p.inner_radius().min(q.inner_radius());
    let pushed = Pose { x: at_q.x - point.normal * (point.gap + depth), ..at_q };
    let overlap = one(p, &at_p, q, &pushed);
    assert!(overlap.gap < 0.0 && overlap.gap > -depth - strict.gap);
    // a tip may leave by a shorter way
    if strict.turn < 1.0 {
        assert!((overlap.gap + depth).abs() < strict.gap, "{} {} {overlap:?} {depth}", p.name(), q.name());
        assert!((overlap.normal - point.normal).norm() < strict.turn);
        assert!((overlap.a - point.a).norm() < 1e2 * strict.point);
    }

    if search {
        let (value, n) = widest(p, &at_p, q, &at_q, dice);
        // the search stalls on the crease that a capsule makes, and then falls short
        let creased = matches!(q, Shape::Capsule(_));
        assert!(value < point.gap + 1e-9 && (creased || value > point.gap - 1e-9), "{value} {}", point.gap);
        assert!(creased || (n - point.normal).norm() < 1e-3);
        let (value, _) = widest(p, &at_p, q, &pushed, dice);
        assert!(value < overlap.gap + 1e-9 && (creased || value > overlap.gap - 1e-9));
    }
}

fn ellipsoid<const D: usize>(dice: &mut Dice, aspect: f64) -> Shape<D>
where
    Dim<D>: Space<D>,
{
    Shape::Ellipsoid(Ellipsoid { radii: radii(dice, aspect) })
}

fn judge_ellipsoids<const D: usize>()
where
    Dim<D>: Space<D> + Turned<D>,
{
    let mut dice = Dice(1);
    for k in 0..5000 {
        let aspect = [1.5, 5.0, 20.0][k % 3];
        let p = ellipsoid::<D>(&mut dice, aspect);
        let q = match k % 4 {
            0 => Shape::Ball(Ball { radius: dice.between(0.05, 1.0) }),
            1 => Shape::Capsule(Capsule {
                half_length: dice.between(0.05, 1.0),
                radius: dice.between(0.05, 0.5),
            }),
            _ => ellipsoid::<D>(&mut dice, aspect),
        };
        judge(&p, &q, &mut dice, ELLIPSOIDS, k % 50 < 4);
    }
}

#[test]
fn ellipses_meet_along_common_normals() {
    judge_ellipsoids::<2>();
}

#[test]
fn ellipsoids_meet_along_common_normals() {
    judge_ellipsoids::<3>();
}

fn superellipsoid<const D: usize>(dice: &mut Dice, low: f64, high: f64) -> Shape<D>
where
    Dim<D>: Space<D>,
{
    let (across, along) = (dice.between(low, high), dice.between(low, high));
    Shape::Superellipsoid(Superellipsoid { radii: radii(dice, 3.0), across, along })
}

fn judge_superellipsoids<const D: usize>()
where
    Dim<D>: Space<D> + Turned<D>,
{
    let mut dice = Dice(8);
    for (low, high, strict) in [(1.2, 1.9, POINTED), (2.0, 8.0, ROUND_BOXES), (8.0, 20.0, BOXES)] {
        for k in 0..1200 {
            let p = superellipsoid::<D>(&mut dice, low, high);
            let q = match k % 4 {
                0 => Shape::Ball(Ball { radius: dice.between(0.05, 1.0) }),
                1 => Shape::Capsule(Capsule {
                    half_length: dice.between(0.1, 1.0),
                    radius: dice.between(0.1, 0.5),
                }),
                2 => ellipsoid::<D>(&mut dice, 3.0),
                _ => superellipsoid::<D>(&mut dice, low, high),
            };
            judge(&p, &q, &mut dice, strict, false);
            // the search follows the creases of a box badly, but no more than that can it part the shapes
            if k % 100 == 0 {
                let (at_p, at_q) = apart(&p, &q, &mut dice);
                let (value, _) = widest(&p, &at_p, &q, &at_q, &mut dice);
                assert!(value < one(&p, &at_p, &q, &at_q).gap + strict.gap);
            }
        }
    }
}

#[test]
fn superellipses_meet_along_common_normals() {
    judge_superellipsoids::<2>();
}

#[test]
fn superellipsoids_meet_along_common_normals() {
    judge_superellipsoids::<3>();
}

#[test]
fn superellipsoids_of_exponent_two_are_ellipsoids() {
    let mut dice = Dice(9);
    for _ in 0..300 {
        let radii = radii::<3>(&mut dice, 10.0);
        let exact = Shape::Ellipsoid(Ellipsoid { radii });
        let p = Shape::Superellipsoid(Superellipsoid::<3>::new(radii, 2.0, 2.0));
        let q = ellipsoid::<3>(&mut dice, 10.0);
        let (at_p, at_q) = apart(&p, &q, &mut dice);
        let (found, exact) = (one(&p, &at_p, &q, &at_q), one(&exact, &at_p, &q, &at_q));
        assert!((found.gap - exact.gap).abs() < 1e-12);
        assert!((found.a - exact.a).norm() < 1e-10 && (found.b - exact.b).norm() < 1e-10);
    }
}

/// Round boxes flat on one another: there is no curvature to speak of, but the gap is known.
#[test]
fn flat_sides_face_each_other() {
    for exponent in [2.5, 4.0, 8.0, 20.0] {
        let brick = Superellipsoid::<3>::new(Vector::<3>::new(1.0, 0.5, 0.25), exponent, exponent);
        let brick = Shape::Superellipsoid(brick);
        for gap in [0.1, 1e-6, 0.0, -1e-6, -0.01] {
            let above = Pose::at(Vector::<3>::new(0.0, 0.0, 0.5 + gap));
            let point = one(&brick, &Pose::identity(), &brick, &above);
            assert!((point.gap - gap).abs() < 1e-12, "{exponent} {gap} {point:?}");
            assert!((point.normal - Vector::<3>::z()).norm() < 1e-9);
            let plane = Pose::at(Vector::<3>::new(0.0, 0.0, -0.25 - gap));
            let point = one(&brick, &Pose::identity(), &Shape::HalfSpace(HalfSpace), &plane);
            assert!((point.gap - gap).abs() < 1e-12);
        }
        // shifted, the common normal leans
        let aside = Pose::at(Vector::<3>::new(0.9, 0.3, 0.6));
        let point = one(&brick, &Pose::identity(), &brick, &aside);
        assert!(point.gap > 0.1 - 1e-12);
        certify(&brick, &Pose::identity(), &point.a, &point.normal, BOXES);
        certify(&brick, &aside, &point.b, &-point.normal, BOXES);
    }
}

#[test]
fn bodies_on_a_half_space_touch_with_their_lowest_point() {
    let mut dice = Dice(10);
    for _ in 0..300 {
        let (p, strict) = if dice.roll() < 0.5 {
            (ellipsoid::<3>(&mut dice, 20.0), ELLIPSOIDS)
        } else {
            (superellipsoid::<3>(&mut dice, 2.0, 8.0), ROUND_BOXES)
        };
        let (at, plane) = (Dim::<3>::pose(&mut dice), Dim::<3>::pose(&mut dice));
        let point = one(&p, &at, &Shape::HalfSpace(HalfSpace), &plane);
        certify(&p, &at, &point.a, &point.normal, strict);
        assert!((point.normal + HalfSpace::normal(&plane)).norm() < 1e-15);
        assert!(plane.to_local(&point.b)[2].abs() < 1e-14);
    }
}

#[test]
fn ellipsoids_of_equal_radii_are_balls() {
    let mut dice = Dice(2);
    for _ in 0..1000 {
        let (r, s) = (dice.between(0.1, 2.0), dice.between(0.1, 2.0));
        let round = |r| Shape::Ellipsoid(Ellipsoid { radii: Vector::<3>::repeat(r) });
        let ball = |r| Shape::Ball(Ball { radius: r });
        let (at_p, at_q) = (Dim::<3>::pose(&mut dice), Dim::<3>::pose(&mut dice));
        let exact = one(&ball(r), &at_p, &ball(s), &at_q);
        for (p, q) in [(round(r), round(s)), (round(r), ball(s)), (ball(r), round(s))] {
            let point = one(&p, &at_p, &q, &at_q);
            assert!((point.gap - exact.gap).abs() < 1e-12);
            assert!((point.normal - exact.normal).norm() < 1e-12);
            assert!((point.a - exact.a).norm() < 1e-12 && (point.b - exact.b).norm() < 1e-12);
        }
    }
}

#[test]
fn contacts_scale_with_the_shapes() {
    let mut dice = Dice(3);
    for _ in 0..300 {
        let (a, b) = (radii::<3>(&mut dice, 20.0), radii::<3>(&mut dice, 20.0));
        let exponent = if dice.roll() < 0.5 { 2.0 } else { dice.between(1.5, 3.0) };
        let (at_p, at_q) = (Dim::<3>::pose(&mut dice), Dim::<3>::pose(&mut dice));
        let at_scale = |scale: f64| {
            let p = Shape::Superellipsoid(Superellipsoid::<3>::new(a * scale, exponent, exponent));
            let q = Shape::Ellipsoid(Ellipsoid { radii: b * scale });
            let grown = |at: &Pose<3>| Pose { x: at.x * scale, ..*at };
            one(&p, &grown(&at_p), &q, &grown(&at_q))
        };
        let point = at_scale(1.0);
        for scale in [1e-3, 1e3] {
            let scaled = at_scale(scale);
            assert!((scaled.gap / scale - point.gap).abs() < 1e-12);
            assert!((scaled.a / scale - point.a).norm() < 1e-10);
        }
    }
}

/// Deep overlaps: the answer is finite, and no direction of the search gives much less overlap.
#[test]
fn deep_overlaps_are_parted_the_short_way() {
    let mut dice = Dice(4);
    let mut worst = 0.0f64;
    for _ in 0..300 {
        let (p, q) = (ellipsoid::<3>(&mut dice, 4.0), ellipsoid::<3>(&mut dice, 4.0));
        let at_p = Dim::<3>::pose(&mut dice);
        let at_q = Pose { x: at_p.x + dice.vector::<3>() * 0.3, ..Dim::<3>::pose(&mut dice) };
        let point = one(&p, &at_p, &q, &at_q);
        let (value, _) = widest(&p, &at_p, &q, &at_q, &mut dice);
        worst = worst.max(value - point.gap);
    }
    assert!(worst < 1e-6, "{worst}");
}

#[test]
fn one_centre_is_finite() {
    let shapes = [
        Shape::Ball(Ball { radius: 1.0 }),
        Shape::Capsule(Capsule { half_length: 1.0, radius: 0.5 }),
        Shape::Ellipsoid(Ellipsoid { radii: Vector::<3>::new(1.0, 0.5, 0.25) }),
        Shape::Ellipsoid(Ellipsoid { radii: Vector::<3>::repeat(1.0) }),
        Shape::HollowBall(HollowBall { radius: 2.0 }),
        Shape::HollowCylinder(HollowCylinder { radius: 2.0 }),
    ];
    for (i, p) in shapes.iter().enumerate() {
        for (j, q) in shapes.iter().enumerate() {
            let points = all(p, &Pose::identity(), q, &Pose::identity());
            assert!(points.iter().all(|point| point.gap.is_finite() && point.a.norm().is_finite()));
            assert_eq!(points.is_empty(), i >= 4 && j >= 4);
        }
    }
    let narrow = one(&shapes[2], &Pose::identity(), &shapes[0], &Pose::identity());
    assert!((narrow.gap + 1.25).abs() < 1e-14 && narrow.normal[2].abs() == 1.0);
}

/// The farthest point of a shape from the centre of a hole, by samples of its surface.
fn farthest<const D: usize>(p: &Shape<D>, at: &Pose<D>, tube: bool, dice: &mut Dice) -> f64
where
    Dim<D>: Space<D>,
{
    let mut best = 0.0f64;
    for _ in 0..20_000 {
        let mut x = at.to_world(&p.support(&dice.direction::<D>()).unwrap());
        if tube {
            x[D - 1] = 0.0;
        }
        best = best.max(x.norm());
    }
    best
}

fn judge_in_hole<const D: usize>(p: &Shape<D>, tube: bool, dice: &mut Dice)
where
    Dim<D>: Space<D> + Turned<D>,
{
    let radius = 2.0;
    let hole = if tube {
        Shape::HollowCylinder(HollowCylinder { radius })
    } else {
        Shape::HollowBall(HollowBall { radius })
    };
    let at = Dim::<D>::pose(dice);
    let points = all(p, &at, &hole, &Pose::identity());
    assert!(points.len() == 1 || points.len() == 2);
    for point in &points {
        certify(p, &at, &point.a, &point.normal, Strict { turn: 1e-5, ..ELLIPSOIDS });
        let mut a = point.a;
        if tube {
            a[D - 1] = 0.0;
        }
        assert!((a - point.normal * a.norm()).norm() < 1e-10);
        assert!((radius - a.norm() - point.gap).abs() < 1e-12);
    }
    assert!(points.len() == 1 || points[0].feature != points[1].feature);
    let sampled = radius - farthest(p, &at, tube, dice);
    assert!(points[0].gap < sampled + 1e-12 && points[0].gap > sampled - 0.02, "{} {sampled}", points[0].gap);
}

#[test]
fn bodies_in_round_holes_touch_with_their_farthest_points() {
    let mut dice = Dice(5);
    for _ in 0..300 {
        judge_in_hole(&ellipsoid::<2>(&mut dice, 20.0), false, &mut dice);
        judge_in_hole(&ellipsoid::<3>(&mut dice, 20.0), false, &mut dice);
        judge_in_hole(&ellipsoid::<3>(&mut dice, 20.0), true, &mut dice);
        judge_in_hole(&superellipsoid::<2>(&mut dice, 1.5, 8.0), false, &mut dice);
        judge_in_hole(&superellipsoid::<3>(&mut dice, 1.5, 8.0), false, &mut dice);
        judge_in_hole(&superellipsoid::<3>(&mut dice, 1.5, 8.0), true, &mut dice);
    }
}

#[test]
fn an_ellipse_across_a_drum_touches_at_both_ends() {
    let rod = Shape::Ellipsoid(Ellipsoid { radii: Vector::<2>::new(1.0, 0.1) });
    let drum = Shape::HollowBall(HollowBall { radius: 1.2 });
    let points = all(&rod, &Pose::at(Vector::<2>::new(0.0, -0.5)), &drum, &Pose::identity());
    assert_eq!(points.len(), 2);
    assert!((points[0].gap - points[1].gap).abs() < 1e-12);
    assert!((points[0].normal[0] + points[1].normal[0]).abs() < 1e-12);
    assert!(points[0].feature != points[1].feature);
}

/// Over many small steps of a slow turn the normal turns slowly.
#[test]
fn normals_are_continuous() {
    let mut dice = Dice(6);
    for _ in 0..50 {
        let (p, q) = (ellipsoid::<3>(&mut dice, 5.0), ellipsoid::<3>(&mut dice, 5.0));
        let (at_p, at_q) = apart(&p, &q, &mut dice);
        let mut last: Option<Point<3>> = None;
        for k in 0..1000 {
            let turn =
                Pose::<3>::turned(Vector::<3>::zeros(), Vector::<3>::new(0.3, 0.2, 0.9) * (k as f64 * 1e-4));
            let at = Pose { x: at_q.x, rotation: turn.rotation * at_q.rotation };
            let point = one(&p, &at_p, &q, &at);
            // shapes of size 1 and aspect 5 may touch after some turns, but a common normal has no reason to jump
            if let Some(last) = last {
                assert!((point.normal - last.normal).norm() < 0.05);
            }
            last = Some(point);
        }
    }
}

/// Distance of two segments about their middles, by golden sections: it is convex in both parameters.
fn segments_apart<const D: usize>(u: &Vector<D>, v: &Vector<D>, way: &Vector<D>) -> f64 {
    fn least(f: impl Fn(f64) -> f64) -> f64 {
        let (mut low, mut high) = (-1.0, 1.0);
        for _ in 0..60 {
            let (x, y) = (low + 0.382 * (high - low), high - 0.382 * (high - low));
            if f(x) < f(y) {
                high = y;
            } else {
                low = x;
            }
        }
        f(0.5 * (low + high))
    }
    least(|s| least(|t| (way + v * t - u * s).norm()))
}

fn judge_capsules<const D: usize>()
where
    Dim<D>: Space<D> + Turned<D>,
{
    let mut dice = Dice(12);
    for k in 0..300 {
        let mut capsule = || Capsule { half_length: dice.between(0.1, 1.0), radius: dice.between(0.05, 0.3) };
        let (p, q) = (capsule(), capsule());
        let at_p = Dim::<D>::pose(&mut dice);
        let mut at_q = Dim::<D>::pose(&mut dice);
        if k % 3 == 0 {
            at_q.rotation = at_p.rotation;
        }
        let (shape_p, shape_q) = (Shape::Capsule(p), Shape::Capsule(q));
        let distance = segments_apart(&p.arm(&at_p), &q.arm(&at_q), &(at_q.x - at_p.x));
        if distance < 1e-3 {
            continue;
        }
        let points = all(&shape_p, &at_p, &shape_q, &at_q);
        let gap = points.iter().map(|point| point.gap).fold(f64::INFINITY, f64::min);
        assert!((gap - distance + p.radius + q.radius).abs() < 1e-8, "{gap} {distance}");
        for point in &points {
            // the nearest point exactly; another end of the shared stretch leans by up to the angle between them
            let leans = if point.gap < gap + 1e-12 { 1e-10 } else { 0.006 };
            let strict = Strict { gap: leans, point: leans, turn: 20.0 * leans.max(1e-9) };
            certify(&shape_p, &at_p, &point.a, &point.normal, strict);
            certify(&shape_q, &at_q, &point.b, &-point.normal, strict);
        }
        let other = all(&shape_q, &at_q, &shape_p, &at_p);
        assert_eq!(other.len(), points.len());
        for point in &points {
            assert!(
                other
                    .iter()
                    .any(|o| (o.a - point.b).norm() < 1e-10 && (o.normal + point.normal).norm() < 1e-9)
            );
        }
        let moved = Dim::<D>::pose(&mut dice);
        let carried = all(&shape_p, &moved.of_part(&at_p), &shape_q, &moved.of_part(&at_q));
        assert_eq!(carried.len(), points.len());
        for (c, point) in carried.iter().zip(&points) {
            assert!((c.a - moved.to_world(&point.a)).norm() < 1e-10 && c.feature == point.feature);
        }
    }
}

#[test]
fn capsules_meet_where_their_axes_are_nearest() {
    judge_capsules::<2>();
    judge_capsules::<3>();
}

/// Any shapes anywhere, thin, long, deep inside each other: the answers are finite.
fn fuzz<const D: usize>()
where
    Dim<D>: Space<D> + Turned<D>,
{
    let mut dice = Dice(13);
    for _ in 0..20_000 {
        let mut shape = || -> Shape<D> {
            let radii = radii::<D>(&mut dice, 1e4);
            let (across, along) = (dice.between(1.2, 20.0), dice.between(1.2, 20.0));
            match (dice.roll() * 8.0) as u32 {
                0 => Shape::Ball(Ball { radius: radii[0] }),
                1 => Shape::Capsule(Capsule { half_length: radii[0], radius: radii[1] }),
                2 => Shape::Segment(Segment { half_length: radii[0] }),
                3 => Shape::Ellipsoid(Ellipsoid { radii }),
                4 => Shape::HalfSpace(HalfSpace),
                5 => Shape::HollowBall(HollowBall { radius: radii[0] }),
                6 if D == 3 => Shape::HollowCylinder(HollowCylinder { radius: radii[0] }),
                _ => Shape::Superellipsoid(Superellipsoid { radii, across, along }),
            }
        };
        let (p, q) = (shape(), shape());
        let (mut at_p, mut at_q) = (Dim::<D>::pose(&mut dice), Dim::<D>::pose(&mut dice));
        let near = 10f64.powf(dice.between(-20.0, 1.0));
        at_p.x *= near;
        at_q.x *= near;
        if dice.roll() < 0.2 {
            at_q.rotation = at_p.rotation;
        }
        for point in all(&p, &at_p, &q, &at_q) {
            let finite = point.gap.is_finite() && point.a.iter().all(|x| x.is_finite());
            assert!(finite, "{p:?} {at_p:?} {q:?} {at_q:?} {point:?}");
        }
        at_q.x[0] = f64::NAN;
        contacts((&p, &at_p), (&q, &at_q), 1.0, &mut Vec::new());
    }
}

#[test]
fn answers_are_finite() {
    fuzz::<2>();
    fuzz::<3>();
}

#[test]
fn a_segment_is_met_from_both_sides() {
    let wall = Shape::<2>::Segment(Segment { half_length: 1.0 });
    let disk = Shape::Ball(Ball { radius: 0.5 });
    for side in [1.0, -1.0] {
        let point = one(&disk, &Pose::at(Vector::<2>::new(0.5, 0.75 * side)), &wall, &Pose::identity());
        assert!((point.gap - 0.25).abs() < 1e-15);
        assert!((point.normal + Vector::<2>::y() * side).norm() < 1e-15);
        assert!((point.b - Vector::<2>::new(0.5, 0.0)).norm() < 1e-15);
    }
}
