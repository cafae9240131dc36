//! Renouf–Acary 2006, section 5, Fig. 3: a wall whose ground goes down under one half.
//!
//! Blocks that go down with the ground come off those that stay. The wall is free at its far end, so that this zone is half an
//! arch, cut off there; in one more run the far end has ground that stays, and the arch is whole.

use super::case::Case;
use super::local::{LEMKE, NEWTON, QP, Race};
use super::whole::{self, WholeRuns};
use crate::{Claim, Experiment, Result, Setting, fit, friction, group, parameter};
use stickslip::BodyId;
use stickslip_geometry::shape::Shape;
use stickslip_geometry::space::Vector;
use stickslip_pictures::plots::{Plot, Series};
use stickslip_pictures::{By, Camera, Colouring, Style};
use stickslip_scene::Built;

pub const EXPERIMENT: Experiment = Experiment {
    id: "renouf-masonry",
    summary: "a wall whose ground goes down under one half: blocks come off below an arch",
    paper: "Renouf–Acary 2006, section 5, Fig. 3",
    run,
};

const SCENE: &str = include_str!("../../../../scenes/papers/renouf-masonry.toml");
const QUICK: [&str; 4] = ["bricks=8", "courses=6", "time.step=0.01", "time.end=1.8"];
/// A wall that is run from beginning to end by every solver of one contact.
const SHORT: [&str; 4] = ["bricks=4", "courses=3", "time.step=0.01", "time.end=0.7"];
/// What the paper's wall takes by Newton's method.
const PAPER_SECONDS: f64 = 1200.0;
/// When solvers of one contact are compared, and over how many sweeps.
const RACES: [f64; 3] = [0.25, 0.7, 1.25];
const SWEEPS: usize = 30;
/// The part of the courses over which the zone that comes off reaches at least.
const LEAST_COURSES: f64 = 0.3;
/// Blocks rock a little at the end, those of an arch that has just closed by up to 0.04 m/s in small walls.
const AT_REST: f64 = 0.05;
/// In running bond a course may end half a block further than the one below.
const BOND: f64 = 0.51;

const CASES: [Case; 5] = [
    Case { label: "auto", settings: &[], local: None },
    Case { label: "Newton", settings: &[], local: Some(NEWTON) },
    Case { label: "rough", settings: &["mu=0.7"], local: None },
    Case { label: "half as deep", settings: &["depth=0.05"], local: None },
    // with friction of 0.5 and more a keystone between two blocks hangs by a thrust that rigid blocks leave open: last bits tell
    // whether it slides on; up to 0.4 it comes down
    Case { label: "far end stays", settings: &["far=0.4", "mu=0.3"], local: None },
];

fn run(setting: &Setting) -> Result<Vec<Claim>> {
    let mut race = Race::new(&[NEWTON, LEMKE, QP], SWEEPS);
    let mut runs = Vec::new();
    for case in &CASES {
        let racing = runs.is_empty().then_some(&mut race);
        runs.push(Run::new(setting, case, racing)?);
    }
    draw(&runs, setting)?;
    race.table(setting, "solvers")?;
    let scene = setting.small_scene("renouf-masonry", SCENE, &SHORT)?;
    let whole = [WholeRuns::new("small wall", &scene, &[NEWTON, LEMKE, QP])?];
    whole::table(setting, &whole)?;
    let mut claims: Vec<Claim> = runs.iter().flat_map(Run::claims).collect();
    let [auto, newton] = [&runs[0], &runs[1]];
    let differ = auto.come_off().iter().zip(newton.come_off()).filter(|(a, b)| **a != *b).count();
    let label = "blocks that come off by one of auto and Newton alone";
    claims.push(Claim::at_most(label, 0.0, differ as f64, 2.0).ours());
    claims.extend(race.claims());
    claims.extend(whole[0].claims());
    let small = setting.small_scene("renouf-masonry", SCENE, &QUICK)?;
    claims.push(friction::compare::<3>(setting, &small)?.lift().ours());
    Ok(claims)
}

