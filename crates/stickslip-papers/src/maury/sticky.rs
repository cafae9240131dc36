//! Maury 2006, 6.2: points on a line that stick together when they meet, by time steps from small to larger than all
//! collisions.
//!
//! Without forces the exact positions are the nearest increasing ones to `q₀ + t u₀`, which a sweep of means finds.

use crate::{Claim, Experiment, ExperimentError, Result, Setting, fit, parameter};
use stickslip_pictures::plots::{Plot, Series};

pub const EXPERIMENT: Experiment = Experiment {
    id: "maury-sticky",
    summary: "points that stick together: the same final state by steps of 0.01, 0.5 and 1.5",
    paper: "Maury 2006, section 6.2, Figs 5 to 7",
    run,
};

const SCENE: &str = include_str!("../../../../scenes/papers/maury-sticky.toml");
/// Figures and their steps.
const STEPS: [(u32, f64); 3] = [(5, 0.01), (6, 0.5), (7, 1.5)];
/// Seeds of a quick and of a full run; the first by which all points end in one aggregate is drawn.
const SEEDS: [u64; 2] = [10, 100];
/// What counts as the same place.
const TOLERANCE: f64 = 1e-8;

fn run(setting: &Setting) -> Result<Vec<Claim>> {
    let seeds = SEEDS[usize::from(!setting.quick)];
    let runs = |drift: f64| -> Result<Vec<Run>> {
        let each = (0..seeds).flat_map(|seed| STEPS.map(|(_, h)| (seed, h)));
        each.map(|(seed, h)| Run::new(setting, seed, drift, h)).collect()
    };
    // driven together many meet; without that nearly all part in the end
    let (together, free) = (runs(1.0)?, runs(0.0)?);
    let drawn = together.chunks(STEPS.len()).find(|runs| runs[0].aggregates() == 1);
    let drawn = drawn.ok_or_else(|| ExperimentError::Missing("no seed ends in one aggregate".into()))?;
    for (run, (figure, h)) in drawn.iter().zip(STEPS) {
        run.draw(setting, figure, h)?;
    }
    setting.table(
        "seeds",
        &["seed", "drift", "step", "aggregates", "from_exact", "centre_error"],
        together.iter().chain(&free).map(|run| {
            let aggregates = run.aggregates() as f64;
            vec![run.seed as f64, run.drift, run.h, aggregates, run.error(), run.centre_error]
        }),
    )?;
    let mut claims = same(drawn, "one aggregate");
    let others = same(&together, "points driven together").into_iter().chain(same(&free, "any velocities"));
    claims.extend(others.map(Claim::ours));
    Ok(claims)
}

/// All runs end in the exact places, with the centre of mass on its way.
fn same(runs: &[Run], of: &str) -> Vec<Claim> {
    let worst = |h: f64, value: fn(&Run) -> f64| {
        runs.iter().filter(|run| run.h == h).map(value).fold(0.0, fit::larger)
    };
    let places = STEPS.map(|(_, h)| {
        let name = format!("largest error of a final position, h = {h}, {of}");
        Claim::at_most(name, 0.0, worst(h, Run::error), TOLERANCE)
    });
    let centre = STEPS.iter().map(|&(_, h)| worst(h, |run| run.centre_error)).fold(0.0, fit::larger);
    let centre = Claim::at_most(format!("largest error of the centre of mass, {of}"), 0.0, centre, 1e-12);
    places.into_iter().chain([centre]).collect()
}

/// Positions of all points after each step.
struct Run {
    seed: u64,
    drift: f64,
    h: f64,
    times: Vec<f64>,
    q: Vec<Vec<f64>>,
    exact: Vec<f64>,
    centre_error: f64,
}

impl Run {
    fn new(setting: &Setting, seed: u64, drift: f64, h: f64) -> Result<Self> {
        let settings = [format!("seed={seed}"), format!("drift={drift}"), format!("step={h}")];
        let scene = setting.scene("maury-sticky", SCENE, &[], &settings)?;
        let mut world = scene.build::<2>()?.world;
        let width = 2.0 * parameter(&scene, "radius")?;
        let places = |x: &[stickslip_geometry::space::Vector<2>]| -> Vec<f64> {
            x.iter().enumerate().map(|(i, x)| x[0] - width * i as f64).collect()
        };
        let q_0 = places(&world.bodies().x);
        let u_0: Vec<f64> = world.bodies().v.iter().map(|v| v[0]).collect();
        let (mut times, mut q) = (vec![0.0], vec![q_0.clone()]);
        let mut centre_error = 0.0f64;
        let end = scene.file.time.value.end;
        while world.time() < end - 0.5 * h {
            times.push(world.step(h)?.time);
            q.push(places(&world.bodies().x));
            let expected = fit::mean(q_0.iter().copied()) + world.time() * fit::mean(u_0.iter().copied());
            centre_error = centre_error.max((fit::mean(q[q.len() - 1].iter().copied()) - expected).abs());
        }
        let free: Vec<f64> = q_0.iter().zip(&u_0).map(|(q, u)| q + world.time() * u).collect();
        Ok(Run { seed, drift, h, times, q, exact: increasing(&free), centre_error })
    }

    fn last(&self) -> &[f64] {
        &self.q[self.q.len() - 1]
    }

    /// The largest error of a final position.
    fn error(&self) -> f64 {
        self.last().iter().zip(&self.exact).map(|(a, b)| (a - b).abs()).fold(0.0, fit::larger)
    }

    fn aggregates(&self) -> usize {
        1 + self.last().windows(2).filter(|pair| pair[1] - pair[0] > TOLERANCE).count()
    }

    fn draw(&self, setting: &Setting, figure: u32, h: f64) -> Result<()> {
        let name = format!("figure-{figure}");
        let points = self.last().len();
        let columns: Vec<String> =
            ["time".into()].into_iter().chain((0..points).map(|i| format!("q_{i}"))).collect();
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        let rows = self.times.iter().zip(&self.q);
        setting.table(
            &name,
            &columns,
            rows.map(|(time, q)| [*time].into_iter().chain(q.iter().copied()).collect::<Vec<f64>>()),
        )?;
        let series = (0..points).map(|i| Series {
            label: String::new(),
            points: self.times.iter().zip(&self.q).map(|(time, q)| (*time, q[i])).collect(),
        });
        let plot = Plot {
            title: format!("Maury 2006, Fig. {figure}: paths of the points, h = {h}"),
            x: "t".into(),
            y: "q".into(),
            series: series.collect(),
            ..Plot::default()
        };
        setting.figure(&name, &plot)
    }
}

/// The nearest increasing sequence: neighbours in the wrong order share their mean.
fn increasing(x: &[f64]) -> Vec<f64> {
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for &x in x {
        let mut block = (x, 1);
        while let Some(&(sum, count)) =
            blocks.last().filter(|(sum, count)| sum * block.1 as f64 >= block.0 * *count as f64)
        {
            block = (block.0 + sum, block.1 + count);
            blocks.pop();
        }
        blocks.push(block);
    }
    blocks.iter().flat_map(|&(sum, count)| std::iter::repeat_n(sum / count as f64, count)).collect()
}

#[cfg(test)]
mod tests {
    use super::increasing;

    #[test]
    fn what_goes_down_is_levelled() {
        assert_eq!(increasing(&[1.0, 2.0, 4.0]), [1.0, 2.0, 4.0]);
        assert_eq!(increasing(&[3.0, 1.0, 5.0, 4.0, 0.0]), [2.0, 2.0, 3.0, 3.0, 3.0]);
    }
}
