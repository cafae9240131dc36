//! Hollow cylinder: everything outside an endless round tube along the last axis. Bodies live inside. In space only.

/// A round tube in a solid without end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HollowCylinder {
    /// Radius of the tube.
    pub radius: f64,
}
