//! Tasora 2013, section 11: spheres under 100 kg in a box whose halves shift; and 10.2, what a warm start saves.

use crate::{
    Claim, Experiment, ExperimentError, Result, Setting, fit, free_mass, friction, group, parameter,
};
use stickslip::World;
use stickslip_geometry::space::Vector;
use stickslip_pictures::plots::{Plot, Series};
use stickslip_scene::{Built, Scene};
use stickslip_solvers::outcome::Status;
use stickslip_solvers::panel::AnyMethod;
use stickslip_solvers::stop::Stop;

pub const EXPERIMENT: Experiment = Experiment {
    id: "tasora-shear-box",
    summary: "720 spheres under 100 kg: load on the floor, shear force, and what a warm start saves",
    paper: "Tasora 2013, sections 10.2 and 11, Figs 9 to 11",
    run,
};

const SCENE: &str = include_str!("../../../../scenes/papers/tasora-shear-box.toml");
/// Fewer spheres, and a cut and a lid that are lower by as much.
const QUICK: [&str; 4] = ["large=18", "small=126", "lift=0.27", "cut=0.015"];
/// Time before the shift over which loads are means.
const REST: f64 = 0.05;
/// How far both kinds of friction may differ: contacts that give way do not lift, but few layers of grains dilate.
const ALIKE: f64 = 0.15;
/// Steps at rest of which the problem is solved twice.
const SOLVED_TWICE: usize = 10;
/// The convex method that gets from both starts to the tolerance of the scene, and when it gives up; `spg`, which the paper
/// takes, stands still from zero at 1e-3.
const SOLVED_BY: &str = "apgd";
const MOST: usize = 60_000;
/// The least saving of the paper.
const SAVING: f64 = 2.0;

