//! Tasora 2013, section 11: spheres under 100 kg in a box whose halves shift; and 10.2, what a warm start saves.

mod grains;
mod warm_start;

use crate::{
    Claim, Experiment, ExperimentError, Result, Setting, fit, free_mass, friction, group, parameter,
};
use grains::Grains;
use rayon::prelude::*;
use stickslip_pictures::plots::{Plot, Series};
use stickslip_scene::{Built, Scene};
use warm_start::Solved;

pub const EXPERIMENT: Experiment = Experiment {
    id: "tasora-shear-box",
    summary: "720 spheres under 100 kg: load on the floor, shear force, and what a warm start saves",
    paper: "Tasora 2013, sections 10.2 and 11, Figs 9 to 13",
    run,
};

const SCENE: &str = include_str!("../../../../../scenes/papers/tasora-shear-box.toml");
/// A narrower box under the same mass, with fewer layers of spheres on each side of the cut.
const QUICK: [&str; 6] =
    ["side=0.06", "large=18", "small=126", "lift=0.225", "cut=0.05", "solver.tolerance=1e-3"];
/// A wide box with two layers of spheres, for both kinds of friction.
const SHALLOW: [&str; 4] = ["large=18", "small=126", "lift=0.27", "cut=0.015"];
/// Runs: by seeds of the packing, and with rigid contacts. What a warm start saves is found in one of either kind.
const RUNS: [Kind; 4] = [
    Kind { label: "seed 2013", settings: &["seed=2013"], contacts: "compliant", looks: true },
    Kind { label: "seed 1", settings: &["seed=1"], contacts: "compliant", looks: false },
    Kind {
        label: "rigid",
        settings: &["seed=2013", "stiffness=inf", "alpha=0"],
        contacts: "rigid",
        looks: true,
    },
    Kind { label: "seed 2", settings: &["seed=2"], contacts: "compliant", looks: false },
];
/// Time before the shift, and before the end, over which loads are means.
const REST: f64 = 0.05;
/// Time before and after the moment in which the lid lands in which a spike is sought, and what is one, by the shear force at rest.
const LANDING: f64 = 0.03;
const SPIKE: f64 = 2.0;
/// How far both kinds of friction may differ: contacts that give way do not lift, but few layers of grains dilate.
const ALIKE: f64 = 0.15;

fn run(setting: &Setting) -> Result<Vec<Claim>> {
    let tests: Vec<Test> = RUNS.par_iter().map(|kind| Test::run(setting, kind)).collect::<Result<_>>()?;
    draw(setting, &tests)?;
    warm_start::table(setting, tests.iter().flat_map(|test| &test.solved))?;
    let mut claims: Vec<Claim> = tests.iter().flat_map(Test::claims).collect();
    claims.push(resistance(&tests));
    claims.extend(grains_go_down(&tests));
    let solved: Vec<&Solved> = tests.iter().flat_map(|test| &test.solved).collect();
    claims.extend(warm_start::claims(&solved));
    if let Some(grains) = &tests[0].grains {
        grains.draw(setting)?;
    }
    let small = setting.small_scene("tasora-shear-box", SCENE, &SHALLOW)?;
    claims.push(friction::compare::<3>(setting, &small)?.height(ALIKE).ours());
    Ok(claims)
}

/// What is left open.
struct Kind {
    label: &'static str,
    settings: &'static [&'static str],
    contacts: &'static str,
    /// Whether steps are solved from both starts.
    looks: bool,
}

/// What is read at the end of a step.
struct Row {
    time: f64,
    /// Height of the lower face of the lid over the floor.
    lid: f64,
    /// Load on the floor, and on the upper half with the lid the way in which the lower half goes.
    floor: f64,
    shear: f64,
}

struct Test {
    kind: &'static Kind,
    /// When the lid is let go, when the halves begin to shift, and when all ends.
    release: f64,
    shift: f64,
    end: f64,
    /// Of all that lies on the floor.
    weight: f64,
    rows: Vec<Row>,
    /// The way of the grains under the lid.
    grains: Option<Grains>,
    /// Steps that were solved from both starts.
    solved: Vec<Solved>,
}

impl Test {
    fn run(setting: &Setting, kind: &'static Kind) -> Result<Self> {
        let own: Vec<String> = kind.settings.iter().map(|text| text.to_string()).collect();
        let scene = setting.scene("tasora-shear-box", SCENE, &QUICK, &own)?;
        let mut built = scene.build::<3>()?;
        let mut test = Test {
            kind,
            release: parameter(&scene, "release")?,
            shift: parameter(&scene, "shear")?,
            end: scene.file.time.value.end,
            weight: -free_mass(&built.world) * built.world.gravity[2],
            rows: Vec::new(),
            grains: None,
            solved: Vec::new(),
        };
        let h = scene.file.time.value.step;
        let mut looks = warm_start::times(test.shift, test.end).into_iter().filter(|_| kind.looks).peekable();
        while built.world.time() < test.end - 0.5 * h {
            if looks.next_if(|time| built.world.time() >= *time).is_some() {
                test.solved.extend(warm_start::look(kind.contacts, &mut built.world, h)?);
            }
            test.step(&scene, &mut built, h)?;
        }
        Ok(test)
    }

