//! Contacts that give way, yield and break (scheme `dvi`): one contact against closed forms, stiffness without end against
//! the rigid schemes, walls of bonded disks, energy, checkpoints.

use crate::axes::{along, up};
use stickslip::contacts::{Bonds, Interface, Surface, Table};
use stickslip::rigid::Rigid;
use stickslip::schemes::{Convex, Dvi, Exact, Flow, Scheme};
use stickslip::{Body, BodyId, Material, World};
use stickslip_geometry::shape::{Ball, HalfSpace, Shape};
use stickslip_geometry::space::{Dim, Pose, Vector};

const G: f64 = 9.81;
const RADIUS: f64 = 0.1;

/// A floor under a scheme, all contacts as an interface says.
fn floor<const D: usize>(scheme: impl Into<Scheme>, mu: f64, interface: Option<Interface>) -> World<D>
where
    Dim<D>: Rigid<D>,
{
    let mut world = World::<D>::new(scheme);
    world.stop.tolerance = 1e-12;
    world.materials.define("", Material { mu, ..Default::default() }).unwrap();
    if let Some(interface) = interface {
        world.materials.define_interface("", "", interface).unwrap();
    }
    world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity())).unwrap();
    world
}

/// A ball of a given mass, at a height of its lowest point, that does not turn.
fn ball<const D: usize>(world: &mut World<D>, mass: f64, gap: f64) -> BodyId
where
    Dim<D>: Rigid<D>,
{
    thrown(world, mass, gap, Vector::zeros())
}

/// The same with a velocity.
fn thrown<const D: usize>(world: &mut World<D>, mass: f64, gap: f64, v: Vector<D>) -> BodyId
where
    Dim<D>: Rigid<D>,
{
    let shape = Shape::Ball(Ball { radius: RADIUS });
    let of_shape = shape.mass(1.0).unwrap();
    let mut own = shape.mass(mass / of_shape.mass).unwrap();
    own.inertia = shape.mass(1e12 * mass / of_shape.mass).unwrap().inertia;
    world.add(Body { mass: Some(own), v, ..Body::new(shape, Pose::at(up::<D>() * (RADIUS + gap))) }).unwrap()
}

fn steps<const D: usize>(world: &mut World<D>, h: f64, seconds: f64)
where
    Dim<D>: Rigid<D>,
{
    let end = world.time() + seconds - 0.5 * h;
    while world.time() < end {
        let report = world.step(h).unwrap();
        assert!(report.converged(), "missed at {}: {:?}", report.time, report.outcome.map(|o| o.residual));
        let size = report.energy.kinetic + report.energy.elastic + report.energy.plastic.abs() + 1e-9;
        assert!(
            report.energy.error().abs() < 1e-9 * size + 1e-15,
            "ledger off by {:e}",
            report.energy.error()
        );
    }
}

fn gap<const D: usize>(world: &World<D>, body: BodyId) -> f64
where
    Dim<D>: Rigid<D>,
{
    world.bodies().x[body.index()][D - 1] - RADIUS
}

/// m ÿ = −K y − α K ẏ − m g from rest: the mean of the oscillation, and the way from it after a time.
fn ringing(stiffness: f64, alpha: f64, start: f64, time: f64) -> f64 {
    let omega = stiffness.sqrt();
    let zeta = 0.5 * alpha * omega;
    let damped = omega * (1.0 - zeta * zeta).sqrt();
    let rest = -G / stiffness;
    let phase = damped * time;
    rest + (start - rest)
        * (-zeta * omega * time).exp()
        * (phase.cos() + zeta / (1.0 - zeta * zeta).sqrt() * phase.sin())
}

fn rings<const D: usize>()
where
    Dim<D>: Rigid<D>,
{
    let (stiffness, alpha, time) = (1e4, 1e-3, 0.1);
    let start = -1.5 * G / stiffness;
    let error = |h: f64| {
        let interface = Interface { stiffness_n: stiffness, damping: alpha, ..Default::default() };
        let mut world = floor::<D>(Dvi::default(), 0.3, Some(interface));
        world.overlapping = stickslip::Overlaps::Accept;
        world.gravity = up::<D>() * -G;
        let body = ball(&mut world, 1.0, start);
        steps(&mut world, h, time);
        (gap(&world, body) - ringing(stiffness, alpha, start, time)).abs()
    };
    let (coarse, fine) = (error(2e-5), error(1e-5));
    let scale = 0.5 * G / stiffness;
    assert!(fine < 0.02 * scale, "D = {D}: {fine:e} of {scale:e}");
    assert!((coarse / fine - 2.0).abs() < 0.15, "D = {D}: order 1 would give 2, found {}", coarse / fine);
}

