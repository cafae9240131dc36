//! The columns of a series: what every run has, then chosen bodies, groups and forces, then measures.

use super::View;
use crate::build::{Built, spin_parts};
use crate::measures::Measure;
use crate::reader::Fault;
use crate::scene::Scene;
use std::collections::BTreeMap;
use stickslip::rigid::Rigid;
use stickslip::{BodyId, World};
use stickslip_geometry::space::{Dim, Vector};

/// What every run has.
const COMMON: [&str; 20] = [
    "step",
    "time",
    "contacts",
    "active",
    "penetration",
    "residual",
    "iterations",
    "kinetic",
    "potential",
    "elastic",
    "work_forces",
    "work_attraction",
    "work_drives",
    "work_motors",
    "lost_drag",
    "lost_friction",
    "lost_impact",
    "lost_viscous",
    "lost_plastic",
    "gained_scheme",
];

/// The names of directions.
const AXES: [&str; 3] = ["x", "y", "z"];

pub struct Columns<const D: usize>
where
    Dim<D>: Rigid<D>,
{
    bodies: Vec<(String, BodyId)>,
    groups: Vec<(String, Vec<BodyId>)>,
    forces: Vec<(String, Vec<BodyId>)>,
    measures: Vec<Measure<D>>,
}

impl<const D: usize> Columns<D>
where
    Dim<D>: Rigid<D>,
{
    pub fn new(scene: &Scene, built: &Built<D>) -> Result<Self, Fault> {
        let mut columns = Columns { bodies: vec![], groups: vec![], forces: vec![], measures: vec![] };
        if let Some(series) = &scene.file.output.series {
            let spot = scene.spot(series);
            let find = |names: &[String], key: &str| -> Result<Vec<(String, Vec<BodyId>)>, Fault> {
                let found = |name: &String| Ok((name.clone(), built.require(name)?));
                names
                    .iter()
                    .map(found)
                    .collect::<Result<_, Fault>>()
                    .map_err(|fault| fault.at(spot.key(&[key])))
            };
            let each = find(&series.value.bodies, "bodies")?;
            let bodies = built.world.bodies();
            columns.bodies = each
                .into_iter()
                .flat_map(|(_, all)| all)
                .map(|body| (bodies.name(body.index()), body))
                .collect();
            columns.groups = find(&series.value.groups, "groups")?;
            columns.forces = find(&series.value.forces, "forces")?;
        }
        for measure in &scene.file.measure {
            let place = scene.spot(measure).key(&["of"]);
            columns.measures.push(Measure::new(&measure.value, built).map_err(|fault| fault.at(place))?);
        }
        Ok(columns)
    }

    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = COMMON.map(String::from).to_vec();
        let axes = &AXES[..D];
        let spins: &[&str] = if D == 2 { &["spin"] } else { &["spin_x", "spin_y", "spin_z"] };
        for (name, _) in &self.bodies {
            names.extend(axes.iter().map(|axis| format!("{name}.{axis}")));
            names.extend(axes.iter().map(|axis| format!("{name}.v_{axis}")));
            names.extend(spins.iter().map(|spin| format!("{name}.{spin}")));
        }
        for (name, _) in &self.groups {
            names.extend(axes.iter().map(|axis| format!("{name}.{axis}")));
            names.extend(axes.iter().map(|axis| format!("{name}.v_{axis}")));
        }
        for (name, _) in &self.forces {
            names.extend(axes.iter().map(|axis| format!("{name}.force_{axis}")));
        }
        names.extend(self.measures.iter().flat_map(Measure::names));
        names
    }

    /// Lets measures that count see every step.
    pub fn follow(&mut self, world: &World<D>) {
        self.measures.iter_mut().for_each(|measure| measure.follow(world));
    }

    pub fn values(&self, view: &View<D>) -> Vec<f64> {
        let mut values = common(view);
        let bodies = view.world.bodies();
        for &(_, body) in &self.bodies {
            let b = body.index();
            values.extend(bodies.x[b].iter().chain(bodies.v[b].iter()));
            values.extend(spin_parts::<D>(&bodies.spin[b]));
        }
        for (_, group) in &self.groups {
            let (x, v) = centre(view.world, group);
            values.extend(x.iter().chain(v.iter()));
        }
        for (_, group) in &self.forces {
            values.extend(view.world.force_on(group).iter());
        }
        values.extend(self.measures.iter().flat_map(|measure| measure.values(view)));
        values
    }

    /// What measures have counted, by their names.
    pub fn state(&self) -> BTreeMap<String, f64> {
        self.measures.iter().filter_map(Measure::count).collect()
    }

    /// The way back; measures that are new begin to count.
    pub fn resume(&mut self, counts: &BTreeMap<String, f64>) {
        self.measures.iter_mut().for_each(|measure| measure.resume(counts));
    }
}

fn common<const D: usize>(view: &View<D>) -> Vec<f64>
where
    Dim<D>: Rigid<D>,
{
    let (world, report, totals) = (view.world, view.report, view.totals);
    let outcome = report.and_then(|report| report.outcome.as_ref());
    let kinetic = world.bodies().kinetic_energy();
    vec![
        world.steps() as f64,
        world.time(),
        report.map_or(0.0, |report| report.contacts as f64),
        report.map_or(0.0, |report| report.active as f64),
        report.map_or(0.0, |report| report.penetration),
        outcome.map_or(0.0, |outcome| outcome.residual.scaled),
        outcome.map_or(0.0, |outcome| outcome.iterations as f64),
        kinetic,
        potential(world),
        report.map_or(0.0, |report| report.energy.elastic),
        totals.forces,
        totals.attraction,
        totals.drives,
        totals.motors,
        totals.drag,
        totals.friction,
        totals.impact,
        totals.viscous,
        totals.plastic,
        totals.scheme,
    ]
}

/// Energy of free bodies in gravity.
fn potential<const D: usize>(world: &World<D>) -> f64
where
    Dim<D>: Rigid<D>,
{
    let bodies = world.bodies();
    let free = (0..bodies.len()).filter(|&b| bodies.is_free(b));
    -free.map(|b| bodies.mass[b] * world.gravity.dot(&bodies.x[b])).sum::<f64>()
}

/// Centre of mass and its velocity; of bodies that are not free, the mean.
pub(crate) fn centre<const D: usize>(world: &World<D>, group: &[BodyId]) -> (Vector<D>, Vector<D>)
where
    Dim<D>: Rigid<D>,
{
    let bodies = world.bodies();
    let any_free = group.iter().any(|body| bodies.is_free(body.index()));
    let (mut mass, mut x, mut v) = (0.0, Vector::zeros(), Vector::zeros());
    for b in group.iter().map(|body| body.index()) {
        let weight =
            if any_free && bodies.is_free(b) { bodies.mass[b] } else { f64::from(u8::from(!any_free)) };
        mass += weight;
        x += bodies.x[b] * weight;
        v += bodies.v[b] * weight;
    }
    (x / mass, v / mass)
}
