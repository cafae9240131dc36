//! Balls on boxes and polytopes.

use super::{Random, contacts, cuboid, hull};
use stickslip_geometry::shape::{Ball, Shape};
use stickslip_geometry::space::{Pose, Vector};

type V3 = Vector<3>;

fn ball<const D: usize>(radius: f64) -> Shape<D>
where
    stickslip_geometry::space::Dim<D>: stickslip_geometry::space::Space<D>,
{
    Shape::Ball(Ball { radius })
}

#[test]
fn on_a_face_an_edge_and_a_corner() {
    let cube = cuboid([0.5; 3]);
    let small = ball(0.25);
    for (x, gap, normal) in [
        ([0.1, 0.2, 0.75], 0.0, [0.0, 0.0, -1.0]),
        ([0.1, 0.2, -0.875], 0.125, [0.0, 0.0, 1.0]),
        ([0.1, 0.8, 0.9], 0.25, [0.0, -0.6, -0.8]),
        ([0.7, 0.8, 1.1], 0.45, [-2.0 / 7.0, -3.0 / 7.0, -6.0 / 7.0]),
        // inside, out through the nearest face
        ([0.1, 0.4, 0.2], -0.35, [0.0, -1.0, 0.0]),
    ] {
        let points = contacts((&small, &Pose::at(V3::from(x))), (&cube, &Pose::identity()), 1.0);
        assert_eq!(points.len(), 1);
        assert!((points[0].gap - gap).abs() < 1e-15, "{}", points[0].gap);
        assert!((points[0].normal - V3::from(normal)).norm() < 1e-14);
        let turned = contacts((&cube, &Pose::identity()), (&small, &Pose::at(V3::from(x))), 1.0);
        assert_eq!(turned[0].normal, -points[0].normal);
    }
}

#[test]
fn on_random_polytopes_the_normal_proves_the_distance() {
    let mut random = Random::new(9);
    for _ in 0..500 {
        let cloud: Vec<V3> = (0..14).map(|_| random.direction::<3>()).collect();
        let rock = hull(&cloud);
        let (at, x) = (random.pose3(0.5), random.vector::<3>() * 2.0);
        let points = contacts((&ball(0.1), &Pose::at(x)), (&rock, &at), 10.0);
        let along = super::separation((&ball(0.1), &Pose::at(x)), (&rock, &at), &points[0].normal);
        assert!((along - points[0].gap).abs() < 1e-14);
    }
}

#[test]
fn disks_on_polygons() {
    let mut random = Random::new(10);
    for _ in 0..500 {
        let cloud: Vec<Vector<2>> = (0..7).map(|_| random.direction::<2>()).collect();
        let stone = hull(&cloud);
        let (at, x) = (random.pose2(0.5), random.vector::<2>() * 2.0);
        let points = contacts((&ball(0.1), &Pose::at(x)), (&stone, &at), 10.0);
        let along = super::separation((&ball(0.1), &Pose::at(x)), (&stone, &at), &points[0].normal);
        assert!((along - points[0].gap).abs() < 1e-14);
    }
}
