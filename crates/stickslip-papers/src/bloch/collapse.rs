//! Bloch 2023, 3.3.2: a column of disks collapses, by the convex scheme and by the fixed point.

use crate::{Claim, Experiment, Result, Setting, fit, parameter};
use rayon::prelude::*;
use stickslip_geometry::space::Vector;
use stickslip_pictures::plots::{Plot, Series};
use stickslip_scene::measures::column_tops;

pub const EXPERIMENT: Experiment = Experiment {
    id: "bloch-collapse",
    summary: "a column of disks collapses: profiles by the convex scheme and by the fixed point",
    paper: "Bloch 2023, section 3.3.2, Fig. 12",
    run,
};

const SCENE: &str = include_str!("../../../../scenes/papers/bloch-collapse.toml");
/// Disks in a row, and rows, of a quick and of a full run.
const SIDES: [usize; 2] = [10, 30];
const FRICTIONS: [f64; 2] = [0.1, 1.0];
const SCHEMES: [&str; 2] = ["fixed-point", "convex"];
/// What solves the convex problems of the fixed point, by Mosek in the paper: sweeps, which take a third of the time of `apgd-asr`.
const CONVEX: &str =
    "solver={ method = { fixed-point = { inner = { solver = \"nlgs-accelerated\" } } }, tolerance = 1e-6 }";
/// Steps of all runs that may miss, for a known reason, and the lift that these leave.
const MISSED: f64 = 20.0;
const LIFTED: f64 = 0.02;
const HARD: &str = "with friction 1 one in a thousand steps of the large column is brought to rest by no method within a million \
                    iterations; the certificate tells which";
/// Of the masses, of which the first is drawn. Every scheme sees the same; the fixed point of the large column is dear, and takes
/// the first two.
const SEEDS: [u64; 3] = [1, 2, 3];
/// When profiles are taken.
const TIMES: [f64; 7] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0];
/// How far widths and heights by both schemes may be from each other, as a part.
const TOLERANCE: f64 = 0.1;

fn run(setting: &Setting) -> Result<Vec<Claim>> {
    let side = SIDES[usize::from(!setting.quick)];
    let seeds = setting.choose(&SEEDS[..2], &SEEDS[..]);
    let of_seeds = |(mu, scheme): (f64, &'static str)| {
        let of = |&seed| Collapse::new(setting, side, mu, scheme, seed);
        seeds.par_iter().map(of).collect::<Result<Vec<_>>>()
    };
    let both = |mu: f64| {
        let columns =
            SCHEMES.into_par_iter().map(|scheme| of_seeds((mu, scheme))).collect::<Result<Vec<_>>>()?;
        Ok((mu, columns))
    };
    let by_friction = FRICTIONS.into_par_iter().map(both).collect::<Result<Vec<_>>>()?;
    let all = || by_friction.iter().flat_map(|(_, columns)| columns.iter().flatten());
    table(setting, all())?;
    let mut claims = Vec::new();
    for (mu, columns) in &by_friction {
        let [fixed_point, convex] = [0, 1].map(|scheme| columns[scheme].as_slice());
        draw(setting, &fixed_point[0], &convex[0])?;
        claims.extend(compare(fixed_point, convex, *mu));
    }
    let missed: usize =
        by_friction.iter().flat_map(|(_, columns)| columns.iter().flatten()).map(|one| one.missed).sum();
    let claim = Claim::at_most("steps that missed a residual of 1e-6", 0.0, missed as f64, 0.0);
    claims.push(claim.ours().finding(..=MISSED, HARD));
    Ok(claims)
}

/// Both schemes tell the same story of the same masses: widths and heights at all times, means over the seeds.
fn compare(fixed_point: &[Collapse], convex: &[Collapse], mu: f64) -> Vec<Claim> {
    let off = |value: fn(&Profile) -> f64| {
        let part = |k: usize| {
            let pairs = fixed_point.iter().zip(convex);
            let parts = pairs.map(|(a, b)| value(&b.profiles[k]) / value(&a.profiles[k]) - 1.0);
            fit::mean(parts).abs()
        };
        (0..TIMES.len()).map(part).fold(0.0, fit::larger)
    };
    let by_scheme = fit::mean(fixed_point.iter().zip(convex).map(|(a, b)| a.distance(b)));
    let by_seed = [fixed_point, convex].into_iter().flat_map(|columns| {
        columns.iter().enumerate().flat_map(|(k, a)| columns[..k].iter().map(|b| a.distance(b)))
    });
    let largest = fixed_point.iter().map(|column| column.lift).fold(0.0, fit::larger);
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
            of("area between the profiles of both schemes by that between seeds, means"),
            1.0,
            by_scheme / fit::mean(by_seed),
            0.5,
        )
        .ours(),
        Claim::at_most(
            of("largest lift of a contact by the fixed point, by the least of the convex scheme"),
            0.0,
            largest / least,
            0.001,
        )
        .ours()
        .finding(..=LIFTED, HARD),
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
    /// The largest of the distances at all times.
    fn distance(&self, other: &Collapse) -> f64 {
        let distances = self.profiles.iter().zip(&other.profiles).map(|(a, b)| a.distance(b));
        distances.fold(0.0, fit::larger)
    }

    fn new(setting: &Setting, side: usize, mu: f64, scheme: &'static str, seed: u64) -> Result<Self> {
        let mut settings =
            vec![format!("n={side}"), format!("mu={mu}"), format!("scheme={scheme}"), format!("seed={seed}")];
        settings.extend((scheme == SCHEMES[0]).then(|| CONVEX.to_string()));
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

fn table<'a>(setting: &Setting, columns: impl Iterator<Item = &'a Collapse>) -> Result<()> {
    let rows = columns.flat_map(|column| {
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

fn draw(setting: &Setting, fixed_point: &Collapse, convex: &Collapse) -> Result<()> {
    let name = format!("figure-12-mu-{}", fixed_point.mu);
    let taken = |column: &Collapse| {
        let tops = column.profiles.iter().flat_map(|profile| &profile.tops);
        tops.filter(|top| top.1 > 0.0).map(|top| top.0.abs()).fold(0.0, fit::larger)
    };
    let reach = 1.1 * taken(fixed_point).max(taken(convex));
    let curves = |column: &Collapse, named: bool| -> Vec<Series> {
        let of_time = |(profile, time): (&Profile, f64)| Series {
            label: if named { format!("t = {time}") } else { String::new() },
            points: profile.tops.iter().filter(|top| top.0.abs() <= reach).copied().collect(),
        };
        column.profiles.iter().zip(TIMES).map(of_time).collect()
    };
    let mut series = curves(fixed_point, true);
    series.extend(curves(convex, false));
    let rows = (0..series[0].points.len()).map(|k| {
        [series[0].points[k].0]
            .into_iter()
            .chain(series.iter().map(|one| one.points[k].1))
            .collect::<Vec<f64>>()
    });
    let names: Vec<String> = ["x".into()]
        .into_iter()
        .chain(SCHEMES.iter().flat_map(|scheme| TIMES.map(|time| format!("{scheme}_{time}"))))
        .collect();
    setting.table(&name, &names.iter().map(String::as_str).collect::<Vec<_>>(), rows)?;
    let plot = Plot {
        title: format!("Bloch 2023, Fig. 12: mu = {}, fixed point and convex (dashed)", fixed_point.mu),
        x: "x".into(),
        y: "height".into(),
        series,
        dashed_from: Some(TIMES.len()),
        size: (900, 380),
        ..Plot::default()
    };
    setting.figure(&name, &plot)
}
