//! FCLIB files: round trips, what is refused and how it is said, damaged files, foreign readers.

#![allow(non_snake_case)]

mod damage;
mod refusals;
mod refusals_of_numbers;
mod refusals_of_writing;
mod round_trip;
mod support;
mod with_h5py;
