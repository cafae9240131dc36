//! Periodic space, guided walls, drag, overlaps at the start, and the export of a step.

use stickslip::bodies::Course;
use stickslip::{Body, BodyId, Drag, Joint, Material, Motion, Overlaps, StepError, World};
use stickslip_geometry::broad::Periods;
use stickslip_geometry::shape::{Ball, Cuboid, HalfSpace, Shape};
use stickslip_geometry::space::{Pose, Vector};
use stickslip_solvers::fclib::Fclib;
use stickslip_solvers::laws::Law;
use stickslip_solvers::residual::residual;

fn ball2(radius: f64, x: [f64; 2]) -> Body<2> {
    Body::new(Shape::Ball(Ball { radius }), Pose::at(x.into()))
}

fn ball3(radius: f64, x: [f64; 3]) -> Body<3> {
    Body::new(Shape::Ball(Ball { radius }), Pose::at(x.into()))
}

#[test]
fn a_collision_through_the_end_of_the_box_is_the_same_as_one_inside() {
    let run = |offset: f64, periods: Periods<2>| {
        let mut world = World::<2>::default();
        world.periods = periods;
        let a = world.add(Body { v: [1.0, 0.1].into(), spin: 2.0, ..ball2(0.1, [0.0, 0.0]) }).unwrap();
        let b = world.add(ball2(0.15, [0.4 + offset, 0.05])).unwrap();
        for _ in 0..600 {
            assert!(world.step(1e-3).unwrap().converged());
        }
        [a, b].map(|id| (world.bodies().v[id.index()], world.bodies().spin[id.index()]))
    };
    let open = run(0.0, Periods::default());
    assert!(open[1].0[0] > 0.1, "they collide");
    for laps in [-3.0, -1.0, 2.0] {
        let repeated = run(2.0 * laps, Periods([Some(2.0), None]));
        for (open, repeated) in open.iter().zip(&repeated) {
            assert!((open.0 - repeated.0).norm() < 1e-9 && (open.1 - repeated.1).abs() < 1e-9);
        }
    }
}

#[test]
fn a_gas_in_a_periodic_box_keeps_its_momentum() {
    let mut world = World::<3>::default();
    world.periods = Periods([Some(1.0), Some(1.2), Some(0.9)]);
    world.stop.tolerance = 1e-10;
    for k in 0..64 {
        let cell = [k % 4, k / 4 % 4, k / 16].map(|c| 0.05 + 0.22 * c as f64);
        let v = Vector::<3>::new((k as f64).sin(), (3.0 * k as f64).cos(), (7.0 * k as f64).sin());
        world.add(Body { v, ..ball3(0.08, cell) }).unwrap();
    }
    let momentum = |world: &World<3>| -> Vector<3> {
        let bodies = world.bodies();
        (0..bodies.len()).map(|b| bodies.v[b] * bodies.mass[b]).sum()
    };
    let before = momentum(&world);
    let (mut energy, mut touched) = (world.bodies().kinetic_energy(), 0);
    for _ in 0..400 {
        let report = world.step(5e-3).unwrap();
        assert!(report.converged() && report.penetration < 1e-8 && report.momentum_error < 1e-10);
        assert!(report.energy.kinetic <= energy * (1.0 + 1e-9));
        energy = report.energy.kinetic;
        touched += report.active;
    }
    assert!(touched > 100 && (momentum(&world) - before).norm() < 1e-9);
    let far = world.bodies().x.iter().flat_map(|x| x.iter().copied()).fold(0.0f64, |far, x| far.max(x.abs()));
    assert!(far > 1.2, "positions are not wrapped");
}

#[test]
fn periods_that_cannot_be_are_refused() {
    let mut world = World::<2>::default();
    world.add(Body { name: Some("wheel".into()), ..ball2(0.5, [0.0, 0.0]) }).unwrap();
    for (period, words) in [(0.0, "positive"), (f64::NAN, "positive"), (0.9, "wheel")] {
        world.periods = Periods([None, Some(period)]);
        let message = world.step(1e-3).unwrap_err().to_string();
        assert!(message.contains(words) && message.contains("direction 1"), "{message}");
    }
}

