//! What no scheme may change, and what no setting of the machine may.

use nalgebra::UnitQuaternion;
use stickslip::schemes::{Convex, Exact, Maury, MoreauJean};
use stickslip::{Body, Material, Scheme, World};
use stickslip_geometry::shape::{Ball, Cuboid, HalfSpace, Shape};
use stickslip_geometry::space::{Pose, Vector};

/// SplitMix64 on [0, 1).
fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

/// Spheres on a jittered grid that fly towards the middle; no floor, no gravity.
fn swarm(scheme: impl Into<Scheme>, mu: f64, e_n: f64) -> World<3> {
    let mut world = World::<3>::new(scheme);
    world.materials.define("", Material { mu, e_n, ..Material::default() }).unwrap();
    let mut state = 7;
    for k in 0..27 {
        let cell =
            Vector::<3>::new((k % 3) as f64, (k / 3 % 3) as f64, (k / 9) as f64).add_scalar(-1.0) * 1.2;
        let x = cell + Vector::<3>::from_fn(|_, _| 0.1 * (random(&mut state) - 0.5));
        let spin = Vector::<3>::from_fn(|_, _| random(&mut state) - 0.5);
        let radius = 0.3 + 0.15 * random(&mut state);
        let ball = Body::new(Shape::Ball(Ball { radius }), Pose::at(x));
        world.add(Body { v: -x, spin, density: 1.0, ..ball }).unwrap();
    }
    world
}

fn momentum(world: &World<3>) -> (Vector<3>, Vector<3>) {
    let bodies = world.bodies();
    let mut sums = (Vector::zeros(), Vector::zeros());
    for b in 0..bodies.len() {
        let p = bodies.v[b] * bodies.mass[b];
        let inertia = bodies.inertia[b].unwrap();
        sums.0 += p;
        sums.1 += bodies.x[b].cross(&p) + bodies.spin[b].component_mul(&inertia);
    }
    sums
}

#[test]
fn momentum_stays_and_energy_does_not_grow() {
    for scheme in [Scheme::from(Maury), Convex.into(), Exact.into(), MoreauJean::default().into()] {
        let mut world = swarm(scheme, 0.4, 0.5);
        world.stop.tolerance = 1e-11;
        let before = momentum(&world);
        let mut energy = world.bodies().kinetic_energy();
        let mut collided = false;
        for _ in 0..150 {
            let report = world.step(1e-2).unwrap();
            collided |= report.active > 0;
            assert!(report.energy.kinetic <= energy * (1.0 + 1e-9), "{}", world.scheme.name());
            assert!(report.energy.error().abs() < 1e-12 * energy);
            assert!(report.energy.friction > -1e-9 * energy);
            energy = report.energy.kinetic;
        }
        let after = momentum(&world);
        assert!(collided);
        assert!((after.0 - before.0).norm() < 1e-12, "{}", world.scheme.name());
        // angular momentum about the origin: impulses act at one point, bodies move along straight lines
        let bound = if world.scheme == MoreauJean::default().into() { 1e-2 } else { 1e-11 };
        assert!(
            (after.1 - before.1).norm() < bound,
            "{}: {:e}",
            world.scheme.name(),
            (after.1 - before.1).norm()
        );
    }
}

#[test]
fn balls_stay_apart_by_maurys_scheme_at_any_step() {
    for h in [0.01, 0.1, 0.5] {
        let mut world = swarm(Maury, 0.0, 0.0);
        world.stop.tolerance = 1e-11;
        for _ in 0..20 {
            let report = world.step(h).unwrap();
            assert!(report.converged());
            assert!(report.penetration < 1e-8, "h = {h}: {:e}", report.penetration);
        }
    }
}

/// A ball hits one at rest, which is pushed onto a third: how far those two overlap after a long step.
fn pushed_into(reach: Option<f64>) -> f64 {
    let mut world = World::<2>::new(Maury);
    (world.stop.tolerance, world.reach) = (1e-12, reach);
    for (x, v) in [(0.0, 10.0), (2.2, 0.0), (4.7, 0.0)] {
        let ball = Body::new(Shape::Ball(Ball { radius: 1.0 }), Pose::at(Vector::<2>::new(x, 0.0)));
        world.add(Body { v: Vector::<2>::new(v, 0.0), ..ball }).unwrap();
    }
    world.step(0.3).unwrap();
    2.0 - (world.bodies().x[2] - world.bodies().x[1]).norm()
}

#[test]
fn bodies_that_are_pushed_far_meet_what_is_within_reach() {
    assert!(pushed_into(None) > 0.1, "a bound that is not needed");
    assert!(pushed_into(Some(1.0)).abs() < 1e-9);
}

