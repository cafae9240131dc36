//! The residual against cases done by hand, its units, and its refusal to be fooled.

use crate::support::{Random, assembled, flat, generate, law_of, norm, python, solve, solve_from, sparse};
use std::path::Path;
use std::process::Command;
use stickslip_solvers::block::{Matrix, Vector};
use stickslip_solvers::delassus::Delassus;
use stickslip_solvers::fclib::{Fclib, Form};
use stickslip_solvers::laws::{Kind, Law};
use stickslip_solvers::outcome::Status;
use stickslip_solvers::panel::PANEL;
use stickslip_solvers::problem::ContactProblem;
use stickslip_solvers::residual::{Criterion, residual, residual_with};
use stickslip_solvers::sparse::Sparse;
use stickslip_solvers::stop::Stop;

type V = Vector<3>;

/// One contact with W = s I: then u = s r + q, and s is the scale of the scaled residual.
fn one(s: f64, q: V, law: Law) -> ContactProblem<3> {
    let W = Sparse::from_triplets(3, 3, &[(0, 0, s), (1, 1, s), (2, 2, s)]);
    ContactProblem::new(Delassus::stored(&W).unwrap(), vec![q], vec![law]).unwrap()
}

/// The approach is that of one-sided contacts alone, and may stop a solve like the residual.
#[test]
fn the_fastest_approach_is_told_and_bounded() {
    let closing = V::new(-0.25, 3.0, 4.0);
    let approach = |law: Law| residual(&one(2.0, closing, law), &[V::zeros()]).approach;
    assert_eq!(approach(Law::coulomb(0.5)), 0.25);
    assert_eq!(approach(Law::frictionless()), 0.25);
    assert_eq!(approach(Law::bilateral()), 0.0);
    assert_eq!(residual(&one(2.0, -closing, Law::coulomb(0.5)), &[V::zeros()]).approach, 0.0);
    let stop = Stop { tolerance: 1e-3, approach: Some(0.125), ..Stop::default() };
    let found = residual(&one(2.0, closing, Law::coulomb(0.5)), &[V::zeros()]);
    assert_eq!(stop.measure(&found), found.natural.max(found.scaled).max(2e-3));
}

/// A state that a solver carries along may be wrong: success is certified from (W, q, r) alone.
#[test]
fn carried_velocities_certify_nothing() {
    let (problem, stop) = (one(2.0, V::new(-1.0, 0.0, 0.0), Law::coulomb(0.5)), Stop::default());
    let mut watch = stop.watch(&problem);
    let pretended = |u: &mut [V]| u[0] = V::new(1.0, 0.0, 0.0);
    assert!(watch.goes_on_from(&[V::zeros()], pretended), "it still closes");
    watch.look_next();
    let mut r = [V::new(0.5, 0.0, 0.0)];
    assert!(!watch.goes_on_from(&r, |u| u[0] = V::zeros()));
    let outcome = watch.finish(&mut r);
    assert_eq!((outcome.status, outcome.residual.scaled), (Status::Converged, 0.0));
}

