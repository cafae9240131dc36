//! Space that repeats itself: bodies near one end of the box also stand, as ghosts, beyond the other.

use super::{Near, cells};
use crate::shape::Bounds;
use crate::space::Vector;

/// Lengths after which space repeats itself, one a direction; `None` where it does not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Periods<const D: usize>(pub [Option<f64>; D]);

impl<const D: usize> Default for Periods<D> {
    fn default() -> Self {
        Periods([None; D])
    }
}

impl<const D: usize> Periods<D> {
    /// Whether space repeats itself anywhere.
    pub fn any(&self) -> bool {
        self.0.iter().any(Option::is_some)
    }

    /// The way from a body to its image.
    pub fn shift(&self, image: &[i32; D]) -> Vector<D> {
        Vector::from_fn(|k, _| self.0[k].map_or(0.0, |period| f64::from(image[k]) * period))
    }

    /// How many periods lie between a point and the box from 0 to the period.
    fn lap(&self, x: &Vector<D>) -> [i32; D] {
        std::array::from_fn(|k| self.0[k].map_or(0, |period| (x[k] / period).floor() as i32))
    }

    /// All pairs with at least one movable body whose bounds meet, through the ends of the box too, in order.
    pub(super) fn pairs(&self, bounds: &[Bounds<D>], movable: impl Fn(usize) -> bool + Sync) -> Vec<Near<D>> {
        // bodies without end are the same in every period
        let lap: Vec<[i32; D]> = bounds
            .iter()
            .map(|b| if b.is_finite() { self.lap(&((b.low + b.high) * 0.5)) } else { [0; D] })
            .collect();
        let mut all: Vec<Bounds<D>> =
            bounds.iter().zip(&lap).map(|(b, lap)| b.moved(&-self.shift(lap))).collect();
        let finite = || all.iter().filter(|b| b.is_finite());
        let whole = finite().fold(Bounds::of_points([]), |whole, b| whole.around_both(b));

        let mut ghosts: Vec<(u32, [i32; D])> = Vec::new();
        for b in 0..bounds.len() {
            let own = all[b];
            for image in self.neighbours().filter(|_| own.is_finite()) {
                let moved = own.moved(&self.shift(&image));
                if moved.meets(&whole) {
                    ghosts.push((b as u32, image));
                    all.push(moved);
                }
            }
        }

        let bodies = bounds.len();
        let who = |k: usize| {
            if k < bodies { (k, [0; D]) } else { (ghosts[k - bodies].0 as usize, ghosts[k - bodies].1) }
        };
        let mut near: Vec<Near<D>> = cells::pairs(&all, |k| movable(who(k).0))
            .into_iter()
            // of two ghosts the bodies themselves, or one of them, meet too
            .filter(|pair| (pair.a as usize) < bodies)
            .filter_map(|pair| {
                let ((a, _), (b, ghost)) = (who(pair.a as usize), who(pair.b as usize));
                let image: [i32; D] = std::array::from_fn(|k| lap[a][k] - lap[b][k] + ghost[k]);
                match a.cmp(&b) {
                    std::cmp::Ordering::Less => Some(Near { a: a as u32, b: b as u32, image }),
                    std::cmp::Ordering::Equal => None,
                    std::cmp::Ordering::Greater => {
                        Some(Near { a: b as u32, b: a as u32, image: image.map(|n| -n) })
                    }
                }
            })
            .collect();
        near.sort_unstable();
        near.dedup();
        near
    }

    /// The boxes around the one from 0 to the period.
    fn neighbours(&self) -> impl Iterator<Item = [i32; D]> {
        let periods = self.0;
        (0..3usize.pow(D as u32))
            .map(|code| std::array::from_fn(|k| (code / 3usize.pow(k as u32) % 3) as i32 - 1))
            .filter(move |image: &[i32; D]| {
                image.iter().any(|&n| n != 0) && (0..D).all(|k| image[k] == 0 || periods[k].is_some())
            })
    }
}
