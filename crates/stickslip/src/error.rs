//! Steps that cannot be done, each with the way out.

use stickslip_solvers::fclib::ConversionError;
use stickslip_solvers::problem::ProblemError;

/// A step that cannot be done.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// A step size that is none.
    #[error("the time step is {h}: give a positive number")]
    StepSize {
        /// the value
        h: f64,
    },
    /// A limit that is none.
    #[error("the limit `{what}` of the world is {value}: give a positive number, or none")]
    Setting {
        /// which
        what: &'static str,
        /// the value
        value: f64,
    },
    /// A period that is none, or too short for a body.
    #[error("direction {direction} repeats itself after {period}: {}", match body {
        Some(body) => format!("body {body} is as wide, and would meet itself; give a longer period"),
        None => "give a positive number".to_string(),
    })]
    Period {
        /// which
        direction: usize,
        /// the value
        period: f64,
        /// the body that does not fit
        body: Option<String>,
    },
    /// Bodies that overlap at the start.
    #[error("bodies {a} and {b} overlap by {depth:.3e} at the start: {}", if *jammed {
        "there is no room to move them apart; give the bodies more space"
    } else {
        "place them apart, or set `overlapping` to `Resolve` or `Accept`"
    })]
    Overlap {
        /// one body
        a: String,
        /// the other
        b: String,
        /// how deep
        depth: f64,
        /// whether moving them apart was tried
        jammed: bool,
    },
    /// A joint that is beyond its limits at the start.
    #[error(
        "joint {joint} is beyond its limits at the start: place its bodies within them, or set `overlapping` to `Resolve` or \
         `Accept`"
    )]
    Limits {
        /// its name
        joint: String,
    },
    /// A setting of the scheme that makes no sense.
    #[error("scheme {scheme}: {fault}")]
    Scheme {
        /// the scheme
        scheme: &'static str,
        /// what is wrong
        fault: String,
    },
    /// A solver that does not know the law of the scheme, or one of its joints.
    #[error(
        "solver {solver} does not solve the {law} problems of scheme {scheme} and its joints; take `auto`, which solves all"
    )]
    Solver {
        /// the solver
        solver: &'static str,
        /// the law
        law: &'static str,
        /// the scheme
        scheme: &'static str,
    },
    /// A force that is not finite.
    #[error("the force on body {body} at time {time} is not finite; look at gravity and at forces on it")]
    Force {
        /// the body
        body: String,
        /// when
        time: f64,
    },
    /// A velocity that is not finite.
    #[error(
        "the velocity of body {body} at time {time} is not finite, or too large to have an energy; look at its drive, and at what pushes it"
    )]
    Velocity {
        /// the body
        body: String,
        /// when
        time: f64,
    },
    /// A contact problem that makes no sense.
    #[error("time {time}, {place}: {source}")]
    Problem {
        /// when
        time: f64,
        /// the bodies that touch or the joint, where one is to blame
        place: String,
        /// what is wrong
        source: ProblemError,
    },
}

/// A step that cannot be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// It cannot be done either.
    #[error(transparent)]
    Step(#[from] StepError),
    /// FCLIB has no place for it.
    #[error(transparent)]
    Conversion(#[from] ConversionError),
}
