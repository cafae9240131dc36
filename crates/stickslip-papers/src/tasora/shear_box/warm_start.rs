//! Section 10.2: iterations from the impulses of the last step and from zero, with contacts that give way and rigid ones.

use crate::{Claim, Result, Setting};
use stickslip::World;
use stickslip_geometry::space::Vector;
use stickslip_solvers::outcome::{Check, Outcome, Status};
use stickslip_solvers::panel::AnyMethod;
use stickslip_solvers::residual::Criterion;
use stickslip_solvers::stop::Stop;

/// Steps that are solved twice while the halves shift.
const STEPS: usize = 4;
/// The paper's method, and one of ours.
const METHODS: [&str; 2] = ["spg", "apgd"];
/// The residual to reach, and when a method gives up.
const TOLERANCE: f64 = 1e-3;
const MOST: usize = 10_000;
/// The least saving of the paper, and the most that counts as none.
const SAVING: f64 = 2.0;
const NO_SAVING: f64 = 1.5;

/// When steps are solved twice, between two moments.
pub fn times(begin: f64, end: f64) -> Vec<f64> {
    (0..STEPS).map(|k| begin + (end - begin) * (k as f64 + 0.5) / STEPS as f64).collect()
}

/// What a tolerance is compared with.
const CRITERION: Criterion = Criterion::Both;

/// One problem by one method from both starts.
pub struct Solved {
    contacts: &'static str,
    method: &'static str,
    warm: Outcome,
    cold: Outcome,
}

impl Solved {
    /// Iterations from the last impulses and from zero to the residual that both reach within the limit.
    fn iterations(&self) -> [f64; 2] {
        let measures = |outcome: &Outcome| -> Vec<(f64, f64)> {
            let look = |check: &Check| (check.iteration as f64, check.residual.measure(CRITERION));
            outcome.trace.iter().map(look).collect()
        };
        let looks = [measures(&self.warm), measures(&self.cold)];
        let least = |looks: &[(f64, f64)]| looks.iter().map(|look| look.1).fold(f64::INFINITY, f64::min);
        let target = looks.iter().map(|looks| least(looks)).fold(TOLERANCE, f64::max);
        looks.map(|looks| looks.iter().find(|look| look.1 <= target).map_or(f64::NAN, |look| look.0.max(1.0)))
    }
}

/// Solves the problem of the next step by all methods from both starts; the world stays as it is.
pub fn look(contacts: &'static str, world: &mut World<3>, h: f64) -> Result<Vec<Solved>> {
    let Some((problem, start)) = world.problem(h)? else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for name in METHODS {
        let method = AnyMethod::parse(name, &toml::Table::new())?;
        let stop =
            Stop { tolerance: TOLERANCE, criterion: CRITERION, max_iterations: MOST, ..Stop::default() };
        let solve = |mut r: Vec<Vector<3>>| method.build::<3>().solve(&problem, &mut r, &stop);
        let (warm, cold) = (solve(start.clone()), solve(vec![Vector::<3>::zeros(); start.len()]));
        all.push(Solved { contacts, method: name, warm, cold });
    }
    Ok(all)
}

/// What a warm start saves with contacts that give way, and not with rigid ones.
pub fn claims(solved: &[&Solved]) -> Vec<Claim> {
    METHODS.iter().flat_map(|method| of_method(solved, method)).collect()
}

fn of_method(solved: &[&Solved], method: &str) -> [Claim; 3] {
    let of = |contacts: &str| {
        let own = solved.iter().filter(|solved| solved.method == method && solved.contacts == contacts);
        own.copied().collect::<Vec<&Solved>>()
    };
    let saved = |contacts: &str| {
        let sum =
            |start: usize| -> f64 { of(contacts).iter().map(|solved| solved.iterations()[start]).sum() };
        sum(1) / sum(0)
    };
    let compliant = of("compliant");
    let warm = compliant.iter().filter(|solved| solved.warm.status == Status::Converged).count();
    let say = |contacts: &str| {
        format!(
            "{contacts} contacts: iterations of {method} from zero by those from the last impulses, to the residual that both reach"
        )
    };
    [
        Claim::at_least(say("compliant") + ", two to three times or more", SAVING, saved("compliant"), 0.0),
        Claim::at_most(say("rigid") + ", no gain", 1.0, saved("rigid"), NO_SAVING - 1.0).finding(
            NO_SAVING..,
            "where most grains stay with their neighbours, rigid contacts too keep their impulses from step to step; \
             only the narrow box changes as much as the paper supposes",
        ),
        Claim::at_least(
            format!("compliant contacts: part of the steps that {method} solves from the last impulses"),
            0.75,
            warm as f64 / compliant.len() as f64,
            0.0,
        )
        .ours(),
    ]
}

pub fn table<'a>(setting: &Setting, solved: impl Iterator<Item = &'a Solved>) -> Result<()> {
    let rows = solved.map(|solved| {
        let outcome = |outcome: &Outcome| {
            [
                outcome.iterations.to_string(),
                (outcome.status == Status::Converged).to_string(),
                outcome.residual.measure(CRITERION).to_string(),
            ]
        };
        let head = [solved.contacts.to_string(), solved.method.to_string()];
        let both = solved.iterations().map(|iterations| iterations.to_string());
        [head.to_vec(), outcome(&solved.warm).to_vec(), outcome(&solved.cold).to_vec(), both.to_vec()]
            .concat()
    });
    let columns = [
        "contacts",
        "method",
        "warm",
        "warm_solved",
        "warm_residual",
        "cold",
        "cold_solved",
        "cold_residual",
        "warm_to_the_residual_of_both",
        "cold_to_the_residual_of_both",
    ];
    setting.table("warm-start", &columns, rows)
}
