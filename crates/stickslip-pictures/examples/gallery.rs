//! A few small worlds and their pictures: `cargo run --release --example gallery -- FOLDER [NAME]`.

use anyhow::Result;
use std::path::{Path, PathBuf};
use stickslip::bodies::Course;
use stickslip::packings::{Amount, Grid, Lattice, Random, Region, RunningBond, Sizes, fill};
use stickslip::{Body, Motion, World};
use stickslip_geometry::shape::{
    Ball, Bounds, Capsule, Compound, Cuboid, Cylinder, Ellipsoid, HalfSpace, HollowBall, HollowCylinder,
    Polytope, Shape, Superellipsoid,
};
use stickslip_geometry::space::{Pose, Vector};
use stickslip_pictures::plots::{Plot, Series};
use stickslip_pictures::report::Page;
use stickslip_pictures::{By, Camera, Colouring, Frame, Movie, Style};

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder: PathBuf = arguments.next().unwrap_or_else(|| "gallery".into()).into();
    let chosen = arguments.next();
    std::fs::create_dir_all(&folder)?;
    type Scene = fn(&Path) -> Result<()>;
    let scenes: [(&str, Scene); 6] = [
        ("drum", drum),
        ("spheres", spheres),
        ("masonry", masonry),
        ("shapes", shapes),
        ("plane", plane),
        ("mill", mill),
    ];
    for (_, scene) in scenes.iter().filter(|(name, _)| chosen.as_ref().is_none_or(|chosen| chosen == name)) {
        scene(&folder)?;
    }
    Ok(())
}

/// A world with gravity along its last axis, solved as exactly as a picture needs.
fn world<const D: usize>() -> World<D>
where
    stickslip_geometry::space::Dim<D>: stickslip::rigid::Rigid<D>,
{
    let mut world = World::<D>::default();
    world.gravity[D - 1] = -9.81;
    world.stop.tolerance = 1e-4;
    world
}

/// Disks in a drum that turns: avalanches, and the force chains below them.
fn drum(folder: &Path) -> Result<()> {
    let mut world = world::<2>();
    let motion = Motion::Driven { v: Course::Constant(Vector::zeros()), spin: Course::Constant(0.9) };
    let drum = Shape::HollowBall(HollowBall { radius: 0.5 });
    world.add(Body { motion, ..Body::fixed(drum, Pose::identity()) })?;
    let sizes = Sizes::Uniform { min: 0.022, max: 0.036 };
    let grid = Grid {
        origin: Vector::repeat(-0.5),
        counts: [27, 27],
        spacing: 0.037,
        lattice: Lattice::Hexagonal,
        jitter: 0.0,
    };
    for grain in grid.place(&sizes, &mut Random::new(1))? {
        if grain.x.norm() < 0.48 && grain.x[1] < 0.1 {
            world.add(grain.ball())?;
        }
    }
    for _ in 0..800 {
        world.step(2e-3)?;
    }
    let style = Style { size: (900, 760), ..Style::<2>::default() };
    Frame::of(&world, &By::Speed.into())?.draw(&style)?.save(&folder.join("drum.png"))?;
    let colouring = Colouring { range: Some([0.0, 0.8]), ..By::Speed.into() };
    let style = Style { size: (440, 380), chains: true, colouring, ..style };
    let mut movie = Movie::create(&folder.join("drum.gif"), style.clone(), 20.0)?;
    let (mut kinetic, mut residual) = (Series::named("kinetic energy"), Series::named("residual"));
    for _ in 0..40 {
        for _ in 0..20 {
            let report = world.step(2e-3)?;
            kinetic.points.push((report.time, report.energy.kinetic));
            residual
                .points
                .push((report.time, report.outcome.map_or(0.0, |outcome| outcome.residual.scaled)));
        }
        movie.push(Frame::of(&world, &style.colouring)?)?;
    }
    movie.finish()?;
    for (series, logarithmic) in [(kinetic, false), (residual, true)] {
        let path = folder.join(format!("drum_{}.png", series.label.replace(' ', "_")));
        Plot { title: "Disks in a drum".into(), series: vec![series], logarithmic, ..Plot::default() }
            .save(&path)?;
    }
    Page::of_folder(folder)?.save(&folder.join("gallery.html"))?;
    let style = Style { size: (900, 760), ..style };
    Ok(Frame::of(&world, &By::Force.into())?.draw(&style)?.save(&folder.join("drum_chains.png"))?)
}

