//! An interior-point solver as witness for the convex laws.
//!
//! ```text
//! ½ vᵀMv − fᵀv → min   with u = Hᵀv + w ∈ K* at every contact        (primal, in velocities)
//! ½ rᵀWr + qᵀr → min   with r ∈ K                                    (dual, in impulses: ours)
//! ```
//!
//! The primal is strictly convex, so v and u are unique even where W is singular and r is not; the optimal values
//! add up to −½ fᵀM⁻¹f. A stored problem that has W only is given M = I, f = 0, w = q and H = Λ^½ Vᵀ from
//! W = V Λ Vᵀ; files whose W is not symmetric have no such minimum and are left out.

use crate::support::{
    System, assembled, blocks, dense, distance, dot, files, flat, generate, law_of, norm, solve, sparse,
};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettingsBuilder, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};
use nalgebra::DMatrix;
use stickslip_solvers::block::Vector;
use stickslip_solvers::fclib::{Fclib, Form};
use stickslip_solvers::laws::{Kind, Law};
use stickslip_solvers::panel::PANEL;
use stickslip_solvers::problem::ContactProblem;
use stickslip_solvers::residual::{Criterion, residual};
use stickslip_solvers::sparse::Sparse;

fn columns(A: &Sparse) -> CscMatrix<f64> {
    let t = A.transposed();
    CscMatrix::new(A.rows, A.cols, t.row_start, t.column.iter().map(|&i| i as usize).collect(), t.value)
}

/// Velocities, impulses and the optimal value of ½ rᵀWr + qᵀr.
type Witness<const D: usize> = (Vec<Vector<D>>, Vec<Vector<D>>, f64);

/// The witness in the units in which |q| and the mean of diag W are 1, at the tolerance where it does best: asked
/// for too much, an interior-point method may end early.
fn witness<const D: usize>(system: &System<D>, problem: &ContactProblem<D>) -> Option<Witness<D>> {
    let contacts = problem.contacts();
    let speed = norm(&problem.q);
    let inverse_mass = (0..contacts).map(|i| problem.W.scale(i)).sum::<f64>() / contacts as f64;
    let mut scaled = system.clone();
    scaled.M.value.iter_mut().for_each(|x| *x *= inverse_mass);
    scaled.f.iter_mut().for_each(|x| *x *= inverse_mass / speed);
    scaled.w.iter_mut().for_each(|x| *x /= speed);
    let candidates = [1e-12, 1e-10, 1e-8].map(|tolerance| {
        let (u, r, value) = interior_point(&scaled, tolerance);
        let u: Vec<_> = u.iter().map(|u| u * speed).collect();
        let r: Vec<_> = r.iter().map(|r| r * (speed / inverse_mass)).collect();
        (residual(problem, &r).scaled, (u, r, value * speed * speed / inverse_mass))
    });
    // the witness must obey our law as well
    let best = candidates.into_iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 < 1e-6).then_some(best.1)
}

fn interior_point<const D: usize>(system: &System<D>, tolerance: f64) -> Witness<D> {
    let n = system.M.rows;
    // s = b − A v in the cones; the row of direction k of contact i is weighted so that the cone is the standard one
    let Ht = system.H.transposed();
    let (mut rows, mut b, mut cones, mut origin) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (i, law) in system.laws.iter().enumerate() {
        let (used, mu) = match law {
            Law::Bilateral(law) => (D.min(law.rows.into()), 1.0),
            law if D == 1 || law.mu() == 0.0 => (1, 1.0),
            law => (D, law.mu()),
        };
        cones.push(match law {
            Law::Bilateral(_) => SupportedConeT::ZeroConeT(used),
            _ if used == 1 => SupportedConeT::NonnegativeConeT(1),
            _ => SupportedConeT::SecondOrderConeT(D),
        });
        for k in 0..used {
            let weight = if k == 0 { 1.0 } else { mu };
            for (dof, h) in Ht.row(i * D + k) {
                rows.push((b.len() as u32, dof as u32, -weight * h));
            }
            b.push(weight * system.w[i * D + k]);
            origin.push((i, k, weight));
        }
    }
    let A = columns(&Sparse::from_triplets(b.len(), n, &rows));
    let P = columns(&system.M).to_triu();
    let linear: Vec<f64> = system.f.iter().map(|f| -f).collect();
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .tol_gap_abs(tolerance)
        .tol_gap_rel(tolerance)
        .tol_feas(tolerance)
        .max_iter(200)
        .build()
        .unwrap();
    let mut solver = DefaultSolver::new(&P, &linear, &A, &b, &cones, settings).unwrap();
    solver.solve();
    let solution = &solver.solution;
    let infeasible = [SolverStatus::PrimalInfeasible, SolverStatus::DualInfeasible];
    assert!(!infeasible.contains(&solution.status), "{:?}", solution.status);
    let u: Vec<f64> = Ht.apply(&solution.x).iter().zip(&system.w).map(|(a, b)| a + b).collect();
    let mut r = vec![Vector::zeros(); system.laws.len()];
    for (&(i, k, weight), z) in origin.iter().zip(&solution.z) {
        r[i][k] = weight * z;
    }
    let M = dense(&system.M).cholesky().unwrap();
    let f = DMatrix::from_column_slice(n, 1, &system.f);
    let value = -solution.obj_val - 0.5 * f.dot(&M.solve(&f));
    (blocks(&u), r, value)
}

/// Largest deviations seen, and how many comparisons were made.
#[derive(Default, Debug)]
struct Deviation {
    velocity: f64,
    value: f64,
    compared: usize,
    witness_failed: usize,
    converged: usize,
}

