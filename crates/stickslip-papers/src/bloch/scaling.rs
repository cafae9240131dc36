//! Bloch 2023, 3.3.1: gradient methods on spheres without friction, as these become many.
//!
//! The box is filled by APGD-AR, as in the paper. Now and then the problem of the next step is given to all methods, from
//! zero and with the paper's step and stopping test, so that they are compared on the same problems; and to `auto`, to a
//! residual.

use crate::{Claim, Experiment, Result, Setting, fit};
use stickslip::World;
use stickslip_geometry::broad::{Candidates, Near};
use stickslip_geometry::pair;
use stickslip_geometry::shape::Shape;
use stickslip_geometry::space::Vector;
use stickslip_pictures::Style;
use stickslip_pictures::plots::{Plot, Series};
use stickslip_solvers::panel::AnyMethod;
use stickslip_solvers::problem::ContactProblem;
use stickslip_solvers::stop::Stop;

pub const EXPERIMENT: Experiment = Experiment {
    id: "bloch-scaling",
    summary: "512 and 125 000 spheres fall into a box without friction: iterations and times of gradient methods",
    paper: "Bloch 2023, section 3.3.1, Figs 9 and 10, Table 2",
    run,
};

const SCENE: &str = include_str!("../../../../scenes/papers/bloch-scaling.toml");
/// Spheres a side, of a full and of a quick run.
const SIDES: [[usize; 2]; 2] = [[8, 50], [5, 10]];
/// Masses, radii and places: small boxes are filled by each of these, whose iterations differ, the large one by the first.
const SEEDS: [u64; 3] = [2023, 2024, 2025];
/// Problems of a run that are given to all methods.
const SAMPLES: usize = 20;
/// Methods of the paper, and ours.
const METHODS: [&str; 6] = ["pgd", "apgd", "apgd-as", "apgd-ar", "apgd-asr", "auto"];
const AR: usize = 3;
const ASR: usize = 4;
/// Those of the paper.
const GRADIENTS: usize = 5;
/// What `auto` must reach: about what the paper's stopping test leaves.
const TOLERANCE: f64 = 1e-3;
/// Table 2: final constraints and active contacts of APGD-AR, by spheres.
const TABLE: [(usize, f64, f64); 2] = [(512, 2418.0, 1372.0), (125_000, 910_715.0, 292_480.0)];

fn run(setting: &Setting) -> Result<Vec<Claim>> {
    let mut boxes = Vec::new();
    for n in SIDES[usize::from(setting.quick)] {
        boxes.push(Filling::new(setting, n, SEEDS[0])?);
    }
    draw(setting, &boxes)?;
    let mut claims: Vec<Claim> = boxes.iter().flat_map(Filling::claims).collect();
    if let [small, large] = boxes.as_slice() {
        let mut least = vec![large.least_correlation()];
        for &seed in setting.choose(&[][..], &SEEDS[1..]) {
            least.push(Filling::new(setting, large.n, seed)?.least_correlation());
        }
        let straight = fit::mean(least.into_iter());
        claims.push(
            Claim::at_least("larger box: correlation of iterations with active contacts", 1.0, straight, 0.3).unless(
                "methods with restarts jump to several times as many iterations when the spheres come to rest",
            ),
        );
        // small boxes take milliseconds, which tell nothing of the paper's
        if !setting.quick {
            claims.extend(times(small, large));
        }
    }
    Ok(claims)
}

/// Which method is the fastest, and how its time grows.
fn times(small: &Filling, large: &Filling) -> Vec<Claim> {
    let grows = |value: fn(&One) -> f64| large.mean(AR, value) / small.mean(AR, value);
    let work = grows(|one| one.iterations as f64) * large.contacts.1 as f64 / small.contacts.1 as f64;
    let fastest = large.least(AR, |one| one.seconds);
    vec![
        Claim::at_least("larger box: time of the fastest of the others by APGD-AR", 1.0, fastest, 0.1),
        Claim::at_most(
            "time of APGD-AR by the smaller box, over iterations and contacts by the same",
            1.0,
            grows(|one| one.seconds) / work,
            1.0,
        ),
    ]
}

/// What a method did on a problem.
struct One {
    active: usize,
    iterations: usize,
    seconds: f64,
    residual: f64,
}

struct Sample {
    time: f64,
    of: Vec<One>,
}