/// Grains in a box under a lid that a force presses down.
#[test]
fn a_servo_wall_holds_its_load() {
    let mut world = World::<2>::default();
    world.gravity[1] = -9.81;
    world.materials.define("", Material { mu: 0.3, ..Material::default() }).unwrap();
    let floor = world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity())).unwrap();
    for (x, turn) in [(-0.11, -1.0), (0.31, 1.0)] {
        let pose = Pose::<2>::turned([x, 0.0].into(), turn * std::f64::consts::FRAC_PI_2);
        world.add(Body::fixed(Shape::HalfSpace(HalfSpace), pose)).unwrap();
    }
    for k in 0..12 {
        world.add(ball2(0.05, [0.105 * (k % 3) as f64, 0.06 + 0.11 * (k / 3) as f64])).unwrap();
    }
    let grains = std::f64::consts::PI * 0.05f64.powi(2) * 1000.0 * 12.0;
    let lid = Body {
        motion: Motion::Guided { along: [0.0, -2.0].into(), force: Course::Constant(500.0) },
        ..Body::new(Shape::Cuboid(Cuboid { half: [0.2, 0.02].into() }), Pose::at([0.1, 0.52].into()))
    };
    let lid = world.add(lid).unwrap();
    let weight = 9.81 * (grains + world.bodies().mass[lid.index()]);
    for _ in 0..1500 {
        let report = world.step(1e-3).unwrap();
        let scale = report.energy.kinetic + report.energy.potential.abs();
        assert!(report.energy.error().abs() < 1e-12 * scale && report.momentum_error < 1e-9);
    }
    let (x, v) = (world.bodies().x[lid.index()], world.bodies().v[lid.index()]);
    assert!(x[0] == 0.1 && v.norm() < 1e-6 && world.bodies().spin[lid.index()] == 0.0, "{x} {v}");
    // what the floor and the friction of the walls carry
    let carried: f64 = world
        .contacts()
        .filter(|(contact, _)| contact.key.a <= floor.index() as u32 + 2)
        .map(|(_, impulse)| impulse[1] / 1e-3)
        .sum();
    assert!((carried - weight - 500.0).abs() < 1e-3 * weight, "{carried} of {}", weight + 500.0);
}

#[test]
fn drag_leads_to_the_terminal_velocity() {
    let (radius, viscosity, g) = (0.01, 1.5, 9.81);
    let mut world = World::<3>::default();
    world.gravity[2] = -g;
    let drag = Drag::stokes(radius, viscosity);
    let spin = Vector::<3>::new(0.0, 30.0, 0.0);
    let ball = world.add(Body { drag, spin, ..ball3(radius, [0.0; 3]) }).unwrap().index();
    let (mass, inertia) = (world.bodies().mass[ball], world.bodies().inertia[ball].unwrap()[0]);
    let mut lost = 0.0;
    for _ in 0..1000 {
        let report = world.step(1e-4).unwrap();
        assert!(
            report.energy.error().abs() < 1e-12 * (report.energy.kinetic + report.energy.potential.abs())
        );
        lost += report.energy.drag;
    }
    let rate = drag.linear / mass;
    let expected = -g / rate * (1.0 - (-rate * 0.1f64).exp());
    assert!((world.bodies().v[ball][2] / expected - 1.0).abs() < 1e-3);
    let expected = 30.0 * (-drag.angular / inertia * 0.1).exp();
    assert!((world.bodies().spin[ball][1] - expected).abs() < 0.05 && lost > 0.0);
    for _ in 0..100 {
        world.step(1.0).unwrap(); // any step: drag is implicit
    }
    assert!((world.bodies().v[ball][2] + mass * g / drag.linear).abs() < 1e-12);
    let refused = world.add(Body { drag: Drag { linear: -1.0, angular: 0.0 }, ..ball3(1.0, [0.0; 3]) });
    assert!(refused.unwrap_err().to_string().contains("drag is -1"));
}

fn crowded() -> (World<2>, Vec<BodyId>) {
    let mut world = World::<2>::default();
    world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity())).unwrap();
    let at = [[0.0, 0.45], [0.7, 0.5], [0.3, 1.1], [0.9, 1.3]];
    let ids = at.map(|x| world.add(ball2(0.5, x)).unwrap());
    (world, ids.to_vec())
}

#[test]
fn overlaps_at_the_start_are_refused_resolved_or_accepted() {
    let (mut world, _) = crowded();
    let message = world.step(1e-3).unwrap_err().to_string();
    assert!(message.contains("bodies #3 and #4 overlap by 3.67") && message.contains("Resolve"), "{message}");

    world.overlapping = Overlaps::Resolve;
    world.step(1e-3).unwrap();
    assert!(
        world.overlaps().is_empty() && world.bodies().kinetic_energy() < 1e-12,
        "moved apart, not pushed"
    );

    let (mut world, _) = crowded();
    world.overlapping = Overlaps::Accept;
    assert!(world.step(1e-3).unwrap().penetration > 0.2);
    assert!(world.bodies().kinetic_energy() > 1.0, "pushed apart at once");

    let mut jammed = World::<2>::default();
    jammed.overlapping = Overlaps::Resolve;
    for (y, turn) in [(0.0, 0.0), (0.9, std::f64::consts::PI)] {
        let plane = Pose::<2>::turned([0.0, y].into(), turn);
        jammed.add(Body::fixed(Shape::HalfSpace(HalfSpace), plane)).unwrap();
    }
    jammed.add(ball2(0.5, [0.0, 0.5])).unwrap();
    let message = jammed.step(1e-3).unwrap_err().to_string();
    assert!(message.contains("no room"), "{message}");
}

