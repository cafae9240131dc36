//! Tasora 2013: contact that gives, grips, yields and breaks.

pub mod laws;
pub mod shear_box;
