//! Bloch 2023, 3.2: a disk falls on a slope, without friction, sliding and rolling; every scheme beside the exact motion.

mod exact;
mod figures;

use super::{DISK, count};
use crate::{Claim, Experiment, Result, Setting, fit};
use exact::Moment;
use rayon::prelude::*;

pub const EXPERIMENT: Experiment = Experiment {
    id: "bloch-order",
    summary: "a disk that falls on a slope: first order in the time step by every scheme, and fixed-point iterations",
    paper: "Bloch 2023, section 3.2 and appendix B, Figs 5 to 8",
    run,
};

const G: f64 = 1.0;
const SLOPE: f64 = std::f64::consts::FRAC_PI_6;
const HEIGHT: f64 = 1.0;
/// The paper tells no end; the mean numbers of fixed-point iterations that it prints are those of runs this long.
const END: f64 = 10.0;
/// The step of Figs 5 and 7.
const STEP: f64 = 0.05;
/// How often it is halved.
const HALVINGS: [i32; 2] = [4, 7];

/// Schemes with the frictions that they are tried at.
const CASES: [Case; 7] = [
    Case { scheme: "maury", mu: 0.0 },
    Case { scheme: "fixed-point", mu: 1.0 },
    Case { scheme: "convex", mu: 1.0 },
    Case { scheme: "fixed-point", mu: 0.1 },
    Case { scheme: "convex", mu: 0.1 },
    Case { scheme: "exact", mu: 1.0 },
    Case { scheme: "exact", mu: 0.1 },
];
/// Those of the paper come first.
const PRINTED: usize = 5;

#[derive(Clone, Copy)]
struct Case {
    scheme: &'static str,
    mu: f64,
}

impl Case {
    fn name(&self) -> String {
        format!("{}, mu = {}", self.scheme, self.mu)
    }

    /// A disk that falls, step by step.
    fn fall(&self, setting: &Setting, h: f64) -> Result<Fall> {
        let settings = [
            format!("scheme={}", self.scheme),
            format!("mu={}", self.mu),
            format!("slope={SLOPE}"),
            format!("g={G}"),
            format!("height={HEIGHT}"),
            format!("step={h}"),
        ];
        let mut world = setting.scene("bloch-disk", DISK, &[], &settings)?.build::<2>()?.world;
        let mut fall = Fall { case: *self, h, moments: Vec::new(), convex_problems: 0, missed: 0 };
        let (counted, mut angle) = (self.scheme == "fixed-point", 0.0);
        for _ in 0..(END / h).round() as usize {
            if counted {
                fall.convex_problems += match world.problem(h)? {
                    Some((problem, _)) => count::fixed_point(&problem)?,
                    None => count::in_flight(world.bodies().v[1][0] + h * G * SLOPE.sin()),
                };
            }
            let time = world.step(h)?.time;
            let (x, v, spin) = (world.bodies().x[1], world.bodies().v[1], world.bodies().spin[1]);
            angle += h * spin;
            let gap = x[1] - 1.0;
            fall.moments.push(Moment { time, way: x[0], gap, angle, v_t: v[0], v_n: v[1], spin });
        }
        fall.missed = world.missed();
        Ok(fall)
    }
}

/// A run of a case.
struct Fall {
    case: Case,
    h: f64,
    moments: Vec<Moment>,
    /// Of the fixed point, by its own test.
    convex_problems: usize,
    /// Steps that missed their tolerance.
    missed: usize,
}

impl Fall {
    /// Errors of the centre and of the angle over the run.
    fn errors(&self) -> [f64; 2] {
        let squares = self.moments.iter().fold([0.0, 0.0], |[centre, angle], moment| {
            let exact = exact::at(self.case.mu, moment.time);
            let way = (moment.way - exact.way).hypot(moment.gap - exact.gap);
            [centre + self.h * way.powi(2), angle + self.h * (moment.angle - exact.angle).powi(2)]
        });
        squares.map(f64::sqrt)
    }

    /// The widest gap once the disk has landed.
    fn floats(&self) -> f64 {
        let landed = self.moments.iter().filter(|moment| moment.time > exact::landing() + self.h);
        landed.map(|moment| moment.gap).fold(0.0, fit::larger)
    }

    fn mean_convex_problems(&self) -> f64 {
        self.convex_problems as f64 / self.moments.len() as f64
    }
}

fn run(setting: &Setting) -> Result<Vec<Claim>> {
    let halvings = HALVINGS[usize::from(!setting.quick)];
    let runs: Vec<(Case, i32)> =
        CASES.iter().flat_map(|case| (0..halvings).map(|halving| (*case, halving))).collect();
    let falls: Vec<Fall> = runs
        .into_par_iter()
        .map(|(case, halving)| case.fall(setting, STEP * 0.5f64.powi(halving)))
        .collect::<Result<_>>()?;
    let by_case: Vec<&[Fall]> = falls.chunks(halvings as usize).collect();
    figures::write(setting, &by_case)?;
    Ok(claims(&by_case))
}

fn claims(by_case: &[&[Fall]]) -> Vec<Claim> {
    let mut claims = Vec::new();
    for falls in by_case {
        let case = falls[0].case;
        for (k, what) in ["centre", "angle"].into_iter().enumerate() {
            // without friction nothing turns
            if k == 0 || case.mu > 0.0 {
                let order = fit::power(falls.iter().map(|fall| (fall.h, fall.errors()[k])));
                claims.push(Claim::near(format!("order of the {what}, {}", case.name()), 1.0, order, 0.15));
            }
        }
    }
    for falls in &by_case[1..PRINTED] {
        claims.push(gap(&falls[0]));
    }
    for falls in [by_case[1], by_case[3]] {
        claims.extend(problems(falls));
    }
    let missed: usize = by_case.iter().flat_map(|falls| falls.iter()).map(|fall| fall.missed).sum();
    claims.push(Claim::at_most("steps that missed a residual of 1e-12", 0.0, missed as f64, 0.0));
    claims
}

/// How far the disk floats above the slope: not at all, unless it slides by the convex scheme.
fn gap(fall: &Fall) -> Claim {
    let Case { scheme, mu } = fall.case;
    let floating = scheme == "convex" && exact::slips(mu);
    let paper = if floating { fall.h * mu * exact::slip(mu, END) } else { 0.0 };
    let name = format!("widest gap after landing, {}, dt = {}", fall.case.name(), fall.h);
    Claim::near(name, paper, fall.floats(), 1e-9 + 0.02 * paper)
}

/// Mean fixed-point iterations, and how much they change with the step.
fn problems(falls: &[Fall]) -> [Claim; 2] {
    let case = falls[0].case;
    // a disk that rolls does not slip, s = 0 is right at once: the paper's two numbers stand at the wrong frictions
    let (paper, printed_for) = if exact::slips(case.mu) { (2.8, 1.0) } else { (1.2, 0.1) };
    let means = || falls.iter().map(Fall::mean_convex_problems);
    let (low, high) =
        means().fold((f64::INFINITY, 0.0f64), |(low, high), mean| (low.min(mean), high.max(mean)));
    let name = format!("fixed-point iterations a step, mu = {} (printed for mu = {printed_for})", case.mu);
    let spread = format!("spread of that mean over the time steps, mu = {}", case.mu);
    [
        Claim::near(name, paper, falls[0].mean_convex_problems(), 0.05),
        Claim::at_most(spread, 0.0, high - low, 0.1),
    ]
}
