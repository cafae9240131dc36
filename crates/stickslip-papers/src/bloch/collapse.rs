//! Bloch 2023, 3.3.2: a column of disks collapses, by the convex scheme and by the fixed point.

use crate::{Claim, Experiment, Result, Setting, fit, parameter};
use rayon::prelude::*;
use stickslip_geometry::space::Vector;
use stickslip_pictures::plots::{Plot, Series};
use stickslip_scene::measures::column_tops;

pub const EXPERIMENT: Experiment = Experiment {
    id: "bloch-collapse",
    summary: "a column of disks collapses: profiles by convex and by exact friction",
    paper: "Bloch 2023, section 3.3.2, Fig. 12",
    run,
};

const SCENE: &str = include_str!("../../../../scenes/papers/bloch-collapse.toml");
/// Disks in a row, and rows, of a quick and of a full run.
const SIDES: [usize; 2] = [12, 30];
const FRICTIONS: [f64; 2] = [0.1, 1.0];
/// Exact friction and convex, each by the seeds of the masses, of which the first is drawn. The fixed point of the paper is
/// dear: the second seed, and quick runs, solve the same step by our own solver.
const EXACT: [&str; 2] = ["fixed-point", "exact"];
const SEEDS: [u64; 2] = [1, 2];
/// When profiles are taken.
const TIMES: [f64; 4] = [2.0, 4.0, 6.0, 8.0];
/// How far widths and heights by both schemes may be from each other, as a part.
const TOLERANCE: f64 = 0.1;

fn run(setting: &Setting) -> Result<Vec<Claim>> {
    let side = SIDES[usize::from(!setting.quick)];
    let exact = setting.choose(EXACT, [EXACT[1]; 2]);
    let cases: Vec<(f64, &str, u64)> = FRICTIONS
        .iter()
        .flat_map(|&mu| [exact, ["convex"; 2]].map(|schemes| (mu, schemes)))
        .flat_map(|(mu, schemes)| [0, 1].map(|k| (mu, schemes[k], SEEDS[k])))
        .collect();
    let columns: Vec<Collapse> = cases
        .into_par_iter()
        .map(|(mu, scheme, seed)| Collapse::new(setting, side, mu, scheme, seed))
        .collect::<Result<_>>()?;
    table(setting, &columns)?;
    let mut claims = Vec::new();
    for (of_mu, mu) in columns.chunks(2 * SEEDS.len()).zip(FRICTIONS) {
        let (exact, convex) = of_mu.split_at(SEEDS.len());
        draw(setting, &exact[0], &convex[0])?;
        claims.extend(compare(exact, convex, mu));
    }
    let missed: usize = columns.iter().map(|column| column.missed).sum();
    claims.push(Claim::at_most("steps that missed a residual of 1e-6", 0.0, missed as f64, 0.0));
    Ok(claims)
}

/// Both schemes tell the same story: widths and heights at all times, means over the seeds.
fn compare(exact: &[Collapse], convex: &[Collapse], mu: f64) -> Vec<Claim> {
    let mean = |columns: &[Collapse], k: usize, value: fn(&Profile) -> f64| {
        fit::mean(columns.iter().map(|column| value(&column.profiles[k])))
    };
    let off = |value: fn(&Profile) -> f64| {
        let part = |k: usize| (mean(convex, k, value) / mean(exact, k, value) - 1.0).abs();
        (0..TIMES.len()).map(part).fold(0.0, fit::larger)
    };
    let apart = |a: &Collapse, b: &Collapse| {
        let distances = a.profiles.iter().zip(&b.profiles).map(|(a, b)| a.distance(b));
        distances.fold(0.0, fit::larger)
    };
    let by_scheme = exact.iter().zip(convex).map(|(a, b)| apart(a, b)).fold(0.0, fit::larger);
    let by_seed = apart(&exact[0], &exact[1]).max(apart(&convex[0], &convex[1]));
    let largest = exact.iter().map(|column| column.lift).fold(0.0, fit::larger);
    let least = convex.iter().map(|column| column.lift).fold(f64::INFINITY, fit::smaller);
    let of = |what: &str| format!("{what}, mu = {mu}");
    vec![
        Claim::at_most(
            of("largest difference of the width by the schemes, as a part"),
            0.0,
            off(|p| p.width),
            TOLERANCE,
        ),
        Claim::at_most(
            of("largest difference of the height by the schemes, as a part"),
            0.0,
            off(|p| p.height),
            TOLERANCE,
        ),
        Claim::at_most(
            of("area between the profiles of both schemes by that between two seeds"),
            1.0,
            by_scheme / by_seed,
            1.0,
        ),
        Claim::at_most(
            of("largest lift of a contact by exact friction, by the least of the convex scheme"),
            0.0,
            largest / least,
            0.01,
        ),
    ]
}

/// A column at a time.
struct Profile {
    /// Mean distance of disks from the middle, and mean height.
    width: f64,
    height: f64,
    /// Middle of each strip that is as wide as a disk, and its highest point.
    tops: Vec<(f64, f64)>,
}

