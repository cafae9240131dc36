//! One solve of a step: by which solver, to which end, and what each block has to do with the residual that is left.

use stickslip_solvers::block::Vector;
use stickslip_solvers::laws::{Kind, Law};
use stickslip_solvers::outcome::{Outcome, Status};
use stickslip_solvers::panel::AnyMethod;
use stickslip_solvers::problem::ContactProblem;
use stickslip_solvers::residual::{Residual, worst_contacts};
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

/// Where contacts still close at this part of the fastest closing without impulses, and not only by rounding, these have
/// stopped nothing. A residual may be small for all that, as it is relative to impulses that grow without end.
const SQUEEZED: f64 = 0.25;
const NOTABLE: f64 = 1e-4;
/// Of tolerances that are rougher than this no such thing is asked.
const ROUGH: f64 = 1e-6;

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
        let mut outcome = self.solver.build::<B>().solve(problem, r, self.stop);
        if outcome.status == Status::Converged && self.is_squeezed(problem, &outcome.residual) {
            outcome.status = Status::Broken;
            let speed = outcome.residual.approach;
            outcome.notes.push(format!(
                "contacts close at {speed:.1e} however large the impulses: driven, fixed or joined bodies squeeze others"
            ));
        }
        let shares = if self.shares { shares(problem, r, outcome.residual.worst_share) } else { Vec::new() };
        Answer { outcome, shares }
    }

    /// Whether no impulses could solve the problem.
    fn is_squeezed<const B: usize>(&self, problem: &ContactProblem<B>, residual: &Residual) -> bool {
        let ContactProblem { q, laws, .. } = problem;
        let is_hard = |law: &Law| matches!(law.kind(), Kind::Frictionless | Kind::Coulomb | Kind::Convex);
        let gives = |law: &Law| !is_hard(law) && !matches!(law.kind(), Kind::Bilateral | Kind::Motor);
        if self.stop.tolerance > ROUGH || residual.approach == 0.0 || laws.iter().any(gives) {
            return false;
        }
        let fastest = q.iter().map(Vector::amax).fold(0.0, f64::max);
        let hard = laws.iter().zip(q).filter(|(law, _)| is_hard(law));
        let closing = hard.map(|(_, q)| -q[0]).fold(0.0, f64::max);
        residual.approach > SQUEEZED * closing && residual.approach > NOTABLE * fastest
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
