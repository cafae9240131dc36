//! What can be wrong with an FCLIB file, each with the way out.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A file that could not be read or written: which file, where in it, and what is wrong.
#[derive(Debug, Error)]
#[error("{}{}: {fault}", path.display(), place(dataset))]
pub struct FclibError {
    /// The file.
    pub path: PathBuf,
    /// Full path of the dataset or group, such as `/fclib_local/vectors/mu`; empty for the whole file.
    pub dataset: String,
    /// What is wrong there; part of the message already, hence no source.
    pub fault: Fault,
}

impl FclibError {
    pub(super) fn new(path: &Path, dataset: impl Into<String>, fault: Fault) -> Self {
        Self { path: path.to_path_buf(), dataset: dataset.into(), fault }
    }
}

fn place(dataset: &str) -> String {
    if dataset.is_empty() { String::new() } else { format!(", {dataset}") }
}

/// The kinds of fault; every message carries the values found and a remedy.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Fault {
    /// The file system refused.
    #[error("cannot be opened ({0}); check the name and the permissions")]
    Open(io::Error),
    /// A folder, a pipe or a device.
    #[error("is not a regular file; give the path of an FCLIB HDF5 file")]
    NotAFile,
    /// The HDF5 signature is absent.
    #[error("is not an HDF5 file (no HDF5 signature); FCLIB problems are HDF5 files, convert it first")]
    NotHdf5,
    /// The HDF5 structure cannot be followed.
    #[error("cannot be decoded ({0}); the file is truncated or damaged, fetch or export it again")]
    Damaged(String),
    /// Neither kind of problem that this library reads.
    #[error(
        "holds neither /fclib_local nor /fclib_global; export the problem in one of these two \
         forms (rolling friction is not read)"
    )]
    NoProblem,
    /// A dataset or group that every problem has.
    #[error("is missing; a problem cannot be read without it, export the file again")]
    Missing,
    /// The stored type is another one.
    #[error("holds {found}; store {wanted} there")]
    Type {
        /// The type in the file.
        found: String,
        /// The type needed.
        wanted: &'static str,
    },
    /// More data declared than the file can contain.
    #[error(
        "declares {declared} bytes, more than a file of {file} bytes can hold; the file is \
         truncated or damaged, fetch or export it again"
    )]
    Oversized {
        /// Bytes that the declared sizes ask for.
        declared: u128,
        /// Size of the file in bytes.
        file: u64,
    },
    /// A scalar is an array of length one.
    #[error("has {0} entries; store one number there, as an array of length 1")]
    NotScalar(usize),
    /// `spacedim` outside 1, 2, 3.
    #[error("is {0}; the space dimension must be 1 (frictionless), 2 or 3")]
    Dimension(i64),
    /// No contacts.
    #[error("has no entries, so there is no contact; export a step that has contacts")]
    Empty,
    /// Equality constraints present.
    #[error(
        "is not empty, but equality constraints are not supported; eliminate them from the \
         problem or export it without them"
    )]
    Equalities,
    /// `nz` below -2.
    #[error("is {0}; use the number of triplets, -1 (compressed columns) or -2 (compressed rows)")]
    Storage(i64),
    /// A count that cannot be: below zero or beyond 32 bits.
    #[error("is {0}; FCLIB counts and indices lie in 0..=2147483647, split a larger problem")]
    Count(i128),
    /// A vector of the wrong length.
    #[error("has {found} entries where {wanted} are needed, {reason}; make the sizes agree")]
    Length {
        /// Entries present.
        found: usize,
        /// Entries needed.
        wanted: usize,
        /// Where the needed number comes from.
        reason: &'static str,
    },
    /// A matrix of the wrong size.
    #[error(
        "is {} by {} where {} by {} is needed, {reason}; make the sizes agree",
        found.0, found.1, wanted.0, wanted.1
    )]
    Shape {
        /// Rows and columns declared.
        found: (usize, usize),
        /// Rows and columns needed.
        wanted: (usize, usize),
        /// Where the needed numbers come from.
        reason: &'static str,
    },
    /// A row or column index outside the matrix.
    #[error("entry {entry} is {value}, outside 0..{size}; indices count from 0")]
    Index {
        /// Position in the index array.
        entry: usize,
        /// The index found there.
        value: i64,
        /// Rows or columns of the matrix.
        size: usize,
    },
    /// Pointers of a compressed storage out of order.
    #[error(
        "entry {entry} is {value}, outside {low}..={high}; pointers start at 0, never decrease \
         and end at the number of stored entries"
    )]
    Pointer {
        /// Position in the pointer array.
        entry: usize,
        /// The pointer found there.
        value: i64,
        /// Smallest value allowed.
        low: usize,
        /// Largest value allowed.
        high: usize,
    },
    /// Columns of one row repeated or out of order (only when writing).
    #[error("row {row} has columns out of order or repeated; sort them and sum the duplicates")]
    Unsorted {
        /// The row.
        row: usize,
    },
    /// NaN or infinity.
    #[error("entry {index} is {value}; only finite numbers are allowed, mend what produced it")]
    NotFinite {
        /// Position in the array.
        index: usize,
        /// The number found there.
        value: f64,
    },
    /// A friction coefficient below zero.
    #[error("entry {index} is {value}; a friction coefficient is zero or positive")]
    NegativeFriction {
        /// The contact.
        index: usize,
        /// Its coefficient.
        value: f64,
    },
    /// The folder of the target is absent.
    #[error("the folder {} does not exist; create it first", .0.display())]
    NoFolder(PathBuf),
    /// The file system refused the new file.
    #[error("cannot be written ({0}); check the free space and the permissions, nothing was changed")]
    Write(io::Error),
    /// The HDF5 writer refused the content.
    #[error("cannot be encoded as HDF5 ({0}); nothing was changed, shorten or split the content")]
    Encode(String),
}
