//! How sweeps solve one contact, the others held.

use crate::block::{Matrix, Vector, tangent_norm, tangent_norm_squared};
use crate::delassus::Operator;
use crate::laws::{ContactLaw, Law};
use crate::one_contact::{self, LocalSolver, OneContact, Prepared};
use crate::parallel;
use crate::problem::ContactProblem;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A rule for one contact.
pub(in crate::panel) trait Rule<const D: usize>: Send + Sync {
    /// What the rule remembers of each contact from sweep to sweep.
    type Memory: Clone + Send;
    /// What it knows of the contacts before the first sweep from r.
    fn recall(&self, problem: &ContactProblem<D>, r: &[Vector<D>]) -> Vec<Self::Memory>;
    /// Whether contacts without impulse that open go on without one, unseen by the rule.
    const LEAVES_OPEN: bool = false;
    /// The impulse of a contact whose impulse r_i gives it the velocity u_i.
    fn solve<F: Operator<D>>(
        &self,
        at: Visited<D, F>,
        u_i: &Vector<D>,
        r_i: &Vector<D>,
        memory: &mut Self::Memory,
    ) -> Vector<D>;
}

/// The contact of a visit; what a rule does not ask for is not read.
pub(in crate::panel) struct Visited<'a, const D: usize, F> {
    pub W: &'a F,
    pub problem: &'a ContactProblem<D>,
    pub i: usize,
}

impl<const D: usize, F> Clone for Visited<'_, D, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<const D: usize, F> Copy for Visited<'_, D, F> {}

impl<'a, const D: usize, F> Visited<'a, D, F> {
    #[inline(always)]
    fn law(&self) -> &'a Law {
        &self.problem.laws[self.i]
    }

    /// Whether the contact needs no impulse where it opens at u_N without one.
    #[inline(always)]
    pub fn opens(&self, u_N: f64) -> bool {
        u_N >= 0.0 && matches!(self.law(), Law::Coulomb(_) | Law::Frictionless(_) | Law::Rolling(_))
    }
}

impl<'a, const D: usize, F: Operator<D>> Visited<'a, D, F> {
    /// W_ii.
    #[inline(always)]
    fn block(&self) -> &'a Matrix<D> {
        self.W.diagonal(self.i)
    }

    /// Relative velocity of the contact as if it carried no impulse, Renouf–Acary 2006 (6).
    #[inline(always)]
    fn without_impulse(&self, u_i: &Vector<D>, r_i: &Vector<D>) -> Vector<D> {
        u_i - self.block() * r_i
    }

    /// The exact solution by enumeration.
    #[inline(always)]
    fn solve_exactly(&self, u_i: &Vector<D>, r_i: &Vector<D>) -> Vector<D> {
        one_contact::solve_exactly(self.block(), &self.without_impulse(u_i, r_i), self.law(), r_i)
    }
}

/// Runs the same expression, in a function of dimension D, with the rule that finds the exact solution at the least cost.
macro_rules! with_exact_rule {
    ($problem:expr, $rule:ident => $body:expr) => {
        if $crate::one_contact::is_uncoupled($problem) {
            let $rule = $crate::panel::sweeps::Ready($crate::one_contact::prepare_uncoupled);
            $body
        } else if D == 2 {
            let $rule = $crate::panel::sweeps::Ready($crate::one_contact::PlaneContact::of);
            $body
        } else {
            let $rule = $crate::panel::sweeps::Exact;
            $body
        }
    };
}
pub(in crate::panel) use with_exact_rule;

/// The exact solution, by enumeration. Contacts that stay open or stick, most of them, are settled without a division,
/// those that stay open by their normal velocity alone.
#[derive(Clone, Copy)]
pub(in crate::panel) struct Exact;

impl<const D: usize> Rule<D> for Exact {
    /// W_ii⁻¹; not a number where W_ii is nearly singular.
    type Memory = Matrix<D>;
    const LEAVES_OPEN: bool = true;

    fn recall(&self, problem: &ContactProblem<D>, r: &[Vector<D>]) -> Vec<Matrix<D>> {
        let mut inverses = vec![Matrix::from_element(f64::NAN); r.len()];
        parallel::update(&mut inverses, |i, slot| {
            if let Some(inverse) = one_contact::well_conditioned_inverse(problem.W.diagonal(i)) {
                *slot = inverse;
            }
        });
        inverses
    }

    #[inline(always)]
    fn solve<F: Operator<D>>(
        &self,
        at: Visited<D, F>,
        u_i: &Vector<D>,
        r_i: &Vector<D>,
        inverse: &mut Matrix<D>,
    ) -> Vector<D> {
        let law = at.law();
        // not needed by every contact, and this runs at every visit
        let stick = || r_i - *inverse * u_i;
        match law {
            Law::Coulomb(law) => {
                if let Some(stick) = inside_cone(stick(), law.mu) {
                    return stick;
                }
            }
            Law::Rolling(_) | Law::RollingConvex(_) => {
                let stick = stick();
                if law.project(stick) == stick {
                    return stick;
                }
            }
            _ => {}
        }
        at.solve_exactly(u_i, r_i)
    }
}

/// An impulse that pushes and lies in the cone.
#[inline(always)]
fn inside_cone<const D: usize>(r: Vector<D>, mu: f64) -> Option<Vector<D>> {
    let bound = mu * r[0];
    (bound > 0.0 && tangent_norm_squared(&r) <= bound * bound).then_some(r)
}

