//! From text to scenes: every value keeps its place, and what is wrong is shown there.

mod expression;
mod nearest;
mod place;
mod read;
mod tree;

pub use nearest::nearest;
pub use place::{Place, SceneError, Source};
pub use read::{Placed, Point, Spot, Turn};

pub(crate) use place::Fault;
pub(crate) use read::Context;
pub(crate) use tree::{Files, Node, Value, read as read_file, repeat};
