//! What can be told of a scene before it runs: counts, and warnings.

use crate::build::{Built, material_name};
use crate::format::{InterfaceSpec, SchemeSpec};
use crate::observers::{Columns, observers};
use crate::reader::SceneError;
use crate::run::Options;
use crate::scene::Scene;
use std::collections::BTreeMap;
use stickslip::Motion;
use stickslip::rigid::Rigid;
use stickslip_geometry::space::Dim;
use stickslip_pictures::Depict;

/// What is in a scene, and what may go wrong.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// Bodies by how they move: free, fixed, driven, guided.
    pub motions: BTreeMap<&'static str, usize>,
    /// Bodies by shape.
    pub shapes: BTreeMap<&'static str, usize>,
    /// Groups and how many bodies they have.
    pub groups: BTreeMap<String, usize>,
    /// Joints.
    pub joints: usize,
    /// Contacts that take part in the first step; none where that cannot be done.
    pub contacts: Option<usize>,
    /// Steps to the end.
    pub steps: usize,
    /// What may go wrong, with the remedy.
    pub warnings: Vec<String>,
    /// Why the first step cannot be done, if it cannot.
    pub refused: Option<String>,
}

/// Overlaps that are named.
const NAMED: usize = 5;
/// The part of its inner radius that a body should not exceed in a step.
const LONGEST_WAY: f64 = 1.0;
/// The part of its own time, unloading or swinging, that a contact should not exceed in a step.
const LONGEST_SWING: f64 = 0.5;
/// Times at which drives are looked at.
const LOOKS: usize = 64;

/// Builds a scene and looks at it; the first step is tried.
pub fn check(scene: &Scene) -> Result<Findings, SceneError> {
    if scene.dimension() == 2 { check_in::<2>(scene) } else { check_in::<3>(scene) }
}

fn check_in<const D: usize>(scene: &Scene) -> Result<Findings, SceneError>
where
    Dim<D>: Depict<D>,
{
    let mut built: Built<D> = scene.build()?;
    // measures and outputs name bodies too
    let fault = |fault| scene.error(fault);
    Columns::new(scene, &built).map_err(fault)?;
    observers(scene, &built, &Options::new("")).map_err(fault)?;
    scene.check_start(&mut built).map_err(fault)?;
    let time = &scene.file.time.value;
    let mut findings = Findings {
        groups: built.groups.iter().map(|(name, all)| (name.clone(), all.len())).collect(),
        joints: built.world.joints().len(),
        steps: (time.end / time.step).round() as usize,
        ..Findings::default()
    };
    let bodies = built.world.bodies();
    for b in 0..bodies.len() {
        let motion = match bodies.motion[b] {
            Motion::Free => "free",
            Motion::Fixed => "fixed",
            Motion::Driven { .. } => "driven",
            Motion::Guided { .. } => "guided",
        };
        *findings.motions.entry(motion).or_default() += 1;
        *findings.shapes.entry(bodies.shape[b].name()).or_default() += 1;
    }
    findings.warnings.extend(long_step(scene, &built));
    findings.warnings.extend(lost_restitution(scene));
    findings.warnings.extend(stiff_contacts(scene, &built));
    findings.warnings.extend(late_outputs(scene, findings.steps));
    let unused = |name: &String| {
        format!("nothing uses the parameter {name}: write ${name} where it belongs, or drop it")
    };
    findings.warnings.extend(scene.unused().map(unused));
    overlaps(&mut built, &mut findings);
    match built.world.step(time.step) {
        Ok(report) => findings.contacts = Some(report.contacts),
        Err(error) => findings.refused = Some(error.to_string()),
    }
    Ok(findings)
}

fn overlaps<const D: usize>(built: &mut Built<D>, findings: &mut Findings)
where
    Dim<D>: Rigid<D>,
{
    let found = built.world.overlaps();
    let bodies = built.world.bodies();
    for overlap in found.iter().take(NAMED) {
        let [a, b] = [overlap.a, overlap.b].map(|body| bodies.name(body.index()));
        findings.warnings.push(format!("bodies {a} and {b} overlap by {:.3e}", overlap.depth));
    }
    if found.len() > NAMED {
        findings.warnings.push(format!("{} more pairs of bodies overlap", found.len() - NAMED));
    }
}