/// The same in space, where slip is only nearly solved, from what the last visit left: for sweeps that look for states.
#[derive(Clone, Copy)]
pub(in crate::panel) struct Nearly;

impl<const D: usize> Rule<D> for Nearly {
    /// W_ii⁻¹ as of [`Exact`], and the α of the last slip.
    type Memory = (Matrix<D>, f64);
    const LEAVES_OPEN: bool = true;

    fn recall(&self, problem: &ContactProblem<D>, r: &[Vector<D>]) -> Vec<(Matrix<D>, f64)> {
        Exact.recall(problem, r).into_iter().map(|inverse| (inverse, 0.0)).collect()
    }

    #[inline(always)]
    fn solve<F: Operator<D>>(
        &self,
        at: Visited<D, F>,
        u_i: &Vector<D>,
        r_i: &Vector<D>,
        (inverse, alpha): &mut (Matrix<D>, f64),
    ) -> Vector<D> {
        let Law::Coulomb(law) = at.law() else { return at.solve_exactly(u_i, r_i) };
        if let Some(stick) = inside_cone(r_i - *inverse * u_i, law.mu) {
            return stick;
        }
        let q_i = at.without_impulse(u_i, r_i);
        if q_i[0] >= 0.0 {
            return Vector::zeros();
        }
        let slip =
            if law.mu > 0.0 { one_contact::slip_nearly(at.block(), &q_i, law.mu, alpha) } else { None };
        slip.unwrap_or_else(|| one_contact::solve_exactly(at.block(), &q_i, at.law(), r_i))
    }
}

/// Contacts made ready by a function before the first sweep; the enumeration where that leaves them to others.
#[derive(Clone, Copy)]
pub(in crate::panel) struct Ready<Make>(pub Make);

impl<const D: usize, P: Prepared<D>, Make: Fn(&Matrix<D>, &Law) -> P + Send + Sync> Rule<D> for Ready<Make> {
    type Memory = P;
    const LEAVES_OPEN: bool = true;

    fn recall(&self, problem: &ContactProblem<D>, r: &[Vector<D>]) -> Vec<P> {
        (0..r.len()).map(|i| self.0(problem.W.diagonal(i), &problem.laws[i])).collect()
    }

    #[inline(always)]
    fn solve<F: Operator<D>>(
        &self,
        at: Visited<D, F>,
        u_i: &Vector<D>,
        r_i: &Vector<D>,
        contact: &mut P,
    ) -> Vector<D> {
        contact.solve(u_i, r_i).unwrap_or_else(|| at.solve_exactly(u_i, r_i))
    }
}

/// A one-contact solver of the user's choice, the enumeration where it fails.
pub(in crate::panel) struct Chosen<'a> {
    pub settings: &'a one_contact::Settings,
    pub fallbacks: AtomicUsize,
}

impl<const D: usize> Rule<D> for Chosen<'_> {
    type Memory = ();

    fn recall(&self, _problem: &ContactProblem<D>, r: &[Vector<D>]) -> Vec<()> {
        vec![(); r.len()]
    }

    #[inline(always)]
    fn solve<F: Operator<D>>(
        &self,
        at: Visited<D, F>,
        u_i: &Vector<D>,
        r_i: &Vector<D>,
        (): &mut (),
    ) -> Vector<D> {
        let (W_ii, q_i) = (at.block(), at.without_impulse(u_i, r_i));
        let Law::Coulomb(law) = at.law() else {
            return one_contact::solve_exactly(W_ii, &q_i, at.law(), r_i);
        };
        let solved = self.settings.solve(&OneContact { W: W_ii, q: q_i, mu: law.mu }, r_i);
        if solved.converged || self.settings.inexact {
            return solved.r;
        }
        self.fallbacks.fetch_add(1, Ordering::Relaxed);
        one_contact::solve_coulomb(W_ii, &q_i, law.mu)
    }
}

/// Coulomb friction as associated friction with a normal shift μ s, s following |u_T| at a given rate a sweep: the
/// problem that the sweeps see is convex at any moment, and turns into Coulomb's as s settles, Bloch 2023 (39).
pub(in crate::panel) struct Lagged {
    pub rate: f64,
}

impl<const D: usize> Rule<D> for Lagged {
    /// s, the slip speed that the shift supposes.
    type Memory = f64;

    fn recall(&self, problem: &ContactProblem<D>, r: &[Vector<D>]) -> Vec<f64> {
        problem.velocities(r).iter().map(tangent_norm).collect()
    }

    #[inline(always)]
    fn solve<F: Operator<D>>(
        &self,
        at: Visited<D, F>,
        u_i: &Vector<D>,
        r_i: &Vector<D>,
        s: &mut f64,
    ) -> Vector<D> {
        let (W_ii, q_i) = (at.block(), at.without_impulse(u_i, r_i));
        let Law::Coulomb(law) = at.law() else {
            return one_contact::solve_exactly(W_ii, &q_i, at.law(), r_i);
        };
        let mut shifted = q_i;
        shifted[0] += law.mu * *s;
        let r = one_contact::solve_convex(W_ii, &shifted, law.mu);
        let slip = tangent_norm(&(W_ii * r + q_i));
        *s += self.rate * (slip - *s);
        r
    }
}
