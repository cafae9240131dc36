//! Abide 2021, 6.4: steel balls in a drum at 40 rpm; sweeps and times of four methods, the angle of repose and the rise.

use super::crowd::{self, Course, Job, LOOKS, Size};
use super::judge::{self, WITHIN};
use super::method::{COMPARED, IPDAS, Method, Printed, Run};
use crate::{Claim, Experiment, Result, Setting, fit, friction, parameter};
use std::ops::RangeInclusive;
use stickslip_pictures::Style;
use stickslip_scene::Scene;
use stickslip_scene::measures::column_tops;
use stickslip_solvers::panel::Order;

pub const EXPERIMENT: Experiment = Experiment {
    id: "abide-rotating-drum",
    summary: "100 to 1600 balls in a drum at 40 rpm: sweeps and times of four methods, angle of repose and rise",
    paper: "Abide 2021, section 6.4, Figs 9 to 11, Tables 7 and 8",
    run,
};

const SCENE: &str = include_str!("../../../../scenes/papers/abide-rotating-drum.toml");
/// The active sets take γ from W: with the printed γ they cycle.
const SCALED: Printed = Printed::new(None, 1e-6, 1000);
const GAMMA: Option<[f64; 2]> = Some([1e-8, 1e-8]);
/// A shorter time, and fewer sweeps of a step.
const QUICK: [&str; 1] = ["time.end=0.3"];
const QUICK_SWEEPS: usize = 200;
/// Residual of `auto`; to 1e-6 it takes ten times the iterations once 1600 balls are packed.
const TOLERANCE: f64 = 1e-4;
const AUTO: Method = Method::Auto(TOLERANCE);
/// Angle of repose, as printed [degrees].
const REPOSE: f64 = 26.0;
/// Angle and rise are means from this time on: the balls have fallen and the surface has tilted.
const STEADY: f64 = 0.2;
/// What the paper leaves open, chosen otherwise: the start, the radii, and how full the drum is.
const SCENES: [(&str, &[&str]); 4] = [
    ("seed 7", &["seed=7"]),
    ("radii between 2 and 2.7 mm", &["spread=0.25"]),
    ("80 balls", &["number=80"]),
    ("120 balls", &["number=120"]),
];
/// So many of them with which all methods run; with all of them `auto` runs, for the angle.
const SWEPT: usize = 2;
/// Balls that rub on each other more than the paper says: what the angle hangs on.
const RUBBING: (&str, &[&str]) = ("friction 0.7 between balls", &["rub=0.7"]);
const MORE_SWEEPS: &str = "more sweeps of a step";
const ORDERED: &str = "sweeps in the order of the contacts";
const PRINTED_GAMMA: &str = "printed γ";
/// How far the mean angle may be from the paper's, and from that of other numbers of balls [degrees]; how far the rise may
/// be from that of other numbers, as a part.
const ALIKE: f64 = 3.0;
const ALIKE_IN_RISE: f64 = 0.1;
/// Why the mean angle is not the paper's, and the angles that this explains.
const KNOWN: RangeInclusive<f64> = 13.0..=25.0;
const WHY: &str = "few balls with friction 0.22 between them are carried up to more, slide back and flow at less, whatever the start, \
                   the radii and the filling; it takes deeper beds, as of 1600 balls, or more friction between them, as \
                   below, to keep the paper's angle, which it takes from an experiment of others";
/// Why it is not the same for all numbers.
const WHY_SPREAD: &str = "a bed of few layers slides at less than a deep one, in longer runs too: the mean grows with the number of \
                          balls";
/// Tables 7 and 8.
const SIZES: [Size; 5] = [
    Size::new(100, [1680882.0, 1674177.0, 7836547.0, 1101849.0], [69.482, 68.813, 337.16, 124.918]),
    Size::new(200, [2020349.0, 1933869.0, 8566285.0, 1340917.0], [163.918, 153.254, 755.553, 259.370]),
    Size::new(400, [4069672.0, 4036740.0, 19607909.0, 4121136.0], [677.212, 657.011, 3663.254, 1941.158]),
    Size::new(800, [5114280.0, 5036011.0, 15600032.0, 3688553.0], [1817.413, 1804.862, 6055.488, 3232.919]),
    Size::new(
        1600,
        [9422476.0, 9999666.0, 32656132.0, 8375264.0],
        [7492.300, 7867.878, 27425.824, 16740.516],
    ),
];

