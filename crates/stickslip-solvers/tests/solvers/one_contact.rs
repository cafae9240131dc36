//! Every one-contact solver against the enumeration, closed forms and invariants.
#![allow(clippy::print_stdout)]

use stickslip_solvers::block::{Matrix, Vector};
use stickslip_solvers::laws::Law;
use stickslip_solvers::one_contact::{
    LocalSolver, Name, ONE_CONTACT, OneContact, Settings, solve_convex, solve_coulomb,
};

/// SplitMix64: small, and the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform(0.0, 1.0)).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform(0.0, 1.0)).cos()
    }

    fn vector<const D: usize>(&mut self) -> Vector<D> {
        Vector::from_fn(|_, _| self.normal())
    }

    /// Q Λ Qᵀ with a random rotation Q, and its condition number, log-uniform up to 10^decades.
    fn block<const D: usize>(&mut self, decades: f64) -> (Matrix<D>, f64) {
        let mut Q = Matrix::<D>::zeros();
        for k in 0..D {
            let mut column = self.vector::<D>();
            for _ in 0..2 {
                for j in 0..k {
                    let other = Q.column(j).into_owned();
                    column -= other * other.dot(&column);
                }
            }
            Q.set_column(k, &(column / column.norm()));
        }
        let spread = self.uniform(0.0, decades);
        let mut eigenvalues = Matrix::<D>::identity();
        for k in 1..D {
            let exponent = if k == 1 { spread } else { self.uniform(0.0, spread) };
            eigenvalues[(k, k)] = 10f64.powf(-exponent);
        }
        let W = Q * eigenvalues * Q.transpose();
        let unit = 10f64.powf(self.uniform(-3.0, 3.0));
        ((W + W.transpose()) * (0.5 * unit), if D > 1 { 10f64.powf(spread) } else { 1.0 })
    }
}

fn settings(solver: Name) -> Settings {
    Settings { solver, ..Default::default() }
}

fn solve<const D: usize>(solver: Name, W: &Matrix<D>, q: &Vector<D>, mu: f64) -> (Vector<D>, bool) {
    let solved = settings(solver).solve(&OneContact { W, q: *q, mu }, &Vector::zeros());
    (solved.r, solved.converged)
}

/// Below 1 the contact has one solution.
///
/// With q_N ≥ 0 another than r = 0 would need u_N = 0, r_N > 0, so W_NN r_N ≤ |W_NT| |r_T| ≤ μ |W_NT| r_N. With
/// q_N < 0 every solution has u_N = 0, and r_T minimises ½ tᵀSt + bᵀt on the disk of radius ρ = μ r_N; as ρ varies,
/// t = −(S + αI)⁻¹b moves by |dt/dρ| = 1/cos∠(t, (S + αI)⁻¹t) ≤ (κ + 1)/(2√κ), κ = cond S (Kantorovich), or not at
/// all while it sticks. So ρ ↦ μ r_N(t(ρ)), r_N = −(q_N + W_NT t)/W_NN, has the Lipschitz constant below, and at
/// most one fixed point if it is less than 1.
fn contraction<const D: usize>(W: &Matrix<D>, mu: f64) -> f64 {
    let W_NT = (1..D).map(|k| W[(0, k)] * W[(0, k)]).sum::<f64>().sqrt();
    let spread = if D == 3 {
        let S = |i: usize, j: usize| W[(i, j)] - W[(i, 0)] * W[(0, j)] / W[(0, 0)];
        let (mean, half) = (0.5 * (S(1, 1) + S(2, 2)), 0.5 * (S(1, 1) - S(2, 2)));
        let radius = half.hypot(S(1, 2));
        let kappa = (mean + radius) / (mean - radius).max(f64::MIN_POSITIVE);
        0.5 * (kappa + 1.0) / kappa.sqrt()
    } else {
        1.0
    };
    mu * W_NT * spread / W[(0, 0)]
}

