//! The methods of Abide 2021 as the paper runs them: Gauss–Seidel sweeps from zero, one local iteration a visit, until a
//! sweep changes the impulses by less than ε, eq. (4.15).
//!
//! The paper's p is a force: only so do its ρ = m/dt and its 20 sweeps of SAL in 6.1 (the load of one ball halved to
//! ε = 1e-8 N) fit together. An impulse is p h, and the law is on ũ = (u⁺ + e u⁻)/(1 + e), where we have u⁺ + e u⁻:
//!
//!   γ = γ_paper h/(1 + e),   ρ = m/(1 + e),   change = ε h

use crate::{Claim, Result, fit, parameter};
use stickslip::report::StepReport;
use stickslip::rigid::Rigid;
use stickslip::{BodyId, World};
use stickslip_geometry::space::Dim;
use stickslip_scene::{Built, Scene};
use stickslip_solvers::one_contact::{self, Name};
use stickslip_solvers::outcome::Status;
use stickslip_solvers::panel::{Nlgs, Order};

/// A residual that no step reaches: the change of the impulses ends a solve.
const NEVER: f64 = 1e-300;

/// What the paper prints of its methods in one experiment, and what it leaves open of them, the same for all.
#[derive(Clone, Copy)]
pub struct Printed {
    /// γ_n and γ_τ; from W where there are none.
    pub gamma: Option<[f64; 2]>,
    /// ε of the stopping test.
    pub epsilon: f64,
    /// Sweeps of a step at most, on which the paper is silent.
    pub most: usize,
    /// In which order a sweep visits the contacts, on which it is silent too.
    pub order: Order,
    /// The mass in ρ = m/dt among several balls, by that of the lightest.
    pub mass: f64,
}

impl Printed {
    /// With our choice of the order, the fastest, and of the mass, that with which two of the lightest balls move against each
    /// other: with less, sweeps of sal and ibp converge at every contact.
    pub const fn new(gamma: Option<[f64; 2]>, epsilon: f64, most: usize) -> Self {
        Printed { gamma, epsilon, most, order: Order::Interleaved, mass: 0.5 }
    }
}

/// How the contacts of a step are solved.
#[derive(Clone, Copy, PartialEq)]
pub enum Method {
    /// As the paper does it.
    Paper(Name),
    /// By `auto` from the impulses of the last step, to a residual.
    Auto(f64),
}

/// The methods that the paper compares.
pub const COMPARED: [Method; 4] = [
    Method::Paper(Name::Epdas),
    Method::Paper(Name::Ipdas),
    Method::Paper(Name::Sal),
    Method::Paper(Name::Ibp),
];
/// The one that the paper is about.
pub const IPDAS: Method = Method::Paper(Name::Ipdas);
/// The one whose sweeps move least.
pub const SAL: Method = Method::Paper(Name::Sal);
/// The bi-potential.
pub const IBP: Method = Method::Paper(Name::Ibp);

impl Method {
    /// As the paper writes it.
    pub fn name(self) -> String {
        match self {
            Method::Paper(name) => name.name().to_uppercase(),
            Method::Auto(tolerance) => format!("auto to {tolerance:e}"),
        }
    }

    /// Tells a world how to solve; the mass is that of ρ = m/dt.
    fn set<const D: usize>(
        self,
        world: &mut World<D>,
        scene: &Scene,
        printed: &Printed,
        mass: f64,
    ) -> Result<()>
    where
        Dim<D>: Rigid<D>,
    {
        let solver = match self {
            Method::Auto(tolerance) => {
                world.stop.tolerance = tolerance;
                return Ok(());
            }
            Method::Paper(solver) => solver,
        };
        let h = scene.file.time.value.step;
        let (e_n, e_t) = (parameter(scene, "e_n")?, parameter(scene, "e_t")?);
        let one_contact = one_contact::Settings {
            solver,
            gamma_n: printed.gamma.map(|[gamma, _]| gamma * h / (1.0 + e_n)),
            gamma_t: printed.gamma.map(|[_, gamma]| gamma * h / (1.0 + e_t)),
            rho: Some(mass / (1.0 + e_t)),
            max_iterations: 1,
            inexact: true,
            ..one_contact::Settings::default()
        };
        let sweeps = Nlgs {
            change: Some(printed.epsilon * h),
            damping: false,
            order: printed.order,
            one_contact,
            ..Nlgs::default()
        };
        world.solver = Some(sweeps.into());
        (world.warm_start, world.retry) = (false, false);
        (world.stop.tolerance, world.stop.max_iterations) = (NEVER, printed.most);
        Ok(())
    }
}

