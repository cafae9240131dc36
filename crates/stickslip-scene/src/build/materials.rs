//! Materials: friction, restitution, interfaces and pulls.

use crate::format::{AttractionSpec, BondsSpec, InterfaceSpec, PairSpec, SchemeSpec, SurfaceSpec};
use crate::reader::{Fault, Placed, Spot};
use crate::scene::Scene;
use std::collections::HashSet;
use stickslip::Material;
use stickslip::contacts::{Attraction, Bonds, Interface, MaterialError, Materials, Surface, Table};

/// What materials and pairs have in common.
struct Touching<'a> {
    material: Material,
    interface: Option<&'a Placed<InterfaceSpec>>,
    attraction: Option<&'a AttractionSpec>,
}

/// Takes from a material or a pair what both have, and the rest from a default.
macro_rules! touching {
    ($spec:expr, $default:expr) => {{
        let (spec, default) = ($spec, $default);
        Touching {
            material: Material {
                mu: spec.mu.unwrap_or(default.mu),
                e_n: spec.e_n.unwrap_or(default.e_n),
                e_t: spec.e_t.unwrap_or(default.e_t),
                rolling: spec.rolling.unwrap_or(default.rolling),
                spinning: spec.spinning.unwrap_or(default.spinning),
            },
            interface: spec.interface.as_ref(),
            attraction: spec.attraction.as_ref(),
        }
    }};
}

impl Scene {
    pub(super) fn materials(&self) -> Result<Materials, Fault> {
        let mut materials = Materials::default();
        // friction first: interfaces are checked against it
        for (name, placed) in &self.file.material {
            let defined =
                materials.define(material_name(name), touching!(&placed.value, Material::default()).material);
            defined.map_err(|error| blame(&error, self.spot(placed)))?;
        }
        for (name, placed) in &self.file.material {
            let name = material_name(name);
            let touching = touching!(&placed.value, Material::default());
            self.join(&mut materials, (name, name), &touching, self.spot(placed))?;
        }
        let mut given = HashSet::new();
        for placed in &self.file.pair {
            let PairSpec { between: (a, b), .. } = &placed.value;
            if !given.insert(if a < b { (a, b) } else { (b, a) }) {
                let fault = Fault::new(format!("the pair of {a} and {b} is given twice"));
                let fault = fault.remedy("write all that concerns it into one [[pair]]");
                return Err(fault.at(self.spot(placed).key(&["between"])));
            }
            let (a, b) = (material_name(a), material_name(b));
            let means = materials.find(a).zip(materials.find(b)).map(|(a, b)| materials.pair(a, b));
            let touching = touching!(&placed.value, means.unwrap_or_default());
            let defined = materials.define_pair(a, b, touching.material);
            defined.map_err(|error| blame(&error, self.spot(placed)))?;
            self.join(&mut materials, (a, b), &touching, self.spot(placed))?;
        }
        Ok(materials)
    }

    /// Defines the interface and the pull of two materials, where there are any.
    fn join(
        &self,
        materials: &mut Materials,
        (a, b): (&str, &str),
        touching: &Touching,
        spot: &Spot,
    ) -> Result<(), Fault> {
        if self.dimension() == 2 && touching.material.spinning > 0.0 {
            let fault = Fault::new("in the plane nothing spins about the normal of a contact");
            return Err(fault.remedy("leave spinning out, or write rolling").at(spot.key(&["spinning"])));
        }
        if let Some(placed) = touching.interface {
            if !matches!(self.file.scheme, SchemeSpec::Dvi(_)) {
                let fault = Fault::new("an interface has no place in this scheme: its contacts are rigid");
                return Err(fault.remedy("write scheme = \"dvi\"").at(spot.key(&["interface"])));
            }
            let inner = self.spot(placed);
            let interface = interface(&placed.value, inner)?;
            let defined = materials.define_interface(a, b, interface);
            defined.map_err(|error| blame_part(&error, inner))?;
        }
        if let Some(spec) = touching.attraction {
            let defined = materials.define_attraction(a, b, attraction(spec));
            defined.map_err(|error| Fault::new(words(&error)).at(spot.key(&["attraction"])))?;
        }
        Ok(())
    }
}

/// The material of bodies without one has no name in a world.
pub(crate) fn material_name(name: &str) -> &str {
    if name == "default" { "" } else { name }
}

fn blame(error: &MaterialError, spot: &Spot) -> Fault {
    let key = match error {
        MaterialError::Value { what, .. } => what,
        _ => "between",
    };
    Fault::new(error.to_string()).at(spot.key(&[key]))
}

/// What is wrong with an interface, at the key that its message begins with.
fn blame_part(error: &MaterialError, spot: &Spot) -> Fault {
    let words = words(error);
    let key = words.split([' ', ':']).next().unwrap_or_default().to_string();
    Fault::new(words).at(spot.key(&[&key, "surface"]))
}

/// A message without the names of materials, which its place shows.
fn words(error: &MaterialError) -> String {
    match error {
        MaterialError::Pair { fault, .. } => fault.clone(),
        other => other.to_string(),
    }
}

fn interface(spec: &InterfaceSpec, spot: &Spot) -> Result<Interface, Fault> {
    let table = |key: &str, made: Result<Table, String>| {
        made.map_err(|message| Fault::new(format!("{key}: {message}")).at(spot.key(&[key])))
    };
    let points = |key: &str, rows: &Option<Vec<(f64, f64)>>| {
        rows.as_ref().map_or(Ok(Table::default()), |rows| table(key, Table::new(rows.clone())))
    };
    let softening = match (spec.breaks, &spec.softening) {
        (Some(_), Some(_)) => {
            let fault = Fault::new("both breaks and softening tell how cohesion ends: give one of them");
            return Err(fault.at(spot.key(&["breaks"])));
        }
        (Some(way), None) => table("breaks", Table::until(way))?,
        (None, rows) => points("softening", rows)?,
    };
    Ok(Interface {
        stiffness_n: spec.stiffness_n.unwrap_or(f64::INFINITY),
        stiffness_t: spec.stiffness_t.unwrap_or(f64::INFINITY),
        damping: spec.damping.unwrap_or(0.0),
        surface: match &spec.surface {
            SurfaceSpec::Cone => Surface::Cone,
            SurfaceSpec::Cohesive(spec) => Surface::Cohesive { cohesion: spec.cohesion },
            SurfaceSpec::Rounded(spec) => Surface::Rounded { cohesion: spec.cohesion },
            SurfaceSpec::Capped(spec) => Surface::Capped { cohesion: spec.cohesion, cap: spec.cap },
        },
        dilatancy: spec.dilatancy,
        keeps_opening: spec.keeps_opening,
        softening,
        hardening: points("hardening", &spec.hardening)?,
        bonds: match &spec.bonds {
            BondsSpec::Touch => Bonds::Touch,
            BondsSpec::Start(spec) => Bonds::Start { within: spec.within },
        },
    })
}

fn attraction(spec: &AttractionSpec) -> Attraction {
    match spec {
        AttractionSpec::Touch(spec) => Attraction::Touch { pull: spec.pull },
        AttractionSpec::ShortRange(spec) => {
            Attraction::ShortRange { pull: spec.pull, length: spec.length, range: spec.range }
        }
        AttractionSpec::LiquidBridge(spec) => {
            Attraction::LiquidBridge { pull: spec.pull, length: spec.length, rupture: spec.rupture }
        }
    }
}