impl Profile {
    fn new(disks: &[Vector<2>], r: f64, H: f64) -> Self {
        let mean = |value: &dyn Fn(&Vector<2>) -> f64| fit::mean(disks.iter().map(value));
        let middle = mean(&|x| x[0]);
        let (strip, reach) = (2.0 * r, 3.0 * H);
        let found = column_tops(disks.iter().map(|x| (x[0], x[1] + r)), -reach, strip);
        // strips without disks are empty down to the ground
        let top = |k: i64| {
            let middle = -reach + (k as f64 + 0.5) * strip;
            found.get(&k).map_or((middle, 0.0), |(_, top)| (middle, top.max(0.0)))
        };
        let tops = (0..(2.0 * reach / strip) as i64).map(top).collect();
        Profile { width: mean(&|x| (x[0] - middle).abs()), height: mean(&|x| x[1]), tops }
    }

    /// The area between two profiles by that below one.
    fn distance(&self, other: &Profile) -> f64 {
        let below: f64 = self.tops.iter().map(|top| top.1).sum();
        let between: f64 = self.tops.iter().zip(&other.tops).map(|(a, b)| (a.1 - b.1).abs()).sum();
        between / below
    }
}

/// A run.
struct Collapse {
    mu: f64,
    scheme: &'static str,
    seed: u64,
    profiles: Vec<Profile>,
    /// Largest lift and overlap, mean iterations, seconds of all steps, and steps that missed.
    lift: f64,
    overlap: f64,
    iterations: f64,
    seconds: f64,
    missed: usize,
}

impl Collapse {
    fn new(setting: &Setting, side: usize, mu: f64, scheme: &'static str, seed: u64) -> Result<Self> {
        let settings =
            [format!("n={side}"), format!("mu={mu}"), format!("scheme={scheme}"), format!("seed={seed}")];
        let scene = setting.scene("bloch-collapse", SCENE, &[], &settings)?;
        let mut world = scene.build::<2>()?.world;
        let (h, H) = (scene.file.time.value.step, parameter(&scene, "H")?);
        let r = world.bodies().shape[1].inner_radius();
        let mut column = Collapse {
            mu,
            scheme,
            seed,
            profiles: Vec::new(),
            lift: 0.0,
            overlap: 0.0,
            iterations: 0.0,
            seconds: 0.0,
            missed: 0,
        };
        for time in TIMES {
            while world.time() < time - 0.5 * h {
                let report = world.step(h)?;
                column.lift = column.lift.max(report.lift);
                column.overlap = column.overlap.max(report.penetration);
                column.iterations += report.outcome.map_or(0.0, |outcome| outcome.iterations as f64);
                column.seconds += report.seconds.all();
            }
            column.profiles.push(Profile::new(&world.bodies().x[1..], r, H));
        }
        column.iterations /= world.steps() as f64;
        column.missed = world.missed();
        Ok(column)
    }
}

fn table(setting: &Setting, columns: &[Collapse]) -> Result<()> {
    let rows = columns.iter().flat_map(|column| {
        column.profiles.iter().zip(TIMES).map(|(profile, time)| {
            let numbers = [
                column.mu,
                column.seed as f64,
                time,
                profile.width,
                profile.height,
                column.lift,
                column.overlap,
                column.iterations,
                column.seconds,
            ];
            [column.scheme.to_string()].into_iter().chain(numbers.map(|x| x.to_string())).collect()
        })
    });
    let names = [
        "scheme",
        "mu",
        "seed",
        "time",
        "width",
        "height",
        "largest_lift",
        "largest_overlap",
        "iterations",
        "seconds",
    ];
    setting.table("columns", &names, rows.collect::<Vec<Vec<String>>>().into_iter())
}

fn draw(setting: &Setting, exact: &Collapse, convex: &Collapse) -> Result<()> {
    let name = format!("figure-12-mu-{}", exact.mu);
    let taken = |column: &Collapse| {
        let tops = column.profiles.iter().flat_map(|profile| &profile.tops);
        tops.filter(|top| top.1 > 0.0).map(|top| top.0.abs()).fold(0.0, fit::larger)
    };
    let reach = 1.1 * taken(exact).max(taken(convex));
    let curves = |column: &Collapse, named: bool| -> Vec<Series> {
        let of_time = |(profile, time): (&Profile, f64)| Series {
            label: if named { format!("t = {time}") } else { String::new() },
            points: profile.tops.iter().filter(|top| top.0.abs() <= reach).copied().collect(),
        };
        column.profiles.iter().zip(TIMES).map(of_time).collect()
    };
    let mut series = curves(exact, true);
    series.extend(curves(convex, false));
    let rows = (0..series[0].points.len()).map(|k| {
        [series[0].points[k].0]
            .into_iter()
            .chain(series.iter().map(|one| one.points[k].1))
            .collect::<Vec<f64>>()
    });
    let names: Vec<String> = ["x".into()]
        .into_iter()
        .chain(["exact", "convex"].iter().flat_map(|scheme| TIMES.map(|time| format!("{scheme}_{time}"))))
        .collect();
    setting.table(&name, &names.iter().map(String::as_str).collect::<Vec<_>>(), rows)?;
    let plot = Plot {
        title: format!("Bloch 2023, Fig. 12: mu = {}, exact and convex (dashed)", exact.mu),
        x: "x".into(),
        y: "height".into(),
        series,
        dashed_from: Some(TIMES.len()),
        size: (900, 380),
        ..Plot::default()
    };
    setting.figure(&name, &plot)
}
