//! Abide 2021, 6.2: a ball in a fixed drum slides, then swings like a pendulum and keeps its energy.

use super::method::{COMPARED, IBP, IPDAS, Method, Printed, Run, least_seconds, median, sweeps, times};
use crate::{Claim, Experiment, Result, Setting, fit, friction, parameter};
use stickslip_pictures::plots::{Plot, Series};
use stickslip_scene::Scene;

pub const EXPERIMENT: Experiment = Experiment {
    id: "abide-drum-ball",
    summary: "a ball in a fixed drum slides, then rolls: its spin, its energy, and the sweeps of four methods",
    paper: "Abide 2021, section 6.2, Fig. 4, Table 3",
    run,
};

const SCENE: &str = include_str!("../../../../scenes/papers/abide-drum-ball.toml");
/// A shorter time.
const QUICK: [&str; 1] = ["time.end=1"];
const PRINTED: Printed = Printed::new(Some([10.0, 10.0]), 1e-8, 10_000);
/// Residual of `auto`.
const TOLERANCE: f64 = 1e-12;
/// The tangent of the angle up to which a ball is near the lowest line: a pendulum that rolls needs the friction 2/7 of it.
const LOW: f64 = 0.1;
/// Why IBP takes a sweep more than in the paper.
const WHY: &str = "from no impulse the first visit takes a contact for a sliding one that needs more friction than \
                   μ/3.5/(1 + μ²), as rolling does away from the lowest line: the second finds that it sticks, the third \
                   confirms it; near the lowest line the sweeps are two";
/// Spin at which the ball begins to roll, as printed [rad/s].
const SPIN: f64 = -110.0;
/// Table 3, in the order of the methods: sweeps from and to, and CPU seconds.
const TABLE_3: [([f64; 2], f64); 4] =
    [([3.0, 3.0], 1.396), ([3.0, 3.0], 1.356), ([30.0, 40.0], 5.224), ([2.0, 2.0], 1.844)];

fn run(setting: &Setting) -> Result<Vec<Claim>> {
    let scene = setting.scene("abide-drum-ball", SCENE, &QUICK, &[])?;
    let (mut claims, mut rows, mut all_seconds) = (Vec::new(), Vec::new(), Vec::new());
    let methods = COMPARED.into_iter().zip(TABLE_3.map(Some)).chain([(Method::Auto(TOLERANCE), None)]);
    for (method, paper) in methods {
        let mut ball = Ball::roll(&scene, method)?;
        ball.run.seconds = least_seconds::<3>(&scene, method, &PRINTED)?;
        if method == IPDAS {
            ball.draw(setting)?;
            claims.splice(0..0, ball.claims(&scene)?);
        }
        if let Some(([low, high], _)) = paper {
            let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
            let claim = format!("sweeps of {} while rolling", method.name());
            let claim = Claim::near(claim, middle, ball.rolling, half);
            claims.push(if method == IBP { claim.finding(3.0..=3.0, WHY) } else { claim });
            if method == IBP {
                let claim = "sweeps of IBP while rolling near the lowest line";
                claims.push(Claim::near(claim, low, ball.low, 0.0));
            }
            all_seconds.push(ball.run.seconds);
        } else {
            let claim = "largest residual of a step by auto";
            claims.push(Claim::at_most(claim, TOLERANCE, ball.run.residual, 0.0).ours());
        }
        rows.push(ball.row(paper));
    }
    let columns = ["method", "paper sweeps", "sweeps", "paper seconds", "seconds", "residual", "until [s]"];
    setting.table("table-3", &columns, rows.into_iter())?;
    claims.extend(times(&TABLE_3.map(|(_, seconds)| seconds), &all_seconds));
    claims.push(friction::compare::<3>(setting, &scene)?.lift().ours());
    Ok(claims)
}

/// Time, spin and energy at the end of a step.
#[derive(Clone, Copy)]
struct Row {
    time: f64,
    spin: f64,
    energy: f64,
}

/// A run with one ball.
struct Ball {
    run: Run<3>,
    rows: Vec<Row>,
    /// The first step that rolls.
    rolls: usize,
    /// Sweeps of a step from then on in which it touches the drum: after every touch it is off for a step or more.
    rolling: f64,
    /// Those of them near the lowest line, where rolling needs little friction.
    low: f64,
}

impl Ball {
    fn roll(scene: &Scene, method: Method) -> Result<Self> {
        let (r, drum, g) = (parameter(scene, "r")?, parameter(scene, "drum")?, parameter(scene, "g")?);
        let mut run = Run::<3>::new(scene, method, &PRINTED)?;
        let ball = run.balls[0].index();
        let (mut rows, mut rolls) = (Vec::new(), usize::MAX);
        let (mut rolling, mut low) = (Vec::new(), Vec::new());
        for step in 1..=run.steps() {
            let report = run.step()?;
            let bodies = run.built.world.bodies();
            let (x, v, spin) = (bodies.x[ball], bodies.v[ball], bodies.spin[ball][2]);
            // the way round the drum, in which the slip of a rolling ball has no sign
            let slip = (v[1] * x[0] - v[0] * x[1]) / x.norm() + spin * r;
            if rolls == usize::MAX && slip <= 0.0 {
                rolls = step - 1;
            }
            if rolls != usize::MAX && report.contacts > 0 {
                rolling.push(sweeps(&report));
                if (x[0] / x[1]).abs() < LOW {
                    low.push(sweeps(&report));
                }
            }
            // counted from a ball at rest on the lowest line
            let rest = -bodies.mass[ball] * g * (drum - r);
            let energy = report.energy.kinetic + report.energy.potential - rest;
            rows.push(Row { time: step as f64 * run.h, spin, energy });
        }
        Ok(Ball { run, rows, rolls, rolling: median(rolling), low: median(low) })
    }