/// Each law in each of its states, at a solution: exactly zero. All numbers are exact in binary.
#[test]
fn zero_exactly_at_solutions() {
    let (open, inward) = (V::new(1.0, 3.0, 4.0), V::new(-8.0, 0.75, 1.0));
    let cases = [
        ("open, frictionless", Law::frictionless(), open, V::zeros()),
        ("open, Coulomb", Law::coulomb(0.5), open, V::zeros()),
        ("open, convex: u in the dual cone", Law::convex(0.2), open, V::zeros()),
        ("closed, frictionless: the tangents slide", Law::frictionless(), inward, V::new(4.0, 0.0, 0.0)),
        ("stick, Coulomb", Law::coulomb(0.5), inward, -inward / 2.0),
        ("stick, convex", Law::convex(0.5), inward, -inward / 2.0),
        // u_N = 0 and r_T = −μ r_N u_T/|u_T| with u_T = (6, 8), r = (10, −1.5, −2), μ = 1/4
        ("slip, Coulomb", Law::coulomb(0.25), V::new(-20.0, 9.0, 12.0), V::new(10.0, -1.5, -2.0)),
        // u_N = μ|u_T|: r = (8, −1.2, −1.6) would be on the cone of μ = 1/4; here μ = 5/8, r = (8, −3, −4)
        ("slip, convex", Law::convex(0.625), V::new(-16.0 + 6.25, 12.0, 16.0), V::new(8.0, -3.0, -4.0)),
        ("joint", Law::bilateral(), V::new(2.0, -4.0, 6.0), V::new(-1.0, 2.0, -3.0)),
    ];
    for (name, law, q, r) in cases {
        let found = residual(&one(2.0, q, law), &[r]);
        assert_eq!((found.natural, found.scaled, found.worst_share), (0.0, 0.0, 0.0), "{name}");
        // and nowhere near it
        for k in 0..3 {
            let mut beside = r;
            beside[k] += 1.0 / 1024.0;
            let away = residual(&one(2.0, q, law), &[beside]);
            assert!(away.natural > 1e-6 && away.scaled > 1e-6, "{name}, moved along {k}: {away:?}");
        }
    }
}

/// Away from solutions, by hand with W = I/2: natural and scaled.
#[test]
fn values_by_hand() {
    let cases = [
        // r = 0, u = q = (−3, 4, 0): F = −P(−u). Frictionless: (3, 0, 0) over |q| = 5
        (Law::frictionless(), V::new(-3.0, 4.0, 0.0), V::zeros(), 0.6, 0.6),
        // Coulomb μ = 1: y = (3 − 4, −4, 0), p_N = (4 − 1)/2, |F| = 1.5 √2
        (Law::coulomb(1.0), V::new(-3.0, 4.0, 0.0), V::zeros(), 0.3 * 2f64.sqrt(), 0.3 * 2f64.sqrt()),
        // convex μ = 1: y = (3, −4, 0), p_N = 3.5, |F| = 3.5 √2
        (Law::convex(1.0), V::new(-3.0, 4.0, 0.0), V::zeros(), 0.7 * 2f64.sqrt(), 0.7 * 2f64.sqrt()),
        // a joint: F = u whatever r is; r = (4, 0, 0) gives u = (−1, 4, 0), |q| = 5 is the largest norm
        (
            Law::bilateral(),
            V::new(-3.0, 4.0, 0.0),
            V::new(4.0, 0.0, 0.0),
            17f64.sqrt() / 5.0,
            17f64.sqrt() / 5.0,
        ),
        // a pulling impulse, r = (−2, 0, 0): u = (1, 0, 0), q = (2, 0, 0); F = r, and half of it when scaled
        (Law::coulomb(0.5), V::new(2.0, 0.0, 0.0), V::new(-2.0, 0.0, 0.0), 1.0, 0.5),
    ];
    for (law, q, r, natural, scaled) in cases {
        let found = residual(&one(0.5, q, law), &[r]);
        assert!((found.natural - natural).abs() < 1e-15, "{law:?}: {found:?}, by hand {natural}");
        assert!((found.scaled - scaled).abs() < 1e-15, "{law:?}: {found:?}, by hand {scaled}");
        assert_eq!(found.worst_share, found.scaled, "one contact has the whole share");
        assert_eq!(found.measure(Criterion::Both), found.natural.max(found.scaled));
        assert_eq!(found.measure(Criterion::Siconos), found.natural);
    }
}