/// Solves 10⁵ random blocks with every solver; returns the failures by solver.
fn compare<const D: usize>(seed: u64) -> Vec<(Name, usize)> {
    const BLOCKS: usize = 100_000;
    let tolerance = Settings::default().tolerance;
    let mut random = Random(seed);
    let mut failures: Vec<(Name, usize)> = ONE_CONTACT.iter().map(|entry| (entry.0, 0)).collect();
    let mut compared = 0;
    for _ in 0..BLOCKS {
        let (W, condition) = random.block::<D>(8.0);
        let mu = random.uniform(0.0, 2.0);
        let q = random.vector::<D>();
        let contact = OneContact { W: &W, q, mu };
        let exact = solve_coulomb(&W, &q, mu);
        let certificate = contact.residual(&exact);
        assert!(certificate <= 1e-12, "enumeration: {certificate:e} for {W} {q} {mu}");
        let lipschitz = contraction(&W, mu);
        // what a residual of `tolerance` leaves open in r, with room for the factors of the norms
        let doubt = 100.0 * tolerance * condition / (1.0 - lipschitz);
        let is_unique = lipschitz < 1.0 && doubt < 1e-3;
        for (name, failed) in &mut failures {
            let (r, converged) = solve(*name, &W, &q, mu);
            assert!(r.iter().all(|x| x.is_finite()), "{name:?} gave {r} for {W} {q} {mu}");
            if !converged {
                *failed += 1;
                continue;
            }
            // the same certificate
            let residual = contact.residual(&r);
            assert!(residual <= 1e-12, "{name:?}: {residual:e} for {W} {q} {mu}");
            if is_unique {
                let size = exact.norm().max(q.norm() * D as f64 / W.trace());
                let difference = (r - exact).norm() / size;
                assert!(difference <= doubt, "{name:?} off by {difference:e} > {doubt:e} for {W} {q} {mu}");
                compared += 1;
            }
        }
    }
    assert!(compared > BLOCKS, "only {compared} impulses could be compared");
    failures
}

/// Asserts the failures of [`compare`] against generous bounds, in the order of the solvers' names.
fn check_failures(found: &[(Name, usize)], bounds: &[(Name, usize)]) {
    assert_eq!(found.len(), bounds.len());
    for ((name, failed), (bounded, bound)) in found.iter().zip(bounds) {
        assert_eq!(name, bounded);
        assert!(failed <= bound, "{name:?} failed {failed} times, more than {bound}");
    }
}

#[test]
fn all_agree_on_the_line() {
    let bounds: Vec<(Name, usize)> = ONE_CONTACT.iter().map(|entry| (entry.0, 0)).collect();
    check_failures(&compare::<1>(1), &bounds);
}

#[test]
fn all_agree_in_the_plane() {
    let bounds = [
        (Name::Enumeration, 0),
        (Name::Epdas, 28_000),
        (Name::Ipdas, 26_000),
        (Name::Sal, 27_000),
        (Name::Sbp, 31_000),
        (Name::Ibp, 9_000),
        (Name::AlartCurnier, 4_000),
        (Name::Lemke, 10),
        (Name::Qp, 8_000),
        (Name::Scalar, 55_000),
    ];
    check_failures(&compare::<2>(2), &bounds);
}

#[test]
fn all_agree_in_space() {
    let bounds = [
        (Name::Enumeration, 0),
        (Name::Epdas, 23_000),
        (Name::Ipdas, 22_000),
        (Name::Sal, 30_000),
        (Name::Sbp, 44_000),
        (Name::Ibp, 8_000),
        (Name::AlartCurnier, 8_000),
        (Name::Lemke, 200),
        (Name::Qp, 11_000),
        (Name::Scalar, 55_000),
    ];
    check_failures(&compare::<3>(3), &bounds);
}

