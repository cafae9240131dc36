//! What every packing must be: free of overlaps, inside its region, and the same from the same seed.

use std::f64::consts::PI;
use stickslip::Body;
use stickslip::packings::{
    Amount, Arch, CardHouse, Column, Grain, Grid, Insertion, Lattice, Random, Region, RunningBond, Sieve,
    Sizes, Tower, fill,
};
use stickslip::rigid::Rigid;
use stickslip_geometry::broad::{Candidates, Periods};
use stickslip_geometry::pair;
use stickslip_geometry::shape::Bounds;
use stickslip_geometry::space::{Dim, Vector};

/// Least gap of all pairs, and how many touch within a tolerance.
fn gaps<const D: usize>(bodies: &[Body<D>], touch: f64) -> (f64, usize)
where
    Dim<D>: Rigid<D>,
{
    let bounds: Vec<_> = bodies.iter().map(|body| body.shape.bounds(&body.pose).grown(touch)).collect();
    let (mut least, mut touching, mut points) = (f64::INFINITY, 0, Vec::new());
    for near in Candidates::default().update(&bounds, &Periods::default(), |_| true) {
        let [a, b] = [near.a, near.b].map(|k| &bodies[k as usize]);
        points.clear();
        pair::contacts((&a.shape, &a.pose), (&b.shape, &b.pose), touch, &mut points);
        least = points.iter().fold(least, |least, point| least.min(point.gap));
        touching += usize::from(!points.is_empty());
    }
    (least, touching)
}

fn balls<const D: usize>(grains: &[Grain<D>]) -> Vec<Body<D>>
where
    Dim<D>: Rigid<D>,
{
    grains.iter().map(Grain::ball).collect()
}

fn sizes() -> Vec<Sizes> {
    let sieves = [(0.01, 0.0), (0.03, 0.4), (0.1, 1.0)];
    vec![
        Sizes::Fixed { size: 0.05 },
        Sizes::Uniform { min: 0.03, max: 0.06 },
        Sizes::LogNormal { median: 0.03, sigma: 0.5, min: 0.01, max: 0.09 },
        Sizes::Sieves(sieves.map(|(size, passing)| Sieve { size, passing }).to_vec()),
    ]
}

fn regions<const D: usize>() -> Vec<Region<D>> {
    let low = Vector::from_fn(|k, _| k as f64 - 0.7);
    let mut high = low + Vector::repeat(0.61);
    high[0] += 0.3;
    let centre = low + Vector::repeat(0.2);
    vec![
        Region::Box(Bounds { low, high }),
        Region::Ball { centre, radius: 0.4 },
        Region::Cylinder { base: centre, radius: 0.3, height: 0.5 },
    ]
}

/// All ways to place grains, with the regions in which they must be.
fn placed<const D: usize>(seed: u64) -> Vec<(Vec<Grain<D>>, Region<D>)>
where
    Dim<D>: Rigid<D>,
{
    let mut all = Vec::new();
    let mut random = Random::new(seed);
    for sizes in sizes() {
        for region in regions() {
            let amount = Amount::Fraction(0.2);
            let insertion = Insertion { gap: 1e-3, ..Insertion::default() };
            all.push((insertion.place(&region, &sizes, amount, &mut random).unwrap(), region));

            // grains to be settled may start above the region
            let filled = fill(&region, &sizes, Amount::Fraction(0.1), &mut random).unwrap();
            let top = filled.iter().map(|grain| grain.x[D - 1] + grain.radius).fold(0.0, f64::max);
            let mut shaft = region;
            match &mut shaft {
                Region::Box(bounds) => bounds.high[D - 1] = bounds.high[D - 1].max(top),
                Region::Ball { .. } => {}
                Region::Cylinder { base, height, .. } => *height = height.max(top - base[D - 1]),
            }
            all.push((filled, shaft));
        }
        for lattice in [Lattice::Square, Lattice::Hexagonal] {
            let (origin, spacing) = (Vector::repeat(0.3), sizes.largest() + 0.02);
            let grid = Grid { origin, counts: [7; D], spacing, lattice, jitter: 0.01 };
            let inside = Region::Box(
                Bounds { low: origin, high: origin + Vector::repeat(9.0 * spacing) }.grown(spacing),
            );
            all.push((grid.place(&sizes, &mut random).unwrap(), inside));
        }
    }
    all
}

fn grains_neither_overlap_nor_leave<const D: usize>()
where
    Dim<D>: Rigid<D>,
{
    for (grains, region) in placed::<D>(1) {
        assert!(grains.len() > 10);
        let (least, _) = gaps(&balls(&grains), 1e-2);
        assert!(least > -1e-12, "{D}D: an overlap of {least:e} among {} grains", grains.len());
        let outside = grains.iter().find(|grain| !region.holds(&grain.x, grain.radius - 1e-9));
        assert!(outside.is_none(), "{outside:?} of {region:?}");
    }
}

#[test]
fn grains_neither_overlap_nor_leave_their_region() {
    grains_neither_overlap_nor_leave::<2>();
    grains_neither_overlap_nor_leave::<3>();
}

#[test]
fn the_same_seed_gives_the_same_bits_and_another_does_not() {
    let grains = |seed| placed::<3>(seed).into_iter().flat_map(|(grains, _)| grains).collect::<Vec<_>>();
    let first = grains(5);
    assert_eq!(first, grains(5));
    assert!(first.iter().zip(grains(6)).filter(|(a, b)| **a == *b).count() == 0);
}

