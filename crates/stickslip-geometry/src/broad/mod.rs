//! Which bodies are near each other: hierarchical cells, and a list of pairs that is kept while nothing has moved far.

mod cells;
mod periodic;

pub use periodic::Periods;

use crate::shape::Bounds;
use rayon::prelude::*;

/// Two bodies that may touch, a < b.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Near<const D: usize> {
    /// The first.
    pub a: u32,
    /// The second.
    pub b: u32,
    /// By how many periods the second is to be moved; 0 where space does not repeat itself.
    pub image: [i32; D],
}

/// How far a body may move before its pairs are sought anew, as a part of its size: more makes longer lists, less makes
/// them more often.
const SKIN: f64 = 0.1;

/// A box that is wider than this, by what it holds, was made when its body was faster: its pairs are sought anew too.
const ROOMY: f64 = 2.0;

/// Where more than this part of the bodies has moved so far, the pairs of all are sought anew.
const MANY: f64 = 0.5;

/// Fewer bodies than this are looked at by one thread.
const FEW: u32 = 8192;

/// The pairs of near bodies, kept from step to step.
#[derive(Clone, Debug)]
pub struct Candidates<const D: usize> {
    /// Bounds for which the list holds.
    valid: Vec<Bounds<D>>,
    pairs: Vec<Near<D>>,
    periods: Periods<D>,
}

impl<const D: usize> Default for Candidates<D> {
    fn default() -> Self {
        Candidates { valid: Vec::new(), pairs: Vec::new(), periods: Periods::default() }
    }
}

impl<const D: usize> Candidates<D> {
    /// All pairs with at least one movable body whose bounds meet, in order; some that do not may be among them.
    pub fn update(
        &mut self,
        bounds: &[Bounds<D>],
        periods: &Periods<D>,
        movable: impl Fn(usize) -> bool + Sync,
    ) -> &[Near<D>] {
        let known = self.valid.len() == bounds.len() && self.periods == *periods;
        let is_out = |&b: &u32| {
            let (valid, now) = (&self.valid[b as usize], &bounds[b as usize]);
            !valid.contains(now) || valid.size() > ROOMY * now.size()
        };
        let moved: Option<Vec<u32>> = known.then(|| filtered(bounds.len() as u32, is_out));
        let is_small = |&b: &u32| bounds[b as usize].is_finite();
        match moved {
            Some(moved) if moved.is_empty() => {}
            Some(moved)
                if !periods.any()
                    && moved.iter().all(is_small)
                    && moved.len() as f64 <= MANY * bounds.len() as f64 =>
            {
                moved.iter().for_each(|&b| self.valid[b as usize] = with_skin(&bounds[b as usize]));
                cells::replace_pairs(&mut self.pairs, &moved, &self.valid, movable);
            }
            _ => {
                self.valid = bounds.iter().map(with_skin).collect();
                self.periods = *periods;
                self.pairs = if periods.any() {
                    periods.pairs(&self.valid, movable)
                } else {
                    cells::pairs(&self.valid, movable)
                };
            }
        }
        &self.pairs
    }
}

/// The numbers below n of which `f` holds, in order.
fn filtered(n: u32, f: impl Fn(&u32) -> bool + Sync + Send) -> Vec<u32> {
    if n < FEW { (0..n).filter(f).collect() } else { (0..n).into_par_iter().filter(f).collect() }
}

