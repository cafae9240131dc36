//! Memory over a long run: 100 000 spheres that rest on each other, with series, certificate and trajectory. Fails where it
//! grows after step 100.
//!
//! `cargo run --release -p stickslip-scene --example memory [-- STEPS]`

#![allow(clippy::print_stdout)]

use std::error::Error;
use stickslip_scene::{Options, Scene, run};

const SPHERES: &str = r#"
dimension = 3
seed = 1
time = { step = 1e-3, end = 1 }
solver = { tolerance = 1e-4 }
[[packing]]
name = "walls"
container = { region = { box = { low = [0, 0, 0], high = [1, 1, 1] } } }
[[packing]]
name = "grains"
grid = { origin = [0.005, 0.005, 0.005], counts = [100, 100, 10], spacing = 0.01, sizes = { uniform = [0.008, 0.0099] } }
[output]
series = {}
certificate = true
trajectory = { every = 0.05 }
"#;

/// The largest memory of all steps by that up to step 100 from which on it grows.
const GROWS: f64 = 1.1;

/// Resident memory of this process and its largest value so far, in megabytes.
fn resident() -> Option<[f64; 2]> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kilobytes = |key: &str| -> Option<f64> {
        let line = status.lines().find(|line| line.starts_with(key))?;
        line.split_whitespace().nth(1)?.parse().ok()
    };
    Some([kilobytes("VmRSS:")? / 1000.0, kilobytes("VmHWM:")? / 1000.0])
}

fn main() -> Result<(), Box<dyn Error>> {
    let steps: usize = std::env::args().nth(1).map_or(Ok(1000), |text| text.parse())?;
    let scene = Scene::parse("memory", "memory.toml", SPHERES, None, &[])?;
    let out = std::env::temp_dir().join(format!("stickslip-memory-{}", std::process::id()));
    println!("| step | contacts | resident now [MB] | largest so far [MB] |\n|---|---|---|---|");
    let (mut early, mut late) = (f64::INFINITY, 0.0f64);
    let record = run(&scene, &Options::new(&out), &mut |now| {
        if [1, 30, 100, 200, 300, 600, 1000].contains(&now.steps) {
            let [resident, largest] = resident().unwrap_or([f64::NAN; 2]);
            println!("| {} | {} | {resident:.0} | {largest:.0} |", now.steps, now.contacts);
            if now.steps == 100 {
                early = largest;
            }
            late = late.max(largest);
        }
        now.steps < steps
    });
    std::fs::remove_dir_all(out)?;
    println!(
        "\n{}, {:.0} s",
        record.as_ref().map_or(String::new(), |r| r.certificate.summary()),
        record?.seconds
    );
    if late > GROWS * early {
        return Err(format!("memory grew from {early:.0} to {late:.0} MB").into());
    }
    Ok(())
}
