//! What contacts remember goes with the bodies: histories under turning normals, renamed corners, wide bonds, wear.

use crate::axes::{along, up};
use stickslip::contacts::{Attraction, Bonds, Interface, Surface, Table};
use stickslip::rigid::Rigid;
use stickslip::schemes::{Dvi, Exact, Flow, MoreauJean};
use stickslip::{Body, BodyId, Material, World};
use stickslip_geometry::shape::{Ball, Cuboid, HalfSpace, HollowBall, Shape};
use stickslip_geometry::space::{Dim, Pose, Space, Spin, Vector};

const G: f64 = 9.81;
const RADIUS: f64 = 0.1;

fn world<const D: usize>(flow: Flow, mu: f64, interface: Interface) -> World<D>
where
    Dim<D>: Rigid<D>,
{
    let mut world = World::<D>::new(Dvi { flow });
    world.materials.define("", Material { mu, ..Default::default() }).unwrap();
    world.materials.define_interface("", "", interface).unwrap();
    world
}

fn ball<const D: usize>(world: &mut World<D>, at: Vector<D>, mass: f64) -> BodyId
where
    Dim<D>: Rigid<D>,
{
    let shape = Shape::Ball(Ball { radius: RADIUS });
    let own = shape.mass(mass / shape.mass(1.0).unwrap().mass).unwrap();
    world.add(Body { mass: Some(own), ..Body::new(shape, Pose::at(at)) }).unwrap()
}

fn soft() -> Interface {
    Interface { stiffness_n: 1e6, stiffness_t: 1e6, damping: 1e-3, ..Interface::default() }
}

fn bonded(cohesion: f64, within: f64, interface: Interface) -> Interface {
    Interface { surface: Surface::Cohesive { cohesion }, bonds: Bonds::Start { within }, ..interface }
}

fn steps<const D: usize>(world: &mut World<D>, h: f64, seconds: f64)
where
    Dim<D>: Rigid<D>,
{
    for _ in 0..(seconds / h).round() as usize {
        assert!(world.step(h).unwrap().converged(), "missed at {}", world.time());
    }
}

fn slides_inside<const D: usize>()
where
    Dim<D>: Rigid<D>,
{
    for (interface, sag) in [(Interface::default(), 1e-5), (soft(), 1e-4)] {
        for flow in [Flow::Coulomb, Flow::Associated] {
            let mut world = world::<D>(flow, 0.1, interface.clone());
            world.gravity = up::<D>() * -G;
            world.add(Body::fixed(Shape::HollowBall(HollowBall { radius: 1.0 }), Pose::identity())).unwrap();
            let ball = ball(&mut world, along::<D>() * (1.0 - RADIUS), 1.0);
            steps(&mut world, 1e-3, 1.5);
            let depth = world.bodies().x[ball.index()].norm() + RADIUS - 1.0;
            assert!(depth < sag, "{flow:?}, D = {D}: {depth:e} outside");
        }
    }
}

#[test]
fn a_ball_that_slides_round_a_drum_stays_inside() {
    slides_inside::<2>();
    slides_inside::<3>();
}

fn turns<const D: usize>(spin: Spin<D>)
where
    Dim<D>: Rigid<D>,
{
    let gap = 5e-4;
    for interface in [Interface::default(), soft()] {
        let mut world = world::<D>(Flow::Coulomb, 0.5, bonded(1000.0, 1e-3, interface));
        let arm = along::<D>() * (RADIUS + 0.5 * gap);
        let pair = [-arm, arm].map(|at| {
            let shape = Shape::Ball(Ball { radius: RADIUS });
            let v = Dim::<D>::swing(&spin, &at);
            world.add(Body { v, spin, ..Body::new(shape, Pose::at(at)) }).unwrap()
        });
        steps(&mut world, 1e-3, 2.0);
        let [a, b] = pair.map(|body| world.bodies().x[body.index()]);
        let found = (b - a).norm() - 2.0 * RADIUS;
        assert!((found - gap).abs() < 2e-5, "D = {D}: {found:e}");
        assert!((b - a)[0] < -0.9 * (b - a).norm() * 0.7, "it has turned: {}", b - a);
    }
}

#[test]
fn a_bond_turns_with_its_bodies() {
    turns::<2>(1.4);
    turns::<3>(Vector::<3>::new(0.0, 0.4, 1.4));
}

/// A corner of two flush blocks changes its name when they shear by a micrometre.
#[test]
fn a_bond_goes_on_under_another_name() {
    let interface =
        Interface { softening: Table::until(1e-3).unwrap(), damping: 1e-2, ..bonded(100.0, 1e-6, soft()) };
    let mut world = world::<2>(Flow::Coulomb, 0.6, interface);
    world.gravity = Vector::<2>::new(1.0, -G);
    let block = || Shape::Cuboid(Cuboid { half: Vector::<2>::new(0.1, 0.1) });
    world.add(Body::fixed(block(), Pose::identity())).unwrap();
    let own = block().mass(1.0 / 0.04).unwrap();
    let hung = Body { mass: Some(own), ..Body::new(block(), Pose::at(Vector::<2>::new(0.0, -0.2))) };
    let hung = world.add(hung).unwrap();
    steps(&mut world, 1e-3, 1.0);
    let drop = -0.2 - world.bodies().x[hung.index()][1];
    assert!((drop / (G / 2e6) - 1.0).abs() < 1e-3, "{drop:e}");
}