/// W·a, q·b, r·b/a is the same problem in other units.
#[test]
fn the_scaled_residual_has_no_units() {
    let system = generate::pile::<3>(1, 10, 25, 100.0, Law::coulomb(0.5)).with_laws(generate::mixed);
    let (W, q) = system.condensed();
    let r: Vec<V> = Random(2).vectors(25);
    let at = |a: f64, b: f64| {
        let W = Delassus::stored(&sparse(&(&W * a))).unwrap();
        let q = q.iter().map(|q| q * b).collect();
        let problem = ContactProblem::new(W, q, system.laws.clone()).unwrap();
        residual(&problem, &r.iter().map(|r| r * (b / a)).collect::<Vec<_>>())
    };
    let reference = at(1.0, 1.0);
    for (a, b) in
        [(1e-6, 1.0), (1e6, 1.0), (1e3, 1e-9), (1e-12, 1e-12), (1e12, 1e12), (7.0, 1e-30), (1.0, 1e30)]
    {
        let found = at(a, b);
        assert!((found.scaled / reference.scaled - 1.0).abs() < 1e-12, "a = {a}, b = {b}: {found:?}");
        assert!((found.worst_share / reference.worst_share - 1.0).abs() < 1e-12, "a = {a}, b = {b}");
        assert_eq!(found.worst_contact, reference.worst_contact);
        if a != 1.0 && b >= 1e-12 {
            let change = (found.natural / reference.natural - 1.0).abs();
            assert!(change > 1e-3, "a = {a}, b = {b}: {found:?}, {reference:?}");
        }
    }
}

#[test]
fn the_worst_contact_is_named() {
    // more contacts than one chunk of the parallel sums
    let n = 9000;
    for bad in [0, 1, 4095, 4096, 8191, 8999] {
        let diagonal: Vec<_> = (0..3 * n as u32).map(|i| (i, i, 1.0)).collect();
        let W = Delassus::stored(&Sparse::from_triplets(3 * n, 3 * n, &diagonal)).unwrap();
        let mut q = vec![V::new(-1.0, 0.0, 0.0); n];
        q[bad][0] = -3.0;
        let problem = ContactProblem::new(W, q, vec![Law::coulomb(0.5); n]).unwrap();
        // all solved but a tenth of every normal impulse, and of the bad one a third
        let mut r = vec![V::new(0.9, 0.0, 0.0); n];
        r[bad][0] = 2.0;
        let found = residual(&problem, &r);
        assert_eq!(found.worst_contact, bad);
        assert!((found.worst_share - 1.0 / norm(&problem.q)).abs() < 1e-15);
        let map: f64 = problem
            .velocities(&r)
            .iter()
            .zip(&r)
            .zip(&problem.laws)
            .map(|((u, r), law)| law.natural_map(r, u).norm_squared())
            .sum();
        assert!((found.natural - map.sqrt() / norm(&problem.q)).abs() < 1e-14);
    }
}

/// A number that is none never passes for a solution, whichever law sees it and wherever it enters.
#[test]
fn nan_never_converges() {
    for &kind in Kind::ALL {
        let law = law_of(kind, 0.5);
        let problem = generate::pile::<3>(3, 4, 8, 1.0, law).factored();
        for (contact, k) in [(0, 0), (3, 1), (7, 2)] {
            for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                // zero elsewhere: where u is NaN a frictionless contact with r = 0 looks solved
                let mut r = vec![V::zeros(); 8];
                r[contact][k] = value;
                let found = residual(&problem, &r);
                assert!(found.natural.is_nan() && found.scaled.is_nan(), "{kind:?}, {value}: {found:?}");
                assert_eq!(found.worst_contact, residual(&problem, &r).worst_contact);
                let mut u = problem.velocities(&[V::zeros(); 8]);
                u[contact][k] = f64::NAN;
                let found = residual_with(&problem, &[V::zeros(); 8], &u);
                assert!(found.natural.is_nan() && found.scaled.is_nan(), "{kind:?}, u: {found:?}");
                assert_eq!(found.worst_contact, contact, "{kind:?}: the NaN is the worst");
                for entry in PANEL.iter().filter(|entry| entry.covers.contains(&kind)) {
                    let outcome = solve_from(entry.name, &problem, &mut r.clone(), &Stop::default());
                    let measure = outcome.residual.measure(Criterion::Both);
                    let honest = outcome.status != Status::Converged || measure <= 1e-8;
                    assert!(honest, "{} on {kind:?} from {value}: {outcome:?}", entry.name);
                }
            }
        }
    }
}