/// What is read at the end of a step.
struct Row {
    time: f64,
    /// Blocks that have come off, and the part of the weight on the ground that stays.
    off: usize,
    staying: f64,
}

struct Run {
    case: &'static Case,
    built: Built<3>,
    bricks: Vec<usize>,
    start: Vec<Vector<3>>,
    depth: f64,
    rows: Vec<Row>,
    seconds: f64,
}

impl Run {
    fn new(setting: &Setting, case: &'static Case, mut race: Option<&mut Race>) -> Result<Self> {
        let (scene, built) = case.build(setting, "renouf-masonry", SCENE, &QUICK)?;
        let (h, end) = (scene.file.time.value.step, scene.file.time.value.end);
        let (start, depth) = (built.world.bodies().x.clone(), parameter(&scene, "depth")?);
        let bricks = group(&built, "wall")?.into_iter().map(BodyId::index).collect();
        let mut run = Run { case, built, bricks, start, depth, rows: Vec::new(), seconds: 0.0 };
        let mut races = RACES.into_iter().peekable();
        while run.built.world.time() < end - 0.5 * h {
            if races.next_if(|time| run.built.world.time() >= *time).is_some()
                && let Some(race) = race.as_deref_mut()
            {
                race.run(&mut run.built.world, h)?;
            }
            let report = run.built.world.step(h)?;
            run.seconds += report.seconds.solve;
            let off = run.come_off().iter().filter(|off| **off).count();
            run.rows.push(Row { time: report.time, off, staying: run.on("fixed") + run.on("far") });
        }
        Ok(run)
    }

    /// Which blocks have gone down by more than half the way of the ground.
    fn come_off(&self) -> Vec<bool> {
        let x = &self.built.world.bodies().x;
        self.bricks.iter().map(|&b| self.start[b][2] - x[b][2] > 0.5 * self.depth).collect()
    }

    /// Half the edges of a block.
    fn half(&self, brick: usize) -> Vector<3> {
        match &self.built.world.bodies().shape[brick] {
            Shape::Cuboid(cuboid) => cuboid.half,
            _ => Vector::<3>::zeros(),
        }
    }

    /// Length that comes off every course, from below.
    fn outline(&self) -> Vec<f64> {
        let course = |b: usize| (0.5 * self.start[b][2] / self.half(b)[2]) as usize;
        let courses = self.bricks.iter().map(|&b| course(b) + 1).max().unwrap_or(0);
        let mut lengths = vec![0.0; courses];
        for (&b, _) in self.bricks.iter().zip(self.come_off()).filter(|(_, off)| *off) {
            lengths[course(b)] += 2.0 * self.half(b)[0];
        }
        lengths
    }

    /// Blocks that come off although no part of them was over the ground that goes down.
    fn astray(&self) -> usize {
        let bodies = self.built.world.bodies();
        let Some(ground) = bodies.find("sinking").map(BodyId::index) else { return self.bricks.len() };
        let apart = |b: usize| {
            (self.start[b][0] - self.start[ground][0]).abs() > self.half(b)[0] + self.half(ground)[0]
        };
        self.bricks.iter().zip(self.come_off()).filter(|(b, off)| *off && apart(**b)).count()
    }

    /// The part of the weight that a ground bears, mean over the last step.
    fn on(&self, name: &str) -> f64 {
        let world = &self.built.world;
        let ground: Vec<BodyId> = world.bodies().find(name).into_iter().collect();
        let weight =
            self.bricks.iter().map(|&b| world.bodies().mass[b]).sum::<f64>() * world.gravity[2].abs();
        -world.force_on(&ground)[2] / weight
    }