/// No body moves farther in a step than a part of its radius: the step is shortened, and says so.
#[test]
fn the_limit_of_travel_shortens_steps() {
    let shoot = |travel: Option<f64>| {
        let mut world = World::<2>::default();
        world.travel = travel;
        world.add(Body { v: [100.0, 0.0].into(), ..ball2(0.05, [0.0, 0.0]) }).unwrap();
        world.add(Body { v: [0.1, 0.0].into(), ..ball2(0.05, [3.0, 0.0]) }).unwrap();
        let (mut longest, mut steps) = (0f64, 0);
        while world.time() < 0.05 {
            let h = world.step(1e-2).unwrap().h;
            longest = longest.max(h);
            steps += 1;
        }
        let bodies = world.bodies();
        (longest, steps, bodies.v[0][0] < bodies.v[1][0] + 1e-6)
    };
    let (longest, steps, _) = shoot(None);
    assert_eq!((longest, steps), (1e-2, 5));
    let (longest, steps, hit) = shoot(Some(0.1));
    assert!(longest <= 0.1 * 0.05 / 50.0 + 1e-12 && steps > 400 && hit, "{longest} {steps}");
}

/// Forces count like gravity does.
#[test]
fn the_limit_of_travel_foresees_forces() {
    let mut world = World::<2>::default();
    world.travel = Some(0.1);
    let id = world.add(ball2(0.05, [0.0, 0.0])).unwrap().index();
    let mass = world.bodies().mass[id];
    world.forces.push(Box::new(move |_, _, loads| loads[id].0[0] += 1e4 * mass));
    for _ in 0..50 {
        let before = world.bodies().x[id];
        world.step(1e-2).unwrap();
        let way = (world.bodies().x[id] - before).norm();
        assert!(way <= 0.1 * 0.05 * (1.0 + 1e-9), "{way}");
    }
}

/// So does the turning of what is no ball.
#[test]
fn the_limit_of_travel_foresees_turns() {
    let mut world = World::<2>::default();
    world.travel = Some(0.5);
    let bar = Shape::Cuboid(Cuboid { half: Vector::<2>::new(0.5, 0.02) });
    world.add(Body { spin: 60.0, ..Body::new(bar, Pose::identity()) }).unwrap();
    let h = world.step(0.1).unwrap().h;
    assert!(h * 60.0 * 0.5 <= 0.5 * 0.02 + 1e-12, "{h}");
}

/// What no impulses can hold is not certified, however large they grow.
#[test]
fn bodies_that_are_squeezed_are_told() {
    let mut world = World::<3>::default();
    world.gravity[2] = -9.81;
    world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity())).unwrap();
    world.add(ball3(0.1, [0.0, 0.0, 0.1])).unwrap();
    let down = Course::Constant(Vector::<3>::new(0.0, 0.0, -0.1));
    let plate = Shape::Cuboid(Cuboid { half: Vector::<3>::new(0.5, 0.5, 0.05) });
    let motion = Motion::Driven { v: down, spin: Course::Constant(Vector::zeros()) };
    world.add(Body { motion, ..Body::new(plate, Pose::at([0.0, 0.0, 0.2501].into())) }).unwrap();
    for step in 0..10 {
        let report = world.step(1e-3).unwrap();
        assert_eq!(report.converged(), step < 1, "step {step}: {:?}", report.outcome);
    }
    assert_eq!(world.missed(), 9);
}

#[test]
fn joints_beyond_their_limits_are_refused_or_resolved() {
    let rope = |overlapping: Overlaps| {
        let mut world = World::<2>::default();
        world.overlapping = overlapping;
        let hook = world.add(Body::fixed(ball2(0.1, [0.0, 0.0]).shape, Pose::identity())).unwrap();
        let bob = world.add(ball2(0.1, [2.0, 0.0])).unwrap();
        world.join(Joint::rope(hook, bob, [0.0, 0.0].into(), [2.0, 0.0].into(), 1.0).named("rope")).unwrap();
        world.step(1e-3).map(|_| (world.bodies().x[bob.index()][0], world.bodies().v[bob.index()].norm()))
    };
    let message = rope(Overlaps::Refuse).unwrap_err().to_string();
    assert!(message.contains("joint rope is beyond its limits"), "{message}");
    let (x, speed) = rope(Overlaps::Resolve).unwrap();
    assert!((x - 1.0).abs() < 1e-9 && speed < 1e-6, "{x} {speed}");
}