/// Whether the smallest body may move too far in a step.
fn long_step<const D: usize>(scene: &Scene, built: &Built<D>) -> Option<String>
where
    Dim<D>: Rigid<D>,
{
    let (bodies, time) = (built.world.bodies(), &scene.file.time.value);
    let free = || (0..bodies.len()).filter(|&b| bodies.is_free(b));
    let smallest =
        free().min_by(|&a, &b| bodies.shape[a].inner_radius().total_cmp(&bodies.shape[b].inner_radius()))?;
    let radius = bodies.shape[smallest].inner_radius();
    let gravity = built.world.gravity;
    let heights = || free().map(|b| gravity.dot(&bodies.x[b]));
    // g times the height of all that is free
    let fall = heights().fold(f64::NEG_INFINITY, f64::max) - heights().fold(f64::INFINITY, f64::min);
    let own = free().map(|b| bodies.v[b].norm()).fold(0.0, f64::max);
    let driven = bodies.motion.iter().map(|motion| fastest(motion, time.end)).fold(0.0, f64::max);
    let speed = own.max(driven).max((2.0 * fall).sqrt());
    let far = speed * time.step > LONGEST_WAY * radius;
    (far && time.travel.is_none()).then(|| format!(
        "in a step of {} a body at the speed {speed:.3} moves {:.2} times the inner radius of the smallest, {}: take steps \
         of at most {:.1e}, or set time.travel",
        time.step,
        speed * time.step / radius,
        bodies.name(smallest),
        LONGEST_WAY * radius / speed
    ))
}

/// The largest speed of a driven body.
fn fastest<const D: usize>(motion: &Motion<D>, end: f64) -> f64
where
    Dim<D>: Rigid<D>,
{
    let Motion::Driven { v, .. } = motion else { return 0.0 };
    (0..=LOOKS).map(|k| v.at(end * k as f64 / LOOKS as f64).norm()).fold(0.0, f64::max)
}

/// Outputs of times and steps that the run does not reach.
fn late_outputs(scene: &Scene, steps: usize) -> Vec<String> {
    let (output, end) = (&scene.file.output.value, scene.file.time.value.end);
    let times = output.picture.iter().flat_map(|picture| &picture.value.times).filter(|time| **time > end);
    let numbers = output.problems.iter().flat_map(|problems| &problems.value.steps);
    // a limit on the travel makes more and shorter steps
    let numbers = numbers.filter(|step| **step > steps && scene.file.time.value.travel.is_none());
    times
        .map(|time| format!("the run ends before the picture of time {time}: give a later end, or drop it"))
        .chain(numbers.map(|step| {
            format!("the run ends before the problem of step {step}: give a later end, or drop it")
        }))
        .collect()
}

/// Restitution that the scheme does not know.
fn lost_restitution(scene: &Scene) -> Option<String> {
    if matches!(scene.file.scheme, SchemeSpec::MoreauJean(_)) {
        return None;
    }
    let bounces = |e: Option<f64>| e.is_some_and(|e| e != 0.0);
    let materials = scene.file.material.values().map(|m| (m.value.e_n, m.value.e_t));
    let pairs = scene.file.pair.iter().map(|p| (p.value.e_n, p.value.e_t));
    let given = materials.chain(pairs).any(|(e_n, e_t)| bounces(e_n) || bounces(e_t));
    given.then(|| "restitution has no effect in this scheme: write scheme = \"moreau-jean\"".into())
}

/// Interfaces that move faster than steps can follow: by their lightest body, and their damping.
fn stiff_contacts<const D: usize>(scene: &Scene, built: &Built<D>) -> Vec<String>
where
    Dim<D>: Rigid<D>,
{
    let own = scene.file.material.iter().map(|(name, m)| ((name, name), &m.value.interface));
    let pairs =
        scene.file.pair.iter().map(|p| ((&p.value.between.0, &p.value.between.1), &p.value.interface));
    let given = own.chain(pairs).filter_map(|(between, spec)| Some((between, &spec.as_ref()?.value)));
    let (bodies, materials) = (built.world.bodies(), &built.world.materials);
    let step = scene.file.time.value.step;
    given
        .filter_map(|((a, b), spec)| {
            let sides = [a, b].map(|name| materials.find(material_name(name)));
            let touched = (0..bodies.len())
                .filter(|&k| bodies.is_free(k) && sides.contains(&Some(bodies.material[k])));
            let lightest = touched.map(|k| bodies.mass[k]).min_by(f64::total_cmp)?;
            let rate = fastest_change(spec, lightest)?;
            (rate * step > LONGEST_SWING).then(|| {
                format!(
                    "contacts of {a} and {b} change within {:.1e}, faster than steps of {step} can follow: take steps of at \
                     most {:.1e}, or a smaller stiffness, or more damping",
                    1.0 / rate,
                    LONGEST_SWING / rate
                )
            })
        })
        .collect()
}

/// The rate at which a mass swings on an interface, or where that is damped out, creeps: `√(K/m)`, at most `1/α`.
fn fastest_change(spec: &InterfaceSpec, mass: f64) -> Option<f64> {
    let stiffness = spec.stiffness_n.into_iter().chain(spec.stiffness_t).fold(0.0, f64::max);
    let swing = (stiffness / mass).sqrt();
    let damped = 0.5 * spec.damping.unwrap_or(0.0) * swing;
    let rate = if damped > 1.0 { swing / (damped + (damped * damped - 1.0).sqrt()) } else { swing };
    (rate > 0.0 && rate.is_finite()).then_some(rate)
}
