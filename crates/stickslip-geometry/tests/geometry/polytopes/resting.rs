//! Bodies at rest on each other: the corners of the overlap, and gaps to rounding.

use super::{check_points, contacts, cuboid, hull};
use stickslip_geometry::shape::{HalfSpace, Shape};
use stickslip_geometry::space::{Pose, Vector};

type V2 = Vector<2>;
type V3 = Vector<3>;

fn sorted<const D: usize>(mut points: Vec<Vector<D>>) -> Vec<Vector<D>> {
    points.sort_by(|p, q| p.iter().partial_cmp(q.iter()).unwrap());
    points
}

#[test]
fn a_cube_stands_on_four_corners() {
    for scale in [1e-3, 1.0, 1e3] {
        let cube = cuboid([0.5 * scale; 3]);
        let at = Pose::at(V3::new(7.0, -3.0, 0.5) * scale);
        let ground = Shape::HalfSpace(HalfSpace);
        let points = contacts((&cube, &at), (&ground, &Pose::identity()), 0.01 * scale);
        check_points(&points, 0.01 * scale, scale);
        assert_eq!(points.len(), 4);
        for p in &points {
            assert_eq!(p.gap, 0.0);
            assert_eq!(p.normal, -V3::z());
        }
        assert_eq!(points.iter().map(|p| p.feature).collect::<Vec<_>>(), [0, 1, 2, 3]);
    }
}

#[test]
fn a_tilted_cube_stands_on_a_corner() {
    let cube = cuboid([0.5; 3]);
    // the diagonal upright
    let axis = V3::new(1.0, -1.0, 0.0).normalize() * (1.0f64 / 3.0f64.sqrt()).acos();
    let height = 0.75f64.sqrt();
    let at = Pose::<3>::turned(V3::new(0.0, 0.0, height), axis);
    let points = contacts((&cube, &at), (&Shape::HalfSpace(HalfSpace), &Pose::identity()), 0.1);
    assert_eq!(points.len(), 1);
    assert!(points[0].gap.abs() < 1e-15, "{}", points[0].gap);
    assert!(points[0].a.norm() < 1e-15);
}

#[test]
fn many_vertices_on_a_plane_leave_four() {
    let ring = (0..24).map(|k| f64::from(k) * std::f64::consts::TAU / 24.0);
    let mut points: Vec<V3> = ring.map(|t| V3::new(t.cos(), t.sin(), 0.0)).collect();
    points.push(V3::z());
    let cone = hull(&points);
    let ground = Shape::HalfSpace(HalfSpace);
    let found = contacts((&cone, &Pose::identity()), (&ground, &Pose::identity()), 0.1);
    check_points(&found, 0.1, 2.0);
    assert_eq!(found.len(), 4);
    // nothing but the square has this area
    let mid: V3 = found.iter().map(|p| p.a).sum::<V3>() / 4.0;
    assert!(mid.norm() < 1e-6);
    // and a small tilt does not change the choice
    let features: Vec<u32> = found.iter().map(|p| p.feature).collect();
    for k in 0..20 {
        let t = f64::from(k);
        let at = Pose::<3>::turned(V3::zeros(), V3::new(t.cos(), t.sin(), 0.0) * 1e-9);
        let again = contacts((&cone, &at), (&ground, &Pose::identity()), 0.1);
        assert_eq!(again.iter().map(|p| p.feature).collect::<Vec<_>>(), features);
    }
}

#[test]
fn bricks_of_a_running_bond_touch_at_the_corners_of_the_overlap() {
    for scale in [1e-3, 1.0, 1e3] {
        let half = V3::new(0.1, 0.05, 0.0325) * scale;
        let brick = cuboid([half.x, half.y, half.z]);
        // anywhere in the wall
        for (row, shift) in [(0, 1.0), (3, -1.0), (17, 1.0)] {
            let low = Pose::at(V3::new(0.7 * scale, 0.0, half.z * f64::from(2 * row + 1)));
            let high = Pose::at(V3::new(0.7 * scale + shift * half.x, 0.0, half.z * f64::from(2 * row + 3)));
            let points = contacts((&brick, &low), (&brick, &high), 1e-3 * scale);
            check_points(&points, 1e-3 * scale, scale);
            assert_eq!(points.len(), 4);
            let (x, top) = (low.x.x, low.x.z + half.z);
            let mut corners = Vec::new();
            for u in [x.min(x + shift * half.x), x.max(x + shift * half.x)] {
                for v in [-half.y, half.y] {
                    corners.push(V3::new(u, v, top));
                }
            }
            for p in &points {
                // as exact as the height of the wall
                assert!(p.gap.abs() <= 1e-15 * (half.norm() + 2.0 * high.x.z), "{}", p.gap);
                assert_eq!(p.normal, V3::z());
                let near = corners.iter().filter(|c| (p.a - *c).norm() < 1e-14 * (scale + p.a.norm()));
                assert_eq!(near.count(), 1, "{p:?} {corners:?}");
            }
        }
    }
}

