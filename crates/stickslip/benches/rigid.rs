//! Four scenes on which rigid-body engines are compared: `cargo bench --bench rigid -- S1 1000`.
//!
//! - `S1 N TOLERANCE OVERLAP`: N spheres settle in an open box for 1 s, μ = 0.5; no step leaves an overlap of more than that
//!   part of their radius
//! - `S2 R`: ten cubes, the top one R times heavier, 5 s
//! - `S3 A`: a block on a plane tilted by A degrees, μ = 0.5, 5 s
//! - `S4`: a wall of ten courses in running bond, 5 s
//! - `S-BOX n STEPS`: n³ spheres without friction settle in an open box by `maury` and `apgd-ar`, Bloch 2023, 3.3.1
//! - `C-BOX N OVERLAP`: N spheres of friction 0.3 settle in a box of 1 m, 600 steps of 2 ms
//!
//! Each prints the seconds of a simulated second, on one thread unless `--threads=N` asks for more, and what went wrong:
//! overlaps, drifts, missed steps.

#![allow(clippy::print_stdout)]

use std::time::Instant;
use stickslip::packings::Random;
use stickslip::schemes::Maury;
use stickslip::{Body, BodyId, Material, World};
use stickslip_geometry::shape::{Ball, Cuboid, HalfSpace, Shape};
use stickslip_geometry::space::{Pose, Vector};
use stickslip_solvers::panel::AnyMethod;

/// The buffers of a step are returned and taken again a thousand times a second; this allocator keeps them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const G: f64 = 9.81;
const H: f64 = 1e-3;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let given = |k: usize, default: f64| arguments.get(k).and_then(|a| a.parse().ok()).unwrap_or(default);
    let number = |default: f64| given(1, default);
    let threads = std::env::args().find_map(|a| a.strip_prefix("--threads=")?.parse().ok()).unwrap_or(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads");
    pool.install(|| match arguments.first().map(String::as_str) {
        Some("S1") => settle(number(1000.0) as usize, given(2, 1e-3), given(3, 9e-5)),
        Some("S2") => stack(number(1000.0)),
        Some("S3") => incline(number(27.0)),
        Some("S4") => wall(),
        Some("S-BOX") => scopi_box(number(16.0) as usize, given(2, f64::INFINITY)),
        Some("C-BOX") => chrono_box(number(1000.0) as usize, given(2, 9e-6)),
        _ => {
            settle(125, 1e-3, 9e-5);
            stack(1000.0);
            incline(26.0);
            incline(27.0);
        }
    });
}

/// A floor under gravity.
fn floor(mu: f64) -> World<3> {
    let mut world = World::<3>::default();
    world.gravity[2] = -G;
    world.materials.define("", Material { mu, ..Material::default() }).expect("a valid material");
    plane(&mut world, Vector::zeros(), Vector::zeros());
    world
}

fn plane(world: &mut World<3>, x: Vector<3>, turn: Vector<3>) {
    let body = Body::fixed(Shape::HalfSpace(HalfSpace), Pose::<3>::turned(x, turn));
    world.add(body).expect("a valid plane");
}

fn block(world: &mut World<3>, size: [f64; 3], x: [f64; 3], density: f64) -> BodyId {
    let shape = Shape::Cuboid(Cuboid { half: Vector::<3>::from(size) * 0.5 });
    world.add(Body { density, ..Body::new(shape, Pose::at(x.into())) }).expect("a valid block")
}

/// What a run costs and how well it went.
struct Run {
    cpu: f64,
    penetration: f64,
    iterations: usize,
    contacts: usize,
}

fn run(world: &mut World<3>, seconds: f64) -> Run {
    let mut run = Run { cpu: 0.0, penetration: 0.0, iterations: 0, contacts: 0 };
    let start = Instant::now();
    while world.time() < seconds - 0.5 * H {
        let report = world.step(H).expect("a valid step");
        run.penetration = run.penetration.max(report.penetration);
        run.iterations += report.outcome.as_ref().map_or(0, |outcome| outcome.iterations);
        run.contacts = report.active;
    }
    run.cpu = start.elapsed().as_secs_f64() / seconds;
    run
}

