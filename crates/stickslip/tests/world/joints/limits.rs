//! Limits of hinges and sliders, ropes.

use super::{G, at, ball, block, hanging, run};
use stickslip::bodies::Course;
use stickslip::schemes::{Exact, MoreauJean};
use stickslip::{Joint, Scheme};
use stickslip_geometry::space::Vector;

#[test]
fn a_hinge_falls_on_its_stop() {
    for (scheme, bound) in [(Scheme::from(Exact), 1e-9), (MoreauJean::default().into(), 1e-4)] {
        let (mut world, hook) = hanging::<2>();
        world.scheme = scheme;
        let body = world.add(ball(1.0, at(1.0, 0.0))).unwrap();
        let hinge = Joint::pin(hook, body, Vector::zeros()).limited(-0.5, 0.5);
        let id = world.join(hinge).unwrap();
        let error = run(&mut world, 1e-3, 2.0);
        assert!(error.1 < bound, "{error:?}");
        assert!((world.coordinate(id).unwrap() + 0.5).abs() < bound);
        assert!(world.bodies().spin[body.index()].abs() < bound / 1e-3);
    }
    let (mut world, hook) = hanging::<3>();
    let body = world.add(block(Vector::<3>::new(0.5, 0.1, 0.05), Vector::<3>::new(0.5, 0.0, 0.0))).unwrap();
    // about −y the block falls by positive angles
    let hinge = Joint::hinge(hook, body, Vector::zeros(), Vector::<3>::y()).limited(f64::NEG_INFINITY, 1.0);
    let id = world.join(hinge).unwrap();
    let error = run(&mut world, 1e-3, 2.0);
    assert!((world.coordinate(id).unwrap() - 1.0).abs() < 1e-9, "{:?}", world.coordinate(id));
    assert!(error.0 < 1e-9 && error.1 < 1e-9, "{error:?}");
}

/// A stop beyond a full turn.
#[test]
fn turns_are_counted() {
    let (mut world, hook) = hanging::<3>();
    world.gravity = Vector::zeros();
    let body = ball(1.0, Vector::zeros());
    let body = world.add(stickslip::Body { spin: Vector::<3>::new(0.0, 0.0, 5.0), ..body }).unwrap();
    let hinge = Joint::hinge(hook, body, Vector::zeros(), Vector::<3>::z()).limited(-1.0, 20.0);
    let id = world.join(hinge).unwrap();
    run(&mut world, 1e-2, 3.9);
    assert!((world.coordinate(id).unwrap() - 19.5).abs() < 1e-9);
    run(&mut world, 1e-2, 5.0);
    assert!((world.coordinate(id).unwrap() - 20.0).abs() < 1e-9);
    assert!(world.bodies().spin[body.index()].norm() < 1e-9);
}

#[test]
fn a_slider_stops_at_its_limit() {
    let (mut world, hook) = hanging::<2>();
    let body = world.add(block(Vector::<2>::new(0.2, 0.1), at(0.3, -1.0))).unwrap();
    let axis = Vector::<2>::new(1.0, -1.0);
    let id = world.join(Joint::slider(hook, body, at(0.3, -1.0), axis).limited(-0.1, 0.5)).unwrap();
    run(&mut world, 1e-3, 0.3);
    // along the axis: half of g t² over √2
    let way = 0.5 * G / 2f64.sqrt() * 0.3 * (0.3 + 1e-3);
    assert!((world.coordinate(id).unwrap() - way).abs() < 1e-9, "{:?}", world.coordinate(id));
    let error = run(&mut world, 1e-3, 1.0);
    assert!((world.coordinate(id).unwrap() - 0.5).abs() < 1e-9);
    assert!(error.0 < 1e-9 && error.1 < 1e-9, "{error:?}");
}