/// Squares of large numbers overflow; a residual that cannot be computed is not a small one.
#[test]
fn overflow_never_converges() {
    let W = Sparse::from_triplets(2, 2, &[(0, 0, 1.0), (1, 1, 1.0)]);
    let q = vec![Vector::<1>::new(-1.0); 2];
    let laws = vec![Law::frictionless(); 2];
    let mut problem = ContactProblem::new(Delassus::stored(&W).unwrap(), q, laws).unwrap();
    // past the check that refuses such numbers
    problem.q = vec![Vector::<1>::new(-1e200), Vector::<1>::new(-1e100)];
    // the first contact is solved, the second not at all
    let found = residual(&problem, &[Vector::<1>::new(1e200), Vector::<1>::zeros()]);
    assert!(found.natural.is_nan() || found.natural > 1e-8, "{found:?}");
    assert!(found.scaled.is_nan() || found.scaled > 1e-8, "{found:?}");
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let problem = generate::pile::<3>(5, 3000, 10_000, 10.0, Law::coulomb(0.5)).factored();
    let r: Vec<V> = Random(6).vectors(10_000);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let found = pool.install(|| residual(&problem, &r));
        [found.natural, found.scaled, found.worst_share, found.worst_contact as f64].map(f64::to_bits)
    };
    assert_eq!(on(1), on(2));
    assert_eq!(on(1), on(7));
}

/// The numpy version that ships beside the stored problems, on a file that this crate wrote.
#[test]
fn numpy_agrees() {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/peers");
    let Some(python) = python("numpy, scipy, h5py").filter(|_| tools.join("fclib_tools.py").exists()) else {
        eprintln!("skipped: no numpy residual to compare with");
        return;
    };
    const SCRIPT: &str = "import sys; sys.path.insert(0, sys.argv[1]); import fclib_tools as F
for name in sys.argv[2:]:
    d = F.read(name); W, q = F.condense(d); r = d['solution']['r']; u = W @ r + q
    print(repr(float(F.residual(r, u, q, d['mu'], d['dim']))), repr(float(F.residual_scaled(r, u, q, d['mu'], d['dim'], W))))";
    let folder = std::env::temp_dir().join(format!("stickslip-residual-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (mut names, mut ours) = (Vec::new(), Vec::new());
    fn add<const D: usize>(
        seed: u64,
        folder: &Path,
        names: &mut Vec<std::path::PathBuf>,
        ours: &mut Vec<[f64; 2]>,
    ) {
        let system = generate::pile::<D>(seed, 12, 30, 100.0, Law::coulomb(0.1 * seed as f64));
        let problem = system.stored();
        // a rough point and a nearly solved one
        for (k, r) in [Random(seed).vectors(30), solve("nlgs", &problem, 1e-3, 50).0].into_iter().enumerate()
        {
            let mut file = Fclib {
                dimension: D,
                form: Form::Local { W: sparse(&assembled(&problem)), q: flat(&problem.q) },
                mu: problem.laws.iter().map(|law| law.mu()).collect(),
                info: Default::default(),
                guesses: vec![],
                solution: None,
            };
            file.solution = Some(file.point(&problem, &r));
            let path = folder.join(format!("{D}-{seed}-{k}.hdf5"));
            file.write(&path).unwrap();
            names.push(path);
            let found = residual(&problem, &r);
            ours.push([found.natural, found.scaled]);
        }
    }
    for seed in [1, 5, 20] {
        add::<2>(seed, &folder, &mut names, &mut ours);
        add::<3>(seed, &folder, &mut names, &mut ours);
    }
    let output = Command::new(python).args(["-c", SCRIPT]).arg(&tools).args(&names).output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut worst: f64 = 0.0;
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), ours.len());
    for (line, ours) in text.lines().zip(&ours) {
        for (theirs, ours) in line.split(' ').zip(ours) {
            worst = worst.max((theirs.parse::<f64>().unwrap() / ours - 1.0).abs());
        }
    }
    eprintln!("numpy and this crate differ by {worst:.1e} relative");
    assert!(worst < 1e-11, "{worst:e}");
}

/// Block types of one contact are what the laws say they are (a guard for the cases above).
#[test]
fn the_hand_cases_use_the_block_they_say() {
    assert_eq!(*one(2.0, V::zeros(), Law::bilateral()).W.diagonal(0), Matrix::<3>::identity() * 2.0);
}
