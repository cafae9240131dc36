//! Scenes: read, mistaken, run and built in.

#![allow(non_snake_case)]

mod bodies;
mod builtin;
mod measures;
mod mistakes;
mod reading;
mod runs;
mod support;
