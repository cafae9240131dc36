//! Cylinders: standing, lying, on edges, on each other.

use super::{Random, check_points, contacts, cuboid, separation};
use std::f64::consts::{FRAC_PI_2, PI};
use stickslip_geometry::shape::{Ball, Cylinder, HalfSpace, Mesh, Shape, ShapeError};
use stickslip_geometry::space::{Pose, Vector};

type V3 = Vector<3>;

fn cylinder(half_length: f64, radius: f64) -> Shape<3> {
    Shape::Cylinder(Cylinder { half_length, radius })
}

#[test]
fn mass_and_bounds() {
    let mass = cylinder(1.5, 0.5).mass(2.0).unwrap();
    assert!((mass.mass - 1.5 * PI).abs() < 1e-14);
    assert!((mass.inertia.z - mass.mass * 0.125).abs() < 1e-14);
    assert!((mass.inertia.x - mass.mass * (3.0 * 0.25 + 9.0) / 12.0).abs() < 1e-14);
    let shape = cylinder(0.7, 0.2);
    let mut random = Random::new(40);
    for _ in 0..50 {
        let pose = random.pose3(1.0);
        let bounds = shape.bounds(&pose);
        for k in 0..3 {
            let n = pose.turn_to_local(&V3::ith(k, 1.0));
            let far = pose.to_world(&shape.support(&n).unwrap())[k];
            assert!((bounds.high[k] - far).abs() < 1e-14);
        }
    }
    let flat = Shape::<2>::Cylinder(Cylinder { half_length: 1.0, radius: 1.0 });
    assert!(matches!(flat.validate(), Err(ShapeError::NotInThePlane { .. })));
    let square = cuboid([0.5, 0.5]);
    assert!(contacts((&flat, &Pose::identity()), (&square, &Pose::identity()), 1.0).is_empty());
}

#[test]
fn standing_and_lying_on_a_plane() {
    let shape = cylinder(0.5, 0.25);
    let ground = Shape::HalfSpace(HalfSpace);
    let standing = contacts((&shape, &Pose::at(V3::z() * 0.5)), (&ground, &Pose::identity()), 0.01);
    check_points(&standing, 0.01, 1.0);
    assert_eq!(standing.len(), 4);
    assert!(standing.iter().all(|p| p.gap == 0.0));
    let lying = Pose::<3>::turned(V3::z() * 0.25, V3::new(0.0, FRAC_PI_2, 0.0));
    let lying = contacts((&shape, &lying), (&ground, &Pose::identity()), 0.01);
    check_points(&lying, 0.01, 1.0);
    assert_eq!(lying.len(), 2);
    assert!(lying.iter().all(|p| p.gap.abs() < 1e-15));
    // a tilt keeps the lowest point
    let mut random = Random::new(41);
    for k in 0..100 {
        let tilt = random.vector::<3>() * 10f64.powi(-(k % 8));
        let pose = Pose::<3>::turned(V3::z() * 0.5, tilt);
        let points = contacts((&shape, &pose), (&ground, &Pose::identity()), 0.3);
        let least = points.iter().map(|p| p.gap).fold(f64::INFINITY, f64::min);
        let up = pose.turn_to_local(&-V3::z());
        let wanted = pose.to_world(&shape.support(&up).unwrap()).z;
        assert!(least - wanted < 1e-5 && wanted - least < 1e-15, "{least} {wanted}");
    }
}

#[test]
fn on_a_box_as_on_a_plane() {
    let shape = cylinder(0.5, 0.25);
    let table = cuboid([2.0, 2.0, 0.1]);
    let standing = contacts((&table, &Pose::identity()), (&shape, &Pose::at(V3::z() * 0.6)), 0.01);
    check_points(&standing, 0.01, 1.0);
    assert_eq!(standing.len(), 4);
    assert!(standing.iter().all(|p| p.gap.abs() < 1e-16 && p.normal == V3::z()));
    let mut random = Random::new(42);
    for _ in 0..50 {
        let turn = on_its_side(random.signed() * 3.0, random.signed() * 3.0);
        let lying = Pose { x: V3::new(0.1, 0.2, 0.35), rotation: turn };
        let points = contacts((&table, &Pose::identity()), (&shape, &lying), 0.01);
        check_points(&points, 0.01, 1.0);
        assert_eq!(points.len(), 2);
        assert!(points.iter().all(|p| p.gap.abs() < 1e-15), "{points:?}");
    }
}

