//! Pairs across the families: smooth shapes with polytopes, cylinders and meshes, and all in round holes.
//!
//! Where convex shapes are apart a contact proves itself: its normal parts the shapes by the gap, so that none is less,
//! and its points are one gap apart, so that none is more.

use crate::support::{Dice, Turned};
use stickslip_geometry::pair::{Point, contacts};
use stickslip_geometry::shape::{
    Ball, Capsule, Compound, Cuboid, Cylinder, Ellipsoid, HalfSpace, HollowBall, HollowCylinder, Mesh,
    Polytope, Segment, Shape, Superellipsoid,
};
use stickslip_geometry::space::{Dim, Pose, Space, Vector};

type V2 = Vector<2>;
type V3 = Vector<3>;

/// What the tests need of each dimension.
trait Kinds<const D: usize>: Turned<D>
where
    Dim<D>: Space<D>,
{
    /// One facet after the other, seen from above.
    fn ground() -> Mesh<D>;
}

impl Kinds<2> for Dim<2> {
    fn ground() -> Mesh<2> {
        let vertices = vec![V2::new(1.0, 0.1), V2::new(0.0, -0.2), V2::new(-1.0, 0.0)];
        Mesh::new(vertices, vec![[0, 1], [1, 2]]).unwrap()
    }
}

impl Kinds<3> for Dim<3> {
    fn ground() -> Mesh<3> {
        let vertices =
            vec![V3::z() * -0.2, V3::new(1.0, 0.0, 0.0), V3::new(-0.5, 0.8, 0.0), V3::new(-0.5, -0.8, 0.1)];
        Mesh::new(vertices, vec![[0, 1, 2], [0, 2, 3], [0, 3, 1]]).unwrap()
    }
}

/// One convex shape with an end of each kind.
fn bodies<const D: usize>(dice: &mut Dice) -> Vec<Shape<D>>
where
    Dim<D>: Space<D>,
{
    let points: Vec<Vector<D>> = (0..10 * (D - 1)).map(|_| dice.direction::<D>() * 0.4).collect();
    let radii = Vector::from_fn(|k, _| [0.4, 0.25, 0.3][k]);
    let mut all = vec![
        Shape::Ball(Ball { radius: 0.3 }),
        Shape::Capsule(Capsule { half_length: 0.4, radius: 0.15 }),
        Shape::Segment(Segment { half_length: 0.5 }),
        Shape::Ellipsoid(Ellipsoid { radii }),
        Shape::Superellipsoid(Superellipsoid { radii, across: 4.0, along: 3.0 }),
        Shape::Cuboid(Cuboid::new(Vector::from_fn(|k, _| [0.2, 0.3, 0.4][k]))),
        Shape::Polytope(Polytope::hull(&points).unwrap()),
    ];
    if D == 3 {
        all.push(Shape::Cylinder(Cylinder { half_length: 0.3, radius: 0.2 }));
    }
    all
}

/// One shape of each kind.
fn kinds<const D: usize>(dice: &mut Dice) -> Vec<Shape<D>>
where
    Dim<D>: Space<D> + Kinds<D>,
{
    let mut all = bodies::<D>(dice);
    let aside = |x: f64| Pose::at(Vector::from_fn(|k, _| if k == 0 { x } else { 0.0 }));
    let parts =
        vec![(aside(0.25), all[1].clone()), (aside(-0.2), all[3].clone()), (aside(0.0), all[5].clone())];
    all.push(Shape::Compound(Compound::new(parts)));
    all.push(Shape::Mesh(Dim::<D>::ground()));
    all.push(Shape::HalfSpace(HalfSpace));
    all.push(Shape::HollowBall(HollowBall { radius: 1.2 }));
    if D == 3 {
        all.push(Shape::HollowCylinder(HollowCylinder { radius: 1.1 }));
    }
    all
}

fn found<const D: usize>(a: (&Shape<D>, &Pose<D>), b: (&Shape<D>, &Pose<D>), reach: f64) -> Vec<Point<D>>
where
    Dim<D>: Space<D>,
{
    let mut out = Vec::new();
    contacts(a, b, reach, &mut out);
    out
}

