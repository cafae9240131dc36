//! Spheres that settle in a box, more and more of them: `cargo bench --bench settling -- 1000 10000 100000`.
//!
//! All sizes have the same state, a dense lattice of touching grains under gravity, and the same fixed number of sweeps:
//! what is left is how the time of a step grows with the number of bodies. Prints microseconds per body and step on one
//! thread.

#![allow(clippy::print_stdout)]

use stickslip::packings::{Grid, Lattice, Random, Region, Sizes};
use stickslip::report::Seconds;
use stickslip::{Body, World};
use stickslip_geometry::shape::Bounds;
use stickslip_geometry::space::Vector;
use stickslip_solvers::panel::Nlgs;

const SWEEPS: usize = 50;
const STEPS: usize = 10;
const H: f64 = 1e-3;
const SIZE: f64 = 0.01;

fn main() {
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let numbers = if numbers.is_empty() { vec![1000, 10_000] } else { numbers };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread");
    println!(
        "µs per body and step       detection    assembly       solve     advance         all    contacts"
    );
    pool.install(|| numbers.into_iter().for_each(settle));
}

/// A box as wide and deep as high, filled by a close lattice a little loosened.
fn settle(number: usize) {
    let n = (number as f64).cbrt().round() as usize;
    let sizes = Sizes::Uniform { min: 0.98 * SIZE, max: SIZE };
    let (spacing, jitter) = (1.002 * SIZE, 0.001 * SIZE);
    let origin = Vector::<3>::repeat(0.5 * spacing);
    let grid = Grid { origin, counts: [n; 3], spacing, lattice: Lattice::Hexagonal, jitter };
    let grains = grid.place(&sizes, &mut Random::new(42)).expect("a valid grid");
    let bounds = grains.iter().fold(Bounds { low: origin, high: origin }, |bounds, grain| Bounds {
        low: bounds.low.inf(&(grain.x - Vector::<3>::repeat(grain.radius))),
        high: bounds.high.sup(&(grain.x + Vector::<3>::repeat(grain.radius))),
    });

    let mut world = World::<3>::default();
    world.gravity[2] = -9.81;
    world.solver = Some(Nlgs::default().into());
    world.retry = false;
    world.stop.tolerance = 0.0;
    world.stop.max_iterations = SWEEPS;
    for wall in Region::Box(bounds).walls(false) {
        world.add(wall).expect("a valid wall");
    }
    for grain in &grains {
        world.add(Body { density: 2600.0, ..grain.ball() }).expect("a valid grain");
    }

    let (mut seconds, mut contacts) = (Seconds::default(), 0);
    for step in 0..2 * STEPS {
        let report = world.step(H).expect("a valid step");
        if step >= STEPS {
            seconds += report.seconds;
            contacts = report.contacts;
        }
    }
    let bodies = grains.len() as f64;
    let each = |seconds: f64| seconds * 1e6 / (bodies * STEPS as f64);
    println!(
        "{bodies:8} bodies          {:11.3} {:11.3} {:11.3} {:11.3} {:11.3} {:11.2}",
        each(seconds.detection),
        each(seconds.assembly),
        each(seconds.solve),
        each(seconds.advance),
        each(seconds.all()),
        contacts as f64 / bodies,
    );
}
