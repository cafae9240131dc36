//! A brick that rocks on an edge of another: its points come and go by their gaps alone.

use super::{Random, check_points, contacts, cuboid};
use stickslip_geometry::space::{Pose, Vector};

type V3 = Vector<3>;

#[test]
fn a_line_of_contact_keeps_both_ends() {
    // the upper brick leans on an edge of the lower one, which is longer or shorter than itself
    let upper = cuboid([0.1, 0.05, 0.0325]);
    let mut random = Random::new(60);
    for depth in [0.04, 0.05, 0.06] {
        let lower = cuboid([0.1, depth, 0.0325]);
        for roll in [0.02, 0.1, 0.3] {
            // turned about the edge at x = 0.1, z = 0.0325, with a hair of pitch and yaw
            for amount in [0.0, 1e-12, 1e-9, 1e-7, 1e-5] {
                for _ in 0..20 {
                    let noise = random.vector::<3>() * amount;
                    let turned = Pose::<3>::turned(V3::new(0.1, 0.0, 0.0325), V3::y() * roll + noise);
                    let at = turned.of_part(&Pose::at(V3::new(0.02, 0.0, 0.0325)));
                    for swap in [false, true] {
                        let points = if swap {
                            contacts((&upper, &at), (&lower, &Pose::identity()), 1e-4)
                        } else {
                            contacts((&lower, &Pose::identity()), (&upper, &at), 1e-4)
                        };
                        check_points(&points, 1e-4, 0.1);
                        assert_eq!(
                            points.len(),
                            2,
                            "depth {depth}, roll {roll}, noise {amount}: {points:#?}"
                        );
                        for p in &points {
                            assert!(p.gap.abs() < 1e-15 + amount);
                            assert!((p.a.x - 0.1).abs() < 1e-6 + amount);
                            assert!((p.a.y.abs() - depth.min(0.05)).abs() < 1e-6 + amount);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn cards_that_lean_tip_to_tip_share_a_line() {
    let card = cuboid([0.0005, 0.03, 0.045]);
    let lean = 0.4f64;
    // the tips: the corner of each card that is farthest towards the other
    let reach_out = 0.0005 * lean.cos() + 0.045 * lean.sin();
    for gap in [-1e-6, 0.0, 1e-9, 1e-7, 1e-5, 1e-4] {
        for noise in [0.0, 1e-10, 1e-7] {
            let left = Pose::<3>::turned(V3::new(-reach_out, 0.0, 0.0), V3::y() * lean);
            let right =
                Pose::<3>::turned(V3::new(reach_out + gap, 0.0, 0.0), V3::y() * -lean + V3::x() * noise);
            let points = contacts((&card, &left), (&card, &right), 1e-3);
            check_points(&points, 1e-3, 0.09);
            assert!(points.len() >= 2, "gap {gap}: {points:#?}");
            let mut least: Vec<&stickslip_geometry::pair::Point<3>> = points.iter().collect();
            least.sort_by(|p, q| p.gap.total_cmp(&q.gap));
            for p in &least[..2] {
                assert!((p.gap - gap).abs() < 0.1 * gap.abs() + 1e-9 + noise, "gap {gap}: {points:#?}");
                assert!((p.a.y.abs() - 0.03).abs() < 1e-6 && p.normal.x > 0.5, "{p:?}");
                if gap > 1e-7 {
                    assert!((p.normal - V3::x()).norm() < 1e-6 + noise / gap);
                }
            }
        }
    }
}
