//! What all shapes promise: bad input is refused, boxes fit tightly, and what has no mass says so.

use stickslip_geometry::shape::{
    Ball, Capsule, Ellipsoid, HalfSpace, HollowBall, HollowCylinder, Segment, Shape, ShapeError,
    Superellipsoid,
};
use stickslip_geometry::space::{Dim, Pose, Space, Vector};

/// Every shape that has a length, with all its lengths from a list.
fn shapes<const D: usize>(length: [f64; 3]) -> Vec<Shape<D>>
where
    Dim<D>: Space<D>,
{
    let [a, b, _] = length;
    let radii = Vector::from_fn(|i, _| length[i]);
    vec![
        Shape::Ball(Ball { radius: a }),
        Shape::Capsule(Capsule { half_length: a, radius: b }),
        Shape::Segment(Segment { half_length: a }),
        Shape::Ellipsoid(Ellipsoid { radii }),
        Shape::Superellipsoid(Superellipsoid { radii, across: 3.0, along: 1.5 }),
        Shape::HollowBall(HollowBall { radius: a }),
        Shape::HollowCylinder(HollowCylinder { radius: a }),
    ]
}

#[test]
fn bad_lengths_are_refused() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for shape in shapes::<3>([bad, 1.0, 1.0]) {
            assert!(matches!(shape.validate(), Err(ShapeError::Length { .. })), "{shape:?}");
        }
        for radius in [[1.0, bad, 1.0], [1.0, 1.0, bad]] {
            let radii = Vector::<3>::from(radius);
            assert!(Shape::Ellipsoid(Ellipsoid { radii }).validate().is_err());
        }
        assert!(Shape::<2>::Capsule(Capsule { half_length: 1.0, radius: bad }).validate().is_err());
        let body = Superellipsoid::<2>::new(Vector::<2>::new(1.0, 1.0), bad);
        assert!(matches!(Shape::Superellipsoid(body).validate(), Err(ShapeError::Exponent { .. })));
        for shape in shapes::<3>([1.0, 1.0, 1.0]) {
            assert!(matches!(shape.mass(bad), Err(ShapeError::Density { .. })));
        }
    }
    for shape in shapes::<3>([1.0, 0.5, 0.25]) {
        assert_eq!(shape.validate(), Ok(()));
    }
    let tube = Shape::<2>::HollowCylinder(HollowCylinder { radius: 1.0 });
    assert_eq!(tube.validate(), Err(ShapeError::NotInThePlane { shape: "hollow cylinder" }));
}

#[test]
fn what_has_no_mass_says_so() {
    let segment = Shape::<2>::Segment(Segment { half_length: 1.0 });
    assert_eq!(segment.mass(1.0), Err(ShapeError::Thin { shape: "segment" }));
    let drum = Shape::<2>::HollowBall(HollowBall { radius: 1.0 });
    assert_eq!(drum.mass(1.0), Err(ShapeError::Unbounded { shape: "hollow disk" }));
    assert_eq!(drum.inner_radius(), f64::INFINITY);
    assert!(drum.support(&Vector::<2>::x()).is_none());
    assert!(Shape::<3>::HalfSpace(HalfSpace).support(&Vector::<3>::x()).is_none());
}

/// Each face of the box holds the farthest point of the shape in its direction.
fn fits<const D: usize>(pose: &Pose<D>)
where
    Dim<D>: Space<D>,
{
    for shape in shapes::<D>([1.0, 0.3, 0.1]) {
        let bounds = shape.bounds(pose);
        for k in 0..D {
            let mut axis = Vector::<D>::zeros();
            axis[k] = 1.0;
            let Some(high) = shape.support(&pose.turn_to_local(&axis)) else {
                assert_eq!(bounds.high[k], f64::INFINITY);
                continue;
            };
            let low = shape.support(&pose.turn_to_local(&-axis)).unwrap();
            assert!((pose.to_world(&high)[k] - bounds.high[k]).abs() < 1e-14, "{shape:?}");
            assert!((pose.to_world(&low)[k] - bounds.low[k]).abs() < 1e-14, "{shape:?}");
        }
    }
}

#[test]
fn boxes_fit_tightly() {
    fits(&Pose::<2>::turned(Vector::<2>::new(0.3, -2.0), 0.7));
    fits(&Pose::<2>::identity());
    fits(&Pose::<3>::turned(Vector::<3>::new(0.3, -2.0, 1.0), Vector::<3>::new(0.7, -0.2, 1.1)));
    fits(&Pose::<3>::identity());
}

/// The ball of the inner radius lies inside and touches: the shape reaches at least that far in all directions, and
/// no farther in one.
#[test]
fn the_inner_radius_is_the_least_reach() {
    let solids = [
        Superellipsoid::<3>::new(Vector::<3>::new(1.0, 0.6, 0.8), 1.3, 1.6),
        Superellipsoid::<3>::new(Vector::<3>::new(1.0, 0.6, 0.8), 4.0, 1.6),
        Superellipsoid::<3>::new(Vector::<3>::new(1.0, 0.6, 0.8), 1.4, 5.0),
    ];
    for body in solids {
        let shape = Shape::Superellipsoid(body);
        let mut least = f64::INFINITY;
        for i in 0..=400 {
            for j in 0..=400 {
                let (t, p) = (i as f64 / 400.0, j as f64 / 400.0);
                let (t, p) = (t * std::f64::consts::FRAC_PI_2, p * std::f64::consts::FRAC_PI_2);
                let n = Vector::<3>::new(t.sin() * p.cos(), t.sin() * p.sin(), t.cos());
                least = least.min(shape.support(&n).unwrap().dot(&n));
            }
        }
        let inner = shape.inner_radius();
        assert!(inner < least + 1e-12 && inner > least - 1e-5, "{inner} {least}");
    }
}

#[test]
fn zero_directions_give_finite_points() {
    for shape in shapes::<3>([1.0, 0.3, 0.1]) {
        if let Some(point) = shape.support(&Vector::<3>::zeros()) {
            assert!(point.norm().is_finite());
        }
    }
}
