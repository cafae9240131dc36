//! Bloch 2023, 3.3.2: how many convex problems the fixed point solves in a step, and what the convex scheme does instead.
//!
//! Cubes fall by exact friction. Problems of some steps go to the fixed point, which starts from s = 0 and ends by
//! the paper's own test. One cube also falls by the fixed point alone, others by other seeds and another gravity.

use super::count::FixedPoint;
use crate::{Claim, Experiment, Result, Setting, fit, group, parameter};
use rayon::prelude::*;
use stickslip_pictures::Style;
use stickslip_pictures::plots::{Plot, Series};
use stickslip_scene::Built;

pub const EXPERIMENT: Experiment = Experiment {
    id: "bloch-fixed-point",
    summary: "a cube of spheres falls on a plane: convex problems of the fixed point in a step",
    paper: "Bloch 2023, section 3.3.2, Fig. 11",
    run,
};

const SCENE: &str = include_str!("../../../../scenes/papers/bloch-fixed-point.toml");
/// Spheres a side, of a full and of a quick run; what the paper leaves open is varied at the first.
const SIDES: [[usize; 3]; 2] = [[8, 10, 12], [6, 8, 10]];
/// Friction, and the paper's mean of convex problems in a step.
const FRICTIONS: [(f64, f64); 2] = [(0.1, 3.5), (1.0, 8.0)];
/// How far the paper's means may be, as a part.
const NEAR: f64 = 0.2;
/// Of masses, radii and places.
const SEEDS: [u64; 3] = [2023, 2024, 2025];
/// Another gravity than the scene's.
const GRAVITY: f64 = 5.0;
/// Steps of a run whose problem is given to the fixed point.
const COUNTED: usize = 12;
/// The solver of the convex problems, and how far these are solved.
const INNER: (&str, f64) = ("apgd-asr", 1e-8);
/// How far heights and widths by both schemes may be from each other, as a part.
const ALIKE: f64 = 0.1;

/// A cube that falls.
#[derive(Clone, Copy)]
struct Plan {
    mu: f64,
    scheme: &'static str,
    n: usize,
    seed: u64,
    /// That of the scene without it.
    gravity: Option<f64>,
    /// Whether it is drawn at the start and at the end.
    drawn: bool,
}

/// All cubes of one friction.
struct Falls {
    mu: f64,
    paper: f64,
    /// By size.
    exact: Vec<Fall>,
    convex: Vec<Fall>,
    /// Others of the first size.
    seeds: Vec<Fall>,
    gravity: Fall,
    fixed_point: Fall,
}

fn run(setting: &Setting) -> Result<Vec<Claim>> {
    let sides = SIDES[usize::from(setting.quick)];
    let falls = FRICTIONS
        .into_par_iter()
        .map(|(mu, paper)| Falls::new(setting, sides, mu, paper))
        .collect::<Result<Vec<Falls>>>()?;
    draw(setting, &falls)?;
    let mut claims: Vec<Claim> = falls.iter().flat_map(Falls::claims).collect();
    let [low, high] = [&falls[0], &falls[1]].map(Falls::mean);
    let paper = FRICTIONS[1].1 / FRICTIONS[0].1;
    claims.push(Claim::at_least("convex problems with friction 1 by those with 0.1", paper, high / low, 0.5));
    let missed = falls.iter().flat_map(Falls::all).map(|fall| fall.missed).sum::<usize>();
    claims.push(Claim::at_most("steps that missed the tolerance", 0.0, missed as f64, 0.0).ours());
    Ok(claims)
}

impl Falls {
    fn new(setting: &Setting, sides: [usize; 3], mu: f64, paper: f64) -> Result<Self> {
        let of = |n| Plan { mu, scheme: "exact", n, seed: SEEDS[0], gravity: None, drawn: false };
        let first = of(sides[0]);
        let drawn = mu == FRICTIONS[1].0;
        let mut plans: Vec<Plan> =
            sides.iter().map(|&n| Plan { drawn: drawn && n == sides[2], ..of(n) }).collect();
        plans.extend(sides.map(|n| Plan { scheme: "convex", ..of(n) }));
        plans.extend(SEEDS[1..].iter().map(|&seed| Plan { seed, ..first }));
        plans.push(Plan { gravity: Some(GRAVITY), ..first });
        plans.push(Plan { scheme: "fixed-point", ..first });
        let mut falls =
            plans.par_iter().map(|plan| Fall::new(setting, plan)).collect::<Result<Vec<_>>>()?.into_iter();
        let mut next = |count: usize| falls.by_ref().take(count).collect::<Vec<Fall>>();
        let [exact, convex] = [next(sides.len()), next(sides.len())];
        let seeds = next(SEEDS.len() - 1);
        let [gravity, fixed_point] = [next(1).remove(0), next(1).remove(0)];
        Ok(Falls { mu, paper, exact, convex, seeds, gravity, fixed_point })
    }

