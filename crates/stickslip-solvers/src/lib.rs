//! Frictional contact problems: laws, residual, solvers and certificates.

#![allow(non_snake_case)]

pub mod fclib;
