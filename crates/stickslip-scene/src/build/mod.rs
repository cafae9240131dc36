//! From a scene to a world.

mod bodies;
mod joints;
mod mass;
mod materials;
mod motion;
mod packings;
mod shapes;
mod space;
mod start;

pub(crate) use materials::material_name;
pub(crate) use packings::region;
pub(crate) use space::{spin_parts, vector};

use crate::format::{FlowRule, OverlapsSpec, SchemeSpec};
use crate::nearest::{self, did_you_mean};
use crate::reader::{Fault, Placed, SceneError, Spot};
use crate::scene::Scene;
use std::collections::BTreeMap;
use stickslip::rigid::Rigid;
use stickslip::schemes::{Convex, Dvi, Exact, FixedPoint, Flow, Maury, MoreauJean};
use stickslip::{BodyId, Overlaps, Scheme, World};
use stickslip_geometry::broad::Periods;
use stickslip_geometry::space::{Dim, Vector};

/// Iterations of a step at most: enough for `auto` to try all that it knows.
const MOST_ITERATIONS: usize = 1_000_000;

/// Steps at most: times are sums of steps, and must still change by one.
const MOST_STEPS: f64 = 1e12;

/// A world, and the names of its groups.
pub struct Built<const D: usize>
where
    Dim<D>: Rigid<D>,
{
    /// The world at its start.
    pub world: World<D>,
    /// Bodies by group.
    pub groups: BTreeMap<String, Vec<BodyId>>,
    /// All bodies, in their order.
    pub all: Vec<BodyId>,
    /// The place of the table that each comes from.
    spots: Vec<usize>,
}

impl<const D: usize> Built<D>
where
    Dim<D>: Rigid<D>,
{
    /// The bodies of a group, or the one of that name.
    pub fn find(&self, name: &str) -> Option<Vec<BodyId>> {
        let one = || self.world.bodies().find(name).map(|body| vec![body]);
        self.groups.get(name).cloned().or_else(one)
    }

    /// The same, or a message with the nearest name.
    pub(crate) fn require(&self, name: &str) -> Result<Vec<BodyId>, Fault> {
        self.find(name).ok_or_else(|| {
            let bodies = self.world.bodies();
            let names: Vec<String> = (0..bodies.len()).map(|b| bodies.name(b)).collect();
            let known = self.groups.keys().chain(&names).map(String::as_str);
            let fault = Fault::new(format!("there is no body and no group \"{name}\""));
            let names = || "give the name of a [[body]], of its group, or of a [[packing]]".into();
            fault.remedy(did_you_mean(name, known).unwrap_or_else(names))
        })
    }
}

impl Scene {
    /// The world of this scene; D must be its dimension.
    pub fn build<const D: usize>(&self) -> Result<Built<D>, SceneError>
    where
        Dim<D>: Rigid<D>,
    {
        if self.dimension() != D {
            return Err(SceneError::bare(format!("the scene has {} dimensions, not {D}", self.dimension())));
        }
        self.build_within::<D>().map_err(|fault| self.error(fault))
    }

    fn build_within<const D: usize>(&self) -> Result<Built<D>, Fault>
    where
        Dim<D>: Rigid<D>,
    {
        let world = self.settings()?;
        let mut built = Built { world, groups: BTreeMap::new(), all: Vec::new(), spots: Vec::new() };
        built.world.materials = self.materials()?;
        for (k, body) in self.file.body.iter().enumerate() {
            self.add_body(&mut built, body, self.is_named_apart(k))?;
        }
        for (number, packing) in self.file.packing.iter().enumerate() {
            self.add_packing(&mut built, packing, number)?;
        }
        for joint in &self.file.joint {
            self.add_joint(&mut built, joint)?;
        }
        for exclude in &self.file.exclude {
            let place = self.spot(exclude).key(&["between"]);
            let (a, b) = &exclude.value.between;
            let [a, b] =
                [built.require(a), built.require(b)].map(|found| found.map_err(|fault| fault.at(place)));
            let b = b?;
            for a in a? {
                b.iter().filter(|&&b| a != b).for_each(|&b| built.world.exclude(a, b));
            }
        }
        Ok(built)
    }

