//! Hollow ball: everything outside a circle or a sphere about the origin. Bodies live inside, as in a drum.

/// A round hole in a solid without end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HollowBall {
    /// Radius of the hole.
    pub radius: f64,
}
