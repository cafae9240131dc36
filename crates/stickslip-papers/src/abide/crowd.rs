//! Many balls: every number of them by every method, and what each run cost.

use super::method::{COMPARED, Cost, IPDAS, Method, Printed, Run, SAL};
use crate::{ExperimentError, Result, Setting, fit};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{panic, thread};
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
    /// What is chosen otherwise than in the runs of the tables; nothing in these.
    pub choice: String,
    pub printed: Printed,
    pub scene: Scene,
}

impl Job {
    /// Whether pictures are made of the run.
    pub fn is_pictured(&self) -> bool {
        self.method == IPDAS && self.choice.is_empty() && [100, 400, 1600].contains(&self.balls)
    }

    /// About how long it takes, by others.
    fn cost(&self) -> f64 {
        let time = &self.scene.file.time.value;
        let slow = if self.method == SAL { 4.0 } else { 1.0 };
        slow * (self.balls * self.printed.most) as f64 * time.end / time.step
    }
}

/// A look at what a run has cost so far.
struct Look {
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
    pub choice: String,
    /// What every step cost.
    pub steps: Vec<Cost>,
    /// Largest residual of a step.
    pub residual: f64,
    pub seen: Vec<S>,
    /// Weight of the lightest ball.
    pub weight: f64,
    looks: Vec<Look>,
    /// Radii of the smallest ball and of the largest.
    radii: (f64, f64),
    end: f64,
}

impl<S> Course<S> {
    /// Sweeps and seconds of the whole run.
    pub fn sweeps(&self) -> f64 {
        self.looks.last().map_or(f64::NAN, |look| look.sweeps)
    }

    pub fn seconds(&self) -> f64 {
        self.looks.last().map_or(f64::NAN, |look| look.seconds)
    }

    /// The deepest overlap of the last tenth, by the smallest radius.
    pub fn overlap(&self) -> f64 {
        let overlaps = self.looks.iter().rev().take(LOOKS / 10).map(|look| look.overlap);
        overlaps.fold(0.0, fit::larger) / self.radii.0
    }

    /// The deepest overlap of the whole run, by the smallest radius.
    fn deepest(&self) -> f64 {
        self.looks.iter().map(|look| look.overlap).fold(0.0, fit::larger) / self.radii.0
    }

    /// When and why the run ended before its time, if it did.
    pub fn broke_off(&self) -> Option<String> {
        (self.looks.len() < LOOKS).then(|| {
            format!(
                "{} ended at {:.3} s of {}: balls are {:.1} small radii in each other, its steps left residuals of up to {:.0e}",
                self.method.name(),
                self.until(),
                self.end,
                self.overlap(),
                self.residual
            )
        })
    }

    fn until(&self) -> f64 {
        self.looks.last().map_or(f64::NAN, |look| look.time)
    }

    /// The part of the steps that the sweeps did not end by their own test.
    fn given_up(&self) -> f64 {
        self.steps.iter().filter(|step| !step.solved).count() as f64 / self.steps.len() as f64
    }

    fn new(job: &Job, see: impl Fn(&Job, &Run<2>, usize) -> Result<S>) -> Result<Self> {
        let mut run = Run::<2>::new(&job.scene, job.method, &job.printed)?;
        let mut course = Course {
            balls: job.balls,
            method: job.method,
            choice: job.choice.clone(),
            steps: Vec::with_capacity(run.steps()),
            residual: 0.0,
            seen: vec![see(job, &run, 0)?],
            weight: run.lightest * run.built.world.gravity.norm(),
            looks: Vec::with_capacity(LOOKS),
            radii: run.radii(),
            end: run.end,
        };
        for look in 1..=LOOKS {
            for _ in run.steps() * (look - 1) / LOOKS..run.steps() * look / LOOKS {
                course.steps.push(Cost::of(&run.step()?));
            }
            course.looks.push(Look {
                time: run.end * look as f64 / LOOKS as f64,
                sweeps: run.sweeps as f64,
                seconds: run.seconds,
                overlap: run.penetration,
            });
            course.seen.push(see(job, &run, look)?);
            // an overlap that is no number ends the run too
            let held = run.penetration <= PASSED * course.radii.1;
            if !held {
                break;
            }
            run.penetration = 0.0;
        }
        course.residual = run.residual;
        Ok(course)
    }
}

/// Does all runs, as many at once as there are threads, the longest first; they come back in the order of the jobs.
pub fn run_all<S: Send>(
    jobs: &[Job],
    see: impl Fn(&Job, &Run<2>, usize) -> Result<S> + Sync,
) -> Result<Vec<Course<S>>> {
    let mut queue: Vec<usize> = (0..jobs.len()).collect();
    queue.sort_by(|&a, &b| jobs[b].cost().total_cmp(&jobs[a].cost()));
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some(&k) = queue.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push((k, Course::new(&jobs[k], &see)));
        }
        done
    };
    // not rayon's own threads: there a solve that waits for its parts would begin another course meanwhile, and count its time
    let mut courses = thread::scope(|scope| {
        let threads: Vec<_> =
            (0..rayon::current_num_threads().min(jobs.len())).map(|_| scope.spawn(work)).collect();
        let join = |thread: thread::ScopedJoinHandle<'_, Vec<_>>| {
            thread.join().unwrap_or_else(|panicked| panic::resume_unwind(panicked))
        };
        threads.into_iter().flat_map(join).collect::<Vec<_>>()
    });
    courses.sort_by_key(|(k, _)| *k);
    courses.into_iter().map(|(_, course)| course).collect()
}

