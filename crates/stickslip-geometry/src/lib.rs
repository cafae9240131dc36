//! Shapes, their masses, and the contacts between them, in 2D and 3D.
//!
//! ```text
//! shapes at poses ─▶ which pairs are near ─▶ contact points: gap, normal, where
//!  shape, space          broad                 pair
//! ```
//!
//! Nothing here knows of velocities, forces or time. One source serves both dimensions: see [`space`].

#![allow(non_snake_case)]

pub mod broad;
pub mod pair;
pub mod shape;
pub mod space;
