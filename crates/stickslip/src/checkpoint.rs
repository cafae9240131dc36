//! Checkpoints: the state of a world in a file. A world that was built alike takes it up and goes on to the same bits.
//!
//! What a program builds is not stored: shapes, materials, forces, settings. What a run changes is: positions, velocities,
//! time, the impulses from which the next solve starts, the strains of contacts, the turns of hinges, and the user's own [notes](crate::World::notes),
//! such as the state of a generator of random numbers.

use crate::bodies::Bodies;
use crate::contacts::Packed;
use crate::joints::JointsState;
use crate::rigid::Rigid;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use stickslip_geometry::space::{Dim, Vector};
use stickslip_solvers::replace::{ReplaceError, replace};

/// First bytes of a checkpoint; the number is that of the format.
const TITLE: &[u8] = b"stickslip checkpoint 2\n";

/// A checkpoint that was not written or not taken up; world and files are as they were.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The file could not be written.
    #[error("{}: not written ({fault})", path.display())]
    Write {
        /// the file
        path: PathBuf,
        /// what is wrong
        fault: String,
    },
    /// The file could not be read.
    #[error("{}: cannot be read ({fault}); check the name and the permissions", path.display())]
    Read {
        /// the file
        path: PathBuf,
        /// what is wrong
        fault: std::io::Error,
    },
    /// Something else than a checkpoint.
    #[error("{}: is not a checkpoint of this version; give a file that `World::save` wrote", path.display())]
    Stranger {
        /// the file
        path: PathBuf,
    },
    /// Part of it is missing or changed.
    #[error("{}: is damaged or cut off; take an older checkpoint", path.display())]
    Damaged {
        /// the file
        path: PathBuf,
    },
    /// It belongs to another world.
    #[error("{}: belongs to another world: {fault}; build the world as it was when the file was written", path.display())]
    Other {
        /// the file
        path: PathBuf,
        /// how they differ
        fault: String,
    },
}

/// What a run changes.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct State {
    /// Of whose world.
    pub built: Built,
    pub time: f64,
    pub steps: usize,
    pub missed: usize,
    /// Position, orientation, velocity and spin of each body.
    pub bodies: Vec<f64>,
    /// What contacts remember of the last step.
    pub contacts: Packed,
    pub joints: JointsState,
    pub notes: BTreeMap<String, String>,
}

/// What a program builds, as far as it tells worlds apart.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Built {
    dimension: usize,
    bodies: usize,
    joints: usize,
    /// Of masses, moments and shapes.
    hash: u64,
}

impl Built {
    pub fn new<const D: usize>(bodies: &Bodies<D>, joints: usize) -> Self
    where
        Dim<D>: Rigid<D>,
    {
        let mut text = String::new();
        for b in 0..bodies.len() {
            text += &format!("{:?} {:?} {:?} ", bodies.mass[b], bodies.inertia[b], bodies.shape[b]);
        }
        Built { dimension: D, bodies: bodies.len(), joints, hash: hash(text.as_bytes()) }
    }

    /// How another one differs.
    fn difference(&self, other: &Self) -> Option<String> {
        let counts = [
            ("dimension", self.dimension, other.dimension),
            ("number of bodies", self.bodies, other.bodies),
            ("number of joints", self.joints, other.joints),
        ];
        if let Some((what, here, there)) = counts.into_iter().find(|(_, here, there)| here != there) {
            return Some(format!("its {what} is {there}, here {here}"));
        }
        (self.hash != other.hash).then(|| "its masses or shapes are others".to_string())
    }
}

impl State {
    pub fn write(&self, path: &Path) -> Result<(), CheckpointError> {
        let failed = |fault: String| CheckpointError::Write { path: path.to_path_buf(), fault };
        let content = postcard::to_allocvec(self).map_err(|e| failed(e.to_string()))?;
        replace(path, |mut file| {
            file.write_all(TITLE)?;
            file.write_all(&hash(&content).to_le_bytes())?;
            file.write_all(&content)
        })
        .map_err(|e| match e {
            ReplaceError::NoFolder(folder) => failed(format!("there is no folder {}", folder.display())),
            ReplaceError::NotAFile => failed("it is not a regular file".into()),
            ReplaceError::Write(e) | ReplaceError::Content(e) => failed(e.to_string()),
        })
    }

    /// Reads the state of a world that was built like this one.
    pub fn read(path: &Path, built: &Built) -> Result<Self, CheckpointError> {
        let whole = path.to_path_buf();
        let bytes =
            std::fs::read(path).map_err(|fault| CheckpointError::Read { path: whole.clone(), fault })?;
        let Some(rest) = bytes.strip_prefix(TITLE) else {
            return Err(CheckpointError::Stranger { path: whole });
        };
        let damaged = || CheckpointError::Damaged { path: whole.clone() };
        let (sum, content) = rest.split_first_chunk::<8>().ok_or_else(damaged)?;
        if hash(content) != u64::from_le_bytes(*sum) {
            return Err(damaged());
        }
        let state: State = postcard::from_bytes(content).map_err(|_| damaged())?;
        match built.difference(&state.built) {
            Some(fault) => Err(CheckpointError::Other { path: whole, fault }),
            None => Ok(state),
        }
    }
}

/// All numbers of the bodies that a run changes.
pub(crate) fn pack<const D: usize>(bodies: &Bodies<D>) -> Vec<f64>
where
    Dim<D>: Rigid<D>,
{
    let mut numbers = Vec::new();
    for b in 0..bodies.len() {
        numbers.extend(bodies.x[b].iter().chain(bodies.v[b].iter()));
        Dim::<D>::pack(&bodies.rotation[b], &bodies.spin[b], &mut numbers);
    }
    numbers
}

/// The way back; `false`, and nothing changed, where the count is wrong.
pub(crate) fn unpack<const D: usize>(numbers: &[f64], bodies: &mut Bodies<D>) -> bool
where
    Dim<D>: Rigid<D>,
{
    let size = 2 * D + <Dim<D> as Rigid<D>>::PACKED;
    if numbers.len() != size * bodies.len() {
        return false;
    }
    for (b, numbers) in numbers.chunks_exact(size).enumerate() {
        bodies.x[b] = Vector::from_column_slice(&numbers[..D]);
        bodies.v[b] = Vector::from_column_slice(&numbers[D..2 * D]);
        (bodies.rotation[b], bodies.spin[b]) = Dim::<D>::unpack(&numbers[2 * D..]);
    }
    true
}

/// FNV-1a: tells a whole file from a damaged one.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