fn stretches<const D: usize>()
where
    Dim<D>: Rigid<D>,
{
    let K = 200.0;
    let interface = Interface { stiffness_n: K, stiffness_t: K, damping: 0.05, ..Interface::default() };
    let mut world = world::<D>(Flow::Coulomb, 0.5, bonded(1000.0, 0.0, interface));
    world.gravity = up::<D>() * -G;
    world.add(Body::fixed(Shape::Ball(Ball { radius: RADIUS }), Pose::identity())).unwrap();
    let hung = ball(&mut world, up::<D>() * (-2.0 * RADIUS), 1.0);
    steps(&mut world, 1e-3, 5.0);
    let stretch = -2.0 * RADIUS - world.bodies().x[hung.index()][D - 1];
    assert!((stretch / (G / K) - 1.0).abs() < 1e-3, "D = {D}: {stretch}");
}

#[test]
fn a_soft_bond_holds_however_far_it_stretches() {
    stretches::<2>();
    stretches::<3>();
}

/// A block that slides against a bond of which nothing is left after a millimetre.
#[test]
fn slip_wears_a_bond() {
    let interface =
        Interface { softening: Table::until(1e-3).unwrap(), ..bonded(5.0, 1e-9, Interface::default()) };
    let mut world = world::<2>(Flow::Coulomb, 0.5, interface);
    world.gravity = Vector::<2>::new(12.0, -G);
    world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity())).unwrap();
    let shape = Shape::Cuboid(Cuboid { half: Vector::<2>::new(0.2, 0.05) });
    let own = shape.mass(1.0 / 0.04).unwrap();
    let body = Body { mass: Some(own), ..Body::new(shape, Pose::at(Vector::<2>::new(0.0, 0.05))) };
    let block = world.add(body).unwrap();
    steps(&mut world, 1e-4, 0.1);
    let before = world.bodies().v[block.index()][0];
    steps(&mut world, 1e-4, 0.1);
    let acceleration = (world.bodies().v[block.index()][0] - before) / 0.1;
    assert!((acceleration / (12.0 - 0.5 * G) - 1.0).abs() < 1e-6, "{acceleration}");
}

/// What is crushed must not open all its way back before the bond wears.
#[test]
fn crushing_does_not_mend_a_bond() {
    let cap = Surface::Capped { cohesion: 50.0, cap: 100.0 };
    let interface = Interface {
        stiffness_n: 1e5,
        stiffness_t: 1e5,
        surface: cap,
        softening: Table::until(1e-4).unwrap(),
        ..Interface::default()
    };
    let mut world = world::<2>(Flow::Associated, 0.5, interface);
    world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity())).unwrap();
    let pressed = ball(&mut world, up::<2>() * RADIUS, 1.0);
    // crushed at 120 N for a while, then pulled with 60 N
    world.gravity = up::<2>() * -120.0;
    steps(&mut world, 1e-4, 0.02);
    let crushed = RADIUS - world.bodies().x[pressed.index()][1];
    assert!(crushed > 2e-3, "{crushed:e}");
    world.gravity = up::<2>() * 60.0;
    steps(&mut world, 1e-4, 0.04);
    let v = world.bodies().v[pressed.index()][1];
    assert!(v > 0.5, "the bond still holds: {v}");
}

#[test]
fn points_of_a_pair_share_its_pull() {
    for (pull, hangs) in [(0.95, false), (1.05, true)] {
        let mut world = World::<3>::new(Exact);
        world.materials.define("", Material::default()).unwrap();
        world.materials.define_attraction("", "", Attraction::Touch { pull: pull * G }).unwrap();
        world.gravity = up::<3>() * -G;
        let block = |half: f64| Shape::Cuboid(Cuboid { half: Vector::<3>::new(half, half, 0.1) });
        world.add(Body::fixed(block(0.5), Pose::at(up::<3>() * 0.2))).unwrap();
        let own = block(0.1).mass(1.0 / 0.008).unwrap();
        let hung = world.add(Body { mass: Some(own), ..Body::new(block(0.1), Pose::identity()) }).unwrap();
        steps(&mut world, 1e-3, 0.2);
        assert_eq!(world.bodies().x[hung.index()][2] > -1e-6, hangs, "{pull}");
    }
}

#[test]
fn pulls_over_a_gap_need_a_scheme_that_looks_ahead() {
    let mut world = World::<2>::new(MoreauJean::default());
    world.materials.define("", Material::default()).unwrap();
    let bridge = Attraction::LiquidBridge { pull: 1.0, length: 1e-3, rupture: 4e-3 };
    world.materials.define_attraction("", "", bridge).unwrap();
    let refused = world.step(1e-3).unwrap_err().to_string();
    assert!(refused.contains("moreau-jean") && refused.contains("choose exact"), "{refused}");
}

/// Rolling on something flat resists by the radius of what rolls, however thin the flat thing is.
#[test]
fn flat_things_do_not_roll() {
    use stickslip_geometry::shape::Segment;
    let thin = Shape::Cuboid(Cuboid { half: Vector::<2>::new(5.0, 0.01) });
    let wall = Shape::Segment(Segment { half_length: 5.0 });
    for (floor, top) in [(thin, 0.01), (wall, 0.0)] {
        for (slope, stays) in [(0.099, true), (0.101, false)] {
            let mut world = World::<2>::new(Exact);
            world.materials.define("", Material { mu: 0.5, rolling: 0.1, ..Default::default() }).unwrap();
            world.gravity = Vector::<2>::new(slope, -1.0) * G;
            world.add(Body::fixed(floor.clone(), Pose::identity())).unwrap();
            let ball = ball(&mut world, up::<2>() * (top + RADIUS), 1.0);
            steps(&mut world, 1e-3, 0.5);
            let way = world.bodies().x[ball.index()][0];
            assert_eq!(way < 1e-6, stays, "{floor:?}, {slope}: {way}");
        }
    }
}
