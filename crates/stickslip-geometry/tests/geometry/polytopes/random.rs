//! Random pairs: the closest points with a certificate, the least overlap against many directions, and symmetries.
//!
//! Points in both shapes at a distance bound the distance from above, the separation along a normal bounds it from
//! below: a contact whose gap is both is exact, whatever found it.

use super::{Random, check_points, contacts, cuboid, hull, separation};
use stickslip_geometry::shape::Shape;
use stickslip_geometry::space::{Dim, Pose, Space, Vector};

/// Largest height of a point over the faces: at most 0 in the shape.
fn outside<const D: usize>((shape, pose): (&Shape<D>, &Pose<D>), x: &Vector<D>) -> f64
where
    Dim<D>: Space<D>,
{
    let x = pose.to_local(x);
    match shape {
        Shape::Polytope(p) => {
            let faces = p.topology().faces.iter().zip(p.normals());
            faces
                .map(|(f, n)| (x - p.vertices()[f.corners[0] as usize]).dot(n))
                .fold(f64::NEG_INFINITY, f64::max)
        }
        Shape::Cuboid(c) => (x.abs() - c.half).max(),
        _ => unreachable!(),
    }
}

fn shape3(random: &mut Random) -> Shape<3> {
    if random.signed() > 0.3 {
        return cuboid([0; 3].map(|_| 0.3 + 0.25 * random.signed()));
    }
    let count = 5 + (random.signed().abs() * 20.0) as usize;
    hull(&(0..count).map(|_| random.direction::<3>() * 0.5).collect::<Vec<_>>())
}

fn shape2(random: &mut Random) -> Shape<2> {
    if random.signed() > 0.3 {
        return cuboid([0; 2].map(|_| 0.3 + 0.25 * random.signed()));
    }
    let count = 4 + (random.signed().abs() * 10.0) as usize;
    hull(&(0..count).map(|_| random.direction::<2>() * 0.5).collect::<Vec<_>>())
}

fn check<const D: usize>(
    a: (&Shape<D>, &Pose<D>),
    b: (&Shape<D>, &Pose<D>),
    random: &mut Random,
    counts: &mut [usize; 4],
) where
    Dim<D>: Space<D>,
{
    let reach = 0.3;
    let points = contacts(a, b, reach);
    check_points(&points, reach, 1.0);
    let Some(least) = points.iter().min_by(|p, q| p.gap.total_cmp(&q.gap)) else {
        // a direction must part them by more than the reach, and an iteration finds it
        assert!(best_direction(a, b, random) > reach - 1e-9);
        return;
    };
    let along = separation(a, b, &least.normal);
    // the way between close vertices is known to the rounding of their places
    let rounding = 1e-14 + 1e-17 / least.gap.abs();
    if (along - least.gap).abs() < rounding {
        counts[0] += 1;
    } else {
        // faces that lie nearly flat take the normal of one of them
        counts[1] += 1;
        assert!(points.len() > 1 && along < least.gap, "gap {} but {along} along the normal", least.gap);
    }
    if least.gap > 0.0 {
        assert!(outside(a, &least.a) < 1e-14 && outside(b, &least.b) < 1e-14);
    }
    // no direction separates better than by a tie
    assert!(best_direction(a, b, random) < least.gap + 1e-9 + 1e-4 * least.gap.abs());
    counts[2] += usize::from(least.gap > 0.0);
    counts[3] += usize::from(least.gap < 0.0);
    for p in &points {
        // points lie in their shapes, up to what a corner on an edge may hang over
        assert!(outside(a, &p.a) < 1e-6 && outside(b, &p.b) < 1e-6);
    }
    // seen from the other side
    let swapped = contacts(b, a, reach);
    let other = swapped.iter().min_by(|p, q| p.gap.total_cmp(&q.gap)).unwrap();
    assert!((other.gap - least.gap).abs() < rounding + 1e-4 * least.gap.abs());
    assert!((other.normal + least.normal).norm() < 1e-2 + 1e-9, "{} {}", other.normal, least.normal);
    if (along - least.gap).abs() < rounding && (other.normal + least.normal).norm() < 1e-9 {
        assert!((other.gap - least.gap).abs() < rounding);
        assert_eq!(swapped.len(), points.len());
    }
}