#[test]
fn a_rope_goes_taut_and_a_strut_holds() {
    let (mut world, hook) = hanging::<3>();
    let body = world.add(ball(1.0, at(0.0, -0.2))).unwrap();
    let rope = world.join(Joint::rope(hook, body, Vector::zeros(), at(0.0, -0.2), 1.0)).unwrap();
    run(&mut world, 1e-3, 0.3);
    assert!((world.coordinate(rope).unwrap() - 0.2 - 0.5 * G * 0.3 * 0.301).abs() < 1e-9, "slack");
    let error = run(&mut world, 1e-3, 1.0);
    assert!((world.coordinate(rope).unwrap() - 1.0).abs() < 1e-9 && error.0 < 1e-9);
    assert!(world.bodies().v[body.index()].norm() < 1e-9);
    // a strut above its hook, on the way down
    let (mut world, hook) = hanging::<3>();
    let body = world.add(ball(1.0, at(0.0, 1.0))).unwrap();
    let strut = Joint::rod(hook, body, Vector::zeros(), at(0.0, 1.0)).limited(0.5, f64::INFINITY);
    let strut = world.join(strut).unwrap();
    run(&mut world, 1e-3, 1.0);
    assert!((world.coordinate(strut).unwrap() - 0.5).abs() < 1e-9);
}

/// A rod swings like a pendulum whose bob does not turn.
#[test]
fn a_rod_keeps_its_length() {
    let (mut world, hook) = hanging::<3>();
    let body = world.add(ball(1.0, at(1.0, 0.0))).unwrap();
    let rod = world.join(Joint::rod(hook, body, Vector::zeros(), at(1.0, 0.0))).unwrap();
    let error = run(&mut world, 1e-3, 5.0);
    assert!((world.coordinate(rod).unwrap() - 1.0).abs() < 1e-9 && error.0 < 1e-9, "{error:?}");
    assert!(world.bodies().spin[body.index()].norm() < 1e-12);
}

/// A blow throws the bob farther in its step than the rope is slack, and the next bob with it.
#[test]
fn a_blow_does_not_pass_a_limit() {
    let (mut world, hook) = hanging::<2>();
    world.gravity = Vector::zeros();
    let bobs = [-0.5, -1.0].map(|y| world.add(ball(1.0, at(0.0, y))).unwrap());
    world.add(stickslip::Body { v: at(0.0, -50.0), ..ball(100.0, at(0.0, -0.2)) }).unwrap();
    world.join(Joint::rope(hook, bobs[0], Vector::zeros(), at(0.0, -0.5), 0.8)).unwrap();
    world.join(Joint::rope(bobs[0], bobs[1], at(0.0, -0.5), at(0.0, -1.0), 0.9)).unwrap();
    let mut length = 0f64;
    for _ in 0..20 {
        let report = world.step(1e-2).unwrap();
        assert!(report.converged() && report.opening.position < 1e-9, "{:?}", report.opening);
        length = length.max(world.bodies().x[bobs[0].index()].norm());
    }
    assert!((length - 0.8).abs() < 1e-9, "the rope has gone taut: {length}");
}

/// A body that is joined to two others which part is not certified.
#[test]
fn joints_that_cannot_be_closed_are_told() {
    let (mut world, hook) = hanging::<2>();
    let body = world.add(ball(1.0, at(0.0, -1.0))).unwrap();
    let v = Course::Constant(at(0.1, 0.0));
    let motion = stickslip::Motion::Driven { v, spin: Course::Constant(0.0) };
    let hand = world.add(stickslip::Body { motion, ..ball(1.0, at(0.0, -2.0)) }).unwrap();
    world.join(Joint::fixed(hook, body)).unwrap();
    world.join(Joint::fixed(body, hand)).unwrap();
    for _ in 0..100 {
        world.step(1e-2).unwrap();
    }
    assert!(world.missed() > 90, "{}", world.missed());
}

/// However fast the motor, it stops at the limit in the step that would pass it.
#[test]
fn a_motor_stops_at_the_limit() {
    for speed in [10.0, 1000.0] {
        let (mut world, hook) = hanging::<3>();
        world.gravity = Vector::zeros();
        let body = world.add(ball(1.0, at(0.0, -1.0))).unwrap();
        let slider = Joint::slider(hook, body, Vector::zeros(), Vector::<3>::z()).limited(-0.5, 0.5);
        let id = world.join(slider.driven(Course::Constant(speed), 1e9)).unwrap();
        for _ in 0..20 {
            assert!(world.step(1e-2).unwrap().converged());
            assert!(world.coordinate(id).unwrap() < 0.5 + 1e-6, "{speed}: {:?}", world.coordinate(id));
        }
        assert!((world.coordinate(id).unwrap() - 0.5).abs() < 1e-6);
    }
}