/// The worst natural map of the exact solvers over random contacts.
fn worst_residual<const D: usize>(
    seed: u64,
    law: fn(f64) -> Law,
    mut contact: impl FnMut(&mut Random) -> (Matrix<D>, Vector<D>, f64),
) -> f64 {
    let mut random = Random(seed);
    let mut worst: f64 = 0.0;
    for _ in 0..20_000 {
        let (W, q, mu) = contact(&mut random);
        let r = match law(mu) {
            Law::Convex(_) => solve_convex(&W, &q, mu),
            _ => solve_coulomb(&W, &q, mu),
        };
        assert!(r.iter().all(|x| x.is_finite()), "{r} for {W} {q} {mu}");
        let u = W * r + q;
        let scaled_r = r * (W.trace() / D as f64);
        let size = q.norm().max(scaled_r.norm()).max(u.norm());
        let map = law(mu).natural_map(&scaled_r, &u).norm();
        worst = worst.max(if size > 0.0 { map / size } else { map });
    }
    worst
}

/// Every size and conditioning that a positive definite block may have.
fn exact_solver_is_robust<const D: usize>(law: fn(f64) -> Law, decades: f64) {
    for (name, scale) in [("unit", 1.0), ("huge", 1e12), ("tiny", 1e-12)] {
        for mu_max in [0.1, 2.0, 10.0] {
            let worst = worst_residual::<D>(11, law, |random| {
                let (W, _) = random.block::<D>(decades);
                (W, random.vector::<D>() * scale, random.uniform(0.0, mu_max))
            });
            assert!(worst <= 1e-12, "{name} q, mu to {mu_max}: {worst:e}");
        }
    }
    // approach at rounding level, or none
    for approach in [-1e-14, -1e-300, 0.0] {
        let worst = worst_residual::<D>(12, law, |random| {
            let (W, _) = random.block::<D>(decades);
            let mut q = random.vector::<D>();
            q[0] = approach;
            (W, q, random.uniform(0.0, 2.0))
        });
        assert!(worst <= 1e-12, "q_N = {approach}: {worst:e}");
    }
}

#[test]
fn enumeration_is_exact_for_every_definite_block() {
    exact_solver_is_robust::<1>(Law::coulomb, 12.0);
    exact_solver_is_robust::<2>(Law::coulomb, 12.0);
    exact_solver_is_robust::<3>(Law::coulomb, 12.0);
}

#[test]
fn convex_solver_is_exact_for_every_definite_block() {
    exact_solver_is_robust::<1>(Law::convex, 8.0);
    exact_solver_is_robust::<2>(Law::convex, 8.0);
    exact_solver_is_robust::<3>(Law::convex, 8.0);
}

/// 10⁵ contacts of a kind under the convex law, μ log-uniform from 1e-3 to 2; the worst natural map.
fn convex_at_worst<const D: usize>(
    seed: u64,
    mut contact: impl FnMut(&mut Random) -> (Matrix<D>, Vector<D>),
) -> f64 {
    let mut worst: f64 = 0.0;
    for batch in 0..5 {
        let found = worst_residual::<D>(seed + 100 * batch, Law::convex, |random| {
            let (W, q) = contact(random);
            (W, q, 10f64.powf(random.uniform(-3.0, 2f64.log10())))
        });
        worst = worst.max(found);
    }
    worst
}

/// T W T with T = diag(1, t, …): tangents lighter or heavier than the normal by up to eight decades.
fn drawn_out<const D: usize>(random: &mut Random) -> (Matrix<D>, Vector<D>) {
    let (W, _) = random.block::<D>(1.0);
    let mut T = Matrix::<D>::identity();
    for k in 1..D {
        T[(k, k)] = 10f64.powf(random.uniform(-4.0, 4.0));
    }
    (T * W * T, random.vector())
}

