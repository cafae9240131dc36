//! Pictures, movies, plots and reports of runs, without another program.
//!
//! ```text
//! World ─▶ Frame ─▶ Picture ─▶ PNG, or one image of a Movie        series ─▶ Plot ─▶ Page (HTML)
//!          frame     plane, space      movie                                plots     report
//! ```
//!
//! A picture of a world:
//!
//! ```
//! use stickslip::{Body, World};
//! use stickslip_geometry::{shape::{Ball, Shape}, space::Pose};
//! use stickslip_pictures::{Frame, Style};
//!
//! let mut world = World::<3>::default();
//! world.add(Body::new(Shape::Ball(Ball { radius: 0.1 }), Pose::identity()))?;
//! let style = Style::default();
//! let picture = Frame::of(&world, &style.colouring)?.draw(&style)?;
//! assert!(picture.png()?.starts_with(b"\x89PNG"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bounds;
pub mod canvas;
pub mod colours;
mod error;
mod files;
mod folder;
mod frame;
mod movie;
mod overlay;
mod picture;
mod plane;
pub mod plots;
pub mod report;
mod space;
mod style;
pub mod text;

pub use colours::{By, ColourMap, Colouring, Scale};
pub use error::PictureError;
pub use frame::{Chain, Depict, Drawn, Frame};
pub use movie::{Beside, Film, Movie, Sight};
pub use picture::Picture;
pub use style::{Camera, Style};
