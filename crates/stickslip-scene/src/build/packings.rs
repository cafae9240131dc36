//! Many bodies at once.

use super::Built;
use super::bodies::check_moves;
use super::space::{pose, vector};
use crate::format::{
    ArchSpec, CardHouseSpec, ColumnSpec, FillSpec, GrainSpec, GridSpec, InsertSpec, PackingSpec, RegionSpec,
    RowsSpec, SizesSpec, WallSpec,
};
use crate::reader::{Fault, Placed};
use crate::scene::{PACKINGS, Scene};
use stickslip::packings::{
    Amount, Arch, CardHouse, Column, Grain, Grid, Insertion, Lattice, PackingError, Random, Region,
    RunningBond, Sieve, Sizes, Tower, fill,
};
use stickslip::rigid::Rigid;
use stickslip::{Body, BodyError, Motion};
use stickslip_geometry::shape::{Bounds, Polytope, Shape};
use stickslip_geometry::space::{Dim, Pose, Vector};

/// The kinds of packings.
const KINDS: [&str; 9] =
    ["fill", "insert", "grid", "container", "wall", "arch", "column", "tower", "card_house"];

/// Bodies of a packing at most: what the memory of a large machine holds.
const MOST_BODIES: f64 = 1e7;

impl Scene {
    pub(super) fn add_packing<const D: usize>(
        &self,
        built: &mut Built<D>,
        placed: &Placed<PackingSpec>,
        number: usize,
    ) -> Result<(), Fault>
    where
        Dim<D>: Rigid<D>,
    {
        let (spec, spot) = (&placed.value, self.spot(placed));
        let mut random = Random::stream(self.file.seed, PACKINGS + number as u64);
        let kind = spot.key(&KINDS);
        spot.named("name", spec.name.as_deref())?;
        check_moves(spot, spec.at.as_ref(), spec.turn.as_ref(), spec.v.as_ref())?;
        spec.density.map_or(Ok(0.0), |density| spot.positive("density", density))?;
        let count = count::<D>(spec);
        if count > MOST_BODIES {
            let fault = Fault::new(format!("{count:.1e} bodies are too many"));
            return Err(fault.remedy(format!("give at most {MOST_BODIES:.0e}")).at(kind));
        }
        let bodies = bodies::<D>(spec, &mut random).map_err(|fault| fault.at(kind))?;
        let material = self
            .material_of(spec.material.as_deref(), &built.world)
            .map_err(|fault| fault.at(spot.key(&["material"])))?;
        if spec.fixed && spec.v.is_some() {
            let fault = Fault::new("bodies that are fixed do not move");
            return Err(fault.remedy("leave out v, or fixed").at(spot.key(&["v"])));
        }
        let place = pose::<D>(spec.at.as_ref(), spec.turn.as_ref());
        for (k, mut body) in bodies.into_iter().enumerate() {
            body.pose = place.of_part(&body.pose);
            body.material.clone_from(&material);
            body.density = spec.density.unwrap_or(body.density);
            body.v = spec.v.as_ref().map_or(body.v, vector);
            body.name = spec.name.as_ref().map(|name| format!("{name}-{k}"));
            if spec.fixed {
                body.motion = Motion::Fixed;
            }
            let id = built.world.add(body).map_err(|error| {
                let name = matches!(error, BodyError::Name { .. });
                Fault::new(error.to_string()).at(if name { spot.key(&["name"]) } else { kind })
            })?;
            built.all.push(id);
            built.spots.push(placed.spot);
            if let Some(name) = &spec.name {
                built.groups.entry(name.clone()).or_default().push(id);
            }
        }
        Ok(())
    }
}

fn bodies<const D: usize>(spec: &PackingSpec, random: &mut Random) -> Result<Vec<Body<D>>, Fault>
where
    Dim<D>: Rigid<D>,
{
    let PackingSpec { fill, insert, grid, container, wall, arch, column, tower, card_house, .. } = spec;
    let grains = match (fill, insert, grid) {
        (Some(fill), None, None) => Some(filled(fill, random)?),
        (None, Some(insert), None) => Some(inserted(insert, random)?),
        (None, None, Some(grid)) => Some(on_grid(grid, random)?),
        (None, None, None) => None,
        _ => return Err(not_one()),
    };
    let walls = container.as_ref().map(|container| {
        let region = region::<D>(&container.region);
        region.validate().map(|()| region.walls(container.lid))
    });
    let all = [
        grains.map(|grains: Vec<Grain<D>>| {
            grains.iter().map(|grain| grain_body(&spec.grain, grain, random)).collect()
        }),
        walls,
        wall.as_ref().map(running_bond),
        arch.as_ref().map(voussoirs),
        column.as_ref().map(drums),
        tower.as_ref().map(|tower| Tower::<D> { blocks: tower.blocks, block: vector(&tower.block) }.bodies()),
        card_house.as_ref().map(cards),
    ];
    let mut made = all.into_iter().flatten();
    match (made.next(), made.next()) {
        (Some(bodies), None) => bodies.map_err(packing_fault),
        _ => Err(not_one()),
    }
}