/// On its side, rolled by an angle and turned about the vertical.
fn on_its_side(roll: f64, about: f64) -> stickslip_geometry::space::Rotation<3> {
    let turned = |v: V3| Pose::<3>::turned(V3::zeros(), v);
    turned(V3::z() * about).of_part(&turned(V3::y() * FRAC_PI_2)).of_part(&turned(V3::z() * roll)).rotation
}

#[test]
fn gaps_are_certified() {
    let mut random = Random::new(43);
    let mut apart = 0;
    for k in 0..400 {
        let shape = cylinder(0.4, 0.2);
        let other = match k % 3 {
            0 => cuboid([0.3, 0.2, 0.4]),
            1 => cylinder(0.2, 0.3),
            _ => Shape::Ball(Ball { radius: 0.2 }),
        };
        let (p, q) = (random.pose3(0.5), random.pose3(0.5));
        let points = contacts((&shape, &p), (&other, &q), 0.2);
        let Some(least) = points.iter().min_by(|x, y| x.gap.total_cmp(&y.gap)) else { continue };
        let along = separation((&shape, &p), (&other, &q), &least.normal);
        if points.len() == 1 {
            assert!((along - least.gap).abs() < 1e-12 + 2e-4 * least.gap.abs(), "{k}: {} {along}", least.gap);
        }
        apart += usize::from(least.gap > 0.0);
    }
    assert!(apart > 30);
}

#[test]
fn crossed_cylinders_touch_in_one_point_and_parallel_ones_in_two() {
    let shape = cylinder(0.5, 0.1);
    let low = Pose::<3>::turned(V3::zeros(), V3::y() * FRAC_PI_2);
    for gap in [-1e-4, 0.0, 1e-4] {
        let high = Pose::<3>::turned(V3::z() * (0.2 + gap), V3::x() * FRAC_PI_2);
        let points = contacts((&shape, &low), (&shape, &high), 0.01);
        assert_eq!(points.len(), 1);
        assert!((points[0].gap - gap).abs() < 1e-15);
        let beside = Pose::<3>::turned(V3::new(0.3, 0.0, 0.2 + gap), V3::y() * FRAC_PI_2);
        let points = contacts((&shape, &low), (&shape, &beside), 0.01);
        assert_eq!(points.len(), 2, "{points:#?}");
        assert!(points.iter().all(|p| (p.gap - gap).abs() < 1e-15 && (p.normal - V3::z()).norm() < 1e-7));
    }
}

#[test]
fn on_a_mesh() {
    let floor = Mesh::new(
        vec![
            V3::new(-2.0, -2.0, 0.0),
            V3::new(2.0, -2.0, 0.0),
            V3::new(2.0, 2.0, 0.0),
            V3::new(-2.0, 2.0, 0.0),
        ],
        vec![[0, 1, 2], [0, 2, 3]],
    );
    let floor = Shape::Mesh(floor.unwrap());
    let shape = cylinder(0.5, 0.25);
    let lying = Pose { x: V3::new(0.1, 0.2, 0.25), rotation: on_its_side(0.3, 0.4) };
    let points = contacts((&shape, &lying), (&floor, &Pose::identity()), 0.01);
    assert!(points.iter().all(|p| p.gap.abs() < 1e-15 && (p.normal + V3::z()).norm() < 1e-14), "{points:?}");
    // both ends, and where the line crosses the seam
    assert_eq!(points.len(), 3, "{points:#?}");
    let standing = contacts((&shape, &Pose::at(V3::z() * 0.5)), (&floor, &Pose::identity()), 0.01);
    assert_eq!(standing.len(), 4);
}
