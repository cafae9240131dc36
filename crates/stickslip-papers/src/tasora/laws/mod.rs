//! Tasora 2013, Figs 1 to 5: one contact driven by hand, against the closed forms.

mod border;
mod normal;
mod surfaces;

use crate::{Claim, Experiment, Result, Setting};
use normal::{LAWS, Moment};
use rayon::prelude::*;
use stickslip::contacts::Interface;
use stickslip::schemes::Dvi;
use stickslip::{Body, Material, World};
use stickslip_geometry::shape::{Ball, HalfSpace, Shape};
use stickslip_geometry::space::{Pose, Vector};
use surfaces::SURFACES;

pub const EXPERIMENT: Experiment = Experiment {
    id: "tasora-laws",
    summary: "one contact through loading, unloading and pull-off: seven laws, four yield surfaces",
    paper: "Tasora 2013, sections 5 to 8, Figs 1 to 5",
    run,
};

const RADIUS: f64 = 0.1;
const MU: f64 = 0.5;
/// Stiffness of the contact.
const STIFFNESS: f64 = 1e6;
const COHESION: f64 = 200.0;
const CAP: f64 = 600.0;
/// Differences of forces and gaps by the largest that count as none.
const TOLERANCE: f64 = 5e-3;
/// Rows of a curve that are kept.
const ROWS: usize = 600;

fn run(setting: &Setting) -> Result<Vec<Claim>> {
    let mut claims = Vec::new();
    let curves: Vec<Vec<Moment>> =
        LAWS.par_iter().map(|law| normal::pull(law, setting.quick)).collect::<Result<_>>()?;
    for (law, curve) in LAWS.iter().zip(&curves) {
        claims.extend(law.claims(curve));
        law.draw(setting, curve)?;
    }
    for surface in &SURFACES {
        let found = surface.probe()?;
        claims.extend(surface.claims(&found));
        surface.draw(setting, &found)?;
    }
    Ok(claims)
}

/// A floor and a ball of a given mass just above it, which never turns.
fn on_floor(interface: Interface, mass: f64, gap: f64) -> Result<World<2>> {
    let mut world = World::<2>::new(Dvi::default());
    world.stop.tolerance = 1e-12;
    world.materials.define("", Material { mu: MU, ..Default::default() })?;
    world.materials.define_interface("", "", interface)?;
    world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity()))?;
    let shape = Shape::Ball(Ball { radius: RADIUS });
    let of_shape = shape.mass(1.0)?;
    let mut own = shape.mass(mass / of_shape.mass)?;
    own.inertia = shape.mass(1e12 * mass / of_shape.mass)?.inertia;
    let at = Vector::<2>::new(0.0, RADIUS + gap);
    world.add(Body { mass: Some(own), ..Body::new(shape, Pose::at(at)) })?;
    Ok(world)
}
