//! The solvers of one contact that the paper puts inside its sweeps, section 4.

use crate::{Claim, Result, Setting, fit};
use stickslip::World;
use stickslip::rigid::Rigid;
use stickslip_geometry::space::{Dim, Vector};
use stickslip_solvers::panel::AnyMethod;
use stickslip_solvers::stop::Stop;

/// A solver of one contact.
#[derive(Clone, Copy)]
pub struct Local {
    /// As the paper calls it.
    pub label: &'static str,
    /// As settings do.
    name: &'static str,
}

pub const NEWTON: Local = Local { label: "Newton", name: "alart-curnier" };
pub const LEMKE: Local = Local { label: "Lemke", name: "lemke" };
pub const QP: Local = Local { label: "QP", name: "qp" };
/// Explicit for spheres alone, section 4.5.
pub const DEDICATED: Local = Local { label: "dedicated", name: "scalar" };
/// Exact for every block; not of the paper.
pub const ENUMERATION: Local = Local { label: "enumeration", name: "enumeration" };

/// One contact is solved to this: far finer than all contacts together.
const ONE_CONTACT: f64 = 1e-8;

impl Local {
    /// Sweeps with it.
    pub fn sweeps(&self) -> Result<AnyMethod> {
        let one = toml::Table::from_iter([
            ("solver".to_string(), self.name.into()),
            ("tolerance".to_string(), ONE_CONTACT.into()),
        ]);
        Ok(AnyMethod::parse("nlgs", &toml::Table::from_iter([("one_contact".to_string(), one.into())]))?)
    }
}

/// What sweeps over the problems of some steps took with one of the solvers, all from the same impulses.
#[derive(Clone, Copy, Default)]
struct Spent {
    seconds: f64,
    /// The largest distance of its velocities from those of the first solver, by the largest of those.
    apart: f64,
}

/// Solvers of one contact, side by side on the problems of some steps: so many sweeps each.
pub struct Race {
    locals: Vec<Local>,
    spent: Vec<Spent>,
    problems: usize,
    stop: Stop,
}

impl Race {
    pub fn new(locals: &[Local], sweeps: usize) -> Self {
        let stop = Stop { tolerance: f64::MIN_POSITIVE, max_iterations: sweeps, ..Stop::default() };
        Race { locals: locals.to_vec(), spent: vec![Spent::default(); locals.len()], problems: 0, stop }
    }

    /// Lets all sweep over the problem of the next step; the world stays as it is.
    pub fn run<const D: usize>(&mut self, world: &mut World<D>, h: f64) -> Result<()>
    where
        Dim<D>: Rigid<D>,
    {
        let Some((problem, start)) = world.problem(h)? else { return Ok(()) };
        self.problems += 1;
        let mut first: Option<Vec<Vector<D>>> = None;
        for (local, spent) in self.locals.iter().zip(&mut self.spent) {
            let mut r = start.clone();
            spent.seconds += local.sweeps()?.build::<D>().solve(&problem, &mut r, &self.stop).seconds;
            let u = problem.velocities(&r);
            spent.apart = spent.apart.max(first.as_ref().map_or(0.0, |first| apart(first, &u)));
            first.get_or_insert(u);
        }
        Ok(())
    }

    /// Newton's method is the fastest, and all find the same.
    pub fn claims(&self) -> Vec<Claim> {
        let of = |which: Local| {
            let place = self.locals.iter().position(|local| local.label == which.label);
            place.map_or(f64::NAN, |place| self.spent[place].seconds)
        };
        let times = [LEMKE, QP].map(|local| {
            let label = format!("time of sweeps with {} by those with Newton, which are faster", local.label);
            Claim::at_least(label, 1.0, of(local) / of(NEWTON), 0.0).timed()
        });
        let most = self.spent.iter().map(|spent| spent.apart).fold(0.0, fit::larger);
        let label =
            format!("difference of velocities by all solvers after {} sweeps", self.stop.max_iterations);
        times.into_iter().chain([Claim::at_most(label, 0.0, most, 1e-3).ours()]).collect()
    }

    /// Writes what each took.
    pub fn table(&self, setting: &Setting, name: &str) -> Result<()> {
        let rows = self.locals.iter().zip(&self.spent).map(|(local, spent)| {
            let numbers = [spent.seconds, spent.apart].map(|x| x.to_string());
            [vec![local.label.to_string(), self.problems.to_string()], numbers.to_vec()].concat()
        });
        setting.table(name, &["solver", "problems", "seconds", "apart"], rows)
    }
}

/// The largest difference of two fields by the largest of the first.
fn apart<const D: usize>(a: &[Vector<D>], b: &[Vector<D>]) -> f64 {
    let largest = a.iter().map(|u| u.norm()).fold(f64::MIN_POSITIVE, fit::larger);
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, fit::larger) / largest
}