    fn all(&self) -> impl Iterator<Item = &Fall> {
        let others = [&self.gravity, &self.fixed_point];
        self.exact.iter().chain(&self.convex).chain(&self.seeds).chain(others)
    }

    /// Mean of the convex problems over the sizes.
    fn mean(&self) -> f64 {
        fit::mean(self.exact.iter().map(Fall::mean))
    }

    fn claims(&self) -> Vec<Claim> {
        let say = |text: &str| format!("mu = {}: {text}", self.mu);
        let first = self.exact[0].mean();
        let seeds = || [first].into_iter().chain(self.seeds.iter().map(Fall::mean));
        let spread = seeds().fold(0.0, fit::larger) / seeds().fold(f64::INFINITY, fit::smaller) - 1.0;
        let growth = fit::power(self.exact.iter().map(|fall| (fall.spheres(), fall.mean())));
        let by_gravity = self.gravity.mean() / first;
        let mut claims = vec![
            Claim::near(say("convex problems in a step"), self.paper, self.mean(), NEAR * self.paper).finding(
                0.6 * self.paper..=1.4 * self.paper,
                format!(
                    "the paper does not tell gravity: with {GRAVITY} the first of these cubes takes {:.1}, with ours {first:.1}",
                    self.gravity.mean()
                ),
            ),
            Claim::near(say("power of the number of spheres that they grow with"), 0.0, growth, 0.15),
            Claim::at_most(say("spread of them over three seeds, as a part"), 0.0, spread, 0.2).ours(),
            Claim::near(say("the same with half the gravity"), 1.0, by_gravity, 0.3).ours(),
            Claim::near(
                say("the same where the cube falls by the fixed point itself"),
                1.0,
                self.fixed_point.mean() / first,
                0.2,
            )
            .ours(),
        ];
        for (what, value) in MEASURES {
            let off = |(a, b): (&Fall, &Fall)| (b.last(value) / a.last(value) - 1.0).abs();
            let off = self.exact.iter().zip(&self.convex).map(off).fold(0.0, fit::larger);
            claims.push(
                Claim::at_most(say(&format!("{what} by the convex scheme, off by")), 0.0, off, ALIKE).ours(),
            );
        }
        claims
    }
}

/// What is read at the end of a step.
struct Row {
    time: f64,
    /// Height of the centre of all spheres, and their root mean square distance from its axis.
    height: f64,
    width: f64,
    /// How fast a sliding contact opens at most.
    lift: f64,
}

