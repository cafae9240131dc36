//! The engine, compiled with this library once for the plane and once for space.
//!
//! Generic code is compiled again in every program that uses it, and a step is most of the engine: behind a trait of two
//! types it is compiled here.

use crate::checkpoint::CheckpointError;
use crate::error::StepError;
use crate::report::StepReport;
use crate::rigid::Rigid;
use crate::world::{Problem, World};
use std::path::Path;
use stickslip_geometry::space::Dim;

/// What a world does, as it was compiled here.
pub trait Compiled<const D: usize> {
    /// See [`World::step`].
    fn step(world: &mut World<D>, h: f64) -> Result<StepReport, StepError>
    where
        Dim<D>: Rigid<D>;
    /// See [`World::problem`].
    fn problem(world: &mut World<D>, h: f64) -> Result<Option<Problem<D>>, StepError>
    where
        Dim<D>: Rigid<D>;
    /// See [`World::save`].
    fn save(world: &World<D>, path: &Path) -> Result<(), CheckpointError>
    where
        Dim<D>: Rigid<D>;
    /// See [`World::restore`].
    fn restore(world: &mut World<D>, path: &Path) -> Result<(), CheckpointError>
    where
        Dim<D>: Rigid<D>;
}

macro_rules! compile {
    ($D:literal) => {
        impl Compiled<$D> for Dim<$D> {
            fn step(world: &mut World<$D>, h: f64) -> Result<StepReport, StepError> {
                world.do_step(h)
            }

            fn problem(world: &mut World<$D>, h: f64) -> Result<Option<Problem<$D>>, StepError> {
                world.next_problem(h)
            }

            fn save(world: &World<$D>, path: &Path) -> Result<(), CheckpointError> {
                world.write_state(path)
            }

            fn restore(world: &mut World<$D>, path: &Path) -> Result<(), CheckpointError> {
                world.read_state(path)
            }
        }
    };
}

compile!(2);
compile!(3);