#[test]
fn a_compliant_contact_rings_as_it_should_to_order_one() {
    rings::<2>();
    rings::<3>();
}

fn strikes<const D: usize>()
where
    Dim<D>: Rigid<D>,
{
    let mut world = floor::<D>(Dvi::default(), 0.3, Some(Interface::default()));
    let falls = Body::new(Shape::Ball(Ball { radius: RADIUS }), Pose::at(up::<D>() * (RADIUS + 1e-3)));
    world.add(Body { v: up::<D>() * -3.0, ..falls }).unwrap();
    let kinetic = world.bodies().kinetic_energy();
    let (mut impact, mut plastic) = (0.0, 0.0);
    for _ in 0..5 {
        let energy = world.step(1e-3).unwrap().energy;
        (impact, plastic) = (impact + energy.impact, plastic + energy.plastic);
    }
    let off = (impact / kinetic - 1.0).abs();
    assert!(off < 1e-9 && plastic.abs() < 1e-12 * kinetic, "D = {D}: {impact} of {kinetic}, {plastic}");
}

#[test]
fn what_rigid_contacts_of_an_interface_lose_is_lost_in_impacts() {
    strikes::<2>();
    strikes::<3>();
}

/// A pyramid of balls that falls on the floor and slides apart, or not.
fn pyramid<const D: usize>(scheme: impl Into<Scheme>, interface: Option<Interface>) -> Vec<Vector<D>>
where
    Dim<D>: Rigid<D>,
{
    let mut world = floor::<D>(scheme, 0.4, interface);
    world.gravity = up::<D>() * -G;
    for (x, z) in [(-1.0, 1.0), (1.0, 1.0), (0.0, 1.0 + 3f64.sqrt())] {
        let at = along::<D>() * (x * RADIUS) + up::<D>() * (z * RADIUS);
        world.add(Body::new(Shape::Ball(Ball { radius: RADIUS }), Pose::at(at))).unwrap();
    }
    steps(&mut world, 1e-3, 0.1);
    world.bodies().x.clone()
}

fn stiffens<const D: usize>()
where
    Dim<D>: Rigid<D>,
{
    for (rigid, flow) in [(Scheme::from(Convex), Flow::Associated), (Scheme::from(Exact), Flow::Coulomb)] {
        let name = rigid.name();
        let limit = pyramid::<D>(rigid, None);
        let off = |interface: Option<Interface>| {
            let found = pyramid::<D>(Dvi { flow }, interface);
            found.iter().zip(&limit).map(|(x, y)| (x - y).norm()).fold(0.0, f64::max)
        };
        assert!(off(None) < 1e-12, "{name}, D = {D}: no interface is rigid contact");
        assert!(off(Some(Interface::default())) < 1e-12, "{name}, D = {D}: so is infinite stiffness");
        let soft = |stiffness: f64| {
            off(Some(Interface { stiffness_n: stiffness, stiffness_t: stiffness, ..Default::default() }))
        };
        let errors = [1e8, 1e9, 1e10].map(soft);
        for pair in errors.windows(2) {
            let ratio = pair[0] / pair[1];
            assert!((ratio - 10.0).abs() < 1.5, "{name}, D = {D}: {errors:?} is not of order one in 1/K");
        }
    }
}

#[test]
fn stiffness_without_end_is_rigid_to_order_one() {
    stiffens::<2>();
    stiffens::<3>();
}

/// Presses a ball on the floor and pulls it off along a path of gaps; forces at each step.
fn driven<const D: usize>(interface: Interface, path: &[f64], speed: f64, h: f64) -> Vec<(f64, f64)>
where
    Dim<D>: Rigid<D>,
{
    let mass = 1e12;
    let mut world = floor::<D>(Dvi::default(), 0.3, Some(interface));
    let body = ball(&mut world, mass, path[0]);
    let target = std::sync::Arc::new(std::sync::Mutex::new(0.0));
    let wanted = target.clone();
    world.forces.push(Box::new(move |bodies, _, loads| {
        let b = body.index();
        let v = *wanted.lock().unwrap();
        loads[b].0 = (up::<D>() * v - bodies.v[b]) * (mass / h);
    }));
    let mut found = Vec::new();
    for pair in path.windows(2) {
        let count = ((pair[1] - pair[0]).abs() / (speed * h)).round() as usize;
        *target.lock().unwrap() = (pair[1] - pair[0]) / (count as f64 * h);
        for _ in 0..count {
            // where the force passes through zero a relative residual means little; the force is what is compared
            world.step(h).unwrap();
            let force: f64 = world.contacts().map(|(_, r)| r[D - 1]).sum::<f64>() / h;
            found.push((gap(&world, body), force));
        }
    }
    found
}

