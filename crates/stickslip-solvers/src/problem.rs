//! The contact problem: find impulses r and velocities u with `u = W r + q`, each block obeying its law.

use crate::block::{Matrix, Vector};
use crate::delassus::Delassus;
use crate::laws::{ContactLaw, Kind, Law};
use crate::parallel;
use std::ops::Range;
use std::sync::Arc;

/// `u = W r + q` with one law per contact.
#[derive(Clone, Debug)]
pub struct ContactProblem<const D: usize> {
    /// The Delassus operator; shared, so that a variant of the problem costs no copy.
    pub W: Arc<Delassus<D>>,
    /// Relative velocity without contact impulses, plus what the scheme adds.
    pub q: Vec<Vector<D>>,
    /// The law of each contact.
    pub laws: Vec<Law>,
}

/// A contact problem that makes no sense.
#[derive(Clone, Debug, thiserror::Error, PartialEq)]
pub enum ProblemError {
    /// Nothing to solve.
    #[error("the problem has no contact: nothing to solve")]
    Empty,
    /// W, q and laws disagree.
    #[error("W has {contacts} contacts, but {what} has {found}: they must be equal")]
    Length {
        /// which part
        what: &'static str,
        /// contacts of W
        contacts: usize,
        /// length found
        found: usize,
    },
    /// A number that is none.
    #[error("{what} of contact {contact} is {value}: every entry must be finite")]
    NotFinite {
        /// which part
        what: &'static str,
        /// contact index
        contact: usize,
        /// the value
        value: f64,
    },
    /// Numbers whose squares overflow or vanish.
    #[error(
        "the largest entry of {what} is {largest:e}: squares of such numbers leave the range of floating point; choose units in which it lies between 1e-140 and 1e140"
    )]
    Magnitude {
        /// which part
        what: &'static str,
        /// its largest entry
        largest: f64,
    },
    /// A law whose numbers make no sense.
    #[error("{what} of contact {contact} is {value}: {allowed}")]
    Law {
        /// which number
        what: &'static str,
        /// contact index
        contact: usize,
        /// the value
        value: f64,
        /// what would do
        allowed: &'static str,
    },
    /// A contact that no impulse can move.
    #[error(
        "W[{contact},{contact}] has {value} on its normal diagonal, so no impulse moves contact {contact}: drop contacts between fixed bodies, and check the masses"
    )]
    Immovable {
        /// contact index
        contact: usize,
        /// the normal entry of W_ii
        value: f64,
    },
}

impl ProblemError {
    /// The contact that is to blame, where one is.
    pub fn contact(&self) -> Option<usize> {
        match self {
            ProblemError::NotFinite { contact, .. }
            | ProblemError::Law { contact, .. }
            | ProblemError::Immovable { contact, .. } => Some(*contact),
            ProblemError::Empty | ProblemError::Length { .. } | ProblemError::Magnitude { .. } => None,
        }
    }
}

/// Sizes whose squares, summed over many contacts, neither overflow nor vanish.
const RANGE: std::ops::RangeInclusive<f64> = 1e-140..=1e140;

impl<const D: usize> ContactProblem<D> {
    /// Checks the parts and joins them.
    pub fn new(W: Delassus<D>, q: Vec<Vector<D>>, laws: Vec<Law>) -> Result<Self, ProblemError> {
        let contacts = W.contacts();
        if contacts == 0 {
            return Err(ProblemError::Empty);
        }
        for (what, found) in [("q", q.len()), ("the list of laws", laws.len())] {
            if found != contacts {
                return Err(ProblemError::Length { what, contacts, found });
            }
        }
        // the largest entries of q and W_ii, if nothing is wrong
        let part = |mut range: Range<usize>| {
            range.try_fold([0.0, 0.0], |[of_q, of_W]: [f64; 2], i| {
                let W_ii = W.diagonal(i);
                Self::check(i, W_ii, &q[i], &laws[i])?;
                Ok([of_q.max(q[i].amax()), of_W.max(W_ii.amax())])
            })
        };
        let join = |a: Result<[f64; 2], _>, b: Result<[f64; 2], _>| {
            let (a, b) = (a?, b?);
            Ok([a[0].max(b[0]), a[1].max(b[1])])
        };
        let largest = parallel::reduce(contacts, part, join).unwrap_or(Err(ProblemError::Empty))?;
        for (what, largest) in ["q", "W_ii"].into_iter().zip(largest) {
            if largest != 0.0 && !RANGE.contains(&largest) {
                return Err(ProblemError::Magnitude { what, largest });
            }
        }
        Ok(ContactProblem { W: Arc::new(W), q, laws })
    }

    /// What is wrong with one contact, if anything.
    fn check(contact: usize, W_ii: &Matrix<D>, q: &Vector<D>, law: &Law) -> Result<(), ProblemError> {
        for (what, entries) in [("q", q.as_slice()), ("W_ii", W_ii.as_slice())] {
            if let Some(&value) = entries.iter().find(|x| !x.is_finite()) {
                return Err(ProblemError::NotFinite { what, contact, value });
            }
        }
        if let Some((what, value, allowed)) = law.fault() {
            return Err(ProblemError::Law { what, contact, value, allowed });
        }
        if W_ii[(0, 0)] <= 0.0 {
            return Err(ProblemError::Immovable { contact, value: W_ii[(0, 0)] });
        }
        Ok(())
    }

    /// Number of contacts.
    pub fn contacts(&self) -> usize {
        self.q.len()
    }

    /// The same W and q under other laws.
    pub fn with_laws(&self, law: impl Fn(&Law) -> Law) -> Self {
        ContactProblem { W: self.W.clone(), q: self.q.clone(), laws: self.laws.iter().map(law).collect() }
    }

    /// The problem of the normals alone, where no contact has friction and W is factored by bodies: the same solution at a
    /// third of the cost.
    pub fn normals(&self) -> Option<ContactProblem<1>> {
        let frictionless = parallel::all(self.laws.len(), |i| self.laws[i].kind() == Kind::Frictionless);
        let W = if frictionless { self.W.normals()? } else { return None };
        let q = parallel::map(self.q.len(), |i| Vector::<1>::new(self.q[i][0]));
        Some(ContactProblem { W: Arc::new(W), q, laws: self.laws.clone() })
    }

    /// `u = W r + q`, computed afresh.
    pub fn velocities(&self, r: &[Vector<D>]) -> Vec<Vector<D>> {
        let mut u = vec![Vector::zeros(); self.contacts()];
        self.W.product().velocities(r, &self.q, &mut u);
        u
    }

    /// Takes the last of their impulses from contacts that open at the velocities u of r: methods that only come near to zero
    /// leave some, which tell whoever reads them that the contact is closed.
    pub(crate) fn release_open(&self, r: &mut [Vector<D>], u: &[Vector<D>]) {
        for (i, (r, u)) in r.iter_mut().zip(u).enumerate() {
            let (law, scale) = (&self.laws[i], self.W.scale(i));
            let mut y = *r - u / scale;
            y[0] -= law.shift(u) / scale;
            if law.project(y).iter().all(|&x| x == 0.0) {
                r.fill(0.0);
            }
        }
    }

    /// The families of laws that occur.
    pub fn kinds(&self) -> Vec<Kind> {
        Kind::ALL.iter().copied().filter(|&kind| self.laws.iter().any(|law| law.kind() == kind)).collect()
    }
}
