//! Many balls: every number of them by every method, what each run cost, and how that grew.

use super::method::{COMPARED, IPDAS, Method, Printed, Run};
use crate::{Claim, Result, Setting, fit};
use std::sync::Mutex;
use stickslip_pictures::plots::{Plot, Series};
use stickslip_scene::Scene;

/// Looks at a run.
pub const LOOKS: usize = 200;

/// Balls deeper in each other than this many of the largest radii have passed through each other: a run ends there, as
/// contacts of everything with everything tell nothing more.
const PASSED: f64 = 4.0;

/// What the paper prints for one number of balls, by method.
pub struct Size {
    pub balls: usize,
    pub sweeps: [f64; 4],
    pub seconds: [f64; 4],
}

impl Size {
    pub const fn new(balls: usize, sweeps: [f64; 4], seconds: [f64; 4]) -> Self {
        Size { balls, sweeps, seconds }
    }
}

/// A run to be done.
pub struct Job {
    pub balls: usize,
    pub method: Method,
    pub scene: Scene,
}

/// A look at the cost of a run.
pub struct Cost {
    time: f64,
    sweeps: f64,
    seconds: f64,
    /// The deepest overlap since the last look.
    overlap: f64,
}

/// A run that is done, with what was seen of it.
pub struct Course<S> {
    pub balls: usize,
    pub method: Method,
    /// Steps that were given up, of all steps.
    given_up: f64,
    /// Largest residual of a step.
    residual: f64,
    costs: Vec<Cost>,
    pub seen: Vec<S>,
}

impl<S> Course<S> {
    /// Sweeps and seconds of the whole run.
    pub fn sweeps(&self) -> f64 {
        self.costs.last().map_or(f64::NAN, |cost| cost.sweeps)
    }

    pub fn seconds(&self) -> f64 {
        self.costs.last().map_or(f64::NAN, |cost| cost.seconds)
    }

    /// The deepest overlap of the last tenth.
    pub fn overlap(&self) -> f64 {
        self.costs.iter().rev().take(LOOKS / 10).map(|cost| cost.overlap).fold(0.0, fit::larger)
    }

    /// When the run ended.
    fn until(&self) -> f64 {
        self.costs.last().map_or(f64::NAN, |cost| cost.time)
    }

    fn new(job: &Job, printed: &Printed, see: impl Fn(&Job, &Run<2>, usize) -> Result<S>) -> Result<Self> {
        let mut run = Run::<2>::new(&job.scene, job.method, printed)?;
        let (mut costs, mut seen) = (Vec::new(), vec![see(job, &run, 0)?]);
        for look in 1..=LOOKS {
            for _ in run.steps() * (look - 1) / LOOKS..run.steps() * look / LOOKS {
                run.step()?;
            }
            let time = run.end * look as f64 / LOOKS as f64;
            costs.push(Cost {
                time,
                sweeps: run.sweeps as f64,
                seconds: run.seconds,
                overlap: run.penetration,
            });
            let passed = run.penetration > PASSED * run.largest_radius();
            run.penetration = 0.0;
            seen.push(see(job, &run, look)?);
            if passed {
                break;
            }
        }
        let given_up = run.given_up as f64 / run.built.world.steps() as f64;
        Ok(Course { balls: job.balls, method: job.method, given_up, residual: run.residual, costs, seen })
    }
}

/// Does all runs, as many at once as there are cores; they come back in their order.
pub fn run_all<S: Send>(
    jobs: &[Job],
    printed: &Printed,
    see: impl Fn(&Job, &Run<2>, usize) -> Result<S> + Sync,
) -> Result<Vec<Course<S>>> {
    // the dearest, at the end of the list, first
    let queue = Mutex::new((0..jobs.len()).collect::<Vec<usize>>());
    let done = Mutex::new(Vec::new());
    let work = || {
        while let Some(k) = queue.lock().ok().and_then(|mut queue| queue.pop()) {
            let course = Course::new(&jobs[k], printed, &see);
            if let Ok(mut done) = done.lock() {
                done.push((k, course));
            }
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores.min(jobs.len()) {
            scope.spawn(work);
        }
    });
    let mut courses = done.into_inner().unwrap_or_default();
    courses.sort_by_key(|(k, _)| *k);
    courses.into_iter().map(|(_, course)| course).collect()
}

/// The course of a number of balls by a method.
pub fn find<S>(courses: &[Course<S>], balls: usize, method: Method) -> Option<&Course<S>> {
    courses.iter().find(|course| course.balls == balls && course.method == method)
}