/// The same by hand: a spring of stiffness K on a slider that yields at −d and at the cap, and lets go when opened by
/// `reach`.
fn by_hand(path: &[(f64, f64)], K: f64, d: f64, cap: f64, reach: f64) -> Vec<f64> {
    let (mut plastic, mut bonded) = (0.0f64, false);
    path.iter()
        .map(|&(y, _)| {
            let least = if bonded { -d } else { 0.0 };
            let trial = -K * (y - plastic);
            let force = trial.clamp(least, cap);
            if trial > cap || (bonded && trial < -d) {
                plastic = y + force / K;
            }
            if bonded && plastic > reach {
                (bonded, plastic) = (false, 0.0);
            } else if force > 0.0 && d > 0.0 {
                bonded = true;
            }
            force
        })
        .collect()
}

fn laws<const D: usize>()
where
    Dim<D>: Rigid<D>,
{
    let (K, mm) = (1e6, 1e-3);
    let path = [0.2, -1.0, -0.2, -2.0, 1.0, -0.5, 3.0].map(|x| x * mm);
    let compliant = Interface { stiffness_n: K, stiffness_t: K, ..Default::default() };
    let far = f64::INFINITY;
    let cases = [
        ("elastic", Surface::Cone, 0.0, far, far),
        ("cohesive", Surface::Cohesive { cohesion: 300.0 }, 300.0, far, far),
        ("rounded", Surface::Rounded { cohesion: 300.0 }, 300.0, far, far),
        ("capped", Surface::Capped { cohesion: 300.0, cap: 1200.0 }, 300.0, 1200.0, far),
        ("breakable", Surface::Cohesive { cohesion: 300.0 }, 300.0, far, 0.5505 * mm),
    ];
    for (name, surface, d, cap, reach) in cases {
        let softening = if reach.is_finite() { Table::until(reach).unwrap() } else { Table::default() };
        let interface = Interface { surface, softening, ..compliant.clone() };
        let found = driven::<D>(interface, &path, 1.0, 1e-6);
        let expected = by_hand(&found, K, d, cap, reach);
        let most = expected.iter().fold(0.0f64, |a, &b| a.max(b.abs()));
        assert!(most > 500.0);
        for (k, ((y, force), expected)) in found.iter().zip(&expected).enumerate() {
            assert!(
                (force - expected).abs() < 2e-3 * most,
                "{name}, D = {D}, step {k} at {y:e}: {force} instead of {expected}"
            );
        }
    }
}

#[test]
fn one_contact_follows_the_laws_of_figure_1() {
    laws::<2>();
    laws::<3>();
}

/// A spring and a slider along the floor: force over stiffness while it sticks, slip beyond the cone.
fn sticks_and_slips<const D: usize>()
where
    Dim<D>: Rigid<D>,
{
    let (K, mu) = (1e5, 0.5);
    for (push, slips) in [(0.8, false), (1.2, true)] {
        let interface = Interface { stiffness_n: K, stiffness_t: K, damping: 2e-3, ..Default::default() };
        let mut world = floor::<D>(Dvi { flow: Flow::Coulomb }, mu, Some(interface));
        world.gravity = up::<D>() * -G + along::<D>() * (push * mu * G);
        let body = ball(&mut world, 1.0, 0.0);
        steps(&mut world, 1e-3, 1.0);
        let (x, v) = (world.bodies().x[body.index()], world.bodies().v[body.index()]);
        assert!((gap(&world, body) + G / K).abs() < 1e-9, "D = {D}");
        let elastic =
            world.contacts().next().map(|(contact, _)| world.strain(contact).unwrap().elastic).unwrap();
        if slips {
            let acceleration = (push - 1.0) * mu * G;
            assert!((v[0] / acceleration - 1.0).abs() < 1e-2, "D = {D}: {} of {acceleration}", v[0]);
            let shear = (elastic.norm_squared() - elastic[0] * elastic[0]).sqrt();
            assert!((shear - mu * G / K).abs() < 1e-8, "D = {D}: {elastic}");
        } else {
            assert!((x[0] - push * mu * G / K).abs() < 1e-9, "D = {D}: {}", x[0]);
            assert!(v.norm() < 1e-7, "D = {D}: creeps at {}", v.norm());
        }
    }
}

