//! One file per command.

pub mod bench;
pub mod compare;
pub mod list;
pub mod solve;
