//! Contacts that hold a pull, are crushed, give way, or resist rolling: projections against brute force, one contact and
//! whole problems by every method that covers them, and compliance in every form of W.

use crate::support::{Random, System, dense, distance, generate, law_of, norm, solve, sparse};
use stickslip_solvers::block::{Matrix, Vector, tangent_norm};
use stickslip_solvers::delassus::Delassus;
use stickslip_solvers::laws::{ContactLaw, Kind, Law};
use stickslip_solvers::one_contact::solve_exactly;
use stickslip_solvers::outcome::Status;
use stickslip_solvers::panel::{AnyMethod, PANEL};
use stickslip_solvers::problem::{ContactProblem, ProblemError};
use stickslip_solvers::residual::{Residual, residual};
use stickslip_solvers::sparse::Sparse;
use stickslip_solvers::stop::Stop;

const FRICTION: [f64; 4] = [0.0, 0.3, 0.8, 1.5];

/// Laws of all surfaces, with random numbers.
fn surfaces(random: &mut Random) -> Vec<Law> {
    let mu = FRICTION[random.below(4)];
    let (c, share) = (random.unit(), random.unit());
    vec![
        Law::cohesive(mu, c, 0.0),
        Law::cohesive(mu, c, share * mu),
        Law::cohesive(mu, c, mu),
        Law::rounded(mu, c),
        Law::capped(mu, c, c + share),
        Law::rolling(mu, share, c),
        Law::rolling(mu, share, c).associated(),
    ]
}

/// Sizes of slip, roll and spin in a block, written out.
fn sizes<const D: usize>(x: &Vector<D>) -> [f64; 3] {
    match D {
        3 => [x[1].abs(), x[2].abs(), 0.0],
        5 => [x[1].hypot(x[2]), x[3].hypot(x[4]), 0.0],
        6 => [x[1].hypot(x[2]), x[3].hypot(x[4]), x[5].abs()],
        _ => [tangent_norm(x), 0.0, 0.0],
    }
}

/// How far an impulse is outside the set of a law, as the papers write it.
fn outside<const D: usize>(law: &Law, r: &Vector<D>) -> f64 {
    let r_T = tangent_norm(r);
    // distance from the cone cut at a top, in the plane of normal and tangent: from tip, side and top
    let from_frustum = |mu: f64, top: f64| {
        let length = (1.0 + mu * mu).sqrt();
        let along = ((r[0] + mu * r_T) / length).clamp(0.0, top * length);
        let side = (r[0] - along / length).hypot(r_T - along * mu / length);
        let cut = (r[0] - top).hypot((r_T - mu * top).max(0.0));
        let inside = r[0] >= 0.0 && r_T <= mu * r[0] && r[0] <= top;
        if inside { 0.0 } else { side.min(cut) }
    };
    match law {
        Law::Cohesive(law) => (r_T - law.mu * (r[0] + law.cohesion)).max(-r[0] - law.cohesion).max(0.0),
        Law::Rounded(law) => (from_frustum(law.mu, 1e9) - law.radius).max(0.0),
        Law::Capped(law) => (from_frustum(law.mu, law.cap - law.radius) - law.radius).max(0.0),
        Law::Rolling(_) | Law::RollingConvex(_) => {
            let rolling = match law {
                Law::Rolling(law) => *law,
                Law::RollingConvex(law) => law.0,
                _ => unreachable!(),
            };
            let [slip, roll, spin] = sizes(r);
            let beyond = [
                slip - rolling.mu * r[0],
                roll - rolling.rolling * r[0],
                spin - rolling.spinning * r[0],
                -r[0],
            ];
            beyond.into_iter().fold(0.0, f64::max)
        }
        law => unreachable!("{law:?}"),
    }
}

fn projections<const D: usize>() {
    let random = &mut Random(40 + D as u64);
    for _ in 0..1500 {
        for law in surfaces(random) {
            let [a, b]: [Vector<D>; 2] = [random.vector::<D>() * 2.0, random.vector::<D>() * 2.0];
            let (p, p_b) = (law.project(a), law.project(b));
            assert!(outside(&law, &p) < 1e-14, "{law:?} at {a}: {p} is {:e} outside", outside(&law, &p));
            assert!((law.project(p) - p).norm() < 1e-14, "{law:?} at {a}: not idempotent");
            assert!((p - p_b).norm() <= (a - b).norm() + 1e-14, "{law:?} at {a}, {b}: expansive");
            // brute force: no admissible point is nearer, sampled around and far from p
            for scale in [2.0, 0.1, 1e-3] {
                let k = p + random.vector::<D>() * scale;
                if outside(&law, &k) == 0.0 {
                    assert!(
                        (a - k).norm() >= (a - p).norm() - 1e-14,
                        "{law:?} at {a}: {k} is nearer than {p}"
                    );
                }
            }
        }
    }
}