#[test]
fn a_wall_that_shakes_keeps_its_points() {
    let brick = cuboid([0.1, 0.05, 0.0325]);
    let mut random = super::Random::new(3);
    let low = Pose::at(V3::new(0.4, 0.0, 0.0325));
    for (shift, depth) in [(0.1, 0.0), (0.1, 1e-6), (0.0, 1e-9), (0.05, -1e-7)] {
        let centre = V3::new(0.4 + shift, 0.0, 0.0975 - depth);
        let still = contacts((&brick, &low), (&brick, &Pose::at(centre)), 1e-3);
        assert_eq!(still.len(), 4);
        for exponent in [-12, -9] {
            for _ in 0..200 {
                let amount = 10f64.powi(exponent) * 0.1;
                let moved =
                    Pose::<3>::turned(centre + random.vector::<3>() * amount, random.vector::<3>() * amount);
                let points = contacts((&brick, &low), (&brick, &moved), 1e-3);
                assert_eq!(points.len(), 4, "shift {shift}, amount {amount}");
                for (p, q) in points.iter().zip(&still) {
                    assert_eq!(p.feature, q.feature, "shift {shift}, amount {amount}");
                    assert!((p.a - q.a).norm() < 10.0 * amount);
                    assert!((p.normal - q.normal).norm() < 10.0 * amount);
                }
            }
        }
        // a larger tilt may change what a point is called, but not where it is
        for _ in 0..200 {
            let amount = 1e-6;
            let moved =
                Pose::<3>::turned(centre + random.vector::<3>() * amount, random.vector::<3>() * amount);
            let points = contacts((&brick, &low), (&brick, &moved), 1e-3);
            assert_eq!(points.len(), 4);
            for p in &points {
                assert!(
                    still.iter().any(|q| (p.a - q.a).norm() < 10.0 * amount),
                    "{shift} {depth} {points:#?} {still:#?}"
                );
            }
        }
    }
}

#[test]
fn rotated_walls_are_as_exact() {
    let brick = cuboid([0.1, 0.05, 0.0325]);
    let mut random = super::Random::new(11);
    for _ in 0..100 {
        let wall = random.pose3(1.0);
        let low = wall.of_part(&Pose::at(V3::new(0.0, 0.0, 0.0)));
        let high = wall.of_part(&Pose::at(V3::new(0.1, 0.0, 0.065)));
        let points = contacts((&brick, &low), (&brick, &high), 1e-3);
        assert_eq!(points.len(), 4);
        for p in &points {
            assert!(p.gap.abs() < 1e-15, "{}", p.gap);
        }
    }
}

#[test]
fn a_box_larger_than_the_one_below_rests_on_its_corners() {
    let small = cuboid([0.2, 0.2, 0.1]);
    let large = cuboid([0.5, 0.6, 0.1]);
    let at = Pose::at(V3::new(0.0, 0.0, 0.2));
    let points = contacts((&small, &Pose::identity()), (&large, &at), 0.01);
    assert_eq!(points.len(), 4);
    for wanted in [[-0.2, -0.2, 0.1], [-0.2, 0.2, 0.1], [0.2, -0.2, 0.1], [0.2, 0.2, 0.1]] {
        assert!(points.iter().any(|p| (p.a - V3::from(wanted)).norm() < 1e-15));
    }
}

#[test]
fn a_turned_box_on_a_box_overlaps_in_an_octagon_and_keeps_four_points() {
    let brick = cuboid([0.5, 0.5, 0.1]);
    for gap in [-1e-6, 0.0, 1e-6] {
        let at = Pose::<3>::turned(V3::new(0.0, 0.0, 0.2 + gap), V3::z() * std::f64::consts::FRAC_PI_4);
        let points = contacts((&brick, &Pose::identity()), (&brick, &at), 0.01);
        check_points(&points, 0.01, 1.0);
        assert_eq!(points.len(), 4);
        assert!(points.iter().all(|p| (p.gap - gap).abs() < 1e-15));
        let middle: V3 = points.iter().map(|p| p.a).sum::<V3>() / 4.0;
        assert!((middle - V3::z() * 0.1).norm() < 0.15);
    }
}