fn least<const D: usize>(points: &[Point<D>]) -> Option<Point<D>> {
    points.iter().copied().min_by(|p, q| p.gap.total_cmp(&q.gap))
}

/// How far a direction parts two convex shapes.
fn parted<const D: usize>(a: (&Shape<D>, &Pose<D>), b: (&Shape<D>, &Pose<D>), n: &Vector<D>) -> f64
where
    Dim<D>: Space<D>,
{
    let far = |(shape, pose): (&Shape<D>, &Pose<D>), n: &Vector<D>| {
        pose.to_world(&shape.support(&pose.turn_to_local(n)).unwrap())
    };
    (far(b, &-n) - far(a, n)).dot(n)
}

/// No end, or fixed.
fn is_wall<const D: usize>(shape: &Shape<D>) -> bool
where
    Dim<D>: Space<D>,
{
    matches!(shape, Shape::HalfSpace(_) | Shape::HollowBall(_) | Shape::HollowCylinder(_) | Shape::Mesh(_))
}

fn every_pair<const D: usize>()
where
    Dim<D>: Space<D> + Kinds<D>,
{
    let mut dice = Dice(1);
    let shapes = kinds::<D>(&mut dice);
    let reach = 0.1;
    for (i, p) in shapes.iter().enumerate() {
        for (j, q) in shapes.iter().enumerate() {
            let names = (p.name(), q.name());
            let mut touched = 0;
            for k in 0..300 {
                let (mut at_p, mut at_q) = (Dim::<D>::pose(&mut dice), Dim::<D>::pose(&mut dice));
                let spread = [0.3, 0.5, 0.8][k % 3];
                at_p.x *= spread;
                at_q.x *= spread;
                // full of ties
                if k % 5 == 0 {
                    at_p.rotation = Dim::<D>::identity();
                    at_q.rotation = Dim::<D>::identity();
                }
                let points = found((p, &at_p), (q, &at_q), reach);
                touched += usize::from(!points.is_empty());
                for x in &points {
                    assert!(x.gap <= reach && x.gap.is_finite(), "{names:?} {x:?}");
                    assert!((x.normal.norm() - 1.0).abs() < 1e-13, "{names:?} {x:?}");
                    assert!((x.b - x.a - x.normal * x.gap).norm() < 1e-9, "{names:?} {x:?}");
                    assert!(x.a.norm() < 1e2, "{names:?} {x:?}");
                    let same = points.iter().filter(|y| y.feature == x.feature).count();
                    assert_eq!(same, 1, "{names:?} {points:?}");
                }
                let swapped = found((q, &at_q), (p, &at_p), reach);
                if i != j {
                    assert_eq!(points.len(), swapped.len(), "{names:?}");
                    for (x, y) in points.iter().zip(&swapped) {
                        let flipped =
                            (x.gap - y.gap).abs() + (x.normal + y.normal).norm() + (x.a - y.b).norm();
                        assert!(flipped < 1e-9, "{names:?} {x:?} {y:?}");
                    }
                } else if let (Some(x), Some(y)) = (least(&points), least(&swapped))
                    && x.gap > -0.05
                {
                    // deep overlaps have many ways out
                    assert!((x.gap - y.gap).abs() < 1e-9 + 1e-3 * x.gap.abs(), "{names:?} {x:?} {y:?}");
                }
            }
            assert_eq!(touched == 0, is_wall(p) && is_wall(q), "{names:?} {touched}");
        }
    }
}

#[test]
fn every_pair_in_the_plane() {
    every_pair::<2>();
}

#[test]
fn every_pair_in_space() {
    every_pair::<3>();
}

