//! The one yardstick: how far (r, u) is from obeying every law.
//!
//! ```text
//! F_i = r_i − P(r_i − u_i − g(u_i) n)        natural map of each contact
//! natural = |F| / max(|q|, |r|, |u|)          in the units of the problem
//! scaled  = the same with s_i r_i for r_i, s_i = trace(W_ii)/D
//! ```
//!
//! The natural residual adds impulses and velocities as if they had one unit; the scaled one first turns
//! impulses into velocities, so it does not change with the units of mass and time. Both are reported, and a
//! tolerance means both unless the [`Criterion`] says otherwise.

use crate::block::Vector;
use crate::laws::Law;
use crate::parallel;
use crate::problem::ContactProblem;
use serde::{Deserialize, Serialize};

/// How well a problem is solved.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Residual {
    /// Natural-map residual in the units of the problem.
    pub natural: f64,
    /// The same with impulses turned into velocities: independent of units.
    pub scaled: f64,
    /// The contact with the largest share in the scaled residual.
    pub worst_contact: usize,
    /// That contact's share, `|F_i|` over the same denominator.
    pub worst_share: f64,
    /// Largest speed at which a one-sided contact still closes, `max(−u_N)`; 0 where none does.
    pub approach: f64,
}

/// Which residual a tolerance is meant for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Criterion {
    /// The larger of the two.
    #[default]
    Both,
    /// The natural one alone, which is the measure of Siconos.
    Siconos,
}

impl Residual {
    /// The number that a tolerance is compared with.
    pub fn measure(&self, criterion: Criterion) -> f64 {
        match criterion {
            // a NaN in either must not pass for a small number
            Criterion::Both if self.natural.is_nan() || self.scaled.is_nan() => f64::NAN,
            Criterion::Both => self.natural.max(self.scaled),
            Criterion::Siconos => self.natural,
        }
    }
}

/// The residual of impulses r, with u computed afresh.
pub fn residual<const D: usize>(problem: &ContactProblem<D>, r: &[Vector<D>]) -> Residual {
    residual_with(problem, r, &problem.velocities(r))
}

/// The contacts with the largest shares in the scaled residual of impulses r, `(contact, |F_i|)` from the worst down.
pub fn worst_contacts<const D: usize>(
    problem: &ContactProblem<D>,
    r: &[Vector<D>],
    number: usize,
) -> Vec<(usize, f64)> {
    let u = problem.velocities(r);
    let mut shares: Vec<(usize, f64)> = (0..r.len()).map(|i| (i, share(problem, i, &r[i], &u[i]))).collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    shares.truncate(number);
    shares
}

/// Contact i's part of the scaled residual, `|F_i|`.
pub(crate) fn share<const D: usize>(
    problem: &ContactProblem<D>,
    i: usize,
    r_i: &Vector<D>,
    u_i: &Vector<D>,
) -> f64 {
    let s = problem.W.scale(i);
    problem.laws[i].scaled(s).natural_map(&(r_i * s), u_i).norm()
}

/// Sums over one chunk of contacts; squares for the norms.
struct Sums {
    natural: f64,
    scaled: f64,
    q: f64,
    r: f64,
    u: f64,
    scaled_r: f64,
    worst: (usize, f64),
    approach: f64,
}

/// The residual of impulses r and velocities `u = W r + q`.
pub fn residual_with<const D: usize>(
    problem: &ContactProblem<D>,
    r: &[Vector<D>],
    u: &[Vector<D>],
) -> Residual {
    residual_by(problem, |i| problem.W.scale(i), r, u)
}

/// Whether a contact without impulse opens: then it obeys its law, whichever way it slides.
#[inline(always)]
fn is_open<const D: usize>(law: &Law, r: &Vector<D>, u: &Vector<D>) -> bool {
    u[0] >= 0.0 && r.iter().all(|&x| x == 0.0) && matches!(law, Law::Coulomb(_) | Law::Frictionless(_))
}

/// The same with scales `trace(W_ii)/D` that are known already.
pub(crate) fn residual_by<const D: usize>(
    problem: &ContactProblem<D>,
    scale: impl Fn(usize) -> f64 + Sync,
    r: &[Vector<D>],
    u: &[Vector<D>],
) -> Residual {
    let ContactProblem { q, laws, .. } = problem;
    let chunk = |range: std::ops::Range<usize>| {
        let mut sums = Sums {
            natural: 0.0,
            scaled: 0.0,
            q: 0.0,
            r: 0.0,
            u: 0.0,
            scaled_r: 0.0,
            worst: (range.start, -1.0),
            approach: 0.0,
        };
        for i in range {
            sums.q += q[i].norm_squared();
            sums.u += u[i].norm_squared();
            let mut scaled = 0.0;
            if !is_open(&laws[i], &r[i], &u[i]) {
                let s = scale(i);
                let scaled_r = r[i] * s;
                scaled = laws[i].scaled(s).natural_map(&scaled_r, &u[i]).norm_squared();
                sums.natural += laws[i].natural_map(&r[i], &u[i]).norm_squared();
                sums.scaled += scaled;
                sums.r += r[i].norm_squared();
                sums.scaled_r += scaled_r.norm_squared();
            }
            // a contact with a NaN is the worst; its law may not see it, as a frictionless one ignores its tangents
            let sees_nan = (scaled + sums.r + sums.u).is_nan();
            let share = if sees_nan { f64::INFINITY } else { scaled };
            if share > sums.worst.1 {
                sums.worst = (i, share);
            }
            if laws[i].kind().is_contact() {
                sums.approach = sums.approach.max(-u[i][0]);
            }
        }
        sums
    };
    let join = |a: Sums, b: Sums| Sums {
        natural: a.natural + b.natural,
        scaled: a.scaled + b.scaled,
        q: a.q + b.q,
        r: a.r + b.r,
        u: a.u + b.u,
        scaled_r: a.scaled_r + b.scaled_r,
        worst: if b.worst.1 > a.worst.1 { b.worst } else { a.worst },
        approach: a.approach.max(b.approach),
    };
    let Some(sums) = parallel::reduce(q.len(), chunk, join) else {
        return Residual { natural: 0.0, scaled: 0.0, worst_contact: 0, worst_share: 0.0, approach: 0.0 };
    };
    // NaN or overflow anywhere: there is no residual, and above all not a small one
    let largest = |r: f64| {
        let finite = sums.q.is_finite() && r.is_finite() && sums.u.is_finite();
        if finite { sums.q.max(r).max(sums.u).sqrt() } else { f64::NAN }
    };
    let relative = |numerator: f64, largest: f64, least: f64| {
        if largest <= least { numerator } else { numerator / largest }
    };
    // below the machine epsilon the natural numerator is not divided, as in Siconos; the scaled one knows no units
    let natural = |x: f64| relative(x.sqrt(), largest(sums.r), f64::EPSILON);
    let scaled = |x: f64| relative(x.sqrt(), largest(sums.scaled_r), 0.0);
    Residual {
        natural: natural(sums.natural),
        scaled: scaled(sums.scaled),
        worst_contact: sums.worst.0,
        worst_share: scaled(sums.worst.1.max(0.0)),
        approach: sums.approach,
    }
}
