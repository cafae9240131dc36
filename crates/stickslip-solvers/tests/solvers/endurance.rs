//! Nasty input and many threads: every method of the panel ends, with finite impulses, a true certificate, and the
//! same bits on any number of threads.

use crate::support::{Random, System, generate, is_too_large, law_of, norm, solve_from, sparse};
use stickslip_solvers::block::Vector;
use stickslip_solvers::delassus::Delassus;
use stickslip_solvers::laws::{Kind, Law};
use stickslip_solvers::outcome::Status;
use stickslip_solvers::panel::{AnyMethod, PANEL};
use stickslip_solvers::problem::ContactProblem;
use stickslip_solvers::residual::{Criterion, residual};
use stickslip_solvers::stop::Stop;

/// W a and q b.
fn rescaled<const D: usize>(system: &System<D>, a: f64, b: f64) -> ContactProblem<D> {
    let (W, q) = system.condensed();
    let W = Delassus::stored(&sparse(&(W * a))).unwrap();
    ContactProblem::new(W, q.iter().map(|q| q * b).collect(), system.laws.clone()).unwrap()
}

fn nasty<const D: usize>() -> Vec<(String, ContactProblem<D>)> {
    let law = Law::coulomb(0.5);
    let pile = generate::pile::<D>(1, 8, 20, 1.0, law);
    let mut list = vec![
        ("mu 0".into(), pile.clone().with_laws(|_| Law::coulomb(0.0)).factored()),
        ("mu 2".into(), pile.clone().with_laws(|_| Law::coulomb(2.0)).factored()),
        ("mu 1e6".into(), pile.clone().with_laws(|_| Law::coulomb(1e6)).factored()),
        ("masses to 1e6".into(), generate::pile(2, 8, 20, 1e6, law).factored()),
        ("heavy top".into(), generate::stack(3, 4, 1e6, law).factored()),
        ("doubled".into(), generate::doubled(&pile).factored()),
        ("fourfold".into(), generate::doubled(&generate::doubled(&pile)).stored()),
        ("mixed laws".into(), pile.clone().with_laws(generate::mixed).factored()),
    ];
    for (a, b) in
        [(1.0, 0.0), (1e12, 1.0), (1e-12, 1.0), (1.0, 1e12), (1.0, 1e-12), (1e12, 1e-12), (1e-12, 1e12)]
    {
        list.push((format!("W {a:e} q {b:e}"), rescaled(&pile, a, b)));
    }
    list
}

/// Dry contact and joints; limits that are impulses would have to be rescaled with the problems.
const DRY: [Kind; 5] = [Kind::Frictionless, Kind::Coulomb, Kind::Convex, Kind::Bilateral, Kind::Motor];

fn every_method_ends<const D: usize>() {
    for (name, problem) in nasty::<D>() {
        let given = problem.kinds().len() > 1;
        for kind in DRY {
            let problem =
                if given { problem.clone() } else { problem.with_laws(|law| law_of(kind, law.mu())) };
            let kinds = problem.kinds();
            for entry in PANEL.iter().filter(|entry| kinds.iter().all(|kind| entry.covers.contains(kind))) {
                let size = norm(&problem.q) / problem.W.scale(0);
                let zero = vec![Vector::zeros(); problem.contacts()];
                let random: Vec<Vector<D>> =
                    Random(4).vectors(problem.contacts()).iter().map(|r: &Vector<D>| r * size).collect();
                for mut r in [zero, random] {
                    let stop = Stop { max_iterations: 200, ..Stop::default() };
                    let start = residual(&problem, &r).measure(Criterion::Both);
                    let outcome = solve_from(entry.name, &problem, &mut r, &stop);
                    let case = format!("D = {D}, {name}, {kinds:?}, {}: {:?}", entry.name, outcome.residual);
                    assert!(r.iter().all(|r| r.iter().all(|x| x.is_finite())), "{case}: r is not finite");
                    let afresh = residual(&problem, &r);
                    assert_eq!(outcome.residual, afresh, "{case}");
                    let measure = afresh.measure(Criterion::Both);
                    assert!(measure.is_finite(), "{case}");
                    assert!(measure <= start, "{case}: worse than the start, {start:e}");
                    assert_eq!(outcome.status == Status::Converged, measure <= stop.tolerance, "{case}");
                    let refused = is_too_large(entry, problem.contacts());
                    assert_eq!(outcome.status == Status::Broken, refused, "{case}");
                }
            }
        }
    }
}

