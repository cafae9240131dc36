//! A scheme of your own, made of those that there are: associated friction while things fly, exact friction near rest.
//!
//! `cargo run --release -p stickslip-scene --example own_scheme`

#![allow(clippy::print_stdout)]

use stickslip::report::StepReport;
use stickslip::schemes::{Convex, Exact};
use stickslip::{Body, StepError, World};
use stickslip_geometry::shape::{Cuboid, HalfSpace, Shape};
use stickslip_geometry::space::{Pose, Vector};

// ANCHOR: scheme
/// A step by one convex problem where bodies are fast, by exact friction where they are slow.
fn step(world: &mut World<2>, h: f64, slow: f64) -> Result<StepReport, StepError> {
    let fastest = world.bodies().v.iter().map(|v| v.norm()).fold(0.0, f64::max);
    world.scheme = if fastest > slow { Convex.into() } else { Exact.into() };
    world.step(h)
}
// ANCHOR_END: scheme

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::<2>::default();
    world.gravity = Vector::<2>::new(0.0, -9.81);
    world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity()))?;
    let mut ids = Vec::new();
    for k in 0..5 {
        let cuboid = Shape::Cuboid(Cuboid::<2>::new(Vector::<2>::new(0.1, 0.05)));
        let x = Vector::<2>::new(0.01 * f64::from(k % 2), 0.07 + 0.12 * f64::from(k));
        ids.push(world.add(Body::new(cuboid, Pose::at(x)))?);
    }
    let mut convex = 0;
    while world.time() < 1.0 {
        let report = step(&mut world, 1e-3, 0.05)?;
        if !report.converged() {
            return Err("a step missed its tolerance".into());
        }
        convex += usize::from(world.scheme.name() == "convex");
    }
    let top = world.bodies().x[ids[4].index()][1];
    println!("{convex} of {} steps by the convex scheme; the top box rests at {top:.6}", world.steps());
    if (top - 0.45).abs() > 1e-3 || convex == 0 {
        return Err("the stack does not stand".into());
    }
    Ok(())
}
