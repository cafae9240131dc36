//! Maps over many bodies or contacts by all threads, over few by one: the order, and with it every bit, is that of the items.

use rayon::prelude::*;

/// Fewer than this are worked through by one thread: to wake others takes longer.
const FEWEST: usize = 8192;
/// What a thread takes at a time at least.
const CHUNK: usize = 1024;

/// `f` of every item.
pub fn map<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    if items.len() < FEWEST {
        return items.iter().map(f).collect();
    }
    items.par_iter().with_min_len(CHUNK).map(f).collect()
}

/// `f` of every index below a number.
pub fn map_indices<R: Send>(number: usize, f: impl Fn(usize) -> R + Sync + Send) -> Vec<R> {
    if number < FEWEST {
        return (0..number).map(f).collect();
    }
    (0..number).into_par_iter().with_min_len(CHUNK).map(f).collect()
}
