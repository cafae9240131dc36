//! The Delassus operator W: impulses to relative velocities.
//!
//! Three forms behind one interface:
//!
//! - [`Stored`]: W by block rows, as given, symmetric or not;
//! - [`Bodies`]: `W = Hᵀ M⁻¹ H`, never assembled, M block diagonal by rigid bodies;
//! - [`SparseMass`]: `W = Hᵀ M⁻¹ H` with any sparse positive definite M (finite elements).
//!
//! Solvers ask for products ([`Delassus::product`]), sweep over rows (`Rows`, inside the crate), or change all impulses at
//! once and carry along what these do (`Carried`).

mod arrangement;
mod bodies;
mod carried;
mod carried_bodies;
mod round;
mod runs;
mod sides;
mod sparse_mass;
mod stored;
mod wrenches;

pub(crate) use arrangement::Arranged;
pub use bodies::Bodies;
pub(crate) use carried::{Carried, Carries, Change};
pub use round::RoundContact;
pub use sides::Side;
pub use sparse_mass::SparseMass;
pub use stored::Stored;
pub(crate) use wrenches::Wrenches;

use crate::block::{Matrix, Vector};
use crate::parallel;
use crate::sparse::Sparse;
use std::ops::Range;

/// W in one of its forms.
#[derive(Debug)]
pub enum Delassus<const D: usize> {
    /// Block rows, as given.
    Stored(Stored<D>),
    /// Bodies with three degrees of freedom (plane).
    Bodies3(Bodies<D, 3>),
    /// Bodies with six degrees of freedom (space).
    Bodies6(Bodies<D, 6>),
    /// Any sparse mass matrix.
    SparseMass(SparseMass<D>),
}

/// Runs the same expression on whichever form W has.
macro_rules! with_form {
    ($W:expr, $w:ident => $body:expr) => {
        match $W {
            $crate::delassus::Delassus::Stored($w) => $body,
            $crate::delassus::Delassus::Bodies3($w) => $body,
            $crate::delassus::Delassus::Bodies6($w) => $body,
            $crate::delassus::Delassus::SparseMass($w) => $body,
        }
    };
}
pub(crate) use with_form;

/// What every form of W can do for a solver that works by products.
pub(crate) trait Operator<const D: usize> {
    fn contacts(&self) -> usize;
    fn diagonal(&self, i: usize) -> &Matrix<D>;
    /// Length of the scratch space that a product needs.
    fn scratch(&self) -> usize;
    /// `out = W r`.
    fn apply(&self, r: &[Vector<D>], out: &mut [Vector<D>], scratch: &mut [f64]);
    /// `out = W r + q`.
    fn apply_onto(&self, r: &[Vector<D>], q: &[Vector<D>], out: &mut [Vector<D>], scratch: &mut [f64]) {
        self.apply(r, out, scratch);
        parallel::update(out, |i, u| *u += q[i]);
    }
}

/// What a form of W can do for a sweep, which changes one impulse at a time.
///
/// A sweep carries a state along, one cell a body where W is factored by bodies, one a contact otherwise. A sweep over
/// a [`Part`] is handed the impulses and the cells of that part alone.
pub(crate) trait Rows<const D: usize>: Sync {
    /// What the sweep carries along: a velocity.
    type Cell: Copy + Send + Sync;
    /// The state that belongs to r.
    fn start(&self, r: &[Vector<D>]) -> Vec<Self::Cell>;
    /// `(W r)_i`, where contact i itself carries r_i.
    fn velocity(&self, cells: &[Self::Cell], part: &Part, i: usize, r_i: &Vector<D>) -> Vector<D>;
    /// Its normal entry alone, where contact i itself carries r_N along its normal.
    fn normal_velocity(&self, cells: &[Self::Cell], part: &Part, i: usize, r_N: f64) -> f64;
    /// Calls `look` with every contact whose velocity the impulse of contact i may change; some more than once.
    fn for_moved(&self, i: usize, look: impl FnMut(usize));
    /// Contact i changed its impulse by dr.
    fn add(&self, cells: &mut [Self::Cell], part: &Part, i: usize, dr: &Vector<D>);
    /// `cell + (cell − last) beta`: the state is linear in r.
    fn extrapolated(cell: &Self::Cell, last: &Self::Cell, beta: f64) -> Self::Cell;
}

/// A run of contacts and the cells they touch.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    pub contacts: Range<usize>,
    pub cells: Range<usize>,
}

impl Part {
    /// All contacts, all cells.
    pub fn whole(contacts: usize, cells: usize) -> Self {
        Part { contacts: 0..contacts, cells: 0..cells }
    }
}

