//! Problems from files: read, given their law, and handed to the code of their dimension.

use crate::condense::Condensed;
use anyhow::{Result, anyhow};
use clap::ValueEnum;
use std::path::{Path, PathBuf};
use std::time::Instant;
use stickslip_solvers::block::Vector;
use stickslip_solvers::fclib::{Fclib, Form};
use stickslip_solvers::laws::{Kind, Law};
use stickslip_solvers::outcome::Outcome;
use stickslip_solvers::panel::AnyMethod;
use stickslip_solvers::problem::ContactProblem;
use stickslip_solvers::residual::{Residual, residual};
use stickslip_solvers::squeezed::is_squeezed;
use stickslip_solvers::stop::Stop;

/// The law that a file's friction coefficients are meant for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LawChoice {
    /// Exact Signorini-Coulomb.
    Coulomb,
    /// The convex relaxation (associated flow).
    Convex,
    /// No friction.
    Frictionless,
}

impl LawChoice {
    fn law(self, mu: f64) -> Law {
        match self {
            LawChoice::Coulomb => Law::coulomb(mu),
            LawChoice::Convex => Law::convex(mu),
            LawChoice::Frictionless => Law::frictionless(),
        }
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        self.law(0.0).kind().name()
    }

    /// Whether a solver of these laws knows this one.
    pub fn is_among(self, covers: &[Kind]) -> bool {
        covers.contains(&self.law(0.0).kind())
    }

    /// Refuses a solver that does not know this law, with what to do instead.
    pub fn check(self, method: &AnyMethod) -> Result<()> {
        if self.is_among(method.covers()) {
            return Ok(());
        }
        let name = method.name();
        let laws: Vec<&str> = method.covers().iter().map(|kind| kind.name()).collect();
        let remedy = if self == LawChoice::Coulomb {
            format!(
                "take `--law convex` for the convex relaxation, or the solver `fixed-point:inner.solver={name}` for \
                 exact friction"
            )
        } else {
            "take one of those by `--law`, or the solver `auto`, which solves all".to_string()
        };
        Err(anyhow!(
            "solver {name} does not solve {} problems but {}; {remedy}",
            self.name(),
            laws.join(", ")
        ))
    }
}

/// A file in memory, ready to solve.
pub struct Problem {
    /// Where it came from.
    pub path: PathBuf,
    /// The raw arrays.
    pub file: Fclib,
    /// The law its friction coefficients are meant for.
    pub law: LawChoice,
    posed: Posed,
}

/// The contact problem in its dimension: the choice is made once, here.
enum Posed {
    D1(ContactProblem<1>),
    D2(ContactProblem<2>),
    D3(ContactProblem<3>),
}

/// What a solve leaves.
pub struct Solution {
    /// The certificate.
    pub outcome: Outcome,
    /// Impulses and velocities, flat.
    pub point: stickslip_solvers::fclib::Point,
}

impl Problem {
    /// Reads and poses a problem.
    pub fn read(path: &Path, law: LawChoice) -> Result<Self> {
        let file = Fclib::read(path)?;
        let with_file = |error| anyhow!("{}: {error}", path.display());
        let posed = match file.dimension {
            1 => Posed::D1(file.problem(|mu| law.law(mu)).map_err(with_file)?),
            2 => Posed::D2(file.problem(|mu| law.law(mu)).map_err(with_file)?),
            _ => Posed::D3(file.problem(|mu| law.law(mu)).map_err(with_file)?),
        };
        Ok(Problem { path: path.to_path_buf(), file, law, posed })
    }

    /// The file's name without folder and ending.
    pub fn name(&self) -> String {
        name_of(&self.path)
    }

    /// How W is held.
    pub fn form(&self) -> &'static str {
        match &self.posed {
            Posed::D1(problem) => problem.W.form(),
            Posed::D2(problem) => problem.W.form(),
            Posed::D3(problem) => problem.W.form(),
        }
    }

    /// Relative asymmetry of what the file holds: a stored W is used as given, W behind an asymmetric M symmetrised.
    pub fn asymmetry(&self) -> f64 {
        match &self.file.form {
            Form::Local { W, .. } => W.asymmetry(),
            Form::Global { M, .. } => M.asymmetry(),
        }
    }

    /// Solves from zero, or from the file's guess.
    pub fn solve(&self, method: &AnyMethod, stop: &Stop, from_guess: bool) -> Solution {
        match &self.posed {
            Posed::D1(problem) => self.solve_posed(problem, method, stop, from_guess),
            Posed::D2(problem) => self.solve_posed(problem, method, stop, from_guess),
            Posed::D3(problem) => self.solve_posed(problem, method, stop, from_guess),
        }
    }

    /// The residual of impulses that came from elsewhere; `None` if there are too few or too many, or if they hold nothing to a
    /// tolerance.
    pub fn judge(&self, r: &[f64], tolerance: f64) -> Option<Residual> {
        match &self.posed {
            Posed::D1(problem) => judge_posed(problem, r, tolerance),
            Posed::D2(problem) => judge_posed(problem, r, tolerance),
            Posed::D3(problem) => judge_posed(problem, r, tolerance),
        }
    }

    /// With W assembled.
    pub fn condensed(&self) -> Condensed {
        match &self.posed {
            Posed::D1(problem) => Condensed::new(&self.file, problem),
            Posed::D2(problem) => Condensed::new(&self.file, problem),
            Posed::D3(problem) => Condensed::new(&self.file, problem),
        }
    }

    fn solve_posed<const D: usize>(
        &self,
        problem: &ContactProblem<D>,
        method: &AnyMethod,
        stop: &Stop,
        from_guess: bool,
    ) -> Solution {
        let mut r = if from_guess { self.file.start() } else { vec![Vector::zeros(); problem.contacts()] };
        // a solver's own clock starts after its preparations (a step from an eigenvalue, say); time is theirs too
        let start = Instant::now();
        let mut outcome = method.build::<D>().solve(problem, &mut r, stop);
        outcome.seconds = start.elapsed().as_secs_f64();
        Solution { outcome, point: self.file.point(problem, &r) }
    }
}

fn judge_posed<const D: usize>(problem: &ContactProblem<D>, r: &[f64], tolerance: f64) -> Option<Residual> {
    if r.len() != D * problem.contacts() {
        return None;
    }
    let blocks: Vec<Vector<D>> = r.chunks_exact(D).map(Vector::from_column_slice).collect();
    let residual = residual(problem, &blocks);
    (!is_squeezed(problem, &blocks, &residual, tolerance)).then_some(residual)
}

/// A file's name without folder and ending.
pub fn name_of(path: &Path) -> String {
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
