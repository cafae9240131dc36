//! Masonry at its limits: what must stand stands, what must fall falls. The limits come from closed forms, or from limit
//! analysis where there is none.

use crate::limit_analysis::{balanced, limit};
use std::f64::consts::PI;
use stickslip::packings::{Arch, CardHouse, RunningBond};
use stickslip::rigid::Rigid;
use stickslip::{Body, Material, World};
use stickslip_geometry::shape::{HalfSpace, Shape};
use stickslip_geometry::space::{Dim, Pose, Vector, axis};

const G: f64 = 9.81;
const H: f64 = 2e-3;

/// Gravity on ground that slopes down along an axis.
fn tilted<const D: usize>(slope: f64, downhill: usize) -> Vector<D> {
    let angle = slope.atan();
    axis::<D>(downhill) * (G * angle.sin()) - axis::<D>(D - 1) * (G * angle.cos())
}

fn level<const D: usize>() -> Vector<D> {
    tilted(0.0, 0)
}

fn ground<const D: usize>() -> Body<D>
where
    Dim<D>: Rigid<D>,
{
    Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity())
}

fn world<const D: usize>(bodies: &[Body<D>], gravity: Vector<D>, mu: f64) -> World<D>
where
    Dim<D>: Rigid<D>,
{
    let mut world = World::<D>::default();
    world.gravity = gravity;
    world.materials.define("", Material { mu, ..Material::default() }).unwrap();
    for body in bodies {
        world.add(body.clone()).unwrap();
    }
    world
}

fn step<const D: usize>(world: &mut World<D>)
where
    Dim<D>: Rigid<D>,
{
    let report = world.step(H).unwrap();
    assert!(report.converged(), "missed at {}: {:?}", report.time, report.outcome.map(|o| o.residual));
}

/// How far blocks have moved after a time, at most, or as soon as one has gone so far.
fn moved<const D: usize>(mut world: World<D>, seconds: f64, far: f64) -> f64
where
    Dim<D>: Rigid<D>,
{
    let start = world.bodies().x.clone();
    let mut way = 0.0;
    while world.time() < seconds - 0.5 * H && way < far {
        step(&mut world);
        way = start.iter().zip(&world.bodies().x).map(|(a, b)| (b - a).norm()).fold(0.0, f64::max);
    }
    way
}

fn stands<const D: usize>(bodies: &[Body<D>], gravity: Vector<D>, mu: f64)
where
    Dim<D>: Rigid<D>,
{
    let way = moved(world(bodies, gravity, mu), 0.5, f64::INFINITY);
    assert!(way < 1e-7, "moved by {way:e}");
}

fn falls<const D: usize>(bodies: &[Body<D>], gravity: Vector<D>, mu: f64)
where
    Dim<D>: Rigid<D>,
{
    let far = 5e-3;
    let way = moved(world(bodies, gravity, mu), 1.0, far);
    assert!(way >= far, "moved by {way:e} only");
}

fn wall<const D: usize>(brick: Vector<D>) -> Vec<Body<D>>
where
    Dim<D>: Rigid<D>,
{
    let wall = RunningBond { courses: 10, bricks: 10, brick, head_joint: 1e-3, bed_joint: 0.0 };
    let mut bodies = wall.bodies().unwrap();
    bodies.push(ground());
    bodies
}

/// A wall on tilted ground cracks along its joints before it would tip as one.
#[test]
fn a_wall_tilted_along_itself_cracks_at_the_limit() {
    let bodies = wall(Vector::<2>::new(0.2, 0.1));
    let mu = 0.6;
    let slope = limit(mu, 0.0, |slope| balanced(&bodies, &tilted(slope, 0), mu));
    stands(&bodies, tilted(0.95 * slope, 0), mu);
    falls(&bodies, tilted(1.05 * slope, 0), mu);
}

/// Across itself a wall tips as one about its foot, at the slope depth : height.
#[test]
fn a_wall_tilted_across_itself_tips_at_the_limit() {
    let bodies = wall(Vector::<3>::new(0.2, 0.1, 0.1));
    let slope = 0.1 / 1.0;
    stands(&bodies, tilted(0.95 * slope, 1), 0.6);
    falls(&bodies, tilted(1.05 * slope, 1), 0.6);
}

