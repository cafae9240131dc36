//! Motions with known solutions, in the plane and in space.

use stickslip::bodies::Course;
use stickslip::rigid::Rigid;
use stickslip::schemes::{Convex, Exact, FixedPoint, Flow, Maury, MoreauJean};
use stickslip::{Body, BodyId, Material, Motion, Scheme, World};
use stickslip_geometry::shape::{Ball, HalfSpace, Shape};
use stickslip_geometry::space::{Dim, Pose, Vector};

const G: f64 = 9.81;

fn ball<const D: usize>(radius: f64, x: Vector<D>) -> Body<D>
where
    Dim<D>: Rigid<D>,
{
    Body::new(Shape::Ball(Ball { radius }), Pose::at(x))
}

/// A ball of radius 1 and mass 1 on the floor, gravity tilted by an angle.
fn incline<const D: usize>(angle: f64, mu: f64, scheme: Scheme) -> (World<D>, BodyId)
where
    Dim<D>: Rigid<D>,
{
    let mut world = World::<D>::new(scheme);
    world.gravity[0] = G * angle.sin();
    world.gravity[D - 1] = -G * angle.cos();
    world.materials.define("", Material { mu, ..Material::default() }).unwrap();
    world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity())).unwrap();
    let mut x = Vector::zeros();
    x[D - 1] = 1.0;
    let id = world.add(ball(1.0, x)).unwrap();
    (world, id)
}

fn gap_schemes() -> [Scheme; 4] {
    [Maury.into(), Convex.into(), FixedPoint.into(), Exact.into()]
}

fn all_schemes() -> Vec<Scheme> {
    let mut all = gap_schemes().to_vec();
    all.extend([MoreauJean::default().into(), MoreauJean { theta: 1.0, ..MoreauJean::default() }.into()]);
    all
}

fn run<const D: usize>(world: &mut World<D>, h: f64, steps: usize)
where
    Dim<D>: Rigid<D>,
{
    for _ in 0..steps {
        let report = world.step(h).unwrap();
        assert!(report.converged(), "missed at {}", report.time);
        let scale = report.energy.kinetic + report.energy.potential.abs() + 1e-300;
        assert!(report.energy.error().abs() <= 1e-12 * scale, "{:?}", report.energy);
        assert!(report.momentum_error <= 1e-10, "{}", report.momentum_error);
    }
}

#[test]
fn free_flight() {
    for scheme in all_schemes() {
        let mut world = World::<3>::new(scheme.clone());
        world.gravity[2] = -G;
        let body = Body { v: Vector::<3>::new(1.0, 2.0, 5.0), ..ball(0.1, Vector::<3>::zeros()) };
        let id = world.add(body).unwrap().index();
        run(&mut world, 1e-3, 1000);
        assert!((world.bodies().v[id] - Vector::<3>::new(1.0, 2.0, 5.0 - G)).norm() < 1e-12);
        // θ = ½ is exact under constant force, the others of order 1
        let height = 5.0 - 0.5 * G;
        let error = if scheme == MoreauJean::default().into() { 1e-12 } else { 0.5 * G * 1e-3 * 1.001 };
        assert!((world.bodies().x[id][2] - height).abs() < error, "{}", scheme.name());
    }
}

#[test]
fn disk_and_sphere_roll_down_an_incline() {
    fn rolls<const D: usize>(inertia: f64)
    where
        Dim<D>: Rigid<D>,
    {
        for scheme in [Scheme::from(Exact), FixedPoint.into(), MoreauJean::default().into()] {
            let (mut world, id) = incline::<D>(0.3, 0.5, scheme);
            run(&mut world, 1e-3, 1000);
            let expected = G * 0.3f64.sin() / (1.0 + inertia);
            assert!((world.bodies().v[id.index()][0] - expected).abs() < 1e-9, "{}", world.scheme.name());
        }
    }
    rolls::<2>(0.5);
    rolls::<3>(0.4);
}

