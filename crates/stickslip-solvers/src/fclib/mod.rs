//! FCLIB files: frictional contact problems stored in HDF5, read and written as raw arrays.
//!
//!   /fclib_local    u = W r + q                       {spacedim, W, vectors/{q, mu}, info}
//!   /fclib_global   M v = H r + f,  u = Hᵀ v + w      {spacedim, M, H, vectors/{f, w, mu}, info}
//!   /guesses/{number_of_guesses, 1, 2, …} and /solution hold {u, r, v, l}
//!
//! A contact has `dimension` entries, normal first; scalars are arrays of length 1; matrices follow
//! CSparse (see [`Storage`]). Nothing here knows about solvers: sizes, indices and numbers are
//! checked, the mathematics is not.

mod check;
mod error;
mod problem;
mod read;
mod sparse;
mod write;

use std::path::Path;

use check::{check_dimension, check_friction, check_shape, check_vector};
pub use error::{Fault, FclibError};
pub use problem::ConversionError;
pub use write::write_solution;

pub use crate::sparse::{Sparse, Storage};

/// One FCLIB file in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Fclib {
    /// Entries per contact: 1, 2 or 3 (`spacedim`).
    pub dimension: usize,
    /// The problem, in the form the file had.
    pub form: Form,
    /// Friction coefficient of each contact.
    pub mu: Vec<f64>,
    /// Texts that describe the problem.
    pub info: Info,
    /// Starting points that came with the problem.
    pub guesses: Vec<Point>,
    /// A solution, if the file has one; it is not verified.
    pub solution: Option<Point>,
}

/// The two forms of an FCLIB problem.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// Contacts only: u = W r + q.
    Local {
        /// Delassus operator.
        W: Sparse,
        /// Free relative velocity.
        q: Vec<f64>,
    },
    /// Bodies and contacts: M v = H r + f, u = Hᵀ v + w.
    Global {
        /// Mass matrix.
        M: Sparse,
        /// Wrenches of unit contact impulses, bodies by contacts.
        H: Sparse,
        /// Impulses of external forces on the bodies.
        f: Vec<f64>,
        /// What the scheme adds to the relative velocity.
        w: Vec<f64>,
    },
}

/// Texts of an FCLIB file; absent ones are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// Name of the problem.
    pub title: String,
    /// Where it comes from.
    pub description: String,
    /// Remarks on its mathematics.
    pub math_info: String,
}

/// A guess or a solution. An empty vector is one that the file does not have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    /// Relative velocities at contacts.
    pub u: Vec<f64>,
    /// Impulses at contacts.
    pub r: Vec<f64>,
    /// Velocities of bodies; empty for a local problem.
    pub v: Vec<f64>,
    /// Multipliers of equalities; empty, as problems with equalities are refused.
    pub l: Vec<f64>,
}

impl Fclib {
    /// Read a file, in any storage FCLIB allows, and check it.
    pub fn read(path: &Path) -> Result<Self, FclibError> {
        read::read(path)
    }

    /// Write a file that the FCLIB library reads; an existing one is replaced only by a complete one.
    pub fn write(&self, path: &Path) -> Result<(), FclibError> {
        write::write(self, path)
    }

    /// Number of contacts.
    pub fn contacts(&self) -> usize {
        self.mu.len()
    }

    /// Entries of `u` and `r`: contacts times dimension.
    pub fn contact_size(&self) -> usize {
        self.mu.len() * self.dimension
    }

    /// Entries of `v`: rows of `M`, or 0 for a local problem.
    pub fn body_size(&self) -> usize {
        match &self.form {
            Form::Local { .. } => 0,
            Form::Global { M, .. } => M.rows,
        }
    }

    /// Group of the file that holds the problem.
    fn group(&self) -> &'static str {
        match self.form {
            Form::Local { .. } => LOCAL,
            Form::Global { .. } => GLOBAL,
        }
    }

    /// The rules that hold for what is read and for what is written.
    fn check(&self) -> Result<(), Located> {
        let group = self.group();
        let m = self.contact_size();
        check_dimension(self.dimension as i64).map_err(|fault| fault.at(format!("{group}/spacedim")))?;
        check_friction(&self.mu).map_err(|fault| fault.at(format!("{group}/vectors/mu")))?;
        let vector = |name: &str, value: &[f64], wanted, reason| {
            check_vector(value, wanted, reason).map_err(|fault| fault.at(format!("{group}/vectors/{name}")))
        };
        let matrix = |name: &str, A: &Sparse, wanted, reason| {
            check_shape((A.rows, A.cols), wanted, reason)
                .map_err(|fault| fault.at(format!("{group}/{name}")))?;
            A.check().map_err(|(array, fault)| fault.at(format!("{group}/{name}/{array}")))
        };
        match &self.form {
            Form::Local { W, q } => {
                matrix("W", W, (m, m), BY_CONTACTS)?;
                vector("q", q, m, BY_CONTACTS)?;
            }
            Form::Global { M, H, f, w } => {
                matrix("M", M, (M.rows, M.rows), SQUARE)?;
                matrix("H", H, (M.rows, m), BY_BODIES_AND_CONTACTS)?;
                vector("f", f, M.rows, BY_BODIES)?;
                vector("w", w, m, BY_CONTACTS)?;
            }
        }
        for (k, guess) in self.guesses.iter().enumerate() {
            self.check_point(guess, &format!("{GUESSES}/{}", k + 1))?;
        }
        match &self.solution {
            Some(solution) => self.check_point(solution, SOLUTION),
            None => Ok(()),
        }
    }

    fn check_point(&self, point: &Point, group: &str) -> Result<(), Located> {
        let (m, n) = (self.contact_size(), self.body_size());
        let Point { u, r, v, l } = point;
        let parts = [
            ("u", u, m, BY_CONTACTS),
            ("r", r, m, BY_CONTACTS),
            ("v", v, n, BY_BODIES),
            ("l", l, 0, NO_EQUALITIES),
        ];
        for (name, value, wanted, reason) in parts {
            // an absent part is legal; a present one must fit
            let wanted = if value.is_empty() { 0 } else { wanted };
            check_vector(value, wanted, reason).map_err(|fault| fault.at(format!("{group}/{name}")))?;
        }
        Ok(())
    }
}

const LOCAL: &str = "/fclib_local";
const GLOBAL: &str = "/fclib_global";
const GUESSES: &str = "/guesses";
const SOLUTION: &str = "/solution";

const BY_CONTACTS: &str = "the number of friction coefficients times spacedim";
const BY_BODIES: &str = "the number of rows of M";
const BY_BODIES_AND_CONTACTS: &str = "the rows of M by the number of friction coefficients times spacedim";
const SQUARE: &str = "as a mass matrix is square";
const NO_EQUALITIES: &str = "as the problem has no equality constraints";

/// A fault and the dataset it was found in; the file's name is added at the edge.
type Located = (String, Fault);

impl Fault {
    fn at(self, dataset: impl Into<String>) -> Located {
        (dataset.into(), self)
    }
}