/// A box that was filled.
struct Filling {
    n: usize,
    samples: Vec<Sample>,
    /// Pairs of spheres or walls within the largest radius of each other at the end, and those that push.
    contacts: (usize, usize),
    /// Kinetic energy at the end by what it was at most.
    rest: f64,
    /// Largest overlap by the least radius, of all steps.
    overlap: f64,
    /// Seconds of a step in the second half of the run, mean.
    dense: f64,
}

impl Filling {
    fn new(setting: &Setting, n: usize, seed: u64) -> Result<Self> {
        let scene =
            setting.scene("bloch-scaling", SCENE, &[], &[format!("n={n}"), format!("seed={seed}")])?;
        let (h, end) = (scene.file.time.value.step, scene.file.time.value.end);
        let mut world = scene.build::<3>()?.world;
        let (mut samples, mut kinetic, mut overlap, mut dense) = (Vec::new(), Vec::new(), 0.0f64, (0.0, 0));
        let mut active = 0;
        while world.time() < end - 0.5 * h {
            if world.time() >= end * (samples.len() + 1) as f64 / (SAMPLES + 1) as f64 {
                samples.push(sample(&mut world, h)?);
            }
            let report = world.step(h)?;
            (active, overlap) = (report.active, overlap.max(report.penetration));
            kinetic.push(report.energy.kinetic);
            if report.time > 0.5 * end {
                dense = (dense.0 + report.seconds.all(), dense.1 + 1);
            }
        }
        if seed == SEEDS[0] {
            let style = Style { size: (640, 480), ..Style::default() };
            setting.picture(&format!("end-{}", n.pow(3)), &world, &style)?;
        }
        let radius = 0.4 * 10.0 / n as f64;
        Ok(Filling {
            n,
            samples,
            contacts: (constraints(&world), active),
            rest: kinetic.last().copied().unwrap_or(f64::NAN)
                / kinetic.iter().copied().fold(0.0, fit::larger),
            overlap: overlap / radius,
            dense: dense.0 / f64::from(dense.1),
        })
    }

    fn mean(&self, method: usize, value: impl Fn(&One) -> f64) -> f64 {
        fit::mean(self.samples.iter().map(|sample| value(&sample.of[method])))
    }

    /// The least of what the others took by what one of the paper's methods took.
    fn least(&self, method: usize, value: impl Fn(&One) -> f64) -> f64 {
        let others = (0..GRADIENTS).filter(|k| *k != method).map(|k| self.mean(k, &value));
        others.fold(f64::INFINITY, fit::smaller) / self.mean(method, &value)
    }

    /// The correlation of the iterations of a method with active contacts: 1 on a straight line.
    fn correlation(&self, method: usize) -> f64 {
        let of = |sample: &Sample| (sample.of[method].active as f64, sample.of[method].iterations as f64);
        fit::correlation(self.samples.iter().map(of))
    }

    /// The least of these of the accelerated methods.
    fn least_correlation(&self) -> f64 {
        (1..GRADIENTS).map(|method| self.correlation(method)).fold(1.0, fit::smaller)
    }

    fn claims(&self) -> Vec<Claim> {
        let number = self.n.pow(3);
        let say = |text: &str| format!("{number} spheres: {text}");
        let iterations = |method: usize| self.mean(method, |one| one.iterations as f64);
        let accelerated = (1..GRADIENTS).map(iterations).fold(0.0, fit::larger);
        let mut claims = vec![
            Claim::at_least(
                say("iterations of PGD by the most of the others"),
                1.0,
                iterations(0) / accelerated,
                0.0,
            ),
            Claim::at_least(
                say("iterations of the best of the others by APGD-ASR"),
                1.0,
                self.least(ASR, |one| one.iterations as f64),
                0.05,
            ),
            Claim::at_most(say("kinetic energy at the end by its largest"), 0.0, self.rest, 0.05),
            Claim::at_most(say("largest overlap by the least radius"), 0.0, self.overlap, 0.02),
        ];
        for (_, constraints, active) in TABLE.iter().filter(|row| row.0 == number) {
            let part = self.contacts.0 as f64 / constraints;
            claims.push(
                Claim::near(say("final constraints by Table 2"), 1.0, part, 0.1)
                    .unless("how many pairs are near hangs on how near: with half the reach a quarter less"),
            );
            let part = self.contacts.1 as f64 / active;
            claims.push(Claim::near(say("final active contacts by Table 2"), 1.0, part, 0.1).unless(
                "spheres that bear each other without friction need three contacts each: who has fewer is less at rest",
            ));
        }
        claims
    }
}

