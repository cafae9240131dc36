//! Directions that a plane and a space share.

use stickslip_geometry::space::Vector;

/// Along the first axis.
pub fn along<const D: usize>() -> Vector<D> {
    Vector::from_fn(|k, _| f64::from(k == 0))
}

/// Up, along the last axis.
pub fn up<const D: usize>() -> Vector<D> {
    Vector::from_fn(|k, _| f64::from(k == D - 1))
}
