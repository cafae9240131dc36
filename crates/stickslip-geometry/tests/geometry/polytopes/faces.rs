//! Hulls: their faces and edges, and the input they refuse.

use super::{Random, cuboid, hull};
use stickslip_geometry::shape::{Polytope, Shape, ShapeError};
use stickslip_geometry::space::{Pose, Vector};

type V3 = Vector<3>;

#[test]
fn a_grid_of_points_is_a_box_with_six_faces() {
    let mut random = Random::new(20);
    for _ in 0..30 {
        let pose = random.pose3(1.0);
        let mut points = Vec::new();
        for i in 0..4 {
            for j in 0..5 {
                for k in 0..3 {
                    points.push(pose.to_world(&V3::new(f64::from(i), f64::from(j), f64::from(k))));
                }
            }
        }
        let p = Polytope::hull(&points).unwrap();
        assert_eq!((p.vertices().len(), p.topology().faces.len(), p.topology().edges.len()), (8, 6, 12));
    }
}

#[test]
fn random_hulls_hold_their_points() {
    let mut random = Random::new(21);
    for count in [4, 5, 10, 50, 300] {
        for _ in 0..10 {
            let points: Vec<V3> = (0..count).map(|_| random.vector::<3>()).collect();
            let p = Polytope::hull(&points).unwrap();
            let t = p.topology();
            assert_eq!(p.vertices().len() + t.faces.len(), t.edges.len() + 2);
            for (face, normal) in t.faces.iter().zip(p.normals()) {
                for x in &points {
                    assert!((x - p.vertices()[face.corners[0] as usize]).dot(normal) < 1e-8);
                }
            }
        }
    }
    // all of them on a sphere
    let points: Vec<V3> = (0..500).map(|_| random.direction::<3>()).collect();
    assert_eq!(Polytope::hull(&points).unwrap().vertices().len(), 500);
}

#[test]
fn solids_of_plato() {
    let g = (1.0 + 5.0f64.sqrt()) / 2.0;
    let mut twelve = Vec::new();
    let mut twenty = Vec::new();
    for s in [-1.0, 1.0] {
        for t in [-1.0, 1.0] {
            for k in 0..3 {
                let turn = |v: [f64; 3]| V3::new(v[k], v[(k + 1) % 3], v[(k + 2) % 3]);
                twelve.push(turn([0.0, s, t * g]));
                twenty.push(turn([0.0, s / g, t * g]));
            }
            twenty.extend([V3::new(s, t, 1.0), V3::new(s, t, -1.0)]);
        }
    }
    let counts = |points: &[V3]| {
        let p = Polytope::hull(points).unwrap();
        (p.vertices().len(), p.topology().edges.len(), p.topology().faces.len())
    };
    assert_eq!(counts(&twelve), (12, 30, 20));
    assert_eq!(counts(&twenty), (20, 30, 12));
}

#[test]
fn repeated_points_count_once() {
    let mut points: Vec<V3> = (0..8).map(|i| V3::from_fn(|k, _| f64::from(i >> k & 1))).collect();
    points.extend(points.clone());
    points.push(V3::repeat(0.5));
    points.push(V3::new(0.5, 0.5, 1.0));
    assert_eq!(Polytope::hull(&points).unwrap().vertices().len(), 8);
    let square =
        [[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.5, 1.0], [0.0, 1.0]].map(Vector::<2>::from);
    assert_eq!(Polytope::hull(&square).unwrap().vertices().len(), 4);
}

#[test]
fn what_has_no_inside_is_refused() {
    let flat = [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0]].map(V3::from);
    assert!(matches!(Polytope::hull(&flat), Err(ShapeError::Degenerate { .. })));
    assert!(matches!(Polytope::hull(&flat[..2]), Err(ShapeError::FewPoints { found: 2, needed: 4, .. })));
    let line: Vec<V3> = (0..9).map(|k| V3::new(1.0, 2.0, 3.0) * f64::from(k)).collect();
    assert!(matches!(Polytope::hull(&line), Err(ShapeError::Degenerate { .. })));
    assert!(matches!(Polytope::hull(&[V3::x(); 7]), Err(ShapeError::Degenerate { .. })));
    assert!(matches!(Polytope::<3>::hull(&[]), Err(ShapeError::FewPoints { found: 0, .. })));
    let mut nan = flat;
    nan[2].y = f64::NAN;
    assert!(matches!(Polytope::hull(&nan), Err(ShapeError::NotFinite { index: 2, .. })));
    // thinner than the tolerance
    let mut slab: Vec<V3> = flat.to_vec();
    slab.extend(flat.iter().map(|x| x + V3::z() * 1e-13));
    assert!(Polytope::hull(&slab).is_err());
    let plane = [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]].map(Vector::<2>::from);
    assert!(matches!(Polytope::hull(&plane), Err(ShapeError::Degenerate { .. })));
    for half in [[1.0, 0.0, 1.0], [1.0, -1.0, 1.0], [f64::NAN, 1.0, 1.0], [1.0, f64::INFINITY, 1.0]] {
        assert!(matches!(cuboid(half).validate(), Err(ShapeError::Length { .. })));
    }
}

#[test]
fn random_turned_coplanar_points_never_panic() {
    let mut random = Random::new(22);
    for k in 0..200 {
        let pose = random.pose3(1.0);
        let thick = 10f64.powi(-(k % 18));
        let points: Vec<V3> = (0..12)
            .map(|_| pose.to_world(&random.vector::<3>().component_mul(&V3::new(1.0, 1.0, thick))))
            .collect();
        let _ = Polytope::hull(&points);
    }
}

#[test]
fn bounds_are_tight() {
    let mut random = Random::new(23);
    for _ in 0..100 {
        let points: Vec<V3> = (0..9).map(|_| random.vector::<3>()).collect();
        for shape in [hull(&points), cuboid([0.3, 0.2, 0.7])] {
            let pose: Pose<3> = random.pose3(2.0);
            let bounds = shape.bounds(&pose);
            for k in 0..3 {
                let axis = V3::ith(k, 1.0);
                let far = |shape: &Shape<3>, n: V3| {
                    pose.to_world(&shape.support(&pose.turn_to_local(&n)).unwrap())[k]
                };
                assert!((bounds.high[k] - far(&shape, axis)).abs() < 1e-14);
                assert!((bounds.low[k] - far(&shape, -axis)).abs() < 1e-14);
            }
        }
    }
}
