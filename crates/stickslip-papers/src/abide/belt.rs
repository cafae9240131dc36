//! Abide 2021, 6.1: a ball on a belt slides, then rolls; errors against the closed form, and the sweeps of four methods.

use super::method::{COMPARED, IPDAS, Method, Printed, Run, least_seconds, median, sweeps, times};
use crate::{Claim, Experiment, Result, Setting, friction, parameter};
use stickslip_pictures::plots::{Plot, Series};
use stickslip_scene::Scene;

pub const EXPERIMENT: Experiment = Experiment {
    id: "abide-belt",
    summary: "a ball on a conveyor belt slides until it rolls: errors of five time steps, sweeps of four methods",
    paper: "Abide 2021, section 6.1, Fig. 2, Tables 1 and 2",
    run,
};

const SCENE: &str = include_str!("../../../../scenes/papers/abide-belt.toml");
const PRINTED: Printed = Printed::new(Some([10.0, 10.0]), 1e-8, 10_000);
/// Residual of `auto`.
const TOLERANCE: f64 = 1e-12;
/// When the ball begins to roll, as printed.
const ROLLS: f64 = 0.13243;
/// A ball whose slip is below this part of its start rolls.
const ROLLING: f64 = 1e-6;
/// Table 1: steps until the ball rolls (the second printed step, 6.62e-6, is one of 6.62e-7), and the errors of position,
/// spin and velocity.
const TABLE_1: [(usize, [f64; 3]); 5] = [
    (1_000_000, [7.83e-11, 1.97e-8, 5.32e-11]),
    (200_000, [2.21e-11, 4.70e-9, 1.27e-11]),
    (100_000, [1.59e-12, 1.44e-9, 3.88e-12]),
    (50_000, [1.73e-12, 1.41e-9, 3.52e-12]),
    (10_000, [5.18e-13, 2.03e-10, 3.83e-13]),
];
/// Table 2, in the order of the methods: sweeps of a step that slides, of one that rolls, and CPU seconds.
const TABLE_2: [(f64, f64, f64); 4] =
    [(2.0, 3.0, 0.664), (2.0, 3.0, 0.692), (20.0, 20.0, 1.584), (2.0, 2.0, 0.744)];
const QUANTITIES: [&str; 3] = ["position", "spin", "velocity"];

fn run(setting: &Setting) -> Result<Vec<Claim>> {
    let mut claims = Vec::new();
    let scene = belt(setting, TABLE_1[4].0)?;
    let (mut rows, mut all_seconds) = (Vec::new(), Vec::new());
    let methods = COMPARED.into_iter().zip(TABLE_2.map(Some)).chain([(Method::Auto(TOLERANCE), None)]);
    for (method, paper) in methods {
        let mut ball = Ball::roll(&scene, method)?;
        ball.run.seconds = least_seconds::<3>(&scene, method, &PRINTED)?;
        if method == IPDAS {
            ball.draw(setting)?;
            claims.push(Claim::near(
                "time at which the ball begins to roll [s]",
                ROLLS,
                ball.rolls,
                2.0 * ball.run.h,
            ));
        }
        if let Some((sliding, rolling, _)) = paper {
            let name = method.name();
            claims.push(Claim::near(format!("sweeps of {name}, sliding"), sliding, ball.sliding, 0.0));
            claims.push(Claim::near(format!("sweeps of {name}, rolling"), rolling, ball.rolling, 0.0));
            all_seconds.push(ball.run.seconds);
        } else {
            let claim = "largest residual of a step by auto";
            claims.push(Claim::at_most(claim, TOLERANCE, ball.run.residual, 0.0).ours());
        }
        rows.push(ball.row(paper));
    }
    setting.table("table-2", &COLUMNS, rows.into_iter())?;
    claims.extend(times(&TABLE_2.map(|(_, _, seconds)| seconds), &all_seconds));
    claims.extend(errors(setting)?);
    claims.push(friction::compare::<3>(setting, &scene)?.lift().ours());
    Ok(claims)
}

const COLUMNS: [&str; 9] = [
    "method",
    "paper sliding",
    "sliding",
    "paper rolling",
    "rolling",
    "paper seconds",
    "seconds",
    "residual",
    "until [s]",
];

/// Table 1; the finest steps are left out of a quick run. All errors are rounding, which adds up by the order of operations.
fn errors(setting: &Setting) -> Result<Vec<Claim>> {
    let (mut claims, mut rows) = (Vec::new(), Vec::new());
    for (parts, paper) in TABLE_1.into_iter().skip(setting.choose(0, 3)) {
        let ball = Ball::roll(&belt(setting, parts)?, IPDAS)?;
        let mut row = vec![format!("{:.3e}", ball.run.h)];
        for (k, quantity) in QUANTITIES.iter().enumerate() {
            let claim = format!("error of the {quantity} at 1 s, time step {:.2e} s", ball.run.h);
            claims.push(Claim::at_most(claim, paper[k], ball.errors[k], 9.0 * paper[k]));
            row.extend([format!("{:.2e}", paper[k]), format!("{:.2e}", ball.errors[k])]);
        }
        rows.push(row);
    }
    let columns = ["step", "paper position", "position", "paper spin", "spin", "paper velocity", "velocity"];
    setting.table("table-1", &columns, rows.into_iter())?;
    Ok(claims)
}

