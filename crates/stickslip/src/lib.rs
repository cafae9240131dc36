//! Nonsmooth contact dynamics: rigid bodies that touch, stick, slip, roll and collide, with hard contact and exact Coulomb
//! friction, in 2D and 3D. Every step says how well it was solved.
//!
//! ```text
//! bodies + shapes ─▶ contacts ─▶ W, q, laws ─▶ solver ─▶ scheme advances ─▶ certificate of the step
//!    bodies          contacts     assembly     (solvers)     schemes            report
//! ```
//!
//! A sphere that falls on the floor:
//!
//! ```
//! use stickslip::{Body, World};
//! use stickslip_geometry::{shape::{Ball, HalfSpace, Shape}, space::{Pose, Vector}};
//!
//! let mut world = World::<3>::default();
//! world.gravity = Vector::<3>::new(0.0, 0.0, -9.81);
//! world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity()))?;
//! let ball = world.add(Body::new(Shape::Ball(Ball { radius: 0.1 }), Pose::at(Vector::<3>::new(0.0, 0.0, 0.2))))?;
//! for _ in 0..1000 {
//!     let report = world.step(1e-3)?;
//!     assert!(report.converged());
//! }
//! assert!((world.bodies().x[ball.index()][2] - 0.1).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![allow(non_snake_case)]

mod advance;
mod assembly;
pub mod bodies;
pub mod checkpoint;
mod checks;
mod compiled;
pub mod contacts;
mod error;
mod flow;
pub mod joints;
mod look_ahead;
mod many;
pub mod overlaps;
pub mod packings;
pub mod report;
pub mod rigid;
mod rolling;
pub mod schemes;
mod task;
mod world;

pub use bodies::{Body, BodyError, BodyId, Drag, Motion};
pub use contacts::{Interface, Material};
pub use error::{ExportError, StepError};
pub use joints::{Joint, JointError, JointId};
pub use overlaps::Overlaps;
pub use schemes::Scheme;
pub use world::{Force, Problem, World};
