//! Spheres that settle in a box, more and more of them: `cargo bench --bench settling -- 1000 10000 100000`.
//!
//! All start in the same dense state, a close packing whose grains touch, and get the same fixed number of sweeps: what is
//! left is how the time of a step grows with the number of bodies. Prints microseconds per body and step on one thread.

#![allow(clippy::print_stdout)]

use stickslip::packings::{Grid, Lattice, Random, Region, Sizes};
use stickslip::report::Seconds;
use stickslip::{Body, World};
use stickslip_geometry::shape::Bounds;
use stickslip_geometry::space::Vector;
use stickslip_solvers::panel::Nlgs;

const SWEEPS: usize = 50;
/// Steps before the clock runs, and under it.
const STEPS: [usize; 2] = [3, 5];
const H: f64 = 1e-3;
const SIZE: f64 = 0.01;

fn main() {
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let numbers = if numbers.is_empty() { vec![1000, 10_000] } else { numbers };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread");
    println!(
        "  bodies  contacts a body  active   µs: detection   assembly      solve    advance        all  growth"
    );
    pool.install(|| {
        let mut first = None;
        for number in numbers {
            let each = settle(number);
            let Seconds { detection, assembly, solve, advance } = each;
            let all = each.all();
            let growth = all / *first.get_or_insert(all);
            println!("{detection:16.1} {assembly:10.1} {solve:10.1} {advance:10.1} {all:10.1} {growth:7.2}");
        }
    });
}

/// Fills a box, as many grains along each edge; microseconds per body and step.
fn settle(number: usize) -> Seconds {
    let n = (number as f64).cbrt().round() as usize;
    let origin = Vector::<3>::repeat(0.5 * SIZE);
    let grid = Grid { origin, counts: [n; 3], spacing: SIZE, lattice: Lattice::Hexagonal, jitter: 0.0 };
    let grains = grid.place(&Sizes::Fixed { size: SIZE }, &mut Random::new(42)).expect("a valid grid");
    let bounds = Bounds::of_points(grains.iter().map(|grain| grain.x)).grown(0.5 * SIZE);

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

    let [before, timed] = STEPS;
    for _ in 0..before {
        world.step(H).expect("a valid step");
    }
    let (mut seconds, mut contacts, mut active) = (Seconds::default(), 0, 0);
    for _ in 0..timed {
        let report = world.step(H).expect("a valid step");
        seconds += report.seconds * (1e6 / (grains.len() * timed) as f64);
        (contacts, active) = (report.contacts, report.active);
    }
    let bodies = grains.len() as f64;
    print!("{bodies:8} {:16.2} {:7.2}", contacts as f64 / bodies, active as f64 / contacts as f64);
    seconds
}
