//! One file per command.

pub mod compare;
pub mod list;
pub mod solve;
