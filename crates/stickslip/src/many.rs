//! Work on many bodies or contacts by all threads, on few by one: the order, and with it every bit, is that of the items.

use rayon::prelude::*;
use std::ops::Range;

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

/// Writes `f` of every index below a number in place of what a list held.
pub fn refill<R: Send>(list: &mut Vec<R>, number: usize, f: impl Fn(usize) -> R + Sync + Send) {
    if number < FEWEST {
        list.clear();
        list.extend((0..number).map(f));
    } else {
        (0..number).into_par_iter().with_min_len(CHUNK).map(f).collect_into_vec(list);
    }
}

/// Changes every item in place.
pub fn update<T: Send>(items: &mut [T], f: impl Fn(usize, &mut T) + Sync + Send) {
    if items.len() < FEWEST {
        items.iter_mut().enumerate().for_each(|(i, item)| f(i, item));
    } else {
        items.par_iter_mut().with_min_len(CHUNK).enumerate().for_each(|(i, item)| f(i, item));
    }
}

/// `f` of chunks of the indices below a number, in order; the chunks do not depend on the threads.
pub fn map_chunks<R: Send>(number: usize, f: impl Fn(Range<usize>) -> R + Sync + Send) -> Vec<R> {
    let range = |chunk: usize| chunk * CHUNK..((chunk + 1) * CHUNK).min(number);
    let chunks = 0..number.div_ceil(CHUNK);
    if number < FEWEST {
        return chunks.map(range).map(f).collect();
    }
    chunks.into_par_iter().map(range).map(f).collect()
}

/// The first index below a number of which `f` holds.
pub fn find(number: usize, f: impl Fn(usize) -> bool + Sync + Send) -> Option<usize> {
    if number < FEWEST {
        return (0..number).find(|&i| f(i));
    }
    (0..number).into_par_iter().with_min_len(CHUNK).find_first(|&i| f(i))
}