/// A heap of spheres on a floor.
fn heap(number: usize) -> World<3> {
    let mut world = World::<3>::new(Exact);
    world.gravity[2] = -9.81;
    world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity())).unwrap();
    let mut state = 3;
    let side = (number as f64).cbrt().ceil() as usize;
    for k in 0..number {
        let cell = [k % side, k / side % side, k / side / side];
        let x =
            Vector::<3>::from_fn(|i, _| 0.012 * (cell[i] as f64 + 0.5) + 4e-4 * (random(&mut state) - 0.5));
        let radius = 0.005 * (0.9 + 0.2 * random(&mut state));
        world.add(Body::new(Shape::Ball(Ball { radius }), Pose::at(x))).unwrap();
    }
    world
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = heap(1000);
            world.stop.tolerance = 1e-6;
            for _ in 0..60 {
                world.step(1e-3).unwrap();
            }
            let bits = |v: &Vector<3>| v.map(f64::to_bits);
            world.bodies().x.iter().chain(&world.bodies().v).map(bits).collect::<Vec<_>>()
        })
    };
    assert!(run(1) == run(2));
}

#[test]
fn units_do_not_matter() {
    let run = |length: f64, mass: f64| {
        let mut world = World::<3>::new(Exact);
        world.gravity[2] = -9.81 * length;
        world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity())).unwrap();
        for (x, z) in [(0.0, 0.1), (0.05, 0.35)] {
            let ball = Shape::Ball(Ball { radius: 0.1 * length });
            let body = Body::new(ball, Pose::at(Vector::<3>::new(x, 0.0, z) * length));
            world.add(Body { density: 1000.0 * mass / length.powi(3), ..body }).unwrap();
        }
        for _ in 0..400 {
            world.step(1e-3).unwrap();
        }
        world.bodies().x[2] / length
    };
    let metres = run(1.0, 1.0);
    assert!((run(1e3, 1e3) - metres).norm() < 1e-6, "{metres:?}");
}

/// Blocks and balls that tumble on a floor: where they are after a while, with everything turned by `turn`, moved by
/// `away`, and the bodies added in a given order.
fn tumble(turn: UnitQuaternion<f64>, away: Vector<3>, order: &[usize]) -> Vec<Vector<3>> {
    let mut world = World::<3>::new(Exact);
    world.stop.tolerance = 1e-11;
    world.gravity = turn * Vector::<3>::new(0.0, 0.0, -9.81);
    world.materials.define("", Material { mu: 0.4, ..Material::default() }).unwrap();
    let place = |x: [f64; 3], spun: [f64; 3]| {
        let own = UnitQuaternion::from_scaled_axis(Vector::<3>::from(spun));
        Pose { x: turn * Vector::<3>::from(x) + away, rotation: turn * own }
    };
    let bodies = [
        Body::new(Shape::Ball(Ball { radius: 0.1 }), place([0.0, 0.0, 0.3], [0.0; 3])),
        Body::new(Shape::Ball(Ball { radius: 0.12 }), place([0.13, 0.05, 0.55], [0.0; 3])),
        Body::new(
            Shape::Cuboid(Cuboid { half: [0.1, 0.07, 0.05].into() }),
            place([0.5, 0.0, 0.2], [0.3, 0.5, 0.1]),
        ),
        Body::new(Shape::Ball(Ball { radius: 0.08 }), place([-0.1, -0.02, 0.8], [0.0; 3])),
    ];
    let v = turn * Vector::<3>::new(0.4, -0.3, 0.1);
    let mut place_of = vec![0; bodies.len()];
    for &k in order {
        place_of[k] = world.add(Body { v, ..bodies[k].clone() }).unwrap().index();
    }
    world.add(Body::fixed(Shape::HalfSpace(HalfSpace), place([0.0; 3], [0.0; 3]))).unwrap();
    for _ in 0..300 {
        assert!(world.step(1e-3).unwrap().converged());
    }
    place_of.iter().map(|&b| turn.inverse() * (world.bodies().x[b] - away)).collect()
}

#[test]
fn neither_directions_nor_places_nor_the_order_of_bodies_matter() {
    let reference = tumble(UnitQuaternion::identity(), Vector::zeros(), &[0, 1, 2, 3]);
    let turn = UnitQuaternion::from_scaled_axis(Vector::<3>::new(0.7, -1.1, 0.4));
    let others = [
        tumble(turn, Vector::zeros(), &[0, 1, 2, 3]),
        tumble(UnitQuaternion::identity(), Vector::<3>::new(3.0, -2.0, 5.0), &[0, 1, 2, 3]),
        tumble(UnitQuaternion::identity(), Vector::zeros(), &[3, 1, 0, 2]),
        tumble(turn, Vector::<3>::new(3.0, -2.0, 5.0), &[2, 3, 1, 0]),
    ];
    for (k, other) in others.iter().enumerate() {
        for (a, b) in reference.iter().zip(other) {
            assert!((a - b).norm() < 1e-8, "variant {k}: {a} {b}");
        }
    }
}
