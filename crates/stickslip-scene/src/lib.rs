//! Scene files: read, check, run and observe them.
//!
//! ```text
//! scene.toml ─▶ Scene ─▶ World + groups ─▶ run ─▶ observers: series, certificate, ParaView, pictures, …
//!   reader      format       build         run      observers
//! ```
//!
//! A ball on the floor:
//!
//! ```
//! use stickslip_scene::Scene;
//!
//! let text = r#"
//!     dimension = 2
//!     time = { step = 1e-3, end = 0.5 }
//!     [[body]]
//!     half_space = {}
//!     fixed = true
//!     [[body]]
//!     name = "ball"
//!     ball = { radius = 0.1 }
//!     at = [0, 0.2]
//! "#;
//! let scene = Scene::parse("drop", "drop.toml", text, None, &[])?;
//! let mut world = scene.build::<2>()?.world;
//! while world.time() < scene.file.time.value.end {
//!     assert!(world.step(scene.file.time.value.step)?.converged());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod build;
pub mod builtin;
pub mod check;
pub mod format;
pub mod measures;
pub mod nearest;
mod observers;
mod reader;
pub mod run;
mod scene;
pub mod schema;
pub mod sweep;

pub use build::Built;
pub use observers::OutputError;
pub use reader::{Place, Placed, Point, SceneError, Source, Spot, Turn};
pub use run::{Options, Progress, Record, RunError, Target, run};
pub use scene::Scene;