fn with_skin<const D: usize>(bounds: &Bounds<D>) -> Bounds<D> {
    bounds.grown(SKIN * bounds.size())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Vector;

    fn random(state: &mut u64) -> f64 {
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Boxes of sizes up to a ratio of 100, in clusters, and one without end.
    fn scene<const D: usize>(seed: u64, number: usize) -> Vec<Bounds<D>> {
        let mut state = seed;
        let mut bounds: Vec<Bounds<D>> = (0..number)
            .map(|k| {
                let size = 0.01 * 100f64.powf(random(&mut state));
                let cluster = if k % 3 == 0 { 0.1 } else { 5.0 };
                let x = Vector::from_fn(|_, _| cluster * (random(&mut state) - 0.5));
                Bounds::around(&x, &Vector::repeat(size))
            })
            .collect();
        let mut half_space = Bounds::everywhere();
        half_space.high[D - 1] = 0.0;
        bounds.push(half_space);
        bounds
    }

    fn brute<const D: usize>(bounds: &[Bounds<D>], movable: impl Fn(usize) -> bool) -> Vec<Near<D>> {
        let mut pairs = Vec::new();
        for a in 0..bounds.len() {
            for b in a + 1..bounds.len() {
                if (movable(a) || movable(b)) && bounds[a].meets(&bounds[b]) {
                    pairs.push(Near { a: a as u32, b: b as u32, image: [0; D] });
                }
            }
        }
        pairs
    }

    #[test]
    fn cells_find_what_brute_force_finds() {
        let movable = |body: usize| !body.is_multiple_of(7);
        for seed in 0..20 {
            let plane = scene::<2>(seed, 200);
            assert_eq!(cells::pairs(&plane, movable), brute(&plane, movable));
            let space = scene::<3>(seed, 200);
            assert_eq!(cells::pairs(&space, movable), brute(&space, movable));
        }
    }

    #[test]
    fn far_flung_bodies_and_boulders_take_no_longer() {
        let mut state = 11;
        // grains in two clouds far apart, more cells between them than there is memory, and one boulder around each
        let mut bounds: Vec<Bounds<3>> = (0..2000)
            .map(|k| {
                let far = if k % 2 == 0 { 0.0 } else { 1e9 };
                let x = Vector::<3>::from_fn(|_, _| far + random(&mut state));
                Bounds::around(&x, &Vector::repeat(1e-3))
            })
            .collect();
        for far in [0.0, 1e9] {
            bounds.push(Bounds::around(&Vector::repeat(far), &Vector::repeat(1e4)));
        }
        let found = cells::pairs(&bounds, |_| true);
        assert_eq!(found, brute(&bounds, |_| true));
        let mut replaced = found.clone();
        cells::replace_pairs(&mut replaced, &[2000, 2001], &bounds, |_| true);
        assert_eq!(replaced, found);
    }

    #[test]
    fn a_kept_list_misses_nothing() {
        let mut state = 5;
        let mut bounds = scene::<3>(1, 150);
        let mut candidates = Candidates::default();
        for _ in 0..60 {
            for b in bounds.iter_mut().filter(|b| b.is_finite()) {
                let step = Vector::from_fn(|_, _| 0.004 * (random(&mut state) - 0.5));
                (b.low, b.high) = (b.low + step, b.high + step);
            }
            let reach = 0.01 * random(&mut state);
            let grown: Vec<_> = bounds.iter().map(|b| b.grown(0.5 * reach)).collect();
            let found = candidates.update(&grown, &Periods::default(), |_| true).to_vec();
            for pair in brute(&grown, |_| true) {
                assert!(found.binary_search(&pair).is_ok(), "{pair:?}");
            }
            assert_eq!(found, cells::pairs(&candidates.valid, |_| true), "as if all had been sought anew");
        }
    }

    #[test]
    fn periodic_cells_find_every_image() {
        let periods = Periods([Some(1.0), None, Some(0.7)]);
        let mut state = 9;
        for _ in 0..20 {
            // anywhere in space, with sizes below the period
            let bounds: Vec<Bounds<3>> = (0..60)
                .map(|_| {
                    let x = Vector::<3>::from_fn(|_, _| 6.0 * (random(&mut state) - 0.5));
                    Bounds::around(&x, &Vector::repeat(0.02 + 0.2 * random(&mut state)))
                })
                .collect();
            let movable = |body: usize| body > 3;
            let found = periods.pairs(&bounds, movable);
            let mut expected = Vec::new();
            for a in 0..bounds.len() {
                for b in a + 1..bounds.len() {
                    for (i, k) in (-12..=12).flat_map(|i| (-12..=12).map(move |k| (i, k))) {
                        let image = [i, 0, k];
                        let moved = bounds[b].moved(&periods.shift(&image));
                        if (movable(a) || movable(b)) && bounds[a].meets(&moved) {
                            expected.push(Near { a: a as u32, b: b as u32, image });
                        }
                    }
                }
            }
            expected.sort();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn bounds_that_are_not_numbers_do_no_harm() {
        let mut bounds = scene::<2>(3, 20);
        bounds[4].low[0] = f64::NAN;
        let pairs = cells::pairs(&bounds, |_| true);
        assert!(pairs.iter().all(|pair| pair.a < pair.b));
    }
}
