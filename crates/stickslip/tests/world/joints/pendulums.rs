//! Pendulums and chains against closed forms and over long times.

use super::{G, at, ball, hanging, run};
use nalgebra::UnitQuaternion;
use stickslip::rigid::Rigid;
use stickslip::schemes::MoreauJean;
use stickslip::{Body, BodyId, Joint, World};
use stickslip_geometry::shape::{Ball, Mass, Shape};
use stickslip_geometry::space::{Dim, Pose, Vector};

/// A pendulum of length 1, at an angle.
fn pendulum<const D: usize>(angle: f64) -> (World<D>, BodyId)
where
    Dim<D>: Rigid<D>,
{
    let (mut world, hook) = hanging::<D>();
    let bob = world.add(ball(1.0, at(angle.sin(), -angle.cos()))).unwrap();
    world.join(Joint::ball(hook, bob, Vector::zeros())).unwrap();
    (world, bob)
}

/// The time between two passages through the lowest point in the same direction.
fn period<const D: usize>(world: &mut World<D>, bob: usize, h: f64) -> f64
where
    Dim<D>: Rigid<D>,
{
    let mut passages = Vec::new();
    while passages.len() < 2 {
        let before = world.bodies().x[bob][0];
        run(world, h, world.time() + h);
        let after = world.bodies().x[bob][0];
        if before < 0.0 && after >= 0.0 {
            passages.push(world.time() - h * after / (after - before));
        }
    }
    passages[1] - passages[0]
}

/// 2π/ω₀ over the arithmetic-geometric mean of 1 and cos(φ/2): the period at amplitude φ.
fn exact_period(omega: f64, amplitude: f64) -> f64 {
    let (mut a, mut b) = (1.0, (0.5 * amplitude).cos());
    for _ in 0..10 {
        (a, b) = (0.5 * (a + b), f64::sqrt(a * b));
    }
    std::f64::consts::TAU / (omega * a)
}

fn periods<const D: usize>(inertia: f64)
where
    Dim<D>: Rigid<D>,
{
    let omega = (G / (1.0 + inertia)).sqrt();
    for amplitude in [1e-3, 2.0] {
        let off = |h: f64| {
            let (mut world, bob) = pendulum::<D>(amplitude);
            period(&mut world, bob.index(), h) / exact_period(omega, amplitude) - 1.0
        };
        let (coarse, fine) = (off(1e-2), off(5e-3));
        assert!(fine.abs() < 2e-4, "{fine:e}");
        assert!((3.5..4.5).contains(&(coarse / fine)), "order two: {coarse:e}, {fine:e}");
    }
}

#[test]
fn the_period_of_a_pendulum() {
    // moments of a disk and of a sphere of radius 0.1 and mass 1
    periods::<2>(0.5 * 0.01);
    periods::<3>(0.4 * 0.01);
}

/// Two pendulums in a row from the horizontal: chaos, but the joints stay closed and the energy bounded.
fn double<const D: usize>()
where
    Dim<D>: Rigid<D>,
{
    let (mut world, hook) = hanging::<D>();
    let first = world.add(ball(1.0, at(1.0, 0.0))).unwrap();
    let second = world.add(ball(1.0, at(2.0, 0.0))).unwrap();
    world.join(Joint::ball(hook, first, Vector::zeros())).unwrap();
    world.join(Joint::ball(first, second, at(1.0, 0.0))).unwrap();
    let (mut error, mut energy) = (0f64, 0f64);
    for _ in 0..10_000 {
        let report = world.step(1e-3).unwrap();
        assert!(report.converged());
        error = error.max(report.opening.position);
        // from rest at height 0; the deepest point has −3 m g
        energy = energy.max((report.energy.kinetic + report.energy.potential).abs() / (3.0 * G));
    }
    assert!(error < 1e-9, "{error:e}");
    assert!(energy < 2e-2, "{energy:e}");
}

#[test]
fn a_double_pendulum_keeps_its_lengths_and_its_energy() {
    double::<2>();
    double::<3>();
}

/// Links whose last one is heavy, in a straight line at an angle.
fn chain<const D: usize>(links: usize, last: f64, angle: f64) -> World<D>
where
    Dim<D>: Rigid<D>,
{
    let (mut world, mut above) = hanging::<D>();
    for k in 0..links {
        let place = |way: f64| at(way * angle.sin(), -way * angle.cos());
        let way = 0.3 * k as f64;
        let mass = if k + 1 == links { last } else { 1.0 };
        let link = world.add(ball(mass, place(way + 0.15))).unwrap();
        world.join(Joint::ball(above, link, place(way))).unwrap();
        above = link;
    }
    world
}

