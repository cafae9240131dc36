//! Where the visits of a sweep start, and what is asked about their ends.

use crate::block::{Vector, tangent_norm_squared};

/// Where a visit starts.
pub(super) trait Start<const D: usize> {
    /// The impulse from which the contact at place k is solved; the sweep before gave it r.
    fn of(&mut self, k: usize, r: &Vector<D>) -> Vector<D>;
    /// The visit changed its impulse from y to r.
    fn end(&mut self, k: usize, y: &Vector<D>, r: &Vector<D>);
}

/// From what the sweep before gave.
pub(super) struct AsTheyAre;

impl<const D: usize> Start<D> for AsTheyAre {
    #[inline(always)]
    fn of(&mut self, _k: usize, r: &Vector<D>) -> Vector<D> {
        *r
    }

    #[inline(always)]
    fn end(&mut self, _k: usize, _y: &Vector<D>, _r: &Vector<D>) {}
}

/// The same; of the changes the largest of a normal impulse and that of a tangential one, Abide 2021 (4.15).
#[derive(Default)]
pub(super) struct Changes {
    pub normal: f64,
    pub tangent_squared: f64,
}

impl<const D: usize> Start<D> for Changes {
    #[inline(always)]
    fn of(&mut self, _k: usize, r: &Vector<D>) -> Vector<D> {
        *r
    }

    #[inline(always)]
    fn end(&mut self, _k: usize, y: &Vector<D>, r: &Vector<D>) {
        let dr = r - y;
        self.normal = self.normal.max(dr[0].abs());
        self.tangent_squared = self.tangent_squared.max(tangent_norm_squared(&dr));
    }
}

/// From `y = r + β (r − r⁻)`.
pub(in crate::panel) struct Carried<'a, const D: usize> {
    pub beta: f64,
    /// r⁻, and after the sweep r.
    pub last: &'a mut [Vector<D>],
    /// Traces of W_ii, which turn impulses into velocities.
    pub weights: &'a [f64],
    pub way: Way,
}

/// What a sweep from y did to the impulses, from r to r⁺, summed over the contacts by their weights.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::panel) struct Way {
    /// `(y − r⁺)·(r⁺ − r)`: positive where it went against the momentum.
    pub against: f64,
    /// `|r⁺ − r|²`.
    pub length_squared: f64,
}

impl Way {
    pub(super) fn add(&mut self, part: &Way) {
        self.against += part.against;
        self.length_squared += part.length_squared;
    }
}

impl<const D: usize> Start<D> for Carried<'_, D> {
    #[inline(always)]
    fn of(&mut self, k: usize, r: &Vector<D>) -> Vector<D> {
        let last = std::mem::replace(&mut self.last[k], *r);
        r + (r - last) * self.beta
    }

    #[inline(always)]
    fn end(&mut self, k: usize, y: &Vector<D>, r: &Vector<D>) {
        let (step, weight) = (r - self.last[k], self.weights[k]);
        self.way.against += weight * (y - r).dot(&step);
        self.way.length_squared += weight * step.norm_squared();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_change_adds_the_largest_of_both_parts() {
        let mut changes = Changes::default();
        let visits = [([0.0; 3], [-0.5, 0.0, 0.1]), ([1.0, 2.0, 2.0], [1.2, 2.3, 2.4])];
        for (before, after) in visits {
            Start::<3>::end(&mut changes, 0, &before.into(), &after.into());
        }
        assert_eq!(changes.normal, 0.5);
        assert!((changes.tangent_squared - 0.25).abs() < 1e-15);
    }

    #[test]
    fn momentum_starts_ahead_and_measures_the_way() {
        let mut last = [Vector::<2>::new(1.0, 0.0)];
        let mut carried = Carried { beta: 0.5, last: &mut last, weights: &[2.0], way: Way::default() };
        let y = carried.of(0, &Vector::<2>::new(3.0, 1.0));
        assert_eq!(y, Vector::<2>::new(4.0, 1.5));
        carried.end(0, &y, &Vector::<2>::new(3.0, 2.0));
        let way = carried.way;
        assert_eq!(way.length_squared, 2.0 * 1.0);
        assert_eq!(way.against, 2.0 * -0.5);
        assert_eq!(last[0], Vector::<2>::new(3.0, 1.0));
    }
}