fn run(setting: &Setting) -> Result<Vec<Claim>> {
    let sizes: &[usize] = setting.choose(&[100, 200, 400, 800, 1600], &[100, 200]);
    let sweeping = Printed { most: setting.choose(SCALED.most, QUICK_SWEEPS), ..SCALED };
    let mut jobs = crowd::jobs(sizes, AUTO, sweeping, |balls, method| scene(setting, balls, method, &[]))?;
    for (choice, changes) in SCENES.into_iter().chain([RUBBING]) {
        jobs.extend(crowd::chosen(&[AUTO], 100, choice, sweeping, &scene(setting, 100, AUTO, changes)?));
    }
    for (choice, changes) in &SCENES[..SWEPT] {
        jobs.extend(crowd::chosen(&COMPARED, 100, choice, sweeping, &scene(setting, 100, IPDAS, changes)?));
    }
    let plain = scene(setting, 100, IPDAS, &[])?;
    let more = Printed { most: setting.choose(10, 3) * sweeping.most, ..SCALED };
    jobs.extend(crowd::chosen(&COMPARED, 100, MORE_SWEEPS, more, &plain));
    let ordered = Printed { order: Order::Given, ..sweeping };
    jobs.extend(crowd::chosen(&COMPARED, 100, ORDERED, ordered, &plain));
    jobs.extend(crowd::chosen(&[IPDAS], 100, PRINTED_GAMMA, Printed { gamma: GAMMA, ..sweeping }, &plain));
    let courses = crowd::run_all(&jobs, |job, run, look| {
        picture(setting, job, run, look)?;
        surface(&job.scene, run)
    })?;
    crowd::tables(setting, "tables-7-8", &courses, &SIZES)?;
    judge::table(setting, &courses, &SIZES)?;
    crowd::draw(setting, &courses, [10, 11], &[100, 400, 1600])?;
    let columns =
        ["balls", "choice", "method", "angle", "least angle", "largest angle", "rise by the diameter"];
    setting.table("repose", &columns, courses.iter().map(repose))?;
    let judged: Vec<&Size> = SIZES.iter().filter(|size| sizes.contains(&size.balls)).collect();
    let mut claims = Vec::new();
    for size in &judged {
        let why = "packed balls that start from no impulse need thousands of sweeps to the printed ε: the limit of sweeps, on which \
                   the paper is silent, ends most steps";
        claims.extend(judge::claims(&courses, size, TOLERANCE, &(WITHIN..=3.0, why.into()))?);
    }
    if let (Some(few), Some(many)) = (judged.first(), judged.last()) {
        claims.extend(judge::growth(&courses, few, many, -0.1..=1.2, "the limit of sweeps ends most steps")?);
        claims.push(judge::widening(&courses, few, many)?);
    }
    claims.extend(judge::choices(&courses, &SIZES[0], &[SCENES[0].0, SCENES[1].0, MORE_SWEEPS, ORDERED])?);
    claims.extend(angles(setting, &courses, sizes)?);
    claims.push(friction::compare::<2>(setting, &plain)?.lift().ours());
    Ok(claims)
}

/// The angle of repose and the rise: the paper's, whatever the number of balls and all that it leaves open.
fn angles(setting: &Setting, courses: &[Course<Surface>], sizes: &[usize]) -> Result<Vec<Claim>> {
    let angle = |balls, method, choice: &str| -> Result<f64> {
        Ok(mean(crowd::find(courses, balls, method, choice)?, |s| s.angle))
    };
    let mut claims = Vec::new();
    for &balls in sizes {
        for method in setting.choose(&[IPDAS, AUTO][..], &[AUTO]) {
            let claim = format!("mean angle of the surface by {}, {balls} balls [degrees]", method.name());
            claims.push(Claim::near(claim, REPOSE, angle(balls, *method, "")?, ALIKE).finding(KNOWN, WHY));
        }
    }
    let open = SCENES.iter().map(|(choice, _)| angle(100, AUTO, choice)).collect::<Result<Vec<f64>>>()?;
    let open = open.into_iter().fold(f64::NEG_INFINITY, fit::larger);
    let claim = "largest mean angle by auto of all open choices, 100 balls [degrees]";
    claims.push(Claim::near(claim, REPOSE, open, ALIKE).finding(KNOWN, WHY));
    let claim = "mean angle by auto with more friction between balls, 100 balls [degrees]";
    claims.push(Claim::at_least(claim, REPOSE, angle(100, AUTO, RUBBING.0)?, ALIKE).ours());
    let spread = |value: fn(&Surface) -> f64| -> Result<(f64, f64)> {
        let means = sizes.iter().map(|&balls| Ok(mean(crowd::find(courses, balls, AUTO, "")?, value)));
        let means = means.collect::<Result<Vec<f64>>>()?;
        Ok(means
            .into_iter()
            .fold((f64::INFINITY, 0.0), |(low, high), x| (fit::smaller(low, x), fit::larger(high, x))))
    };
    let (low, high) = spread(|surface| surface.angle)?;
    let claim = "largest mean angle less the smallest by auto, all numbers of balls [degrees]";
    claims.push(Claim::near(claim, 0.0, high - low, ALIKE).finding(..=12.0, WHY_SPREAD));
    let (low, high) = spread(|surface| surface.rise)?;
    let claim = "largest rise by the smallest by auto, all numbers of balls";
    claims.push(Claim::near(claim, 1.0, high / low, ALIKE_IN_RISE));
    Ok(claims)
}