/// The deepest contact of two convex shapes that are apart proves itself; pushed into a shallow overlap along its
/// normal it stays as good, and no direction parts the shapes better.
fn every_contact_proves_itself<const D: usize>()
where
    Dim<D>: Space<D> + Kinds<D>,
{
    let mut dice = Dice(2);
    let shapes = bodies::<D>(&mut dice);
    for p in &shapes {
        for q in &shapes {
            let names = (p.name(), q.name());
            // faces that lie flat on each other, to a small angle, share the normal of one: polytopes have own tests
            let flat = |shape: &Shape<D>| {
                matches!(shape, Shape::Cuboid(_) | Shape::Polytope(_) | Shape::Cylinder(_))
            };
            if flat(p) && flat(q) {
                continue;
            }
            // nearly flat sides leave a direction undecided, and prisms stop at an angle
            let close =
                if names.0.starts_with("super") || names.1.starts_with("super") { 1e-8 } else { 1e-9 };
            for _ in 0..100 {
                let (at_p, mut at_q) = (Dim::<D>::pose(&mut dice), Dim::<D>::pose(&mut dice));
                let n = dice.direction::<D>();
                let gap = 10f64.powf(dice.between(-5.0, -0.5));
                at_q.x += n * (gap - parted((p, &at_p), (q, &at_q), &n));
                let points = found((p, &at_p), (q, &at_q), f64::INFINITY);
                let x = least(&points).unwrap();
                let separation = parted((p, &at_p), (q, &at_q), &x.normal);
                assert!((separation - x.gap).abs() < close, "{names:?} {} {separation} {x:?}", x.gap);
                assert!(found((p, &at_p), (q, &at_q), x.gap - 1e-6).is_empty(), "{names:?}");
                assert!(!found((p, &at_p), (q, &at_q), x.gap + 1e-6).is_empty(), "{names:?}");

                // what has no thickness passes through its like
                if names == ("segment", "segment") {
                    continue;
                }
                let depth = 1e-3;
                at_q.x -= x.normal * (x.gap + depth);
                let pushed = found((p, &at_p), (q, &at_q), 0.01);
                let y = least(&pushed).unwrap_or_else(|| panic!("{names:?}"));
                // a corner may leave by a shorter way, and a thin end may pass beside one
                let thin = names.0 == "segment" || names.1 == "segment";
                // the axis in a cylinder is met by a prism, whose normal is good to 1e-6
                let close =
                    if thin && (names.0 == "cylinder" || names.1 == "cylinder") { 1e-6 } else { 1e-8 };
                assert!(y.gap > -depth - close && (thin || y.gap < close), "{names:?} {y:?}");
                let separation = parted((p, &at_p), (q, &at_q), &y.normal);
                assert!((separation - y.gap).abs() < close, "{names:?} {separation} {y:?}");
                for _ in 0..50 {
                    let near = (y.normal + dice.vector::<D>() * dice.roll().powi(3)).normalize();
                    let better = parted((p, &at_p), (q, &at_q), &near) - y.gap;
                    assert!(better < close, "{names:?} {better:e}");
                }
            }
        }
    }
}

#[test]
fn every_contact_in_the_plane_proves_itself() {
    every_contact_proves_itself::<2>();
}

#[test]
fn every_contact_in_space_proves_itself() {
    every_contact_proves_itself::<3>();
}

/// Distance of a point from a box about the origin.
fn from_box<const D: usize>(half: &Vector<D>, x: &Vector<D>) -> f64 {
    x.zip_map(half, |x, h| (x.abs() - h).max(0.0)).norm()
}

/// The distance from a box is convex along the axis of a capsule: thirds.
fn capsules_by_brute_force<const D: usize>()
where
    Dim<D>: Space<D> + Kinds<D>,
{
    let mut dice = Dice(3);
    for _ in 0..2000 {
        let half = Vector::<D>::from_fn(|_, _| dice.between(0.1, 1.0));
        let capsule = Capsule { half_length: dice.between(0.1, 1.0), radius: dice.between(0.05, 0.3) };
        let mut at = Dim::<D>::pose(&mut dice);
        at.x *= 1.7;
        let arm = capsule.arm(&at);
        let distance = |s: f64| from_box(&half, &(at.x + arm * s));
        let (mut low, mut high) = (-1.0, 1.0);
        for _ in 0..100 {
            let (s, t) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if distance(s) < distance(t) {
                high = t;
            } else {
                low = s;
            }
        }
        let core = distance(0.5 * (low + high));
        if core < 1e-6 {
            continue;
        }
        let (p, q) = (Shape::Capsule(capsule), Shape::Cuboid(Cuboid::new(half)));
        let points = found((&p, &at), (&q, &Pose::identity()), f64::INFINITY);
        assert!((least(&points).unwrap().gap - (core - capsule.radius)).abs() < 1e-9, "{points:?} {core}");
    }
}

