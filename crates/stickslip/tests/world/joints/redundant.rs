//! More joints than needed: they share the load and nothing breaks.

use super::{G, at, ball, block, hanging, run};
use stickslip::{Body, Joint, Material, World};
use stickslip_geometry::shape::{HalfSpace, Shape};
use stickslip_geometry::space::{Pose, Vector};

type V = Vector<3>;

#[test]
fn a_door_on_three_hinges_swings() {
    let (mut world, frame) = hanging::<3>();
    world.gravity = V::new(0.0, 2.0, -G);
    let door = world.add(block(V::new(0.4, 0.02, 1.0), V::new(0.4, 0.0, 0.0))).unwrap();
    for z in [-0.8, 0.0, 0.8] {
        world.join(Joint::hinge(frame, door, V::new(0.0, 0.0, z), V::z())).unwrap();
    }
    let error = run(&mut world, 1e-3, 3.0);
    assert!(error.0 < 1e-9 && error.1 < 1e-9, "{error:?}");
    assert!(world.bodies().x[door.index()][2].abs() < 1e-9, "it does not sink");
    assert!(world.bodies().x[door.index()][1].abs() > 0.01, "it swings");
}

#[test]
fn a_planar_four_bar_in_space_moves() {
    let (mut world, ground) = hanging::<3>();
    let bar = |a: V, b: V| {
        let along = b - a;
        let shape = V::new(0.5 * along.norm(), 0.02, 0.02);
        let angle = V::new(0.0, -along[2].atan2(along[0]), 0.0);
        Body { pose: Pose::<3>::turned((a + b) * 0.5, angle), ..block(shape, V::zeros()) }
    };
    let corners = [V::zeros(), V::new(0.2, 0.0, 0.4), V::new(1.1, 0.0, 0.5), V::new(1.0, 0.0, 0.0)];
    let mut last = ground;
    for pair in corners.windows(2) {
        let next = world.add(bar(pair[0], pair[1])).unwrap();
        world.join(Joint::hinge(last, next, pair[0], V::y())).unwrap();
        last = next;
    }
    world.join(Joint::hinge(last, ground, corners[3], V::y())).unwrap();
    let mut energy = Vec::new();
    for _ in 0..3000 {
        let report = world.step(1e-3).unwrap();
        assert!(report.converged(), "{:?}", report.outcome);
        assert!(report.opening.position < 1e-9 && report.opening.angle < 1e-9, "{:?}", report.opening);
        energy.push(report.energy.kinetic + report.energy.potential);
    }
    let size = energy.iter().map(|e| e.abs()).fold(0.0, f64::max);
    let spread = energy.iter().fold(f64::NEG_INFINITY, |m, e| m.max(*e))
        - energy.iter().fold(f64::INFINITY, |m, e| m.min(*e));
    assert!(world.bodies().kinetic_energy() > 0.0);
    assert!(spread < 2e-2 * size, "{spread:e} of {size:e}");
}

#[test]
fn a_body_fixed_twice_hangs() {
    let (mut world, hook) = hanging::<2>();
    let body = world.add(ball(3.0, at(1.0, 0.0))).unwrap();
    world.join(Joint::fixed(hook, body)).unwrap();
    world.join(Joint::fixed(body, hook)).unwrap();
    let error = run(&mut world, 1e-3, 1.0);
    assert!(error.0 < 1e-10 && error.1 < 1e-10);
    assert!((world.bodies().x[body.index()] - at::<2>(1.0, 0.0)).norm() < 1e-10);
}

/// Two cubes fixed to each other fall and land as one body twice as wide.
#[test]
fn fixed_cubes_land_as_one() {
    let cube = V::repeat(0.1);
    let mut world = World::<3>::default();
    world.gravity = V::new(0.0, 0.0, -G);
    world.materials.define("", Material { mu: 0.5, ..Material::default() }).unwrap();
    world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity())).unwrap();
    let a = world.add(block(cube, V::new(-0.1, 0.0, 0.3))).unwrap();
    let b = world.add(block(cube, V::new(0.1, 0.0, 0.3))).unwrap();
    world.join(Joint::fixed(a, b)).unwrap();
    let error = run(&mut world, 1e-3, 1.0);
    assert!(error.0 < 1e-9 && error.1 < 1e-9, "{error:?}");
    for (body, x) in [(a, -0.1), (b, 0.1)] {
        let off = world.bodies().x[body.index()] - V::new(x, 0.0, 0.1);
        assert!(off.norm() < 1e-8, "{off}");
    }
}
