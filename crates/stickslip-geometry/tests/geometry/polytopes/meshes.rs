//! Meshes: floors of triangles without seams, valleys and ridges.

use super::{Random, contacts, cuboid};
use stickslip_geometry::shape::{Ball, Mesh, Shape, ShapeError};
use stickslip_geometry::space::{Pose, Vector};

type V3 = Vector<3>;

/// A floor of n × n squares of two triangles, each one long, with heights.
fn floor(n: u32, height: impl Fn(f64, f64) -> f64) -> Shape<3> {
    let mut vertices = Vec::new();
    for i in 0..=n {
        for j in 0..=n {
            let (x, y) = (f64::from(i), f64::from(j));
            vertices.push(V3::new(x, y, height(x, y)));
        }
    }
    let mut facets = Vec::new();
    for i in 0..n {
        for j in 0..n {
            let k = i * (n + 1) + j;
            facets.extend([[k, k + n + 1, k + n + 2], [k, k + n + 2, k + 1]]);
        }
    }
    Shape::Mesh(Mesh::new(vertices, facets).unwrap())
}

#[test]
fn a_ball_rolls_over_a_flat_floor_with_one_point() {
    let ground = floor(8, |_, _| 0.0);
    let ball = Shape::Ball(Ball { radius: 0.5 });
    let mut random = Random::new(50);
    for k in 0..1000 {
        let mut x = V3::repeat(4.0) + random.vector::<3>() * 3.0;
        // also exactly on seams and corners
        if k % 3 == 0 {
            x.x = x.x.round();
        }
        if k % 5 == 0 {
            x.y = x.y.round();
        }
        x.z = 0.5 + [0.0, 1e-3, -1e-3][k % 3];
        let points = contacts((&ball, &Pose::at(x)), (&ground, &Pose::identity()), 0.1);
        assert_eq!(points.len(), 1, "{x} {points:?}");
        assert!((points[0].gap - (x.z - 0.5)).abs() < 1e-15);
        assert!((points[0].normal + V3::z()).norm() < 1e-12);
    }
}

#[test]
fn a_ball_in_a_valley_has_two_points_and_on_a_ridge_one() {
    let ball = Shape::Ball(Ball { radius: 0.5 });
    let valley = floor(4, |x, _| (x - 2.0).abs());
    let at = Pose::at(V3::new(2.0, 1.7, 0.5 * 2f64.sqrt()));
    let points = contacts((&ball, &at), (&valley, &Pose::identity()), 1e-3);
    assert_eq!(points.len(), 2);
    assert!(points.iter().all(|p| p.gap.abs() < 1e-15));
    let ridge = floor(4, |x, _| -(x - 2.0).abs());
    let points = contacts((&ball, &Pose::at(V3::new(2.0, 1.7, 0.5))), (&ridge, &Pose::identity()), 1e-3);
    assert_eq!(points.len(), 1);
    assert!(points[0].gap.abs() < 1e-15 && (points[0].normal + V3::z()).norm() < 1e-15);
}

#[test]
fn a_brick_on_a_flat_floor_feels_no_seam() {
    let ground = floor(8, |_, _| 0.0);
    let brick = cuboid([0.7, 0.4, 0.2]);
    let mut random = Random::new(51);
    for k in 0..300 {
        let mut x = V3::repeat(4.0) + random.vector::<3>() * 2.0;
        if k % 3 == 0 {
            x.x = x.x.round() + 0.7;
        }
        let gap = [0.0, 1e-4, -1e-4][k % 3];
        x.z = 0.2 + gap;
        let pose = Pose::<3>::turned(x, V3::z() * random.signed());
        let points = contacts((&brick, &pose), (&ground, &Pose::identity()), 1e-2);
        assert_eq!(points.len(), 4, "{points:#?}");
        for p in &points {
            assert!((p.gap - gap).abs() < 1e-15 && (p.normal + V3::z()).norm() < 1e-14, "{p:?}");
        }
        // the corners of the brick
        for p in &points {
            let local = pose.to_local(&p.a);
            assert!((local.x.abs() - 0.7).abs() < 1e-6 && (local.y.abs() - 0.4).abs() < 1e-6, "{local}");
        }
    }
}

#[test]
fn a_brick_lies_on_a_ridge() {
    let ridge = floor(4, |x, _| -(x - 2.0).abs());
    let brick = cuboid([0.3, 0.4, 0.1]);
    let at = Pose::at(V3::new(2.05, 2.1, 0.1));
    let points = contacts((&brick, &at), (&ridge, &Pose::identity()), 1e-3);
    assert!(points.len() >= 2, "{points:?}");
    for p in &points {
        assert!(p.gap.abs() < 1e-15 && (p.normal + V3::z()).norm() < 1e-14, "{p:?}");
        assert!((p.a.x - 2.0).abs() < 1e-6);
    }
}

#[test]
fn a_line_of_segments_is_a_ground_in_the_plane() {
    // from right to left the solid is below
    let vertices: Vec<Vector<2>> = (0..6).map(|k| Vector::<2>::new(-f64::from(k), 0.0)).collect();
    let ground = Shape::Mesh(Mesh::new(vertices, (0..5).map(|k| [k, k + 1]).collect()).unwrap());
    let brick = cuboid([0.75, 0.25]);
    let points =
        contacts((&brick, &Pose::at(Vector::<2>::new(-2.3, 0.25))), (&ground, &Pose::identity()), 0.01);
    assert_eq!(points.len(), 2);
    assert!(points.iter().all(|p| p.gap == 0.0 && (p.normal + Vector::<2>::y()).norm() < 1e-15));
    let disk = Shape::Ball(Ball { radius: 0.25 });
    let points =
        contacts((&disk, &Pose::at(Vector::<2>::new(-2.0, 0.25))), (&ground, &Pose::identity()), 0.01);
    assert_eq!(points.len(), 1);
}

#[test]
fn what_is_no_surface_is_refused() {
    let triangle = vec![V3::zeros(), V3::x(), V3::y()];
    assert!(matches!(
        Mesh::new(triangle.clone(), vec![[0, 1, 3]]),
        Err(ShapeError::NoVertex { facet: 0, .. })
    ));
    assert!(matches!(Mesh::new(triangle.clone(), vec![[0, 1, 1]]), Err(ShapeError::Empty { .. })));
    assert!(matches!(Mesh::<3>::new(Vec::new(), Vec::new()), Err(ShapeError::Empty { .. })));
    let nan = vec![V3::zeros(), V3::x(), V3::repeat(f64::NAN)];
    assert!(matches!(Mesh::new(nan, vec![[0, 1, 2]]), Err(ShapeError::NotFinite { index: 2, .. })));
    let mesh = Shape::Mesh(Mesh::new(triangle, vec![[0, 1, 2]]).unwrap());
    assert!(matches!(mesh.mass(1.0), Err(ShapeError::Unbounded { .. })));
}
