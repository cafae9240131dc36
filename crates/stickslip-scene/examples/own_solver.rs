//! A solver of your own on the contact problem of a real step: a pile of balls.
//!
//! `cargo run --release -p stickslip-scene --example own_solver`

#![allow(clippy::print_stdout, non_snake_case)]

use stickslip::{Body, World};
use stickslip_geometry::shape::{Ball, HalfSpace, Shape};
use stickslip_geometry::space::{Pose, Vector};
use stickslip_solvers::laws::ContactLaw;
use stickslip_solvers::outcome::Outcome;
use stickslip_solvers::panel::Solver;
use stickslip_solvers::problem::ContactProblem;
use stickslip_solvers::stop::Stop;

// ANCHOR: solver
/// r_i ← P(r_i − ω (u_i + g(u_i) n) / s_i) for all contacts at once, with s_i = trace(W_ii)/D.
struct Jacobi {
    /// ω; it converges if small enough.
    relaxation: f64,
}

impl<const D: usize> Solver<D> for Jacobi {
    fn solve(&mut self, problem: &ContactProblem<D>, r: &mut [Vector<D>], stop: &Stop) -> Outcome {
        let ContactProblem { W, q, laws } = problem;
        let (mut product, mut u) = (W.product(), q.clone());
        let mut watch = stop.watch(problem);
        while watch.goes_on(r) {
            product.velocities(r, q, &mut u);
            for (i, law) in laws.iter().enumerate() {
                let step = self.relaxation / W.scale(i);
                let mut y = r[i] - u[i] * step;
                y[0] -= law.shift(&u[i]) * step;
                r[i] = law.project(y);
            }
        }
        watch.finish(r)
    }
}
// ANCHOR_END: solver

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::<3>::default();
    world.gravity = Vector::<3>::new(0.0, 0.0, -9.81);
    world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity()))?;
    for k in 0..6 {
        let x = Vector::<3>::new(0.02 * f64::from(k % 2), 0.0, 0.1 + 0.2 * f64::from(k));
        world.add(Body::new(Shape::Ball(Ball { radius: 0.1 }), Pose::at(x)))?;
    }
    for _ in 0..20 {
        world.step(1e-3)?;
    }
    let Some((problem, _)) = world.problem(1e-3)? else { return Err("nothing touches".into()) };
    let mut r = vec![Vector::<3>::zeros(); problem.contacts()];
    let stop = Stop { tolerance: 1e-6, max_iterations: 100_000, ..Stop::default() };
    let outcome = Jacobi { relaxation: 0.3 }.solve(&problem, &mut r, &stop);
    println!(
        "{} contacts, {} after {} iterations, residual {:.1e}",
        problem.contacts(),
        outcome.status.name(),
        outcome.iterations,
        outcome.residual.natural
    );
    if outcome.residual.natural > stop.tolerance {
        return Err("it did not converge".into());
    }
    Ok(())
}
