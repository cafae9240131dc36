//! The panel of solvers: each is one file and one line here.

mod nlgs;

pub use nlgs::Nlgs;

use crate::block::Vector;
use crate::laws::Kind;
use crate::outcome::Outcome;
use crate::problem::ContactProblem;
use crate::stop::Stop;
use serde::{Serialize, de::DeserializeOwned};

/// A solver for blocks of size D.
pub trait Solver<const D: usize> {
    /// Improves r until `stop` ends it; r holds the starting point on entry and the best impulses on return.
    fn solve(&mut self, problem: &ContactProblem<D>, r: &mut [Vector<D>], stop: &Stop) -> Outcome;
}

/// Plain settings that know how to build their solver for any block size.
pub trait Method: Default + Clone + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Name on the command line.
    const NAME: &'static str;
    /// One line on what it is.
    const SUMMARY: &'static str;
    /// Where it comes from.
    const PAPER: &'static str;
    /// The laws it solves.
    const COVERS: &'static [Kind];
    /// Checks values that the types allow and the method does not.
    fn validate(&self) -> Result<(), String> {
        Ok(())
    }
    /// The solver with these settings.
    fn build<const D: usize>(&self) -> Box<dyn Solver<D>>;
}
