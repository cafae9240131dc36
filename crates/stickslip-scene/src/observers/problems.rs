//! `problems/step-….hdf5`: the contact problems of chosen steps as FCLIB files.

use super::{Observer, OutputError, View, make_folder};
use crate::build::{Built, material_name};
use crate::format::{InterfaceSpec, ProblemsSpec, SurfaceSpec};
use crate::reader::{Fault, Placed};
use crate::scene::Scene;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use stickslip::rigid::Rigid;
use stickslip::{ExportError, World};
use stickslip_geometry::space::Dim;

pub const FOLDER: &str = "problems";

pub struct Problems {
    folder: PathBuf,
    chosen: ProblemsSpec,
}

impl Problems {
    pub fn new<const D: usize>(
        folder: &Path,
        chosen: &Placed<ProblemsSpec>,
        scene: &Scene,
        built: &Built<D>,
    ) -> Result<Self, Fault>
    where
        Dim<D>: Rigid<D>,
    {
        let place = scene.spot(&scene.file.output).key(&["problems"]);
        if let Some((what, remedy)) = unfit(scene, built) {
            let fault = Fault::new(format!("FCLIB files hold dry friction alone, and this scene has {what}"));
            return Err(fault.remedy(format!("drop problems, or {remedy}")).at(place));
        }
        let (spec, spot) = (&chosen.value, scene.spot(chosen));
        if spec.steps.is_empty() && spec.every.is_none() {
            let fault = Fault::new("no step is chosen");
            return Err(fault.remedy("give steps = [1, 100], or every = 100").at(place));
        }
        spec.every.map_or(Ok(0), |every| spot.at_least_one("every", every))?;
        spec.steps.iter().try_for_each(|&step| spot.at_least_one("steps", step).map(drop))?;
        Ok(Problems { folder: folder.join(FOLDER), chosen: spec.clone() })
    }

    fn is_chosen(&self, step: usize) -> bool {
        let ProblemsSpec { steps, every } = &self.chosen;
        steps.contains(&step) || every.is_some_and(|every| step.is_multiple_of(every))
    }
}

/// What FCLIB has no place for, if the scene has it, and the way out.
fn unfit<const D: usize>(scene: &Scene, built: &Built<D>) -> Option<(&'static str, &'static str)>
where
    Dim<D>: Rigid<D>,
{
    let (bodies, materials) = (built.world.bodies(), &built.world.materials);
    if !built.world.joints().is_empty() {
        return Some(("joints", "take the joints away"));
    }
    let used: BTreeSet<u32> = bodies.material.iter().copied().collect();
    let moving: BTreeSet<u32> =
        (0..bodies.len()).filter(|&b| bodies.is_free(b)).map(|b| bodies.material[b]).collect();
    let touch =
        |a: u32, b: u32| moving.contains(&a) && used.contains(&b) || moving.contains(&b) && used.contains(&a);
    let resists = |a: u32, b: u32| {
        let pair = materials.pair(a, b);
        pair.rolling > 0.0 || pair.spinning > 0.0
    };
    if moving.iter().any(|&a| used.iter().any(|&b| resists(a, b))) {
        return Some(("contacts that resist rolling or spinning", "leave rolling and spinning out"));
    }
    let bonded = |(a, b, spec): (&String, &String, &Option<Placed<InterfaceSpec>>)| {
        let sides = [a, b].map(|name| materials.find(material_name(name)));
        let [Some(a), Some(b)] = sides else { return false };
        spec.as_ref().is_some_and(|spec| !is_dry(&spec.value)) && touch(a, b)
    };
    let own = scene.file.material.iter().map(|(name, m)| (name, name, &m.value.interface));
    let pairs = scene.file.pair.iter().map(|p| (&p.value.between.0, &p.value.between.1, &p.value.interface));
    own.chain(pairs)
        .any(bonded)
        .then_some(("interfaces with a cohesion, a cap or a dilatancy", "leave those out"))
}

fn is_dry(interface: &InterfaceSpec) -> bool {
    matches!(interface.surface, SurfaceSpec::Cone) && interface.dilatancy.is_none()
}

impl<const D: usize> Observer<D> for Problems
where
    Dim<D>: Rigid<D>,
{
    fn name(&self) -> &'static str {
        FOLDER
    }

    fn before(&mut self, world: &mut World<D>, h: f64) -> Result<(), OutputError> {
        let step = world.steps() + 1;
        if !self.is_chosen(step) {
            return Ok(());
        }
        make_folder(&self.folder)?;
        let path = self.folder.join(format!("step-{step:08}.hdf5"));
        let refused = |fault: String| OutputError { path: path.clone(), fault };
        match world.export(h) {
            Ok(Some(problem)) => problem.write(&path).map_err(|error| refused(error.to_string())),
            // a step that cannot be done tells it by itself
            Ok(None) | Err(ExportError::Step(_)) => Ok(()),
            Err(error) => Err(refused(error.to_string())),
        }
    }

    fn observe(&mut self, _view: &View<D>) -> Result<(), OutputError> {
        Ok(())
    }

    fn state(&mut self) -> Result<String, OutputError> {
        Ok(String::new())
    }

    fn resume(&mut self, _state: &str) -> Result<(), OutputError> {
        Ok(())
    }

    fn files(&self) -> Vec<String> {
        self.folder.is_dir().then(|| FOLDER.into()).into_iter().collect()
    }
}