#[test]
fn projections_are_the_nearest_points() {
    projections::<1>();
    projections::<2>();
    projections::<3>();
    projections::<5>();
    projections::<6>();
}

fn derivatives<const D: usize>() {
    let random = &mut Random(70 + D as u64);
    let mut compared = 0;
    for _ in 0..600 {
        let mut laws = surfaces(random);
        laws.extend([Law::coulomb(0.5), Law::frictionless(), Law::motor(0.4), Law::locked(1)]);
        for law in laws {
            let (y, u): (Vector<D>, Vector<D>) = (random.vector(), random.vector());
            let (J, slope) = (law.derivative(&y), law.shift_slope(&u));
            let step = 1e-6;
            let at = |x: &Vector<D>, k: usize, by: f64| {
                let mut x = *x;
                x[k] += by;
                x
            };
            // near a kink the two one-sided differences disagree: there is nothing to compare
            let smooth = (0..D).all(|k| {
                let [low, mid, high] = [-step, 0.0, step].map(|by| law.project(at(&y, k, by)));
                (high + low - mid * 2.0).norm() < 1e-2 * step
            });
            if !smooth {
                continue;
            }
            compared += 1;
            for k in 0..D {
                let difference =
                    (law.project(at(&y, k, step)) - law.project(at(&y, k, -step))) / (2.0 * step);
                assert!((difference - J.column(k)).norm() < 1e-3, "{law:?} at {y}, column {k}");
                let shift = (law.shift(&at(&u, k, step)) - law.shift(&at(&u, k, -step))) / (2.0 * step);
                assert!(
                    (shift - slope[k]).abs() < 1e-3 || sizes(&u).iter().any(|&x| x < 1e-2),
                    "{law:?}, {u}"
                );
            }
        }
    }
    assert!(compared > 3000, "{compared} comparisons");
}

#[test]
fn derivatives_are_those_of_the_projections() {
    derivatives::<2>();
    derivatives::<3>();
    derivatives::<6>();
}

fn one_contact<const D: usize>() {
    let random = &mut Random(100 + D as u64);
    let (mut flows, mut settled) = (0, 0);
    for _ in 0..300 {
        for law in surfaces(random) {
            let A = Matrix::<D>::from_fn(|_, _| random.sign());
            let W = A * A.transpose() + Matrix::identity() * 0.3;
            let q: Vector<D> = random.vector();
            let r = solve_exactly(&W, &q, &law, &Vector::zeros());
            let map = law.natural_map(&r, &(W * r + q)).norm();
            if law.shift(&q) > 0.0 {
                // a fixed point of shifts, which a strong coupling of normal and tangent may not settle
                flows += 1;
                settled += usize::from(map < 1e-7);
            } else {
                assert!(map < 1e-9, "{law:?}, W {W}, q {q}: {map:e}");
            }
        }
    }
    assert!(settled as f64 >= 0.85 * flows as f64, "D = {D}: {settled} of {flows}");
}

#[test]
fn one_contact_obeys_its_law() {
    one_contact::<1>();
    one_contact::<2>();
    one_contact::<3>();
    one_contact::<6>();
}

/// A pile whose contacts give way, by bodies and stored.
fn compliant<const D: usize>(seed: u64, law: Law) -> [ContactProblem<D>; 3] {
    let pile = generate::pile::<D>(seed, 10, 24, 3.0, law);
    let E: Vec<Vector<D>> = {
        let mut random = Random(seed);
        (0..24).map(|i| Vector::from_fn(|_, _| if i % 3 == 0 { 0.0 } else { random.unit() })).collect()
    };
    [pile.factored(), pile.stored(), pile.by_sparse_mass()].map(|rigid| {
        let ContactProblem { W, q, laws } = rigid;
        let W = std::sync::Arc::into_inner(W).unwrap().with_compliance(E.clone());
        ContactProblem::new(W, q, laws).unwrap()
    })
}