#[test]
fn every_method_ends_on_nasty_input() {
    every_method_ends::<1>();
    every_method_ends::<2>();
    every_method_ends::<3>();
}

/// Units far from one change nothing that a user can see: the scaled residual falls as far as in plain units.
#[test]
fn extreme_units_do_not_slow_a_method() {
    let pile = generate::pile::<3>(5, 8, 20, 1.0, Law::convex(0.5));
    for entry in PANEL {
        let reached: Vec<f64> = [(1.0, 1.0), (1e12, 1.0), (1e-12, 1.0), (1.0, 1e12), (1.0, 1e-12)]
            .iter()
            .map(|&(a, b)| {
                let problem = rescaled(&pile, a, b);
                let mut r = vec![Vector::zeros(); 20];
                let stop = Stop { tolerance: 0.0, max_iterations: 60, ..Stop::default() };
                solve_from(entry.name, &problem, &mut r, &stop);
                residual(&problem, &r).scaled
            })
            .collect();
        let worst = reached.iter().copied().fold(0.0, f64::max);
        assert!(worst <= 100.0 * reached[0].max(1e-14), "{}: {reached:?}", entry.name);
    }
}

/// The same bits on 1, 2 and 7 threads, on more contacts than two chunks of the parallel loops hold.
#[test]
fn the_same_bits_on_any_number_of_threads() {
    let contacts = 10_500;
    let system = generate::pile::<3>(6, 4000, contacts, 10.0, Law::coulomb(0.5));
    let exact = system.factored();
    let convex = exact.with_laws(|law| Law::convex(law.mu()));
    // dense direct methods refuse so many contacts, and have no parallel loop but the product with W
    for entry in PANEL.iter().filter(|entry| !is_too_large(entry, contacts)) {
        let mut settings = toml::Table::new();
        if entry.name == "fixed-point" {
            settings.insert("inner_iterations".into(), 5.into());
        }
        let method = AnyMethod::parse(entry.name, &settings).unwrap();
        let problem = if entry.covers.contains(&Kind::Coulomb) { &exact } else { &convex };
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut r = vec![Vector::zeros(); contacts];
                let stop = Stop { tolerance: 0.0, max_iterations: 6, ..Stop::default() };
                let outcome = method.build::<3>().solve(problem, &mut r, &stop);
                let bits: Vec<[u64; 3]> = r.iter().map(|r| [r[0], r[1], r[2]].map(f64::to_bits)).collect();
                (bits, outcome.residual.scaled.to_bits(), outcome.iterations)
            })
        };
        let alone = on(1);
        assert!(alone.0.iter().any(|bits| bits[0] != 0), "{}: nothing happened", entry.name);
        assert!(alone == on(2), "{}: 2 threads", entry.name);
        assert!(alone == on(7), "{}: 7 threads", entry.name);
    }
}

#[test]
fn masses_that_differ_by_much_are_solved_by_alternating_directions() {
    let solve = |seed: u64, ratio: f64| {
        let problem = generate::pile::<3>(seed, 60, 120, ratio, Law::coulomb(0.5)).factored();
        let mut r = vec![Vector::zeros(); problem.contacts()];
        let outcome = solve_from("auto", &problem, &mut r, &Stop::default());
        assert_eq!(
            outcome.status,
            Status::Converged,
            "seed {seed}, ratio {ratio:e}: {}",
            outcome.residual.scaled
        );
        outcome.stages.into_iter().map(|stage| stage.solver).collect::<Vec<String>>()
    };
    let uneven: Vec<Vec<String>> = (1..=6).map(|seed| solve(seed, 1e6)).collect();
    let ends_by = |stages: &Vec<String>| stages.last().is_some_and(|last| last.starts_with("admm"));
    assert!(uneven.iter().any(ends_by), "{uneven:?}");
    // they come second, where sweeps alone do not do
    assert!(
        uneven.iter().all(|stages| stages.get(1).is_none_or(|stage| stage.starts_with("admm"))),
        "{uneven:?}"
    );
    let even: Vec<String> = (1..=6).flat_map(|seed| solve(seed, 1.0)).collect();
    assert!(even.iter().all(|stage| !stage.starts_with("admm")), "{even:?}");
}