#[test]
fn crossed_edges_touch_in_one_point() {
    let cube = cuboid([0.5; 3]);
    let roof = std::f64::consts::FRAC_PI_4;
    let height = 2.0 * 0.5f64.sqrt();
    for gap in [-1e-3, 0.0, 1e-3] {
        let low = Pose::<3>::turned(V3::zeros(), V3::x() * roof);
        let high = Pose::<3>::turned(V3::new(0.1, -0.2, height + gap), V3::y() * roof);
        let points = contacts((&cube, &low), (&cube, &high), 0.01);
        assert_eq!(points.len(), 1, "gap {gap}: {points:#?}");
        let p = points[0];
        assert!((p.gap - gap).abs() < 1e-15);
        assert!((p.normal - V3::z()).norm() < 1e-15);
        assert!((p.a - V3::new(0.1, 0.0, 0.5 * height)).norm() < 1e-15, "{}", p.a);
    }
}

#[test]
fn an_edge_lies_on_a_face_with_two_points() {
    let cube = cuboid([0.5; 3]);
    let slab = cuboid([2.0, 2.0, 0.1]);
    let at = Pose::<3>::turned(V3::new(0.0, 0.0, 0.1 + 0.5f64.sqrt()), V3::x() * std::f64::consts::FRAC_PI_4);
    for points in [
        contacts((&slab, &Pose::identity()), (&cube, &at), 0.01),
        contacts((&cube, &at), (&slab, &Pose::identity()), 0.01),
    ] {
        assert_eq!(points.len(), 2);
        assert!(points.iter().all(|p| p.gap.abs() < 1e-15 && p.normal.x.abs() < 1e-15));
    }
}

#[test]
fn rectangles_lie_on_each_other_with_two_points() {
    let rectangle = cuboid([0.5, 0.1]);
    for gap in [-1e-5, 0.0, 1e-5] {
        let at = Pose::at(V2::new(0.5, 0.2 + gap));
        let points = contacts((&rectangle, &Pose::identity()), (&rectangle, &at), 0.01);
        check_points(&points, 0.01, 1.0);
        let found = sorted(points.iter().map(|p| p.a).collect());
        assert_eq!(found.len(), 2);
        assert!((found[0] - V2::new(0.0, 0.1)).norm() < 1e-16);
        assert!((found[1] - V2::new(0.5, 0.1)).norm() < 1e-16);
        assert!(points.iter().all(|p| (p.gap - gap).abs() < 1e-16 && p.normal == V2::y()));
    }
}

#[test]
fn corners_that_are_apart_see_each_other_along_the_way_between() {
    let square = cuboid([0.5, 0.5]);
    let at = Pose::at(V2::new(1.03, 1.04));
    let points = contacts((&square, &Pose::identity()), (&square, &at), 0.1);
    assert_eq!(points.len(), 1);
    assert!((points[0].gap - 0.05).abs() < 1e-15);
    assert!((points[0].normal - V2::new(0.6, 0.8)).norm() < 1e-13);
    let cube = cuboid([0.5; 3]);
    let at = Pose::at(V3::new(1.02, 1.03, 1.06));
    let points = contacts((&cube, &Pose::identity()), (&cube, &at), 0.1);
    assert_eq!(points.len(), 1);
    assert!((points[0].gap - 0.07).abs() < 1e-15);
    assert!((points[0].normal - V3::new(2.0, 3.0, 6.0) / 7.0).norm() < 1e-13);
    assert!(contacts((&cube, &Pose::identity()), (&cube, &at), 0.069).is_empty());
}

#[test]
fn a_card_overhangs_and_tilts_without_losing_its_points() {
    // the lower end of the upper card hangs over: neither face separates as well as the edges do
    let card = cuboid([0.5, 0.3, 0.01]);
    let wide = cuboid([0.5, 0.4, 0.01]);
    let mut random = super::Random::new(5);
    for _ in 0..500 {
        let tilt = random.vector::<3>() * 1e-6;
        let at = Pose::<3>::turned(V3::new(0.4, 0.05, 0.02), tilt);
        let points = contacts((&wide, &Pose::identity()), (&card, &at), 1e-3);
        assert_eq!(points.len(), 4);
        check_points(&points, 1e-3, 1.0);
    }
}
