//! What the convex relaxation of friction changes: a scene under exact and under associated friction, which the papers hardly
//! compare.

use crate::{Claim, ExperimentError, Result, Setting, fit, free_mass};
use stickslip::rigid::Rigid;
use stickslip::schemes::Flow;
use stickslip_geometry::space::Dim;
use stickslip_pictures::plots::{Plot, Series};
use stickslip_scene::Scene;

/// Looks at a run.
const LOOKS: usize = 100;
/// Residual of every step.
const TOLERANCE: f64 = 1e-4;
/// What solves leave of lift under exact friction, by that under associated friction.
const NO_LIFT: f64 = 0.05;

/// A scene under both.
pub struct Compared {
    exact: Vec<Look>,
    associated: Vec<Look>,
}

/// Runs a scene under both, and writes what they give as `friction.csv` and `friction-height.svg`.
pub fn compare<const D: usize>(setting: &Setting, scene: &Scene) -> Result<Compared>
where
    Dim<D>: Rigid<D>,
{
    let exact = run::<D>(scene, Flow::Coulomb)?;
    let compared = Compared { exact, associated: run::<D>(scene, Flow::Associated)? };
    let rows =
        compared.labelled().into_iter().flat_map(|(label, run)| run.iter().map(|look| look.row(label)));
    let columns = ["friction", "time [s]", "height [m]", "kinetic energy [J]", "lift [m/s]", "overlap [m]"];
    setting.table("friction", &columns, rows)?;
    let series = compared.labelled().map(|(label, run)| Series {
        label: format!("{label} friction"),
        points: run.iter().map(|look| (look.time, look.height)).collect(),
    });
    let plot = Plot {
        title: scene.file.title.clone(),
        x: "time [s]".into(),
        y: "height of the centre of mass [m]".into(),
        series: series.into(),
        ..Plot::default()
    };
    setting.figure("friction-height", &plot)?;
    Ok(compared)
}

impl Compared {
    fn labelled(&self) -> [(&'static str, &[Look]); 2] {
        [("exact", &self.exact), ("associated", &self.associated)]
    }

    /// Rigid contacts that slide lift under associated friction alone.
    pub fn lift(&self) -> Claim {
        let [exact, associated] =
            self.labelled().map(|(_, run)| run.iter().map(|look| look.lift).fold(0.0, fit::larger));
        let claim =
            "fastest lift of a sliding contact under exact friction, by that under associated friction";
        Claim::at_most(claim, 0.0, exact / associated, NO_LIFT)
    }

    /// How high the bodies are at the end.
    pub fn height(&self, tolerance: f64) -> Claim {
        let [exact, associated] =
            self.labelled().map(|(_, run)| run.last().map_or(f64::NAN, |look| look.height));
        let claim =
            "height of the centre of mass at the end under associated friction, by that under exact friction";
        Claim::near(claim, 1.0, associated / exact, tolerance)
    }
}

/// What is seen now and then: the height of the centre of mass of all that moves freely; lift and overlap are the largest since the last look.
struct Look {
    time: f64,
    height: f64,
    kinetic: f64,
    lift: f64,
    overlap: f64,
}

impl Look {
    fn row(&self, label: &str) -> Vec<String> {
        let numbers = [self.time, self.height, self.kinetic, self.lift, self.overlap];
        [label.to_string()].into_iter().chain(numbers.map(|x| x.to_string())).collect()
    }
}

fn run<const D: usize>(scene: &Scene, flow: Flow) -> Result<Vec<Look>>
where
    Dim<D>: Rigid<D>,
{
    let mut world = scene.build::<D>()?.world;
    let scheme = world.scheme.with_flow(flow);
    world.scheme = scheme.ok_or_else(|| ExperimentError::Missing("the scene has no friction".into()))?;
    world.stop.tolerance = TOLERANCE;
    let (h, end) = (scene.file.time.value.step, scene.file.time.value.end);
    let steps = (end / h).round() as usize;
    let weight = free_mass(&world) * world.gravity.norm();
    let mut looks = Vec::with_capacity(LOOKS);
    for look in 1..=LOOKS {
        let (mut lift, mut overlap, mut height, mut kinetic) = (0.0, 0.0, f64::NAN, f64::NAN);
        for _ in steps * (look - 1) / LOOKS..steps * look / LOOKS {
            let report = world.step(h)?;
            (lift, overlap) = (fit::larger(lift, report.lift), fit::larger(overlap, report.penetration));
            (height, kinetic) = (report.energy.potential / weight, report.energy.kinetic);
        }
        looks.push(Look { time: world.time(), height, kinetic, lift, overlap });
    }
    Ok(looks)
}
