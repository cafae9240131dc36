//! Bodies, where they are and what they are made of.

use super::mass::{density, mass};
use super::motion::{force, motion};
use super::shapes::{DEPTH, Placement, SHAPE_KEYS};
use super::space::{pose, spin, vector};
use super::{Built, material_name};
use crate::format::BodySpec;
use crate::nearest::did_you_mean;
use crate::reader::{Fault, Place, Placed, Point, Spot, Turn};
use crate::scene::Scene;
use stickslip::rigid::Rigid;
use stickslip::{Body, BodyError, Drag, World};
use stickslip_geometry::shape::ShapeError;
use stickslip_geometry::space::{Dim, Spin, Vector};

impl Scene {
    pub(super) fn add_body<const D: usize>(
        &self,
        built: &mut Built<D>,
        placed: &Placed<BodySpec>,
        named_apart: bool,
    ) -> Result<(), Fault>
    where
        Dim<D>: Rigid<D>,
    {
        let (spec, spot) = (&placed.value, self.spot(placed));
        let mut body = self.body(spec, spot, &built.world)?;
        if let (Some(name), Some(index), false) = (&mut body.name, spot.index, named_apart) {
            *name = format!("{name}-{index}");
        }
        let name = body.name.clone();
        let id = built.world.add(body).map_err(|error| blame(error, spot))?;
        built.world.forces.extend(force(spec, spot, id)?);
        built.all.push(id);
        built.spots.push(placed.spot);
        // copies share the name that they were given as a group
        let copied = spot.index.and(spec.name.as_ref());
        if let Some(group) = spec.group.as_ref().or(copied).or(name.as_ref()) {
            built.groups.entry(group.clone()).or_default().push(id);
        }
        Ok(())
    }

    fn body<const D: usize>(&self, spec: &BodySpec, spot: &Spot, world: &World<D>) -> Result<Body<D>, Fault>
    where
        Dim<D>: Rigid<D>,
    {
        spot.named("name", spec.name.as_deref())?;
        spot.named("group", spec.group.as_deref())?;
        check_moves(spot, spec.at.as_ref(), spec.turn.as_ref(), spec.v.as_ref())?;
        spot.finite("spin", spec.spin.as_ref().map_or(&[], |spin| &spin.0))?;
        let fields = spec.shape_fields();
        let Placement { shape, part } =
            self.shape::<D>(&fields, DEPTH).map_err(|fault| fault.at(spot.key(&SHAPE_KEYS)))?;
        let mut place = pose::<D>(spec.at.as_ref(), spec.turn.as_ref());
        if let (Some(index), Some(step)) = (spot.index, spec.repeat.as_ref().and_then(|r| r.step.as_ref())) {
            place.x += vector::<D>(step) * index as f64;
        }
        let mut body = Body::new(shape, place.of_part(&part));
        body.v = spec.v.as_ref().map_or(Vector::zeros(), vector);
        body.spin = spec.spin.as_ref().map_or(Spin::<D>::default(), spin::<D>);
        body.motion = motion(spec).map_err(|fault| fault.at(spot.key(&["fixed", "drive", "guide"])))?;
        if let Some(drag) = &spec.drag {
            spot.not_negative("drag", drag.linear)?;
            spot.not_negative("drag", drag.angular)?;
            body.drag = Drag { linear: drag.linear, angular: drag.angular };
        }
        body.density = density(spec, spot, &body)?;
        body.mass = mass(spec, spot, &body)?;
        body.material =
            self.material_of(spec.material.as_deref(), world).map_err(|f| f.at(spot.key(&["material"])))?;
        body.name.clone_from(&spec.name);
        Ok(body)
    }

    /// Whether a copy has another name than the copies before and after it, as by `$i`.
    pub(super) fn is_named_apart(&self, body: usize) -> bool {
        let all = &self.file.body;
        let near = [body.checked_sub(1), Some(body + 1)].into_iter().flatten().filter_map(|k| all.get(k));
        let mut copies = near.filter(|other| self.spot(other).place == self.spot(&all[body]).place);
        copies.any(|other| other.value.name != all[body].value.name)
    }

    /// The material of a name, which must be defined.
    pub(super) fn material_of<const D: usize>(
        &self,
        name: Option<&str>,
        world: &World<D>,
    ) -> Result<String, Fault>
    where
        Dim<D>: Rigid<D>,
    {
        let name = name.map_or("", material_name);
        if world.materials.find(name).is_some() {
            return Ok(name.into());
        }
        let fault = Fault::new(format!("there is no material \"{name}\""));
        let define = || format!("define it under [material.{name}]");
        Err(fault.remedy(did_you_mean(name, world.materials.names()).unwrap_or_else(define)))
    }
}

/// Refuses a place, a turn or a velocity that is not finite, at its key.
pub(super) fn check_moves(
    spot: &Spot,
    at: Option<&Point>,
    turn: Option<&Turn>,
    v: Option<&Point>,
) -> Result<(), Fault> {
    spot.finite("at", at.map_or(&[], |at| &at.0))?;
    spot.finite("turn", turn.map_or(&[], |turn| &turn.0))?;
    spot.finite("v", v.map_or(&[], |v| &v.0))
}

/// The key that a refused body owes its refusal to.
fn blame(error: BodyError, spot: &Spot) -> Fault {
    let place: Place = match &error {
        BodyError::Shape { .. } => spot.key(&SHAPE_KEYS),
        BodyError::Mass { .. } => spot.key(&[&["inertia", "mass", "density"], &SHAPE_KEYS[..]].concat()),
        BodyError::NotFinite { .. } => spot.key(&["at"]),
        BodyError::Drive { .. } => spot.key(&["drive", "guide"]),
        BodyError::Material { .. } => spot.key(&["material"]),
        BodyError::Name { .. } => spot.key(&["name"]),
    };
    if let BodyError::Shape { source: ShapeError::Thin { shape } | ShapeError::Unbounded { shape }, .. } =
        &error
    {
        let fault = Fault::new(format!("a {shape} has no mass, and cannot be free"));
        return fault.remedy("write fixed = true, or give it a drive").at(place);
    }
    // what is wrong is shown, and needs no number of the body
    let text = error.to_string();
    let message = match text.split_once(": ") {
        Some((body, rest)) if body.starts_with("body #") => rest.to_string(),
        _ => text,
    };
    Fault::new(message).at(place)
}
