//! Siconos as witness for exact Coulomb friction in space, on problems of at most 200 contacts.
//!
//! Both answers are judged by the residual of this crate. Coulomb problems may have several solutions, so velocities
//! are compared only where both found the same one, that is, where every contact has the same state in both: open,
//! sticking or sliding, a contact within 1e-4 of two states counting for either. Then the velocities must agree.

use crate::support::{assembled, blocks, distance, files, flat, generate, norm, python, solve, sparse};
use std::process::Command;
use stickslip_solvers::block::{Vector, tangent_norm};
use stickslip_solvers::fclib::{Fclib, Form};
use stickslip_solvers::laws::Law;
use stickslip_solvers::problem::ContactProblem;
use stickslip_solvers::residual::residual;

type V = Vector<3>;

/// Open, sticking, sliding: which of them a contact may be called. Velocities are relative to `speed`.
fn states(r: &V, u: &V, mu: f64, scale: f64, speed: f64) -> [bool; 3] {
    const NEAR: f64 = 1e-4;
    let near = NEAR * speed;
    let light = scale * r.norm() < near;
    let still = u.norm() < near;
    let on_cone = scale * (mu * r[0] - tangent_norm(r)) < near;
    [light, still, on_cone && u[0] < near]
}

fn same_solution(problem: &ContactProblem<3>, r: [&[V]; 2], u: [&[V]; 2]) -> bool {
    let speed = norm(&problem.q) / (problem.contacts() as f64).sqrt();
    (0..problem.contacts()).all(|i| {
        let of = |k: usize| states(&r[k][i], &u[k][i], problem.laws[i].mu(), problem.W.scale(i), speed);
        of(0).iter().zip(of(1)).any(|(&a, b)| a && b)
    })
}

fn problems() -> Vec<(String, ContactProblem<3>)> {
    let mut list = Vec::new();
    for seed in 1..=6 {
        let law = Law::coulomb(0.15 * seed as f64);
        list.push((format!("pile {seed}"), generate::pile(seed, 20, 45, 10.0, law).factored()));
        list.push((format!("elastic {seed}"), generate::elastic(seed, 40, law).factored()));
    }
    list.push(("stack".into(), generate::stack(7, 5, 1.0, Law::coulomb(0.4)).factored()));
    list.push(("large pile".into(), generate::pile(8, 100, 200, 1.0, Law::coulomb(0.3)).factored()));
    let twice = generate::doubled(&generate::pile(9, 20, 30, 1.0, Law::coulomb(0.5)));
    list.push(("doubled".into(), twice.factored()));
    for (name, file) in files("../../../shared/problems", 200) {
        if file.dimension == 3 {
            list.push((name, file.problem::<3>(Law::coulomb).unwrap()));
        }
    }
    list
}

#[test]
fn siconos_agrees() {
    let Some(python) = python("siconos.numerics, h5py, scipy") else { return };
    let folder = std::env::temp_dir().join(format!("stickslip-siconos-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let problems = problems();
    let mut paths = Vec::new();
    for (k, (_, problem)) in problems.iter().enumerate() {
        let file = Fclib {
            dimension: 3,
            form: Form::Local { W: sparse(&assembled(problem)), q: flat(&problem.q) },
            mu: problem.laws.iter().map(Law::mu).collect(),
            info: Default::default(),
            guesses: vec![],
            solution: None,
        };
        paths.push(folder.join(format!("{k}.hdf5")));
        file.write(&paths[k]).unwrap();
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/solvers/witness/siconos_nsgs.py");
    let output = Command::new(python).arg(script).arg("1e-10").args(&paths).output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    let answers: Vec<&str> = text.lines().collect();
    assert_eq!(answers.len(), problems.len(), "{}", String::from_utf8_lossy(&output.stderr));

    let (mut same, mut different, mut unsolved, mut worst) = (0, 0, 0, 0.0f64);
    for ((name, problem), answer) in problems.iter().zip(answers) {
        let (r, outcome) = solve("nlgs", problem, 1e-10, 5_000);
        let theirs: Vec<f64> = answer.split(' ').map(|x| x.parse().unwrap_or(f64::NAN)).collect();
        let r_theirs: Vec<V> = blocks(&theirs);
        let judged = residual(problem, &r_theirs);
        let (u, u_theirs) = (problem.velocities(&r), problem.velocities(&r_theirs));
        let size = norm(&u).max(norm(&problem.q));
        let off = distance(&u, &u_theirs) / size;
        eprintln!(
            "{name}: ours {:.1e} {:.1e}, theirs {:.1e} {:.1e}, velocities {off:.1e} apart",
            outcome.residual.natural, outcome.residual.scaled, judged.natural, judged.scaled
        );
        // ours never does worse than theirs by much: both sweep, with the same number of sweeps
        assert!(
            outcome.residual.scaled < 1e-7 || outcome.residual.natural < 10.0 * judged.natural,
            "{name}: ours {:?}, theirs {judged:?}",
            outcome.residual
        );
        if !(judged.scaled < 1e-7 && outcome.residual.scaled < 1e-7) {
            unsolved += 1;
        } else if same_solution(problem, [&r, &r_theirs], [&u, &u_theirs]) {
            same += 1;
            worst = worst.max(off);
            assert!(off < 1e-5, "{name}: the same states, but velocities are {off:e} apart");
        } else {
            // both satisfy the law, as their residuals say
            different += 1;
        }
    }
    eprintln!(
        "{same} the same (velocities within {worst:.1e}), {different} different, {unsolved} not solved by both"
    );
    assert!(same >= problems.len() / 2, "too few in common to say anything: {same} of {}", problems.len());
}