fn every_method<const D: usize>() {
    for kind in [Kind::Coulomb, Kind::Convex, Kind::Cohesive, Kind::CohesiveConvex, Kind::Yielding] {
        let problems = compliant::<D>(5, law_of(kind, 0.5));
        let by_bodies = dense(&problems[0].W.entries());
        assert!((by_bodies - dense(&problems[1].W.entries())).amax() < 1e-12);
        let mut convex: Option<Vec<Vector<D>>> = None;
        for problem in &problems {
            for entry in PANEL.iter().filter(|entry| entry.covers.contains(&kind)) {
                let (r, outcome) = solve(entry.name, problem, 1e-9, 200_000);
                let case = format!("D = {D}, {kind:?}, {}, {}", entry.name, problem.W.form());
                assert_eq!(outcome.status, Status::Converged, "{case}: {:?}", outcome.residual);
                assert_eq!(residual(problem, &r), outcome.residual, "{case}");
                if problem.laws[0].shift::<D>(&Vector::repeat(1.0)) == 0.0 {
                    // one minimisation: every method finds the same velocities
                    let u = problem.velocities(&r);
                    let known = convex.get_or_insert_with(|| u.clone());
                    assert!(distance(known, &u) < 1e-6, "{case}: {:e}", distance(known, &u));
                }
            }
        }
    }
}

#[test]
fn every_method_solves_contacts_that_give_way_and_yield() {
    every_method::<2>();
    every_method::<3>();
}

/// The columns of roll and spin beside those of contact: couples about the axes along which impulses act.
fn with_rolling<const D: usize>(pile: &System<3>) -> ContactProblem<D> {
    let axis = |k: usize| [0, 1, 2, 1, 2, 0][k];
    let mut entries = Vec::new();
    for row in 0..pile.H.rows {
        for (column, x) in pile.H.row(row) {
            let (contact, k) = (column / 3, column % 3);
            let place = |l: usize| (contact * D + l) as u32;
            entries.push((row as u32, place(k), x));
            if row % 6 < 3 {
                (3..D)
                    .filter(|&l| axis(l) == k)
                    .for_each(|l| entries.push((row as u32 + 3, place(l), 0.4 * x)));
            }
        }
    }
    let contacts = pile.laws.len();
    let W = Delassus::factored(&pile.M, &Sparse::from_triplets(pile.H.rows, contacts * D, &entries)).unwrap();
    let q = pile.factored().q;
    let q = q.iter().map(|q| Vector::from_fn(|k, _| if k < 3 { q[k] } else { 0.3 * q[axis(k)] })).collect();
    ContactProblem::new(W, q, pile.laws.clone()).unwrap()
}

fn rolling_blocks<const D: usize>() {
    for law in [Law::rolling(0.5, 0.2, 0.1), Law::rolling(0.5, 0.2, 0.1).associated()] {
        let problem = with_rolling::<D>(&generate::pile(7, 12, 30, 2.0, law));
        let mut known: Option<Vec<Vector<D>>> = None;
        for entry in PANEL {
            let method = AnyMethod::parse(entry.name, &entry.defaults()).unwrap();
            let mut r = vec![Vector::zeros(); problem.contacts()];
            let stop = Stop { max_iterations: 100_000, ..Stop::default() };
            let outcome = method.build::<D>().solve(&problem, &mut r, &stop);
            let covered = entry.covers.contains(&law.kind());
            if !entry.covers.contains(&Kind::RollingConvex) {
                assert_eq!(outcome.status, Status::Broken, "{}", entry.name);
                assert!(outcome.notes[0].contains("components"), "{:?}", outcome.notes);
            } else if covered {
                assert_eq!(
                    outcome.status,
                    Status::Converged,
                    "D = {D}, {}: {:?}",
                    entry.name,
                    outcome.residual
                );
                assert!(r.iter().all(|r| outside(&law, r) < 1e-9), "{}", entry.name);
                if law.kind() == Kind::RollingConvex {
                    let u = problem.velocities(&r);
                    let known = known.get_or_insert_with(|| u.clone());
                    assert!(distance(known, &u) < 1e-4, "D = {D}, {}: {:e}", entry.name, distance(known, &u));
                }
            }
        }
    }
}

#[test]
fn rolling_and_spinning_friction_are_larger_blocks() {
    rolling_blocks::<5>();
    rolling_blocks::<6>();
}

/// Large blocks are not stored, and say so.
#[test]
fn stored_blocks_have_at_most_four_components() {
    let W = sparse(&nalgebra::DMatrix::identity(6, 6));
    let error = Delassus::<6>::stored(&W).unwrap_err().to_string();
    assert!(error.contains("6 components") && error.contains("by rigid bodies"), "{error}");
}

