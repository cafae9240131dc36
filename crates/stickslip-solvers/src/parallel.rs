//! Parallel loops whose result does not depend on the number of threads.
//!
//! Work is cut into chunks of fixed size; a reduction sums the chunks in order. The same input gives the
//! same bits on one thread or on many.

use rayon::prelude::*;
use std::ops::Range;

/// Contacts per chunk.
const CHUNK: usize = 1024;
/// Fewer contacts than this are worked through by one thread, chunk after chunk: to wake others takes longer.
const FEWEST: usize = 8 * CHUNK;

/// Runs `f` on one of the threads that share the work: its loops then start where it runs, and no other thread has to be
/// woken for each of them and waited for.
pub(crate) fn among_the_threads<T: Send>(f: impl FnOnce() -> T + Send) -> T {
    rayon::scope(|_| f())
}

/// `out[i] = f(i)` for every i.
pub(crate) fn fill<T: Send>(out: &mut [T], f: impl Fn(usize) -> T + Sync) {
    update(out, |i, slot| *slot = f(i));
}

/// Changes every item in place.
pub(crate) fn update<T: Send>(items: &mut [T], f: impl Fn(usize, &mut T) + Sync) {
    let run = |chunk: usize, part: &mut [T]| {
        for (k, item) in part.iter_mut().enumerate() {
            f(chunk * CHUNK + k, item);
        }
    };
    if items.len() < FEWEST {
        run(0, items);
    } else {
        items.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, part)| run(chunk, part));
    }
}

/// `f(i)` for every i below n, in order.
pub(crate) fn map<T: Send>(n: usize, f: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    if n < FEWEST {
        return (0..n).map(f).collect();
    }
    (0..n).into_par_iter().with_min_len(CHUNK).map(f).collect()
}

/// Whether f holds for every i below n.
pub(crate) fn all(n: usize, f: impl Fn(usize) -> bool + Sync) -> bool {
    reduce(n, |mut range| range.all(&f), |a, b| a && b).unwrap_or(true)
}

/// Folds `f` over fixed chunks of `0..n` and joins the parts in order.
pub(crate) fn reduce<T: Send>(
    n: usize,
    f: impl Fn(Range<usize>) -> T + Sync,
    join: impl Fn(T, T) -> T,
) -> Option<T> {
    let range = |chunk: usize| chunk * CHUNK..((chunk + 1) * CHUNK).min(n);
    let chunks = 0..n.div_ceil(CHUNK);
    if n < FEWEST {
        return chunks.map(|chunk| f(range(chunk))).reduce(join);
    }
    let parts: Vec<T> = chunks.into_par_iter().map(|chunk| f(range(chunk))).collect();
    parts.into_iter().reduce(join)
}

/// `Σ f(i)` with a fixed order of summation.
pub(crate) fn sum(n: usize, f: impl Fn(usize) -> f64 + Sync) -> f64 {
    sums(n, |i| [f(i)])[0]
}

/// Several sums in one pass.
pub(crate) fn sums<const N: usize>(n: usize, f: impl Fn(usize) -> [f64; N] + Sync) -> [f64; N] {
    reduce(n, |range| range.map(&f).fold([0.0; N], add), add).unwrap_or([0.0; N])
}

/// `out[i] = f(i).0` for every i, and the sums of what comes with them.
pub(crate) fn fill_and_sum<T: Send, const N: usize>(
    out: &mut [T],
    f: impl Fn(usize) -> (T, [f64; N]) + Sync,
) -> [f64; N] {
    update_and_sum(out, |i, slot| {
        let (value, terms) = f(i);
        *slot = value;
        terms
    })
}

/// Changes every item in place; the sums of what `f` returns.
pub(crate) fn update_and_sum<T: Send, const N: usize>(
    items: &mut [T],
    f: impl Fn(usize, &mut T) -> [f64; N] + Sync,
) -> [f64; N] {
    let run = |(chunk, part): (usize, &mut [T])| {
        let mut sums = [0.0; N];
        for (k, item) in part.iter_mut().enumerate() {
            sums = add(sums, f(chunk * CHUNK + k, item));
        }
        sums
    };
    let parts: Vec<[f64; N]> = if items.len() < FEWEST {
        items.chunks_mut(CHUNK).enumerate().map(run).collect()
    } else {
        items.par_chunks_mut(CHUNK).enumerate().map(run).collect()
    };
    parts.into_iter().reduce(add).unwrap_or([0.0; N])
}

/// Changes every item of two lists in place.
pub(crate) fn update_both<S: Send, T: Send>(
    first: &mut [S],
    second: &mut [T],
    f: impl Fn(usize, &mut S, &mut T) + Sync,
) {
    let run = |(chunk, (first, second)): (usize, (&mut [S], &mut [T]))| {
        for (k, (a, b)) in first.iter_mut().zip(second).enumerate() {
            f(chunk * CHUNK + k, a, b);
        }
    };
    if first.len() < FEWEST {
        run((0, (first, second)));
    } else {
        first.par_chunks_mut(CHUNK).zip(second.par_chunks_mut(CHUNK)).enumerate().for_each(run);
    }
}

#[inline(always)]
pub(crate) fn add<const N: usize>(a: [f64; N], b: [f64; N]) -> [f64; N] {
    std::array::from_fn(|k| a[k] + b[k])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_have_the_same_bits_on_any_number_of_threads() {
        let f = |i: usize| ((i * 2_654_435_761) % 1_000_003) as f64 * 1e-7 - 0.05;
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| sum(100_001, f)).to_bits()
        };
        assert_eq!(on(1), on(2));
        assert_eq!(on(1), on(7));
    }

    #[test]
    fn filling_sums_as_summing_does() {
        for n in [0, 7, 10_000] {
            let f = |i: usize| [(i as f64).sin(), 1.0 / (i as f64 + 1.0)];
            let mut out = vec![0; n];
            assert_eq!(fill_and_sum(&mut out, |i| (2 * i, f(i))), sums(n, f));
            assert!(out.iter().enumerate().all(|(i, &x)| x == 2 * i));
        }
    }

    #[test]
    fn empty_and_small_ranges() {
        assert_eq!(sum(0, |_| 1.0), 0.0);
        assert_eq!(sum(3, |i| i as f64), 3.0);
        let mut out = vec![0; 10_000];
        fill(&mut out, |i| i * 2);
        assert!(out.iter().enumerate().all(|(i, &x)| x == 2 * i));
    }
}