/// A tangential block with one direction that hardly moves, next to a normal that couples with the other.
fn nearly_singular_tangent(random: &mut Random) -> (Matrix<3>, Vector<3>) {
    let (plane, _) = random.block::<2>(2.0);
    let (sine, cosine) = random.uniform(0.0, std::f64::consts::TAU).sin_cos();
    let turn = Matrix::<3>::new(1.0, 0.0, 0.0, 0.0, cosine, -sine, 0.0, sine, cosine);
    let small = plane.trace() * 10f64.powf(random.uniform(-14.0, -2.0));
    let (n, c, t) = (plane[(0, 0)], plane[(0, 1)], plane[(1, 1)]);
    let W = turn * Matrix::<3>::new(n, c, 0.0, c, t, 0.0, 0.0, 0.0, small) * turn.transpose();
    (W, random.vector())
}

#[test]
fn convex_solver_is_exact_for_blocks_of_every_shape() {
    let cases = [
        ("plane", convex_at_worst::<2>(31, |random| (random.block::<2>(8.0).0, random.vector()))),
        ("space", convex_at_worst::<3>(32, |random| (random.block::<3>(8.0).0, random.vector()))),
        ("drawn out plane", convex_at_worst::<2>(33, drawn_out)),
        ("drawn out space", convex_at_worst::<3>(34, drawn_out)),
        ("nearly singular tangent", convex_at_worst::<3>(35, nearly_singular_tangent)),
    ];
    for (name, worst) in cases {
        assert!(worst <= 1e-13, "{name}: {worst:e}");
    }
}

#[test]
fn convex_solver_solves_semidefinite_blocks_that_have_a_solution() {
    let semidefinite = |rank: usize| {
        move |random: &mut Random| {
            let (W, q, _) = singular_block::<3>(random, rank);
            (W, q)
        }
    };
    let (line, sheet) = (convex_at_worst(36, semidefinite(1)), convex_at_worst(37, semidefinite(2)));
    let plane = convex_at_worst::<2>(38, |random| {
        let (W, q, _) = singular_block(random, 1);
        (W, q)
    });
    assert!(plane.max(line).max(sheet) <= 1e-10, "{plane:e} {line:e} {sheet:e}");
}

/// A block of less than full rank, and q in its range, so that a solution exists.
fn singular_block<const D: usize>(random: &mut Random, rank: usize) -> (Matrix<D>, Vector<D>, f64) {
    let mut W = Matrix::zeros();
    for _ in 0..rank {
        let v = random.vector::<D>();
        W += v * v.transpose();
    }
    (W, W * random.vector::<D>(), random.uniform(0.0, 2.0))
}

#[test]
fn enumeration_solves_singular_blocks_that_have_a_solution() {
    let plane = worst_residual::<2>(13, Law::coulomb, |random| singular_block(random, 1));
    let line = worst_residual::<3>(14, Law::coulomb, |random| singular_block(random, 1));
    let sheet = worst_residual::<3>(15, Law::coulomb, |random| singular_block(random, 2));
    assert!(plane.max(line).max(sheet) <= 1e-10, "{plane:e} {line:e} {sheet:e}");
}

#[test]
fn singular_blocks_without_a_solution_give_finite_impulses() {
    for law in [Law::coulomb, Law::convex] {
        for rank in 0..3 {
            worst_residual::<3>(16, law, |random| {
                let (mut W, _, mu) = singular_block::<3>(random, rank);
                W[(0, 0)] += f64::from(rank == 0);
                (W, random.vector(), mu)
            });
        }
        worst_residual::<2>(17, law, |random| {
            let (W, _, mu) = singular_block::<2>(random, 1);
            (W, random.vector(), mu)
        });
    }
}

#[test]
fn enumeration_solves_asymmetric_blocks() {
    let worst = worst_residual::<3>(18, Law::coulomb, |random| {
        let (W, _) = random.block::<3>(1.0);
        let v = random.vector::<3>() * (0.05 * W.trace());
        let skew = Matrix::<3>::new(0.0, -v[2], v[1], v[2], 0.0, -v[0], -v[1], v[0], 0.0);
        (W + skew, random.vector(), random.uniform(0.0, 1.0))
    });
    assert!(worst <= 1e-12, "{worst:e}");
}