type Measure = (&'static str, fn(&Row) -> f64);
const MEASURES: [Measure; 2] =
    [("height of the centre", |row| row.height), ("distance from the axis", |row| row.width)];

struct Fall {
    plan: Plan,
    rows: Vec<Row>,
    /// Times of the steps that were counted, and their convex problems.
    counts: Vec<(f64, usize)>,
    missed: usize,
}

impl Fall {
    fn new(setting: &Setting, plan: &Plan) -> Result<Self> {
        let Plan { mu, scheme, n, seed, gravity, drawn } = *plan;
        let mut settings =
            vec![format!("n={n}"), format!("mu={mu}"), format!("scheme={scheme}"), format!("seed={seed}")];
        settings.extend(gravity.map(|g| format!("g={g}")));
        let scene = setting.scene("bloch-fixed-point", SCENE, &[], &settings)?;
        let mut built = scene.build::<3>()?;
        let (h, end) = (scene.file.time.value.step, parameter(&scene, "end")?);
        let style = Style { size: (640, 480), ..Style::default() };
        if drawn {
            setting.picture("figure-11-start", &built.world, &style)?;
        }
        let steps = (end / h).round() as usize;
        let every = steps.div_ceil(COUNTED);
        let fixed_point = FixedPoint::new(INNER.0, INNER.1)?;
        let mut fall = Fall { plan: *plan, rows: Vec::new(), counts: Vec::new(), missed: 0 };
        for step in 1..=steps {
            if scheme != "convex" && step % every == 0 {
                let (time, problem) = (built.world.time(), built.world.problem(h)?);
                fall.counts.extend(problem.map(|(problem, _)| (time, fixed_point.count(&problem))));
            }
            let lift = built.world.step(h)?.lift;
            fall.rows.push(fall_of(&built, lift)?);
        }
        fall.missed = built.world.missed();
        if drawn {
            setting.picture("figure-11-end", &built.world, &style)?;
        }
        Ok(fall)
    }

    fn spheres(&self) -> f64 {
        self.plan.n.pow(3) as f64
    }

    /// Mean of the convex problems.
    fn mean(&self) -> f64 {
        fit::mean(self.counts.iter().map(|(_, count)| *count as f64))
    }

    fn last(&self, value: fn(&Row) -> f64) -> f64 {
        self.rows.last().map_or(f64::NAN, value)
    }
}

fn fall_of(built: &Built<3>, lift: f64) -> Result<Row> {
    let (x, spheres) = (&built.world.bodies().x, group(built, "spheres")?);
    let mean = |k: usize| fit::mean(spheres.iter().map(|body| x[body.index()][k]));
    let (middle, height) = ([mean(0), mean(1)], mean(2));
    let from =
        |body: &stickslip::BodyId| (0..2).map(|k| (x[body.index()][k] - middle[k]).powi(2)).sum::<f64>();
    let width = fit::mean(spheres.iter().map(from)).sqrt();
    Ok(Row { time: built.world.time(), height, width, lift })
}

fn draw(setting: &Setting, falls: &[Falls]) -> Result<()> {
    let rows = falls.iter().flat_map(Falls::all).map(|fall| {
        let Plan { mu, scheme, seed, gravity, .. } = fall.plan;
        let lift = fall.rows.iter().map(|row| row.lift).fold(0.0, fit::larger);
        let most = fall.counts.iter().map(|(_, count)| *count).max();
        let [height, width] = MEASURES.map(|(_, value)| fall.last(value));
        vec![
            scheme.to_string(),
            mu.to_string(),
            fall.spheres().to_string(),
            seed.to_string(),
            gravity.map_or("of the scene".into(), |g| g.to_string()),
            most.map_or_else(String::new, |_| fall.mean().to_string()),
            most.map_or_else(String::new, |most| most.to_string()),
            height.to_string(),
            width.to_string(),
            lift.to_string(),
        ]
    });
    let columns = [
        "scheme",
        "mu",
        "spheres",
        "seed",
        "gravity",
        "convex problems in a step",
        "most",
        "height",
        "width",
        "largest lift",
    ];
    setting.table("falls", &columns, rows)?;
    let largest = || falls.iter().filter_map(|one| Some((one, one.exact.last()?, one.convex.last()?)));
    let title = largest()
        .next()
        .map_or_else(String::new, |(_, fall, _)| format!("Bloch 2023, 3.3.2: {} spheres", fall.spheres()));
    let plot = |y: &str, series| Plot { title: title.clone(), y: y.into(), series, ..Plot::default() };
    let counted = largest().map(|(one, exact, _)| {
        let points = exact.counts.iter().map(|(time, count)| (*time, *count as f64)).collect();
        Series { label: format!("mu = {}", one.mu), points }
    });
    setting.figure("counts", &plot("convex problems in a step", counted.collect()))?;
    for (name, (y, value)) in ["height", "width"].into_iter().zip(MEASURES) {
        let curves = largest().flat_map(|(one, exact, convex)| {
            [exact, convex].map(|fall| {
                let points = fall.rows.iter().map(|row| (row.time, value(row))).collect();
                Series { label: format!("{}, mu = {}", fall.plan.scheme, one.mu), points }
            })
        });
        setting.figure(name, &plot(y, curves.collect()))?;
    }
    Ok(())
}
