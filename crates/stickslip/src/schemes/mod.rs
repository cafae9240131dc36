//! Time-stepping schemes: each is one file. They differ in what they add to q, in the law they ask for, and in how they
//! move the bodies.
//!
//! ```text
//!                where contacts are sought   added to q            law            positions
//! moreau-jean    x + (1−θ) h v               e u⁻ where gap ≤ 0    Coulomb        x + h ((1−θ) v + θ v⁺)
//! maury          x                           gap/h                 frictionless   x + h v⁺
//! convex         x                           gap/h                 associated     x + h v⁺
//! fixed-point    x                           gap/h                 Coulomb        x + h v⁺
//! exact          x                           gap/h                 Coulomb        x + h v⁺
//! dvi            x                           s/(h + α), gap/h      yield surface  x + h v⁺
//! ```

mod convex;
mod dvi;
mod exact;
mod fixed_point;
mod maury;
mod moreau_jean;

pub use convex::Convex;
pub use dvi::{Dvi, Flow};
pub use exact::Exact;
pub use fixed_point::FixedPoint;
pub use maury::Maury;
pub use moreau_jean::MoreauJean;

use crate::contacts::Contact;
use stickslip_geometry::space::Vector;
use stickslip_solvers::laws::Law;
use stickslip_solvers::panel::{AnyMethod, Auto, Restart};

/// Tolerances above this are rough.
const ROUGH: f64 = 1e-6;
/// Of few contacts finer ones are solved to this part of them, which is rounding: what stands then does not creep, and what
/// slides on the verge of tilting does not tilt.
const POLISH: f64 = 1e-8;

/// How far solves go on beyond a tolerance.
fn polish(tolerance: f64) -> f64 {
    if tolerance > ROUGH { 1.0 } else { POLISH }
}

/// What a scheme decides.
trait Rules {
    const NAME: &'static str;
    const PAPER: &'static str;
    /// θ: the share of the new velocity in the way of a step; the rest is gone before contacts are sought.
    fn theta(&self) -> f64 {
        1.0
    }
    /// Whether contacts that are still open take part.
    fn looks_ahead(&self) -> bool {
        true
    }
    /// What is added to the free relative velocity of a contact.
    fn shift<const D: usize>(&self, contact: &Contact<D>, _u_before: &Vector<D>, h: f64) -> Vector<D> {
        gap_closed_in(contact, h)
    }
    /// The law of a contact.
    fn law(&self, mu: f64) -> Law;
    /// How contacts flow where they yield; `None` where they do not.
    fn flow(&self) -> Option<Flow> {
        None
    }
    /// The solver without one of the user's choice, for a tolerance.
    fn solver(&self, tolerance: f64) -> AnyMethod {
        // flows and collisions are solved roughly, packings at rest finely
        let restart = if tolerance > ROUGH { Restart::Slowing } else { Restart::Turn };
        Auto { restart, polish: polish(tolerance), ..Auto::default() }.into()
    }
    /// What is wrong with the settings, if anything.
    fn fault(&self) -> Option<String> {
        None
    }
}

/// `gap/h` along the normal: the relative velocity that just closes the gap in a step.
fn gap_closed_in<const D: usize>(contact: &Contact<D>, h: f64) -> Vector<D> {
    let mut shift = Vector::zeros();
    shift[0] = contact.gap / h;
    shift
}

