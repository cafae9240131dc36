//! A few small worlds and their pictures: `cargo run --release --example gallery -- FOLDER`.

use anyhow::Result;
use std::path::{Path, PathBuf};
use stickslip::bodies::Course;
use stickslip::packings::{Amount, Grid, Lattice, Random, Region, Sizes, fill};
use stickslip::{Body, Motion, World};
use stickslip_geometry::shape::{Bounds, HollowBall, Shape};
use stickslip_geometry::space::{Pose, Vector};
use stickslip_pictures::{By, Frame, Style};

fn main() -> Result<()> {
    let folder: PathBuf = std::env::args_os().nth(1).unwrap_or_else(|| "gallery".into()).into();
    std::fs::create_dir_all(&folder)?;
    drum(&folder)?;
    spheres(&folder)?;
    Ok(())
}

/// Disks in a drum that turns: avalanches, and the force chains below them.
fn drum(folder: &Path) -> Result<()> {
    let mut world = World::<2>::default();
    world.gravity = Vector::<2>::new(0.0, -9.81);
    world.stop.tolerance = 1e-4;
    let motion = Motion::Driven { v: Course::Constant(Vector::zeros()), spin: Course::Constant(0.8) };
    world.add(Body { motion, ..Body::fixed(Shape::HollowBall(HollowBall { radius: 0.5 }), Pose::identity()) })?;
    let sizes = Sizes::Uniform { min: 0.022, max: 0.036 };
    let grid = Grid { origin: Vector::repeat(-0.5), counts: [27, 27], spacing: 0.037, lattice: Lattice::Hexagonal, jitter: 0.0 };
    for grain in grid.place(&sizes, &mut Random::new(1))? {
        if grain.x.norm() < 0.48 && grain.x[1] < 0.1 {
            world.add(grain.ball())?;
        }
    }
    for _ in 0..600 {
        world.step(2e-3)?;
    }
    let style = Style { size: (900, 760), ..Style::<2>::default() };
    Frame::of(&world, &By::Speed.into())?.draw(&style)?.save(&folder.join("drum.png"))?;
    let style = Style { chains: true, ..style };
    Frame::of(&world, &By::Size.into())?.draw(&style)?.save(&folder.join("drum_chains.png"))?;
    Ok(())
}

/// Spheres of many sizes that have fallen into a box.
fn spheres(folder: &Path) -> Result<()> {
    let mut world = World::<3>::default();
    world.gravity = Vector::<3>::new(0.0, 0.0, -9.81);
    world.stop.tolerance = 1e-3;
    let region = Region::Box(Bounds { low: Vector::<3>::new(-0.5, -0.35, 0.0), high: Vector::<3>::new(0.5, 0.35, 0.9) });
    for wall in region.walls(false) {
        world.add(wall)?;
    }
    let sizes = Sizes::LogNormal { median: 0.07, sigma: 0.35, min: 0.04, max: 0.16 };
    for grain in fill(&region, &sizes, Amount::Fraction(0.25), &mut Random::new(7))? {
        world.add(grain.ball())?;
    }
    for _ in 0..250 {
        world.step(2e-3)?;
    }
    let style = Style::<3>::default();
    Frame::of(&world, &By::Size.into())?.draw(&style)?.save(&folder.join("spheres.png"))?;
    let style = Style { chains: true, ..style };
    Frame::of(&world, &By::Size.into())?.draw(&style)?.save(&folder.join("spheres_chains.png"))?;
    Ok(())
}
