//! What joints may not change, and what no number of threads may.

use super::{G, ball, block, run};
use stickslip::bodies::Course;
use stickslip::rigid::Rigid;
use stickslip::schemes::{Convex, Exact, FixedPoint, Maury, MoreauJean};
use stickslip::{Body, Joint, Motion, Scheme, World};
use stickslip_geometry::shape::{HalfSpace, Shape};
use stickslip_geometry::space::{Dim, Pose, Vector};
use stickslip_solvers::panel::AnyMethod;

type V = Vector<3>;

/// Momentum, and angular momentum about the origin.
fn momenta(world: &World<3>) -> (V, V) {
    let bodies = world.bodies();
    let mut sums = (V::zeros(), V::zeros());
    for b in 0..bodies.len() {
        let p = bodies.v[b] * bodies.mass[b];
        sums.0 += p;
        let inertia = bodies.inertia[b].unwrap();
        let own = Dim::<3>::angular_momentum(&bodies.rotation[b], &inertia, &bodies.spin[b]);
        sums.1 += bodies.x[b].cross(&p) + own;
    }
    sums
}

/// Free pairs under every joint, motors and limits among them.
#[test]
fn a_free_pair_keeps_its_momenta() {
    let point = V::new(0.3, 0.1, 0.2);
    for (name, body) in
        [("balls", ball(2.0, V::zeros())), ("boxes", block(V::new(0.1, 0.2, 0.3), V::zeros()))]
    {
        let joints: [&dyn Fn(_, _) -> Joint<3>; 5] = [
            &|a, b| Joint::ball(a, b, point),
            &|a, b| Joint::hinge(a, b, point, V::new(1.0, 2.0, 0.5)).driven(Course::Constant(3.0), 2.0),
            &|a, b| Joint::slider(a, b, point, V::new(1.0, 0.0, 0.5)).limited(-0.1, 0.2),
            &|a, b| Joint::fixed(a, b),
            &|a, b| Joint::rod(a, b, V::new(0.1, 0.1, 0.1), V::new(0.6, 0.3, 0.0)),
        ];
        for (k, joint) in joints.iter().enumerate() {
            let mut world = World::<3>::default();
            world.stop.tolerance = 1e-11;
            let a =
                world.add(Body { v: V::new(0.3, 0.0, 0.1), spin: V::new(1.0, 2.0, -1.0), ..body.clone() });
            let b =
                Body { pose: Pose::at(V::new(0.7, 0.2, 0.1)), spin: V::new(-2.0, 0.5, 1.0), ..body.clone() };
            let (a, b) = (a.unwrap(), world.add(b).unwrap());
            world.join(joint(a, b)).unwrap();
            let before = momenta(&world);
            let error = run(&mut world, 1e-3, 1.0);
            let after = momenta(&world);
            let size = before.1.norm();
            assert!((after.0 - before.0).norm() < 1e-11 * before.0.norm(), "{name}, joint {k}");
            assert!((after.1 - before.1).norm() < 1e-12 * size, "{name}, joint {k}");
            assert!(error.0 < 1e-9 && error.1 < 1e-9, "{name}, joint {k}: {error:?}");
        }
    }
}

/// A bridge of fixed, hinged and roped boxes that falls on the ground and on itself.
fn ragged() -> World<3> {
    let mut world = World::<3>::default();
    world.gravity = V::new(0.0, 0.0, -G);
    world.stop.tolerance = 1e-6;
    world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity())).unwrap();
    let mut last = None;
    for k in 0..8 {
        let x = V::new(0.25 * k as f64, 0.02 * k as f64, 0.5 + 0.1 * k as f64);
        let next = world.add(block(V::new(0.1, 0.1, 0.05), x)).unwrap();
        if let Some(last) = last {
            let at = x - V::new(0.125, 0.01, 0.05);
            world
                .join(match k % 4 {
                    0 => Joint::fixed(last, next),
                    1 => Joint::hinge(last, next, at, V::y()).limited(-0.4, 0.4),
                    2 => Joint::ball(last, next, at).colliding(),
                    _ => Joint::rope(last, next, at, at, 0.1).colliding(),
                })
                .unwrap();
        }
        last = Some(next);
    }
    world
}

