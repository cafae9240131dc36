//! Bloch 2023, 3.2: a disk falls on a slope, without friction, sliding and rolling; every scheme beside the exact motion.

mod exact;
mod figures;

use super::DISK;
use super::count::{self, FixedPoint};
use crate::{Claim, Experiment, Result, Setting, fit, parameter};
use exact::{Moment, Slope};
use rayon::prelude::*;
use stickslip_scene::Scene;

pub const EXPERIMENT: Experiment = Experiment {
    id: "bloch-order",
    summary: "a disk that falls on a slope: first order in the time step by every scheme, and fixed-point iterations",
    paper: "Bloch 2023, section 3.2 and appendix B, Figs 5 to 8",
    run,
};

/// The disk falls from the height of its radius, section 3.2.
const HEIGHT: f64 = 1.0;
/// How often the step of the scene is halved.
const HALVINGS: [i32; 2] = [4, 7];
/// Parts of the end of the scene, which the paper does not tell, at which errors are taken.
const ENDS: [f64; 2] = [1.0, 0.5];
/// Friction of a disk that rolls, and of one that slides.
const ROLLING: f64 = 1.0;
const SLIDING: f64 = 0.1;
/// Why the printed numbers of fixed-point iterations are not those of their frictions.
const EXCHANGED: &str = "the paper's two numbers stand at each other's friction: a disk that rolls does not slip, so that s = 0 is right \
                         at once";
/// What stands for Mosek, which solves the convex problems of the paper with friction, and how far it goes.
const INNER: (&str, f64) = ("interior-point", 1e-11);

/// Who solves a step.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Solver {
    /// The default of the scheme.
    Ours,
    /// That of the paper with its settings: APGD-ASR of the printed step and test, or an interior point.
    Paper,
}

/// A scheme with its friction and its solver.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Case {
    scheme: &'static str,
    mu: f64,
    solver: Solver,
}

const fn case(scheme: &'static str, mu: f64, solver: Solver) -> Case {
    Case { scheme, mu, solver }
}

/// Those of the paper.
const SMOOTH: Case = case("maury", 0.0, Solver::Paper);
const ROLLS_FIXED: Case = case("fixed-point", ROLLING, Solver::Paper);
const ROLLS_CONVEX: Case = case("convex", ROLLING, Solver::Paper);
const SLIDES_FIXED: Case = case("fixed-point", SLIDING, Solver::Paper);
const SLIDES_CONVEX: Case = case("convex", SLIDING, Solver::Paper);
/// The same problems by our solvers.
const SMOOTH_OURS: Case = case("maury", 0.0, Solver::Ours);
const ROLLS_OURS: Case = case("exact", ROLLING, Solver::Ours);
const SLIDES_OURS: Case = case("exact", SLIDING, Solver::Ours);

const WITH_FRICTION: [Case; 4] = [ROLLS_FIXED, ROLLS_CONVEX, SLIDES_FIXED, SLIDES_CONVEX];
const CASES: [Case; 8] =
    [SMOOTH, ROLLS_FIXED, ROLLS_CONVEX, SLIDES_FIXED, SLIDES_CONVEX, SMOOTH_OURS, ROLLS_OURS, SLIDES_OURS];

impl Case {
    fn name(&self) -> String {
        let by = if self.solver == Solver::Ours { " by our solver" } else { "" };
        format!("{}{by}, mu = {}", self.scheme, self.mu)
    }

    /// The solver of a step h; ρ of forces is ρ h² of impulses, and a test on impulses h times as fine is no coarser than
    /// that on forces.
    fn solver(&self, h: f64) -> Option<String> {
        let (inner, tolerance) = INNER;
        let method = match (self.solver, self.scheme) {
            (Solver::Ours, _) => return None,
            (_, "maury") => {
                let (rho, increment) = (2.0 * h * h, 1e-9 * h);
                return Some(format!(
                    "solver={{ method = {{ apgd-asr = {{ rho = {rho:e}, increment = {increment:e} }} }}, tolerance = 1e-300, \
                     retry = false, warm_start = false }}"
                ));
            }
            (_, "fixed-point") => format!("{{ fixed-point = {{ inner = {{ solver = \"{inner}\" }} }} }}"),
            _ => format!("{{ {inner} = {{}} }}"),
        };
        Some(format!("solver={{ method = {method}, tolerance = {tolerance:e} }}"))
    }

    fn scene(&self, setting: &Setting, h: f64) -> Result<Scene> {
        let settings = [
            format!("scheme={}", self.scheme),
            format!("mu={}", self.mu),
            format!("height={HEIGHT}"),
            format!("step={h:e}"),
        ];
        let settings: Vec<String> = settings.into_iter().chain(self.solver(h)).collect();
        setting.scene("bloch-disk", DISK, &[], &settings)
    }

