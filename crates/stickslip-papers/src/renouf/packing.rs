//! Renouf–Acary 2006, section 5: a packing of spheres by sweeps, once with each solver of one contact.

use super::local::{DEDICATED, ENUMERATION, LEMKE, Local, NEWTON, QP};
use super::whole::{self, WholeRuns};
use crate::{Claim, Experiment, Result, Setting, fit, friction};
use stickslip_pictures::Style;
use stickslip_pictures::plots::{Plot, Series};
use stickslip_scene::Scene;

pub const EXPERIMENT: Experiment = Experiment {
    id: "renouf-packing",
    summary: "spheres fall into a box and come to rest: what each solver of one contact costs",
    paper: "Renouf–Acary 2006, section 5",
    run,
};

const SCENE: &str = include_str!("../../../../scenes/papers/renouf-packing.toml");
const QUICK: [&str; 2] = ["number=60", "side=0.35"];
/// Other packings have fewer spheres: runs of many part from one another, as a difference of the last digits grows from hit to hit.
const FEW: [&str; 3] = ["side=0.35", "number=30", "time.end=0.8"];
/// What they are called, and what else they have of their own.
const VARIANTS: [(&str, [&str; 3]); 2] = [
    ("other places", ["seed=7", "smallest=0.08", "largest=0.12"]),
    ("three times as large as the smallest", ["seed=8", "smallest=0.05", "largest=0.15"]),
];
/// The paper's, the one that it takes as the reference first; and ours.
const LOCALS: [Local; 5] = [DEDICATED, NEWTON, LEMKE, QP, ENUMERATION];

fn run(setting: &Setting) -> Result<Vec<Claim>> {
    let scene = setting.scene("renouf-packing", SCENE, &QUICK, &[])?;
    let mut runs = Vec::new();
    for local in LOCALS {
        runs.push(Run::new(&scene, local, setting)?);
    }
    draw(&runs, setting)?;
    let mut claims = claims(&runs);
    let variants = variants(setting)?;
    whole::table(setting, &variants)?;
    claims.extend(variants.iter().flat_map(|runs| runs.claims().into_iter().chain([whole::slowest(runs)])));
    let small = setting.small_scene("renouf-packing", SCENE, &QUICK)?;
    claims.push(friction::compare::<3>(setting, &small)?.lift().ours());
    Ok(claims)
}

/// Other packings by the solvers of the paper.
fn variants(setting: &Setting) -> Result<Vec<WholeRuns>> {
    let run = |(label, own): &(&'static str, [&str; 3])| {
        let settings: Vec<String> = FEW.iter().chain(own).map(|text| text.to_string()).collect();
        let scene = setting.scene("renouf-packing", SCENE, &[], &settings)?;
        WholeRuns::new(label, &scene, &[DEDICATED, NEWTON, LEMKE, QP])
    };
    VARIANTS.iter().map(run).collect()
}

/// What is read at the end of a step.
struct Row {
    time: f64,
    contacts: usize,
    kinetic: f64,
    /// Since the start.
    sweeps: usize,
    seconds: f64,
}

/// The packing by one of the solvers.
struct Run {
    label: &'static str,
    rows: Vec<Row>,
    missed: usize,
}

impl Run {
    fn new(scene: &Scene, local: Local, setting: &Setting) -> Result<Self> {
        let mut world = scene.build::<3>()?.world;
        world.solver = Some(local.sweeps()?);
        let time = &scene.file.time.value;
        let (mut rows, mut sweeps, mut seconds) = (Vec::new(), 0, 0.0);
        while world.time() < time.end - 0.5 * time.step {
            let report = world.step(time.step)?;
            sweeps += report.outcome.as_ref().map_or(0, |outcome| outcome.iterations);
            seconds += report.seconds.solve;
            let kinetic = report.energy.kinetic;
            rows.push(Row { time: report.time, contacts: report.active, kinetic, sweeps, seconds });
        }
        if local.label == NEWTON.label {
            let style = Style { size: (640, 480), ..Style::default() };
            setting.picture("packing", &world, &style)?;
        }
        Ok(Run { label: local.label, rows, missed: world.missed() })
    }