/// Angles are seen by `auto`, in a quick run too over the whole time.
fn scene(setting: &Setting, balls: usize, method: Method, changes: &[&str]) -> Result<Scene> {
    let mut settings = vec![format!("number={balls}"), format!("r={:e}", radius(balls))];
    settings.extend(changes.iter().map(|change| change.to_string()));
    let quick: &[&str] = if method == AUTO { &[] } else { &QUICK };
    setting.scene("abide-rotating-drum", SCENE, quick, &settings)
}

/// Of a ball: all numbers fill the same share of the drum, that of 100 balls of the largest radius.
fn radius(balls: usize) -> f64 {
    2.7e-3 * (100.0 / balls as f64).sqrt()
}

/// The angle of the free surface [degrees], and how high the highest ball is over the lowest point, by the diameter.
struct Surface {
    time: f64,
    angle: f64,
    rise: f64,
}

/// The mean of something over the steady part of a run.
fn mean(course: &Course<Surface>, value: fn(&Surface) -> f64) -> f64 {
    fit::mean(course.seen.iter().filter(|surface| surface.time >= STEADY).map(value))
}

/// Between what the angle swings in the steady part of a run.
fn swing(course: &Course<Surface>) -> (f64, f64) {
    let steady = course.seen.iter().filter(|surface| surface.time >= STEADY);
    steady.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), s| {
        (fit::smaller(low, s.angle), fit::larger(high, s.angle))
    })
}

/// What is found of the surface: means, and between what the angle swings.
fn repose(course: &Course<Surface>) -> Vec<String> {
    let (low, high) = swing(course);
    let rise = mean(course, |surface| surface.rise);
    let numbers = [mean(course, |surface| surface.angle), low, high].map(|angle| format!("{angle:.1}"));
    let mut row = vec![course.balls.to_string(), course.choice.clone(), course.method.name()];
    row.extend(numbers);
    row.push(format!("{rise:.3}"));
    row
}

/// A straight line through the highest balls of columns that are two balls wide, those near the wall left out.
fn surface(scene: &Scene, run: &Run<2>) -> Result<Surface> {
    let (r, drum) = (parameter(scene, "r")?, parameter(scene, "drum")?);
    let bodies = run.built.world.bodies();
    let reach = 0.6 * drum;
    let columns = (0.5 * reach / r).floor();
    let balls = || run.balls.iter().map(|ball| (bodies.x[ball.index()][0], bodies.x[ball.index()][1]));
    let tops = column_tops(balls(), -reach, 2.0 * reach / columns);
    let slope = fit::slope(tops.range(0..columns as i64).map(|(_, top)| *top));
    let highest = balls().map(|(_, y)| y).fold(-drum, f64::max);
    Ok(Surface {
        time: run.built.world.time(),
        angle: slope.atan().to_degrees(),
        rise: (highest + drum) / (2.0 * drum),
    })
}

/// Figure 9: the drum at the end.
fn picture(setting: &Setting, job: &Job, run: &Run<2>, look: usize) -> Result<()> {
    if look == LOOKS && job.is_pictured() {
        let style =
            Style { size: (800, 720), title: format!("{} balls at 40 rpm", job.balls), ..Style::default() };
        setting.picture(&format!("figure-9-{}", job.balls), &run.built.world, &style)?;
    }
    Ok(())
}