/// Makes the type that holds any scheme, and the list of their names.
macro_rules! schemes {
    ($($variant:ident),*) => {
        /// Any scheme, with its settings.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Scheme {
            $(#[doc = concat!("[`", stringify!($variant), "`]")] $variant($variant),)*
        }

        /// Name and paper of every scheme.
        pub const SCHEMES: &[(&str, &str)] = &[$(($variant::NAME, $variant::PAPER)),*];

        $(impl From<$variant> for Scheme {
            fn from(scheme: $variant) -> Self {
                Scheme::$variant(scheme)
            }
        })*

        impl Scheme {
            /// Its name.
            pub fn name(&self) -> &'static str {
                match self { $(Scheme::$variant(_) => $variant::NAME,)* }
            }

            /// The scheme of that name with its defaults.
            pub fn find(name: &str) -> Option<Self> {
                $(if name == $variant::NAME {
                    return Some(Scheme::$variant($variant::default()));
                })*
                None
            }

            pub(crate) fn theta(&self) -> f64 {
                match self { $(Scheme::$variant(scheme) => scheme.theta(),)* }
            }

            pub(crate) fn looks_ahead(&self) -> bool {
                match self { $(Scheme::$variant(scheme) => scheme.looks_ahead(),)* }
            }

            pub(crate) fn shift<const D: usize>(&self, contact: &Contact<D>, u_before: &Vector<D>, h: f64) -> Vector<D> {
                match self { $(Scheme::$variant(scheme) => scheme.shift(contact, u_before, h),)* }
            }

            pub(crate) fn law(&self, mu: f64) -> Law {
                match self { $(Scheme::$variant(scheme) => scheme.law(mu),)* }
            }

            pub(crate) fn flow(&self) -> Option<Flow> {
                match self { $(Scheme::$variant(scheme) => scheme.flow(),)* }
            }

            pub(crate) fn solver(&self, tolerance: f64) -> AnyMethod {
                match self { $(Scheme::$variant(scheme) => scheme.solver(tolerance),)* }
            }

            pub(crate) fn fault(&self) -> Option<String> {
                match self { $(Scheme::$variant(scheme) => scheme.fault(),)* }
            }
        }
    };
}

schemes!(MoreauJean, Maury, Convex, FixedPoint, Exact, Dvi);

impl Scheme {
    /// The scheme that differs by the flow of its friction alone; `None` where there is no friction.
    pub fn with_flow(&self, flow: Flow) -> Option<Self> {
        match (self, flow) {
            (Scheme::MoreauJean(scheme), _) => Some(MoreauJean { flow, ..scheme.clone() }.into()),
            (Scheme::Dvi(_), _) => Some(Dvi { flow }.into()),
            (Scheme::Convex(_) | Scheme::FixedPoint(_) | Scheme::Exact(_), Flow::Associated) => {
                Some(Convex.into())
            }
            (Scheme::Convex(_), Flow::Coulomb) => Some(Exact.into()),
            (Scheme::FixedPoint(_) | Scheme::Exact(_), Flow::Coulomb) => Some(self.clone()),
            (Scheme::Maury(_), _) => None,
        }
    }
}

impl Default for Scheme {
    fn default() -> Self {
        Exact.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_changes_the_law_and_nothing_else() {
        let other = |scheme: Scheme, flow| scheme.with_flow(flow).map(|scheme| scheme.name());
        for flow in [Flow::Coulomb, Flow::Associated] {
            let scheme = Scheme::from(MoreauJean { theta: 0.75, ..MoreauJean::default() });
            let Some(Scheme::MoreauJean(changed)) = scheme.with_flow(flow) else { panic!("another scheme") };
            assert_eq!(changed, MoreauJean { theta: 0.75, flow });
            assert_eq!(changed.law(0.3), flow.law(0.3));
            assert_eq!(other(Dvi::default().into(), flow), Some("dvi"));
            assert_eq!(other(Maury.into(), flow), None);
        }
        assert_ne!(Flow::Coulomb.law(0.3), Flow::Associated.law(0.3));
        let gap_schemes = [Scheme::from(Convex), FixedPoint.into(), Exact.into()];
        let names = |flow| gap_schemes.clone().map(|scheme| other(scheme, flow).unwrap());
        assert_eq!(names(Flow::Associated), ["convex"; 3]);
        assert_eq!(names(Flow::Coulomb), ["exact", "fixed-point", "exact"]);
    }
}
