//! From text to scenes: every value keeps its place, and what is wrong is shown there.

mod context;
mod expression;
mod origins;
mod place;
mod ranges;
mod read;
mod tree;
mod types;

pub use context::Spot;
pub use place::{Place, SceneError, Source};
pub use types::{Placed, Point, Turn};

pub(crate) use context::Context;
pub(crate) use origins::Origins;
pub(crate) use place::Fault;
pub(crate) use tree::{Files, Node, Value, read as read_file, repeat};
