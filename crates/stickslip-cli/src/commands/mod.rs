//! One file per command.

pub mod bench;
pub mod check;
pub mod compare;
pub mod list;
pub mod report;
pub mod reproduce;
pub mod run;
pub mod schema;
pub mod solve;
pub mod sweep;