    /// A disk that falls, step by step.
    fn fall(&self, setting: &Setting, h: f64) -> Result<Fall> {
        let scene = self.scene(setting, h)?;
        let number = |name: &str| parameter(&scene, name);
        let slope = Slope { g: number("g")?, angle: number("slope")?, height: number("height")? };
        let mut world = scene.build::<2>()?.world;
        let mut fall = Fall { case: *self, slope, h, moments: Vec::new(), counts: Vec::new(), residual: 0.0 };
        let (fixed_point, mut angle) = (FixedPoint::new(INNER.0, INNER.1)?, 0.0);
        for _ in 0..(number("end")? / h).round() as usize {
            if self.scheme == "fixed-point" {
                fall.counts.push(match world.problem(h)? {
                    Some((problem, _)) => fixed_point.count(&problem),
                    None => count::in_flight(world.bodies().v[1][0] + h * slope.g * slope.angle.sin()),
                });
            }
            let report = world.step(h)?;
            let residual = report.outcome.map_or(0.0, |outcome| outcome.residual.scaled);
            fall.residual = fit::larger(fall.residual, residual);
            let (x, v, spin) = (world.bodies().x[1], world.bodies().v[1], world.bodies().spin[1]);
            angle += h * spin;
            let (time, gap) = (report.time, x[1] - 1.0);
            fall.moments.push(Moment { time, way: x[0], gap, angle, v_t: v[0], v_n: v[1], spin });
        }
        Ok(fall)
    }
}

/// A run of a case.
struct Fall {
    case: Case,
    slope: Slope,
    h: f64,
    moments: Vec<Moment>,
    /// Convex problems of the fixed point in each step, by its own test.
    counts: Vec<usize>,
    /// The largest of all steps.
    residual: f64,
}

impl Fall {
    /// Errors of the centre and of the angle over a part of the run.
    fn errors(&self, part: f64) -> [f64; 2] {
        let squares = self.first(part).iter().fold([0.0, 0.0], |[centre, angle], moment| {
            let exact = self.slope.at(self.case.mu, moment.time);
            let way = (moment.way - exact.way).hypot(moment.gap - exact.gap);
            [centre + self.h * way.powi(2), angle + self.h * (moment.angle - exact.angle).powi(2)]
        });
        squares.map(f64::sqrt)
    }

    fn first(&self, part: f64) -> &[Moment] {
        &self.moments[..(part * self.moments.len() as f64).round() as usize]
    }

    fn end(&self) -> f64 {
        self.moments.last().map_or(f64::NAN, |moment| moment.time)
    }

    /// The widest gap once the disk has landed.
    fn floats(&self) -> f64 {
        let landed = self.moments.iter().filter(|moment| moment.time > self.slope.landing() + self.h);
        landed.map(|moment| moment.gap).fold(0.0, fit::larger)
    }

    /// Mean convex problems over a part of the run.
    fn problems(&self, part: f64) -> f64 {
        let counted = (part * self.counts.len() as f64).round() as usize;
        fit::mean(self.counts[..counted].iter().map(|count| *count as f64))
    }
}

/// Runs of all cases, coarsest step first.
struct Falls(Vec<Vec<Fall>>);

impl Falls {
    fn of(&self, case: Case) -> &[Fall] {
        CASES.iter().zip(&self.0).find(|(other, _)| **other == case).map_or(&[], |(_, falls)| falls)
    }

    fn coarsest(&self, case: Case) -> &Fall {
        &self.of(case)[0]
    }
}

fn run(setting: &Setting) -> Result<Vec<Claim>> {
    let coarsest = parameter(&setting.scene("bloch-disk", DISK, &[], &[])?, "step")?;
    let halvings = HALVINGS[usize::from(!setting.quick)];
    let steps: Vec<f64> = (0..halvings).map(|halving| coarsest * 0.5f64.powi(halving)).collect();
    let of_case = |case: Case| steps.par_iter().map(|&h| case.fall(setting, h)).collect();
    let falls = Falls(CASES.into_par_iter().map(of_case).collect::<Result<_>>()?);
    figures::write(setting, &falls)?;
    Ok(claims(&falls))
}

