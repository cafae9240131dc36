//! Frictional contact problems: their laws, one residual for all, and a panel of solvers.

#![allow(non_snake_case)]

pub mod block;
pub mod delassus;
pub mod fclib;
pub mod laws;
pub mod one_contact;
pub mod outcome;
pub mod panel;
mod parallel;
pub mod problem;
pub mod residual;
pub mod sparse;
pub mod stop;
