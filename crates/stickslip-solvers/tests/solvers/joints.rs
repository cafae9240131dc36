//! Joints of some rows and motors: one block against brute force, mixed problems by several methods, refusals.

use crate::support::{Random, distance, generate, norm, solve};
use nalgebra::DMatrix;
use stickslip_solvers::block::{Matrix, Vector};
use stickslip_solvers::delassus::Delassus;
use stickslip_solvers::laws::{Kind, Law};
use stickslip_solvers::one_contact::solve_exactly;
use stickslip_solvers::outcome::Status;
use stickslip_solvers::panel::PANEL;
use stickslip_solvers::problem::{ContactProblem, ProblemError};
use stickslip_solvers::sparse::Sparse;

/// A random positive definite block.
fn block<const D: usize>(random: &mut Random) -> Matrix<D> {
    let A = Matrix::<D>::from_fn(|_, _| random.sign());
    A * A.transpose() + Matrix::identity() * 0.1
}

fn one_block<const D: usize>() {
    let random = &mut Random(D as u64);
    for _ in 0..2000 {
        let (W, q): (Matrix<D>, Vector<D>) = (block(random), random.vector());
        for rows in 1..=D {
            let r = solve_exactly(&W, &q, &Law::locked(rows as u8), &Vector::zeros());
            let part = DMatrix::from_fn(rows, rows, |i, j| W[(i, j)]);
            let by_lu = part.lu().solve(&DMatrix::from_fn(rows, 1, |i, _| -q[i])).unwrap();
            for k in 0..D {
                let expected = if k < rows { by_lu[k] } else { 0.0 };
                assert!((r[k] - expected).abs() < 1e-12 * by_lu.norm(), "{rows} rows of {W}");
            }
        }
        let most = random.unit();
        let r = solve_exactly(&W, &q, &Law::motor(most), &Vector::zeros());
        // holds, or pushes with all it has against the motion
        let u = W[(0, 0)] * r[0] + q[0];
        let holds = u.abs() < 1e-14 && r[0].abs() <= most;
        assert!(holds || r[0] == -most.copysign(u), "motor: r {r}, u {u}");
        assert!(r.iter().skip(1).all(|&x| x == 0.0));
    }
}

#[test]
fn one_block_agrees_with_elimination() {
    one_block::<1>();
    one_block::<2>();
    one_block::<3>();
}

/// Rows that say the same thing twice, to rounding or exactly: the impulse stays of the size of q/W.
#[test]
fn dependent_rows_share_the_impulse() {
    for off in [0.0, 1e-17, 1e-16, 1e-15] {
        let W = Matrix::<2>::new(2.0, 2.0, 2.0, 2.0 * (1.0 + off));
        let r = solve_exactly(&W, &Vector::<2>::new(-1.0, -1.0 - 1e-16), &Law::bilateral(), &Vector::zeros());
        assert!((r[0] + r[1] - 0.5).abs() < 1e-15 && r.norm() < 1.0, "{r}");
    }
}

/// Piles with joints of some rows and motors: whoever converges finds the same velocities.
fn methods_agree<const D: usize>() {
    for seed in 0..5 {
        let law = |i: usize| match i % 6 {
            1 => Law::locked(1 + (i % D) as u8),
            4 => Law::motor(0.1 * (i % 4) as f64),
            3 => Law::frictionless(),
            _ => Law::convex(0.4),
        };
        let problem = generate::pile::<D>(seed, 20, 40, 10.0, Law::convex(0.4)).with_laws(law).factored();
        let (r, outcome) = solve("nlgs", &problem, 1e-11, 100_000);
        assert_eq!(outcome.status, Status::Converged);
        let u = problem.velocities(&r);
        let kinds = problem.kinds();
        let mut asked = 0;
        for entry in PANEL.iter().filter(|entry| kinds.iter().all(|kind| entry.covers.contains(kind))) {
            if ["pgd", "apgd", "apgd-as"].contains(&entry.name) {
                continue;
            }
            asked += 1;
            let (r, outcome) = solve(entry.name, &problem, 1e-10, 50_000);
            assert_eq!(outcome.status, Status::Converged, "{}", entry.name);
            let off = distance(&problem.velocities(&r), &u) / norm(&problem.q);
            assert!(off < 1e-7, "D = {D}, seed {seed}, {}: {off:e}", entry.name);
        }
        assert!(asked >= 8, "{asked} methods");
    }
}

#[test]
fn methods_agree_on_mixed_problems() {
    methods_agree::<1>();
    methods_agree::<2>();
    methods_agree::<3>();
}

/// A motor whose bound is beyond need is a joint; one without force is nothing.
#[test]
fn bounds_that_do_not_bind() {
    let pile = generate::pile::<3>(3, 12, 25, 1.0, Law::frictionless());
    let with = |law: Law| {
        let law = |i: usize| if i % 5 == 2 { law } else { Law::frictionless() };
        let problem = pile.clone().with_laws(law).factored();
        problem.velocities(&solve("auto", &problem, 1e-11, 100_000).0)
    };
    for most in [1e6, f64::INFINITY] {
        assert!(distance(&with(Law::motor(most)), &with(Law::locked(1))) < 1e-8);
    }
    let idle = with(Law::motor(0.0));
    let (left, right) = (with(Law::locked(1)), &idle);
    assert!(distance(&left, right) > 1e-3, "the joint does something");
}

#[test]
fn bounds_that_are_none_are_refused() {
    for most in [-1.0, f64::NAN] {
        let W = Delassus::<1>::stored(&Sparse::from_triplets(1, 1, &[(0, 0, 1.0)])).unwrap();
        let error = ContactProblem::new(W, vec![Vector::<1>::new(1.0)], vec![Law::motor(most)]).unwrap_err();
        assert!(matches!(error, ProblemError::Law { contact: 0, .. }), "{error}");
        assert_eq!(error.contact(), Some(0));
    }
    let refusing: Vec<&str> =
        PANEL.iter().filter(|entry| !entry.covers.contains(&Kind::Motor)).map(|entry| entry.name).collect();
    assert_eq!(refusing, ["interior-point", "lemke", "qp"], "methods on cones alone");
}