/// How many bodies a packing asks for, at least.
fn count<const D: usize>(spec: &PackingSpec) -> f64
where
    Dim<D>: Rigid<D>,
{
    let grains = |place: &RegionSpec, sizes: &SizesSpec, number: Option<usize>, fraction: Option<f64>| {
        let by_fraction =
            fraction.map(|part| part * region::<D>(place).volume() / largest(sizes).powi(D as i32));
        by_fraction.unwrap_or(0.0).max(number.unwrap_or(0) as f64)
    };
    let product = |counts: &[usize]| counts.iter().map(|&count| count as f64).product::<f64>();
    [
        spec.fill.as_ref().map(|fill| grains(&fill.region, &fill.sizes, fill.number, fill.fraction)),
        spec.insert.as_ref().map(|all| grains(&all.region, &all.sizes, all.number, all.fraction)),
        spec.grid.as_ref().map(|grid| product(&grid.counts)),
        spec.wall.as_ref().map(|wall| product(&[wall.courses, wall.bricks])),
        spec.arch.as_ref().map(|arch| product(&[arch.voussoirs])),
        spec.column.as_ref().map(|column| product(&[column.drums])),
        spec.tower.as_ref().map(|tower| product(&[tower.blocks])),
        spec.card_house.as_ref().map(|house| product(&[house.levels, house.levels])),
    ]
    .into_iter()
    .flatten()
    .fold(0.0, f64::max)
}

/// The largest diameter of grains.
fn largest(sizes: &SizesSpec) -> f64 {
    match sizes {
        SizesSpec::Fixed(size) => *size,
        SizesSpec::Uniform((_, max)) => *max,
        SizesSpec::LogNormal(spec) => spec.max,
        SizesSpec::Sieves(rows) => rows.iter().map(|row| row.0).fold(0.0, f64::max),
    }
}

fn not_one() -> Fault {
    Fault::new("a packing is exactly one thing").remedy(format!("give one of {}", KINDS.join(", ")))
}

fn packing_fault(error: PackingError) -> Fault {
    Fault::new(error.to_string())
}

/// Corners of a rock at most.
const MOST_CORNERS: usize = 1000;
/// Least inner radius of a rock, as part of its outer one.
const FLATTEST: f64 = 0.3;

/// A region in the world's numbers.
pub(crate) fn region<const D: usize>(spec: &RegionSpec) -> Region<D> {
    match spec {
        RegionSpec::Box(spec) => Region::Box(Bounds { low: vector(&spec.low), high: vector(&spec.high) }),
        RegionSpec::Ball(spec) => Region::Ball { centre: vector(&spec.centre), radius: spec.radius },
        RegionSpec::Cylinder(spec) => {
            Region::Cylinder { base: vector(&spec.base), radius: spec.radius, height: spec.height }
        }
    }
}

fn sizes(spec: &SizesSpec) -> Sizes {
    match spec {
        SizesSpec::Fixed(size) => Sizes::Fixed { size: *size },
        SizesSpec::Uniform((min, max)) => Sizes::Uniform { min: *min, max: *max },
        SizesSpec::LogNormal(spec) => {
            Sizes::LogNormal { median: spec.median, sigma: spec.sigma, min: spec.min, max: spec.max }
        }
        SizesSpec::Sieves(rows) => {
            Sizes::Sieves(rows.iter().map(|&(size, passing)| Sieve { size, passing }).collect())
        }
    }
}

fn amount(number: Option<usize>, fraction: Option<f64>) -> Result<Amount, Fault> {
    match (number, fraction) {
        (Some(number), None) => Ok(Amount::Number(number)),
        (None, Some(fraction)) => Ok(Amount::Fraction(fraction)),
        _ => {
            Err(Fault::new("how many grains there are is not clear").remedy("give either number or fraction"))
        }
    }
}

fn filled<const D: usize>(spec: &FillSpec, random: &mut Random) -> Result<Vec<Grain<D>>, Fault>
where
    Dim<D>: Rigid<D>,
{
    let amount = amount(spec.number, spec.fraction)?;
    fill(&region(&spec.region), &sizes(&spec.sizes), amount, random).map_err(packing_fault)
}

