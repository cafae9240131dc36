//! A box that is filled, and what every method makes of the problems on the way.

use super::SCENE;
use crate::{Result, Setting, fit, parameter};
use stickslip::World;
use stickslip_geometry::broad::{Candidates, Near};
use stickslip_geometry::pair;
use stickslip_geometry::shape::Shape;
use stickslip_geometry::space::Vector;
use stickslip_pictures::Style;
use stickslip_scene::Scene;
use stickslip_solvers::panel::AnyMethod;
use stickslip_solvers::problem::ContactProblem;
use stickslip_solvers::stop::Stop;

/// Problems of a run that are given to all methods.
const SAMPLES: usize = 30;
/// The part of the last contacts that a box has before it is full.
const FULL: f64 = 0.95;
/// Solves that take less seconds than this are taken three times, and the fastest counts.
const BRIEF: f64 = 0.05;
/// Methods of the paper, and ours.
pub const METHODS: [&str; 6] = ["pgd", "apgd", "apgd-as", "apgd-ar", "apgd-asr", "auto"];
/// Those of the paper.
pub const GRADIENTS: usize = 5;
pub const PGD: usize = 0;
pub const AR: usize = 3;
pub const ASR: usize = 4;
/// What `auto` must reach: about what the paper's stopping test leaves.
const TOLERANCE: f64 = 1e-3;

/// What a method did on a problem.
pub struct One {
    pub active: usize,
    pub iterations: usize,
    pub seconds: f64,
    pub residual: f64,
}

pub struct Sample {
    pub time: f64,
    pub of: Vec<One>,
}

/// A box that was filled by one method.
pub struct Filling {
    pub n: usize,
    /// Problems that were given to all methods; none in a run that only counts.
    pub samples: Vec<Sample>,
    /// Of all steps: how many, and seconds of the solves.
    pub steps: usize,
    pub solves: f64,
    /// Pairs of spheres or walls within the largest radius of each other at the end, and those that push.
    pub constraints: usize,
    pub active: usize,
    /// The reach, by the largest radius, that makes as many pairs as Table 2 has; not a number where it has none.
    pub reach: f64,
    /// Kinetic energy at the end by what it was at most.
    pub rest: f64,
    /// Largest overlap by the least radius, of all steps.
    pub overlap: f64,
    /// Seconds of a step in the second half of the run, mean.
    pub dense: f64,
}

/// How a box is filled.
pub struct Plan {
    pub n: usize,
    pub seed: u64,
    pub method: usize,
    /// Whether problems go to all methods.
    pub sampled: bool,
    /// Whether the box is drawn at the start and at the end.
    pub drawn: bool,
    /// The constraints of Table 2.
    pub printed: Option<f64>,
}

impl Filling {
    pub fn new(setting: &Setting, plan: &Plan) -> Result<Self> {
        let n = plan.n;
        let settings = [format!("n={n}"), format!("seed={}", plan.seed)];
        let scene = setting.scene("bloch-scaling", SCENE, &[], &settings)?;
        let (h, end) = (scene.file.time.value.step, scene.file.time.value.end);
        let mut world = scene.build::<3>()?.world;
        world.solver = Some(method(&scene, METHODS[plan.method])?);
        let picture = |world: &World<3>, moment: &str| {
            let style = Style { size: (640, 480), ..Style::default() };
            setting.picture(&format!("figure-9-{moment}-{}", n.pow(3)), world, &style)
        };
        if plan.drawn {
            picture(&world, "start")?;
        }
        let (mut samples, mut kinetic, mut overlap) = (Vec::new(), Vec::new(), 0.0);
        let (mut active, mut solves, mut dense) = (0, 0.0, Vec::new());
        while world.time() < end - 0.5 * h {
            let next = end * (samples.len() + 1) as f64 / (SAMPLES + 1) as f64;
            if plan.sampled && world.time() >= next {
                samples.push(sample(&scene, &mut world, h)?);
            }
            let report = world.step(h)?;
            (active, overlap) = (report.active, fit::larger(overlap, report.penetration));
            kinetic.push(report.energy.kinetic);
            solves += report.seconds.solve;
            if report.time > 0.5 * end {
                dense.push(report.seconds.all());
            }
        }
        if plan.drawn {
            picture(&world, "end")?;
        }
        let radius = 0.4 * parameter(&scene, "side")? / n as f64;
        Ok(Filling {
            n,
            samples,
            steps: world.steps(),
            solves,
            constraints: near(&world, 1.0),
            active,
            reach: plan.printed.map_or(f64::NAN, |printed| reach(&world, printed)),
            rest: kinetic.last().copied().unwrap_or(f64::NAN)
                / kinetic.iter().copied().fold(0.0, fit::larger),
            overlap: overlap / radius,
            dense: fit::mean(dense.into_iter()),
        })
    }

    pub fn spheres(&self) -> usize {
        self.n.pow(3)
    }

    pub fn mean(&self, method: usize, value: impl Fn(&One) -> f64) -> f64 {
        fit::mean(self.samples.iter().map(|sample| value(&sample.of[method])))
    }

    pub fn iterations(&self, method: usize) -> f64 {
        self.mean(method, |one| one.iterations as f64)
    }

    pub fn seconds(&self, method: usize) -> f64 {
        self.mean(method, |one| one.seconds)
    }

    /// What the solves of a run take.
    pub fn time(&self, method: usize) -> f64 {
        self.steps as f64 * self.seconds(method)
    }

