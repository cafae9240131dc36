//! Contact laws: what each block demands of its impulse r and its velocity u.
//!
//! Every law has the same shape, which is all a solver by projection needs:
//!
//! ```text
//! r ∈ K,   u + g(u) n ∈ K*,   r · (u + g(u) n) = 0
//! ```
//!
//! K is a closed convex set of impulses with an explicit projection, K* its dual cone, and g ≥ 0 the
//! normal shift of De Saxcé, which turns Coulomb's law into a cone complementarity. Where K is no cone, as for motors and
//! for contacts that hold a pull or are crushed, `−u − g(u) n` lies in its normal cone at r. A law is one file that
//! implements [`ContactLaw`], and one variant of [`Law`].

mod bilateral;
mod capped;
mod cohesive;
mod convex;
mod coulomb;
mod frictionless;
mod motor;
mod rolling;
mod rounded;

pub use bilateral::Bilateral;
pub use capped::Capped;
pub use cohesive::Cohesive;
pub use convex::Convex;
pub use coulomb::Coulomb;
pub use frictionless::Frictionless;
pub use motor::Motor;
pub use rolling::{Rolling, RollingConvex};
pub use rounded::Rounded;

use crate::block::{Matrix, Vector};

/// What a solver by projection asks of a law.
pub trait ContactLaw {
    /// Euclidean projection of an impulse on the set K of admissible ones.
    fn project<const D: usize>(&self, y: Vector<D>) -> Vector<D>;

    /// The shift g(u) added to the normal velocity; zero for an associated law.
    #[inline(always)]
    fn shift<const D: usize>(&self, _u: &Vector<D>) -> f64 {
        0.0
    }

    /// One element of the derivative of the projection at y.
    fn derivative<const D: usize>(&self, y: &Vector<D>) -> Matrix<D>;

    /// The derivative of the shift by u; zero for an associated law.
    fn shift_slope<const D: usize>(&self, _u: &Vector<D>) -> Vector<D> {
        Vector::zeros()
    }
}

/// The normal follows, or nothing does.
fn along_normal<const D: usize>(follows: bool) -> Matrix<D> {
    let mut J = Matrix::zeros();
    J[(0, 0)] = f64::from(follows);
    J
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
    /// A cone with cohesion and dilatancy.
    Cohesive(Cohesive),
    /// A cone rounded by a ball, associated.
    Rounded(Rounded),
    /// The same with a largest compression.
    Capped(Capped),
    /// Exact friction of slip, roll and spin.
    Rolling(Rolling),
    /// The same with associated flow.
    RollingConvex(RollingConvex),
}

// sweeps read it at every visit
const _: () = assert!(size_of::<Law>() == 32);

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
    /// [`Law::Cohesive`] whose flow is not associated.
    Cohesive,
    /// [`Law::Cohesive`] whose flow is associated.
    CohesiveConvex,
    /// [`Law::Rounded`] and [`Law::Capped`].
    Yielding,
    /// [`Law::Rolling`]
    Rolling,
    /// [`Law::RollingConvex`]
    RollingConvex,
}

