//! The program as its users meet it: exit status, standard output and standard error.

#![allow(non_snake_case)]

mod bench;
mod compare;
mod endings;
mod list;
mod pictures;
mod refusals;
mod reproduce;
mod robust;
mod scenes;
mod solve;
mod support;
