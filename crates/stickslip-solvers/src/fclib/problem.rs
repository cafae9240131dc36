//! From raw arrays to a contact problem and back.

use super::{Fclib, Form, Info, Point};
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
        if let Some(block) = problem.laws.iter().position(|law| !law.kind().is_contact()) {
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
        let W = Self::with_idle_contacts(W, &q);
        Ok(ContactProblem::new(W, q, laws)?)
    }

    /// Contacts of bodies that cannot move, which no impulse moves and which open or slide by themselves, get a compliance of their
    /// own: they need no impulse and get none, so that it moves nothing, and everything else can be solved.
    fn with_idle_contacts<const D: usize>(W: Delassus<D>, q: &[Vector<D>]) -> Delassus<D> {
        let contacts = W.contacts().min(q.len());
        let idle: Vec<usize> =
            (0..contacts).filter(|&i| W.diagonal(i).iter().all(|&x| x == 0.0) && q[i][0] >= 0.0).collect();
        if idle.is_empty() {
            return W;
        }
        let entries = W.entries();
        let is_moved = |&i: &usize| (0..D).any(|k| entries.row(D * i + k).any(|(_, value)| value != 0.0));
        if idle.iter().all(is_moved) {
            return W;
        }
        let largest = (0..contacts).map(|i| W.scale(i)).fold(0.0, f64::max);
        let own = if largest > 0.0 { largest } else { 1.0 };
        let mut compliance = vec![Vector::<D>::zeros(); W.contacts()];
        idle.iter().filter(|i| !is_moved(i)).for_each(|&i| compliance[i].fill(own));
        W.with_compliance(compliance)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Status;
    use crate::panel::{Auto, Method};
    use crate::sparse::Sparse;
    use crate::stop::Stop;

    /// A contact that bears a load, and one that nothing moves.
    fn file(q_N: f64) -> Fclib {
        let W = Sparse::from_triplets(4, 4, &[(0, 0, 1.0), (1, 1, 1.0)]);
        Fclib {
            dimension: 2,
            form: Form::Local { W, q: vec![-1.0, 0.1, q_N, 0.3] },
            mu: vec![0.5; 2],
            info: Info::default(),
            guesses: Vec::new(),
            solution: None,
        }
    }

    #[test]
    fn contacts_that_nothing_moves_are_left_alone_where_they_open_or_slide() {
        for q_N in [0.0, 0.2] {
            let problem = file(q_N).problem::<2>(Law::coulomb).unwrap();
            let mut r = vec![Vector::zeros(); 2];
            let outcome = Auto::default().build::<2>().solve(&problem, &mut r, &Stop::default());
            assert_eq!((outcome.status, r[1].amax()), (Status::Converged, 0.0), "{outcome:?}");
            assert_eq!(problem.velocities(&r)[1], Vector::<2>::new(q_N, 0.3));
        }
        let refused = file(-0.1).problem::<2>(Law::coulomb).unwrap_err().to_string();
        assert!(refused.contains("no impulse moves contact 1"), "{refused}");
    }
}
