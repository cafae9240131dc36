//! Segment along the first axis, about its middle: a wall without thickness, met from both sides. It is a capsule of
//! radius 0, and its contacts are those of one.

use super::Capsule;

/// A thin wall; in space, a thin wire.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// From the middle to either end.
    pub half_length: f64,
}

impl Segment {
    /// The capsule without thickness.
    pub fn as_capsule(&self) -> Capsule {
        Capsule { half_length: self.half_length, radius: 0.0 }
    }
}
