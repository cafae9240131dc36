//! The panel of solvers: each method is one file, its `mod` line and its line in `panel!`.

mod admm;
mod apgd;
mod auto;
mod closing;
mod faceted;
mod few_contacts;
mod fixed_point;
mod gradient;
mod interior_point;
mod knots;
mod least_squares;
mod lemke;
mod newton;
mod nlgs;
mod nlgs_accelerated;
mod pgd;
mod proximal;
mod qp;
mod semismooth_newton;
mod spg;
mod sweeps;
mod wander;

use crate::block::Vector;
use crate::laws::Kind;
use crate::outcome::{Outcome, Status};
use crate::problem::ContactProblem;
use crate::stop::Stop;
use serde::{Serialize, de::DeserializeOwned};
use std::any::Any;

/// A solver for blocks of size D.
pub trait Solver<const D: usize> {
    /// Improves r until `stop` ends it; r holds the starting point on entry and the best impulses on return.
    fn solve(&mut self, problem: &ContactProblem<D>, r: &mut [Vector<D>], stop: &Stop) -> Outcome;
}

/// Plain settings that know how to build their solver for any block size.
pub trait Method: Default + Clone + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Name on the command line.
    const NAME: &'static str;
    /// One line on what it is.
    const SUMMARY: &'static str;
    /// Where it comes from.
    const PAPER: &'static str;
    /// The laws it solves.
    const COVERS: &'static [Kind];
    /// Checks values that the types allow and the method does not.
    fn validate(&self) -> Result<(), String> {
        Ok(())
    }
    /// The solver with these settings.
    fn build<const D: usize>(&self) -> Box<dyn Solver<D>>;
}

/// What the panel knows of a method.
pub struct Entry {
    /// Name on the command line.
    pub name: &'static str,
    /// One line on what it is.
    pub summary: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
    /// The laws it solves.
    pub covers: &'static [Kind],
    parse: fn(&toml::Table) -> Result<AnyMethod, String>,
    defaults: fn() -> toml::Table,
}

impl Entry {
    const fn of<M: Method + Into<AnyMethod>>() -> Self {
        Entry {
            name: M::NAME,
            summary: M::SUMMARY,
            paper: M::PAPER,
            covers: M::COVERS,
            parse: |settings| {
                let method: M = settings.clone().try_into().map_err(|error: toml::de::Error| {
                    // the key stands on a line of its own below the message
                    error.to_string().trim().replace('\n', " ")
                })?;
                method.validate()?;
                Ok(method.into())
            },
            defaults: || toml::Table::try_from(M::default()).unwrap_or_default(),
        }
    }

    /// The settings with their defaults; those that are derived from the problem are absent.
    pub fn defaults(&self) -> toml::Table {
        (self.defaults)()
    }
}

/// A solver that cannot be built from what was asked for.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum SettingsError {
    /// No such solver.
    #[error("there is no solver \"{name}\"; the panel has {known}")]
    UnknownSolver {
        /// what was asked for
        name: String,
        /// what there is
        known: String,
    },
    /// A setting the solver does not accept.
    #[error("solver {solver}: {message}")]
    BadSetting {
        /// the solver
        solver: String,
        /// what is wrong
        message: String,
    },
}

/// Makes the list of entries and the type that holds any of them.
macro_rules! panel {
    ($($variant:ident($method:ty),)*) => {
        /// Every method, in the order of listings.
        pub const PANEL: &[Entry] = &[$(Entry::of::<$method>()),*];

        /// The settings of any method of the panel.
        #[derive(Clone)]
        pub enum AnyMethod {
            $(#[doc = concat!("[`", stringify!($method), "`]")] $variant($method),)*
        }

        $(impl From<$method> for AnyMethod {
            fn from(method: $method) -> Self {
                AnyMethod::$variant(method)
            }
        })*

        impl AnyMethod {
            fn build_1(&self) -> Box<dyn Solver<1>> {
                match self { $(AnyMethod::$variant(method) => method.build(),)* }
            }

            fn build_2(&self) -> Box<dyn Solver<2>> {
                match self { $(AnyMethod::$variant(method) => method.build(),)* }
            }

            fn build_3(&self) -> Box<dyn Solver<3>> {
                match self { $(AnyMethod::$variant(method) => method.build(),)* }
            }

            /// The laws it solves.
            pub fn covers(&self) -> &'static [Kind] {
                match self { $(AnyMethod::$variant(_) => <$method>::COVERS,)* }
            }

            /// Its name.
            pub fn name(&self) -> &'static str {
                match self { $(AnyMethod::$variant(_) => <$method>::NAME,)* }
            }
        }
    };
}

panel! {
    Auto(auto::Auto),
    Nlgs(nlgs::Nlgs),
    NlgsAccelerated(nlgs_accelerated::NlgsAccelerated),
    Pgd(pgd::Pgd),
    Apgd(apgd::Apgd),
    ApgdAs(apgd::ApgdAs),
    ApgdAr(apgd::ApgdAr),
    ApgdAsr(apgd::ApgdAsr),
    Spg(spg::Spg),
    FixedPoint(fixed_point::FixedPoint),
    SemismoothNewton(semismooth_newton::SemismoothNewton),
    Proximal(proximal::Proximal),
    Wander(wander::Wander),
    InteriorPoint(interior_point::InteriorPoint),
    Admm(admm::Admm),
    Lemke(lemke::Lemke),
    Qp(qp::Qp),
}

