//! Contacts that close however large their impulses: problems without a solution.
//!
//! ```text
//! P = Σ max(0, −r_N u_N)  ≫  rᵀ W r = r·(u − q)
//! ```
//!
//! Where driven, fixed or joined bodies squeeze others, impulses grow along a self-stress that moves nothing. The residual is relative
//! to them and falls below any tolerance, although contacts close as before. P, the power that closing contacts take, is nothing
//! where laws are obeyed, and grows with the impulses here; rᵀ W r, the power by which impulses move bodies, does not, as W r stays
//! near −q. Impulses that are large because heavy bodies lie on light ones do move them: there P is the smaller of the two.

use crate::block::Vector;
use crate::laws::{Kind, Law};
use crate::problem::ContactProblem;
use crate::residual::Residual;

/// P is at least this many times as large as the power by which impulses move bodies.
const GROWN: f64 = 10.0;
/// And as many times as a tolerance may leave where contacts bear loads that are this many times their own, as under heavy bodies.
const LOADED: f64 = 3e6;
/// Closing at less than this part of the fastest velocity without impulses is rounding.
const NOTABLE: f64 = 1e-4;
/// The same of the velocities that single impulses would give.
const ROUNDING: f64 = 1e-14;

/// Whether impulses r, whose residual is within a tolerance, hold nothing: contacts close all the same, and no others could hold them.
pub fn is_squeezed<const D: usize>(
    problem: &ContactProblem<D>,
    r: &[Vector<D>],
    residual: &Residual,
    tolerance: f64,
) -> bool {
    let ContactProblem { q, laws, .. } = problem;
    let is_hard = |law: &Law| matches!(law.kind(), Kind::Frictionless | Kind::Coulomb | Kind::Convex);
    let gives = |law: &Law| !is_hard(law) && !matches!(law.kind(), Kind::Bilateral | Kind::Motor);
    let fastest = || q.iter().map(Vector::amax).fold(0.0, f64::max);
    if residual.approach == 0.0 || residual.approach <= NOTABLE * fastest() || laws.iter().any(gives) {
        return false;
    }
    // and where nothing moves without impulses, so is closing at less than a part of what these do
    let by_impulses = (0..r.len()).map(|i| r[i].amax() * problem.W.scale(i)).fold(0.0, f64::max);
    if residual.approach <= ROUNDING * by_impulses {
        return false;
    }
    let u = problem.velocities(r);
    let contacts = || r.iter().zip(&u);
    let taken: f64 =
        contacts().zip(laws).filter(|(_, law)| is_hard(law)).map(|((r, u), _)| (-r[0] * u[0]).max(0.0)).sum();
    let moving: f64 = contacts().zip(q).map(|((r, u), q)| r.dot(&(u - q))).sum();
    taken > GROWN.max(LOADED * tolerance) * moving.abs()
}

/// What is said of such a problem.
pub(crate) fn remark(residual: &Residual) -> String {
    format!(
        "contacts close at {:.1e} however large the impulses: driven, fixed or joined bodies squeeze others, and no impulses hold them",
        residual.approach
    )
}

#[cfg(test)]
mod tests {
    use crate::block::Vector;
    use crate::delassus::Delassus;
    use crate::laws::Law;
    use crate::outcome::Status;
    use crate::panel::{AnyMethod, Auto, Method, PANEL};
    use crate::problem::ContactProblem;
    use crate::sparse::Sparse;
    use crate::stop::Stop;

    /// A row of bodies of given masses between two walls, the last of which closes.
    fn row<const D: usize>(masses: &[f64], closing: f64) -> ContactProblem<D> {
        let contacts = masses.len() + 1;
        let mut entries = Vec::new();
        for (b, mass) in masses.iter().enumerate() {
            // body b is pushed ahead by contact b and back by contact b + 1, along the row and across it
            for k in 0..D {
                for (i, j, sign) in [(b, b, 1.0), (b, b + 1, -1.0), (b + 1, b, -1.0), (b + 1, b + 1, 1.0)] {
                    entries.push(((i * D + k) as u32, (j * D + k) as u32, sign / mass));
                }
            }
        }
        let W = Delassus::stored(&Sparse::from_triplets(contacts * D, contacts * D, &entries)).unwrap();
        let mut q = vec![Vector::<D>::zeros(); contacts];
        q[contacts - 1][0] = -closing;
        ContactProblem::new(W, q, vec![Law::coulomb(0.5); contacts]).unwrap()
    }

    #[test]
    fn what_no_impulses_hold_is_certified_by_no_method() {
        for entry in PANEL {
            for (bodies, tolerance) in [(1, 1e-4), (1, 1e-8), (12, 1e-8)] {
                let problem = row::<2>(&vec![1.0; bodies], 0.1);
                let method = AnyMethod::parse(entry.name, &entry.defaults()).unwrap();
                if problem.kinds().iter().any(|kind| !method.covers().contains(kind)) {
                    continue;
                }
                let stop = Stop { tolerance, max_iterations: 200_000, ..Stop::default() };
                let mut r = vec![Vector::zeros(); problem.contacts()];
                let outcome = method.build::<2>().solve(&problem, &mut r, &stop);
                assert_ne!(outcome.status, Status::Converged, "{} to {tolerance:e}: {outcome:?}", entry.name);
            }
        }
    }

    #[test]
    fn heavy_bodies_on_light_ones_are_not_squeezed() {
        // the row stands on end, under gravity, on a wall that stays: contacts bear what is above them
        for (top, every_other) in [(1.0, 1.0), (1e3, 1.0), (1e6, 1.0), (1e6, 1e6)] {
            let mut masses: Vec<f64> = (0..9).map(|k| if k % 2 == 1 { every_other } else { 1.0 }).collect();
            masses.push(top);
            let mut problem = row::<3>(&masses, 0.0);
            let last = problem.contacts() - 1;
            // without the upper wall, and falling
            problem.q[last][0] = 1e3;
            problem.q[0][0] = -0.01;
            for tolerance in [1e-4, 1e-8] {
                let stop = Stop { tolerance, ..Stop::default() };
                let mut r = vec![Vector::zeros(); problem.contacts()];
                let outcome = Auto::default().build::<3>().solve(&problem, &mut r, &stop);
                assert_eq!(outcome.status, Status::Converged, "top {top}, {tolerance:e}: {outcome:?}");
            }
        }
    }
}
