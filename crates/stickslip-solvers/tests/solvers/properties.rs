//! What must hold for every problem: changes of description, momentum, energy, warm starts.

use crate::support::{blocks, distance, dot, flat, generate, law_of, norm, solve, solve_from, sparse};
use nalgebra::DMatrix;
use stickslip_solvers::block::{Vector, tangent_norm};
use stickslip_solvers::delassus::Delassus;
use stickslip_solvers::laws::{Kind, Law};
use stickslip_solvers::outcome::Status;
use stickslip_solvers::panel::PANEL;
use stickslip_solvers::problem::ContactProblem;
use stickslip_solvers::residual::{Criterion, residual};
use stickslip_solvers::stop::Stop;

/// `T W Tᵀ`, `T q`: the same contacts described otherwise.
fn transformed<const D: usize>(
    W: &DMatrix<f64>,
    q: &[Vector<D>],
    T: &DMatrix<f64>,
    laws: &[Law],
) -> ContactProblem<D> {
    let W = Delassus::stored(&sparse(&(T * W * T.transpose()))).unwrap();
    ContactProblem::new(W, apply(T, q), laws.to_vec()).unwrap()
}

fn apply<const D: usize>(T: &DMatrix<f64>, x: &[Vector<D>]) -> Vec<Vector<D>> {
    let x = DMatrix::from_column_slice(T.ncols(), 1, &flat(x));
    blocks((T * x).as_slice())
}

/// Contacts listed in another order: convex velocities are the same; under Coulomb's law, where sweeps in another
/// order may find another solution, the certificate holds.
#[test]
fn permuted_contacts() {
    let n = 40;
    let system = generate::pile::<3>(1, 20, n, 1.0, Law::convex(0.4));
    let (W, q) = system.condensed();
    let place = |i: usize| (i * 17 + 5) % n;
    let mut T = DMatrix::zeros(3 * n, 3 * n);
    (0..3 * n).for_each(|j| T[(3 * place(j / 3) + j % 3, j)] = 1.0);
    let plain = system.stored();
    let permuted = transformed(&W, &q, &T, &plain.laws);
    for entry in PANEL.iter().filter(|entry| !["pgd", "apgd", "apgd-as"].contains(&entry.name)) {
        let [u, v] = [&plain, &permuted].map(|problem| {
            let (r, outcome) = solve(entry.name, problem, 1e-9, 20_000);
            assert_eq!(outcome.status, Status::Converged, "{}", entry.name);
            problem.velocities(&r)
        });
        let off = distance(&apply(&T, &u), &v) / norm(&q);
        assert!(off < 1e-6, "{}: {off:e}", entry.name);
    }
    let exact = permuted.with_laws(|law| Law::coulomb(law.mu()));
    assert_eq!(solve("nlgs", &exact, 1e-8, 20_000).1.status, Status::Converged);
}

/// Tangents turned by an angle of their own at each contact, or mirrored: every sweep turns with them, to rounding.
#[test]
fn turned_tangents() {
    let system = generate::pile::<3>(2, 20, 45, 10.0, Law::coulomb(0.4));
    for laws in [system.clone(), system.clone().with_laws(generate::mixed)] {
        let (W, q) = laws.condensed();
        let mut T = DMatrix::identity(3 * 45, 3 * 45);
        for i in 0..45 {
            let (sin, cos) = (0.7 * i as f64).sin_cos();
            let mirror = if i % 2 == 0 { 1.0 } else { -1.0 };
            let turn = [[cos, -sin * mirror], [sin, cos * mirror]];
            (0..4).for_each(|k| T[(3 * i + 1 + k / 2, 3 * i + 1 + k % 2)] = turn[k / 2][k % 2]);
        }
        let turned = transformed(&W, &q, &T, &laws.laws);
        let (r, _) = solve("nlgs", &laws.stored(), 0.0, 30);
        let (r_turned, _) = solve("nlgs", &turned, 0.0, 30);
        let off = distance(&apply(&T, &r), &r_turned) / norm(&r);
        assert!(off < 1e-9, "{off:e}");
    }
}

/// In other units, W a and q b, the impulses are r b/a.
#[test]
fn other_units() {
    let system = generate::pile::<3>(3, 15, 30, 10.0, Law::coulomb(0.4));
    let (W, q) = system.condensed();
    for (a, b) in [(1e-3, 1.0), (1e3, 10.0), (1.0, 1e-5)] {
        let scaled = Delassus::stored(&sparse(&(&W * a))).unwrap();
        let q_scaled: Vec<_> = q.iter().map(|q| q * b).collect();
        let scaled = ContactProblem::new(scaled, q_scaled, system.laws.clone()).unwrap();
        let plain = system.stored();
        for kind in [Kind::Coulomb, Kind::Convex, Kind::Frictionless] {
            let [plain, scaled] = [&plain, &scaled].map(|p| p.with_laws(|law| law_of(kind, law.mu())));
            let solver = if kind == Kind::Coulomb { "nlgs" } else { "apgd-asr" };
            let [u, v] = [&plain, &scaled].map(|problem| {
                let (r, outcome) = solve(solver, problem, 1e-10, 40_000);
                assert!(outcome.residual.scaled < 1e-9, "{kind:?}: {outcome:?}");
                problem.velocities(&r)
            });
            let v: Vec<_> = v.iter().map(|v| v / b).collect();
            let off = distance(&u, &v) / norm(&q);
            assert!(off < 1e-6, "{kind:?} in units {a}, {b}: {off:e}");
        }
    }
}