    fn seconds(&self) -> f64 {
        self.rows.last().map_or(0.0, |row| row.seconds)
    }

    fn contacts(&self) -> f64 {
        self.rows.last().map_or(0.0, |row| row.contacts as f64)
    }

    fn most_kinetic(&self) -> f64 {
        self.rows.iter().map(|row| row.kinetic).fold(0.0, fit::larger)
    }

    /// The largest difference of the kinetic energy from that of another run, by the largest.
    fn apart(&self, other: &Run) -> f64 {
        let differences = self.rows.iter().zip(&other.rows).map(|(a, b)| (a.kinetic - b.kinetic).abs());
        differences.fold(0.0, fit::larger) / self.most_kinetic()
    }
}

fn claims(runs: &[Run]) -> Vec<Claim> {
    let [dedicated, newton, lemke, qp] = [DEDICATED, NEWTON, LEMKE, QP].map(|local| {
        let place = LOCALS.iter().position(|other| other.label == local.label).unwrap_or(0);
        &runs[place]
    });
    let middle = newton.rows.get(newton.rows.len() / 4).map_or(f64::NAN, |row| row.contacts as f64);
    let rest = newton.rows.last().map_or(f64::NAN, |row| row.kinetic) / newton.most_kinetic();
    let apart = runs.iter().map(|run| dedicated.apart(run)).fold(0.0, fit::larger);
    let missed = runs.iter().map(|run| run.missed).sum::<usize>();
    let by = |run: &Run| run.seconds() / newton.seconds();
    vec![
        Claim::at_least("time of Lemke by that of Newton, which is faster", 1.0, by(lemke), 0.0).timed(),
        Claim::at_least("time of QP by that of Newton, which is faster", 1.0, by(qp), 0.0).timed(),
        Claim::at_least(
            "time of QP, the slowest, by that of Lemke",
            1.0,
            qp.seconds() / lemke.seconds(),
            0.0,
        )
        .timed(),
        Claim::at_least(
            "contacts at the end by those at a quarter of the time",
            1.0,
            newton.contacts() / middle,
            0.0,
        ),
        Claim::at_most("kinetic energy at the end by its largest: static", 0.0, rest, 1e-3),
        Claim::at_most(
            "kinetic energy, largest difference from the dedicated solver by the largest",
            0.0,
            apart,
            0.01,
        ),
        Claim::at_most("steps of all runs that missed the tolerance", 0.0, missed as f64, 0.0).ours(),
    ]
}

fn draw(runs: &[Run], setting: &Setting) -> Result<()> {
    for run in runs {
        setting.table(
            &format!("series-{}", run.label.to_lowercase()),
            &["time", "contacts", "kinetic", "sweeps", "seconds"],
            run.rows
                .iter()
                .map(|row| vec![row.time, row.contacts as f64, row.kinetic, row.sweeps as f64, row.seconds]),
        )?;
    }
    type Figure = (&'static str, &'static str, &'static str, bool, fn(&Row) -> f64);
    let figures: [Figure; 3] = [
        ("contacts", "contacts that push", "contacts", false, |row| row.contacts as f64),
        ("kinetic", "kinetic energy", "kinetic energy [J]", true, |row| row.kinetic),
        ("seconds", "time spent in the solver", "seconds", true, |row| row.seconds),
    ];
    for (name, title, y, logarithmic, value) in figures {
        let curve = |run: &Run| {
            let points = run.rows.iter().map(|row| (row.time, value(row))).collect();
            Series { label: run.label.into(), points }
        };
        let plot = Plot {
            title: format!("Renouf–Acary 2006, a packing of spheres: {title}"),
            x: "time [s]".into(),
            y: y.into(),
            series: runs.iter().map(curve).collect(),
            logarithmic,
            ..Plot::default()
        };
        setting.figure(name, &plot)?;
    }
    Ok(())
}
