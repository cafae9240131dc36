//! Renouf–Acary 2006, section 5: a large sphere below 800 small ones rises when the floor is shaken.

use super::case::Case;
use super::local::{DEDICATED, LEMKE, NEWTON, QP, Race};
use super::whole::{self, WholeRuns};
use crate::{Claim, Experiment, Result, Setting, fit, friction, group, parameter};
use rayon::prelude::*;
use stickslip_pictures::plots::{Plot, Series};
use stickslip_pictures::{By, Colouring, Style};
use stickslip_scene::Built;

pub const EXPERIMENT: Experiment = Experiment {
    id: "renouf-brazil-nut",
    summary: "800 spheres and a larger one below them on a shaken floor: the large one rises",
    paper: "Renouf–Acary 2006, section 5, Fig. 2",
    run,
};

const SCENE: &str = include_str!("../../../../scenes/papers/renouf-brazil-nut.toml");
const QUICK: [&str; 3] = ["number=200", "side=10", "time.end=24"];
/// What both kinds of friction are compared in, and what is run from beginning to end by every solver of one contact.
const SHORT: [&str; 3] = ["number=200", "side=10", "time.end=8"];
const WHOLE: [&str; 3] = ["number=200", "side=10", "time.end=2"];
/// Heights are means over this time at the end.
const MEAN: f64 = 4.0;
/// Problems that every solver of one contact takes on, the time between them, and the sweeps of each.
const RACES: usize = 5;
const PAUSE: f64 = 2.0;
const SWEEPS: usize = 50;
/// The least mean rise of all runs, by the radius of the large sphere.
const RISE: f64 = 1.0;
/// Runs with Lemke's method and quadratic programs, which take up to twenty times as long, last this part of the others.
const SHORTER: f64 = 0.4;
/// Steps between two rows.
const EVERY: usize = 10;

const CASES: [Case; 8] = [
    Case { label: "auto", settings: &[], local: None },
    Case { label: "Newton", settings: &[], local: Some(NEWTON) },
    Case { label: "seed 2", settings: &["seed=2"], local: None },
    Case { label: "seed 3", settings: &["seed=3"], local: None },
    Case { label: "seed 4", settings: &["seed=4"], local: None },
    Case { label: "Lemke", settings: &[], local: Some(LEMKE) },
    Case { label: "other shaking", settings: &["amplitude=1.5", "frequency=0.8"], local: None },
    Case { label: "QP", settings: &[], local: Some(QP) },
];

fn run(setting: &Setting) -> Result<Vec<Claim>> {
    let shaken: Vec<(Run, Race)> =
        CASES.par_iter().map(|case| shake(setting, case)).collect::<Result<_>>()?;
    let (runs, races): (Vec<Run>, Vec<Race>) = shaken.into_iter().unzip();
    draw(&runs, setting)?;
    races[0].table(setting, "solvers")?;
    let scene = setting.small_scene("renouf-brazil-nut", SCENE, &WHOLE)?;
    let whole = [WholeRuns::new("shaken for 2 s", &scene, &[DEDICATED, NEWTON, LEMKE, QP])?];
    whole::table(setting, &whole)?;
    let mut claims = claims(&runs);
    claims.extend(races[0].claims());
    claims.extend(whole[0].claims());
    let small = setting.small_scene("renouf-brazil-nut", SCENE, &SHORT)?;
    claims.push(friction::compare::<3>(setting, &small)?.lift().ours());
    Ok(claims)
}

/// What is read now and then.
struct Row {
    time: f64,
    /// Heights over the floor, of the large sphere and of the centre of the small ones.
    nut: f64,
    grains: f64,
    /// The part of the small spheres whose centres are below that of the large one.
    below: f64,
}

impl Row {
    fn of(built: &Built<3>) -> Result<Self> {
        let heights = |name: &str| -> Result<Vec<f64>> {
            Ok(group(built, name)?.iter().map(|body| built.world.bodies().x[body.index()][2]).collect())
        };
        let (floor, nut, grains) = (heights("floor")?[0], heights("nut")?[0], heights("grains")?);
        let count = grains.len() as f64;
        Ok(Row {
            time: built.world.time(),
            nut: nut - floor,
            grains: fit::mean(grains.iter().copied()) - floor,
            below: grains.iter().filter(|height| **height < nut).count() as f64 / count,
        })
    }
}

struct Run {
    case: &'static Case,
    /// Of the large sphere.
    radius: f64,
    rows: Vec<Row>,
    missed: usize,
    /// Spent in solvers, and sweeps done.
    seconds: f64,
    sweeps: usize,
}

impl Run {
    /// Of a sweep.
    fn seconds_of_a_sweep(&self) -> f64 {
        self.seconds / self.sweeps as f64
    }

