//! What each output adds to a run, in CPU time: the default scene, and 10 000 spheres that fall into a box.
//!
//! `cargo run --release -p stickslip-scene --example output_cost [-- ROUNDS]`

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::PathBuf;
use stickslip_scene::{Options, Scene, builtin, run};

/// Outputs at rates of use: a hundred frames or rows in a run, every step where a table has one row a step.
const OUTPUTS: [(&str, &str); 9] = [
    ("none", ""),
    ("series", "series = { every = $E }"),
    ("series, every step", "series = {}"),
    ("certificate", "certificate = true"),
    ("profile", "profile = { every = $E, width = 0.05 }"),
    ("paraview", "paraview = { every = $E }"),
    ("trajectory", "trajectory = { every = $E }"),
    ("movie", "movie = { every = $E }"),
    ("picture", "picture = {}"),
];

const SPHERES: &str = r#"
dimension = 3
seed = 1
time = { step = 1e-3, end = 0.2 }
solver = { tolerance = 1e-4 }
[[packing]]
name = "walls"
container = { region = { box = { low = [0, 0, 0], high = [0.3, 0.3, 1.5] } } }
[[packing]]
name = "grains"
grid = { origin = [0.0075, 0.0075, 0.0075], counts = [20, 20, 25], spacing = 0.015, sizes = { uniform = [0.012, 0.0145] } }
[[measure]]
name = "z"
of = "coordination"
[[measure]]
name = "chains"
of = "force_chains"
"#;

/// A scene without its outputs.
fn bare(text: &str) -> String {
    let mut inside = false;
    let kept = text.lines().filter(|line| {
        if line.starts_with('[') {
            inside = line.starts_with("[output");
        }
        !inside
    });
    kept.collect::<Vec<_>>().join("\n")
}

/// CPU time of this process, in seconds; the clock of Linux ticks a hundred times a second.
fn cpu() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    let ticks: f64 = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
    Some(ticks / 100.0)
}

fn seconds(text: &str, out: &PathBuf) -> Result<f64, Box<dyn Error>> {
    let scene = Scene::parse("cost", "cost.toml", text, None, &[])?;
    let before = cpu().ok_or("this example reads /proc/self/stat")?;
    run(&scene, &Options { force: true, ..Options::new(out) }, &mut |_| true)?;
    Ok(cpu().unwrap_or(before) - before)
}

fn main() -> Result<(), Box<dyn Error>> {
    let rounds: usize = std::env::args().nth(1).map_or(Ok(3), |text| text.parse())?;
    let out = std::env::temp_dir().join(format!("stickslip-cost-{}", std::process::id()));
    let drum = bare(builtin::find("rotating-drum").ok_or("there is no drum")?);
    // rows and frames: a hundred of a run of 1000 steps
    for (name, text, every) in [("rotating-drum", drum.as_str(), "0.02"), ("10 000 spheres", SPHERES, "0.01")]
    {
        let mut best = [f64::INFINITY; OUTPUTS.len()];
        for _ in 0..rounds {
            for (best, (_, output)) in best.iter_mut().zip(OUTPUTS) {
                let text = format!("{text}\n[output]\n{}\n", output.replace("$E", every));
                *best = best.min(seconds(&text, &out)?);
            }
        }
        println!("\n| {name} | CPU s | more than without |\n|---|---|---|");
        for ((output, _), best_of) in OUTPUTS.iter().zip(best) {
            println!("| {output} | {best_of:.2} | {:+.1} % |", 100.0 * (best_of / best[0] - 1.0));
        }
    }
    std::fs::remove_dir_all(out)?;
    Ok(())
}
