//! Worlds that move as closed forms, papers, limit analysis and invariants say.

#![allow(non_snake_case)]

mod axes;
mod blocks;
mod checkpoints;
mod closed_forms;
mod histories;
mod invariants;
mod joints;
mod limit_analysis;
mod masonry;
mod orders;
mod packings;
mod residuals;
mod rolling;
mod surroundings;
mod yielding;
