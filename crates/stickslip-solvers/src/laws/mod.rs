//! Contact laws: what each block demands of its impulse r and its velocity u.
//!
//! Every law has the same shape, which is all a solver by projection needs:
//!
//! ```text
//! r ∈ K,   u + g(u) n ∈ K*,   r · (u + g(u) n) = 0
//! ```
//!
//! K is a closed convex set of impulses with an explicit projection, K* its dual cone, and g ≥ 0 the
//! normal shift of De Saxcé, which turns Coulomb's law into a cone complementarity. For a motor K is no cone but an
//! interval, and −u lies in its normal cone at r. A law is one file that implements [`ContactLaw`], and one variant of
//! [`Law`].

mod bilateral;
mod convex;
mod coulomb;
mod frictionless;
mod motor;

pub use bilateral::Bilateral;
pub use convex::Convex;
pub use coulomb::Coulomb;
pub use frictionless::Frictionless;
pub use motor::Motor;

use crate::block::Vector;

/// What a solver by projection asks of a law.
pub trait ContactLaw {
    /// Euclidean projection of an impulse on the set K of admissible ones.
    fn project<const D: usize>(&self, y: Vector<D>) -> Vector<D>;

    /// The shift g(u) added to the normal velocity; zero for an associated law.
    #[inline(always)]
    fn shift<const D: usize>(&self, _u: &Vector<D>) -> f64 {
        0.0
    }
}

/// The law of one contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// Unilateral contact without friction.
    Frictionless(Frictionless),
    /// Unilateral contact with exact Coulomb friction.
    Coulomb(Coulomb),
    /// The convex relaxation of Coulomb friction: associated flow.
    Convex(Convex),
    /// A joint: u = 0 and r free, in all rows or the first ones.
    Bilateral(Bilateral),
    /// A motor: u = 0 as far as a bounded r can hold it.
    Motor(Motor),
}

// sweeps read it at every visit
const _: () = assert!(size_of::<Law>() == 16);

/// The families of laws, by which a solver says what it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// [`Law::Frictionless`]
    Frictionless,
    /// [`Law::Coulomb`]
    Coulomb,
    /// [`Law::Convex`]
    Convex,
    /// [`Law::Bilateral`]
    Bilateral,
    /// [`Law::Motor`]
    Motor,
}

impl Kind {
    /// Every family.
    pub const ALL: &'static [Kind] =
        &[Kind::Frictionless, Kind::Coulomb, Kind::Convex, Kind::Bilateral, Kind::Motor];
    /// The families whose problem is one convex minimisation.
    pub const CONVEX: &'static [Kind] = &[Kind::Frictionless, Kind::Convex, Kind::Bilateral, Kind::Motor];
    /// The families whose impulses form a cone.
    pub const CONES: &'static [Kind] = &[Kind::Frictionless, Kind::Coulomb, Kind::Convex, Kind::Bilateral];

    /// Whether its normal impulse can push only.
    pub fn is_contact(self) -> bool {
        matches!(self, Kind::Frictionless | Kind::Coulomb | Kind::Convex)
    }

    /// The name used on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Frictionless => "frictionless",
            Kind::Coulomb => "coulomb",
            Kind::Convex => "convex",
            Kind::Bilateral => "bilateral",
            Kind::Motor => "motor",
        }
    }
}

impl Law {
    /// Exact Coulomb friction.
    pub fn coulomb(mu: f64) -> Self {
        Law::Coulomb(Coulomb { mu })
    }

    /// The convex relaxation of Coulomb friction.
    pub fn convex(mu: f64) -> Self {
        Law::Convex(Convex { mu })
    }

    /// Contact without friction.
    pub fn frictionless() -> Self {
        Law::Frictionless(Frictionless)
    }

    /// A joint that locks all rows.
    pub fn bilateral() -> Self {
        Law::locked(u8::MAX)
    }

    /// A joint that locks the first rows and leaves the others free.
    pub fn locked(rows: u8) -> Self {
        Law::Bilateral(Bilateral { rows })
    }

    /// A motor with a largest impulse.
    pub fn motor(most: f64) -> Self {
        Law::Motor(Motor { most })
    }

    /// The family this law belongs to.
    pub fn kind(&self) -> Kind {
        match self {
            Law::Frictionless(_) => Kind::Frictionless,
            Law::Coulomb(_) => Kind::Coulomb,
            Law::Convex(_) => Kind::Convex,
            Law::Bilateral(_) => Kind::Bilateral,
            Law::Motor(_) => Kind::Motor,
        }
    }

    /// The friction coefficient; 0 where the law has none.
    pub fn mu(&self) -> f64 {
        match self {
            Law::Coulomb(law) => law.mu,
            Law::Convex(law) => law.mu,
            Law::Frictionless(_) | Law::Bilateral(_) | Law::Motor(_) => 0.0,
        }
    }

    /// The law of s r and u where this is that of r and u: another one only where K is no cone.
    #[inline]
    pub fn scaled(&self, s: f64) -> Law {
        match self {
            Law::Motor(law) => Law::motor(law.most * s),
            law => *law,
        }
    }

    /// The natural map `r − P(r − (u + g(u) n))`: zero exactly where (r, u) obeys the law.
    #[inline]
    pub fn natural_map<const D: usize>(&self, r: &Vector<D>, u: &Vector<D>) -> Vector<D> {
        let mut y = r - u;
        y[0] -= self.shift(u);
        r - self.project(y)
    }
}

impl ContactLaw for Law {
    #[inline(always)]
    fn project<const D: usize>(&self, y: Vector<D>) -> Vector<D> {
        match self {
            Law::Frictionless(law) => law.project(y),
            Law::Coulomb(law) => law.project(y),
            Law::Convex(law) => law.project(y),
            Law::Bilateral(law) => law.project(y),
            Law::Motor(law) => law.project(y),
        }
    }

    #[inline(always)]
    fn shift<const D: usize>(&self, u: &Vector<D>) -> f64 {
        match self {
            Law::Frictionless(law) => law.shift(u),
            Law::Coulomb(law) => law.shift(u),
            Law::Convex(law) => law.shift(u),
            Law::Bilateral(law) => law.shift(u),
            Law::Motor(law) => law.shift(u),
        }
    }
}