    fn claims(&self) -> Vec<Claim> {
        let world = &self.built.world;
        let say = |text: &str| format!("{}: {text}", self.case.label);
        let outline = self.outline();
        let longest = self.bricks.iter().map(|&b| 2.0 * self.half(b)[0]).fold(0.0, fit::larger);
        let wider = outline.windows(2).map(|pair| (pair[1] - pair[0]) / longest).fold(0.0, fit::larger);
        let staying = |row: Option<&Row>| row.map_or(f64::NAN, |row| row.staying);
        let gained = staying(self.rows.last()) - staying(self.rows.first());
        let staying_blocks = self.bricks.iter().zip(self.come_off()).filter(|(_, off)| !off);
        let speed = staying_blocks.map(|(&b, _)| world.bodies().v[b].norm()).fold(0.0, fit::larger);
        let highest = outline.iter().rposition(|length| *length > 0.0).map_or(0, |course| course + 1);
        let mut claims = vec![
            Claim::at_least(
                say("part of the courses of which blocks come off"),
                LEAST_COURSES,
                highest as f64 / outline.len() as f64,
                0.0,
            ),
            Claim::at_most(
                say("blocks that come off elsewhere than over the ground"),
                0.0,
                self.astray() as f64,
                0.0,
            ),
            Claim::at_most(say("blocks by which a course is wider than the one below"), 0.0, wider, BOND)
                .ours(),
            Claim::at_least(
                say("part of the weight that goes over to the ground that stays"),
                0.05,
                gained,
                0.0,
            )
            .ours(),
            Claim::at_most(
                say("largest speed of the blocks that stay, at the end [m/s]"),
                0.0,
                speed,
                AT_REST,
            )
            .ours(),
            Claim::at_most(say("steps that missed the tolerance"), 0.0, world.missed() as f64, 0.0).ours(),
        ];
        if self.case.settings.iter().any(|setting| setting.starts_with("far=")) {
            let above = (outline.len() - highest) as f64;
            claims.push(Claim::at_least(say("courses above the arch that stay"), 1.0, above, 0.0).ours());
        }
        claims
    }

    fn draw(&self, setting: &Setting) -> Result<()> {
        let world = &self.built.world;
        let sunk: Vec<f64> = self.start.iter().zip(&world.bodies().x).map(|(a, b)| a[2] - b[2]).collect();
        let by = By::Given { label: "way down".into(), values: sunk };
        let style = Style {
            size: (960, 540),
            colouring: Colouring { by, range: Some([0.0, self.depth]), ..Colouring::default() },
            camera: Camera { azimuth: -90.0, elevation: 8.0, ..Camera::default() },
            ..Style::default()
        };
        setting.picture(&format!("end-{}", self.case.name()), world, &style)?;
        let rows = self.rows.iter().map(|row| vec![row.time, row.off as f64, row.staying]);
        setting.table(&format!("series-{}", self.case.name()), &["time", "off", "staying"], rows)?;
        let lengths = self.outline().into_iter().enumerate();
        let rows = lengths.map(|(course, length)| vec![course as f64, length]);
        setting.table(&format!("outline-{}", self.case.name()), &["course", "length"], rows)
    }
}

fn draw(runs: &[Run], setting: &Setting) -> Result<()> {
    runs.iter().try_for_each(|run| run.draw(setting))?;
    type Figure = (&'static str, &'static str, fn(&Row) -> f64);
    let figures: [Figure; 2] = [
        ("come-off", "blocks come off", |row| row.off as f64),
        ("load", "weight on ground that stays", |row| row.staying),
    ];
    for (name, y, value) in figures {
        let curve = |run: &Run| {
            let points = run.rows.iter().map(|row| (row.time, value(row))).collect();
            Series { label: run.case.label.into(), points }
        };
        let title = "Renouf–Acary 2006: a wall on ground that goes down".into();
        let series = runs.iter().map(curve).collect();
        setting
            .figure(name, &Plot { title, x: "time [s]".into(), y: y.into(), series, ..Plot::default() })?;
    }
    let paper = |run: &Run| if run.case.local.is_some() { PAPER_SECONDS.to_string() } else { String::new() };
    let cost = |run: &Run| vec![run.case.name(), paper(run), run.seconds.to_string()];
    setting.table("runs", &["run", "paper seconds", "seconds"], runs.iter().map(cost))
}