/// Spheres of many sizes that have fallen into a box.
fn spheres(folder: &Path) -> Result<()> {
    let mut world = world::<3>();
    let (low, high) = (Vector::<3>::new(-0.5, -0.35, 0.0), Vector::<3>::new(0.5, 0.35, 0.75));
    let region = Region::Box(Bounds { low, high });
    for wall in region.walls(false) {
        world.add(wall)?;
    }
    let sizes = Sizes::LogNormal { median: 0.06, sigma: 0.35, min: 0.03, max: 0.16 };
    for grain in fill(&region, &sizes, Amount::Fraction(0.3), &mut Random::new(7))? {
        world.add(grain.ball())?;
    }
    for _ in 0..500 {
        world.step(2e-3)?;
    }
    let style = Style::<3>::default();
    Frame::of(&world, &By::Size.into())?.draw(&style)?.save(&folder.join("spheres.png"))?;
    let style = Style { chains: true, ..style };
    Ok(Frame::of(&world, &By::Force.into())?.draw(&style)?.save(&folder.join("spheres_chains.png"))?)
}

/// A wall of bricks that a heavy ball hits.
fn masonry(folder: &Path) -> Result<()> {
    let mut world = world::<3>();
    world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity()))?;
    let bond = RunningBond {
        courses: 10,
        bricks: 7,
        brick: Vector::<3>::new(0.25, 0.12, 0.065),
        head_joint: 0.002,
        bed_joint: 0.0,
    };
    for (k, brick) in bond.bodies()?.into_iter().enumerate() {
        world.add(Body { name: Some(format!("brick {k}")), ..brick })?;
    }
    let ball = Shape::Ball(Ball { radius: 0.13 });
    let start = Pose::at(Vector::<3>::new(0.9, -0.45, 0.42));
    world.add(Body {
        v: Vector::<3>::new(0.0, 9.0, 0.5),
        density: 4000.0,
        name: Some("ball".into()),
        ..Body::new(ball, start)
    })?;
    for _ in 0..170 {
        world.step(1e-3)?;
    }
    let camera = Camera { azimuth: -55.0, elevation: 18.0, ..Camera::default() };
    let style = Style { camera, ..Style::<3>::default() };
    Ok(Frame::of(&world, &By::Speed.into())?.draw(&style)?.save(&folder.join("masonry.png"))?)
}

/// One of each kind of body in space.
fn solids() -> Result<Vec<Shape<3>>> {
    let tetrahedron = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
    let corners: Vec<Vector<3>> = tetrahedron.iter().map(|x| Vector::from(*x) * 0.09).collect();
    let bar = |half: [f64; 3]| Shape::Cuboid(Cuboid::<3>::new(Vector::from(half)));
    let cross = [[0.12, 0.03, 0.03], [0.03, 0.12, 0.03], [0.03, 0.03, 0.12]];
    Ok(vec![
        Shape::Ball(Ball { radius: 0.1 }),
        Shape::Ellipsoid(Ellipsoid { radii: Vector::<3>::new(0.14, 0.09, 0.06) }),
        Shape::Superellipsoid(Superellipsoid::<3>::new(Vector::<3>::new(0.1, 0.1, 0.08), 5.0, 5.0)),
        Shape::Capsule(Capsule { half_length: 0.1, radius: 0.05 }),
        Shape::Cylinder(Cylinder { half_length: 0.09, radius: 0.07 }),
        bar([0.11, 0.08, 0.06]),
        Shape::Polytope(Polytope::hull(&corners)?),
        Shape::Compound(Compound::new(cross.into_iter().map(|half| (Pose::identity(), bar(half))).collect())),
    ])
}

/// A heap of all kinds of bodies on the floor.
fn shapes(folder: &Path) -> Result<()> {
    let mut world = world::<3>();
    world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity()))?;
    let (kinds, mut random) = (solids()?, Random::new(3));
    for k in 0..96 {
        let (column, row, layer) = (k % 4, k / 4 % 4, k / 16);
        let place = |site: usize| 0.33 * (site as f64 - 1.5);
        let x = Vector::<3>::new(place(column), place(row), 0.25 + 0.33 * layer as f64);
        let turn = Vector::<3>::from_fn(|_, _| random.between(-2.0, 2.0));
        world.add(Body::new(kinds[random.below(kinds.len())].clone(), Pose::<3>::turned(x, turn)))?;
    }
    for _ in 0..700 {
        world.step(2e-3)?;
    }
    let style = Style::<3>::default();
    Ok(Frame::of(&world, &By::Name.into())?.draw(&style)?.save(&folder.join("shapes.png"))?)
}