/// A scene run by a method, and what it cost.
pub struct Run<const D: usize>
where
    Dim<D>: Rigid<D>,
{
    pub method: Method,
    pub built: Built<D>,
    /// What moves.
    pub balls: Vec<BodyId>,
    pub h: f64,
    pub end: f64,
    /// Sweeps of all steps, and seconds of all solves.
    pub sweeps: usize,
    pub seconds: f64,
    /// The largest residual of a step, and the deepest overlap.
    pub residual: f64,
    pub penetration: f64,
    /// Mass of the lightest ball.
    pub lightest: f64,
}

/// What a step cost.
#[derive(Clone, Copy)]
pub struct Cost {
    pub sweeps: usize,
    /// Of the solve.
    pub seconds: f64,
    /// Whether the sweeps ended by their own test.
    pub solved: bool,
}

impl Cost {
    pub fn of(report: &StepReport) -> Self {
        let unsolved = |status| !matches!(status, Status::Converged | Status::Stalled);
        Cost {
            sweeps: sweeps(report),
            seconds: report.seconds.solve,
            solved: !report.outcome.as_ref().is_some_and(|outcome| unsolved(outcome.status)),
        }
    }
}

impl<const D: usize> Run<D>
where
    Dim<D>: Rigid<D>,
{
    pub fn new(scene: &Scene, method: Method, printed: &Printed) -> Result<Self> {
        let mut built = scene.build::<D>()?;
        let bodies = built.world.bodies();
        let balls: Vec<BodyId> =
            built.all.iter().copied().filter(|ball| bodies.is_free(ball.index())).collect();
        let lightest = balls.iter().map(|ball| bodies.mass[ball.index()]).fold(f64::INFINITY, fit::smaller);
        let mass = if balls.len() > 1 { printed.mass * lightest } else { lightest };
        method.set(&mut built.world, scene, printed, mass)?;
        let time = &scene.file.time.value;
        let (h, end) = (time.step, time.end);
        Ok(Run {
            method,
            built,
            balls,
            h,
            end,
            sweeps: 0,
            seconds: 0.0,
            residual: 0.0,
            penetration: 0.0,
            lightest,
        })
    }

    /// The radii of the smallest ball and of the largest.
    pub fn radii(&self) -> (f64, f64) {
        let shapes = &self.built.world.bodies().shape;
        let radii = self.balls.iter().map(|ball| shapes[ball.index()].inner_radius());
        radii.fold((f64::INFINITY, 0.0), |(small, large), r| (fit::smaller(small, r), fit::larger(large, r)))
    }

    /// Steps of the whole run.
    pub fn steps(&self) -> usize {
        (self.end / self.h).round() as usize
    }

    pub fn step(&mut self) -> Result<StepReport> {
        let report = self.built.world.step(self.h)?;
        self.sweeps += sweeps(&report);
        self.seconds += report.seconds.solve;
        self.penetration = fit::larger(self.penetration, report.penetration);
        if let Some(outcome) = &report.outcome {
            self.residual = fit::larger(self.residual, outcome.residual.scaled);
        }
        Ok(report)
    }
}

/// Sweeps of a step.
pub fn sweeps(report: &StepReport) -> usize {
    report.outcome.as_ref().map_or(0, |outcome| outcome.iterations)
}

/// The middle one of some counts.
pub fn median(mut counts: Vec<usize>) -> f64 {
    counts.sort_unstable();
    counts.get(counts.len() / 2).map_or(f64::NAN, |&count| count as f64)
}

/// Seconds of all solves of a scene, each of them as in the faster of two runs, which are the same in all else: first steps of a
/// program and other work on the machine do not enter.
pub fn least_seconds<const D: usize>(scene: &Scene, method: Method, printed: &Printed) -> Result<f64>
where
    Dim<D>: Rigid<D>,
{
    let solves = || {
        let mut run = Run::<D>::new(scene, method, printed)?;
        (0..run.steps()).map(|_| Ok(run.step()?.seconds.solve)).collect::<Result<Vec<f64>>>()
    };
    let (first, second) = (solves()?, solves()?);
    Ok(first.into_iter().zip(second).map(|(first, second)| fit::smaller(first, second)).sum())
}

/// How far a method's seconds by those of IPDAS may be from the paper's, as a part: machines and programs differ.
const ALIKE_IN_TIME: f64 = 0.5;

/// Seconds of the methods by those of IPDAS, beside the paper's.
pub fn times(paper: &[f64; 4], seconds: &[f64]) -> Vec<Claim> {
    let claim = |(k, &ours): (usize, &f64)| {
        let claim = format!("seconds of {} by those of IPDAS", COMPARED[k].name());
        let paper = paper[k] / paper[1];
        Claim::near(claim, paper, ours / seconds[1], ALIKE_IN_TIME * paper).timed()
    };
    seconds.iter().enumerate().filter(|(k, _)| *k != 1).map(claim).collect()
}
