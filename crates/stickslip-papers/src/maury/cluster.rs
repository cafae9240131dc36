//! Maury 2006, 6.3: a cluster of spheres hits the ground in steps in which each moves by three diameters.

use crate::{Claim, Experiment, Result, Setting, fit, parameter};
use rayon::prelude::*;
use stickslip::report::StepReport;
use stickslip::{Body, World};
use stickslip_geometry::shape::{Bounds, Shape};
use stickslip_geometry::space::Vector;
use stickslip_pictures::{By, Frame, Style};
use stickslip_scene::{Built, Scene};

pub const EXPERIMENT: Experiment = Experiment {
    id: "maury-cluster",
    summary: "spheres hit the ground in steps of three diameters, and stay apart",
    paper: "Maury 2006, section 6.3, Figs 8 to 11",
    run,
};

const SCENE: &str = include_str!("../../../../scenes/papers/maury-cluster.toml");
/// Spheres of a quick run and of full ones; the paper shows 2000 and says that 50 000 were computed.
const QUICK: &[usize] = &[500];
const FULL: &[usize] = &[2000, 50_000];
/// Seeds of the packing; the largest is run by the first alone.
const SEEDS: [u64; 2] = [1, 2];
/// Steps that are drawn.
const DRAWN: [usize; 4] = [0, 3, 6, 9];
/// How far a sphere may go into another on its way, by the mean radius: what the scene leaves to the solver, and rounding.
const INTO: f64 = 1e-5;

fn run(setting: &Setting) -> Result<Vec<Claim>> {
    let sizes = setting.choose(FULL, QUICK);
    let (mut claims, mut rows) = (Vec::new(), Vec::new());
    for (k, &spheres) in sizes.iter().enumerate() {
        for &seed in SEEDS.iter().take(2 - k.min(1)) {
            let settings = [format!("spheres={spheres}"), format!("seed={seed}")];
            let scene = setting.scene("maury-cluster", SCENE, &[], &settings)?;
            let drawn = (seed == SEEDS[0] && k == 0).then_some(setting);
            let fall = Fall::new(&scene, drawn)?;
            claims.extend(fall.claims(&format!("{spheres} spheres, seed {seed}")));
            rows.extend(fall.rows(spheres, seed));
        }
    }
    let columns = [
        "spheres",
        "seed",
        "time",
        "contacts",
        "active",
        "iterations",
        "residual",
        "overlap",
        "way",
        "into",
        "kinetic",
        "seconds",
    ];
    setting.table("steps", &columns, rows.into_iter())?;
    Ok(claims)
}

/// A step of a fall.
struct Stepped {
    report: StepReport,
    /// Mean way of a sphere by its diameter.
    way: f64,
    /// How far a sphere went into another along the line on which they met, by the mean radius; that much less than nothing
    /// where none came near.
    into: f64,
}

/// The fall of a cluster.
struct Fall {
    steps: Vec<Stepped>,
    /// Kinetic energy at the start.
    kinetic: f64,
    /// Mean radius.
    r0: f64,
}

impl Fall {
    /// Runs a step beyond the end, which finds the overlaps that the last one left.
    fn new(scene: &Scene, drawn: Option<&Setting>) -> Result<Self> {
        let mut world = as_spheres(&scene.build::<2>()?)?;
        let (time, r0) = (&scene.file.time.value, parameter(scene, "r0")?);
        let count = (time.end / time.step).round() as usize;
        let kinetic = world.bodies().kinetic_energy();
        let mut steps = Vec::new();
        let view = view(&world);
        for k in 0..=count {
            if let Some(setting) = drawn.filter(|_| DRAWN.contains(&k)) {
                draw(setting, &world, k, &view)?;
            }
            let before = world.bodies().x.clone();
            let report = world.step(time.step)?;
            steps.push(Stepped { report, way: mean_way(&world, &before), into: into(&world, &before) / r0 });
        }
        Ok(Fall { steps, kinetic, r0 })
    }

    fn claims(&self, of: &str) -> [Claim; 6] {
        let reports = || self.steps.iter().map(|step| &step.report);
        let overlap = reports().map(|report| report.penetration).fold(0.0, fit::larger);
        let energies = || [self.kinetic].into_iter().chain(reports().map(|r| r.energy.kinetic));
        let growth = energies().zip(energies().skip(1)).map(|(a, b)| b / a - 1.0).fold(f64::MIN, fit::larger);
        // all come down at speed 1
        let momentum = 2.0 * self.kinetic;
        let lost = reports().map(|report| report.momentum_error / momentum).fold(0.0, fit::larger);
        let missed = reports().filter(|report| !report.converged()).count();
        let clear = self.steps.iter().filter(|step| step.into <= INTO).map(|step| step.way);
        let way = clear.fold(0.0, fit::larger);
        let into = self.steps.iter().map(|step| step.into).fold(f64::MIN, fit::larger);
        [
            Claim::at_least(
                format!("longest mean way by a diameter in a step in which none goes into another, {of}"),
                3.0,
                way,
                0.0,
            ),
            Claim::at_most(format!("largest overlap by the mean radius, {of}"), 0.0, overlap / self.r0, INTO),
            Claim::at_most(
                format!("farthest that spheres went into each other on their way, by the mean radius, {of}"),
                0.0,
                into,
                INTO,
            )
            .ours(),
            Claim::at_most(
                format!("largest growth of the kinetic energy in a step, {of}"),
                0.0,
                growth,
                1e-9,
            ),
            Claim::at_most(format!("largest loss of momentum as a part, {of}"), 0.0, lost, 1e-12),
            Claim::at_most(format!("steps that missed their tolerance, {of}"), 0.0, missed as f64, 0.0)
                .ours(),
        ]
    }

