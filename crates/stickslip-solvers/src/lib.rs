//! Frictional contact problems: their laws, one residual for all, and a panel of solvers.
//!
//! Given impulses `r` and relative velocities `u` of contacts with `u = W r + q`, find those that obey the law of each
//! contact, and say how well. Nothing here knows of bodies, shapes or time.
//!
//! ```text
//! FCLIB file ─▶ ContactProblem (W, q, laws) ─▶ solver of the panel ─▶ Outcome: status, residual, worst contact
//!   fclib         problem, delassus, laws        panel, one_contact      outcome, residual, stop
//! ```
//!
//! A block that is pushed against the floor and dragged along it, μ = 0.5:
//!
//! ```
//! use stickslip_solvers::{block::Vector, delassus::Delassus, laws::Law, panel::AnyMethod};
//! use stickslip_solvers::{problem::ContactProblem, sparse::Sparse, stop::Stop};
//!
//! let W = Sparse::from_triplets(2, 2, &[(0, 0, 1.0), (1, 1, 1.0)]); // unit mass
//! let q = vec![Vector::<2>::new(-1.0, 2.0)]; // free velocity: approach 1, slide 2
//! let problem = ContactProblem::new(Delassus::stored(&W)?, q, vec![Law::coulomb(0.5)])?;
//!
//! let mut r = vec![Vector::zeros()];
//! let solver = AnyMethod::parse("nlgs", &toml::Table::new())?;
//! let outcome = solver.build::<2>().solve(&problem, &mut r, &Stop::default());
//!
//! assert_eq!(outcome.status.name(), "converged");
//! assert!((r[0] - Vector::<2>::new(1.0, -0.5)).norm() < 1e-12); // full friction, and it still slides
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![allow(non_snake_case)]

pub mod block;
pub mod delassus;
pub mod fclib;
pub mod laws;
mod linear;
pub mod one_contact;
pub mod outcome;
pub mod panel;
mod parallel;
mod pivots;
pub mod problem;
pub mod replace;
pub mod residual;
pub mod sparse;
pub mod squeezed;
pub mod stop;
