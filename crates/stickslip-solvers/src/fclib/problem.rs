//! From raw arrays to a contact problem and back.

use super::{Fclib, Form, Info, Point};
use crate::block::Vector;
use crate::delassus::{Delassus, DelassusError};
use crate::laws::{Kind, Law};
use crate::problem::{ContactProblem, ProblemError};

/// Arrays that do not make a contact problem.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum ConversionError {
    /// W cannot be built.
    #[error(transparent)]
    Delassus(#[from] DelassusError),
    /// A joint, which FCLIB does not know.
    #[error("block {block} of the problem is a joint: FCLIB files hold contacts alone")]
    Joint {
        /// which
        block: usize,
    },
    /// The parts do not fit.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

impl Fclib {
    /// A contact problem as a file would hold it: global where W is factored by bodies, local otherwise. `v_free` are the
    /// velocities of the bodies without contact impulses, where they are known. Only contacts have a place in FCLIB.
    pub fn of_problem<const D: usize>(
        problem: &ContactProblem<D>,
        v_free: Option<&[f64]>,
    ) -> Result<Self, ConversionError> {
        if let Some(block) = problem.laws.iter().position(|law| law.kind() == Kind::Bilateral) {
            return Err(ConversionError::Joint { block });
        }
        let q = flat(&problem.q);
        let form = match problem.W.factors() {
            Some((M, H)) => {
                // M v = H r + f and u = Hᵀ v + w: q = Hᵀ M⁻¹ f + w
                let v_free = v_free.map_or(vec![0.0; M.rows], <[f64]>::to_vec);
                let from_bodies = H.transposed().apply(&v_free);
                let w = q.iter().zip(&from_bodies).map(|(q, u)| q - u).collect();
                Form::Global { f: M.apply(&v_free), M, H, w }
            }
            None => Form::Local { W: problem.W.entries(), q },
        };
        Ok(Fclib {
            dimension: D,
            form,
            mu: problem.laws.iter().map(Law::mu).collect(),
            info: Info::default(),
            guesses: Vec::new(),
            solution: None,
        })
    }

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

fn flat<const D: usize>(blocks: &[Vector<D>]) -> Vec<f64> {
    blocks.iter().flat_map(|x| x.iter().copied()).collect()
}

fn blocks<const D: usize>(x: &[f64]) -> Vec<Vector<D>> {
    x.chunks_exact(D).map(Vector::from_column_slice).collect()
}