#[test]
fn tangential_springs_hold_until_friction_gives_way() {
    sticks_and_slips::<2>();
    sticks_and_slips::<3>();
}

/// A ball that slides by associated flow: the height and the way at which it stops.
fn slides<const D: usize>(speed: f64, keeps_opening: bool) -> (f64, f64)
where
    Dim<D>: Rigid<D>,
{
    let interface = Interface { keeps_opening, ..Default::default() };
    let mut world = floor::<D>(Dvi::default(), 0.5, Some(interface));
    world.gravity = up::<D>() * -G;
    let body = thrown(&mut world, 1.0, 0.0, along::<D>() * speed);
    steps(&mut world, 1e-4, 0.5);
    let v = world.bodies().v[body.index()];
    assert!(v.norm() < 1e-6, "still moves at {v}");
    (gap(&world, body), world.bodies().x[body.index()].dot(&along::<D>()))
}

/// Kept flow at right angles to the cone does no work: the ball climbs as on a smooth slope of μ, and stays up there. Flow that
/// closes again leaves it on the floor.
#[test]
fn what_slides_climbs_where_opening_is_kept() {
    let (speed, mu) = (1.0, 0.5);
    for (height, way) in [slides::<2>(speed, true), slides::<3>(speed, true)] {
        let expected = speed * speed / (2.0 * G * (1.0 + mu * mu));
        assert!((height / expected - 1.0).abs() < 1e-3, "{height} of {expected}");
        assert!((way * mu / expected - 1.0).abs() < 1e-3, "{way}");
    }
    for (height, way) in [slides::<2>(speed, false), slides::<3>(speed, false)] {
        assert!(height.abs() < 1e-6, "{height}");
        assert!((way * 2.0 * mu * G / (speed * speed) - 1.0).abs() < 1e-3, "{way}");
    }
}

/// Columns of bonded balls that hang side by side from a fixed row; the lowest point after a second.
fn hanging_wall<const D: usize>(strength: f64, compliant: bool) -> f64
where
    Dim<D>: Rigid<D>,
{
    let (columns, rows) = (3, 4);
    let shape = Shape::Ball(Ball { radius: RADIUS });
    let weight = rows as f64 * shape.mass(1000.0).unwrap().mass * G;
    let stiffness = if compliant { 1e7 } else { f64::INFINITY };
    let interface = Interface {
        stiffness_n: stiffness,
        stiffness_t: stiffness,
        damping: 0.01,
        surface: Surface::Cohesive { cohesion: strength * weight },
        softening: Table::until(1e-3).unwrap(),
        bonds: Bonds::Start { within: 1e-6 },
        ..Default::default()
    };
    let mut world = World::<D>::new(Dvi::default());
    (world.stop.tolerance, world.stop.max_iterations) = (1e-8, 100_000);
    world.gravity = up::<D>() * -G;
    world.materials.define_interface("", "", interface).unwrap();
    let mut lowest = None;
    for column in 0..columns {
        for row in 0..=rows {
            let at = along::<D>() * (2.0 * RADIUS * column as f64) - up::<D>() * (2.0 * RADIUS * row as f64);
            let body = if row == 0 { Body::fixed } else { Body::new };
            lowest = Some(world.add(body(shape.clone(), Pose::at(at))).unwrap());
        }
    }
    steps(&mut world, 1e-3, 0.5);
    world.bodies().x[lowest.unwrap().index()][D - 1] + 2.0 * RADIUS * rows as f64
}

#[test]
fn a_bonded_wall_holds_its_weight_up_to_its_strength() {
    for compliant in [false, true] {
        let holds = [hanging_wall::<2>(1.1, compliant), hanging_wall::<3>(1.1, compliant)];
        assert!(holds.iter().all(|sag| sag.abs() < 1e-3), "{holds:?}, compliant: {compliant}");
        let falls = [hanging_wall::<2>(0.9, compliant), hanging_wall::<3>(0.9, compliant)];
        assert!(falls.iter().all(|&sag| sag < -0.5), "{falls:?}, compliant: {compliant}");
    }
}

