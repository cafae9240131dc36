//! Every method of the panel, on every law it covers, reaches 1e-4 on every shipped problem and on generated ones,
//! judged by the residual computed afresh.

use crate::support::{files, generate, is_too_large, law_of, solve};
use stickslip_solvers::block::Vector;
use stickslip_solvers::laws::{Kind, Law};
use stickslip_solvers::outcome::Status;
use stickslip_solvers::panel::{AnyMethod, PANEL};
use stickslip_solvers::problem::ContactProblem;
use stickslip_solvers::residual::{Criterion, residual};
use stickslip_solvers::stop::Stop;

const TOLERANCE: f64 = 1e-4;

fn conforms<const D: usize>(name: &str, problem: &ContactProblem<D>) {
    let kinds = problem.kinds();
    for entry in PANEL.iter().filter(|entry| kinds.iter().all(|kind| entry.covers.contains(kind))) {
        let (r, outcome) = solve(entry.name, problem, TOLERANCE, 50_000);
        let afresh = residual(problem, &r);
        let case = format!("D = {D}, {name}, {kinds:?}, {}", entry.name);
        if is_too_large(entry, problem.contacts()) {
            assert_eq!((outcome.status, outcome.iterations), (Status::Broken, 0), "{case}");
            assert!(
                outcome.notes.iter().any(|note| note.contains("max_contacts")),
                "{case}: {:?}",
                outcome.notes
            );
            continue;
        }
        assert!(
            afresh.measure(Criterion::Both) <= TOLERANCE,
            "{case}: {:?} after {} iterations, {afresh:?}",
            outcome.status,
            outcome.iterations
        );
        assert_eq!(outcome.status, Status::Converged, "{case}");
        assert_eq!(outcome.residual, afresh, "{case}: the certificate is not the residual");
    }
}

/// Under each law alone. Joints everywhere would make most problems rigid: they have their own test.
fn every_law<const D: usize>(name: &str, problem: &ContactProblem<D>, mu: impl Fn(&Law) -> f64) {
    for kind in [Kind::Frictionless, Kind::Coulomb, Kind::Convex] {
        conforms(name, &problem.with_laws(|law| law_of(kind, mu(law))));
    }
}

#[test]
fn shipped_problems() {
    let list = files("../../problems", usize::MAX >> 20);
    eprintln!("{} shipped problems", list.len());
    for (name, file) in list {
        match file.dimension {
            1 => every_law(&name, &file.problem::<1>(Law::coulomb).unwrap(), Law::mu),
            2 => every_law(&name, &file.problem::<2>(Law::coulomb).unwrap(), Law::mu),
            _ => every_law(&name, &file.problem::<3>(Law::coulomb).unwrap(), Law::mu),
        }
    }
}

fn generated<const D: usize>() {
    let law = Law::coulomb(0.5);
    for (name, system) in [
        ("pile", generate::pile::<D>(1, 25, 60, 10.0, law)),
        ("slippery pile", generate::pile(2, 25, 60, 1.0, Law::coulomb(0.05))),
        ("no friction", generate::pile(7, 25, 60, 1.0, Law::coulomb(0.0))),
        ("stack", generate::stack(3, 8, 1.0, law)),
        ("heavy top", generate::stack(4, 4, 100.0, law)),
        ("doubled", generate::doubled(&generate::pile(5, 20, 35, 1.0, law))),
        ("elastic", generate::elastic(6, 60, law)),
    ] {
        every_law(name, &system.factored(), Law::mu);
    }
}

#[test]
fn generated_problems() {
    generated::<1>();
    generated::<2>();
    generated::<3>();
}

fn joints<const D: usize>() {
    // a chain that hangs together by joints alone, and piles with joints among their contacts
    let chain = generate::stack::<D>(1, 6, 1.0, Law::bilateral());
    conforms("chain of joints", &chain.factored());
    conforms("elastic joints", &generate::elastic::<D>(2, 40, Law::bilateral()).factored());
    let pile = generate::pile::<D>(3, 30, 70, 1.0, Law::coulomb(0.5));
    conforms("all laws", &pile.clone().with_laws(generate::mixed).factored());
    for kind in [Kind::Frictionless, Kind::Coulomb, Kind::Convex] {
        let law = |i: usize| if i % 7 == 3 { Law::bilateral() } else { law_of(kind, 0.4) };
        conforms("some joints", &pile.clone().with_laws(law).factored());
        let law = |i: usize| match i % 9 {
            2 => Law::locked(1 + (i % D) as u8),
            5 => Law::motor(0.05 * (i % 3) as f64),
            _ => law_of(kind, 0.4),
        };
        conforms("some rows and motors", &pile.clone().with_laws(law).factored());
    }
}

#[test]
fn joints_conform() {
    joints::<1>();
    joints::<2>();
    joints::<3>();
}

fn open_contacts_carry_nothing<const D: usize>() {
    let system = generate::pile::<D>(8, 25, 60, 1.0, Law::coulomb(0.5));
    let problem = system.factored();
    let fast = 0.01 * problem.q.iter().map(|q| q.norm()).fold(0.0, f64::max);
    for kind in [Kind::Frictionless, Kind::Coulomb, Kind::Convex] {
        let problem = problem.with_laws(|law| law_of(kind, law.mu()));
        for entry in PANEL.iter().filter(|entry| entry.covers.contains(&kind)) {
            let (r, outcome) = solve(entry.name, &problem, 1e-6, 50_000);
            if outcome.status != Status::Converged {
                continue;
            }
            let shifted = |i: usize, u: &Vector<D>| match kind {
                Kind::Convex => {
                    u[0] - problem.laws[i].mu() * u.as_slice()[1..].iter().map(|x| x * x).sum::<f64>().sqrt()
                }
                _ => u[0],
            };
            let u = problem.velocities(&r);
            let open: Vec<usize> = (0..r.len()).filter(|&i| shifted(i, &u[i]) > fast).collect();
            assert!(!open.is_empty(), "D = {D}: a pile in which nothing opens tests nothing");
            for i in open {
                assert!(r[i].iter().all(|&x| x == 0.0), "D = {D}, {kind:?}, {}, contact {i}", entry.name);
            }
        }
    }
}

/// However small, an impulse tells whoever reads it that the contact is closed.
#[test]
fn contacts_that_open_carry_nothing() {
    open_contacts_carry_nothing::<1>();
    open_contacts_carry_nothing::<2>();
    open_contacts_carry_nothing::<3>();
}

/// Plain sweeps fall into a cycle near 8e-5 on this body with 25 contacts and a W of rank six.
#[test]
fn damped_sweeps_leave_the_cycle_of_one_object() {
    let path =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../problems/OneObject-i100000-316.hdf5");
    let problem = stickslip_solvers::fclib::Fclib::read(&path).unwrap().problem::<3>(Law::coulomb).unwrap();
    let solve = |damping: bool| {
        let settings = format!("damping = {damping}").parse().unwrap();
        let mut r = vec![Vector::zeros(); problem.contacts()];
        let stop = Stop { tolerance: 1e-8, max_iterations: 5000, ..Stop::default() };
        AnyMethod::parse("nlgs", &settings).unwrap().build::<3>().solve(&problem, &mut r, &stop)
    };
    let outcome = solve(true);
    assert_eq!(outcome.status, Status::Converged, "{outcome:?}");
    assert!(outcome.notes.iter().any(|note| note.contains("stood still")), "{:?}", outcome.notes);
    assert_eq!(solve(false).status, Status::IterationLimit, "the cycle is gone: is damping still needed?");
}
