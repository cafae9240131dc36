//! Joints: closed forms, drift, motors, limits, redundancy, conservation, refusals.

mod conservation;
mod limits;
mod motors;
mod pendulums;
mod redundant;
mod refusals;

use stickslip::rigid::Rigid;
use stickslip::{Body, BodyId, World};
use stickslip_geometry::shape::{Ball, Cuboid, Shape};
use stickslip_geometry::space::{Dim, Pose, Vector};

const G: f64 = 9.81;

/// The point x along the first axis, y up.
fn at<const D: usize>(x: f64, y: f64) -> Vector<D> {
    Vector::from_fn(|k, _| match k {
        0 => x,
        _ if k == D - 1 => y,
        _ => 0.0,
    })
}

/// A world with gravity and a fixed small ball at the origin to hang things on.
fn hanging<const D: usize>() -> (World<D>, BodyId)
where
    Dim<D>: Rigid<D>,
{
    let mut world = World::<D>::default();
    world.gravity = at(0.0, -G);
    world.stop.tolerance = 1e-11;
    let hook = world.add(Body::fixed(Shape::Ball(Ball { radius: 0.01 }), Pose::identity())).unwrap();
    (world, hook)
}

/// A ball of a mass and radius 0.1.
fn ball<const D: usize>(mass: f64, x: Vector<D>) -> Body<D>
where
    Dim<D>: Rigid<D>,
{
    let shape = Shape::Ball(Ball { radius: 0.1 });
    let of_one = shape.mass(1.0).unwrap().mass;
    Body { density: mass / of_one, ..Body::new(shape, Pose::at(x)) }
}

/// A box of density 1000.
fn block<const D: usize>(half: Vector<D>, x: Vector<D>) -> Body<D>
where
    Dim<D>: Rigid<D>,
{
    Body::new(Shape::Cuboid(Cuboid { half }), Pose::at(x))
}

/// Steps until a time; what no step may do is checked at each. The largest joint error, as a length and as an angle.
fn run<const D: usize>(world: &mut World<D>, h: f64, until: f64) -> (f64, f64)
where
    Dim<D>: Rigid<D>,
{
    let mut largest = (0f64, 0f64);
    while world.time() < until - 0.5 * h {
        let report = world.step(h).unwrap();
        assert!(report.converged(), "missed at {}: {:?}", report.time, report.outcome.map(|o| o.residual));
        let size = report.energy.kinetic + report.energy.potential.abs() + 1e-6;
        assert!(report.energy.error().abs() < 1e-10 * size, "{:?}", report.energy);
        assert!(report.momentum_error < 1e-9, "{}", report.momentum_error);
        largest = (largest.0.max(report.opening.position), largest.1.max(report.opening.angle));
    }
    largest
}
