//! Maury 2006, 6.1: a point on a half-line under a force that swings faster and faster towards t = 0. The problem has two
//! solutions, and the time step decides which one is found.
//!
//! ```text
//! f = 1 on (L, 3L/2), −α on (3L/2, 2L),   L = 2^k        the integral from 0 to L is (1 − α) L/2
//! ```
//!
//! A solution that leaves the floor at T is back before 4T, and leaves it again then: T = 4^j, or T = 2·4^j. A third one, which
//! the paper does not tell, touches the floor at (1 + σ) 2^j and leaves it at once, σ = α − √(α² − (3 − α)/4). It is unstable:
//! what comes near follows it for a while.

use crate::{Claim, Experiment, Result, Setting, fit, parameter};
use rayon::prelude::*;
use stickslip_pictures::plots::{Plot, Series};

pub const EXPERIMENT: Experiment = Experiment {
    id: "maury-nonuniqueness",
    summary: "a point under a swinging force: two time steps find two solutions of one problem",
    paper: "Maury 2006, section 6.1, Figs 2 to 4",
    run,
};

const SCENE: &str = include_str!("../../../../scenes/papers/maury-nonuniqueness.toml");
/// Solutions by when they leave the floor: steps 2^−n find the first for even n, the second for odd n.
const SOLUTIONS: [&str; 3] = ["4^j", "2 4^j", "(1 + s) 2^j"];
/// The first n that is tried, and the last of a quick and of a full run.
const FIRST: i32 = 8;
const LAST: [i32; 2] = [12, 15];
/// The n of Figs 3 and 4.
const DRAWN: [i32; 2] = [8, 9];
/// Steps between the powers of two that are tried beside them, as parts of the next power: the paper leaves them open.
const BETWEEN: usize = 16;
/// A step that follows the third solution.
const THIRD: f64 = 1.25 / 512.0;
/// What counts as near a solution: they are 0.3 and more apart.
const NEAR: f64 = 0.02;

fn run(setting: &Setting) -> Result<Vec<Claim>> {
    let last = LAST[usize::from(!setting.quick)];
    let swing = Swing { alpha: parameter(&setting.scene("maury-nonuniqueness", SCENE, &[], &[])?, "alpha")? };
    let powers: Vec<i32> = (FIRST..=last).collect();
    let steps = |n: i32, part: usize| 0.5f64.powi(n) * (1.0 + part as f64 / BETWEEN as f64);
    let paths: Vec<Path> =
        powers.par_iter().map(|&n| Path::new(setting, swing, steps(n, 0))).collect::<Result<_>>()?;
    let between: Vec<f64> =
        [last - 2, last - 1].iter().flat_map(|&n| (1..BETWEEN).map(move |part| steps(n, part))).collect();
    let others: Vec<Path> =
        between.par_iter().map(|&h| Path::new(setting, swing, h)).collect::<Result<_>>()?;
    draw(setting, swing, &paths, &others)?;
    let drawn = DRAWN.map(|n| &paths[(n - FIRST) as usize]);
    let mut claims = Vec::new();
    for (which, (path, n)) in drawn.iter().zip(DRAWN).enumerate() {
        let name = format!("largest distance of the path by h = 2^-{n} from its solution");
        claims.push(Claim::at_most(name, 0.0, path.distances()[which], NEAR));
        let family = paths.iter().skip(which).step_by(2);
        let order = fit::power(family.map(|path| (path.h, path.distances()[which])));
        let name = format!("order at which h = 2^-{n}, 2^-{}, … meet it", n + 2);
        claims.push(Claim::near(name, 1.0, order, 0.2).ours());
    }
    // the finer path at the times of the coarser
    let apart = drawn[0].points.iter().zip(drawn[1].points.iter().skip(1).step_by(2));
    let apart = apart.map(|(a, b)| (a.1 - b.1).abs()).fold(0.0, fit::larger);
    let exact = drawn[0].points.iter().map(|&(t, _)| (swing.solution(0, t) - swing.solution(1, t)).abs());
    let exact = exact.fold(0.0, fit::larger);
    claims.push(Claim::near("largest distance of both paths from each other", exact, apart, NEAR).ours());
    let near = others.iter().filter(|path| path.distances()[..2].iter().any(|away| *away <= NEAR)).count();
    let share = near as f64 / others.len() as f64;
    let name = format!("share of {} other steps that find one of the two solutions", others.len());
    claims.push(Claim::at_least(name, 0.9, share, 0.0).ours());
    let third = Path::new(setting, swing, THIRD)?.distances()[2];
    claims.push(
        Claim::at_most("largest distance of h = 1.25/512 from a third solution", 0.0, third, 0.1).ours(),
    );
    Ok(claims)
}

/// The path of the point by a time step.
struct Path {
    swing: Swing,
    h: f64,
    points: Vec<(f64, f64)>,
}

impl Path {
    fn new(setting: &Setting, swing: Swing, h: f64) -> Result<Self> {
        let scene = setting.scene("maury-nonuniqueness", SCENE, &[], &[format!("step={h}")])?;
        let mut world = scene.build::<2>()?.world;
        world.forces.push(Box::new(move |_, middle, loads| {
            loads[1].0[1] += (swing.impulse(middle + 0.5 * h) - swing.impulse(middle - 0.5 * h)) / h;
        }));
        let (mut points, end) = (Vec::new(), scene.file.time.value.end);
        while world.time() < end - 0.5 * h {
            let time = world.step(h)?.time;
            points.push((time, world.bodies().x[1][1] - 1.0));
        }
        Ok(Path { swing, h, points })
    }