fn claims(falls: &Falls) -> Vec<Claim> {
    let mut claims: Vec<Claim> = CASES.iter().flat_map(|case| orders(falls.of(*case))).collect();
    claims.extend(WITH_FRICTION.map(|case| gap(falls.coarsest(case))));
    claims.extend([ROLLS_FIXED, SLIDES_FIXED].into_iter().flat_map(|case| problems(falls.of(case))));
    claims.extend(both_problems(falls));
    let half = ENDS[1] * falls.coarsest(SMOOTH).end();
    let change = CASES.iter().flat_map(|case| changes(falls.of(*case))).fold(0.0, fit::larger);
    claims.push(
        Claim::at_most(format!("largest change of an order where runs end at {half:.1}"), 0.0, change, 0.05)
            .ours(),
    );
    // the paper's test is on increments, which leaves more
    let (printed, others): (Vec<&Fall>, Vec<&Fall>) =
        falls.0.iter().flatten().partition(|fall| fall.case == SMOOTH);
    for (which, falls, bound) in [("by increments", printed, 1e-6), ("by residuals", others, INNER.1)] {
        let residual = falls.iter().map(|fall| fall.residual).fold(0.0, fit::larger);
        let text = format!("largest residual of steps that end {which}");
        claims.push(Claim::at_most(text, 0.0, residual, bound).ours());
    }
    claims
}

/// Orders of the errors of the centre and, where the disk turns, of the angle, over a part of the run.
fn fitted(falls: &[Fall], part: f64) -> Vec<(&'static str, f64)> {
    let turns = usize::from(falls[0].case.mu > 0.0);
    let order = |k: usize| fit::power(falls.iter().map(|fall| (fall.h, fall.errors(part)[k])));
    ["centre", "angle"].into_iter().enumerate().take(1 + turns).map(|(k, what)| (what, order(k))).collect()
}

fn orders(falls: &[Fall]) -> Vec<Claim> {
    let case = falls[0].case;
    let claim = |(what, order): (&str, f64)| {
        let claim = Claim::near(format!("order of the {what}, {}", case.name()), 1.0, order, 0.1);
        if case.solver == Solver::Ours { claim.ours() } else { claim }
    };
    fitted(falls, ENDS[0]).into_iter().map(claim).collect()
}

/// How much they change where the run ends sooner.
fn changes(falls: &[Fall]) -> Vec<f64> {
    let [whole, half] = ENDS.map(|part| fitted(falls, part));
    whole.into_iter().zip(half).map(|(a, b)| (a.1 - b.1).abs()).collect()
}

/// How far the disk floats above the slope: not at all, unless it slides by the convex scheme; how far then follows from the
/// constraint, whose gap is μ h times the slip.
fn gap(fall: &Fall) -> Claim {
    let mu = fall.case.mu;
    let floats = fall.case.scheme == "convex" && fall.slope.slips(mu);
    let expected = if floats { fall.h * mu * fall.slope.slip(mu, fall.end()) } else { 0.0 };
    let name = format!("widest gap after landing, {}, dt = {}", fall.case.name(), fall.h);
    let claim = Claim::near(name, expected, fall.floats(), 1e-9 + 0.02 * expected);
    if floats { claim.ours() } else { claim }
}

/// Mean fixed-point iterations, and how much they change with the step.
fn problems(falls: &[Fall]) -> [Claim; 3] {
    let mu = falls[0].case.mu;
    let (printed, exchanged) = if mu == ROLLING { (2.8, 1.2) } else { (1.2, 2.8) };
    let mean = falls[0].problems(1.0);
    let means = || falls.iter().map(|fall| fall.problems(1.0));
    let spread = means().fold(0.0, fit::larger) - means().fold(f64::INFINITY, fit::smaller);
    let name = format!("fixed-point iterations a step, mu = {mu}");
    let text = format!("spread of that mean over the time steps, mu = {mu}");
    [
        Claim::near(name.clone(), printed, mean, 0.05)
            .finding(exchanged - 0.05..=exchanged + 0.05, EXCHANGED),
        Claim::near(format!("{name}, the value printed for the other"), exchanged, mean, 0.05).ours(),
        Claim::at_most(text, 0.0, spread, 0.05),
    ]
}

/// The sum of both means. Each takes two iterations in flight, then one or three, so that the sum does not hang on the end.
fn both_problems(falls: &Falls) -> [Claim; 2] {
    let sum =
        |part: f64| falls.coarsest(ROLLS_FIXED).problems(part) + falls.coarsest(SLIDES_FIXED).problems(part);
    let text = "fixed-point iterations a step, sum of both frictions";
    let half = format!("{text}, to {:.1}", ENDS[1] * falls.coarsest(ROLLS_FIXED).end());
    [Claim::near(text, 4.0, sum(ENDS[0]), 0.1), Claim::near(half, 4.0, sum(ENDS[1]), 0.1)]
}