#[test]
fn the_same_bits_on_one_thread_and_on_two() {
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = ragged();
            let mut touched = 0;
            for _ in 0..400 {
                touched += world.step(2e-3).unwrap().active;
            }
            assert!(touched > 0);
            world.bodies().x.iter().flat_map(|x| x.iter().map(|x| x.to_bits())).collect::<Vec<_>>()
        })
    };
    assert_eq!(on(1), on(2));
}

#[test]
fn the_ledger_closes_with_joints_and_contacts() {
    let mut world = ragged();
    for _ in 0..400 {
        let report = world.step(2e-3).unwrap();
        let size = report.energy.kinetic + report.energy.potential;
        assert!(report.energy.error().abs() < 1e-9 * size, "{:?}", report.energy);
        assert!(report.momentum_error < 1e-9, "{}", report.momentum_error);
        if let Some(joint) = report.worst_joint {
            assert_eq!(report.worst, world.joints().bodies(joint));
        }
    }
}

/// A box on a hinge of a shaken body, steps of changing size, by every scheme and by solvers other than the default.
#[test]
fn every_scheme_and_solver_holds_a_shaken_hinge() {
    let with = |scheme: Scheme, solver: Option<&str>| {
        let mut world = World::<3>::new(scheme);
        world.gravity = V::new(0.0, 0.0, -G);
        world.stop.tolerance = 1e-10;
        world.solver = solver.map(|name| AnyMethod::parse(name, &Default::default()).unwrap());
        let shaken = Motion::Driven {
            v: Course::Cosine { amplitude: V::new(0.5, 0.0, 0.3), frequency: 2.0, phase: 0.3 },
            spin: Course::Constant(V::new(0.0, 0.0, 1.0)),
        };
        let hand = world.add(Body { motion: shaken, ..ball(1.0, V::zeros()) }).unwrap();
        let arm = world.add(block(V::new(0.3, 0.05, 0.1), V::new(0.3, 0.0, 0.0))).unwrap();
        let hinge = Joint::hinge(hand, arm, V::zeros(), V::new(0.0, 1.0, 0.2)).limited(-1.0, 1.0);
        world.join(hinge.driven(Course::Constant(-1.0), 3.0)).unwrap();
        let drawn = world.scheme == MoreauJean::default().into();
        let mut drives = 0f64;
        for k in 0..500 {
            let report = world.step(1e-3 * (1.0 + 0.5 * (k as f64).sin())).unwrap();
            let case = format!("{}, {solver:?} at {}", world.scheme.name(), report.time);
            assert!(report.converged(), "{case}: {:?}", report.outcome.map(|outcome| outcome.residual));
            let energy = &report.energy;
            let size = energy.kinetic + energy.potential.abs() + energy.drives.abs();
            assert!(energy.error().abs() < 1e-11 * size, "{case}: {energy:?}");
            drives = drives.max(energy.drives.abs());
            // the arm is at rest when the hand begins to move
            let bound = if drawn { 5e-4 } else { 1e-9 };
            assert!(
                report.opening.position < bound && report.opening.angle < bound,
                "{case}: {:?}",
                report.opening
            );
        }
        assert!(drives > 0.0);
        world.bodies().x[arm.index()]
    };
    let schemes: [Scheme; 6] = [
        Exact.into(),
        Convex.into(),
        Maury.into(),
        FixedPoint.into(),
        MoreauJean { theta: 1.0, ..MoreauJean::default() }.into(),
        MoreauJean::default().into(),
    ];
    let ends = schemes.map(|scheme| with(scheme, None));
    let one = ends[0];
    assert!(ends.iter().take(5).all(|end| (end - one).norm() < 1e-6), "nothing touches: {ends:?}");
    assert!((ends[5] - one).norm() < 1e-2, "of another order: {ends:?}");
    for solver in ["nlgs", "nlgs-accelerated", "semismooth-newton", "proximal", "admm"] {
        assert!((with(Exact.into(), Some(solver)) - one).norm() < 1e-6, "{solver}");
    }
    assert!((with(Convex.into(), Some("apgd-asr")) - one).norm() < 1e-6);
}