/// The course of a number of balls by a method, with a choice.
pub fn find<'a, S>(
    courses: &'a [Course<S>],
    balls: usize,
    method: Method,
    choice: &str,
) -> Result<&'a Course<S>> {
    let is_it =
        |course: &&Course<S>| (course.balls, course.method) == (balls, method) && course.choice == choice;
    courses.iter().find(is_it).ok_or_else(|| {
        ExperimentError::Missing(format!("no run of {balls} balls by {}, {choice}", method.name()))
    })
}

/// Sweeps and seconds beside those of the paper, and the certificate: the paper's tables of both, and the other choices.
pub fn tables<S>(setting: &Setting, name: &str, courses: &[Course<S>], sizes: &[Size]) -> Result<()> {
    let columns = [
        "balls",
        "choice",
        "method",
        "paper sweeps",
        "sweeps",
        "paper seconds",
        "seconds",
        "largest residual",
        "steps given up",
        "overlap at the end by the small radius",
        "largest overlap by the small radius",
        "until [s]",
    ];
    let row = |course: &Course<S>| {
        let size = sizes.iter().find(|size| size.balls == course.balls);
        let k = COMPARED.iter().position(|method| *method == course.method);
        let paper = size.zip(k).map(|(size, k)| [size.sweeps[k], size.seconds[k]].map(|x| x.to_string()));
        let [sweeps, seconds] = paper.unwrap_or_default();
        vec![
            course.balls.to_string(),
            course.choice.clone(),
            course.method.name(),
            sweeps,
            course.sweeps().to_string(),
            seconds,
            format!("{:.3}", course.seconds()),
            format!("{:.1e}", course.residual),
            format!("{:.3}", course.given_up()),
            format!("{:.3}", course.overlap()),
            format!("{:.3}", course.deepest()),
            format!("{:.3}", course.until()),
        ]
    };
    let chosen = |course: &&Course<S>| !course.choice.is_empty();
    setting.table(name, &columns, courses.iter().filter(|course| !chosen(course)).map(row))?;
    setting.table("other-choices", &columns, courses.iter().filter(chosen).map(row))
}

/// How sweeps and seconds add up, for some numbers of balls: the paper's figures of these numbers.
pub fn draw<S>(setting: &Setting, courses: &[Course<S>], numbers: [u32; 2], sizes: &[usize]) -> Result<()> {
    type Figure = (&'static str, fn(&Look) -> f64);
    let figures: [Figure; 2] =
        [("sweeps since the start", |look| look.sweeps), ("seconds of all solves", |look| look.seconds)];
    for ((what, value), number) in figures.into_iter().zip(numbers) {
        for (letter, balls) in ["a", "b", "c"].into_iter().zip(sizes) {
            let shown = courses.iter().filter(|course| course.balls == *balls && course.choice.is_empty());
            let series: Vec<Series> = shown
                .map(|course| Series {
                    label: course.method.name(),
                    points: course.looks.iter().map(|look| (look.time, value(look))).collect(),
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

/// Every method at some numbers of balls, then `auto`.
pub fn jobs(
    sizes: &[usize],
    auto: Method,
    printed: Printed,
    scene: impl Fn(usize, Method) -> Result<Scene>,
) -> Result<Vec<Job>> {
    let mut jobs = Vec::new();
    for &balls in sizes {
        for method in COMPARED.into_iter().chain([auto]) {
            jobs.push(Job { balls, method, choice: String::new(), printed, scene: scene(balls, method)? });
        }
    }
    Ok(jobs)
}

/// Some methods on the same balls with another choice.
pub fn chosen(methods: &[Method], balls: usize, choice: &str, printed: Printed, scene: &Scene) -> Vec<Job> {
    let job = |method: &Method| Job {
        balls,
        method: *method,
        choice: choice.into(),
        printed,
        scene: scene.clone(),
    };
    methods.iter().map(job).collect()
}

#[cfg(test)]
impl Course<()> {
    /// A course of 100 balls, of whose looks so many were taken.
    pub fn made_up(method: Method, steps: Vec<Cost>, looks: usize) -> Self {
        let look = |k| Look { time: k as f64, sweeps: 0.0, seconds: 0.0, overlap: 5.0 };
        Course {
            balls: 100,
            method,
            choice: String::new(),
            steps,
            residual: 0.1,
            seen: Vec::new(),
            weight: 1.0,
            looks: (0..looks).map(look).collect(),
            radii: (1.0, 1.0),
            end: 1.0,
        }
    }
}