#[test]
fn amounts_are_met() {
    for sizes in sizes() {
        for region in regions::<2>() {
            let mut random = Random::new(9);
            assert_eq!(fill(&region, &sizes, Amount::Number(50), &mut random).unwrap().len(), 50);
            let grains =
                Insertion::default().place(&region, &sizes, Amount::Fraction(0.3), &mut random).unwrap();
            let fraction = grains.iter().map(Grain::volume).sum::<f64>() / region.volume();
            assert!((fraction - 0.3).abs() < 0.02, "{sizes:?}: {fraction}");
        }
    }
}

#[test]
fn a_ball_too_small_says_how_many_it_took() {
    let region = Region::Ball { centre: Vector::<3>::zeros(), radius: 1.0 };
    let error =
        fill(&region, &Sizes::Fixed { size: 0.5 }, Amount::Number(100), &mut Random::new(1)).unwrap_err();
    assert!(error.to_string().contains("of 100 grains found a place"), "{error}");
}

#[test]
fn narrow_regions_are_filled_or_refused() {
    for radius in [0.053, 0.06, 0.1, 0.12, 0.17] {
        let region = Region::Cylinder { base: Vector::<3>::zeros(), radius, height: 1.0 };
        let grains =
            fill(&region, &Sizes::Fixed { size: 0.1 }, Amount::Number(30), &mut Random::new(1)).unwrap();
        assert!(gaps(&balls(&grains), 0.1).0 > -1e-12);
        let outside = grains.iter().find(|grain| {
            let off = grain.x[0].hypot(grain.x[1]);
            off + grain.radius > radius + 1e-9 || grain.x[2] < grain.radius - 1e-9
        });
        assert!(outside.is_none(), "{radius}: {outside:?}");
    }
    let region = Region::Cylinder { base: Vector::<3>::zeros(), radius: 0.05, height: 1.0 };
    let error =
        fill(&region, &Sizes::Fixed { size: 0.11 }, Amount::Number(1), &mut Random::new(1)).unwrap_err();
    assert!(error.to_string().contains("does not fit"), "{error}");
}

/// Nothing overlaps and as many pairs touch as must.
fn fitted<const D: usize>(bodies: &[Body<D>], touching: usize)
where
    Dim<D>: Rigid<D>,
{
    let (least, found) = gaps(bodies, 1e-12);
    assert!(least > -1e-12, "an overlap of {least:e}");
    assert_eq!(found, touching);
}

#[test]
fn walls_are_fitted() {
    let wall = RunningBond {
        courses: 4,
        bricks: 3,
        brick: Vector::<2>::new(0.2, 0.1),
        head_joint: 0.0,
        bed_joint: 0.0,
    };
    // bed joints: 6 between courses; head joints: 2 and 3 a course
    fitted(&wall.bodies().unwrap(), 3 * 6 + 2 * (2 + 3));
    let open = RunningBond { head_joint: 0.01, ..wall };
    fitted(&open.bodies().unwrap(), 3 * 6);
    fitted(&RunningBond { bed_joint: 0.01, ..open }.bodies().unwrap(), 0);
    let ends = |wall: &RunningBond<2>| {
        let bodies = wall.bodies().unwrap();
        let bounds = bodies.iter().map(|body| body.shape.bounds(&body.pose));
        bounds.map(|b| b.high[0]).fold(0.0, f64::max)
    };
    assert!((ends(&open) - 0.62).abs() < 1e-15 && (ends(&wall) - 0.6).abs() < 1e-15);

    let brick = Vector::<3>::new(0.2, 0.1, 0.1);
    let deep = RunningBond { courses: 4, bricks: 3, brick, head_joint: 0.01, bed_joint: 0.0 };
    fitted(&deep.bodies().unwrap(), 3 * 6);
    assert!(RunningBond { head_joint: 0.3, ..deep }.bodies().is_err());
    assert!(RunningBond { courses: 0, ..deep }.bodies().unwrap_err().to_string().contains("courses"));
}

#[test]
fn arches_are_fitted() {
    for opening in [PI, 2.0, 4.0] {
        let arch =
            Arch { voussoirs: 7, inner_radius: 1.0, thickness: 0.2, opening, depth: 0.5, springers: true };
        fitted(&arch.bodies::<2>().unwrap(), 8);
        fitted(&arch.bodies::<3>().unwrap(), 8);
        fitted(&Arch { springers: false, ..arch }.bodies::<3>().unwrap(), 6);
    }
    let arch =
        Arch { voussoirs: 2, inner_radius: 1.0, thickness: 0.2, opening: PI, depth: 0.5, springers: true };
    assert!(arch.bodies::<2>().unwrap_err().to_string().contains("more voussoirs"));
    assert!(Arch { opening: -1.0, ..arch }.bodies::<2>().unwrap_err().to_string().contains("opening = -1"));
}

#[test]
fn columns_and_towers_are_fitted() {
    let column = Column { drums: 6, height: 0.3, diameter: 0.5, top_diameter: 0.4 };
    fitted(&column.bodies::<2>().unwrap(), 5);
    fitted(&column.bodies::<3>().unwrap(), 5);
    fitted(&Tower { blocks: 6, block: Vector::<3>::repeat(0.1) }.bodies().unwrap(), 5);
    assert!(Column { drums: 0, ..column }.bodies::<2>().is_err());
}

#[test]
fn card_houses_are_fitted() {
    let house = CardHouse { levels: 3, length: 0.09, thickness: 5e-4, lean: 0.35, width: 0.06 };
    // the ridges of 3 + 2 + 1 tents, and two cards under and over each of 2 + 1 floors
    let touching = 6 + 3 * 4;
    fitted(&house.bodies::<2>().unwrap(), touching);
    fitted(&house.bodies::<3>().unwrap(), touching);
    assert!(CardHouse { lean: 2.0, ..house }.bodies::<2>().unwrap_err().to_string().contains("lean = 2"));
}