#[test]
fn capsules_and_boxes_by_brute_force() {
    capsules_by_brute_force::<2>();
    capsules_by_brute_force::<3>();
}

/// The nearest point of an ellipsoid to a box, by ever smaller random steps over its surface.
fn ellipsoids_by_brute_force<const D: usize>()
where
    Dim<D>: Space<D> + Kinds<D>,
{
    let mut dice = Dice(4);
    for _ in 0..150 {
        let half = Vector::<D>::from_fn(|_, _| dice.between(0.1, 1.0));
        let p = Shape::Ellipsoid(Ellipsoid { radii: Vector::from_fn(|_, _| dice.between(0.2, 1.0)) });
        let q = Shape::Cuboid(Cuboid::new(half));
        let at_q = Pose::identity();
        let mut at = Dim::<D>::pose(&mut dice);
        at.x += at.x.normalize() * 2.0;
        let point = least(&found((&p, &at), (&q, &at_q), f64::INFINITY)).unwrap();
        let distance = |n: &Vector<D>| from_box(&half, &at.to_world(&p.support(n).unwrap()));
        let mut best = (f64::INFINITY, Vector::zeros());
        for _ in 0..300 {
            let n = dice.direction::<D>();
            if distance(&n) < best.0 {
                best = (distance(&n), n);
            }
        }
        let mut step = 0.3;
        while step > 1e-8 {
            let mut moved = false;
            for _ in 0..20 {
                let n = (best.1 + dice.vector::<D>() * step).normalize();
                if distance(&n) < best.0 {
                    best = (distance(&n), n);
                    moved = true;
                }
            }
            step *= if moved { 1.2 } else { 0.7 };
        }
        if best.0 > 1e-6 {
            assert!(point.gap < best.0 + 1e-12 && point.gap > best.0 - 1e-7, "{} {}", point.gap, best.0);
        }
    }
}

#[test]
fn ellipsoids_and_boxes_by_brute_force() {
    ellipsoids_by_brute_force::<2>();
    ellipsoids_by_brute_force::<3>();
}

#[test]
fn ellipsoids_of_equal_radii_are_balls() {
    let mut dice = Dice(5);
    let mut others = bodies::<3>(&mut dice);
    others.retain(|shape| matches!(shape, Shape::Cuboid(_) | Shape::Polytope(_) | Shape::Cylinder(_)));
    others.push(Shape::Mesh(Dim::<3>::ground()));
    for q in &others {
        for _ in 0..1000 {
            let radius = dice.between(0.1, 0.5);
            let round = Shape::Ellipsoid(Ellipsoid { radii: V3::repeat(radius) });
            let ball = Shape::Ball(Ball { radius });
            let (at_p, at_q) = (Dim::<3>::pose(&mut dice), Dim::<3>::pose(&mut dice));
            let exact = found((&ball, &at_p), (q, &at_q), 0.3);
            // deeper than its centre a ball has other ways out
            if exact.is_empty() || exact.iter().any(|x| x.gap < -0.5 * radius) {
                continue;
            }
            let points = found((&round, &at_p), (q, &at_q), 0.3);
            let (x, y) = (least(&exact).unwrap(), least(&points).unwrap());
            assert!((x.gap - y.gap).abs() < 1e-10, "{} {x:?} {y:?}", q.name());
            assert!((x.normal - y.normal).norm() < 1e-6, "{} {x:?} {y:?}", q.name());
        }
    }
}

