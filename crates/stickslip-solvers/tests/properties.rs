//! What must hold for every input: projections, laws, changes of description, momentum and energy.

#![allow(non_snake_case)]

mod support;

use nalgebra::DMatrix;
use stickslip_solvers::block::{Vector, tangent_norm};
use stickslip_solvers::delassus::Delassus;
use stickslip_solvers::laws::{ContactLaw, Kind, Law};
use stickslip_solvers::outcome::Status;
use stickslip_solvers::panel::PANEL;
use stickslip_solvers::problem::ContactProblem;
use stickslip_solvers::residual::{Criterion, residual};
use stickslip_solvers::stop::Stop;
use support::{Random, blocks, distance, dot, flat, generate, law_of, norm, solve, solve_from, sparse};

const FRICTION: [f64; 5] = [0.0, 0.05, 0.5, 1.0, 2.0];

/// A random impulse that the law admits.
fn admissible<const D: usize>(law: &Law, random: &mut Random) -> Vector<D> {
    let mut r: Vector<D> = random.vector();
    if law.kind() == Kind::Bilateral {
        return r;
    }
    let (size, share) = (tangent_norm(&r), random.unit());
    r[0] = random.unit();
    let limit = if law.kind() == Kind::Frictionless { 0.0 } else { law.mu() * r[0] };
    for k in 1..D {
        r[k] *= if size > 0.0 { share * limit / size } else { 0.0 };
    }
    r
}

/// Whether the law admits an impulse, to rounding.
fn admits<const D: usize>(law: &Law, r: &Vector<D>) -> bool {
    law.kind() == Kind::Bilateral || r[0] >= 0.0 && tangent_norm(r) <= law.mu() * r[0] + 1e-15
}

fn projections<const D: usize>() {
    let random = &mut Random(D as u64);
    for _ in 0..4000 {
        for &kind in Kind::ALL {
            let law = law_of(kind, FRICTION[random.below(5)]);
            let [a, b]: [Vector<D>; 2] = [random.vector(), random.vector()];
            let (p, p_b) = (law.project(a), law.project(b));
            assert!(admits(&law, &p), "{law:?} at {a}: {p} is not admissible");
            assert!((law.project(p) - p).norm() <= 1e-15, "{law:?} at {a}: not idempotent");
            assert!((p - p_b).norm() <= (a - b).norm() * (1.0 + 1e-15), "{law:?} at {a}, {b}: expansive");
            // nearest: (a − p)·(k − p) ≤ 0 for every admissible k
            let k: Vector<D> = admissible(&law, random);
            assert!((law.project(k) - k).norm() <= 1e-15, "{law:?}: {k} is admissible and moved");
            assert!((a - p).dot(&(k - p)) <= 1e-15, "{law:?} at {a}: {k} is nearer than {p}");
        }
    }
}

#[test]
fn projections_are_projections() {
    projections::<1>();
    projections::<2>();
    projections::<3>();
}

/// Without friction and without a tangential part, the cone once took a pull for its own.
#[test]
fn a_pull_without_tangent_projects_to_zero() {
    for law in [Law::coulomb(0.0), Law::convex(0.0), Law::coulomb(0.5)] {
        assert_eq!(law.project(Vector::<1>::new(-2.0)), Vector::<1>::zeros());
        assert_eq!(law.project(Vector::<3>::new(-2.0, 0.0, 0.0)), Vector::<3>::zeros());
        assert_eq!(law.natural_map(&Vector::<1>::zeros(), &Vector::<1>::new(2.0)), Vector::<1>::zeros());
    }
}

/// How far (r, u) is from the law as the textbooks write it, without projection or natural map.
fn violation<const D: usize>(law: &Law, r: &Vector<D>, u: &Vector<D>) -> f64 {
    let (mu, r_T, u_T) = (law.mu(), tangent_norm(r), tangent_norm(u));
    let cone = (r_T - mu * r[0]).max(-r[0]).max(0.0);
    match law {
        Law::Bilateral(_) => u.norm(),
        Law::Frictionless(_) => r[0].min(u[0]).abs().max(r_T),
        Law::Coulomb(_) => {
            // r_T |u_T| = −μ r_N u_T
            let slip = (1..D).map(|k| (r[k] * u_T + mu * r[0] * u[k]).abs()).fold(0.0, f64::max);
            cone.max(r[0].min(u[0]).abs()).max(slip)
        }
        Law::Convex(_) => cone.max(mu * u_T - u[0]).max(-u[0]).max(r.dot(u).abs()),
    }
}

/// A random pair that obeys the law: open, sticking or sliding.
fn lawful<const D: usize>(law: &Law, random: &mut Random) -> (Vector<D>, Vector<D>) {
    let mut r = admissible(law, random);
    let mut u: Vector<D> = random.vector();
    let mu = law.mu();
    match (law.kind(), random.below(3)) {
        (Kind::Bilateral, _) => u = Vector::zeros(),
        (Kind::Frictionless, 0) | (Kind::Coulomb, 0) => (r, u[0]) = (Vector::zeros(), u[0].abs()),
        (Kind::Convex, 0) => (r, u[0]) = (Vector::zeros(), u[0].abs() + mu * tangent_norm(&u)),
        (Kind::Frictionless, _) => u[0] = 0.0,
        (_, 1) => u = Vector::zeros(),
        (kind, _) => {
            // slide: r on the cone against u_T
            let u_T = tangent_norm(&u);
            u[0] = if kind == Kind::Convex { mu * u_T } else { 0.0 };
            for k in 1..D {
                r[k] = -mu * r[0] * u[k] / u_T;
            }
        }
    }
    (r, u)
}

fn natural_maps<const D: usize>() {
    let random = &mut Random(10 + D as u64);
    for _ in 0..4000 {
        for &kind in Kind::ALL {
            let law = law_of(kind, FRICTION[random.below(5)]);
            let (r, u) = lawful::<D>(&law, random);
            assert!(violation(&law, &r, &u) < 1e-14, "{law:?}: the test's own pair is not lawful");
            let map = law.natural_map(&r, &u).norm();
            assert!(map < 1e-14, "{law:?}, r {r} u {u}: lawful, but the map is {map:e}");
            // off the law by any amount, the map and the violation agree that it is off
            for step in [1.0, 1e-2, 1e-4] {
                let (r, u): (Vector<D>, Vector<D>) =
                    (r + random.vector::<D>() * step, u + random.vector::<D>() * step);
                let (map, off) = (law.natural_map(&r, &u).norm(), violation(&law, &r, &u));
                assert!(
                    off < 1e-3 * step || map > 1e-9 * step,
                    "{law:?} r {r} u {u}: {off:e} unseen, {map:e}"
                );
                assert!(map < 1e-3 * step || off > 1e-9 * step, "{law:?} r {r} u {u}: {map:e} for {off:e}");
            }
        }
    }
}

#[test]
fn the_natural_map_is_zero_where_the_law_holds_and_only_there() {
    natural_maps::<1>();
    natural_maps::<2>();
    natural_maps::<3>();
}

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
    for entry in PANEL {
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
            // the adaptive step alone does not get far where W is nearly singular
            let tolerance = if entry.name == "apgd-as" { 1e-3 } else { 1e-6 };
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