/// Sweeps and seconds beside those of the paper, and the certificate: the paper's tables of both.
pub fn table<S>(
    setting: &Setting,
    name: &str,
    courses: &[Course<S>],
    sizes: &[Size],
    radius: impl Fn(usize) -> f64,
) -> Result<()> {
    let columns = [
        "balls",
        "method",
        "paper sweeps",
        "sweeps",
        "paper seconds",
        "seconds",
        "largest residual",
        "steps given up",
        "overlap at the end by radius",
        "until",
    ];
    let row = |course: &Course<S>| {
        let size = sizes.iter().find(|size| size.balls == course.balls);
        let k = COMPARED.iter().position(|method| *method == course.method);
        let paper = size.zip(k).map(|(size, k)| [size.sweeps[k], size.seconds[k]].map(|x| x.to_string()));
        let [sweeps, seconds] = paper.unwrap_or_default();
        vec![
            course.balls.to_string(),
            course.method.name(),
            sweeps,
            course.sweeps().to_string(),
            seconds,
            format!("{:.3}", course.seconds()),
            format!("{:.1e}", course.residual),
            format!("{:.3}", course.given_up),
            format!("{:.3}", course.overlap() / radius(course.balls)),
            format!("{:.3}", course.until()),
        ]
    };
    setting.table(name, &columns, courses.iter().map(row))
}

/// How sweeps and seconds add up, for some numbers of balls: the paper's figures of these numbers.
pub fn draw<S>(setting: &Setting, courses: &[Course<S>], numbers: [u32; 2], sizes: &[usize]) -> Result<()> {
    type Figure = (&'static str, fn(&Cost) -> f64);
    let figures: [Figure; 2] =
        [("sweeps since the start", |cost| cost.sweeps), ("seconds of all solves", |cost| cost.seconds)];
    for ((what, value), number) in figures.into_iter().zip(numbers) {
        for (letter, balls) in ["a", "b", "c"].into_iter().zip(sizes) {
            let shown = courses.iter().filter(|course| course.balls == *balls);
            let series: Vec<Series> = shown
                .map(|course| Series {
                    label: course.method.name(),
                    points: course.costs.iter().map(|cost| (cost.time, value(cost))).collect(),
                })
                .collect();
            if series.is_empty() {
                continue;
            }
            let plot = Plot {
                title: format!("Abide 2021, Fig. {number}{letter}: {what}, {balls} balls"),
                x: "time [s]".into(),
                y: what.into(),
                series,
                ..Plot::default()
            };
            setting.figure(&format!("figure-{number}{letter}"), &plot)?;
        }
    }
    Ok(())
}

/// What the paper says of the methods, at one number of balls: the active sets differ by little, SAL takes more sweeps where
/// it does in the paper, and IBP not many more than there.
pub fn claims<S>(courses: &[Course<S>], size: &Size, tolerance: f64) -> Vec<Claim> {
    let balls = size.balls;
    let [epdas, ipdas, sal, ibp] =
        COMPARED.map(|method| find(courses, balls, method).map_or(f64::NAN, Course::sweeps));
    let [_, paper_ipdas, paper_sal, paper_ibp] = size.sweeps;
    let residual = courses.iter().find(|course| course.balls == balls && !COMPARED.contains(&course.method));
    let residual = residual.map_or(f64::NAN, |course| course.residual);
    let mut claims = vec![
        Claim::near(format!("sweeps of EPDAS by those of IPDAS, {balls} balls"), 1.0, epdas / ipdas, 0.25),
        Claim::at_most(
            format!("sweeps of IBP by those of IPDAS, {balls} balls"),
            paper_ibp / paper_ipdas,
            ibp / ipdas,
            0.4,
        )
        .unless("both take about as many at every number of balls here; in the paper those of IPDAS grow a hundredfold"),
        Claim::at_most(
            format!("largest residual of a step by auto, {balls} balls"),
            tolerance,
            residual,
            0.0,
        ),
    ];
    if paper_sal > paper_ipdas {
        let claim = format!("sweeps of SAL by those of IPDAS, {balls} balls");
        claims.push(
            Claim::at_least(claim, 1.0, sal / ipdas, 0.05).unless(
                "its sweeps move less than ε before balls are borne, and these pass through each other",
            ),
        );
    }
    claims
}

/// Every method at some numbers of balls, then `auto`.
pub fn jobs(sizes: &[usize], auto: Method, scene: impl Fn(usize) -> Result<Scene>) -> Result<Vec<Job>> {
    let mut jobs = Vec::new();
    for &balls in sizes {
        for method in COMPARED.into_iter().chain([auto]) {
            jobs.push(Job { balls, method, scene: scene(balls)? });
        }
    }
    Ok(jobs)
}

/// Whether pictures are made of a run.
pub fn is_pictured(job: &Job) -> bool {
    job.method == IPDAS && [100, 400, 1600].contains(&job.balls)
}
