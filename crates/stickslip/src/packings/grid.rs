//! Grains on a lattice, each moved a little at random. However they are moved, none overlap.

use super::{Grain, PackingError, Random, Sizes, at_least_one, not_negative, positive};
use stickslip_geometry::space::Vector;

/// How the sites of a grid lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lattice {
    /// Squares, cubes.
    #[default]
    Square,
    /// As close as can be: hexagons in the plane, face-centred cubes in space.
    Hexagonal,
}

/// A grid of sites along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid<const D: usize> {
    /// The first site.
    pub origin: Vector<D>,
    /// Sites along each axis.
    pub counts: [usize; D],
    /// Distance of neighbours.
    pub spacing: f64,
    /// How the sites lie.
    pub lattice: Lattice,
    /// Each grain lies at most this far from its site, anywhere about it.
    pub jitter: f64,
}

impl<const D: usize> Grid<D> {
    /// A grain on every site, the first axis fastest.
    pub fn place(&self, sizes: &Sizes, random: &mut Random) -> Result<Vec<Grain<D>>, PackingError> {
        self.counts.iter().try_for_each(|&count| at_least_one("count of the grid", count))?;
        positive("spacing", self.spacing)?;
        not_negative("jitter", self.jitter)?;
        sizes.validate()?;
        let (spacing, jitter, largest) = (self.spacing, self.jitter, sizes.largest());
        let needed = largest + 2.0 * jitter;
        if spacing < needed {
            return Err(PackingError::Spacing { spacing, largest, jitter, needed });
        }
        let lot = sizes.lot::<D>(self.counts.iter().product(), random)?;
        let shaken = |(k, size)| {
            let x = self.origin + self.site(k) * spacing + in_ball(random) * jitter;
            Grain { x, radius: 0.5 * size }
        };
        Ok(lot.into_iter().enumerate().map(shaken).collect())
    }

    /// A site at spacing 1.
    fn site(&self, mut number: usize) -> Vector<D> {
        let cell = self.counts.map(|count| {
            let k = number % count;
            number /= count;
            k
        });
        let mut x = Vector::from_fn(|k, _| cell[k] as f64);
        if self.lattice == Lattice::Hexagonal {
            let row = 3f64.sqrt() / 2.0;
            x[0] += 0.5 * (cell[1] % 2) as f64;
            x[1] *= row;
            if D == 3 {
                // every third layer lies above the first
                let layer = cell[2] % 3;
                x[0] += 0.5 * (layer % 2) as f64;
                x[1] += row / 1.5 * 0.5 * layer as f64;
                x[2] *= (2f64 / 3.0).sqrt();
            }
        }
        x
    }
}

/// A point of the ball of radius 1.
pub(super) fn in_ball<const D: usize>(random: &mut Random) -> Vector<D> {
    loop {
        let x: Vector<D> = Vector::from_fn(|_, _| random.between(-1.0, 1.0));
        if x.norm_squared() <= 1.0 {
            return x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nearest<const D: usize>(grains: &[Grain<D>], k: usize) -> (f64, usize) {
        let others = grains.iter().enumerate().filter(|&(j, _)| j != k);
        let distances: Vec<f64> = others.map(|(_, grain)| (grain.x - grains[k].x).norm()).collect();
        let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
        (least, distances.iter().filter(|&&d| d < 1.001 * least).count())
    }

    #[test]
    fn lattices_have_their_neighbours() {
        let sizes = Sizes::Fixed { size: 0.1 };
        for (lattice, neighbours) in [(Lattice::Square, [4, 6]), (Lattice::Hexagonal, [6, 12])] {
            let (origin, spacing, jitter) = (Vector::zeros(), 0.1, 0.0);
            let plane = Grid { origin, counts: [5, 5], spacing, lattice, jitter };
            let grains = plane.place(&sizes, &mut Random::new(1)).unwrap();
            let (distance, count) = nearest(&grains, 12);
            assert!((distance - 0.1).abs() < 1e-15 && count == neighbours[0], "{distance} {count}");
            let origin = Vector::zeros();
            let space = Grid { origin, counts: [5, 5, 5], spacing, lattice, jitter };
            let grains = space.place(&sizes, &mut Random::new(1)).unwrap();
            let (distance, count) = nearest(&grains, 62);
            assert!((distance - 0.1).abs() < 1e-15 && count == neighbours[1], "{distance} {count}");
        }
    }

    #[test]
    fn a_grid_too_narrow_is_refused() {
        let counts = [3, 3, 3];
        let grid =
            Grid { origin: Vector::zeros(), counts, spacing: 1.0, lattice: Lattice::Square, jitter: 0.06 };
        let sizes = Sizes::Uniform { min: 0.5, max: 0.9 };
        let error = grid.place(&sizes, &mut Random::new(1)).unwrap_err().to_string();
        assert!(error.contains("spacing = 1") && error.contains("at least 1.02"), "{error}");
        assert!(Grid { jitter: 0.05, ..grid }.place(&sizes, &mut Random::new(1)).is_ok());
        assert!(Grid { jitter: -0.1, ..grid }.place(&sizes, &mut Random::new(1)).is_err());
        assert!(Grid { counts: [3, 0, 3], ..grid }.place(&sizes, &mut Random::new(1)).is_err());
    }
}
