//! Compounds: mass by parts, contacts by parts.

use super::{Random, contacts, cuboid};
use std::collections::HashSet;
use stickslip_geometry::shape::{Ball, Compound, HalfSpace, Shape, ShapeError};
use stickslip_geometry::space::{Dim, Pose, Space, Vector};

type V3 = Vector<3>;

fn halves() -> Shape<3> {
    let half = cuboid([0.25, 0.5, 0.5]);
    let parts = [-0.25, 0.25].map(|x| (Pose::at(V3::new(x, 0.0, 0.0)), half.clone()));
    Shape::Compound(Compound::new(parts.to_vec()))
}

#[test]
fn two_half_cubes_have_the_mass_of_a_cube() {
    let mut random = Random::new(30);
    let whole = cuboid([0.5; 3]).mass(3.0).unwrap();
    let found = halves().mass(3.0).unwrap();
    assert!((found.mass - whole.mass).abs() < 1e-15);
    assert!((found.inertia - whole.inertia).norm() < 1e-15);
    assert!(found.centre.norm() < 1e-16);
    // a compound of a compound, turned and moved
    for _ in 0..50 {
        let pose = random.pose3(2.0);
        let moved = Shape::Compound(Compound::new(vec![(pose, halves())])).mass(3.0).unwrap();
        assert!((moved.centre - pose.x).norm() < 1e-14);
        let (S, T) = (
            Dim::<3>::second_moments(&moved.axes, &moved.inertia),
            Dim::<3>::second_moments(&whole.axes, &whole.inertia),
        );
        assert!((S - T).norm() < 1e-14, "{S} {T}");
    }
}

#[test]
fn an_angle_iron_has_turned_axes() {
    // two unequal legs: the product of inertia by hand, about the common centre
    let parts = vec![
        (Pose::at(V3::new(0.5, 0.05, 0.0)), cuboid([0.5, 0.05, 0.1])),
        (Pose::at(V3::new(0.05, 0.35, 0.0)), cuboid([0.05, 0.25, 0.1])),
    ];
    let mass = Shape::Compound(Compound::new(parts)).mass(1.0).unwrap();
    let (m, n) = (1.0 * 0.1 * 0.2, 0.1 * 0.5 * 0.2);
    assert!((mass.mass - m - n).abs() < 1e-16);
    let S = Dim::<3>::second_moments(&mass.axes, &mass.inertia);
    let reduced = m * n / (m + n);
    let way = V3::new(0.45, -0.3, 0.0);
    assert!((S[(0, 1)] - reduced * way.x * way.y).abs() < 1e-16);
    assert!((S[(0, 0)] - reduced * way.x * way.x - m / 12.0 - n * 0.01 / 12.0).abs() < 1e-16);
}

#[test]
fn a_compound_cube_stands_like_a_cube() {
    let ground = Shape::HalfSpace(HalfSpace);
    let at = Pose::at(V3::new(1.0, 2.0, 0.5));
    let points = contacts((&halves(), &at), (&ground, &Pose::identity()), 0.01);
    // four corners and the two ends of the seam, once each
    assert_eq!(points.len(), 6);
    assert!(points.iter().all(|p| p.gap == 0.0));
    let features: HashSet<u32> = points.iter().map(|p| p.feature).collect();
    assert_eq!(features.len(), 6);
    let turned = contacts((&ground, &Pose::identity()), (&halves(), &at), 0.01);
    assert_eq!(turned.len(), 6);
    assert!(turned.iter().zip(&points).all(|(p, q)| p.normal == -q.normal && p.feature == q.feature));
}

#[test]
fn compounds_on_compounds_have_a_feature_for_each_point() {
    let at = Pose::at(V3::new(0.1, 0.1, 1.0));
    let points = contacts((&halves(), &Pose::identity()), (&halves(), &at), 0.01);
    let features: HashSet<u32> = points.iter().map(|p| p.feature).collect();
    assert_eq!(features.len(), points.len());
    assert!(points.len() >= 4 && points.iter().all(|p| p.gap.abs() < 1e-15 && p.normal == V3::z()));
}

#[test]
fn what_its_parts_cannot_be_it_cannot_be() {
    let empty = Shape::Compound(Compound::<3>::new(Vec::new()));
    assert!(matches!(empty.validate(), Err(ShapeError::Empty { .. })));
    assert!(matches!(empty.mass(1.0), Err(ShapeError::Empty { .. })));
    let bad =
        Shape::Compound(Compound::<3>::new(vec![(Pose::identity(), Shape::Ball(Ball { radius: -1.0 }))]));
    assert!(matches!(bad.validate(), Err(ShapeError::Length { .. })));
    let ground = Shape::Compound(Compound::<3>::new(vec![(Pose::identity(), Shape::HalfSpace(HalfSpace))]));
    assert!(matches!(ground.mass(1.0), Err(ShapeError::Unbounded { .. })));
}
