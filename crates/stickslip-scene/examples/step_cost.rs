//! Where the time of a step goes: a run is taken up at a checkpoint and goes on for some steps.
//!
//! `cargo run --release -p stickslip-scene --example step_cost -- SCENE.toml FOLDER/checkpoint.bin [STEPS]`

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::Path;
use stickslip_scene::Scene;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [scene, checkpoint, rest @ ..] = arguments.as_slice() else {
        return Err("give a scene and a checkpoint".into());
    };
    let steps: usize = rest.first().map_or(Ok(10), |steps| steps.parse())?;
    let scene = Scene::read(Path::new(scene), &[])?;
    let mut world = scene.build::<3>()?.world;
    world.restore(Path::new(checkpoint))?;
    println!("time      contacts  iterations  detection  assembly   solve  advance  step [s]");
    for _ in 0..steps {
        let report = world.step(scene.file.time.value.step)?;
        let iterations = report.outcome.as_ref().map_or(0, |outcome| outcome.iterations);
        let seconds = report.seconds;
        println!(
            "{:<8.4}  {:8}  {iterations:10}  {:9.3}  {:8.3}  {:6.3}  {:7.3}  {:8.3}",
            report.time,
            report.contacts,
            seconds.detection,
            seconds.assembly,
            seconds.solve,
            seconds.advance,
            seconds.all(),
        );
    }
    Ok(())
}
