//! Motors: they reach their speed, and give way beyond their torque or force.

use super::{G, at, ball, block, hanging, run};
use stickslip::bodies::Course;
use stickslip::{Body, Joint, Material, World};
use stickslip_geometry::shape::{Ball, HalfSpace, Shape};
use stickslip_geometry::space::{Pose, Vector};

#[test]
fn a_hinge_motor_saturates_and_then_holds_its_speed() {
    let half = Vector::<3>::new(0.3, 0.2, 0.1);
    let (mut world, hook) = hanging::<3>();
    world.gravity = Vector::zeros();
    let body = world.add(block(half, Vector::zeros())).unwrap();
    let inertia = world.bodies().inertia[body.index()].unwrap()[2];
    let (torque, speed) = (inertia * 2.0, 5.0);
    let hinge = Joint::hinge(hook, body, Vector::zeros(), Vector::<3>::z());
    let id = world.join(hinge.driven(Course::Constant(speed), torque)).unwrap();
    let mut work = 0.0;
    for k in 1..=1000 {
        let report = world.step(1e-3).unwrap();
        work += report.energy.motors;
        let spin = world.bodies().spin[body.index()][2];
        assert!((spin - 2.0 * k as f64 * 1e-3).abs() < 1e-9 * spin, "{k}: {spin}");
    }
    // 2 rad/s² for 1 s
    assert!((work - 0.5 * inertia * 4.0).abs() < 1e-9 * work, "{work}");
    run(&mut world, 1e-3, 4.0);
    assert!((world.bodies().spin[body.index()][2] - speed).abs() < 1e-9);
    // all turns count: more than two of them by now
    let angle = world.coordinate(id).unwrap();
    let expected = 0.5 * 2.5 * 5.0 + 1.5 * 5.0;
    assert!((angle - expected).abs() < 1e-2, "{angle}");
}

#[test]
fn a_motor_in_the_plane_turns_both_bodies() {
    let mut world = World::<2>::default();
    let a = world.add(ball(1.0, at(0.0, 0.0))).unwrap();
    let b = world.add(ball(3.0, at(0.0, 0.0))).unwrap();
    world.join(Joint::pin(a, b, Vector::zeros()).driven(Course::Constant(8.0), 1e9)).unwrap();
    run(&mut world, 1e-3, 0.1);
    let [p, q] = [a, b].map(|body| world.bodies().spin[body.index()]);
    assert!((q - p - 8.0).abs() < 1e-9 && (p + 3.0 * q).abs() < 1e-9, "{p}, {q}");
}

#[test]
fn a_slider_motor_lifts_what_it_can() {
    for (share, moves) in [(0.9, false), (1.1, true)] {
        let (mut world, hook) = hanging::<3>();
        let body = world.add(ball(2.0, at(0.0, -1.0))).unwrap();
        let slider = Joint::slider(hook, body, Vector::zeros(), Vector::<3>::z());
        world.join(slider.driven(Course::Constant(0.5), share * 2.0 * G)).unwrap();
        run(&mut world, 1e-3, 0.4);
        let v = world.bodies().v[body.index()][2];
        let expected = if moves { (0.1 * G * 0.4f64).min(0.5) } else { -0.1 * G * 0.4 };
        assert!((v - expected).abs() < 1e-9, "{v}, {expected}");
    }
}

#[test]
fn a_motor_follows_its_course() {
    let (mut world, hook) = hanging::<2>();
    let body = world.add(ball(1.0, at(0.5, 0.0))).unwrap();
    let ramp = Course::Ramp { from: 0.0, to: 3.0, begin: 0.5, end: 1.0 };
    world.join(Joint::pin(hook, body, Vector::zeros()).driven(ramp, 1e6)).unwrap();
    run(&mut world, 1e-3, 0.5);
    assert!(world.bodies().spin[body.index()].abs() < 1e-8);
    run(&mut world, 1e-3, 1.2);
    assert!((world.bodies().spin[body.index()] - 3.0).abs() < 1e-8);
}

/// A wheel on the hinge of a cart: it rolls without slip.
#[test]
fn a_driven_wheel_rolls() {
    let mut world = World::<3>::default();
    world.gravity = Vector::<3>::new(0.0, 0.0, -G);
    world.materials.define("", Material { mu: 0.8, ..Material::default() }).unwrap();
    world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity())).unwrap();
    let chassis =
        world.add(block(Vector::<3>::new(0.4, 0.1, 0.05), Vector::<3>::new(0.0, 0.0, 0.3))).unwrap();
    let radius = 0.2;
    let mut wheels = Vec::new();
    for (x, y) in [(-0.3, -0.3), (0.3, -0.3), (0.3, 0.3), (-0.3, 0.3)] {
        let x = Vector::<3>::new(x, y, radius);
        let wheel = world.add(Body::new(Shape::Ball(Ball { radius }), Pose::at(x))).unwrap();
        let hinge = Joint::hinge(chassis, wheel, x, Vector::<3>::y());
        world.join(hinge.driven(Course::Constant(6.0), 20.0)).unwrap();
        wheels.push(wheel);
    }
    let error = run(&mut world, 1e-3, 3.0);
    let bodies = world.bodies();
    for wheel in wheels {
        let (v, spin) = (bodies.v[wheel.index()], bodies.spin[wheel.index()]);
        assert!((spin[1] - 6.0).abs() < 1e-6, "{spin}");
        assert!((v[0] - spin[1] * radius).abs() < 1e-6, "{v}, {spin}");
    }
    assert!((bodies.v[chassis.index()][0] - 1.2).abs() < 1e-6);
    assert!(error.0 < 1e-9 && error.1 < 1e-9, "{error:?}");
}