/// Every method that covers the laws against the witness. A method that does not reach 1e-10 is compared as far as it
/// came: velocities to 1e-5, or in proportion where its residual is above 1e-10.
fn compare<const D: usize>(
    name: &str,
    system: &System<D>,
    problem: &ContactProblem<D>,
    worst: &mut Deviation,
) {
    let Some((u_witness, _, value_witness)) = witness(system, problem) else {
        eprintln!("{name}: the interior-point solver did not get there");
        worst.witness_failed += 1;
        return;
    };
    let size = norm(&u_witness).max(norm(&problem.q));
    let kinds = problem.kinds();
    for entry in PANEL.iter().filter(|entry| kinds.iter().all(|kind| entry.covers.contains(kind))) {
        let iterations = if entry.name == "fixed-point" { 100 } else { 10_000 };
        let (r, outcome) = solve(entry.name, problem, 1e-10, iterations);
        let residual = outcome.residual.measure(Criterion::Both);
        let u = problem.velocities(&r);
        let velocity = distance(&u, &u_witness) / size;
        let value = 0.5 * dot(&r, &u) + 0.5 * dot(&r, &problem.q);
        let value = (value - value_witness).abs() / value_witness.abs().max(dot(&r, &r).sqrt() * size);
        let allowed = 1e-5f64.max(1e5 * residual);
        assert!(
            velocity < allowed,
            "{name}, {}: residual {residual:e}, velocities off by {velocity:e}",
            entry.name
        );
        assert!(value < allowed, "{name}, {}: residual {residual:e}, value off by {value:e}", entry.name);
        worst.compared += 1;
        if residual <= 1e-10 {
            assert!(velocity < 1e-5 && value < 1e-6, "{name}, {}: {velocity:e}, {value:e}", entry.name);
            worst.converged += 1;
            worst.velocity = worst.velocity.max(velocity);
            worst.value = worst.value.max(value);
        }
    }
}

#[test]
fn generated_problems() {
    fn run<const D: usize>(worst: &mut Deviation) {
        let law = Law::convex(0.5);
        let systems = [
            ("pile", generate::pile::<D>(1, 20, 50, 10.0, law)),
            ("large pile", generate::pile(2, 90, 200, 1.0, Law::convex(0.3))),
            ("slippery", generate::pile(3, 20, 50, 1.0, Law::convex(0.05))),
            ("steep cone", generate::pile(4, 20, 40, 1.0, Law::convex(2.0))),
            ("stack", generate::stack(5, 6, 1.0, law)),
            ("doubled", generate::doubled(&generate::pile(6, 15, 30, 1.0, law))),
            ("elastic", generate::elastic(7, 50, law)),
        ];
        for (name, system) in systems {
            let joints = |i: usize| match i % 6 {
                0 => Law::bilateral(),
                1 | 2 => Law::frictionless(),
                _ => Law::convex(0.4),
            };
            for (laws, system) in [
                ("convex", system.clone()),
                ("frictionless", system.clone().with_laws(|_| Law::frictionless())),
                ("mixed", system.with_laws(joints)),
            ] {
                compare(&format!("D = {D}, {name}, {laws}"), &system, &system.factored(), worst);
            }
        }
    }
    let mut worst = Deviation::default();
    run::<1>(&mut worst);
    run::<2>(&mut worst);
    run::<3>(&mut worst);
    eprintln!("{worst:?}");
    // a witness that our residual rejects would be a witness against it
    assert_eq!(worst.witness_failed, 0, "{worst:?}");
    assert!(
        worst.converged * 10 > worst.compared * 6,
        "too few methods converged to say anything: {worst:?}"
    );
}

/// Bodies, contacts and right-hand sides of a stored problem.
fn system_of<const D: usize>(file: &Fclib, kind: Kind) -> Option<(System<D>, ContactProblem<D>)> {
    let problem = file.problem::<D>(|mu| law_of(kind, mu)).unwrap();
    let laws = problem.laws.clone();
    let system = match &file.form {
        Form::Global { M, H, f, w } => {
            System { M: M.clone(), H: H.clone(), f: f.clone(), w: w.clone(), laws }
        }
        Form::Local { W, q } => {
            if W.asymmetry() > 1e-12 {
                return None;
            }
            let eigen = assembled(&problem).symmetric_eigen();
            let largest = eigen.eigenvalues.max();
            let kept: Vec<usize> = (0..q.len()).filter(|&k| eigen.eigenvalues[k] > 1e-13 * largest).collect();
            let H = DMatrix::from_fn(kept.len(), q.len(), |i, j| {
                eigen.eigenvalues[kept[i]].sqrt() * eigen.eigenvectors[(j, kept[i])]
            });
            let M = sparse(&DMatrix::identity(kept.len(), kept.len()));
            System { M, H: sparse(&H), f: vec![0.0; kept.len()], w: flat(&problem.q), laws }
        }
    };
    Some((system, problem))
}

#[test]
fn stored_problems() {
    fn run<const D: usize>(name: &str, file: &Fclib, worst: &mut Deviation) {
        for kind in [Kind::Convex, Kind::Frictionless] {
            match system_of::<D>(file, kind) {
                Some((system, problem)) => {
                    compare(&format!("{name}, {}", kind.name()), &system, &problem, worst);
                }
                None => eprintln!("{name}: W is not symmetric, left out"),
            }
        }
    }
    let mut worst = Deviation::default();
    for (name, file) in files("../../../shared/problems", 200) {
        match file.dimension {
            2 => run::<2>(&name, &file, &mut worst),
            _ => run::<3>(&name, &file, &mut worst),
        }
    }
    eprintln!("{worst:?}");
    assert!(worst.witness_failed <= 2 && worst.converged * 10 >= worst.compared * 8, "{worst:?}");
}
