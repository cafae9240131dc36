//! How long a picture of many spheres takes: `cargo run --release --example many -- FILE.png [NUMBER]`.

use anyhow::Result;
use std::path::PathBuf;
use std::time::Instant;
use stickslip::World;
use stickslip::packings::{Grid, Lattice, Random, Sizes};
use stickslip_geometry::space::Vector;
use stickslip_pictures::{By, Frame, Style};

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let path: PathBuf = arguments.next().unwrap_or_else(|| "many.png".into()).into();
    let number: usize = arguments.next().map_or(Ok(100_000), |text| text.parse())?;
    let side = (number as f64).cbrt().ceil() as usize;
    let grid = Grid {
        origin: Vector::<3>::zeros(),
        counts: [side, side, number.div_ceil(side * side)],
        spacing: 1.3,
        lattice: Lattice::Hexagonal,
        jitter: 0.1,
    };
    let mut world = World::<3>::default();
    for grain in grid.place(&Sizes::Uniform { min: 0.7, max: 1.1 }, &mut Random::new(1))? {
        world.add(grain.ball())?;
    }
    let start = Instant::now();
    let frame = Frame::of(&world, &By::Size.into())?;
    let taken = start.elapsed();
    let picture = frame.draw(&Style::default())?;
    let drawn = start.elapsed();
    picture.save(&path)?;
    let bodies = frame.bodies.len();
    eprintln!(
        "{bodies} spheres: frame {taken:.2?}, drawn {:.2?}, saved {:.2?}",
        drawn - taken,
        start.elapsed() - drawn
    );
    Ok(())
}
