//! Pictures and movies as files hold them.

#![allow(non_snake_case)]

mod movies;
mod pictures;
