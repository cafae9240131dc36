//! Bloch 2023: friction by convex problems, alone or as a fixed point.

pub mod collapse;
mod count;
pub mod ellipses;
pub mod fixed_point;
pub mod order;
pub mod scaling;
pub mod table1;

/// A disk on a slope.
const DISK: &str = include_str!("../../../../scenes/papers/bloch-disk.toml");