/// Without compliance, cohesion and dilatancy the laws are Coulomb's and the associated one, to the bits of their residuals.
#[test]
fn vanishing_parameters_leave_coulomb() {
    let pile = generate::pile::<3>(3, 10, 24, 2.0, Law::coulomb(0.5));
    for (plain, law) in
        [(Law::coulomb(0.5), Law::cohesive(0.5, 0.0, 0.0)), (Law::convex(0.5), Law::cohesive(0.5, 0.0, 0.5))]
    {
        let (plain, law) = (pile.clone().with_laws(|_| plain), pile.clone().with_laws(|_| law));
        let (r, outcome) = solve("nlgs", &plain.factored(), 1e-12, 10_000);
        let found = residual(&law.factored(), &r);
        let numbers = |residual: &Residual| (residual.natural, residual.scaled, residual.worst_contact);
        assert_eq!(numbers(&found), numbers(&outcome.residual));
        let zero = vec![Vector::zeros(); r.len()];
        let problem = law.factored();
        let W = std::sync::Arc::into_inner(problem.W).unwrap().with_compliance(zero);
        let same = ContactProblem::new(W, problem.q, problem.laws).unwrap();
        assert!(distance(&solve("nlgs", &same, 1e-12, 10_000).0, &r) < 1e-6 * norm(&r));
    }
}

/// A flow between Coulomb's and the associated one: the path of the interior point, and what it says of well-posedness.
#[test]
fn the_path_of_a_dilatant_flow_says_whether_it_is_well_posed() {
    let law = Law::cohesive(0.5, 0.0, 0.2);
    let stop = Stop { tolerance: 1e-8, ..Stop::default() };
    let notes = |problem: &ContactProblem<3>| {
        let mut r = vec![Vector::zeros(); problem.contacts()];
        let method = AnyMethod::parse("interior-point", &Default::default()).unwrap();
        let outcome = method.build::<3>().solve(problem, &mut r, &stop);
        assert_eq!(outcome.status, Status::Converged, "{:?}", outcome.residual);
        for (r, u) in r.iter().zip(problem.velocities(&r)).filter(|(_, u)| tangent_norm(u) > 1e-3) {
            assert!(r[0] < 1e-6 || (u[0] - 0.2 * tangent_norm(&u)).abs() < 1e-5, "{r} {u}");
        }
        outcome.notes.join("; ")
    };
    // a body squeezed between two walls carries internal forces that move nothing; compliance leaves none without effect
    let mass: Vec<_> = (0..6).map(|k| (k, k, 1.0)).collect();
    let wrenches = [(2, 0, 1.0), (0, 1, 1.0), (1, 2, 1.0), (2, 3, -1.0), (0, 4, 1.0), (1, 5, 1.0)];
    let (M, H) = (Sparse::from_triplets(6, 6, &mass), Sparse::from_triplets(6, 6, &wrenches));
    let q = vec![Vector::<3>::new(-0.1, 0.2, 0.0), Vector::<3>::new(0.3, 0.2, 0.0)];
    let squeezed = ContactProblem::new(Delassus::factored(&M, &H).unwrap(), q, vec![law; 2]).unwrap();
    assert!(notes(&squeezed).contains("internal forces that move nothing exist"));
    let tree = generate::stack::<3>(3, 4, 1.0, law).factored();
    let E = vec![Vector::repeat(0.5); tree.contacts()];
    let W = std::sync::Arc::into_inner(tree.W).unwrap().with_compliance(E);
    let soft = ContactProblem::new(W, tree.q, tree.laws).unwrap();
    assert!(notes(&soft).contains("well posed"));
}

#[test]
fn laws_without_sense_are_refused() {
    let cases = [
        (Law::cohesive(0.5, -1.0, 0.0), "cohesion"),
        (Law::cohesive(0.5, 1.0, 0.6), "between 0 and mu"),
        (Law::cohesive(-0.5, 1.0, 0.0), "mu"),
        (Law::rounded(0.5, f64::NAN), "radius"),
        (Law::capped(0.5, 1.0, 0.5), "a cap below"),
        (Law::capped(0.5, 1.0, -1.0), "cap"),
        (Law::rolling(0.5, -0.1, 0.0), "rolling"),
        (Law::rolling(0.5, 0.1, -1.0), "spinning"),
    ];
    for (law, word) in cases {
        let W = Delassus::<1>::stored(&Sparse::from_triplets(1, 1, &[(0, 0, 1.0)])).unwrap();
        let error = ContactProblem::new(W, vec![Vector::<1>::new(1.0)], vec![law]).unwrap_err();
        assert!(matches!(error, ProblemError::Law { contact: 0, .. }), "{error}");
        assert!(error.to_string().contains(word), "{error}");
    }
}