    /// The largest distance from each solution.
    fn distances(&self) -> [f64; 3] {
        [0, 1, 2].map(|which| {
            self.points.iter().map(|&(t, q)| (q - self.swing.solution(which, t)).abs()).fold(0.0, fit::larger)
        })
    }
}

/// The force that swings.
#[derive(Clone, Copy)]
struct Swing {
    alpha: f64,
}

impl Swing {
    /// The integral of the force from 0 to a time.
    fn impulse(self, time: f64) -> f64 {
        if time <= 0.0 {
            return 0.0;
        }
        let L = time.log2().floor().exp2();
        let s = time - L;
        0.5 * (1.0 - self.alpha) * L + if s <= 0.5 * L { s } else { 0.5 * L - self.alpha * (s - 0.5 * L) }
    }

    /// One of the solutions.
    fn solution(self, which: usize, time: f64) -> f64 {
        if which < 2 {
            let first = [1.0, 2.0][which];
            let T = first * 4f64.powf((time / first).log(4.0).floor());
            return fly(time - T, [(1.0, 0.5 * T), (-self.alpha, 0.5 * T), (1.0, T), (-self.alpha, T)]);
        }
        let sigma = self.alpha - (self.alpha * self.alpha - 0.25 * (3.0 - self.alpha)).sqrt();
        let T = (time / (1.0 + sigma)).log2().floor().exp2();
        fly(
            time - (1.0 + sigma) * T,
            [(1.0, (0.5 - sigma) * T), (-self.alpha, 0.5 * T), (1.0, 2.0 * sigma * T), (0.0, 0.0)],
        )
    }
}

/// How high the point is some time after it has left the floor, under forces that last for some time each.
fn fly(mut left: f64, forces: [(f64, f64); 4]) -> f64 {
    let (mut q, mut v) = (0.0, 0.0);
    for (force, length) in forces {
        let s = length.min(left);
        q += v * s + 0.5 * force * s * s;
        v += force * s;
        left -= s;
    }
    // once it is down it stays until the next start
    f64::max(q, 0.0)
}

fn draw(setting: &Setting, swing: Swing, paths: &[Path], others: &[Path]) -> Result<()> {
    let rows = paths
        .iter()
        .chain(others)
        .map(|path| [path.h, 1.0 / path.h].into_iter().chain(path.distances()).collect::<Vec<f64>>());
    setting.table("limits", &["step", "steps_in_a_unit", "from_first", "from_second", "from_third"], rows)?;
    let times = || (1..=4000).map(|k| f64::from(k) * 1e-3);
    let force = times().map(|t| (t, (swing.impulse(t) - swing.impulse(t - 1e-6)) / 1e-6)).collect();
    let plot = Plot {
        title: "Maury 2006, Fig. 2: the force".into(),
        x: "t".into(),
        y: "f".into(),
        series: vec![Series { label: String::new(), points: force }],
        ..Plot::default()
    };
    setting.figure("figure-2", &plot)?;
    for (which, n) in DRAWN.into_iter().enumerate() {
        let path = &paths[(n - FIRST) as usize];
        let figure = 3 + which;
        let name = format!("figure-{figure}");
        setting.table(
            &name,
            &["time", "q", "solution"],
            path.points.iter().map(|&(t, q)| vec![t, q, swing.solution(which, t)]),
        )?;
        let exact = times().map(|t| (t, swing.solution(which, t))).collect();
        let plot = Plot {
            title: format!("Maury 2006, Fig. {figure}: time step h = 2^-{n}"),
            x: "t".into(),
            y: "q".into(),
            series: vec![
                Series { label: "computed".into(), points: path.points.clone() },
                Series { label: "solution".into(), points: exact },
            ],
            dashed_from: Some(1),
            ..Plot::default()
        };
        setting.figure(&name, &plot)?;
    }
    let distance = |k: usize| Series {
        label: format!("from the solution that takes off at {}", SOLUTIONS[k]),
        points: paths.iter().map(|path| (-path.h.log2(), path.distances()[k])).collect(),
    };
    let plot = Plot {
        title: "Both limits of one scheme: h = 2^-n".into(),
        x: "n".into(),
        y: "largest distance".into(),
        series: vec![distance(0), distance(1)],
        logarithmic: true,
        size: (900, 400),
        ..Plot::default()
    };
    setting.figure("limits", &plot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solutions_accelerate_by_the_force_where_they_fly() {
        let swing = Swing { alpha: 1.8 };
        let (d, mut flown) = (1e-4, 0);
        for which in 0..SOLUTIONS.len() {
            for k in 1..400 {
                let t = 0.00987 * f64::from(k);
                let [a, q, b] = [t - d, t, t + d].map(|t| swing.solution(which, t));
                let force = (swing.impulse(t + d) - swing.impulse(t - d)) / (2.0 * d);
                let steady = [1.0, -swing.alpha].iter().any(|f| (force - f).abs() < 1e-9);
                if a > 0.0 && q > 0.0 && b > 0.0 && steady {
                    flown += 1;
                    assert!(((a - 2.0 * q + b) / (d * d) - force).abs() < 1e-5, "{which} {t}");
                }
            }
        }
        assert!(flown > 10, "{flown}");
    }
}