#[test]
fn a_capsule_lies_on_a_box_wherever_both_are() {
    let mut dice = Dice(6);
    let capsule = Shape::Capsule(Capsule { half_length: 0.3, radius: 0.1 });
    let brick = Shape::Cuboid(Cuboid::new(V3::new(0.5, 0.4, 0.2)));
    for k in 0..500 {
        let gap = [0.01, 0.0, -1e-6, -0.05][k % 4];
        let world = Dim::<3>::pose(&mut dice);
        let turn = V3::z() * dice.between(-3.0, 3.0);
        let at = world.of_part(&Pose::<3>::turned(V3::new(0.1, -0.05, 0.3 + gap), turn));
        let points = found((&capsule, &at), (&brick, &world), 0.02);
        assert_eq!(points.len(), 2);
        for x in &points {
            assert!((x.gap - gap).abs() < 1e-14, "{x:?}");
            assert!((x.normal + world.axis_to_world(2)).norm() < 1e-14);
        }
    }
}

#[test]
fn a_capsule_lies_on_a_floor_of_triangles() {
    let n = 6u32;
    let vertices: Vec<V3> =
        (0..=n).flat_map(|i| (0..=n).map(move |j| V3::new(f64::from(i), f64::from(j), 0.0))).collect();
    let mut facets = Vec::new();
    for k in (0..n).flat_map(|i| (0..n).map(move |j| i * (n + 1) + j)) {
        facets.extend([[k, k + n + 1, k + n + 2], [k, k + n + 2, k + 1]]);
    }
    let floor = Shape::Mesh(Mesh::new(vertices, facets).unwrap());
    let capsule = Shape::Capsule(Capsule { half_length: 0.8, radius: 0.25 });
    let stone = Shape::Ellipsoid(Ellipsoid { radii: V3::new(0.6, 0.4, 0.25) });
    let mut dice = Dice(7);
    for k in 0..300 {
        let gap = [1e-3, 0.0, -1e-3][k % 3];
        let mut x = V3::repeat(3.0) + dice.vector::<3>();
        x[2] = 0.25 + gap;
        let at = Pose::<3>::turned(x, V3::z() * dice.between(-3.0, 3.0));
        let points = found((&capsule, &at), (&floor, &Pose::identity()), 0.01);
        // both ends, and perhaps a seam between
        for end in [1.0, -1.0] {
            let centre = at.to_world(&(V3::x() * 0.8 * end));
            assert!(points.iter().any(|p| (p.a - centre + V3::z() * 0.25).norm() < 1e-12), "{points:?}");
        }
        assert!(points.len() <= 4);
        for p in &points {
            assert!((p.gap - gap).abs() < 1e-14 && (p.normal + V3::z()).norm() < 1e-12, "{points:?}");
        }
        let points = found((&stone, &at), (&floor, &Pose::identity()), 0.01);
        assert_eq!(points.len(), 1, "{points:?}");
        assert!((points[0].gap - gap).abs() < 1e-12 && (points[0].normal + V3::z()).norm() < 1e-9);
    }
}

#[test]
fn a_polygon_in_a_drum_touches_with_its_vertices() {
    let mut dice = Dice(8);
    let drum = Shape::HollowBall(HollowBall { radius: 1.0 });
    for sides in 3..9 {
        let points: Vec<V2> = (0..sides)
            .map(|k| std::f64::consts::TAU * f64::from(k) / f64::from(sides))
            .map(|angle| V2::new(angle.cos(), angle.sin()) * 0.5)
            .collect();
        let stone = Shape::Polytope(Polytope::hull(&points).unwrap());
        for _ in 0..100 {
            let at = Pose::<2>::turned(dice.direction::<2>() * 0.5, dice.between(-3.0, 3.0));
            let touching = found((&stone, &at), (&drum, &Pose::identity()), 0.3);
            let mut gaps: Vec<f64> = points.iter().map(|v| 1.0 - at.to_world(v).norm()).collect();
            gaps.sort_by(f64::total_cmp);
            assert!(touching.len() <= 4);
            assert!((least(&touching).unwrap().gap - gaps[0]).abs() < 1e-14);
            for x in &touching {
                assert!(points.iter().any(|v| (at.to_world(v) - x.a).norm() < 1e-14));
                assert!((x.b.norm() - 1.0).abs() < 1e-14);
            }
        }
    }
}

