//! Bloch 2023, 3.3.2: how many convex problems the fixed point solves in a step, and what the convex scheme does instead.

use super::count;
use crate::{Claim, Experiment, Result, Setting, fit, group};
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
/// Spheres a side, of a full and of a quick run.
const SIDES: [[usize; 3]; 2] = [[8, 10, 12], [4, 5, 6]];
/// Friction, and the paper's mean of convex problems in a step.
const FRICTIONS: [(f64, f64); 2] = [(0.1, 3.5), (1.0, 8.0)];
const SCHEMES: [&str; 2] = ["exact", "convex"];
/// Steps of a run whose problem is given to the fixed point.
const COUNTED: usize = 12;
/// How far heights and widths by both schemes may be from each other, as a part.
const ALIKE: f64 = 0.1;

fn run(setting: &Setting) -> Result<Vec<Claim>> {
    let sides = SIDES[usize::from(setting.quick)];
    let mut cases = Vec::new();
    for (mu, _) in FRICTIONS {
        for scheme in SCHEMES {
            cases.extend(sides.map(|n| (mu, scheme, n)));
        }
    }
    let falls: Vec<Fall> = cases
        .into_par_iter()
        .map(|(mu, scheme, n)| Fall::new(setting, mu, scheme, n))
        .collect::<Result<_>>()?;
    draw(setting, &falls, sides[2])?;
    let mut claims = Vec::new();
    for (of_mu, (mu, paper)) in falls.chunks(SCHEMES.len() * sides.len()).zip(FRICTIONS) {
        let (exact, convex) = of_mu.split_at(sides.len());
        claims.extend(counts(exact, mu, paper));
        claims.extend(alike(exact, convex, mu));
    }
    let missed = falls.iter().map(|fall| fall.missed).sum::<usize>();
    claims.push(Claim::at_most("steps that missed the tolerance", 0.0, missed as f64, 0.0));
    Ok(claims)
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

struct Fall {
    mu: f64,
    scheme: &'static str,
    n: usize,
    rows: Vec<Row>,
    /// Times of the steps that were counted, and their convex problems.
    counts: Vec<(f64, usize)>,
    missed: usize,
}

impl Fall {
    fn new(setting: &Setting, mu: f64, scheme: &'static str, n: usize) -> Result<Self> {
        let settings = [format!("n={n}"), format!("mu={mu}"), format!("scheme={scheme}")];
        let scene = setting.scene("bloch-fixed-point", SCENE, &[], &settings)?;
        let mut built = scene.build::<3>()?;
        let (h, end) = (scene.file.time.value.step, scene.file.time.value.end);
        let steps = (end / h).round() as usize;
        let every = steps.div_ceil(COUNTED);
        let mut fall = Fall { mu, scheme, n, rows: Vec::new(), counts: Vec::new(), missed: 0 };
        for step in 1..=steps {
            if scheme == SCHEMES[0] && step % every == 0 {
                let (time, problem) = (built.world.time(), built.world.problem(h)?);
                let count = problem.map(|(problem, _)| count::fixed_point(&problem)).transpose()?;
                fall.counts.extend(count.map(|count| (time, count)));
            }
            let lift = built.world.step(h)?.lift;
            fall.rows.push(fall_of(&built, lift)?);
        }
        fall.missed = built.world.missed();
        let style = Style { size: (640, 480), ..Style::default() };
        setting.picture(&format!("end-{scheme}-{n}-mu-{mu}"), &built.world, &style)?;
        Ok(fall)
    }

    /// Mean of the convex problems.
    fn mean(&self) -> f64 {
        fit::mean(self.counts.iter().map(|(_, count)| *count as f64))
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

fn counts(exact: &[Fall], mu: f64, paper: f64) -> Vec<Claim> {
    let means = || exact.iter().map(Fall::mean);
    let (all, least) = (fit::mean(means()), means().fold(f64::INFINITY, fit::smaller));
    let most = means().fold(0.0, fit::larger);
    vec![
        Claim::near(format!("mu = {mu}: convex problems in a step"), paper, all, 0.5 * paper),
        Claim::near(format!("mu = {mu}: most by least over the number of spheres"), 1.0, most / least, 0.5),
    ]
}

/// Both schemes tell the same story at the end.
fn alike(exact: &[Fall], convex: &[Fall], mu: f64) -> Vec<Claim> {
    let last = |fall: &Fall, value: fn(&Row) -> f64| fall.rows.last().map_or(f64::NAN, value);
    let off = |value: fn(&Row) -> f64| {
        let parts = exact.iter().zip(convex).map(|(a, b)| (last(b, value) / last(a, value) - 1.0).abs());
        parts.fold(0.0, fit::larger)
    };
    vec![
        Claim::at_most(
            format!("mu = {mu}: heights by the convex scheme, off by"),
            0.0,
            off(|row| row.height),
            ALIKE,
        ),
        Claim::at_most(
            format!("mu = {mu}: widths by the convex scheme, off by"),
            0.0,
            off(|row| row.width),
            ALIKE,
        ),
    ]
}

fn draw(setting: &Setting, falls: &[Fall], largest: usize) -> Result<()> {
    let exact = || falls.iter().filter(|fall| !fall.counts.is_empty());
    let rows = exact().map(|fall| vec![fall.mu, fall.n.pow(3) as f64, fall.mean()]);
    setting.table("counts", &["mu", "spheres", "convex problems in a step"], rows)?;
    let ends = falls.iter().filter_map(|fall| {
        let row = fall.rows.last()?;
        let lift = fall.rows.iter().map(|row| row.lift).fold(0.0, fit::larger);
        let numbers = [fall.mu, fall.n.pow(3) as f64, row.height, row.width, lift].map(|x| x.to_string());
        Some([vec![fall.scheme.to_string()], numbers.to_vec()].concat())
    });
    setting.table("ends", &["scheme", "mu", "spheres", "height", "width", "largest lift"], ends)?;
    let counted = exact().filter(|fall| fall.n == largest).map(|fall| {
        let points = fall.counts.iter().map(|(time, count)| (*time, *count as f64)).collect();
        Series { label: format!("mu = {}", fall.mu), points }
    });
    let title = format!("Bloch 2023, 3.3.2: {} spheres", largest.pow(3));
    let plot = |y: &str, series| Plot {
        title: title.clone(),
        x: "time".into(),
        y: y.into(),
        series,
        ..Plot::default()
    };
    setting.figure("counts", &plot("convex problems in a step", counted.collect()))?;
    type Figure = (&'static str, &'static str, fn(&Row) -> f64);
    let figures: [Figure; 2] = [
        ("height", "height of the centre", |row| row.height),
        ("width", "distance from the axis", |row| row.width),
    ];
    for (name, y, value) in figures {
        let curves = falls.iter().filter(|fall| fall.n == largest).map(|fall| {
            let points = fall.rows.iter().map(|row| (row.time, value(row))).collect();
            Series { label: format!("{}, mu = {}", fall.scheme, fall.mu), points }
        });
        setting.figure(name, &plot(y, curves.collect()))?;
    }
    Ok(())
}
