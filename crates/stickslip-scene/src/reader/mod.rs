//! From text to scenes: every value keeps its place, and what is wrong is shown there.

mod context;
mod expression;
mod nearest;
mod place;
mod read;
mod tree;
mod types;

pub use context::Spot;
pub use nearest::nearest;
pub use place::{Place, SceneError, Source};
pub use types::{Placed, Point, Turn};

pub(crate) use context::Context;
pub(crate) use place::Fault;
pub(crate) use tree::{Files, Node, Value, read as read_file, repeat};