#[test]
fn disk_and_sphere_slide_where_friction_is_too_small_to_roll() {
    fn slides<const D: usize>(inertia: f64)
    where
        Dim<D>: Rigid<D>,
    {
        let (angle, mu) = (1.0f64, 0.2);
        for scheme in [Scheme::from(Exact), FixedPoint.into(), MoreauJean::default().into()] {
            let (mut world, id) = incline::<D>(angle, mu, scheme);
            world.stop.tolerance = 1e-12;
            run(&mut world, 1e-3, 1000);
            let expected = G * (angle.sin() - mu * angle.cos());
            let body = id.index();
            assert!((world.bodies().v[body][0] - expected).abs() < 1e-8, "{}", world.scheme.name());
            // torque μ g cos / inertia
            let speed = world.bodies().velocity_at(body, &Vector::zeros()) - {
                let mut down = Vector::zeros();
                down[D - 1] = -1.0;
                world.bodies().velocity_at(body, &down)
            };
            assert!((speed[0].abs() - mu * G * angle.cos() / inertia).abs() < 1e-8);
        }
    }
    slides::<2>(0.5);
    slides::<3>(0.4);
}

#[test]
fn without_friction_a_ball_slides_by_every_scheme() {
    for scheme in all_schemes() {
        let (mut world, id) = incline::<3>(0.4, 0.0, scheme);
        run(&mut world, 1e-3, 500);
        assert!((world.bodies().v[id.index()][0] - 0.5 * G * 0.4f64.sin()).abs() < 1e-9);
        assert!((world.bodies().x[id.index()][2] - 1.0).abs() < 1e-9);
    }
}

/// Abide 2021, 6.1: a ball is put on a belt; it slides until it rolls.
#[test]
fn ball_on_a_belt() {
    let (mu, speed) = (0.3, 2.0);
    for scheme in [Scheme::from(Exact), MoreauJean::default().into()] {
        let mut world = World::<3>::new(scheme);
        world.gravity[2] = -G;
        world.materials.define("", Material { mu, ..Material::default() }).unwrap();
        let v = Course::Constant(Vector::<3>::new(speed, 0.0, 0.0));
        let motion = Motion::Driven { v, spin: Course::Constant(Vector::zeros()) };
        world.add(Body { motion, ..Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity()) }).unwrap();
        let id = world.add(ball(1.0, Vector::<3>::new(0.0, 0.0, 1.0))).unwrap().index();
        // slides with acceleration μ g until the lowest point has the speed of the belt: v + a v/(2/5) = speed
        let rolling = speed / 3.5;
        let steps = (rolling / (mu * G) / 1e-3) as usize;
        run(&mut world, 1e-3, steps);
        assert!((world.bodies().v[id][0] - mu * G * steps as f64 * 1e-3).abs() < 1e-9);
        run(&mut world, 1e-3, 500);
        assert!((world.bodies().v[id][0] - rolling).abs() < 1e-9);
        let spin = world.bodies().spin[id];
        assert!((world.bodies().v[id][0] - speed - spin[1]).abs() < 1e-9, "{spin:?}");
    }
}

#[test]
fn a_perfect_bounce_keeps_its_height() {
    let mut world = World::<2>::new(MoreauJean::default());
    world.gravity[1] = -G;
    world.materials.define("", Material { e_n: 1.0, ..Material::default() }).unwrap();
    world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity())).unwrap();
    let id = world.add(ball(0.1, Vector::<2>::new(0.0, 1.1))).unwrap().index();
    let (mut highest, mut bounces, mut rising) = (0f64, 0, false);
    while bounces < 100 {
        run(&mut world, 1e-4, 1);
        let speed = world.bodies().v[id][1];
        if speed > 0.0 && !rising {
            bounces += 1;
        }
        rising = speed > 0.0;
        highest = if bounces == 99 && rising { highest.max(world.bodies().x[id][1]) } else { highest };
        let energy = 0.5 * speed * speed + G * world.bodies().x[id][1];
        assert!((energy / (G * 1.1) - 1.0).abs() < 1e-6);
    }
    assert!((highest - 1.1).abs() < 1e-6, "{highest}");
}

#[test]
fn a_start_from_zero_finds_again_what_the_last_step_knew() {
    let iterations = |warm_start| {
        let (mut world, _) = incline::<2>(0.0, 0.5, Exact.into());
        world.warm_start = warm_start;
        // without polish: what is within the tolerance is done
        world.solver = Some(stickslip_solvers::panel::Auto::default().into());
        run(&mut world, 1e-3, 5);
        world.step(1e-3).unwrap().outcome.unwrap().iterations
    };
    assert_eq!(iterations(true), 0);
    assert!(iterations(false) > 0);
}