/// Elastic energy comes back, plastic work does not, and every loss has its sign.
#[test]
fn energy_is_stored_and_lost_where_it_should_be() {
    let lost = |surface: Surface, damping: f64| {
        let interface =
            Interface { stiffness_n: 1e5, stiffness_t: 1e5, damping, surface, ..Default::default() };
        let mut world = floor::<3>(Dvi::default(), 0.3, Some(interface));
        world.gravity = up::<3>() * -G;
        let body = ball(&mut world, 1.0, 0.05);
        let (mut viscous, mut plastic, mut most) = (0.0, 0.0, 0.0f64);
        let mut peak = 0.0f64;
        for k in 0..40_000 {
            let energy = world.step(1e-5).unwrap().energy;
            assert!(energy.error().abs() < 1e-12, "{:e}", energy.error());
            assert!(energy.viscous >= 0.0 && energy.plastic >= -1e-15 && energy.elastic >= 0.0);
            viscous += energy.viscous;
            plastic += energy.plastic;
            most = most.max(energy.elastic);
            if k > 15_000 {
                peak = peak.max(gap(&world, body));
            }
        }
        assert!(most > 0.1, "the spring took up {most} J of {}", 0.05 * G);
        (viscous, plastic, peak)
    };
    let (viscous, plastic, peak) = lost(Surface::Cone, 0.0);
    assert!(viscous == 0.0 && plastic == 0.0 && (peak - 0.05).abs() < 2e-3, "{peak}");
    let (viscous, plastic, peak) = lost(Surface::Cone, 2e-4);
    assert!(viscous > 0.02 && plastic == 0.0 && peak < 0.048, "{viscous} {peak}");
    let (_, plastic, peak) = lost(Surface::Capped { cohesion: 0.0, cap: 200.0 }, 0.0);
    assert!(plastic > 0.1 && peak < 0.04, "{plastic} {peak}");
}

/// A run with strains, saved and restored half way, goes on to the same bits.
#[test]
fn checkpoints_keep_strains() {
    let interface = Interface {
        stiffness_n: 1e6,
        stiffness_t: 5e5,
        damping: 1e-3,
        surface: Surface::Capped { cohesion: 5.0, cap: 400.0 },
        ..Default::default()
    };
    let build = || {
        let mut world = floor::<3>(Dvi::default(), 0.4, Some(interface.clone()));
        world.stop.tolerance = 1e-8;
        world.gravity = up::<3>() * -G;
        for k in 0..5 {
            let at = Vector::<3>::new(0.05 * k as f64, 0.02 * k as f64, (1.2 + 2.1 * k as f64) * RADIUS);
            world.add(Body::new(Shape::Ball(Ball { radius: RADIUS }), Pose::at(at))).unwrap();
        }
        world
    };
    let (mut whole, mut first, mut second) = (build(), build(), build());
    (0..400).for_each(|_| drop(whole.step(1e-3).unwrap()));
    (0..200).for_each(|_| drop(first.step(1e-3).unwrap()));
    let path = std::env::temp_dir().join(format!("strains-{}.checkpoint", std::process::id()));
    first.save(&path).unwrap();
    second.restore(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let strained = second.contacts().count();
    (0..200).for_each(|_| drop(second.step(1e-3).unwrap()));
    assert_eq!(whole.bodies().x, second.bodies().x);
    let energy = |world: &mut World<3>| world.step(1e-3).unwrap().energy;
    let (a, b) = (energy(&mut whole), energy(&mut second));
    assert_eq!((a, strained), (b, 0));
    assert!(a.elastic > 0.0);
}

#[test]
fn interfaces_need_the_scheme_that_knows_them() {
    let interface = Interface { stiffness_n: 1e6, ..Default::default() };
    let mut world = floor::<3>(Exact, 0.4, Some(interface));
    ball(&mut world, 1.0, 0.0);
    let error = world.step(1e-3).unwrap_err().to_string();
    assert!(error.contains("exact") && error.contains("dvi"), "{error}");
    let mut world = floor::<3>(Dvi::default(), 0.4, None);
    let refused = world.materials.define_interface("", "clay", Interface::default()).unwrap_err().to_string();
    assert!(refused.contains("clay"), "{refused}");
    let negative = Interface { stiffness_n: -1.0, ..Default::default() };
    let refused = world.materials.define_interface("", "", negative).unwrap_err().to_string();
    assert!(refused.contains("stiffness_n = -1"), "{refused}");
}
