//! Every pair of shapes: the convention, the reach, one feature for each point, and the view from the other side.

use super::{Random, contacts, cuboid, hull};
use std::collections::HashSet;
use stickslip_geometry::shape::{Ball, Compound, Cylinder, HalfSpace, Mesh, Shape};
use stickslip_geometry::space::{Dim, Pose, Space, Vector};

fn check<const D: usize>(shapes: &[Shape<D>], mut pose: impl FnMut() -> Pose<D>)
where
    Dim<D>: Space<D>,
{
    let reach = 0.05;
    let least = |points: &[stickslip_geometry::pair::Point<D>]| {
        points.iter().map(|p| p.gap).fold(f64::INFINITY, f64::min)
    };
    for (i, p) in shapes.iter().enumerate() {
        for (j, q) in shapes.iter().enumerate() {
            for _ in 0..100 {
                let (at_p, at_q) = (pose(), pose());
                let points = contacts((p, &at_p), (q, &at_q), reach);
                let names = (p.name(), q.name());
                for x in &points {
                    assert!(x.gap <= reach, "{names:?}");
                    assert!((x.normal.norm() - 1.0).abs() < 1e-13, "{names:?} {x:?}");
                    assert!((x.b - x.a - x.normal * x.gap).norm() < 1e-14, "{names:?} {x:?}");
                }
                let features: HashSet<u32> = points.iter().map(|x| x.feature).collect();
                assert_eq!(features.len(), points.len(), "{names:?} {points:?}");
                let swapped = contacts((q, &at_q), (p, &at_p), reach);
                if i != j {
                    assert_eq!(points.is_empty(), swapped.is_empty(), "{names:?}");
                }
                if !points.is_empty() && !swapped.is_empty() {
                    let (g, h) = (least(&points), least(&swapped));
                    assert!((g - h).abs() < 1e-9 + 1e-3 * g.abs(), "{names:?} {g} {h}");
                }
            }
        }
    }
}

#[test]
fn in_space() {
    type V3 = Vector<3>;
    let mut random = Random::new(80);
    let rock: Vec<V3> = (0..20).map(|_| random.direction::<3>() * 0.4).collect();
    let bowl =
        vec![V3::z() * -0.2, V3::new(1.0, 0.0, 0.0), V3::new(-0.5, 0.8, 0.0), V3::new(-0.5, -0.8, 0.1)];
    let lump = vec![
        (Pose::at(V3::x() * 0.3), cuboid([0.2, 0.1, 0.1])),
        (Pose::at(V3::x() * -0.1), Shape::Ball(Ball { radius: 0.2 })),
    ];
    let shapes = [
        Shape::Ball(Ball { radius: 0.3 }),
        Shape::HalfSpace(HalfSpace),
        cuboid([0.2, 0.3, 0.4]),
        hull(&rock),
        Shape::Cylinder(Cylinder { half_length: 0.3, radius: 0.2 }),
        Shape::Mesh(Mesh::new(bowl, vec![[0, 1, 2], [0, 2, 3], [0, 3, 1]]).unwrap()),
        Shape::Compound(Compound::new(lump)),
    ];
    check(&shapes, || random.pose3(0.4));
}

#[test]
fn in_the_plane() {
    type V2 = Vector<2>;
    let mut random = Random::new(81);
    let stone: Vec<V2> = (0..9).map(|_| random.direction::<2>() * 0.4).collect();
    let ground = vec![V2::new(1.0, 0.1), V2::new(0.0, -0.2), V2::new(-1.0, 0.0)];
    let lump = vec![
        (Pose::at(V2::x() * 0.3), cuboid([0.2, 0.1])),
        (Pose::at(V2::x() * -0.1), Shape::Ball(Ball { radius: 0.2 })),
    ];
    let shapes = [
        Shape::Ball(Ball { radius: 0.3 }),
        Shape::HalfSpace(HalfSpace),
        cuboid([0.2, 0.3]),
        hull(&stone),
        Shape::Mesh(Mesh::new(ground, vec![[0, 1], [1, 2]]).unwrap()),
        Shape::Compound(Compound::new(lump)),
    ];
    check(&shapes, || random.pose2(0.4));
}