/// Samples of the rims never lie deeper in the wall.
#[test]
fn cylinders_in_holes_touch_with_their_rims() {
    let mut dice = Dice(9);
    let (half_length, radius) = (0.3, 0.2);
    let cylinder = Shape::Cylinder(Cylinder { half_length, radius });
    for k in 0..300 {
        let tube = k % 2 == 0;
        let hole = if tube {
            Shape::HollowCylinder(HollowCylinder { radius: 1.0 })
        } else {
            Shape::HollowBall(HollowBall { radius: 1.0 })
        };
        let at = Dim::<3>::pose(&mut dice);
        let points = found((&cylinder, &at), (&hole, &Pose::identity()), f64::INFINITY);
        let mut deepest = f64::INFINITY;
        for i in 0..2000 {
            let angle = std::f64::consts::TAU * f64::from(i) / 1000.0;
            let z = if i < 1000 { half_length } else { -half_length };
            let mut x = at.to_world(&V3::new(radius * angle.cos(), radius * angle.sin(), z));
            if tube {
                x[2] = 0.0;
            }
            deepest = deepest.min(1.0 - x.norm());
        }
        let gap = least(&points).unwrap().gap;
        assert!(points.len() <= 4 && gap < deepest + 1e-14 && gap > deepest - 1e-5, "{gap} {deepest}");
    }
}

/// Thin, long, tiny, deep inside each other, far from the origin, or nowhere: the answers are finite.
fn fuzz<const D: usize>()
where
    Dim<D>: Space<D> + Kinds<D>,
{
    let mut dice = Dice(10);
    for _ in 0..20_000 {
        let mut shape = || -> Shape<D> {
            let radii = Vector::<D>::from_fn(|_, _| 1e3f64.powf(-dice.roll()));
            let (across, along) = (dice.between(1.2, 20.0), dice.between(1.2, 20.0));
            match (dice.roll() * 9.0) as u32 {
                0 => Shape::Capsule(Capsule { half_length: radii[0], radius: radii[1] }),
                1 => Shape::Segment(Segment { half_length: radii[0] }),
                2 => Shape::Ellipsoid(Ellipsoid { radii }),
                3 => Shape::Superellipsoid(Superellipsoid { radii, across, along }),
                4 => Shape::HollowBall(HollowBall { radius: radii[0] }),
                5 => Shape::Mesh(Dim::<D>::ground()),
                6 if D == 3 => Shape::HollowCylinder(HollowCylinder { radius: radii[0] }),
                7 if D == 3 => Shape::Cylinder(Cylinder { half_length: radii[0], radius: radii[1] }),
                _ => Shape::Cuboid(Cuboid::new(radii)),
            }
        };
        let (p, q) = (shape(), shape());
        let (mut at_p, mut at_q) = (Dim::<D>::pose(&mut dice), Dim::<D>::pose(&mut dice));
        let near = 10f64.powf(dice.between(-20.0, 0.0));
        at_p.x *= near;
        at_q.x *= near;
        if dice.roll() < 0.3 {
            at_q.rotation = at_p.rotation;
        }
        for x in found((&p, &at_p), (&q, &at_q), 1.0) {
            let finite = x.gap.is_finite() && x.a.iter().chain(x.b.iter()).all(|x| x.is_finite());
            assert!(finite && (x.normal.norm() - 1.0).abs() < 1e-13, "{p:?} {at_p:?} {q:?} {at_q:?} {x:?}");
            assert!((x.b - x.a - x.normal * x.gap).norm() < 1e-12, "{x:?}");
        }
        at_q.x[0] = f64::NAN;
        found((&p, &at_p), (&q, &at_q), 1.0);
    }
}

#[test]
fn answers_are_finite() {
    fuzz::<2>();
    fuzz::<3>();
}
