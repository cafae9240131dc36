//! Measures: numbers of a world that become columns.

mod chains;
pub(crate) mod heap;
mod network;
mod region;
mod segregation;

pub use heap::column_tops;

use crate::build::{Built, region as region_of, vector};
use crate::format::{ContactChoice, FlowSpec, GroupChoice, MeasureKind, MeasureSpec, RegionSpec};
use crate::observers::{View, centre};
use crate::reader::Fault;
use network::Choice;
use segregation::Segregation;
use std::collections::BTreeMap;
use stickslip::packings::Region;
use stickslip::rigid::Rigid;
use stickslip::{BodyId, World};
use stickslip_geometry::space::{Dim, Vector};

const AXES: [&str; 3] = ["x", "y", "z"];

/// A measure of a scene.
pub(crate) struct Measure<const D: usize> {
    name: String,
    kind: Kind<D>,
}

enum Kind<const D: usize> {
    Coordination(Vec<BodyId>),
    SolidFraction(Region<D>),
    Stress(Region<D>),
    Fabric(Choice<D>),
    ForceChains(Choice<D>),
    Segregation(Segregation),
    CentreOfMass(Vec<BodyId>),
    Flow(Flow<D>),
    Repose(Vec<BodyId>),
    Height(Vec<BodyId>),
    Speed(Vec<BodyId>),
}

/// A plane, and the mass that has crossed it.
struct Flow<const D: usize> {
    at: Vector<D>,
    normal: Vector<D>,
    group: Vec<BodyId>,
    /// Which side each body was on; empty before the first look.
    beyond: Vec<bool>,
    mass: f64,
}

impl<const D: usize> Measure<D>
where
    Dim<D>: Rigid<D>,
{
    pub fn new(spec: &MeasureSpec, built: &Built<D>) -> Result<Self, Fault> {
        let chosen = |choice: &GroupChoice| group(built, choice.group.as_deref());
        let region = |spec: &RegionSpec| {
            let region = region_of::<D>(spec);
            region.validate().map(|()| region).map_err(|error| Fault::new(error.to_string()))
        };
        let contacts = |choice: &ContactChoice| -> Result<Choice<D>, Fault> {
            Ok(Choice {
                group: group(built, choice.group.as_deref())?,
                region: choice.region.as_ref().map(region).transpose()?,
            })
        };
        let kind = match &spec.of {
            MeasureKind::Coordination(choice) => Kind::Coordination(chosen(choice)?),
            MeasureKind::SolidFraction(choice) => Kind::SolidFraction(region(&choice.region)?),
            MeasureKind::Stress(choice) => Kind::Stress(region(&choice.region)?),
            MeasureKind::Fabric(choice) => Kind::Fabric(contacts(choice)?),
            MeasureKind::ForceChains(choice) => Kind::ForceChains(contacts(choice)?),
            MeasureKind::Segregation(spec) => Kind::Segregation(Segregation {
                group: built.require(&spec.group)?,
                other: built.require(&spec.other)?,
                cell: positive(spec.cell)?,
            }),
            MeasureKind::CentreOfMass(choice) => Kind::CentreOfMass(chosen(choice)?),
            MeasureKind::Flow(spec) => Kind::Flow(Flow::new(spec, built)?),
            MeasureKind::Repose(choice) => Kind::Repose(chosen(choice)?),
            MeasureKind::Height(choice) => Kind::Height(chosen(choice)?),
            MeasureKind::Speed(choice) => Kind::Speed(chosen(choice)?),
        };
        Ok(Measure { name: spec.name.clone(), kind })
    }

    /// The names of its columns.
    pub fn names(&self) -> Vec<String> {
        let name = &self.name;
        let axes = &AXES[..D];
        match self.kind {
            Kind::Stress(_) | Kind::Fabric(_) => {
                axes.iter().flat_map(|i| axes.iter().map(move |j| format!("{name}.{i}{j}"))).collect()
            }
            Kind::CentreOfMass(_) => axes.iter().map(|axis| format!("{name}.{axis}")).collect(),
            Kind::ForceChains(_) => chains::NAMES.iter().map(|part| format!("{name}.{part}")).collect(),
            _ => vec![name.clone()],
        }
    }

    pub fn values(&self, view: &View<D>) -> Vec<f64> {
        let world = view.world;
        let rows =
            |matrix: stickslip_geometry::space::Matrix<D>| matrix.transpose().iter().copied().collect();
        match &self.kind {
            Kind::Coordination(group) => vec![network::coordination(world, group)],
            Kind::SolidFraction(region) => vec![region::solid_fraction(world, region)],
            Kind::Stress(region) => rows(region::stress(view, region)),
            Kind::Fabric(choice) => rows(network::fabric(world, choice)),
            Kind::ForceChains(choice) => chains::statistics(view, choice).to_vec(),
            Kind::Segregation(segregation) => vec![segregation::intensity(world, segregation)],
            Kind::CentreOfMass(group) => centre(world, group).0.iter().copied().collect(),
            Kind::Flow(flow) => vec![flow.mass],
            Kind::Repose(group) => vec![heap::slope(world, group)],
            Kind::Height(group) => vec![heap::height(world, group)],
            Kind::Speed(group) => {
                let speeds = group.iter().map(|body| world.bodies().v[body.index()].norm());
                vec![speeds.fold(0.0, f64::max)]
            }
        }
    }

    /// Lets it see every step.
    pub fn follow(&mut self, world: &World<D>) {
        if let Kind::Flow(flow) = &mut self.kind {
            flow.follow(world);
        }
    }

    /// What it has counted, if it counts.
    pub fn count(&self) -> Option<(String, f64)> {
        if let Kind::Flow(flow) = &self.kind { Some((self.name.clone(), flow.mass)) } else { None }
    }

    /// Goes on from its count; which side bodies are on is seen from where they are.
    pub fn resume(&mut self, counts: &BTreeMap<String, f64>) {
        if let Kind::Flow(flow) = &mut self.kind {
            flow.mass = counts.get(&self.name).copied().unwrap_or(0.0);
            flow.beyond.clear();
        }
    }
}

