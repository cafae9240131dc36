//! What each contact has to do with the residual of a step.

use crate::axes::{along, up};
use stickslip::rigid::Rigid;
use stickslip::{Body, BodyId, Joint, Material, World};
use stickslip_geometry::shape::{Ball, HalfSpace, Shape};
use stickslip_geometry::space::{Dim, Pose, Vector};
use stickslip_solvers::panel::{AnyMethod, Nlgs};

/// Balls that fall on each other in two columns, solved by a few sweeps alone: something is left everywhere.
fn columns<const D: usize>(material: Material) -> (World<D>, Vec<BodyId>)
where
    Dim<D>: Rigid<D>,
{
    let mut world = World::<D>::default();
    (world.keep_residuals, world.retry) = (true, false);
    world.stop.max_iterations = 3;
    world.solver = Some(AnyMethod::from(Nlgs::default()));
    world.gravity = up::<D>() * -10.0 + along::<D>();
    world.materials.define("", material).unwrap();
    world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity())).unwrap();
    let balls = (0..12).map(|k| {
        let x = along::<D>() * (2.001 * f64::from(k % 2)) + up::<D>() * (1.0 + 2.001 * f64::from(k / 2));
        let body = Body { v: up::<D>() * -1.0, ..Body::new(Shape::Ball(Ball { radius: 1.0 }), Pose::at(x)) };
        world.add(body)
    });
    let balls = balls.collect::<Result<_, _>>().unwrap();
    (world, balls)
}

/// Does a step; the worst contact or joint is that of the report.
fn assert_as_reported<const D: usize>(world: &mut World<D>)
where
    Dim<D>: Rigid<D>,
{
    let report = world.step(1e-2).unwrap();
    let residual = report.outcome.unwrap().residual;
    assert!(residual.worst_share > 1e-6 && residual.worst_share < residual.scaled, "{residual:?}");
    let shares: Vec<f64> = world.residuals().iter().map(|&(_, share)| share).collect();
    let (bodies, largest) = world.residuals()[residual.worst_contact];
    assert_eq!((Some(bodies), largest), (report.worst, residual.worst_share));
    assert!(shares.iter().all(|&share| (0.0..=largest).contains(&share)));
    let all = shares.iter().map(|share| share * share).sum::<f64>().sqrt();
    assert!((all / residual.scaled - 1.0).abs() < 1e-9, "{all:e} is not {:e}", residual.scaled);
}

#[test]
fn shares_add_up_to_the_residual_of_the_report() {
    let rough = Material { mu: 0.5, ..Material::default() };
    let (mut world, _) = columns::<3>(rough);
    assert_as_reported(&mut world);
    let (mut smooth, _) = columns::<2>(Material { mu: 0.0, ..rough });
    assert_as_reported(&mut smooth);
    let (mut rolling, _) = columns::<3>(Material { rolling: 0.1, ..rough });
    assert_as_reported(&mut rolling);
    let (mut joined, balls) = columns::<2>(rough);
    joined.join(Joint::ball(balls[0], balls[11], Vector::zeros())).unwrap();
    assert_as_reported(&mut joined);
}

#[test]
fn nothing_is_kept_unless_asked_for() {
    let (mut world, _) = columns::<2>(Material::default());
    world.keep_residuals = false;
    assert!(world.step(1e-2).unwrap().contacts > 0);
    assert!(world.residuals().is_empty());
}