fn inserted<const D: usize>(spec: &InsertSpec, random: &mut Random) -> Result<Vec<Grain<D>>, Fault>
where
    Dim<D>: Rigid<D>,
{
    let amount = amount(spec.number, spec.fraction)?;
    let insertion = Insertion { gap: spec.gap, ..Insertion::default() };
    insertion.place(&region(&spec.region), &sizes(&spec.sizes), amount, random).map_err(packing_fault)
}

fn on_grid<const D: usize>(spec: &GridSpec, random: &mut Random) -> Result<Vec<Grain<D>>, Fault>
where
    Dim<D>: Rigid<D>,
{
    let counts = <[usize; D]>::try_from(spec.counts.as_slice()).map_err(|_| {
        Fault::new(format!("a grid in {D}D has {D} counts, but there are {}", spec.counts.len()))
    })?;
    let lattice = match spec.rows {
        RowsSpec::Square => Lattice::Square,
        RowsSpec::Hexagonal => Lattice::Hexagonal,
    };
    let origin = vector(&spec.origin);
    let grid = Grid { origin, counts, spacing: spec.spacing, lattice, jitter: spec.jitter };
    grid.place(&sizes(&spec.sizes), random).map_err(packing_fault)
}

/// A grain as a body.
fn grain_body<const D: usize>(
    spec: &GrainSpec,
    grain: &Grain<D>,
    random: &mut Random,
) -> Result<Body<D>, PackingError>
where
    Dim<D>: Rigid<D>,
{
    let GrainSpec::Rock(rock) = spec else { return Ok(grain.ball()) };
    if !(D + 1..=MOST_CORNERS).contains(&rock.corners) {
        let allowed = "give at least one more than there are dimensions, and at most 1000";
        return Err(PackingError::Value { what: "corners", value: rock.corners as f64, allowed });
    }
    // few points may lie nearly in a plane, or leave the centre near a side: drawn again
    let mut drawn = Ok(grain.ball().shape);
    for _ in 0..100 {
        let corners: Vec<Vector<D>> = (0..rock.corners).map(|_| on_sphere(random) * grain.radius).collect();
        drawn = Polytope::hull(&corners).map(Shape::Polytope);
        if drawn.as_ref().is_ok_and(|rock| rock.inner_radius() > FLATTEST * grain.radius) {
            break;
        }
    }
    Ok(Body::new(drawn?, Pose::at(grain.x)))
}

/// A point of the circle or the sphere of radius 1.
fn on_sphere<const D: usize>(random: &mut Random) -> Vector<D> {
    loop {
        let x: Vector<D> = Vector::from_fn(|_, _| random.between(-1.0, 1.0));
        if (0.01..=1.0).contains(&x.norm_squared()) {
            return x.normalize();
        }
    }
}

fn running_bond<const D: usize>(spec: &WallSpec) -> Result<Vec<Body<D>>, PackingError>
where
    Dim<D>: Rigid<D>,
{
    let WallSpec { courses, bricks, head_joint, bed_joint, .. } = *spec;
    RunningBond { courses, bricks, brick: vector(&spec.brick), head_joint, bed_joint }.bodies()
}

fn voussoirs<const D: usize>(spec: &ArchSpec) -> Result<Vec<Body<D>>, PackingError>
where
    Dim<D>: Rigid<D>,
{
    let ArchSpec { voussoirs, inner_radius, thickness, opening, depth, springers } = *spec;
    let arch = Arch {
        voussoirs,
        inner_radius,
        thickness,
        opening: opening.unwrap_or(std::f64::consts::PI),
        depth: depth.unwrap_or(thickness),
        springers: springers.unwrap_or(true),
    };
    arch.bodies()
}

fn drums<const D: usize>(spec: &ColumnSpec) -> Result<Vec<Body<D>>, PackingError>
where
    Dim<D>: Rigid<D>,
{
    let ColumnSpec { drums, height, diameter, top_diameter } = *spec;
    Column { drums, height, diameter, top_diameter: top_diameter.unwrap_or(diameter) }.bodies()
}

fn cards<const D: usize>(spec: &CardHouseSpec) -> Result<Vec<Body<D>>, PackingError>
where
    Dim<D>: Rigid<D>,
{
    let CardHouseSpec { levels, length, thickness, lean, width } = *spec;
    CardHouse { levels, length, thickness, lean, width: width.unwrap_or(length) }.bodies()
}
