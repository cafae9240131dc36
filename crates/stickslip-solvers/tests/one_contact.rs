//! Every one-contact solver against the enumeration, closed forms and invariants.
#![allow(non_snake_case)]

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
    let mut times = vec![std::time::Duration::ZERO; failures.len()];
    let (mut compared, mut unique) = (0, 0);
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
        unique += is_unique as usize;
        for ((name, failed), time) in failures.iter_mut().zip(&mut times) {
            let start = std::time::Instant::now();
            let (r, converged) = solve(*name, &W, &q, mu);
            *time += start.elapsed();
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
    println!("D = {D}: {BLOCKS} blocks, {unique} with one solution, {compared} impulses compared");
    for ((name, failed), time) in failures.iter().zip(&times) {
        println!("  {:14} {failed:7} failed {:8.0} ns", name.name(), time.as_nanos() as f64 / BLOCKS as f64);
    }
    failures
}
#[test]
fn all_agree_in_the_line() {
    compare::<1>(1);
}
#[test]
fn all_agree_in_the_plane() {
    compare::<2>(2);
}
#[test]
fn all_agree_in_space() {
    compare::<3>(3);
}