#[test]
fn a_hanging_chain_does_not_drift() {
    let mut world = chain::<3>(20, 1.0, 0.0);
    let before = world.bodies().x.clone();
    let error = run(&mut world, 1e-3, 20.0);
    let moved = world.bodies().x.iter().zip(&before).map(|(x, y)| (x - y).norm()).fold(0.0, f64::max);
    assert!(error.0 < 1e-10 && moved < 1e-9, "{error:?}, {moved:e}");
}

#[test]
fn a_swinging_chain_with_a_heavy_end_holds() {
    let mut world = chain::<2>(20, 1e4, 0.5);
    let error = run(&mut world, 2.5e-4, 2.0);
    assert!(error.0 < 1e-9, "{error:?}");
    let mut world = chain::<3>(20, 1e4, 0.5);
    let error = run(&mut world, 2.5e-4, 0.5);
    assert!(error.0 < 1e-9, "{error:?}");
}

/// By the θ-scheme joints are drawn together and not closed: their error is of the order of h² and does not grow.
#[test]
fn the_theta_scheme_leaves_errors_of_second_order() {
    let error = |h: f64| {
        let (mut world, _) = pendulum::<3>(1.5);
        world.scheme = MoreauJean::default().into();
        let early = run(&mut world, h, 3.0).0;
        let late = run(&mut world, h, 12.0).0;
        assert!(late < 1.1 * early, "{early:e}, then {late:e}");
        late
    };
    let (coarse, fine) = (error(2e-3), error(1e-3));
    assert!((3.5..4.5).contains(&(coarse / fine)) && fine < 1e-5, "{coarse:e}, {fine:e}");
}

/// A body of three different moments on a ball joint far from its centre, spinning.
#[test]
fn a_spinning_top_on_a_ball_joint_keeps_its_energy() {
    let (mut world, hook) = hanging::<3>();
    let top = super::block(Vector::<3>::new(0.1, 0.2, 0.3), Vector::<3>::new(0.0, 0.0, 0.4));
    let top = world.add(Body { spin: Vector::<3>::new(0.5, 0.2, 40.0), ..top }).unwrap();
    world.join(Joint::ball(hook, top, Vector::zeros())).unwrap();
    let start = world.bodies().kinetic_energy() + world.bodies().mass[top.index()] * G * 0.4;
    let mut off = 0f64;
    let mut error = 0f64;
    let mut ledger = 0f64;
    for _ in 0..5000 {
        let report = world.step(1e-3).unwrap();
        off = off.max(((report.energy.kinetic + report.energy.potential) / start - 1.0).abs());
        error = error.max(report.opening.position);
        ledger = ledger.max(report.energy.error().abs() / start);
    }
    assert!(off < 1e-2 && error < 1e-9);
}

/// A symmetric top that leans by θ and precesses steadily at Ω: `I₁ Ω² cos θ − I₃ ω₃ Ω + m g l = 0` about its tip.
#[test]
fn a_symmetric_top_precesses_steadily() {
    let (lean, spin, arm) = (0.5f64, 100.0, 0.3);
    let (mut world, hook) = hanging::<3>();
    let axis = Vector::<3>::new(lean.sin(), 0.0, lean.cos());
    let disk = Mass::<3> {
        mass: 2.0,
        centre: Vector::zeros(),
        inertia: Vector::<3>::new(0.02, 0.02, 0.03),
        axes: UnitQuaternion::identity(),
    };
    let about_tip = disk.inertia[0] + disk.mass * arm * arm;
    // the slow of the two precessions
    let (a, b, c) = (about_tip * lean.cos(), -disk.inertia[2] * spin, disk.mass * G * arm);
    let rate = (-b - (b * b - 4.0 * a * c).sqrt()) / (2.0 * a);
    let up = Vector::<3>::new(0.0, 0.0, 1.0);
    // spin ω₃ along the axis, and precession, of which a part lies along the axis already
    let turning = axis * (spin - rate * lean.cos()) + up * rate;
    let pose = Pose { x: axis * arm, rotation: UnitQuaternion::from_scaled_axis([0.0, lean, 0.0].into()) };
    let top = Body {
        mass: Some(disk),
        spin: turning,
        v: turning.cross(&(axis * arm)),
        ..Body::new(Shape::Ball(Ball { radius: 0.1 }), pose)
    };
    let top = world.add(top).unwrap();
    world.join(Joint::ball(hook, top, Vector::zeros())).unwrap();
    let (seconds, h) = (2.0, 2e-4);
    run(&mut world, h, seconds);
    let x = world.bodies().x[top.index()] / arm;
    assert!((x[2] - lean.cos()).abs() < 1e-3, "leans by {}", x[2].acos());
    let (turned, expected) = (x[1].atan2(x[0]), rate * seconds);
    let off = (turned - expected).sin().atan2((turned - expected).cos());
    assert!(off.abs() < 1e-2, "{turned} {expected}");
}