/// W that cannot be built.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum DelassusError {
    /// The matrix does not consist of D×D blocks.
    #[error(
        "W is {rows} x {cols}: it must be square and its size a multiple of {dimension}, the size of a contact block"
    )]
    NotBlocks {
        /// rows found
        rows: usize,
        /// columns found
        cols: usize,
        /// block size
        dimension: usize,
    },
    /// Blocks of slip, roll and spin exist by bodies only.
    #[error("blocks of {dimension} components are not stored: give M by rigid bodies, and H")]
    TooLarge {
        /// block size
        dimension: usize,
    },
    /// H does not fit M or the blocks.
    #[error(
        "H is {rows} x {cols} and M is {mass} x {mass}: H needs one row for each row of M and {dimension} columns a contact"
    )]
    Mismatch {
        /// rows of H
        rows: usize,
        /// columns of H
        cols: usize,
        /// size of M
        mass: usize,
        /// block size
        dimension: usize,
    },
    /// M is not a mass matrix.
    #[error(
        "the mass matrix M is asymmetric by {asymmetry:.1e} of its largest entry: a mass matrix is symmetric, mend what produced it or store (M + Mᵀ)/2"
    )]
    MassNotSymmetric {
        /// largest |M_ij − M_ji| over largest |M_ij|
        asymmetry: f64,
    },
    /// M has no Cholesky factor.
    #[error(
        "the mass matrix M is not positive definite (degree of freedom {dof}): give every moving body a positive mass and inertia, and leave fixed bodies out of M"
    )]
    MassNotPositive {
        /// where the factorisation broke down
        dof: usize,
    },
}

/// Asymmetry up to which M is taken for a mass matrix written with few digits.
const MASS_ASYMMETRY: f64 = 1e-3;

impl<const D: usize> Delassus<D> {
    /// W as given by a sparse matrix.
    pub fn stored(W: &Sparse) -> Result<Self, DelassusError> {
        Stored::new(W).map(Delassus::Stored)
    }

    /// `W = Hᵀ M⁻¹ H`, never assembled: by rigid bodies where M is block diagonal in groups of 6 (or 3 in the
    /// plane) degrees of freedom, by a sparse factorisation otherwise. Where M has the asymmetry of few digits,
    /// W is the symmetric part of `Hᵀ M⁻¹ H`.
    pub fn factored(M: &Sparse, H: &Sparse) -> Result<Self, DelassusError> {
        if M.rows != M.cols || H.rows != M.rows || !H.cols.is_multiple_of(D) {
            return Err(DelassusError::Mismatch { rows: H.rows, cols: H.cols, mass: M.rows, dimension: D });
        }
        let asymmetry = M.asymmetry();
        if asymmetry > MASS_ASYMMETRY {
            return Err(DelassusError::MassNotSymmetric { asymmetry });
        }
        if asymmetry > sparse_mass::ROUNDING {
            SparseMass::new(M, H).map(Delassus::SparseMass)
        } else if D >= 3 && Bodies::<D, 6>::fits(M) {
            Bodies::from_sparse(M, H).map(Delassus::Bodies6)
        } else if Bodies::<D, 3>::fits(M) {
            Bodies::from_sparse(M, H).map(Delassus::Bodies3)
        } else {
            SparseMass::new(M, H).map(Delassus::SparseMass)
        }
    }

    /// Number of contacts.
    pub fn contacts(&self) -> usize {
        with_form!(self, w => Operator::<D>::contacts(w))
    }

    /// The diagonal block W_ii.
    #[inline]
    pub fn diagonal(&self, i: usize) -> &Matrix<D> {
        with_form!(self, w => Operator::<D>::diagonal(w, i))
    }

    /// Mean of the diagonal of W_ii: the scale that turns an impulse of contact i into a velocity.
    #[inline]
    pub fn scale(&self, i: usize) -> f64 {
        self.diagonal(i).trace() / D as f64
    }

    /// What contacts give way by themselves beside W as it is carried along; empty where none does.
    pub(crate) fn compliance(&self) -> &[Vector<D>] {
        match self {
            Delassus::Bodies3(w) => &w.compliance,
            Delassus::Bodies6(w) => &w.compliance,
            Delassus::Stored(_) | Delassus::SparseMass(_) => &[],
        }
    }

    /// A reusable product `W r`.
    pub fn product(&self) -> Product<'_, D> {
        Product { W: self, scratch: vec![0.0; with_form!(self, w => Operator::<D>::scratch(w))] }
    }

    /// The form's name, for reports.
    pub fn form(&self) -> &'static str {
        match self {
            Delassus::Stored(_) => "stored blocks",
            Delassus::Bodies3(_) | Delassus::Bodies6(_) => "factored by bodies",
            Delassus::SparseMass(_) => "factored by a sparse mass matrix",
        }
    }

    /// Velocities of the degrees of freedom `M⁻¹ x`; `None` for a stored W, which knows no bodies.
    pub fn inverse_mass(&self, x: &[f64]) -> Option<Vec<f64>> {
        match self {
            Delassus::Stored(_) => None,
            Delassus::Bodies3(w) => Some(w.inverse_mass(x)),
            Delassus::Bodies6(w) => Some(w.inverse_mass(x)),
            Delassus::SparseMass(w) => Some(w.inverse_mass(x)),
        }
    }
}

