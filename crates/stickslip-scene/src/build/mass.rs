//! Masses, centres and moments of bodies.

use super::space::vector;
use crate::format::BodySpec;
use crate::reader::{Fault, Spot};
use stickslip::Body;
use stickslip::rigid::Rigid;
use stickslip_geometry::shape::Mass;
use stickslip_geometry::space::{Dim, Space, Vector};

/// The density that a body is given, or that gives it its mass.
pub(super) fn density<const D: usize>(spec: &BodySpec, spot: &Spot, body: &Body<D>) -> Result<f64, Fault>
where
    Dim<D>: Rigid<D>,
{
    let density = spec.density.map(|density| spot.positive("density", density)).transpose()?;
    let Some(mass) = spec.mass else { return Ok(density.unwrap_or(body.density)) };
    if density.is_some() {
        return Err(Fault::new("a body has a mass or a density, not both").at(spot.key(&["mass"])));
    }
    spot.positive("mass", mass)?;
    // what has no volume has no mass either, which `World::add` tells
    Ok(body.shape.mass(1.0).map_or(mass, |unit| mass / unit.mass))
}

/// Mass, centre and moments of a body of which a centre or moments are given.
pub(super) fn mass<const D: usize>(
    spec: &BodySpec,
    spot: &Spot,
    body: &Body<D>,
) -> Result<Option<Mass<D>>, Fault>
where
    Dim<D>: Rigid<D>,
{
    if spec.centre.is_none() && spec.inertia.is_none() {
        return Ok(None);
    }
    // what has no volume has no mass either, which `World::add` tells
    let Ok(mut mass) = body.shape.mass(body.density) else { return Ok(None) };
    if let Some(centre) = &spec.centre {
        spot.finite("centre", &centre.0)?;
        mass.centre = vector(centre);
    }
    if let Some(inertia) = &spec.inertia {
        for &moment in &inertia.0 {
            spot.positive("inertia", moment)?;
        }
        mass.inertia = Dim::<D>::moments(&second_moments(&inertia.0, spot)?);
        mass.axes = Dim::<D>::identity();
    }
    Ok(Some(mass))
}

/// ∫ x_i² dm along each axis, from the moments about the axes.
fn second_moments<const D: usize>(moments: &[f64], spot: &Spot) -> Result<Vector<D>, Fault> {
    let all: f64 = moments.iter().sum();
    let [x, y, z] = moments else { return Ok(Vector::repeat(all / D as f64)) };
    let second = [x, y, z].map(|moment| 0.5 * all - moment);
    if second.iter().any(|&second| second < -ROUNDING * all) {
        let fault = Fault::new(format!("no body has the moments {x}, {y} and {z}"));
        return Err(fault.remedy("let none be larger than the sum of the others").at(spot.key(&["inertia"])));
    }
    Ok(Vector::from_fn(|k, _| second[k]))
}

/// Of moments that were written down.
const ROUNDING: f64 = 1e-6;