impl Kind {
    /// Every family.
    pub const ALL: &'static [Kind] = &[
        Kind::Frictionless,
        Kind::Coulomb,
        Kind::Convex,
        Kind::Bilateral,
        Kind::Motor,
        Kind::Cohesive,
        Kind::CohesiveConvex,
        Kind::Yielding,
        Kind::Rolling,
        Kind::RollingConvex,
    ];
    /// The families whose problem is one convex minimisation.
    pub const CONVEX: &'static [Kind] = &[
        Kind::Frictionless,
        Kind::Convex,
        Kind::Bilateral,
        Kind::Motor,
        Kind::CohesiveConvex,
        Kind::Yielding,
        Kind::RollingConvex,
    ];
    /// The families whose blocks are no larger than space.
    pub const SMALL: &'static [Kind] = &[
        Kind::Frictionless,
        Kind::Coulomb,
        Kind::Convex,
        Kind::Bilateral,
        Kind::Motor,
        Kind::Cohesive,
        Kind::CohesiveConvex,
        Kind::Yielding,
    ];
    /// The families whose impulses form a cone, wherever its tip.
    pub const CONES: &'static [Kind] = &[
        Kind::Frictionless,
        Kind::Coulomb,
        Kind::Convex,
        Kind::Bilateral,
        Kind::Cohesive,
        Kind::CohesiveConvex,
    ];

    /// Whether its normal impulse can push only.
    pub fn is_contact(self) -> bool {
        use Kind::{Convex, Coulomb, Frictionless, Rolling, RollingConvex};
        matches!(self, Frictionless | Coulomb | Convex | Rolling | RollingConvex)
    }

    /// The name used on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Frictionless => "frictionless",
            Kind::Coulomb => "coulomb",
            Kind::Convex => "convex",
            Kind::Bilateral => "bilateral",
            Kind::Motor => "motor",
            Kind::Cohesive => "cohesive",
            Kind::CohesiveConvex => "cohesive-convex",
            Kind::Yielding => "yielding",
            Kind::Rolling => "rolling",
            Kind::RollingConvex => "rolling-convex",
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

    /// A cone with cohesion; ψ = 0 is Coulomb's flow, ψ = μ the associated one.
    pub fn cohesive(mu: f64, cohesion: f64, dilatancy: f64) -> Self {
        Law::Cohesive(Cohesive { mu, cohesion, dilatancy })
    }

    /// A cone rounded by a ball.
    pub fn rounded(mu: f64, radius: f64) -> Self {
        Law::Rounded(Rounded { mu, radius })
    }

    /// A rounded cone with a largest compression.
    pub fn capped(mu: f64, radius: f64, cap: f64) -> Self {
        Law::Capped(Capped { mu, radius, cap })
    }

    /// Exact friction of slip, roll and spin.
    pub fn rolling(mu: f64, rolling: f64, spinning: f64) -> Self {
        Law::Rolling(Rolling { mu, rolling, spinning })
    }

    /// The same with associated flow: no shift, one minimisation.
    pub fn associated(&self) -> Self {
        match *self {
            Law::Coulomb(law) => Law::convex(law.mu),
            Law::Cohesive(law) => Law::Cohesive(Cohesive { dilatancy: law.mu, ..law }),
            Law::Rolling(law) => Law::RollingConvex(RollingConvex(law)),
            law => law,
        }
    }

    /// The family this law belongs to.
    pub fn kind(&self) -> Kind {
        match self {
            Law::Frictionless(_) => Kind::Frictionless,
            Law::Coulomb(_) => Kind::Coulomb,
            Law::Convex(_) => Kind::Convex,
            Law::Bilateral(_) => Kind::Bilateral,
            Law::Motor(_) => Kind::Motor,
            Law::Cohesive(law) if law.dilatancy == law.mu => Kind::CohesiveConvex,
            Law::Cohesive(_) => Kind::Cohesive,
            Law::Rounded(_) | Law::Capped(_) => Kind::Yielding,
            Law::Rolling(_) => Kind::Rolling,
            Law::RollingConvex(_) => Kind::RollingConvex,
        }
    }

    /// The friction coefficient; 0 where the law has none.
    pub fn mu(&self) -> f64 {
        match self {
            Law::Coulomb(law) => law.mu,
            Law::Convex(law) => law.mu,
            Law::Cohesive(law) => law.mu,
            Law::Rounded(law) => law.mu,
            Law::Capped(law) => law.mu,
            Law::Rolling(law) => law.mu,
            Law::RollingConvex(law) => law.0.mu,
            Law::Frictionless(_) | Law::Bilateral(_) | Law::Motor(_) => 0.0,
        }
    }

    /// What is wrong with its numbers, if anything: which one, its value, and what would do.
    pub fn fault(&self) -> Option<(&'static str, f64, &'static str)> {
        let mu = self.mu();
        if !(mu >= 0.0 && mu.is_finite()) {
            return Some(("mu", mu, "friction coefficients are at least 0"));
        }
        let numbers = match *self {
            Law::Motor(law) => vec![("the largest impulse of a motor", law.most)],
            Law::Cohesive(law) => vec![("cohesion", law.cohesion), ("dilatancy", law.dilatancy)],
            Law::Rounded(law) => vec![("the radius of the rounding", law.radius)],
            Law::Capped(law) => vec![("the radius of the rounding", law.radius), ("cap", law.cap)],
            Law::Rolling(law) | Law::RollingConvex(RollingConvex(law)) => {
                vec![("rolling", law.rolling), ("spinning", law.spinning)]
            }
            Law::Frictionless(_) | Law::Coulomb(_) | Law::Convex(_) | Law::Bilateral(_) => Vec::new(),
        };
        if let Some((what, value)) = numbers.into_iter().find(|(_, value)| value.is_nan() || *value < 0.0) {
            return Some((what, value, "give a number that is at least 0"));
        }
        match *self {
            Law::Cohesive(law) if law.dilatancy > law.mu => {
                Some(("dilatancy", law.dilatancy, "it lies between 0 and mu"))
            }
            Law::Capped(law) if law.cap < law.radius => {
                Some(("cap", law.cap, "a cap below the radius of the rounding leaves no impulse"))
            }
            _ => None,
        }
    }

    /// The law of s r and u where this is that of r and u: another one only where K is no cone.
    #[inline]
    pub fn scaled(&self, s: f64) -> Law {
        match self {
            Law::Motor(law) => Law::motor(law.most * s),
            Law::Cohesive(law) => Law::cohesive(law.mu, law.cohesion * s, law.dilatancy),
            Law::Rounded(law) => Law::rounded(law.mu, law.radius * s),
            Law::Capped(law) => Law::capped(law.mu, law.radius * s, law.cap * s),
            law => *law,
        }
    }

    /// The natural map `r − P(r − (u + g(u) n))`: zero exactly where (r, u) obeys the law.
    #[inline(always)]
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
            Law::Cohesive(law) => law.project(y),
            Law::Rounded(law) => law.project(y),
            Law::Capped(law) => law.project(y),
            Law::Rolling(law) => law.project(y),
            Law::RollingConvex(law) => law.project(y),
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
            Law::Cohesive(law) => law.shift(u),
            Law::Rounded(law) => law.shift(u),
            Law::Capped(law) => law.shift(u),
            Law::Rolling(law) => law.shift(u),
            Law::RollingConvex(law) => law.shift(u),
        }
    }

    fn derivative<const D: usize>(&self, y: &Vector<D>) -> Matrix<D> {
        match self {
            Law::Frictionless(law) => law.derivative(y),
            Law::Coulomb(law) => law.derivative(y),
            Law::Convex(law) => law.derivative(y),
            Law::Bilateral(law) => law.derivative(y),
            Law::Motor(law) => law.derivative(y),
            Law::Cohesive(law) => law.derivative(y),
            Law::Rounded(law) => law.derivative(y),
            Law::Capped(law) => law.derivative(y),
            Law::Rolling(law) => law.derivative(y),
            Law::RollingConvex(law) => law.derivative(y),
        }
    }

    fn shift_slope<const D: usize>(&self, u: &Vector<D>) -> Vector<D> {
        match self {
            Law::Frictionless(law) => law.shift_slope(u),
            Law::Coulomb(law) => law.shift_slope(u),
            Law::Convex(law) => law.shift_slope(u),
            Law::Bilateral(law) => law.shift_slope(u),
            Law::Motor(law) => law.shift_slope(u),
            Law::Cohesive(law) => law.shift_slope(u),
            Law::Rounded(law) => law.shift_slope(u),
            Law::Capped(law) => law.shift_slope(u),
            Law::Rolling(law) => law.shift_slope(u),
            Law::RollingConvex(law) => law.shift_slope(u),
        }
    }
}