/// The width of a cell.
pub(crate) fn positive(width: f64) -> Result<f64, Fault> {
    if width > 0.0 && width.is_finite() {
        return Ok(width);
    }
    Err(Fault::new(format!("{width} is no width")).remedy("give a positive length, such as two grains"))
}

/// The bodies of a group, or all that are free.
pub(crate) fn group<const D: usize>(built: &Built<D>, name: Option<&str>) -> Result<Vec<BodyId>, Fault>
where
    Dim<D>: Rigid<D>,
{
    if let Some(name) = name {
        return built.require(name);
    }
    Ok(built.all.iter().copied().filter(|body| built.world.bodies().is_free(body.index())).collect())
}

impl<const D: usize> Flow<D>
where
    Dim<D>: Rigid<D>,
{
    fn new(spec: &FlowSpec, built: &Built<D>) -> Result<Self, Fault> {
        let group = group(built, spec.group.as_deref())?;
        let (at, normal) = (vector(&spec.at), vector::<D>(&spec.normal));
        if !(normal.norm() > 0.0 && normal.norm().is_finite()) {
            return Err(Fault::new("the normal of a flow has no direction: give a vector other than zero"));
        }
        Ok(Flow { at, normal, group, beyond: Vec::new(), mass: 0.0 })
    }

    fn follow(&mut self, world: &World<D>) {
        let bodies = world.bodies();
        let side = |body: &BodyId| self.normal.dot(&(bodies.x[body.index()] - self.at)) > 0.0;
        let beyond: Vec<bool> = self.group.iter().map(side).collect();
        for ((body, now), before) in self.group.iter().zip(&beyond).zip(&self.beyond) {
            let mass = bodies.mass[body.index()];
            match (before, now) {
                (false, true) if mass.is_finite() => self.mass += mass,
                (true, false) if mass.is_finite() => self.mass -= mass,
                _ => {}
            }
        }
        self.beyond = beyond;
    }
}
