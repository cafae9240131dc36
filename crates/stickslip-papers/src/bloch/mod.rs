//! Bloch 2023: friction by convex problems, alone or as a fixed point.

mod count;
pub mod fixed_point;
pub mod scaling;
