//! Random sequential insertion: grains at random places, the largest first, each where it overlaps none before it.
//!
//! It reaches solid fractions of about 0.38 with equal spheres and 0.54 with equal disks; near them it takes many
//! attempts.

use super::{Amount, Grain, PackingError, Random, Region, Sizes, not_negative};
use crate::rigid::Rigid;
use stickslip_geometry::shape::Bounds;
use stickslip_geometry::space::{Dim, Vector};

/// Random insertion into a region.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Insertion {
    /// Least distance of two grains. Default 0.
    pub gap: f64,
    /// Places tried for a grain before the region counts as full. Default 10 000.
    pub attempts: usize,
}

impl Default for Insertion {
    fn default() -> Self {
        Insertion { gap: 0.0, attempts: 10_000 }
    }
}

impl Insertion {
    /// All grains asked for, the largest first, or an error that says how far it got.
    pub fn place<const D: usize>(
        &self,
        region: &Region<D>,
        sizes: &Sizes,
        amount: Amount,
        random: &mut Random,
    ) -> Result<Vec<Grain<D>>, PackingError>
    where
        Dim<D>: Rigid<D>,
    {
        let (grains, wanted) = self.insert(region, sizes, amount, random)?;
        if grains.len() == wanted {
            return Ok(grains);
        }
        Err(region.full(&grains, wanted))
    }

    /// As many of the grains as find a place, the largest first.
    pub fn place_most<const D: usize>(
        &self,
        region: &Region<D>,
        sizes: &Sizes,
        amount: Amount,
        random: &mut Random,
    ) -> Result<Vec<Grain<D>>, PackingError>
    where
        Dim<D>: Rigid<D>,
    {
        Ok(self.insert(region, sizes, amount, random)?.0)
    }

    /// The grains that found a place before the first that did not, and how many there should be.
    fn insert<const D: usize>(
        &self,
        region: &Region<D>,
        sizes: &Sizes,
        amount: Amount,
        random: &mut Random,
    ) -> Result<(Vec<Grain<D>>, usize), PackingError>
    where
        Dim<D>: Rigid<D>,
    {
        region.validate()?;
        sizes.validate()?;
        not_negative("gap", self.gap)?;
        let mut lot = sizes.lot::<D>(amount.number::<D>(region.volume(), sizes)?, random)?;
        lot.sort_unstable_by(|a, b| b.total_cmp(a));
        let bounds = region.bounds();
        if (bounds.high - bounds.low).min() < lot[0] {
            return Err(PackingError::Narrow { largest: lot[0] });
        }
        let mut placed = Placed::new(self.gap, bounds, lot.len());
        for size in &lot {
            let radius = 0.5 * size;
            let inner = bounds.grown(-radius);
            let found = (0..self.attempts).find_map(|_| {
                let x = Vector::from_fn(|k, _| random.between(inner.low[k], inner.high[k]));
                let grain = Grain { x, radius };
                (region.holds(&x, radius) && placed.leaves_room(&grain)).then_some(grain)
            });
            let Some(grain) = found else { break };
            placed.push(grain);
        }
        Ok((placed.grains, lot.len()))
    }
}

/// Grains by cells, which are half as large from level to level, so that fine grains among coarse ones meet few.
struct Placed<const D: usize> {
    gap: f64,
    bounds: Bounds<D>,
    /// Smaller cells would be more than there are grains.
    least_edge: f64,
    grains: Vec<Grain<D>>,
    /// The grain before each in its cell.
    before: Vec<u32>,
    levels: Vec<Level<D>>,
}

/// Cells at least as large as the grains in them.
struct Level<const D: usize> {
    low: Vector<D>,
    edge: f64,
    counts: [usize; D],
    /// The last grain of each cell.
    last: Vec<u32>,
}

/// No grain.
const NONE: u32 = u32::MAX;

impl<const D: usize> Level<D> {
    fn new(bounds: &Bounds<D>, edge: f64) -> Self {
        let counts: [usize; D] =
            std::array::from_fn(|k| ((bounds.high[k] - bounds.low[k]) / edge) as usize + 1);
        Level { low: bounds.low, edge, counts, last: vec![NONE; counts.iter().product()] }
    }

