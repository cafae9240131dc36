//! The experiments of the papers that stickslip implements, run again: what each claims, beside what is measured.
//!
//! An experiment is a scene of `scenes/papers` or a few bodies, and a short analysis, in one file of its paper's folder.
//! It writes its figures and tables and gives its claims.

#![allow(non_snake_case)]

mod abide;
mod bloch;
mod claim;
mod error;
mod fit;
mod friction;
mod maury;
mod page;
mod renouf;
mod setting;
mod tasora;

pub use claim::{Claim, Relation, Source};
pub use error::{ExperimentError, Result};
pub use page::Given;
pub use setting::Setting;
use setting::{free_mass, group, parameter};

/// An experiment of a paper.
pub struct Experiment {
    /// Its name on the command line.
    pub id: &'static str,
    /// What it shows, in a line.
    pub summary: &'static str,
    /// Where it is found.
    pub paper: &'static str,
    run: fn(&Setting) -> Result<Vec<Claim>>,
}

impl Experiment {
    /// Runs it, writes its figures and tables, and gives its claims.
    pub fn run(&self, setting: &Setting) -> Result<Vec<Claim>> {
        (self.run)(setting)
    }
}

/// All experiments, by paper.
pub const EXPERIMENTS: &[Experiment] = &[
    abide::belt::EXPERIMENT,
    abide::drum_ball::EXPERIMENT,
    abide::sedimentation::EXPERIMENT,
    abide::rotating_drum::EXPERIMENT,
    maury::nonuniqueness::EXPERIMENT,
    maury::sticky::EXPERIMENT,
    maury::cluster::EXPERIMENT,
    tasora::shear_box::EXPERIMENT,
    tasora::laws::EXPERIMENT,
    renouf::packing::EXPERIMENT,
    renouf::brazil_nut::EXPERIMENT,
    renouf::masonry::EXPERIMENT,
    bloch::table1::EXPERIMENT,
    bloch::order::EXPERIMENT,
    bloch::scaling::EXPERIMENT,
    bloch::fixed_point::EXPERIMENT,
    bloch::collapse::EXPERIMENT,
    bloch::ellipses::EXPERIMENT,
];
