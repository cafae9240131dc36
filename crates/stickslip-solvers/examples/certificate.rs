//! Reads a stored problem, solves it, and prints its certificate.
//!
//! `cargo run --release --example certificate -- problems/wall-10x10.hdf5`

#![allow(clippy::print_stdout)]

use std::path::PathBuf;
use stickslip_solvers::fclib::Fclib;
use stickslip_solvers::laws::Law;
use stickslip_solvers::panel::AnyMethod;
use stickslip_solvers::stop::Stop;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../../problems/wall-10x10.hdf5");
    let path = std::env::args_os().nth(1).map_or_else(|| PathBuf::from(shipped), PathBuf::from);

    let file = Fclib::read(&path)?;
    if file.dimension != 3 {
        return Err("this example is for problems in space".into());
    }
    let problem = file.problem::<3>(Law::coulomb)?;
    let mut r = file.start::<3>();
    let solver = AnyMethod::parse("auto", &toml::Table::new())?;
    let stop = Stop { tolerance: 1e-4, ..Stop::default() };
    let outcome = solver.build::<3>().solve(&problem, &mut r, &stop);

    let residual = outcome.residual;
    println!("{} after {} iterations", outcome.status.name(), outcome.iterations);
    println!("residual {:.2e}, scaled {:.2e}", residual.natural, residual.scaled);
    println!("worst contact {}, r = {:.3?}", residual.worst_contact, r[residual.worst_contact].as_slice());
    Ok(())
}