fn print(name: &str, world: &World<3>, run: &Run, size: f64, rest: &str) {
    println!(
        "{name:10} cpu s / sim s {:8.3}   iterations a step {:7.1}   active contacts {:6}   peak overlap {:.1e}   missed {} of {}   {rest}",
        run.cpu,
        run.iterations as f64 / world.steps() as f64,
        run.contacts,
        run.penetration / size,
        world.missed(),
        world.steps(),
    );
}

fn settle(number: usize, tolerance: f64, overlap: f64) {
    let n = (number as f64).cbrt().round() as usize;
    let (pitch, mut state) = (0.012, 42);
    let side = pitch * n as f64;
    let mut world = floor(0.5);
    world.stop.tolerance = tolerance;
    world.overlap = Some(overlap * 0.005);
    for (x, turn) in [
        ([-0.5, 0.0], [0.0, 1.0]),
        ([0.5, 0.0], [0.0, -1.0]),
        ([0.0, -0.5], [-1.0, 0.0]),
        ([0.0, 0.5], [1.0, 0.0]),
    ] {
        let quarter = std::f64::consts::FRAC_PI_2;
        plane(
            &mut world,
            Vector::<3>::new(x[0], x[1], 0.0) * side,
            Vector::<3>::new(turn[0], turn[1], 0.0) * quarter,
        );
    }
    for cell in 0..n * n * n {
        let cell = [cell % n, cell / n % n, cell / n / n];
        let radius = 0.005 * (0.9 + 0.2 * random(&mut state));
        let mut jitter = || 4e-4 * (2.0 * random(&mut state) - 1.0);
        let jitter = [jitter(), jitter(), jitter()];
        let x = Vector::<3>::from_fn(|k, _| {
            (cell[k] as f64 + 0.5) * pitch - if k < 2 { 0.5 * side } else { 0.0 } + jitter[k]
        });
        let ball = Body::new(Shape::Ball(Ball { radius }), Pose::at(x));
        world.add(Body { density: 2600.0, ..ball }).expect("a valid ball");
    }
    let run = run(&mut world, 1.0);
    let kinetic = world.bodies().kinetic_energy() / number as f64;
    print(&format!("S1 {number}"), &world, &run, 0.005, &format!("kinetic energy a body {kinetic:.1e} J"));
}

fn stack(ratio: f64) {
    let mut world = floor(0.6);
    let cubes: Vec<BodyId> = (0..10)
        .map(|k| {
            let density = if k == 9 { 1000.0 * ratio } else { 1000.0 };
            block(&mut world, [0.1; 3], [0.0, 0.0, 0.05 + 0.1 * k as f64], density)
        })
        .collect();
    let start: Vec<Vector<3>> = world.bodies().x.clone();
    let run = run(&mut world, 5.0);
    let drift = cubes.iter().map(|id| (world.bodies().x[id.index()] - start[id.index()]).norm());
    let drift = drift.fold(0.0, f64::max);
    print(&format!("S2 {ratio}"), &world, &run, 0.1, &format!("drift {drift:.1e} m"));
}

fn incline(degrees: f64) {
    let angle = degrees.to_radians();
    let mut world = floor(0.5);
    world.gravity = Vector::<3>::new(G * angle.sin(), 0.0, -G * angle.cos());
    let id = block(&mut world, [0.2, 0.2, 0.1], [0.0, 0.0, 0.05], 1000.0).index();
    let run = run(&mut world, 5.0);
    let (x, v) = (world.bodies().x[id][0], world.bodies().v[id][0]);
    let exact = 5.0 * G * (angle.sin() - 0.5 * angle.cos()).max(0.0);
    let rest = format!("way {x:.6} m, speed {v:.9} m/s, error {:.1e} m/s", v - exact);
    print(&format!("S3 {degrees}"), &world, &run, 0.1, &rest);
}

fn wall() {
    let mut world = floor(0.6);
    world.stop.tolerance = 1e-9;
    for course in 0..10 {
        let z = 0.05 + 0.1 * course as f64;
        if course % 2 == 0 {
            for k in 0..10 {
                block(&mut world, [0.199, 0.1, 0.1], [0.1 + 0.2 * k as f64, 0.0, z], 2000.0);
            }
        } else {
            for x in [0.05, 1.95] {
                block(&mut world, [0.099, 0.1, 0.1], [x, 0.0, z], 2000.0);
            }
            for k in 0..9 {
                block(&mut world, [0.199, 0.1, 0.1], [0.2 + 0.2 * k as f64, 0.0, z], 2000.0);
            }
        }
    }
    let start = world.bodies().x.clone();
    let run = run(&mut world, 5.0);
    let drift = start.iter().zip(&world.bodies().x).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    print("S4", &world, &run, 0.1, &format!("drift {drift:.1e} m"));
}

