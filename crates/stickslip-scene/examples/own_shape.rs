//! A shape of your own: a dumbbell that falls and comes to rest.
//!
//! `cargo run --release -p stickslip-scene --example own_shape`

#![allow(clippy::print_stdout)]

use stickslip::{Body, World};
use stickslip_geometry::shape::{Ball, Capsule, Compound, HalfSpace, Shape};
use stickslip_geometry::space::{Pose, Vector};

// ANCHOR: shape
/// Two balls at the ends of a rod, about its middle.
fn dumbbell(radius: f64, half_length: f64) -> Shape<3> {
    let ball = |end: f64| (Pose::at(Vector::<3>::new(end, 0.0, 0.0)), Shape::Ball(Ball { radius }));
    let rod = Shape::Capsule(Capsule { radius: 0.3 * radius, half_length });
    Shape::Compound(Compound::new(vec![ball(-half_length), ball(half_length), (Pose::identity(), rod)]))
}
// ANCHOR_END: shape

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::<3>::default();
    world.gravity = Vector::<3>::new(0.0, 0.0, -9.81);
    world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity()))?;
    let pose = Pose::<3>::turned(Vector::<3>::new(0.0, 0.0, 0.6), Vector::<3>::new(0.0, 0.4, 0.0));
    let id = world.add(Body::new(dumbbell(0.1, 0.3), pose))?;
    while world.time() < 1.5 {
        if !world.step(1e-3)?.converged() {
            return Err("a step missed its tolerance".into());
        }
    }
    let height = world.bodies().x[id.index()][2];
    println!("it lies with its middle at a height of {height:.6}");
    if (height - 0.1).abs() > 1e-4 {
        return Err("it does not lie on both balls".into());
    }
    Ok(())
}