/// A problem beside its mirror image: the halves of the solution are mirror images.
#[test]
fn mirrored_problems() {
    let system = generate::pile::<3>(4, 12, 25, 1.0, Law::convex(0.4));
    let (W, q) = system.condensed();
    let mirror = |x: &Vector<3>| Vector::<3>::new(x[0], x[1], -x[2]);
    let mut T = DMatrix::zeros(150, 75);
    (0..75).for_each(|j| (T[(j, j)], T[(75 + j, j)]) = (1.0, if j % 3 == 2 { -1.0 } else { 1.0 }));
    // two copies that do not touch: the off-diagonal quarters of T W Tᵀ are dropped
    let mut both = &T * &W * T.transpose();
    both.view_mut((0, 75), (75, 75)).fill(0.0);
    both.view_mut((75, 0), (75, 75)).fill(0.0);
    let laws = system.laws.repeat(2);
    let problem =
        ContactProblem::new(Delassus::stored(&sparse(&both)).unwrap(), apply(&T, &q), laws).unwrap();
    // all but the one that draws the order of its visits at random
    for entry in PANEL.iter().filter(|entry| entry.name != "wander") {
        let (r, _) = solve(entry.name, &problem, 1e-8, 300);
        let (left, right) = r.split_at(25);
        let off = left.iter().zip(right).map(|(a, b)| (mirror(a) - b).norm()).fold(0.0, f64::max) / norm(&r);
        assert!(off < 1e-12, "{}: {off:e}", entry.name);
    }
}

/// `M v = f + H r` and `u = Hᵀ v + w`, and with w = 0 the energy that contacts take:
///
/// ```text
/// ½ v_freeᵀ M v_free − ½ vᵀMv = −½ (H r)ᵀ(v + v_free) = −½ rᵀ(u + q) = ½ rᵀWr − rᵀu ≥ 0,
/// ```
///
/// since v − v_free = M⁻¹ H r, u = Hᵀ v, q = Hᵀ v_free; and −rᵀu is 0 for every law but Coulomb's, where it is the
/// work of friction Σ μ r_N |u_T|.
#[test]
fn momentum_and_energy() {
    for seed in 0..10 {
        for kind in [Kind::Frictionless, Kind::Coulomb, Kind::Convex] {
            let system = generate::pile::<3>(seed, 15, 35, 100.0, law_of(kind, 0.5));
            let problem = system.factored();
            let (r, outcome) = solve("nlgs", &problem, 1e-10, 20_000);
            let u = problem.velocities(&r);
            let load: Vec<f64> =
                system.H.apply(&flat(&r)).iter().zip(&system.f).map(|(a, b)| a + b).collect();
            let v = problem.W.inverse_mass(&load).unwrap();
            let size = load.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            for (Mv, load) in system.M.apply(&v).iter().zip(&load) {
                assert!((Mv - load).abs() < 1e-12 * size, "momentum: {Mv} and {load}");
            }
            let off = distance(&blocks(&system.H.transposed().apply(&v)), &u) / norm(&problem.q);
            assert!(off < 1e-10, "u is not Hᵀ v: {off:e}");
            let energy = |v: &[f64]| 0.5 * system.M.apply(v).iter().zip(v).map(|(a, b)| a * b).sum::<f64>();
            let v_free = problem.W.inverse_mass(&system.f).unwrap();
            let before = energy(&v_free);
            let loss = -0.5 * (dot(&r, &u) + dot(&r, &problem.q));
            assert!((before - energy(&v) - loss).abs() < 1e-11 * before, "energy: {before}, {loss}");
            let friction: f64 = match kind {
                Kind::Coulomb => r.iter().zip(&u).map(|(r, u)| 0.5 * r[0] * tangent_norm(u)).sum(),
                _ => 0.0,
            };
            let work = -dot(&r, &u);
            let measure = outcome.residual.measure(Criterion::Both);
            let rounding = 1e3 * measure.max(1e-13) * norm(&r) * norm(&problem.q);
            assert!(
                (work - friction).abs() < rounding,
                "{kind:?}: friction takes {work}, by hand {friction}"
            );
            assert!(loss > 0.0, "{kind:?}: contacts gave energy, {loss}");
        }
    }
}

/// From its own solution every method ends before its first iteration.
#[test]
fn warm_start_at_the_solution() {
    for kind in [Kind::Frictionless, Kind::Convex, Kind::Coulomb] {
        let problem = generate::pile::<3>(5, 15, 30, 1.0, law_of(kind, 0.4)).factored();
        for entry in PANEL.iter().filter(|entry| entry.covers.contains(&kind)) {
            let tolerance = 1e-6;
            let stop = Stop { tolerance, ..Stop::default() };
            let mut r = vec![Vector::zeros(); 30];
            let first = solve_from(entry.name, &problem, &mut r, &stop);
            assert_eq!(first.status, Status::Converged, "{}", entry.name);
            let mut again = r.clone();
            let second = solve_from(entry.name, &problem, &mut again, &stop);
            assert_eq!((second.status, second.iterations), (Status::Converged, 0), "{}", entry.name);
            assert!(distance(&again, &r) <= 1e-15 * norm(&r), "{}: it moved", entry.name);
            assert_eq!(first.residual, residual(&problem, &r));
        }
    }
}
