//! Abide 2021: contacts solved one by one by active sets, beside the augmented Lagrangian and the bi-potential.

pub mod belt;
mod crowd;
pub mod drum_ball;
mod judge;
mod method;
pub mod rotating_drum;
pub mod sedimentation;