    fn rows(&self, spheres: usize, seed: u64) -> impl Iterator<Item = Vec<f64>> {
        self.steps.iter().map(move |Stepped { report, way, into }| {
            let outcome = report.outcome.as_ref();
            vec![
                spheres as f64,
                seed as f64,
                report.time,
                report.contacts as f64,
                report.active as f64,
                outcome.map_or(0.0, |outcome| outcome.iterations as f64),
                outcome.map_or(0.0, |outcome| outcome.residual.scaled),
                report.penetration,
                *way,
                *into,
                report.energy.kinetic,
                report.seconds.all(),
            ]
        })
    }
}

/// The same world with the masses of spheres: by the cube of the radius.
fn as_spheres(built: &Built<2>) -> Result<World<2>> {
    let (scene, bodies) = (&built.world, built.world.bodies());
    let mut world = World::<2>::new(scene.scheme.clone());
    (world.stop, world.reach, world.overlap) = (scene.stop.clone(), scene.reach, scene.overlap);
    for b in 0..bodies.len() {
        let (shape, pose, v) = (bodies.shape[b].clone(), bodies.shape_pose(b), bodies.v[b]);
        let body = match &shape {
            Shape::Ball(ball) => Body { density: ball.radius, v, ..Body::new(shape, pose) },
            _ => Body::fixed(shape, pose),
        };
        world.add(body)?;
    }
    Ok(world)
}

/// The mean way of spheres from earlier places, by their diameters.
fn mean_way(world: &World<2>, before: &[Vector<2>]) -> f64 {
    let bodies = world.bodies();
    let ways = (0..bodies.len())
        .filter(|&b| bodies.is_free(b))
        .map(|b| (bodies.x[b] - before[b]).norm() / (2.0 * bodies.shape[b].inner_radius()));
    fit::mean(ways)
}

/// The farthest that one sphere went into another in a step, along the line between their centres before it: one that passes
/// through another does so by more than both radii, though they do not overlap afterwards. Detection has no part in it.
fn into(world: &World<2>, before: &[Vector<2>]) -> f64 {
    let bodies = world.bodies();
    let mut free: Vec<usize> = (0..bodies.len()).filter(|&b| bodies.is_free(b)).collect();
    free.sort_by(|&a, &b| before[a][0].total_cmp(&before[b][0]));
    let radius = |b: usize| bodies.shape[b].inner_radius();
    let largest = |value: &dyn Fn(usize) -> f64| free.iter().map(|&b| value(b)).fold(0.0, fit::larger);
    let near = 2.0 * (largest(&radius) + largest(&|b| (bodies.x[b] - before[b]).norm()));
    let deepest = |k: usize| {
        let a = free[k];
        let reached = free[k + 1..].iter().take_while(|&&b| before[b][0] - before[a][0] <= near);
        reached
            .filter(|&&b| (before[b][1] - before[a][1]).abs() <= near)
            .map(|&b| {
                let line = (before[b] - before[a]).normalize();
                radius(a) + radius(b) - line.dot(&(bodies.x[b] - bodies.x[a]))
            })
            .fold(f64::MIN, fit::larger)
    };
    (0..free.len()).into_par_iter().map(deepest).reduce(|| f64::MIN, fit::larger)
}

/// What all pictures show: the cluster at the start, and room beside it.
fn view(world: &World<2>) -> Bounds<2> {
    let free = (0..world.bodies().len()).filter(|&b| world.bodies().is_free(b));
    let size = free.map(|b| world.bodies().x[b][1]).fold(0.0, fit::larger);
    Bounds {
        low: Vector::<2>::new(-0.8 * size, -0.04 * size),
        high: Vector::<2>::new(0.8 * size, 1.02 * size),
    }
}

fn draw(setting: &Setting, world: &World<2>, step: usize, view: &Bounds<2>) -> Result<()> {
    let style = Style {
        size: (800, 560),
        bounds: Some(*view),
        title: format!("Maury 2006, Fig. {}: step {step}", 8 + step / 3),
        ..Style::default()
    };
    let picture = Frame::of(world, &By::Speed.into())?.draw(&style)?;
    Ok(picture.save(&setting.folder.join(format!("figure-{}.png", 8 + step / 3)))?)
}
