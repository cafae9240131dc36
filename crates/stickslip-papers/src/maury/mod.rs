//! Maury 2006: inelastic contact without friction as one projection a step.

pub mod cluster;
pub mod nonuniqueness;
pub mod sticky;