#[test]
fn an_inelastic_impact_is_dissipated_and_told() {
    for scheme in gap_schemes() {
        let (mut world, id) = incline::<3>(0.0, 0.5, scheme);
        let fall = Vector::<3>::new(0.0, 0.0, -3.0);
        world.add(Body { v: fall, ..ball(1.0, Vector::<3>::new(0.0, 0.0, 3.5)) }).unwrap();
        let kinetic = world.bodies().kinetic_energy();
        let weight = world.bodies().mass[id.index()] * G;
        let (mut lost, mut gained) = (0.0, 0.0);
        for _ in 0..1000 {
            let energy = world.step(1e-3).unwrap().energy;
            lost += energy.impact + energy.friction;
            gained += energy.scheme;
        }
        let fallen = 0.5 * weight;
        assert!(world.bodies().kinetic_energy() < 1e-12 * kinetic, "{}", world.scheme.name());
        assert!((lost - gained - kinetic - fallen).abs() < 1e-9 * kinetic, "{}", world.scheme.name());
        // of order h, and a loss
        assert!(gained.abs() < 0.02 * kinetic, "{gained} of {kinetic}");
    }
}

fn slides_under<const D: usize>(flow: Flow, lift: impl Fn(f64) -> f64)
where
    Dim<D>: Rigid<D>,
{
    let (mu, h, speed) = (0.5, 1e-3, 4.0);
    let mut world = World::<D>::new(MoreauJean { theta: 1.0, flow });
    world.stop.tolerance = 1e-12;
    world.gravity[D - 1] = -G;
    world.materials.define("", Material { mu, ..Material::default() }).unwrap();
    world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity())).unwrap();
    let v = Vector::from_fn(|k, _| if k == 0 { speed } else { 0.0 });
    let x = Vector::from_fn(|k, _| if k == D - 1 { 1.0 } else { 0.0 });
    world.add(Body { v, ..ball(1.0, x) }).unwrap();
    let report = world.step(h).unwrap();
    // the ball turns: a tangential impulse moves the contact by 1 + m r²/J
    let turning = 1.0 + 1.0 / if D == 2 { 0.5 } else { 0.4 };
    let wanted = lift(turning);
    assert!((report.lift - wanted).abs() < 1e-9, "{flow:?}, D = {D}: {} and not {wanted}", report.lift);
}

#[test]
fn sliding_lifts_under_associated_friction_alone() {
    // u_N = μ u_T with r_T = μ r_N: r_N/m = (g h + μ v)/(1 + μ² turning)
    let lift = |turning: f64| (G * 1e-3 + 0.5 * 4.0) / (1.0 + 0.25 * turning) - G * 1e-3;
    slides_under::<2>(Flow::Coulomb, |_| 0.0);
    slides_under::<3>(Flow::Coulomb, |_| 0.0);
    slides_under::<2>(Flow::Associated, lift);
    slides_under::<3>(Flow::Associated, lift);
}

#[test]
fn bad_steps_are_refused() {
    let (mut world, _) = incline::<2>(0.0, 0.5, Exact.into());
    for h in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(world.step(h).unwrap_err().to_string().contains("time step"));
    }
    world.scheme = MoreauJean { theta: 0.2, ..MoreauJean::default() }.into();
    assert!(world.step(1e-3).unwrap_err().to_string().contains("theta = 0.2"));
    world.scheme = Exact.into();
    world.forces.push(Box::new(|_, _, loads| loads[1].0[0] = f64::NAN));
    assert!(world.step(1e-3).unwrap_err().to_string().contains("#1"));
}

#[test]
fn bad_bodies_are_refused() {
    let mut world = World::<3>::default();
    let x = Vector::<3>::zeros();
    let cases: [(Body<3>, &str); 6] = [
        (ball(-1.0, x), "radius = -1"),
        (Body { density: 0.0, ..ball(1.0, x) }, "density = 0"),
        (Body { v: Vector::<3>::new(f64::NAN, 0.0, 0.0), ..ball(1.0, x) }, "velocity"),
        (Body { material: "cheese".into(), ..ball(1.0, x) }, "cheese"),
        (Body::new(Shape::HalfSpace(HalfSpace), Pose::identity()), "no end"),
        (ball(1.0, Vector::<3>::new(0.0, f64::INFINITY, 0.0)), "position"),
    ];
    for (body, part) in cases {
        let message = world.add(body).unwrap_err().to_string();
        assert!(message.contains(part) && message.contains("#0"), "{message}");
    }
    assert!(world.bodies().is_empty());
    world.add(Body { name: Some("a".into()), ..ball(1.0, x) }).unwrap();
    assert!(world.add(Body { name: Some("a".into()), ..ball(1.0, x) }).is_err());
}