/// Largest separation found by a search over directions.
fn best_direction<const D: usize>(
    a: (&Shape<D>, &Pose<D>),
    b: (&Shape<D>, &Pose<D>),
    random: &mut Random,
) -> f64
where
    Dim<D>: Space<D>,
{
    let mut best = f64::NEG_INFINITY;
    for _ in 0..8 {
        let mut n = if best == f64::NEG_INFINITY { (b.1.x - a.1.x).normalize() } else { random.direction() };
        let mut held = separation(a, b, &n);
        let mut width = 1.0;
        while width > 1e-10 {
            let mut improved = false;
            for _ in 0..8 {
                let tried = (n + random.vector::<D>() * width).normalize();
                let found = separation(a, b, &tried);
                if found > held {
                    (n, held, improved) = (tried, found, true);
                }
            }
            if !improved {
                width *= 0.6;
            }
        }
        best = best.max(held);
    }
    best
}

#[test]
fn gaps_in_space_are_certified() {
    let mut random = Random::new(1);
    let mut counts = [0; 4];
    for _ in 0..600 {
        let (p, q) = (shape3(&mut random), shape3(&mut random));
        let (at_p, at_q) = (random.pose3(0.4), random.pose3(0.4));
        check((&p, &at_p), (&q, &at_q), &mut random, &mut counts);
    }
    assert!(counts[0] > 20 * counts[1] && counts[2] > 50 && counts[3] > 50, "{counts:?}");
}

#[test]
fn gaps_in_the_plane_are_certified() {
    let mut random = Random::new(2);
    let mut counts = [0; 4];
    for _ in 0..2000 {
        let (p, q) = (shape2(&mut random), shape2(&mut random));
        let (at_p, at_q) = (random.pose2(0.6), random.pose2(0.6));
        check((&p, &at_p), (&q, &at_q), &mut random, &mut counts);
    }
    assert!(counts[0] > 20 * counts[1] && counts[2] > 50 && counts[3] > 50, "{counts:?}");
}

#[test]
fn contacts_move_with_the_shapes() {
    let mut random = Random::new(4);
    for _ in 0..300 {
        let (p, q) = (shape3(&mut random), shape3(&mut random));
        let (at_p, at_q) = (random.pose3(0.4), random.pose3(0.4));
        let frame = random.pose3(3.0);
        let points = contacts((&p, &at_p), (&q, &at_q), 0.2);
        let moved = contacts((&p, &frame.of_part(&at_p)), (&q, &frame.of_part(&at_q)), 0.2);
        assert_eq!(points.len(), moved.len());
        for (p, q) in points.iter().zip(&moved) {
            assert_eq!(p.feature, q.feature);
            assert!((p.gap - q.gap).abs() < 1e-14);
            assert!((frame.to_world(&p.a) - q.a).norm() < 1e-12);
            assert!((frame.turn_to_world(&p.normal) - q.normal).norm() < 1e-12);
        }
    }
}

#[test]
fn contacts_grow_with_the_shapes() {
    let mut random = Random::new(6);
    for scale in [1e-3, 1e3] {
        for _ in 0..100 {
            let cloud: [Vec<Vector<3>>; 2] = [0; 2].map(|_| (0..12).map(|_| random.vector::<3>()).collect());
            let at = [random.pose3(1.0), random.pose3(1.0)];
            let grown = at.map(|p| Pose { x: p.x * scale, ..p });
            let shapes = [0, 1].map(|k| hull(&cloud[k]));
            let large = [0, 1].map(|k| hull(&cloud[k].iter().map(|x| x * scale).collect::<Vec<_>>()));
            let points = contacts((&shapes[0], &at[0]), (&shapes[1], &at[1]), 0.2);
            let scaled = contacts((&large[0], &grown[0]), (&large[1], &grown[1]), 0.2 * scale);
            assert_eq!(points.len(), scaled.len());
            for (p, q) in points.iter().zip(&scaled) {
                assert!((p.gap * scale - q.gap).abs() < 1e-13 * scale);
                assert!((p.a * scale - q.a).norm() < 1e-12 * scale);
            }
        }
    }
}

#[test]
fn a_box_is_the_hull_of_its_corners() {
    let mut random = Random::new(8);
    for _ in 0..200 {
        let half = random.vector::<3>().abs() * 0.3 + Vector::<3>::repeat(0.1);
        let corners: Vec<Vector<3>> = (0..8)
            .map(|i| Vector::<3>::from_fn(|k, _| if i >> k & 1 == 1 { half[k] } else { -half[k] }))
            .collect();
        let (p, h) = (cuboid(half.into()), hull(&corners));
        let other = shape3(&mut random);
        let (at, at_other) = (random.pose3(0.4), random.pose3(0.4));
        let from_box = contacts((&p, &at), (&other, &at_other), 0.2);
        let from_hull = contacts((&h, &at), (&other, &at_other), 0.2);
        assert_eq!(from_box.len(), from_hull.len());
        for p in &from_box {
            assert!(from_hull.iter().any(|q| (p.a - q.a).norm() < 1e-12 && (p.gap - q.gap).abs() < 1e-14));
        }
    }
}