fn run(setting: &Setting) -> Result<Vec<Claim>> {
    let scene = setting.scene("tasora-shear-box", SCENE, &QUICK, &[])?;
    let mut test = Test::new(&scene)?;
    while test.built.world.time() < test.end - 0.5 * test.h {
        test.step()?;
    }
    test.draw(setting)?;
    let mut claims = test.claims(setting.quick);
    claims.push(
        friction::compare::<3>(setting, &setting.small_scene("tasora-shear-box", SCENE, &QUICK)?)?
            .height(ALIKE),
    );
    Ok(claims)
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

/// Iterations from the impulses of the last step and from zero, and whether both got to the tolerance.
struct Starts {
    warm: usize,
    cold: usize,
    solved: bool,
}

struct Test {
    built: Built<3>,
    h: f64,
    end: f64,
    /// When the lid is let go, and when the halves begin to shift.
    release: f64,
    shear: f64,
    rows: Vec<Row>,
    starts: Vec<Starts>,
}

impl Test {
    fn new(scene: &Scene) -> Result<Self> {
        let built = scene.build::<3>()?;
        let time = &scene.file.time.value;
        let (release, shear) = (parameter(scene, "release")?, parameter(scene, "shear")?);
        Ok(Test { built, h: time.step, end: time.end, release, shear, rows: Vec::new(), starts: Vec::new() })
    }

    fn step(&mut self) -> Result<()> {
        let time = self.built.world.time();
        if time > self.shear - REST && time < self.shear && self.starts.len() < SOLVED_TWICE {
            self.starts.extend(solve_twice(&mut self.built.world, self.h)?);
        }
        let report = self.built.world.step(self.h)?;
        let world = &self.built.world;
        let on = |name: &str| Ok::<_, ExperimentError>(world.force_on(&group(&self.built, name)?));
        let lid = group(&self.built, "lid")?[0].index();
        let height = world.bodies().x[lid][2] - world.bodies().shape[lid].inner_radius();
        let row = Row { time: report.time, lid: height, floor: -on("floor")?[2], shear: -on("upper")?[0] };
        self.rows.push(row);
        Ok(())
    }

    /// Mean of a column over the time before a moment.
    fn mean(&self, until: f64, value: impl Fn(&Row) -> f64) -> f64 {
        let rows = self.rows.iter().filter(|row| row.time > until - REST && row.time <= until);
        fit::mean(rows.map(value))
    }

    fn claims(&self, quick: bool) -> Vec<Claim> {
        let world = &self.built.world;
        let weight = -free_mass(world) * world.gravity[2];
        let before = self.mean(self.release, |row| row.floor);
        let at_rest = self.mean(self.shear, |row| row.floor);
        let (warm, cold) = self.starts.iter().fold((0, 0), |(warm, cold), s| (warm + s.warm, cold + s.cold));
        let solved = self.starts.iter().filter(|starts| starts.solved).count();
        let saved = format!(
            "iterations of {SOLVED_BY} from zero by those from the last impulses, 2 to 3 or more, in {} steps at rest",
            self.starts.len()
        );
        let mut claims = vec![
            Claim::near("load on the floor at rest by the weight above it", 1.0, at_rest / weight, 0.02),
            Claim::near("rise of the load on the floor by the lid [N]", 1000.0, at_rest - before, 50.0),
            Claim::at_least(saved, SAVING, cold as f64 / warm.max(1) as f64, 0.0),
            Claim::at_least(
                "steps of these solved from both starts",
                SOLVED_TWICE as f64,
                solved as f64,
                0.0,
            ),
        ];
        // two layers of grains have no shear plane
        if !quick {
            let sheared = self.mean(self.end, |row| row.shear) - self.mean(self.shear, |row| row.shear);
            claims.push(Claim::at_least(
                "rise of the shear force while the halves shift [N]",
                0.0,
                sheared,
                0.0,
            ));
        }
        claims
    }

    fn draw(&self, setting: &Setting) -> Result<()> {
        setting.table(
            "series",
            &["time", "lid", "floor", "shear"],
            self.rows.iter().map(|row| vec![row.time, row.lid, row.floor, row.shear]),
        )?;
        setting.table(
            "warm-start",
            &["warm", "cold"],
            self.starts.iter().map(|starts| vec![starts.warm as f64, starts.cold as f64]),
        )?;
        type Figure = (&'static str, &'static str, &'static str, fn(&Row) -> f64);
        let figures: [Figure; 3] = [
            ("figure-9", "height of the load", "height [mm]", |row| 1e3 * row.lid),
            ("figure-10", "vertical load on the floor", "load [N]", |row| row.floor),
            ("figure-11", "reaction on the upper half along the shift", "force [N]", |row| row.shear),
        ];
        for (name, title, y, value) in figures {
            let points = self.rows.iter().filter(|row| row.time > self.release - REST);
            let series =
                Series { label: String::new(), points: points.map(|row| (row.time, value(row))).collect() };
            let plot = Plot {
                title: format!("Tasora 2013, Fig. {}: {title}", name.trim_start_matches("figure-")),
                x: "time [s]".into(),
                y: y.into(),
                series: vec![series],
                ..Plot::default()
            };
            setting.figure(name, &plot)?;
        }
        Ok(())
    }
}

/// Solves the problem of the next step from the impulses of the last one and from zero.
fn solve_twice(world: &mut World<3>, h: f64) -> Result<Option<Starts>> {
    let Some((problem, start)) = world.problem(h)? else { return Ok(None) };
    let method = AnyMethod::parse(SOLVED_BY, &toml::Table::new())?;
    let stop = Stop { tolerance: world.stop.tolerance, max_iterations: MOST, ..Stop::default() };
    let solve = |mut r: Vec<Vector<3>>| method.build::<3>().solve(&problem, &mut r, &stop);
    let zero = vec![Vector::<3>::zeros(); start.len()];
    let (warm, cold) = (solve(start), solve(zero));
    let solved = [&warm, &cold].iter().all(|outcome| outcome.status == Status::Converged);
    Ok(Some(Starts { warm: warm.iterations, cold: cold.iterations, solved }))
}