#[test]
fn convex_solver_finds_the_least_energy() {
    let mut random = Random(19);
    for _ in 0..2_000 {
        let (W, _) = random.block::<3>(4.0);
        let (q, mu) = (random.vector::<3>(), random.uniform(0.05, 2.0));
        let energy = |r: &Vector<3>| 0.5 * r.dot(&(W * r)) + q.dot(r);
        let found = energy(&solve_convex(&W, &q, mu));
        // the best multiple of the ray at an angle
        let on_ray = |angle: f64| {
            let g = Vector::<3>::new(1.0, mu * angle.cos(), mu * angle.sin());
            energy(&(g * (-g.dot(&q) / g.dot(&(W * g))).max(0.0)))
        };
        const RAYS: usize = 720;
        let width = std::f64::consts::TAU / RAYS as f64;
        let angles = (0..RAYS).map(|k| k as f64 * width);
        let coarse = angles.min_by(|a, b| on_ray(*a).total_cmp(&on_ray(*b))).unwrap();
        let (mut low, mut high) = (coarse - width, coarse + width);
        for _ in 0..60 {
            let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if on_ray(a) < on_ray(b) { high = b } else { low = a }
        }
        let sampled = on_ray(0.5 * (low + high)).min(0.0);
        assert!(found <= sampled + 1e-12 * sampled.abs(), "{found} above {sampled} for {W} {q} {mu}");
    }
}

/// Open, stick and slip by hand for W = diag(2, 4, 4) and μ = 1/2.
fn closed_forms<const D: usize>(cases: &[(&str, Vector<D>, Vector<D>)]) {
    let mut W = Matrix::<D>::identity() * 4.0;
    W[(0, 0)] = 2.0;
    for (name, ..) in ONE_CONTACT {
        for (state, q, expected) in cases {
            let (r, converged) = solve(*name, &W, q, 0.5);
            assert!(converged, "{name:?} {state}");
            assert!((r - expected).norm() < 1e-11, "{name:?} {state}: {r} instead of {expected}");
        }
    }
}

#[test]
fn closed_forms_in_the_plane() {
    closed_forms(&[
        ("open", Vector::<2>::new(1.0, 3.0), Vector::<2>::zeros()),
        ("grazing", Vector::<2>::new(0.0, 3.0), Vector::<2>::zeros()),
        ("stick", Vector::<2>::new(-4.0, 2.0), Vector::<2>::new(2.0, -0.5)),
        ("slip", Vector::<2>::new(-4.0, -7.0), Vector::<2>::new(2.0, 1.0)),
        ("impact", Vector::<2>::new(-4.0, 0.0), Vector::<2>::new(2.0, 0.0)),
    ]);
}

#[test]
fn closed_forms_in_space() {
    closed_forms(&[
        ("open", Vector::<3>::new(1.0, 3.0, 2.0), Vector::<3>::zeros()),
        ("grazing", Vector::<3>::new(0.0, 3.0, 2.0), Vector::<3>::zeros()),
        ("stick", Vector::<3>::new(-4.0, 2.0, -1.0), Vector::<3>::new(2.0, -0.5, 0.25)),
        ("slip", Vector::<3>::new(-4.0, 6.0, -8.0), Vector::<3>::new(2.0, -0.6, 0.8)),
        ("impact", Vector::<3>::new(-4.0, 0.0, 0.0), Vector::<3>::new(2.0, 0.0, 0.0)),
    ]);
}

#[test]
fn closed_forms_on_the_line() {
    closed_forms(&[
        ("open", Vector::<1>::new(1.0), Vector::<1>::zeros()),
        ("impact", Vector::<1>::new(-4.0), Vector::<1>::new(2.0)),
    ]);
}