/// All kinds of bodies in the plane, in a funnel of two planes.
fn plane(folder: &Path) -> Result<()> {
    let mut world = world::<2>();
    for side in [-1.0, 1.0] {
        let wall = Pose::<2>::turned(Vector::<2>::new(0.0, 0.0), 0.55 * side);
        world.add(Body::fixed(Shape::HalfSpace(HalfSpace), wall))?;
    }
    let v = |x: f64, y: f64| Vector::<2>::new(x, y);
    let pentagon: Vec<Vector<2>> =
        (0..5).map(|k| f64::from(k) * 1.2566).map(|a| v(a.cos(), a.sin()) * 0.11).collect();
    let bar = |x: f64, y: f64| Shape::Cuboid(Cuboid::<2>::new(v(x, y)));
    let kinds = [
        Shape::Ball(Ball { radius: 0.1 }),
        Shape::Ellipsoid(Ellipsoid { radii: v(0.14, 0.07) }),
        Shape::Superellipsoid(Superellipsoid::<2>::new(v(0.11, 0.08), 5.0)),
        Shape::Capsule(Capsule { half_length: 0.1, radius: 0.05 }),
        bar(0.12, 0.07),
        Shape::Polytope(Polytope::hull(&pentagon)?),
        Shape::Compound(Compound::new(vec![
            (Pose::identity(), bar(0.12, 0.035)),
            (Pose::identity(), bar(0.035, 0.12)),
        ])),
    ];
    let mut random = Random::new(5);
    for k in 0..80 {
        let x = v(0.3 * (f64::from(k % 8) - 3.5), 1.0 + 0.3 * f64::from(k / 8));
        let pose = Pose::<2>::turned(x, random.between(-3.0, 3.0));
        world.add(Body::new(kinds[random.below(kinds.len())].clone(), pose))?;
    }
    for _ in 0..900 {
        world.step(2e-3)?;
    }
    let style = Style::<2>::default();
    Frame::of(&world, &By::Name.into())?.draw(&style)?.save(&folder.join("plane.png"))?;
    let style = Style { chains: true, ..style };
    Ok(Frame::of(&world, &By::Angle.into())?.draw(&style)?.save(&folder.join("plane_chains.png"))?)
}

/// Balls in a mill: a tube between two planes that turns.
fn mill(folder: &Path) -> Result<()> {
    let mut world = world::<3>();
    let spin = Course::Constant(Vector::<3>::new(0.0, 4.0, 0.0));
    let motion = Motion::Driven { v: Course::Constant(Vector::zeros()), spin };
    let quarter = Vector::<3>::new(std::f64::consts::FRAC_PI_2, 0.0, 0.0);
    let tube = Shape::HollowCylinder(HollowCylinder { radius: 0.5 });
    world.add(Body { motion, ..Body::fixed(tube, Pose::<3>::turned(Vector::zeros(), quarter)) })?;
    for side in [-1.0, 1.0] {
        let lid = Pose::<3>::turned(Vector::<3>::new(0.0, -0.3 * side, 0.0), quarter * -side);
        world.add(Body::fixed(Shape::HalfSpace(HalfSpace), lid))?;
    }
    let sizes = Sizes::Uniform { min: 0.04, max: 0.07 };
    let grid = Grid {
        origin: Vector::<3>::new(-0.45, -0.25, -0.45),
        counts: [13, 8, 13],
        spacing: 0.0705,
        lattice: Lattice::Square,
        jitter: 0.0,
    };
    for grain in grid.place(&sizes, &mut Random::new(2))? {
        if grain.x.xz().norm() < 0.46 && grain.x[2] < 0.02 {
            world.add(grain.ball())?;
        }
    }
    for _ in 0..500 {
        world.step(2e-3)?;
    }
    let camera = Camera { azimuth: -70.0, elevation: 14.0, ..Camera::default() };
    let style = Style { camera, ..Style::<3>::default() };
    Ok(Frame::of(&world, &By::Speed.into())?.draw(&style)?.save(&folder.join("mill.png"))?)
}