/// Gives the problem of the next step to all methods.
fn sample(world: &mut World<3>, h: f64) -> Result<Sample> {
    let time = world.time();
    let problem = world.problem(h)?.and_then(|(problem, _)| problem.normals());
    let mut of = Vec::new();
    for name in METHODS {
        of.push(match &problem {
            Some(problem) => solve(problem, name)?,
            None => One { active: 0, iterations: 0, seconds: 0.0, residual: 0.0 },
        });
    }
    Ok(Sample { time, of })
}

/// From zero; by the paper's step and stopping test, or by `auto` to a residual.
fn solve(problem: &ContactProblem<1>, name: &str) -> Result<One> {
    let ours = name == METHODS[GRADIENTS];
    let numbers: &[(&str, f64)] = if ours { &[] } else { &[("rho", 0.2), ("increment", 1e-3)] };
    let settings = numbers.iter().map(|(key, value)| (key.to_string(), (*value).into())).collect();
    let tolerance = if ours { TOLERANCE } else { f64::MIN_POSITIVE };
    let mut r = vec![Vector::<1>::zeros(); problem.contacts()];
    let method = AnyMethod::parse(name, &settings)?;
    let outcome = method.build::<1>().solve(problem, &mut r, &Stop { tolerance, ..Stop::default() });
    Ok(One {
        active: r.iter().filter(|r| r[0] > 0.0).count(),
        iterations: outcome.iterations,
        seconds: outcome.seconds,
        residual: outcome.residual.natural,
    })
}

/// Pairs whose gap is at most the largest radius: the paper's constraints.
fn constraints(world: &World<3>) -> usize {
    let bodies = world.bodies();
    let radius = |shape: &Shape<3>| if let Shape::Ball(ball) = shape { ball.radius } else { 0.0 };
    let reach = bodies.shape.iter().map(radius).fold(0.0, fit::larger);
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

fn draw(setting: &Setting, boxes: &[Filling]) -> Result<()> {
    let mut table = Vec::new();
    for filling in boxes {
        let number = filling.n.pow(3);
        let mut rows = Vec::new();
        for sample in &filling.samples {
            for (name, one) in METHODS.iter().zip(&sample.of) {
                let numbers =
                    [sample.time, one.active as f64, one.iterations as f64, one.seconds, one.residual];
                rows.push([vec![name.to_string()], numbers.map(|x| x.to_string()).to_vec()].concat());
            }
        }
        let columns = ["method", "time", "active", "iterations", "seconds", "residual"];
        setting.table(&format!("samples-{number}"), &columns, rows.into_iter())?;
        let series = METHODS.iter().enumerate().map(|(k, name)| {
            let mut points: Vec<(f64, f64)> = filling
                .samples
                .iter()
                .map(|sample| (sample.of[k].active as f64, sample.of[k].iterations as f64))
                .collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            Series { label: name.to_string(), points }
        });
        let plot = Plot {
            title: format!("Bloch 2023, Fig. 10: {number} spheres"),
            x: "active contacts".into(),
            y: "iterations".into(),
            series: series.take(GRADIENTS).collect(),
            ..Plot::default()
        };
        setting.figure(&format!("figure-10-{number}"), &plot)?;
        let pgd = filling.mean(0, |one| one.seconds);
        for (k, name) in METHODS.iter().enumerate() {
            let mean = |value: fn(&One) -> f64| filling.mean(k, value);
            let seconds = mean(|one| one.seconds);
            let worst = filling.samples.iter().map(|sample| sample.of[k].residual).fold(0.0, fit::larger);
            let numbers = [mean(|one| one.iterations as f64), seconds, seconds / pgd, worst, filling.dense];
            let counts = [number, filling.contacts.0, filling.contacts.1].map(|x| x.to_string());
            let numbers = numbers.map(|x| x.to_string());
            table.push([vec![name.to_string()], counts.to_vec(), numbers.to_vec()].concat());
        }
    }
    let columns = [
        "method",
        "spheres",
        "final constraints",
        "final active contacts",
        "iterations",
        "seconds",
        "by pgd",
        "worst residual",
        "seconds of a dense step by apgd-ar",
    ];
    setting.table("table-2", &columns, table.into_iter())
}
