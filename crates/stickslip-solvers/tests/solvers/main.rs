//! Solvers against closed forms, other codes, invariants and each other.

#![allow(non_snake_case)]

mod bloch_table1;
mod conformance;
mod endurance;
mod fclib;
mod joints;
mod laws;
mod one_contact;
mod properties;
mod residual;
#[path = "../support/mod.rs"]
mod support;
mod witness_clarabel;
mod witness_siconos;
mod yield_surfaces;