#[test]
fn what_is_fixed_does_not_move_whatever_its_velocity() {
    let mut world = World::<2>::default();
    let shape = ball2(0.1, [0.0, 0.0]).shape;
    let id =
        world.add(Body { v: [1.0, 0.0].into(), spin: 1.0, ..Body::fixed(shape, Pose::identity()) }).unwrap();
    world.step(1.0).unwrap();
    assert_eq!(world.bodies().x[id.index()], Vector::<2>::zeros());
}

/// What is joined to a body that is moved off another comes along.
#[test]
fn overlaps_are_resolved_with_joints_closed() {
    let mut world = World::<2>::default();
    world.gravity[1] = -9.81;
    world.overlapping = Overlaps::Resolve;
    world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity())).unwrap();
    let low = world.add(ball2(0.5, [0.0, 0.4])).unwrap();
    let side = world.add(ball2(0.5, [1.2, 0.6])).unwrap();
    let top = world.add(ball2(0.5, [1.3, 1.4])).unwrap();
    world.join(Joint::rod(low, side, [0.0, 0.4].into(), [1.2, 0.6].into())).unwrap();
    world.join(Joint::pin(side, top, [1.25, 1.0].into())).unwrap();
    let report = world.step(1e-3).unwrap();
    assert!(world.overlaps().is_empty());
    assert!(report.opening.position < 1e-9, "{:?}", report.opening);
    let fastest = world.bodies().v.iter().map(|v| v.norm()).fold(0.0, f64::max);
    assert!(fastest < 2.0 * 9.81 * 1e-3, "pulled at {fastest}");
}

#[test]
fn limits_that_cannot_be_are_refused() {
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let mut world = World::<2>::default();
        world.overlap = Some(value);
        assert!(world.step(1e-3).unwrap_err().to_string().contains("`overlap`"));
        let mut world = World::<2>::default();
        world.travel = Some(value);
        assert!(world.step(1e-3).unwrap_err().to_string().contains("`travel`"));
    }
}

#[test]
fn excluded_pairs_pass_through_each_other() {
    let mut world = World::<2>::default();
    let a = world.add(Body { v: [1.0, 0.0].into(), ..ball2(0.1, [0.0, 0.0]) }).unwrap();
    let b = world.add(ball2(0.1, [0.3, 0.0])).unwrap();
    world.exclude(b, a);
    for _ in 0..600 {
        assert_eq!(world.step(1e-3).unwrap().contacts, 0);
    }
    assert_eq!(world.bodies().v[a.index()][0], 1.0);
}

#[test]
fn an_exported_step_is_the_problem_that_is_solved() {
    let mut world = World::<3>::default();
    world.gravity[2] = -9.81;
    world.materials.define("", Material { mu: 0.5, ..Material::default() }).unwrap();
    world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity())).unwrap();
    for k in 0..8 {
        let half = Vector::<3>::new(0.1, 0.08, 0.05);
        let pose = Pose::<3>::turned(
            [0.01 * k as f64, 0.0, 0.05 + 0.1001 * k as f64].into(),
            [0.0, 0.0, 0.2].into(),
        );
        world.add(Body::new(Shape::Cuboid(Cuboid { half }), pose)).unwrap();
    }
    for _ in 0..50 {
        world.step(1e-3).unwrap();
    }
    let path = std::env::temp_dir().join(format!("stickslip-export-{}.hdf5", std::process::id()));
    let (problem, _) = world.problem(1e-3).unwrap().unwrap();
    world.export(1e-3).unwrap().unwrap().write(&path).unwrap();
    let file = Fclib::read(&path).unwrap();
    let read = file.problem::<3>(Law::coulomb).unwrap();
    assert_eq!(read.laws, problem.laws);
    let report = world.step(1e-3).unwrap();
    let r: Vec<Vector<3>> =
        world.contacts().map(|(contact, impulse)| contact.frame.tr_mul(&impulse)).collect();
    let there = residual(&read, &r);
    assert!((there.scaled - report.outcome.unwrap().residual.scaled).abs() < 1e-12, "{there:?}");
    assert!(residual(&read, &file.start::<3>()).scaled < 1e-2, "the guess is the last step");
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn what_is_not_finite_is_refused_and_never_certified() {
    let ball = || ball2(0.1, [0.0, 0.0]);
    let mut world = World::<2>::default();
    world.add(ball()).unwrap();
    world.gravity[1] = f64::NAN;
    assert!(matches!(world.step(1e-3), Err(StepError::Force { .. })));

    let mut world = World::<2>::default();
    let (v, spin) = (Course::Constant(Vector::<2>::new(f64::INFINITY, 0.0)), Course::Constant(0.0));
    world.add(Body { motion: Motion::Driven { v, spin }, ..ball() }).unwrap();
    assert!(matches!(world.step(1e-3), Err(StepError::Velocity { .. })));
}
