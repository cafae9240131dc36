//! Scenes: read, mistaken, run and built in.

#![allow(non_snake_case)]

mod builtin;
mod mistakes;
mod reading;
mod runs;