    /// The cell of a point, or the nearest one.
    fn cell(&self, x: &Vector<D>) -> [usize; D] {
        std::array::from_fn(|k| {
            (((x[k] - self.low[k]) / self.edge).max(0.0) as usize).min(self.counts[k] - 1)
        })
    }

    fn number(&self, cell: &[usize; D]) -> usize {
        (0..D).rev().fold(0, |number, k| number * self.counts[k] + cell[k])
    }
}

impl<const D: usize> Placed<D> {
    fn new(gap: f64, bounds: Bounds<D>, number: usize) -> Self {
        let least_edge = ((bounds.high - bounds.low).product() / number as f64).powf(1.0 / D as f64);
        let grains = Vec::with_capacity(number);
        Placed { gap, bounds, least_edge, grains, before: Vec::with_capacity(number), levels: Vec::new() }
    }

    fn leaves_room(&self, grain: &Grain<D>) -> bool {
        self.levels.iter().all(|level| {
            let reach = Vector::repeat(0.5 * level.edge + grain.radius + self.gap);
            let (low, high) = (level.cell(&(grain.x - reach)), level.cell(&(grain.x + reach)));
            let mut at = low;
            loop {
                let mut near = level.last[level.number(&at)];
                while near != NONE {
                    if self.overlap(grain, &self.grains[near as usize]) {
                        return false;
                    }
                    near = self.before[near as usize];
                }
                let Some(k) = (0..D).find(|&k| at[k] < high[k]) else { return true };
                at[k] += 1;
                at[..k].copy_from_slice(&low[..k]);
            }
        })
    }

    fn overlap(&self, a: &Grain<D>, b: &Grain<D>) -> bool {
        let least = a.radius + b.radius + self.gap;
        (a.x - b.x).norm_squared() < least * least
    }

    /// Grains come the largest first: the last level is theirs, or a finer one.
    fn push(&mut self, grain: Grain<D>) {
        let edge = self.least_edge.max(2.0 * grain.radius);
        if self.levels.last().is_none_or(|level| edge <= 0.5 * level.edge) {
            self.levels.push(Level::new(&self.bounds, edge));
        }
        if let Some(level) = self.levels.last_mut() {
            let number = level.number(&level.cell(&grain.x));
            self.before.push(std::mem::replace(&mut level.last[number], self.grains.len() as u32));
            self.grains.push(grain);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_region_says_how_far_it_got() {
        let region = Region::Ball { centre: Vector::<2>::zeros(), radius: 1.0 };
        let (sizes, insertion) = (Sizes::Fixed { size: 0.1 }, Insertion::default());
        let all = Amount::Fraction(0.7);
        let error = insertion.place(&region, &sizes, all, &mut Random::new(1)).unwrap_err();
        let PackingError::Full { placed, wanted, fraction } = error else { panic!("{error}") };
        assert_eq!(wanted, 280);
        assert!(placed > 150 && (0.4..0.56).contains(&fraction), "{placed} {fraction}");
        let most = insertion.place_most(&region, &sizes, all, &mut Random::new(1)).unwrap();
        assert_eq!(most.len(), placed);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let region = Region::Ball { centre: Vector::<3>::zeros(), radius: 1.0 };
        let refused = |insertion: Insertion, size, amount| {
            insertion
                .place(&region, &Sizes::Fixed { size }, amount, &mut Random::new(1))
                .unwrap_err()
                .to_string()
        };
        let insertion = Insertion::default();
        assert!(refused(insertion, 2.5, Amount::Number(1)).contains("size 2.5 does not fit"));
        assert!(refused(insertion, 0.5, Amount::Fraction(1.2)).contains("fraction = 1.2"));
        assert!(refused(insertion, 0.5, Amount::Number(0)).contains("number of grains = 0"));
        assert!(refused(Insertion { gap: -1.0, ..insertion }, 0.5, Amount::Number(1)).contains("gap = -1"));
    }
}
