//! Shapes and their distances against closed forms and brute force.

#![allow(non_snake_case)]

mod cross;
mod polytopes;
mod shapes;
mod smooth;
mod support;
