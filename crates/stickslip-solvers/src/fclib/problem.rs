//! From raw arrays to a contact problem and back.

use super::{Fclib, Form, Point};
use crate::block::Vector;
use crate::delassus::{Delassus, DelassusError};
use crate::laws::Law;
use crate::problem::{ContactProblem, ProblemError};

/// Arrays that do not make a contact problem.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum ConversionError {
    /// W cannot be built.
    #[error(transparent)]
    Delassus(#[from] DelassusError),
    /// The parts do not fit.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

impl Fclib {
    /// The contact problem with the law that `law` makes of each friction coefficient. A local file gives a stored
    /// W, as it is; a global one a factored W that is never assembled.
    pub fn problem<const D: usize>(
        &self,
        law: impl Fn(f64) -> Law,
    ) -> Result<ContactProblem<D>, ConversionError> {
        let laws = self.mu.iter().map(|&mu| law(mu)).collect();
        let (W, q) = match &self.form {
            Form::Local { W, q } => (Delassus::stored(W)?, blocks(q)),
            Form::Global { M, H, f, w } => {
                let W = Delassus::factored(M, H)?;
                // q = Hᵀ M⁻¹ f + w
                let v_free = W.inverse_mass(f).expect("a factored W knows its bodies");
                let mut q = H.transposed().apply(&v_free);
                for (q, w) in q.iter_mut().zip(w) {
                    *q += w;
                }
                (W, blocks(&q))
            }
        };
        Ok(ContactProblem::new(W, q, laws)?)
    }

    /// The first guess of the file, or else its solution, as a starting point; zero where it has neither.
    pub fn start<const D: usize>(&self) -> Vec<Vector<D>> {
        let candidates = self.guesses.iter().chain(&self.solution);
        match candidates.map(|point| &point.r).find(|r| !r.is_empty()) {
            Some(r) => blocks(r),
            None => vec![Vector::zeros(); self.contacts()],
        }
    }

    /// Impulses r with the velocities they cause, in the layout of the file.
    pub fn point<const D: usize>(&self, problem: &ContactProblem<D>, r: &[Vector<D>]) -> Point {
        let flat = |blocks: &[Vector<D>]| blocks.iter().flat_map(|x| x.iter().copied()).collect::<Vec<f64>>();
        let (u, r) = (flat(&problem.velocities(r)), flat(r));
        let v = match &self.form {
            Form::Local { .. } => Vec::new(),
            Form::Global { H, f, .. } => {
                // M v = f + H r
                let load: Vec<f64> = H.apply(&r).iter().zip(f).map(|(Hr, f)| Hr + f).collect();
                problem.W.inverse_mass(&load).unwrap_or_default()
            }
        };
        Point { u, r, v, l: Vec::new() }
    }
}

fn blocks<const D: usize>(x: &[f64]) -> Vec<Vector<D>> {
    x.chunks_exact(D).map(Vector::from_column_slice).collect()
}
