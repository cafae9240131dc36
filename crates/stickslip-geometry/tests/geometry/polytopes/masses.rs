//! Masses against closed forms.

use super::{Random, cuboid, hull};
use stickslip_geometry::space::{Dim, Space, Vector};

type V3 = Vector<3>;

fn cube_corners(half: f64) -> Vec<V3> {
    (0..8).map(|i| V3::from_fn(|k, _| if i >> k & 1 == 1 { half } else { -half })).collect()
}

#[test]
fn of_a_box() {
    let mass = cuboid([0.5, 1.0, 1.5]).mass(2.0).unwrap();
    assert!((mass.mass - 12.0).abs() < 1e-14);
    assert!((mass.inertia - V3::new(4.0 + 9.0, 1.0 + 9.0, 1.0 + 4.0)).norm() < 1e-13);
    assert_eq!(mass.axes, Dim::<3>::identity());
    let plane = cuboid([0.5, 1.0]).mass(3.0).unwrap();
    assert!((plane.mass - 6.0).abs() < 1e-15 && (plane.inertia - 2.5).abs() < 1e-15);
}

#[test]
fn of_a_cube_as_a_polyhedron() {
    let away = V3::new(10.0, -20.0, 5.0);
    let points: Vec<V3> = cube_corners(0.5).iter().map(|x| x + away).collect();
    let mass = hull(&points).mass(6.0).unwrap();
    assert!((mass.mass - 6.0).abs() < 1e-13);
    assert!((mass.centre - away).norm() < 1e-13);
    assert!((mass.inertia - V3::repeat(1.0)).norm() < 1e-13);
    assert!((hull(&points).inner_radius() - 0.5).abs() < 1e-14);
}

#[test]
fn of_a_tetrahedron() {
    // the corner of a cube: J_xx = J_yy = J_zz about the corner, by hand
    let points = [V3::zeros(), V3::x(), V3::y(), V3::z()];
    let mass = hull(&points).mass(60.0).unwrap();
    assert!((mass.mass - 10.0).abs() < 1e-14);
    assert!((mass.centre - V3::repeat(0.25)).norm() < 1e-15);
    // ∫ρx² = 1, ∫ρxy = 1/2 about the corner; less 10/16 at the centre
    let S = Dim::<3>::second_moments(&mass.axes, &mass.inertia);
    for i in 0..3 {
        for j in 0..3 {
            let wanted = if i == j { 1.0 } else { 0.5 } - 10.0 / 16.0;
            assert!((S[(i, j)] - wanted).abs() < 1e-14, "{S}");
        }
    }
}

#[test]
fn of_a_triangle() {
    let points = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]].map(Vector::<2>::from);
    let mass = hull(&points).mass(36.0).unwrap();
    assert!((mass.mass - 18.0).abs() < 1e-14);
    assert!((mass.centre - Vector::<2>::repeat(1.0 / 3.0)).norm() < 1e-15);
    // bh/36 (b² + h²) of a right triangle
    assert!((mass.inertia - 2.0).abs() < 1e-14);
}

#[test]
fn turned_shapes_have_turned_moments() {
    let mut random = Random::new(12);
    for _ in 0..50 {
        let pose = random.pose3(2.0);
        let half = V3::new(0.2, 0.5, 0.9);
        let points: Vec<V3> =
            cube_corners(1.0).iter().map(|x| pose.to_world(&x.component_mul(&half))).collect();
        let mass = hull(&points).mass(1.0).unwrap();
        let mut found: Vec<f64> = mass.inertia.iter().copied().collect();
        let mut wanted: Vec<f64> = cuboid(half.into()).mass(1.0).unwrap().inertia.iter().copied().collect();
        found.sort_by(f64::total_cmp);
        wanted.sort_by(f64::total_cmp);
        for (x, y) in found.iter().zip(&wanted) {
            assert!((x - y).abs() < 1e-13);
        }
    }
}
