//! Filling a container: grains in layers from the bottom up, loosely, ready to settle.
//!
//! Layers are made of cells a little larger than the largest grain. A cell holds one grain, or is halved along every
//! axis until its parts suit smaller ones; each grain takes a part that is left over before a new cell is begun. So
//! the work grows with the number of grains alone, and fine grains fill the places of coarse ones.

use super::grid::in_ball;
use super::{Amount, Grain, PackingError, Random, Region, Sizes};
use crate::rigid::Rigid;
use stickslip_geometry::shape::Bounds;
use stickslip_geometry::space::{Dim, Vector};

/// Edge of the cell of a grain over its diameter, at least: the rest is room to be anywhere in it.
const ROOM: f64 = 1.05;

/// Sizes of cells, each half the one before: grains a thousand times smaller than the largest need none of their own.
const HALVINGS: usize = 10;

/// Cells across the border of a region are halved at most this often: more would leave slivers.
const BORDER: usize = 2;

/// Grains for a region, in the order of their sizes' lot. They start above each other and may reach above the region,
/// which is taken to be open to the top: they fill it once they have settled. A ball is closed and takes less, about a
/// tenth of its volume where sizes differ much.
pub fn fill<const D: usize>(
    region: &Region<D>,
    sizes: &Sizes,
    amount: Amount,
    random: &mut Random,
) -> Result<Vec<Grain<D>>, PackingError>
where
    Dim<D>: Rigid<D>,
{
    region.validate()?;
    sizes.validate()?;
    let lot = sizes.lot::<D>(amount.number::<D>(region.volume(), sizes)?, random)?;
    let mut cells = Cells::new(region, sizes.largest())?;
    let mut grains = Vec::with_capacity(lot.len());
    for size in &lot {
        let radius = 0.5 * size;
        let Some((centre, level)) = cells.take(cells.level(*size), random) else {
            return Err(region.full(&grains, lot.len()));
        };
        let x = centre + in_ball(random) * (cells.inner_radius(level) - radius);
        grains.push(Grain { x, radius });
    }
    Ok(grains)
}

/// Cells of a region, by how often they were halved. A cell is known by its centre, and what it holds stays in the ball
/// inside it.
struct Cells<const D: usize> {
    region: Region<D>,
    /// The lower corner of the first cell.
    low: Vector<D>,
    /// Edges of a whole cell.
    edges: Vector<D>,
    /// Whole cells along each axis.
    counts: [usize; D],
    /// Whole cells begun so far.
    begun: usize,
    free: [Vec<Vector<D>>; HALVINGS],
}

impl<const D: usize> Cells<D>
where
    Dim<D>: Rigid<D>,
{
    fn new(region: &Region<D>, largest: f64) -> Result<Self, PackingError> {
        let Bounds { low, high } = region.bounds();
        let size = high - low;
        if size.min() < ROOM * largest {
            return Err(PackingError::Narrow { largest });
        }
        let mut counts: [usize; D] = std::array::from_fn(|k| (size[k] / (ROOM * largest)) as usize);
        loop {
            let edges = Vector::from_fn(|k, _| size[k] / counts[k] as f64);
            let mut cells =
                Cells { region: region.open(), low, edges, counts, begun: 0, free: Default::default() };
            // in a narrow round region a few large cells fit where many small ones do not
            if (0..counts.iter().product()).any(|number| cells.fits(&cells.whole(number), 0)) {
                if !matches!(region, Region::Ball { .. }) {
                    cells.counts[D - 1] = usize::MAX;
                }
                return Ok(cells);
            }
            counts = counts.map(|count| (count - 1).max(1));
        }
    }

    /// Radius of the ball inside a cell.
    fn inner_radius(&self, level: usize) -> f64 {
        0.5 * self.edges.min() / f64::from(1 << level)
    }

    /// How often a cell is halved for a grain.
    fn level(&self, size: f64) -> usize {
        let suits = |&level: &usize| ROOM * size <= 2.0 * self.inner_radius(level);
        (0..HALVINGS).rev().find(suits).unwrap_or(0)
    }

    /// Whether what a cell holds is inside the region, but for rounding.
    fn fits(&self, centre: &Vector<D>, level: usize) -> bool {
        self.region.holds(centre, (1.0 - 1e-9) * self.inner_radius(level))
    }

    /// The centre of a whole cell, in layers from the bottom up.
    fn whole(&self, mut number: usize) -> Vector<D> {
        let place = self.counts.map(|count| {
            let k = number % count;
            number /= count;
            k as f64 + 0.5
        });
        self.low + Vector::from(place).component_mul(&self.edges)
    }

    /// The centres of the 2ᴰ parts of a cell.
    fn parts(&self, centre: &Vector<D>, level: usize) -> impl Iterator<Item = Vector<D>> + use<D> {
        let (centre, quarter) = (*centre, self.edges / f64::from(4 << level));
        (0..1 << D).map(move |part| {
            centre + Vector::from_fn(|k, _| if part >> k & 1 == 0 { -quarter[k] } else { quarter[k] })
        })
    }

    /// A free cell of a level, any of those there are; else a larger one, halved until it suits or its parts would lie
    /// outside; else one of a new cell. Comes with its level.
    fn take(&mut self, level: usize, random: &mut Random) -> Option<(Vector<D>, usize)> {
        loop {
            let Some(found) = (0..=level).rev().find(|&found| !self.free[found].is_empty()) else {
                self.begin()?;
                continue;
            };
            let k = random.below(self.free[found].len());
            let centre = self.free[found].swap_remove(k);
            if found == level || !self.parts(&centre, found).all(|part| self.fits(&part, found + 1)) {
                return Some((centre, found));
            }
            let parts = self.parts(&centre, found);
            self.free[found + 1].extend(parts);
        }
    }

    /// Begins the next whole cell; none where the region ends.
    fn begin(&mut self) -> Option<()> {
        let all = self.counts.iter().fold(1, |all: usize, &count| all.saturating_mul(count));
        if self.begun >= all {
            return None;
        }
        self.offer(self.whole(self.begun), 0);
        self.begun += 1;
        Some(())
    }

    /// Keeps a cell inside the region; of one across its border, the parts inside.
    fn offer(&mut self, centre: Vector<D>, level: usize) {
        if self.fits(&centre, level) {
            self.free[level].push(centre);
        } else if level < BORDER {
            self.parts(&centre, level).for_each(|part| self.offer(part, level + 1));
        }
    }
}
