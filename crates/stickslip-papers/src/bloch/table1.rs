//! Bloch 2023, 3.1.2: a disk placed on a slope without friction; iterations of the gradient methods in the first step.
//!
//! ```text
//! f(λ) = ½ λQλ + Cλ → min over λ ≥ 0,   Q = Δt²/m,   C = −Δt² g cos α        Bloch 2023 (17)
//! ```
//!
//! In units of time in which a step takes 1, forces are impulses, and W and q of the step are Q and C.

use super::DISK;
use crate::{Claim, Experiment, Result, Setting, fit, parameter};
use stickslip_pictures::plots::{Plot, Series};
use stickslip_solvers::block::Vector;
use stickslip_solvers::outcome::Outcome;
use stickslip_solvers::panel::AnyMethod;
use stickslip_solvers::problem::ContactProblem;
use stickslip_solvers::stop::Stop;

pub const EXPERIMENT: Experiment = Experiment {
    id: "bloch-table1",
    summary: "iterations of five gradient methods on a disk placed on a slope",
    paper: "Bloch 2023, section 3.1.2, Fig. 4, Table 1",
    run,
};

/// The first step length ρ of the solvers.
const RHO: f64 = 2.0;
const TOLERANCES: [f64; 2] = [1e-3, 1e-9];
/// Solvers and their iterations at both tolerances.
const TABLE: [(&str, [f64; 2]); 5] = [
    ("pgd", [206.0, 2926.0]),
    ("apgd", [68.0, 2029.0]),
    ("apgd-as", [47.0, 164.0]),
    ("apgd-ar", [54.0, 160.0]),
    ("apgd-asr", [39.0, 100.0]),
];
/// Iterations that are drawn.
const DRAWN: usize = 500;

fn run(setting: &Setting) -> Result<Vec<Claim>> {
    let problem = first_step(setting)?;
    let mut claims = Vec::new();
    let mut rows = Vec::new();
    for (solver, paper) in TABLE {
        for (tolerance, paper) in TOLERANCES.into_iter().zip(paper) {
            let outcome = solve(&problem, solver, tolerance, Stop::default().max_iterations)?;
            claims.push(claim(solver, tolerance, paper, outcome.iterations as f64));
            rows.push(row(solver, tolerance, Some(paper), &outcome));
        }
    }
    let auto = AnyMethod::parse("auto", &toml::Table::new())?.build::<1>();
    rows.push(row("auto", 1e-8, None, &{ auto }.solve(&problem, &mut [Vector::zeros()], &Stop::default())));
    setting.table(
        "table-1",
        &["solver", "tolerance", "paper", "iterations", "residual"],
        rows.into_iter(),
    )?;

    let curves = TABLE
        .iter()
        .map(|(solver, _)| Ok((*solver, curve(&problem, solver)?)))
        .collect::<Result<Vec<(&str, Vec<f64>)>>>()?;
    draw(setting, &problem, &curves)?;
    let rise = curves[0].1.windows(2).map(|g| g[1].abs() - g[0].abs()).fold(f64::NEG_INFINITY, fit::larger);
    claims.push(Claim::at_most(
        "largest rise of the distance of pgd from its limit in an iteration",
        0.0,
        rise,
        0.0,
    ));
    Ok(claims)
}

/// The problem of the first step.
fn first_step(setting: &Setting) -> Result<ContactProblem<1>> {
    let scene = |settings: &[String]| setting.scene("bloch-disk", DISK, &[], settings);
    let paper = scene(&[])?;
    let [h, g, mass] = ["step", "g", "mass"].map(|name| parameter(&paper, name));
    let squared = h?.powi(2);
    let settings =
        ["scheme=maury".into(), format!("g={}", g? * squared), format!("mass={}", mass? / squared)];
    let scene = scene(&settings)?;
    let problem = scene.build::<2>()?.world.problem(1.0)?.and_then(|(problem, _)| problem.normals());
    problem.ok_or_else(|| crate::ExperimentError::Missing("the disk does not touch the slope".into()))
}

