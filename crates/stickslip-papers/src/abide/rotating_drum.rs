//! Abide 2021, 6.4: steel balls in a drum at 40 rpm; sweeps and times of four methods, the angle of repose and the rise.

use super::crowd::{self, Course, Job, LOOKS, Size};
use super::method::{IPDAS, Method, Printed, Run};
use crate::{Claim, Experiment, Result, Setting, fit, friction, parameter};
use stickslip_pictures::Style;
use stickslip_scene::Scene;
use stickslip_scene::measures::column_tops;

pub const EXPERIMENT: Experiment = Experiment {
    id: "abide-rotating-drum",
    summary: "100 to 1600 balls in a drum at 40 rpm: sweeps and times of four methods, angle of repose and rise",
    paper: "Abide 2021, section 6.4, Figs 9 to 11, Tables 7 and 8",
    run,
};

const SCENE: &str = include_str!("../../../../scenes/papers/abide-rotating-drum.toml");
/// The active sets take γ from W: with the printed γ they cycle.
/// The paper's 9 999 666 sweeps of IPDAS on 1600 balls are 1000 in each of its 10 000 steps, but for 334.
const SCALED: Printed = Printed { gamma: None, epsilon: 1e-6, most: 1000 };
const PRINTED: Printed = Printed { gamma: Some([1e-8, 1e-8]), epsilon: 1e-6, most: QUICK_SWEEPS };
/// A shorter time, and fewer sweeps of a step.
const QUICK: [&str; 1] = ["time.end=0.6"];
const QUICK_SWEEPS: usize = 200;
/// Residual of `auto`; to 1e-6 it takes ten times the iterations once 1600 balls are packed.
const TOLERANCE: f64 = 1e-4;
/// Angle of repose, as printed [degrees].
const REPOSE: f64 = 26.0;
/// Angle and rise are means from this time on: the balls have fallen and the surface has tilted.
const STEADY: f64 = 0.2;
/// What the claim on the angle must not hang on: the start, and how full the drum is.
const OTHERS: [&str; 4] = ["seed=7", "seed=8", "balls=80", "balls=120"];
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
    let sizes: &[usize] = setting.choose(&[100, 200, 400, 800, 1600], &[100]);
    let auto = Method::Auto(TOLERANCE);
    let sweeping = if setting.quick { Printed { most: QUICK_SWEEPS, ..SCALED } } else { SCALED };
    let jobs = crowd::jobs(sizes, auto, |balls| {
        let settings = [format!("balls={balls}"), format!("r={:e}", radius(balls))];
        setting.scene("abide-rotating-drum", SCENE, &QUICK, &settings)
    })?;
    let courses = crowd::run_all(&jobs, &sweeping, |job, run, look| {
        picture(setting, job, run, look)?;
        surface(&job.scene, run)
    })?;
    crowd::table(setting, "tables-7-8", &courses, &SIZES, radius)?;
    let cycling = Job { balls: 100, method: IPDAS, scene: jobs[0].scene.clone() };
    let cycling = crowd::run_all(&[cycling], &PRINTED, |_, _, _| Ok(()))?;
    crowd::table(setting, "printed-gamma", &cycling, &SIZES, radius)?;
    crowd::draw(setting, &courses, [10, 11], &[100, 400, 1600])?;
    let columns = ["balls", "method", "angle", "least angle", "largest angle", "rise by the diameter"];
    setting.table("repose", &columns, courses.iter().map(repose))?;
    let mut claims = Vec::new();
    for size in SIZES.iter().filter(|size| sizes.contains(&size.balls)) {
        let balls = size.balls;
        for method in [IPDAS, auto] {
            let course = crowd::find(&courses, balls, method);
            claims.extend(passes(course, &format!("{}, {balls} balls", method.name())));
        }
        claims.extend(crowd::claims(&courses, size, TOLERANCE));
    }
    claims.extend(other_starts(setting, auto)?);
    claims.push(friction::compare::<2>(setting, &jobs[0].scene)?.lift());
    Ok(claims)
}

/// The bed is carried up and slides back: the printed angle must be one that it passes.
fn passes(course: Option<&Course<Surface>>, run: &str) -> [Claim; 2] {
    let (low, high) = course.map_or((f64::NAN, f64::NAN), swing);
    let say = |which: &str| format!("{which} angle of the surface by {run} [degrees]");
    [Claim::at_most(say("least"), REPOSE, low, 0.0), Claim::at_least(say("largest"), REPOSE, high, 0.0)]
}

/// The same for other starts and another filling, on which the paper is silent.
fn other_starts(setting: &Setting, auto: Method) -> Result<Vec<Claim>> {
    let job = |change: &str| {
        let scene = setting.scene("abide-rotating-drum", SCENE, &QUICK, &[change.to_string()])?;
        Ok(Job { balls: 100, method: auto, scene })
    };
    let jobs = OTHERS.into_iter().map(job).collect::<Result<Vec<Job>>>()?;
    let courses = crowd::run_all(&jobs, &SCALED, |job, run, _| surface(&job.scene, run))?;
    let rows = OTHERS.iter().zip(&courses).map(|(change, course)| {
        let found = repose(course).into_iter().skip(2);
        [change.to_string()].into_iter().chain(found).collect::<Vec<String>>()
    });
    let columns = ["change", "angle", "least angle", "largest angle", "rise by the diameter"];
    setting.table("repose-other-starts", &columns, rows)?;
    let claims = OTHERS
        .iter()
        .zip(&courses)
        .flat_map(|(change, course)| passes(Some(course), &format!("{} with {change}", auto.name())));
    Ok(claims.collect())
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
    let mut row = vec![course.balls.to_string(), course.method.name()];
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
    if look == LOOKS && crowd::is_pictured(job) {
        let style =
            Style { size: (800, 720), title: format!("{} balls at 40 rpm", job.balls), ..Style::default() };
        setting.picture(&format!("figure-9-{}", job.balls), &run.built.world, &style)?;
    }
    Ok(())
}