    /// Iterations by contacts of a run: what its solves cost.
    pub fn work(&self, method: usize) -> f64 {
        self.steps as f64 * self.mean(method, |one| one.iterations as f64 * one.active as f64)
    }

    /// The least of what the others took by what one of the paper's methods took.
    pub fn least(&self, method: usize, value: impl Fn(&One) -> f64) -> f64 {
        let others = (0..GRADIENTS).filter(|k| *k != method).map(|k| self.mean(k, &value));
        others.fold(f64::INFINITY, fit::smaller) / self.mean(method, &value)
    }

    /// Iterations over active contacts.
    pub fn points(&self, method: usize) -> Vec<(f64, f64)> {
        let of = |sample: &Sample| (sample.of[method].active as f64, sample.of[method].iterations as f64);
        let mut points: Vec<(f64, f64)> = self.samples.iter().map(of).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points
    }

    /// The same while the box fills, with at least a part of the contacts of the last problem. At rest contacts stay, and
    /// iterations with restarts jump to several times as many and back.
    pub fn growing(&self, method: usize, least: f64) -> Vec<(f64, f64)> {
        let points = self.points(method);
        let most = points.last().map_or(f64::NAN, |last| last.0);
        points.into_iter().filter(|point| (least * most..=FULL * most).contains(&point.0)).collect()
    }

    /// Active contacts of the last problem by the methods of the paper.
    pub fn last_active(&self) -> Vec<usize> {
        let last = self.samples.last().map(|sample| sample.of[..GRADIENTS].iter().map(|one| one.active));
        last.into_iter().flatten().collect()
    }
}

/// A method with the paper's step and stopping test, as the scene holds them.
fn method(scene: &Scene, name: &str) -> Result<AnyMethod> {
    let settings = ["rho", "increment"].map(|key| Ok((key.to_string(), parameter(scene, key)?.into())));
    let settings = settings.into_iter().collect::<Result<toml::Table>>()?;
    Ok(AnyMethod::parse(name, &settings)?)
}

/// Gives the problem of the next step to all methods.
fn sample(scene: &Scene, world: &mut World<3>, h: f64) -> Result<Sample> {
    let time = world.time();
    let problem = world.problem(h)?.and_then(|(problem, _)| problem.normals());
    let problem = problem.map(|problem| in_forces(problem, h));
    let of = (0..METHODS.len()).map(|k| match &problem {
        Some(problem) => fastest(scene, problem, k),
        None => Ok(One { active: 0, iterations: 0, seconds: 0.0, residual: 0.0 }),
    });
    Ok(Sample { time, of: of.collect::<Result<_>>()? })
}

/// The same problem with forces as unknowns, of which the paper's test holds the increments against their size and 1.
fn in_forces(problem: ContactProblem<1>, h: f64) -> ContactProblem<1> {
    let q = problem.q.iter().map(|q| q / h).collect();
    ContactProblem { q, ..problem }
}

fn fastest(scene: &Scene, problem: &ContactProblem<1>, k: usize) -> Result<One> {
    let mut one = solve(scene, problem, k)?;
    for _ in 0..2 {
        if one.seconds < BRIEF {
            one.seconds = fit::smaller(one.seconds, solve(scene, problem, k)?.seconds);
        }
    }
    Ok(one)
}

/// From zero; by the paper's step and stopping test, or by `auto` to a residual.
fn solve(scene: &Scene, problem: &ContactProblem<1>, k: usize) -> Result<One> {
    let (method, tolerance) = if k < GRADIENTS {
        (method(scene, METHODS[k])?, f64::MIN_POSITIVE)
    } else {
        (AnyMethod::parse(METHODS[k], &toml::Table::new())?, TOLERANCE)
    };
    let mut r = vec![Vector::<1>::zeros(); problem.contacts()];
    let outcome = method.build::<1>().solve(problem, &mut r, &Stop { tolerance, ..Stop::default() });
    Ok(One {
        active: r.iter().filter(|r| r[0] > 0.0).count(),
        iterations: outcome.iterations,
        seconds: outcome.seconds,
        residual: outcome.residual.scaled,
    })
}

/// Pairs whose gap is at most a part of the largest radius: with the whole of it the paper's constraints.
fn near(world: &World<3>, part: f64) -> usize {
    let bodies = world.bodies();
    let radius = |shape: &Shape<3>| if let Shape::Ball(ball) = shape { ball.radius } else { 0.0 };
    let reach = part * bodies.shape.iter().map(radius).fold(0.0, fit::larger);
    let poses: Vec<_> = (0..bodies.len()).map(|b| bodies.shape_pose(b)).collect();
    let bounds: Vec<_> =
        (0..bodies.len()).map(|b| bodies.shape[b].bounds(&poses[b]).grown(0.5 * reach)).collect();
    let mut candidates = Candidates::default();
    let near = candidates.update(&bounds, &world.periods, |b| bodies.is_free(b));
    let mut points = Vec::new();
    for &Near { a, b, .. } in near {
        let (a, b) = (a as usize, b as usize);
        pair::contacts((&bodies.shape[a], &poses[a]), (&bodies.shape[b], &poses[b]), reach, &mut points);
    }
    points.len()
}

/// The part of the largest radius at which so many pairs are near, by halving.
fn reach(world: &World<3>, pairs: f64) -> f64 {
    let (mut low, mut high) = (0.0, 2.0);
    for _ in 0..8 {
        let middle = 0.5 * (low + high);
        if (near(world, middle) as f64) < pairs { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}