/// Above the friction angle a deep wall slides as one. Every joint is then at its limit and none above the ground slips.
#[test]
fn a_deep_wall_slides_at_the_friction_angle() {
    let bodies = wall(Vector::<3>::new(0.2, 0.8, 0.1));
    let mu = 0.3;
    stands(&bodies, tilted(0.95 * mu, 1), mu);

    let gravity = tilted::<3>(1.05 * mu, 1);
    let mut world = world(&bodies, gravity, mu);
    for _ in 0..20 {
        step(&mut world);
    }
    let speed = world.time() * (gravity[1] + mu * gravity[2]);
    for b in (0..bodies.len()).filter(|&b| world.bodies().is_free(b)) {
        let v = world.bodies().v[b];
        assert!((v - axis::<3>(1) * speed).norm() < 0.01 * speed, "{v:?} instead of {speed}");
    }
}

fn arch(thickness: f64) -> Arch {
    Arch {
        voussoirs: 7,
        inner_radius: 1.0 - 0.5 * thickness,
        thickness,
        opening: PI,
        depth: 0.4,
        springers: true,
    }
}

#[test]
fn an_arch_stands_from_its_least_thickness_on() {
    let mu = 1.0;
    let thickness =
        limit(0.02, 0.4, |thickness| balanced(&arch(thickness).bodies::<2>().unwrap(), &level(), mu));
    // a ring with joints everywhere needs 0.1075 (Milankovitch); one with eight joints less
    assert!(thickness > 0.05 && thickness < 0.1075, "{thickness}");
    stands(&arch(1.05 * thickness).bodies::<2>().unwrap(), level(), mu);
    falls(&arch(0.95 * thickness).bodies::<2>().unwrap(), level(), mu);
}

#[test]
fn an_arch_stands_from_its_least_friction_on() {
    let plane = arch(0.3).bodies::<2>().unwrap();
    let mu = limit(0.05, 1.0, |mu| balanced(&plane, &level(), mu));
    stands(&plane, level(), 1.05 * mu);
    falls(&plane, level(), 0.95 * mu);

    let space = arch(0.3).bodies::<3>().unwrap();
    let mu_space = limit(0.05, 1.0, |mu| balanced(&space, &level(), mu));
    assert!((mu_space / mu - 1.0).abs() < 1e-3, "{mu_space} {mu}");
    stands(&space, level(), 1.05 * mu);
    falls(&space, level(), 0.95 * mu);
}

fn card_house(levels: usize) -> (CardHouse, Vec<Body<2>>) {
    let house = CardHouse { levels, length: 0.09, thickness: 2e-3, lean: 0.4, width: 0.06 };
    let mut bodies = house.bodies::<2>().unwrap();
    bodies.push(ground());
    (house, bodies)
}

/// A card pushes against the other as high as it can, at the ridge, and stands on the inner end of its foot:
/// F = W (x_c − x_f) / z, and tan(lean)/2 for thin cards.
#[test]
fn a_tent_of_cards_slides_apart_below_its_least_friction() {
    let (house, bodies) = card_house(1);
    let card = &bodies[0];
    let centre = card.pose.to_world(&card.shape.mass(1.0).unwrap().centre);
    let inside = house.length * house.lean.sin();
    let ridge = card.shape.bounds(&card.pose).high[1];
    let mu = (centre[0] + inside) / ridge;
    assert!((mu / (0.5 * house.lean.tan()) - 1.0).abs() < 0.1);
    let analysis = limit(0.05, 1.0, |mu| balanced(&bodies, &level(), mu));
    assert!((analysis / mu - 1.0).abs() < 1e-3, "{analysis} {mu}");
    stands(&bodies, level(), 1.05 * mu);
    falls(&bodies, level(), 0.95 * mu);
}

#[test]
fn a_card_house_of_three_levels_slides_apart_below_its_least_friction() {
    let (_, bodies) = card_house(3);
    let mu = limit(0.05, 1.0, |mu| balanced(&bodies, &level(), mu));
    stands(&bodies, level(), 1.05 * mu);
    falls(&bodies, level(), 0.95 * mu);
}