    pub(crate) fn spot<T>(&self, placed: &Placed<T>) -> &Spot {
        &self.spots[placed.spot]
    }

    /// A world without bodies.
    fn settings<const D: usize>(&self) -> Result<World<D>, Fault>
    where
        Dim<D>: Rigid<D>,
    {
        let (file, root) = (&self.file, self.root());
        let mut world = World::<D>::new(scheme(&file.scheme));
        let mut down = Vector::<D>::zeros();
        down[D - 1] = -9.81;
        world.gravity = file.gravity.as_ref().map_or(down, vector);
        world.overlapping = match file.overlaps {
            OverlapsSpec::Refuse => Overlaps::Refuse,
            OverlapsSpec::Resolve => Overlaps::Resolve,
            OverlapsSpec::Accept => Overlaps::Accept,
        };
        root.finite("gravity", world.gravity.as_slice())?;
        if let Some(periods) = &file.periods {
            let lengths = vector::<D>(&periods.value);
            world.periods =
                Periods(std::array::from_fn(|k| Some(lengths[k]).filter(|length| *length != 0.0)));
        }
        world.travel = file.time.value.travel;
        self.check_time()?;
        self.set_solver(&mut world)?;
        Ok(world)
    }

    fn check_time(&self) -> Result<(), Fault> {
        let (time, spot) = (&self.file.time.value, self.spot(&self.file.time));
        spot.positive("step", time.step)?;
        spot.positive("end", time.end)?;
        if time.end / time.step > MOST_STEPS {
            let fault = Fault::new(format!("{:.1e} steps are too many", time.end / time.step));
            return Err(fault.remedy("give a longer step, or an earlier end").at(spot.key(&["step"])));
        }
        if time.step > time.end {
            let fault = Fault::new(format!("a step of {} is longer than the run to {}", time.step, time.end));
            return Err(fault.remedy("give a shorter step, or a later end").at(spot.key(&["step"])));
        }
        Ok(())
    }

    fn set_solver<const D: usize>(&self, world: &mut World<D>) -> Result<(), Fault>
    where
        Dim<D>: Rigid<D>,
    {
        let (solver, spot) = (&self.file.solver.value, self.spot(&self.file.solver));
        if let Some(method) = &solver.method {
            let parsed = nearest::solver(&method.name, &method.settings);
            world.solver = Some(parsed.map_err(|message| Fault::new(message).at(spot.key(&["method"])))?);
        }
        if let Some(tolerance) = solver.tolerance {
            world.stop.tolerance = spot.positive("tolerance", tolerance)?;
        }
        let iterations = solver.max_iterations.unwrap_or(MOST_ITERATIONS);
        world.stop.max_iterations = spot.at_least_one("max_iterations", iterations)?;
        (world.overlap, world.reach) = (solver.overlap, solver.reach);
        world.retry = solver.retry.unwrap_or(world.retry);
        world.warm_start = solver.warm_start.unwrap_or(world.warm_start);
        Ok(())
    }
}

fn scheme(scheme: &SchemeSpec) -> Scheme {
    match scheme {
        SchemeSpec::Exact => Exact.into(),
        SchemeSpec::FixedPoint => FixedPoint.into(),
        SchemeSpec::Convex => Convex.into(),
        SchemeSpec::Maury => Maury.into(),
        SchemeSpec::MoreauJean(settings) => {
            MoreauJean { theta: settings.theta, flow: flow(settings.flow) }.into()
        }
        SchemeSpec::Dvi(settings) => Dvi { flow: flow(settings.flow) }.into(),
    }
}

fn flow(rule: FlowRule) -> Flow {
    match rule {
        FlowRule::Associated => Flow::Associated,
        FlowRule::Coulomb => Flow::Coulomb,
    }
}