/// Solves from zero until the test of Algorithms 1 and 2, on the increment alone, or a limit.
fn solve(problem: &ContactProblem<1>, solver: &str, tolerance: f64, most: usize) -> Result<Outcome> {
    let settings =
        toml::Table::from_iter([("rho".into(), RHO.into()), ("increment".into(), tolerance.into())]);
    let method = AnyMethod::parse(solver, &settings)?;
    let stop = Stop { tolerance: 0.0, max_iterations: most, ..Stop::default() };
    Ok(method.build::<1>().solve(problem, &mut [Vector::zeros()], &stop))
}

fn claim(solver: &str, tolerance: f64, paper: f64, found: f64) -> Claim {
    let adaptive = solver.starts_with("apgd-as") && tolerance < 1e-6;
    // at 1e-9 the paper's test of the step, on values of f, decides on rounding; ours is on the curvature
    let off = if adaptive { 0.05 * paper } else { 0.0 };
    Claim::near(format!("iterations of {solver} to {tolerance:e}"), paper, found, off)
}

fn row(solver: &str, tolerance: f64, paper: Option<f64>, outcome: &Outcome) -> Vec<String> {
    vec![
        solver.into(),
        format!("{tolerance:e}"),
        paper.map_or_else(String::new, |paper| paper.to_string()),
        outcome.iterations.to_string(),
        format!("{:.2e}", outcome.residual.natural),
    ]
}

/// The constraint D + Δt A u, which is the slope g of f, after 0, 1, 2, … iterations: from the residual of the iterate at
/// which a solve is cut off.
fn curve(problem: &ContactProblem<1>, solver: &str) -> Result<Vec<f64>> {
    let (Q, C) = (problem.W.diagonal(0)[0], problem.q[0][0]);
    (0..=DRAWN)
        .map(|most| {
            let outcome = solve(problem, solver, TOLERANCES[1], most)?;
            let residual = match outcome.trace.last() {
                // the test on the increment came first
                Some(look) if look.iteration == most => look.residual,
                _ => outcome.residual,
            };
            // the residual is |g|/λ with λ = (g − C)/Q beyond the solution
            let beyond = -residual.natural * C / (Q - residual.natural);
            Ok(if residual.approach > 0.0 { -residual.approach } else { beyond })
        })
        .collect()
}

fn draw(setting: &Setting, problem: &ContactProblem<1>, curves: &[(&str, Vec<f64>)]) -> Result<()> {
    let Q = problem.W.diagonal(0)[0];
    let columns: Vec<&str> = ["iteration"].into_iter().chain(curves.iter().map(|curve| curve.0)).collect();
    let rows = (0..=DRAWN)
        .map(|k| [k as f64].into_iter().chain(curves.iter().map(|curve| curve.1[k])).collect::<Vec<f64>>());
    setting.table("figure-4", &columns, rows)?;
    // curves of the cost itself lie on each other after a few iterations
    let above_least = |g: f64| 0.5 * g * g / Q;
    type Half<'a> = (&'a str, &'a str, bool, &'a dyn Fn(f64) -> f64);
    let halves: [Half; 2] =
        [("constraint", "D + dt A u", false, &|g| g), ("cost", "cost above the least", true, &above_least)];
    for (name, y, logarithmic, value) in halves {
        let series = curves.iter().map(|(solver, curve)| Series {
            label: (*solver).into(),
            points: curve.iter().enumerate().map(|(k, &g)| (k as f64, value(g))).collect(),
        });
        let plot = Plot {
            title: format!("Bloch 2023, Fig. 4: {name}"),
            x: "iterations".into(),
            y: y.into(),
            series: series.collect(),
            logarithmic,
            size: (900, 440),
            ..Plot::default()
        };
        setting.figure(&format!("figure-4-{name}"), &plot)?;
    }
    Ok(())
}