    fn step(&mut self, scene: &Scene, built: &mut Built<3>, h: f64) -> Result<()> {
        let report = built.world.step(h)?;
        let on = |name: &str| Ok::<_, ExperimentError>(built.world.force_on(&group(built, name)?));
        let (bodies, lid) = (built.world.bodies(), group(built, "lid")?[0].index());
        let height = bodies.x[lid][2] - bodies.shape[lid].inner_radius();
        let row = Row { time: report.time, lid: height, floor: -on("floor")?[2], shear: -on("upper")?[0] };
        self.rows.push(row);
        if self.grains.is_none() && report.time > self.release {
            self.grains = Some(Grains::new(&built.world, parameter(scene, "speed")?));
        }
        if let Some(grains) = self.grains.as_mut() {
            grains.follow(&built.world, self.shift);
        }
        Ok(())
    }

    /// Rows of some time before a moment.
    fn before(&self, until: f64, length: f64) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.time > until - length && row.time <= until)
    }

    fn at_rest(&self) -> f64 {
        fit::mean(self.before(self.shift, REST).map(|row| row.floor))
    }

    /// The load that the lid adds.
    fn added(&self) -> f64 {
        self.at_rest() - fit::mean(self.before(self.release, REST).map(|row| row.floor))
    }

    /// Mean shear force before the halves shift, and at the end.
    fn shear(&self) -> [f64; 2] {
        [self.shift, self.end].map(|time| fit::mean(self.before(time, REST).map(|row| row.shear)))
    }

    /// The largest shear force as the lid lands, by its mean before the shift. The lid has landed where half of its load is on the
    /// floor.
    fn spike(&self) -> f64 {
        let half = self.at_rest() - 0.5 * self.added();
        let lands = self.rows.iter().find(|row| row.time > self.release && row.floor > half);
        let landed = lands.map_or(f64::NAN, |row| row.time);
        let shear = self.rows.iter().filter(|row| (row.time - landed).abs() <= LANDING);
        shear.map(|row| row.shear.abs()).fold(f64::NAN, f64::max) / self.shear()[0].abs()
    }

    fn claims(&self) -> Vec<Claim> {
        let say = |text: &str| format!("{}: {text}", self.kind.label);
        let on_floor = Claim::near(
            say("load on the floor before the shift by the weight above it"),
            1.0,
            self.at_rest() / self.weight,
            0.05,
        );
        vec![
            on_floor.ours(),
            Claim::near(say("rise of the load on the floor by the lid [N]"), 1000.0, self.added(), 50.0),
            Claim::at_least(
                say("largest shear force as the lid lands by that before the shift, a spike"),
                SPIKE,
                self.spike(),
                0.0,
            ),
        ]
    }
}

/// Figs 12 and 13: grains go down rather than along the shift, in the mean of all packings.
fn grains_go_down(tests: &[Test]) -> [Claim; 2] {
    let found = || compliant(tests).filter_map(|test| test.grains.as_ref()?.down());
    let [part, speed] = [0, 1].map(|k| fit::mean(found().map(|down| down[k])));
    let why = "single grains are thrown up and aside as the mass lands, in a narrow box by more than it compacts them all";
    [
        Claim::at_least(
            "Figs 12 and 13: velocity of the grains down by that along the shift, root mean squares, mean of all seeds",
            1.0,
            part,
            0.0,
        ),
        Claim::at_least(
            "Figs 12 and 13: velocity of the grains down, mean of all grains and seeds [mm/s]",
            0.0,
            1e3 * speed,
            0.0,
        )
        .finding(-10.0..0.0, why),
    ]
}

/// Tests of contacts that give way.
fn compliant(tests: &[Test]) -> impl Iterator<Item = &Test> {
    tests.iter().filter(|test| test.kind.contacts == "compliant")
}

/// Grains resist the shift: in the mean of all packings, since in one of them a few grains may give way.
fn resistance(tests: &[Test]) -> Claim {
    let rises: Vec<f64> = compliant(tests)
        .map(|test| {
            let [before, after] = test.shear();
            after - before
        })
        .collect();
    let least = rises.iter().copied().fold(f64::INFINITY, f64::min);
    let claim = format!(
        "rise of the shear force by the shift, mean of {} seeds, the least {least:.0} N [N]",
        rises.len()
    );
    Claim::at_least(claim, 0.0, fit::mean(rises.into_iter()), 0.0)
}

fn draw(setting: &Setting, tests: &[Test]) -> Result<()> {
    let rows = tests.iter().flat_map(|test| {
        test.rows.iter().map(|row| {
            let numbers = [row.time, row.lid, row.floor, row.shear].map(|x| x.to_string());
            [test.kind.label.to_string()].into_iter().chain(numbers).collect::<Vec<String>>()
        })
    });
    setting.table("series", &["run", "time", "lid", "floor", "shear"], rows)?;
    type Figure = (&'static str, &'static str, &'static str, fn(&Row) -> f64);
    let figures: [Figure; 3] = [
        ("figure-9", "height of the load", "height [mm]", |row| 1e3 * row.lid),
        ("figure-10", "vertical load on the floor", "load [N]", |row| row.floor),
        ("figure-11", "reaction on the upper half along the shift", "force [N]", |row| row.shear),
    ];
    for (name, title, y, value) in figures {
        let curve = |test: &Test| {
            let points = test.before(test.end, test.end - test.release + REST);
            Series {
                label: test.kind.label.into(),
                points: points.map(|row| (row.time, value(row))).collect(),
            }
        };
        let plot = Plot {
            title: format!("Tasora 2013, Fig. {}: {title}", name.trim_start_matches("figure-")),
            x: "time [s]".into(),
            y: y.into(),
            series: tests.iter().map(curve).collect(),
            ..Plot::default()
        };
        setting.figure(name, &plot)?;
    }
    Ok(())
}
