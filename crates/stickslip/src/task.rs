//! One solve of a step: by which solver, to which end, and what each block has to do with the residual that is left.

use stickslip_solvers::block::Vector;
use stickslip_solvers::outcome::Outcome;
use stickslip_solvers::panel::AnyMethod;
use stickslip_solvers::problem::ContactProblem;
use stickslip_solvers::residual::worst_contacts;
use stickslip_solvers::stop::Stop;

/// What a solver is asked for.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    pub solver: &'a AnyMethod,
    pub stop: &'a Stop,
    /// Whether shares are asked for.
    pub shares: bool,
}

/// What it answers.
pub struct Answer {
    pub outcome: Outcome,
    /// The share of each block in the scaled residual; empty unless asked for.
    pub shares: Vec<f64>,
}

impl Task<'_> {
    /// Solves, on the normals alone where nothing has friction.
    pub fn solve<const D: usize>(&self, problem: &ContactProblem<D>, r: &mut [Vector<D>]) -> Answer {
        let Some(normals) = problem.normals() else { return self.solve_blocks(problem, r) };
        let mut r_n: Vec<Vector<1>> = r.iter().map(|r| Vector::<1>::new(r[0])).collect();
        let answer = self.solve_blocks(&normals, &mut r_n);
        for (r, r_n) in r.iter_mut().zip(&r_n) {
            *r = Vector::zeros();
            r[0] = r_n[0];
        }
        answer
    }

    /// Solves the blocks as they are.
    pub fn solve_blocks<const B: usize>(&self, problem: &ContactProblem<B>, r: &mut [Vector<B>]) -> Answer {
        let outcome = self.solver.build::<B>().solve(problem, r, self.stop);
        let shares = if self.shares { shares(problem, r, outcome.residual.worst_share) } else { Vec::new() };
        Answer { outcome, shares }
    }
}

/// The shares of all blocks, of which the worst one is known.
fn shares<const B: usize>(problem: &ContactProblem<B>, r: &[Vector<B>], worst: f64) -> Vec<f64> {
    let parts = worst_contacts(problem, r, r.len());
    let largest = parts.first().map_or(0.0, |&(_, part)| part);
    let mut shares = vec![0.0; r.len()];
    // nothing is left of nothing
    parts.iter().filter(|(_, part)| *part != 0.0).for_each(|&(i, part)| shares[i] = part / largest * worst);
    shares
}