    /// Mean of a column over the end.
    fn last(&self, value: impl Fn(&Row) -> f64) -> f64 {
        let end = self.rows.last().map_or(0.0, |row| row.time);
        fit::mean(self.rows.iter().filter(|row| row.time > end - MEAN).map(value))
    }

    /// How far the large sphere has risen, by its radius.
    fn rise(&self) -> f64 {
        let start = self.rows.first().map_or(f64::NAN, |row| row.nut);
        (self.last(|row| row.nut) - start) / self.radius
    }
}

/// Shakes, and lets solvers of one contact race now and then in the first case.
fn shake(setting: &Setting, case: &'static Case) -> Result<(Run, Race)> {
    let (scene, mut built) = case.build(setting, "renouf-brazil-nut", SCENE, &QUICK)?;
    let is_slow = [LEMKE, QP].iter().any(|slow| case.label == slow.label);
    let part = if is_slow { SHORTER } else { 1.0 };
    let (h, end) = (scene.file.time.value.step, part * scene.file.time.value.end);
    let radius = parameter(&scene, "radius")?;
    let mut run = Run { case, radius, rows: vec![Row::of(&built)?], missed: 0, seconds: 0.0, sweeps: 0 };
    let mut race = Race::new(&[DEDICATED, NEWTON, LEMKE, QP], SWEEPS);
    let count = if case.label == CASES[0].label { RACES } else { 0 };
    let mut races = (1..=count).map(|k| PAUSE * k as f64).peekable();
    while built.world.time() < end - 0.5 * h {
        if races.next_if(|time| built.world.time() >= *time).is_some() {
            race.run(&mut built.world, h)?;
        }
        let report = built.world.step(h)?;
        run.seconds += report.seconds.solve;
        run.sweeps += report.outcome.as_ref().map_or(0, |outcome| outcome.iterations);
        if built.world.steps() % EVERY == 0 {
            run.rows.push(Row::of(&built)?);
        }
    }
    run.missed = built.world.missed();
    let size = Colouring { by: By::Size, ..Colouring::default() };
    let style = Style { size: (480, 640), colouring: size, ..Style::default() };
    setting.picture(&format!("end-{}", case.name()), &built.world, &style)?;
    Ok((run, race))
}

fn claims(runs: &[Run]) -> Vec<Claim> {
    let rises = runs.iter().map(|run| {
        let label = format!("{}: rise of the large sphere by its radius", run.case.label);
        Claim::at_least(label, 0.0, run.rise(), 0.0)
    });
    let mean = fit::mean(runs.iter().map(Run::rise));
    let missed = runs.iter().map(|run| run.missed).sum::<usize>();
    let of_all = [
        Claim::at_least("rise of the large sphere by its radius, mean of all runs", RISE, mean, 0.0).ours(),
        Claim::at_most("steps that missed the tolerance", 0.0, missed as f64, 0.0).ours(),
    ];
    let of = |label: &str| {
        let run = runs.iter().find(|run| run.case.label == label);
        run.map_or(f64::NAN, Run::seconds_of_a_sweep)
    };
    let slower = [LEMKE, QP].map(|local| {
        let claim =
            format!("time of a sweep of the whole run with {} by that with Newton, the fastest", local.label);
        Claim::at_least(claim, 1.0, of(local.label) / of(NEWTON.label), 0.0).timed()
    });
    rises.chain(of_all).chain(slower).collect()
}

fn draw(runs: &[Run], setting: &Setting) -> Result<()> {
    let curve = |run: &Run, label: String, value: fn(&Row) -> f64| Series {
        label,
        points: run.rows.iter().map(|row| (row.time, value(row))).collect(),
    };
    let mut heights: Vec<Series> =
        runs.iter().map(|run| curve(run, run.case.label.into(), |row| row.nut)).collect();
    heights.extend(runs.first().map(|run| curve(run, "small ones".into(), |row| row.grains)));
    let below = runs.iter().map(|run| curve(run, run.case.label.into(), |row| row.below)).collect();
    for (name, y, series) in [("height", "height", heights), ("below", "share below", below)] {
        let title = "Renouf–Acary 2006: the large sphere on a shaken floor".into();
        setting
            .figure(name, &Plot { title, x: "time [s]".into(), y: y.into(), series, ..Plot::default() })?;
    }
    for run in runs {
        let rows = run.rows.iter().map(|row| vec![row.time, row.nut, row.grains, row.below]);
        setting.table(&format!("series-{}", run.case.name()), &["time", "nut", "grains", "below"], rows)?;
    }
    let cost = |run: &Run| vec![run.case.name(), run.sweeps.to_string(), run.seconds.to_string()];
    setting.table("runs", &["run", "sweeps", "seconds"], runs.iter().map(cost))
}
