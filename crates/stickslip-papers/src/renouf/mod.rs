//! Renouf–Acary 2006: sweeps with one solver or another for each contact.

pub mod brazil_nut;
mod case;
mod local;
pub mod masonry;
pub mod packing;
mod whole;
