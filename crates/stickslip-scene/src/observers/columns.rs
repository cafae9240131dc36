//! The columns of a series: what every run has, then chosen bodies, groups and forces, then measures.

use super::View;
use crate::build::{Built, spin_parts};
use crate::measures::Measure;
use crate::reader::{Fault, Place};
use crate::scene::Scene;
use std::collections::{BTreeMap, BTreeSet};
use stickslip::rigid::Rigid;
use stickslip::{BodyId, World};
use stickslip_geometry::space::{Dim, Vector};

/// What every run has.
pub(crate) const COMMON: [&str; 20] = [
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

/// What the table of a study has before the columns of its runs.
pub(crate) const TABLE_COLUMNS: [&str; 5] = ["run", "status", "certified", "missed", "worst_residual"];

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
        if let Some(series) = &scene.file.output.value.series {
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
        columns.check_names(scene)?;
        Ok(columns)
    }

    /// Refuses two columns of one name, at the later one.
    fn check_names(&self, scene: &Scene) -> Result<(), Fault> {
        let mut taken: BTreeSet<String> =
            COMMON.iter().chain(&TABLE_COLUMNS).map(|name| name.to_string()).collect();
        let mut take = |names: Vec<String>, place: Place| {
            let twice = names.into_iter().find(|name| name.is_empty() || !taken.insert(name.clone()));
            twice.map_or(Ok(()), |name| Err(taken_name(&name).at(place)))
        };
        if let Some(series) = &scene.file.output.value.series {
            let spot = scene.spot(series);
            take(self.body_names(), spot.key(&["bodies"]))?;
            take(self.group_names(), spot.key(&["groups"]))?;
            take(self.force_names(), spot.key(&["forces"]))?;
        }
        let placed = self.measures.iter().zip(&scene.file.measure);
        placed
            .into_iter()
            .try_for_each(|(measure, spec)| take(measure.names(), scene.spot(spec).key(&["name"])))
    }

    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = COMMON.map(String::from).to_vec();
        names.extend(self.body_names());
        names.extend(self.group_names());
        names.extend(self.force_names());
        names.extend(self.measures.iter().flat_map(Measure::names));
        names
    }

    fn body_names(&self) -> Vec<String> {
        let spins: &[&str] = if D == 2 { &["spin"] } else { &["spin_x", "spin_y", "spin_z"] };
        let own = |(name, _): &(String, BodyId)| {
            let spins = spins.iter().map(|spin| format!("{name}.{spin}"));
            moves::<D>(name).into_iter().chain(spins).collect::<Vec<_>>()
        };
        self.bodies.iter().flat_map(own).collect()
    }

    fn group_names(&self) -> Vec<String> {
        self.groups.iter().flat_map(|(name, _)| moves::<D>(name)).collect()
    }

    fn force_names(&self) -> Vec<String> {
        let own =
            |name: &str| AXES[..D].iter().map(|axis| format!("{name}.force_{axis}")).collect::<Vec<_>>();
        self.forces.iter().flat_map(|(name, _)| own(name)).collect()
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

/// The columns of a place and a velocity.
fn moves<const D: usize>(name: &str) -> Vec<String> {
    let axes = &AXES[..D];
    let x = axes.iter().map(|axis| format!("{name}.{axis}"));
    x.chain(axes.iter().map(|axis| format!("{name}.v_{axis}"))).collect()
}

fn taken_name(name: &str) -> Fault {
    if name.is_empty() {
        return Fault::new("a column has no name").remedy("give one");
    }
    Fault::new(format!("there is another column named \"{name}\"")).remedy("give a name unlike all others")
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