    fn claims(&self, scene: &Scene) -> Result<Vec<Claim>> {
        let rows = &self.rows;
        let rolling = rows.get(self.rolls..).unwrap_or_default();
        let spin = rolling.first().map_or(f64::NAN, |row| row.spin);
        let expected = slid(scene)?;
        // over the first and the last half of the swings
        let (first, last) = rolling.split_at(rolling.len() / 2);
        let largest = |rows: &[Row]| rows.iter().map(|row| row.spin.abs()).fold(0.0, fit::larger);
        let energies = || rolling.iter().map(|row| row.energy);
        // not a number where nothing rolls
        let high = energies().fold(f64::NEG_INFINITY, fit::larger);
        let change = (high - energies().fold(f64::INFINITY, fit::smaller)) / high;
        let seconds = rolling.len() as f64 * self.run.h;
        let start = rows.first().map_or(f64::NAN, |row| row.energy);
        let rises =
            rows.windows(2).map(|pair| (pair[1].energy - pair[0].energy) / start).fold(0.0, fit::larger);
        Ok(vec![
            Claim::near("spin at which the ball begins to roll [rad/s]", SPIN, spin, 2.0),
            Claim::near("the same by that of a ball that slides, integrated", 1.0, spin / expected, 5e-4)
                .ours(),
            Claim::near(
                "largest spin of the last swings by that of the first",
                1.0,
                largest(last) / largest(first),
                3e-4,
            ),
            Claim::at_most(
                "change of the energy in a second of rolling, by the largest",
                0.0,
                change / seconds,
                1e-6,
            ),
            Claim::at_most("largest gain of energy in a step, by that at the start", 0.0, rises, 1e-12)
                .ours(),
        ])
    }

    fn row(&self, paper: Option<([f64; 2], f64)>) -> Vec<String> {
        let (range, seconds) = paper.map_or_else(Default::default, |([low, high], seconds)| {
            (if low < high { format!("{low} to {high}") } else { low.to_string() }, seconds.to_string())
        });
        let Run { method, seconds: ours, residual, .. } = &self.run;
        vec![
            method.name(),
            range,
            self.rolling.to_string(),
            seconds,
            format!("{ours:.3}"),
            format!("{residual:.1e}"),
            format!("{:.3}", self.run.built.world.time()),
        ]
    }

    fn draw(&self, setting: &Setting) -> Result<()> {
        let every = self.rows.len().div_ceil(2000);
        let rows = || self.rows.iter().step_by(every);
        setting.table(
            "series",
            &["time", "spin", "energy"],
            rows().map(|row| vec![row.time, row.spin, row.energy]),
        )?;
        type Figure = (&'static str, &'static str, &'static str, fn(&Row) -> f64);
        let figures: [Figure; 2] = [
            ("a", "spin of the ball", "spin [rad/s]", |row| row.spin),
            ("b", "mechanical energy of the ball", "energy [mJ]", |row| 1e3 * row.energy),
        ];
        for (letter, title, y, value) in figures {
            let points = rows().map(|row| (row.time, value(row))).collect();
            let plot = Plot {
                title: format!("Abide 2021, Fig. 4{letter}: {title}"),
                x: "time [s]".into(),
                y: y.into(),
                series: vec![Series { label: String::new(), points }],
                ..Plot::default()
            };
            setting.figure(&format!("figure-4{letter}"), &plot)?;
        }
        Ok(())
    }
}

/// The spin at which a ball rolls that slides along the drum: its motion by Heun's rule in small steps.
///
///   N/m = v²/R + g cos φ,   φ' = v/R,   v' = −g sin φ − μ N/m,   ω' = −5/2 μ N/(m r),   R the way of the centre
fn slid(scene: &Scene) -> Result<f64> {
    let number = |name| parameter(scene, name);
    let (r, g, mu) = (number("r")?, number("g")?, number("mu")?);
    let way = number("drum")? - r;
    let rate = |[phi, v, _]: [f64; 3]| {
        let friction = mu * (v * v / way + g * phi.cos());
        [v / way, -g * phi.sin() - friction, -2.5 * friction / r]
    };
    let add = |a: [f64; 3], b: [f64; 3], h: f64| std::array::from_fn(|k| a[k] + h * b[k]);
    let (mut state, h) = ([0.0, number("v0")?, 0.0], 1e-6);
    while state[1] + state[2] * r > 0.0 {
        let begin = rate(state);
        let end = rate(add(state, begin, h));
        state = add(add(state, begin, 0.5 * h), end, 0.5 * h);
    }
    Ok(state[2])
}