fn belt(setting: &Setting, parts: usize) -> Result<Scene> {
    setting.scene("abide-belt", SCENE, &[], &[format!("parts={parts}")])
}

/// Position, spin and velocity of a ball that slides with constant force until it rolls.
struct Exact {
    friction: f64,
    r: f64,
    v0: f64,
    rolls: f64,
}

impl Exact {
    fn new(scene: &Scene) -> Result<Self> {
        let number = |name| parameter(scene, name);
        let friction = number("mu")? * number("g")?;
        let (r, v0, v1) = (number("r")?, number("v0")?, number("v1")?);
        // (6.1) with I = 2 m r²/5
        Ok(Exact { friction, r, v0, rolls: (v0 - v1).abs() / (friction * 3.5) })
    }

    fn at(&self, time: f64) -> [f64; 3] {
        let slid = time.min(self.rolls);
        let v = self.v0 + self.friction * slid;
        let x = self.v0 * slid + 0.5 * self.friction * slid * slid + v * (time - slid);
        [x, -2.5 * self.friction * slid / self.r, v]
    }
}

/// A run with one ball.
struct Ball {
    run: Run<3>,
    exact: Exact,
    /// When it was first seen to roll.
    rolls: f64,
    /// Sweeps of a step before and after.
    sliding: f64,
    rolling: f64,
    /// Of position, spin and velocity at the end.
    errors: [f64; 3],
    /// Times with the three, some hundreds.
    seen: Vec<(f64, [f64; 3])>,
}

impl Ball {
    fn roll(scene: &Scene, method: Method) -> Result<Self> {
        let exact = Exact::new(scene)?;
        let mut run = Run::<3>::new(scene, method, &PRINTED)?;
        let ball = run.balls[0].index();
        let (v1, slip) = (parameter(scene, "v1")?, parameter(scene, "v1")? - exact.v0);
        let state = |run: &Run<3>| {
            let bodies = run.built.world.bodies();
            [bodies.x[ball][0], bodies.spin[ball][1], bodies.v[ball][0]]
        };
        let (mut before, mut after, mut seen, mut rolls) = (Vec::new(), Vec::new(), Vec::new(), f64::NAN);
        let every = run.steps().div_ceil(400);
        for step in 1..=run.steps() {
            let count = sweeps(&run.step()?);
            let time = step as f64 * run.h;
            let [_, spin, v] = state(&run);
            if rolls.is_nan() && (v1 - v + spin * exact.r).abs() < ROLLING * slip {
                rolls = time;
            }
            if rolls.is_nan() {
                before.push(count)
            } else {
                after.push(count)
            }
            if step % every == 0 {
                seen.push((time, state(&run)));
            }
        }
        let expected = exact.at(run.steps() as f64 * run.h);
        let errors = std::array::from_fn(|k| (state(&run)[k] - expected[k]).abs());
        Ok(Ball { run, exact, rolls, sliding: median(before), rolling: median(after), errors, seen })
    }

    fn row(&self, paper: Option<(f64, f64, f64)>) -> Vec<String> {
        let [sliding, rolling, seconds] =
            paper.map_or_else(Default::default, |(a, b, c)| [a, b, c].map(|x| x.to_string()));
        vec![
            self.run.method.name(),
            sliding,
            self.sliding.to_string(),
            rolling,
            self.rolling.to_string(),
            seconds,
            format!("{:.3}", self.run.seconds),
            format!("{:.1e}", self.run.residual),
            format!("{:.3}", self.run.built.world.time()),
        ]
    }

    /// Figure 2: both curves of each quantity.
    fn draw(&self, setting: &Setting) -> Result<()> {
        let units = ["position [m]", "spin [rad/s]", "velocity [m/s]"];
        // the paper's order: position, velocity, spin
        for (letter, k) in ["a", "b", "c"].into_iter().zip([0, 2, 1]) {
            let points = |value: &dyn Fn(usize, f64, &[f64; 3]) -> f64| {
                let seen = self.seen.iter().enumerate();
                seen.map(|(look, (time, state))| (*time, value(look, *time, state))).collect()
            };
            // dashes, so that what lies below is seen
            let dashed = |look: usize| if look % 16 < 8 { 1.0 } else { f64::NAN };
            let series = vec![
                Series {
                    label: "closed form".into(),
                    points: points(&|look, time, _| dashed(look) * self.exact.at(time)[k]),
                },
                Series { label: "stickslip".into(), points: points(&|_, _, state| state[k]) },
            ];
            let plot = Plot {
                title: format!("Abide 2021, Fig. 2{letter}: {} of the ball", QUANTITIES[k]),
                x: "time [s]".into(),
                y: units[k].into(),
                series,
                ..Plot::default()
            };
            setting.figure(&format!("figure-2{letter}"), &plot)?;
        }
        let rows = self.seen.iter().map(|(time, [x, spin, v])| vec![*time, *x, *v, *spin]);
        setting.table("series", &["time", "position", "velocity", "spin"], rows)
    }
}