/// W in other shapes.
impl<const D: usize> Delassus<D> {
    /// M and H of `W = Hᵀ M⁻¹ H` by bodies; `None` for other forms, and where a body is held along some direction.
    pub fn factors(&self) -> Option<(Sparse, Sparse)> {
        match self {
            Delassus::Bodies3(w) => w.to_sparse(),
            Delassus::Bodies6(w) => w.to_sparse(),
            Delassus::Stored(_) | Delassus::SparseMass(_) => None,
        }
    }

    /// W of the normals alone; `None` for forms that are not by bodies. Bodies in space that impulses along the normals do
    /// not turn, as they do not turn spheres, keep the degrees of freedom of their centres alone.
    pub fn normals(&self) -> Option<Delassus<1>> {
        match self {
            Delassus::Bodies3(w) => Some(Delassus::Bodies3(w.normals())),
            Delassus::Bodies6(w) if w.normals_turn() => Some(Delassus::Bodies6(w.normals())),
            Delassus::Bodies6(w) => Some(Delassus::Bodies3(w.normals())),
            Delassus::Stored(_) | Delassus::SparseMass(_) => None,
        }
    }

    /// The same bodies under larger blocks, with couples `couple(i, j, k)`, k = D..L, about the axes of the world on side j
    /// of contact i; `None` for forms that are not by bodies.
    pub fn with_couples<const L: usize>(
        &self,
        couple: impl Fn(usize, usize, usize) -> Vec<f64>,
    ) -> Option<Delassus<L>> {
        match self {
            Delassus::Bodies3(w) => Some(Delassus::Bodies3(w.with_couples(couple))),
            Delassus::Bodies6(w) => Some(Delassus::Bodies6(w.with_couples(couple))),
            Delassus::Stored(_) | Delassus::SparseMass(_) => None,
        }
    }

    /// `W + E`: contact i also gives way by E_i, velocity per impulse and component.
    pub fn with_compliance(self, E: Vec<Vector<D>>) -> Self {
        match self {
            Delassus::Stored(w) => Delassus::Stored(w.with_compliance(&E)),
            Delassus::Bodies3(w) => Delassus::Bodies3(w.with_compliance(E)),
            Delassus::Bodies6(w) => Delassus::Bodies6(w.with_compliance(E)),
            Delassus::SparseMass(w) => Delassus::Stored(w.assembled().clone().with_compliance(&E)),
        }
    }

    /// All entries of W.
    pub fn entries(&self) -> Sparse {
        let blocks = self.blocks();
        let mut entries = Vec::with_capacity(blocks.len() * D * D);
        for (i, j, W_ij) in &blocks {
            for (k, l) in (0..D).flat_map(|k| (0..D).map(move |l| (k, l))) {
                entries.push((*i * D as u32 + k as u32, *j * D as u32 + l as u32, W_ij[(k, l)]));
            }
        }
        let size = self.contacts() * D;
        Sparse::from_triplets(size, size, &entries)
    }
}

/// What a factorisation needs of W.
impl<const D: usize> Delassus<D> {
    /// H by contacts and N of `W = Hᵀ N⁻¹ H`, `None` for the identity; nothing for a W that has no symmetric factors.
    pub(crate) fn wrenches(&self) -> Option<(Wrenches<D>, Option<&Sparse>)> {
        match self {
            Delassus::Stored(_) => None,
            Delassus::Bodies3(w) => Some((w.wrenches(), None)),
            Delassus::Bodies6(w) => Some((w.wrenches(), None)),
            Delassus::SparseMass(w) => w.symmetric_mass().map(|M| (w.wrenches(), Some(M))),
        }
    }

    /// Every block `(i, j, W_ij)` that may differ from zero, the diagonal included.
    pub(crate) fn blocks(&self) -> Vec<(u32, u32, Matrix<D>)> {
        match self {
            Delassus::Stored(w) => w.all_blocks(),
            Delassus::Bodies3(w) => w.wrenches().gram(),
            Delassus::Bodies6(w) => w.wrenches().gram(),
            Delassus::SparseMass(w) => w.assembled().all_blocks(),
        }
    }

    /// Whether W is symmetric; only a stored one may not be.
    pub(crate) fn is_symmetric(&self) -> bool {
        match self {
            Delassus::Stored(w) => w.is_symmetric(),
            _ => true,
        }
    }
}

/// Products `W r` with their scratch space.
pub struct Product<'a, const D: usize> {
    W: &'a Delassus<D>,
    scratch: Vec<f64>,
}

impl<const D: usize> Product<'_, D> {
    /// `out = W r`.
    pub fn apply(&mut self, r: &[Vector<D>], out: &mut [Vector<D>]) {
        with_form!(self.W, w => w.apply(r, out, &mut self.scratch));
    }

    /// `out = W r + q`.
    pub fn velocities(&mut self, r: &[Vector<D>], q: &[Vector<D>], out: &mut [Vector<D>]) {
        with_form!(self.W, w => w.apply_onto(r, q, out, &mut self.scratch));
    }
}
