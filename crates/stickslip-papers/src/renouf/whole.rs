//! Short runs from beginning to end, once with each solver of one contact.

use super::local::{LEMKE, Local, NEWTON, QP};
use crate::{Claim, Result, Setting, fit};
use stickslip_geometry::space::Vector;
use stickslip_scene::Scene;

/// Bodies of two runs are in the same places up to this, by the smallest of them.
const SAME: f64 = 0.01;

/// A scene by one of the solvers.
struct Whole {
    local: Local,
    sweeps: usize,
    /// Contacts that push, mean over the steps.
    contacts: f64,
    seconds: f64,
    missed: usize,
    x: Vec<Vector<3>>,
}

impl Whole {
    fn new(scene: &Scene, local: Local) -> Result<Self> {
        let mut world = scene.build::<3>()?.world;
        world.solver = Some(local.sweeps()?);
        let time = &scene.file.time.value;
        let (mut sweeps, mut contacts, mut seconds) = (0, 0, 0.0);
        while world.time() < time.end - 0.5 * time.step {
            let report = world.step(time.step)?;
            sweeps += report.outcome.as_ref().map_or(0, |outcome| outcome.iterations);
            contacts += report.active;
            seconds += report.seconds.solve;
        }
        let contacts = contacts as f64 / world.steps() as f64;
        Ok(Whole { local, sweeps, contacts, seconds, missed: world.missed(), x: world.bodies().x.clone() })
    }
}

/// A scene by all of the solvers, the one that others are held against first.
pub struct WholeRuns {
    label: &'static str,
    runs: Vec<Whole>,
    /// Of the smallest body that moves freely.
    radius: f64,
}

impl WholeRuns {
    pub fn new(label: &'static str, scene: &Scene, locals: &[Local]) -> Result<Self> {
        let world = scene.build::<3>()?.world;
        let bodies = world.bodies();
        let free = (0..bodies.len()).filter(|&b| bodies.is_free(b));
        let radius = free.map(|b| bodies.shape[b].inner_radius()).fold(f64::INFINITY, fit::smaller);
        let runs = locals.iter().map(|&local| Whole::new(scene, local)).collect::<Result<_>>()?;
        Ok(WholeRuns { label, runs, radius })
    }

    fn seconds(&self, local: Local) -> f64 {
        let run = self.runs.iter().find(|run| run.local.label == local.label);
        run.map_or(f64::NAN, |run| run.seconds)
    }

    /// The largest distance of a body from its place in the first run, by the smallest radius.
    fn apart(&self, run: &Whole) -> f64 {
        let distances = self.runs[0].x.iter().zip(&run.x).map(|(a, b)| (a - b).norm());
        distances.fold(0.0, fit::larger) / self.radius
    }

    /// Newton's method is the fastest, and all end alike.
    pub fn claims(&self) -> Vec<Claim> {
        let say = |text: &str| format!("{}: {text}", self.label);
        let slower = [LEMKE, QP].map(|local| {
            let label =
                say(&format!("time of a whole run with {} by that with Newton, the fastest", local.label));
            Claim::at_least(label, 1.0, self.seconds(local) / self.seconds(NEWTON), 0.0).timed()
        });
        let apart = self.runs.iter().map(|run| self.apart(run)).fold(0.0, fit::larger);
        let missed: usize = self.runs.iter().map(|run| run.missed).sum();
        let same = [
            Claim::at_most(
                say(
                    "largest distance of a body at the end of whole runs by two solvers, by the smallest radius",
                ),
                0.0,
                apart,
                SAME,
            ),
            Claim::at_most(say("steps of whole runs that missed the tolerance"), 0.0, missed as f64, 0.0)
                .ours(),
        ];
        slower.into_iter().chain(same).collect()
    }
}

/// The slowest of the paper's solvers.
pub fn slowest(runs: &WholeRuns) -> Claim {
    let label = format!("{}: time of a whole run with QP, the slowest, by that with Lemke", runs.label);
    Claim::at_least(label, 1.0, runs.seconds(QP) / runs.seconds(LEMKE), 0.0).timed()
}

/// Writes what all took.
pub fn table(setting: &Setting, all: &[WholeRuns]) -> Result<()> {
    let row = |runs: &WholeRuns, run: &Whole| {
        let numbers = [run.sweeps as f64, run.contacts, run.seconds, runs.apart(run)].map(|x| x.to_string());
        [vec![runs.label.to_string(), run.local.label.to_string()], numbers.to_vec()].concat()
    };
    let rows = all.iter().flat_map(|runs| runs.runs.iter().map(move |run| row(runs, run)));
    setting.table("whole-runs", &["run", "solver", "sweeps", "contacts", "seconds", "apart"], rows)
}
