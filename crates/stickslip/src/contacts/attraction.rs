//! Pulls between bodies that touch or nearly do: powders, damp sand. They act as forces of the beginning of a step.

/// A pull between two materials, by the gap g.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Attraction {
    /// A constant force on bodies that touched in the last step.
    Touch {
        /// the force
        pull: f64,
    },
    /// `pull/(1 + g/length)²` up to a range: adhesion after Derjaguin, Muller and Toporov, van der Waals forces beyond.
    ShortRange {
        /// force in touch
        pull: f64,
        /// gap at which a quarter of it is left
        length: f64,
        /// gap beyond which there is none
        range: f64,
    },
    /// `pull exp(−g/length)` from touch on until the gap reaches the rupture distance.
    LiquidBridge {
        /// force in touch
        pull: f64,
        /// gap over which the force falls by e
        length: f64,
        /// gap at which the bridge breaks
        rupture: f64,
    },
}

impl Attraction {
    /// The force at a gap, between bodies that are bridged (or touched in the last step) or not.
    pub fn force(&self, gap: f64, bridged: bool) -> f64 {
        let g = gap.max(0.0);
        match *self {
            Attraction::Touch { pull } if bridged => pull,
            Attraction::ShortRange { pull, length, range } if g < range => pull / (1.0 + g / length).powi(2),
            Attraction::LiquidBridge { pull, length, rupture } if bridged && g < rupture => {
                pull * (-g / length).exp()
            }
            _ => 0.0,
        }
    }

    /// Whether bodies at a gap stay bridged without touching.
    pub(crate) fn keeps_bridge(&self, gap: f64) -> bool {
        matches!(*self, Attraction::LiquidBridge { rupture, .. } if gap < rupture)
    }

    /// The widest gap at which it acts.
    pub(crate) fn range(&self) -> f64 {
        match *self {
            Attraction::Touch { .. } => 0.0,
            Attraction::ShortRange { range, .. } => range,
            Attraction::LiquidBridge { rupture, .. } => rupture,
        }
    }

    /// What is wrong with it, if anything.
    pub(super) fn fault(&self) -> Option<String> {
        let (pull, lengths) = match *self {
            Attraction::Touch { pull } => (pull, vec![]),
            Attraction::ShortRange { pull, length, range } => {
                (pull, vec![("length", length), ("range", range)])
            }
            Attraction::LiquidBridge { pull, length, rupture } => {
                (pull, vec![("length", length), ("rupture", rupture)])
            }
        };
        if !(pull >= 0.0 && pull.is_finite()) {
            return Some(format!("pull = {pull}: give a force that is at least 0"));
        }
        let wrong = lengths.into_iter().find(|(_, value)| !(*value > 0.0 && value.is_finite()));
        wrong.map(|(what, value)| format!("{what} = {value}: give a positive length"))
    }
}