/// Blocks that every general solver solves, with coupling, and with one solution.
fn gentle_contacts() -> Vec<(Matrix<3>, Vector<3>, f64)> {
    let W = Matrix::<3>::new(2.0, 0.3, -0.2, 0.3, 3.0, 0.4, -0.2, 0.4, 2.5);
    let skew = Matrix::<3>::new(0.0, 0.1, 0.0, -0.1, 0.0, 0.1, 0.0, -0.1, 0.0);
    let velocities = [[1.0, 2.0, 3.0], [-2.0, 0.3, -0.2], [-1.0, 3.0, 2.0], [-1.0, -0.4, 0.9]];
    let contacts = |W: Matrix<3>| velocities.map(|q| (W, Vector::from(q), 0.4));
    [contacts(W), contacts(W + skew)].concat()
}

/// The solvers that take a general block.
fn general() -> impl Iterator<Item = Name> {
    ONE_CONTACT.iter().map(|entry| entry.0).filter(|name| *name != Name::Scalar)
}

#[test]
fn turning_the_tangents_turns_the_impulse() {
    for (W, q, mu) in gentle_contacts() {
        assert!(contraction(&W, mu) < 1.0);
        for name in general() {
            let (r, converged) = solve(name, &W, &q, mu);
            assert!(converged, "{name:?} {W} {q}");
            for angle in [0.3f64, 1.7, 4.0] {
                let (sine, cosine) = angle.sin_cos();
                let R = Matrix::<3>::new(1.0, 0.0, 0.0, 0.0, cosine, -sine, 0.0, sine, cosine);
                let (turned, converged) = solve(name, &(R * W * R.transpose()), &(R * q), mu);
                assert!(converged && (turned - R * r).norm() < 1e-11, "{name:?} {W} {q} {angle}");
            }
        }
    }
}

#[test]
fn units_scale_the_impulse() {
    for (W, q, mu) in gentle_contacts() {
        for name in general() {
            let (r, _) = solve(name, &W, &q, mu);
            for (mass, velocity) in [(1e-6, 1.0), (1e9, 1e-4), (1.0, 1e8)] {
                let (scaled, converged) = solve(name, &(W * mass), &(q * velocity), mu);
                let expected = r * (velocity / mass);
                assert!(
                    converged && (scaled - expected).norm() <= 1e-11 * expected.norm(),
                    "{name:?} {W} {q}"
                );
            }
        }
    }
}

#[test]
fn a_solution_is_kept() {
    for (W, q, mu) in gentle_contacts() {
        let exact = solve_coulomb(&W, &q, mu);
        for name in general() {
            let solved = settings(name).solve(&OneContact { W: &W, q, mu }, &exact);
            assert!(solved.converged && (solved.r - exact).norm() < 1e-12, "{name:?}");
        }
    }
}

#[test]
fn a_start_that_is_no_number_is_no_obstacle() {
    let (W, q, mu) = gentle_contacts()[2];
    for name in general() {
        let start = Vector::<3>::new(f64::NAN, f64::INFINITY, 0.0);
        assert!(settings(name).solve(&OneContact { W: &W, q, mu }, &start).converged, "{name:?}");
    }
}

#[test]
fn few_iterations_give_a_finite_impulse() {
    let (W, q, mu) = gentle_contacts()[2];
    for name in general() {
        let settings = Settings { max_iterations: 1, rho: Some(1e3), ..settings(name) };
        let solved = settings.solve(&OneContact { W: &W, q, mu }, &Vector::zeros());
        assert!(solved.r.iter().all(|x| x.is_finite()), "{name:?}");
    }
}

#[test]
fn given_parameters_reach_the_same_impulse() {
    for (W, q, mu) in gentle_contacts() {
        let exact = solve_coulomb(&W, &q, mu);
        for solver in general() {
            let settings = Settings {
                solver,
                gamma_n: Some(0.3),
                gamma_t: Some(0.8),
                rho: Some(0.2),
                facets: 5,
                max_iterations: 1000,
                ..Default::default()
            };
            settings.validate().unwrap();
            let solved = settings.solve(&OneContact { W: &W, q, mu }, &Vector::zeros());
            assert!(solved.converged && (solved.r - exact).norm() < 1e-11, "{solver:?} {W} {q}");
        }
    }
}