pub use admm::Admm;
pub use apgd::{Accelerated, Apgd, ApgdAr, ApgdAs, ApgdAsr};
pub use auto::Auto;
pub use fixed_point::FixedPoint;
pub use interior_point::InteriorPoint;
pub use lemke::Lemke;
pub use newton::Form;
pub use nlgs::{Nlgs, Order};
pub use nlgs_accelerated::{NlgsAccelerated, Restart};
pub use pgd::Pgd;
pub use proximal::Proximal;
pub use qp::Qp;
pub use semismooth_newton::SemismoothNewton;
pub use spg::Spg;
pub use wander::Wander;

impl AnyMethod {
    /// The solver for blocks of size D: 1, 2 or 3, and 5 or 6 for the methods that cover rolling friction; the others end
    /// there as broken, and say so.
    ///
    /// Every solver is compiled here, once, and not again in each crate that asks for one.
    pub fn build<const D: usize>(&self) -> Box<dyn Solver<D>> {
        const { assert!(D >= 1 && D <= 6 && D != 4, "contact blocks have 1, 2, 3, 5 or 6 components") }
        let solver: Box<dyn Any> = match D {
            1 => Box::new(self.build_1()),
            2 => Box::new(self.build_2()),
            3 => Box::new(self.build_3()),
            5 => Box::new(self.build_large::<5>()),
            _ => Box::new(self.build_large::<6>()),
        };
        *solver.downcast().expect("the arm of D builds for D")
    }

    /// Solvers of blocks with slip, roll and spin.
    fn build_large<const D: usize>(&self) -> Box<dyn Solver<D>> {
        match self {
            AnyMethod::Auto(method) => method.build(),
            AnyMethod::Nlgs(method) => method.build(),
            AnyMethod::NlgsAccelerated(method) => method.build(),
            AnyMethod::Pgd(method) => method.build(),
            AnyMethod::Apgd(method) => method.build(),
            AnyMethod::ApgdAs(method) => method.build(),
            AnyMethod::ApgdAr(method) => method.build(),
            AnyMethod::ApgdAsr(method) => method.build(),
            AnyMethod::Spg(method) => method.build(),
            AnyMethod::FixedPoint(method) => method.build(),
            AnyMethod::SemismoothNewton(_)
            | AnyMethod::Proximal(_)
            | AnyMethod::Wander(_)
            | AnyMethod::InteriorPoint(_)
            | AnyMethod::Admm(_)
            | AnyMethod::Lemke(_)
            | AnyMethod::Qp(_) => Box::new(Refusal { method: self.name() }),
        }
    }

    /// The method of that name with these settings; unknown keys and values out of range are refused.
    pub fn parse(name: &str, settings: &toml::Table) -> Result<Self, SettingsError> {
        let entry = find(name).ok_or_else(|| SettingsError::UnknownSolver {
            name: name.to_string(),
            known: PANEL.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", "),
        })?;
        (entry.parse)(settings)
            .map_err(|message| SettingsError::BadSetting { solver: name.to_string(), message })
    }
}

/// In place of a method that has no form for large blocks.
struct Refusal {
    method: &'static str,
}

impl<const D: usize> Solver<D> for Refusal {
    fn solve(&mut self, problem: &ContactProblem<D>, r: &mut [Vector<D>], stop: &Stop) -> Outcome {
        let mut watch = stop.watch(problem);
        watch.note(format!("{} has no form for blocks of {D} components: choose auto or nlgs", self.method));
        watch.end(Status::Broken);
        watch.finish(r)
    }
}

/// The entry of that name.
pub fn find(name: &str) -> Option<&'static Entry> {
    PANEL.iter().find(|entry| entry.name == name)
}

/// Refuses a number that is given and not positive.
fn positive(key: &str, value: Option<f64>) -> Result<(), String> {
    match value {
        Some(x) if !(x > 0.0 && x.is_finite()) => Err(format!("{key} = {x}: give a positive number")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_of_the_folder_is_in_the_panel() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/panel");
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            let stem = path.file_stem().unwrap().to_str().unwrap().replace('_', "-");
            let shared = [
                "mod",
                "closing",
                "faceted",
                "few-contacts",
                "gradient",
                "knots",
                "least-squares",
                "newton",
                "sweeps",
            ]
            .contains(&stem.as_str());
            assert!(shared || find(&stem).is_some(), "panel/{stem}.rs has no entry in panel!");
        }
    }

    #[test]
    fn defaults_are_valid_and_strangers_refused() {
        for entry in PANEL {
            let method = AnyMethod::parse(entry.name, &entry.defaults()).unwrap();
            assert_eq!((method.name(), method.covers()), (entry.name, entry.covers));
            let stranger = toml::Table::from_iter([("no_such_key".to_string(), 1.into())]);
            let error = AnyMethod::parse(entry.name, &stranger).err().unwrap().to_string();
            assert!(error.contains(entry.name) && error.contains("no_such_key"), "{error}");
            assert_eq!(PANEL.iter().filter(|other| other.name == entry.name).count(), 1);
        }
        assert!(matches!(
            AnyMethod::parse("nlsg", &toml::Table::new()),
            Err(SettingsError::UnknownSolver { known, .. }) if known.contains("nlgs")
        ));
    }
}