/// An open box of a side with n³ spheres in it: floor y = 0, four walls. Gives the radius r0 of the grid.
fn filled_box(world: &mut World<3>, side: f64, n: usize, mass: impl Fn(f64, &mut Random) -> f64) -> f64 {
    let quarter = std::f64::consts::FRAC_PI_2;
    let planes = [
        ([0.0, 0.0, 0.0], [-1.0, 0.0, 0.0]),
        ([0.0, 0.0, 0.0], [0.0, 1.0, 0.0]),
        ([side, 0.0, 0.0], [0.0, -1.0, 0.0]),
        ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
        ([0.0, 0.0, side], [2.0, 0.0, 0.0]),
    ];
    for (x, turn) in planes {
        plane(world, x.into(), Vector::<3>::from(turn) * quarter);
    }
    let (cell, mut random) = (side / n as f64, Random::new(42));
    let r0 = 0.5 * cell;
    for k in 0..n * n * n {
        let radius = random.between(0.8 * r0, 0.9 * r0);
        let mass = mass(radius, &mut random);
        let at = [k / n / n, k / n % n, k % n].map(|c| (c as f64 + 0.5) * cell);
        let x = Vector::<3>::from(at).map(|x| x + random.between(-0.05 * r0, 0.05 * r0));
        let density = mass / (4.0 / 3.0 * std::f64::consts::PI * radius.powi(3));
        let ball = Body::new(Shape::Ball(Ball { radius }), Pose::at(x));
        world.add(Body { density, ..ball }).expect("a valid ball");
    }
    r0
}

/// Steps of a box, and what they cost.
fn run_box(name: &str, world: &mut World<3>, h: f64, steps: usize, radius: f64) {
    let (mut iterations, mut overlap, mut report) = (0, 0f64, None);
    let start = Instant::now();
    for _ in 0..steps {
        let step = world.step(h).expect("a valid step");
        iterations += step.outcome.as_ref().map_or(0, |outcome| outcome.iterations);
        overlap = overlap.max(step.penetration);
        report = Some(step);
    }
    let milliseconds = 1e3 * start.elapsed().as_secs_f64() / steps as f64;
    let report = report.expect("at least one step");
    println!(
        "{name:12} ms a step {milliseconds:8.2}   iterations a step {:6.1}   contacts {} active {}   overlap largest {:.1e} last {:.1e} of a radius   missed {} of {steps}   kinetic energy {:.2e}",
        iterations as f64 / steps as f64,
        report.contacts,
        report.active,
        overlap / radius,
        report.penetration / radius,
        world.missed(),
        report.energy.kinetic,
    );
}

fn scopi_box(n: usize, most_steps: f64) {
    let mut world = World::<3>::new(Maury);
    world.gravity[1] = -1.0;
    let r0 = filled_box(&mut world, 10.0, n, |_, random| random.between(1.0, 2.0));
    let h = 0.2 * 0.9 * r0 / 2.0;
    // step and stopping test of the paper, whose λ is r/h; the residual is reported
    let settings = "increment = 1e-3\nrho = 0.2".parse().expect("valid settings");
    world.solver = Some(AnyMethod::parse("apgd-ar", &settings).expect("a solver of the panel"));
    world.stop.tolerance = f64::MIN_POSITIVE;
    world.retry = false;
    let steps = (8.0 / h).ceil().min(most_steps) as usize;
    run_box(&format!("S-BOX {n}"), &mut world, h, steps, r0);
}

fn chrono_box(number: usize, overlap: f64) {
    let n = (number as f64).cbrt().round() as usize;
    let mut world = World::<3>::default();
    world.gravity[1] = -G;
    world.materials.define("", Material { mu: 0.3, ..Material::default() }).expect("a valid material");
    let mass = |radius: f64, _: &mut Random| 2500.0 * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
    let r0 = filled_box(&mut world, 1.0, n, mass);
    world.stop.tolerance = 1e-3;
    world.overlap = Some(overlap * 0.8 * r0);
    run_box(&format!("C-BOX {number}"), &mut world, 2e-3, 600, 0.8 * r0);
}

/// SplitMix64 on [0, 1).
fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}
