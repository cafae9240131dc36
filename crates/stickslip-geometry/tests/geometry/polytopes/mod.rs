//! Polytopes and their contacts against closed forms, certificates of optimality, and symmetries.

#![allow(non_snake_case)]

mod balls;
mod compounds;
mod cylinders;
mod degenerate;
mod every_pair;
mod faces;
mod files;
mod masses;
mod meshes;
mod random;
mod resting;
mod rocking;

use stickslip_geometry::pair::{self, Point};
use stickslip_geometry::shape::{Cuboid, Polytope, Shape};
use stickslip_geometry::space::{Dim, Pose, Space, Vector};

/// The splitmix64 generator.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Between -1 and 1.
    fn signed(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector<const D: usize>(&mut self) -> Vector<D> {
        Vector::from_fn(|_, _| self.signed())
    }

    /// A unit vector.
    fn direction<const D: usize>(&mut self) -> Vector<D> {
        loop {
            let v: Vector<D> = self.vector();
            if v.norm() > 0.1 && v.norm() <= 1.0 {
                return v.normalize();
            }
        }
    }

    fn pose3(&mut self, spread: f64) -> Pose<3> {
        let x = self.vector::<3>() * spread;
        Pose::<3>::turned(x, self.vector::<3>() * 3.0)
    }

    fn pose2(&mut self, spread: f64) -> Pose<2> {
        let x = self.vector::<2>() * spread;
        Pose::<2>::turned(x, self.signed() * 3.0)
    }
}

fn contacts<const D: usize>(a: (&Shape<D>, &Pose<D>), b: (&Shape<D>, &Pose<D>), reach: f64) -> Vec<Point<D>>
where
    Dim<D>: Space<D>,
{
    let mut out = Vec::new();
    pair::contacts(a, b, reach, &mut out);
    out
}

fn cuboid<const D: usize>(half: [f64; D]) -> Shape<D>
where
    Dim<D>: Space<D>,
{
    Shape::Cuboid(Cuboid::new(Vector::from(half)))
}

fn hull<const D: usize>(points: &[Vector<D>]) -> Shape<D>
where
    Dim<D>: Space<D>,
{
    Shape::Polytope(Polytope::hull(points).unwrap())
}

/// Signed separation of two placed convex shapes along a direction from a to b.
fn separation<const D: usize>(a: (&Shape<D>, &Pose<D>), b: (&Shape<D>, &Pose<D>), n: &Vector<D>) -> f64
where
    Dim<D>: Space<D>,
{
    let far = |(shape, pose): (&Shape<D>, &Pose<D>), n: &Vector<D>| {
        pose.turn_to_world(&shape.support(&pose.turn_to_local(n)).unwrap())
    };
    (b.1.x - a.1.x + far(b, &-n) - far(a, n)).dot(n)
}

/// Every point obeys the convention, is within reach, and is no duplicate.
fn check_points<const D: usize>(points: &[Point<D>], reach: f64, size: f64)
where
    Dim<D>: Space<D>,
{
    assert!(points.len() <= 2 * (D - 1), "{points:#?}");
    for (k, p) in points.iter().enumerate() {
        assert!(p.gap <= reach);
        assert!((p.normal.norm() - 1.0).abs() < 1e-14);
        let far = 1e-15 * (size + p.a.norm());
        assert!((p.b - p.a - p.normal * p.gap).norm() < 8.0 * far, "{p:?}");
        for q in &points[..k] {
            assert!((q.a - p.a).norm() > 1e-8 * size, "{points:#?}");
            assert_ne!(q.feature, p.feature, "{points:#?}");
        }
    }
}
