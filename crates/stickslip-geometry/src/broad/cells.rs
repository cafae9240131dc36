//! Cells of several sizes: a body lies in a cell of its own size class and looks into the neighbouring cells of its own
//! and all coarser classes, so that a boulder among grains costs one look a grain.

use super::Near;
use crate::shape::Bounds;
use crate::space::Vector;
use rayon::prelude::*;

/// Bodies that one task looks at.
const CHUNK: usize = 256;

/// A cell: size class, and coordinates in units of its edge.
type Cell<const D: usize> = (i32, [i64; D]);

/// All pairs with at least one movable body whose bounds meet, in order.
pub fn pairs<const D: usize>(bounds: &[Bounds<D>], movable: impl Fn(usize) -> bool + Sync) -> Vec<Near<D>> {
    let Sorted { small, endless, entries, classes } = &Sorted::new(bounds);
    let meets = meeting(bounds, &movable);
    // bodies in their order find those of their own class behind them: in order
    let mut found: Vec<Near<D>> = small
        .par_chunks(CHUNK)
        .flat_map_iter(|bodies| {
            let mut mine = Vec::new();
            for &body in bodies {
                let first = mine.len();
                let class = class_of(&bounds[body as usize]);
                for_near(entries, &bounds[body as usize], class, |other| {
                    if other > body && meets(body, other) {
                        mine.push(near(body, other));
                    }
                });
                mine[first..].sort_unstable();
            }
            mine
        })
        .collect();
    // the rest comes in any order
    let in_order = found.len();
    found.par_extend(small.par_chunks(CHUNK).flat_map_iter(|bodies| {
        let mut mine = Vec::new();
        for &body in bodies {
            let own = class_of(&bounds[body as usize]);
            for &class in classes.iter().filter(|&&class| class > own) {
                for_near(entries, &bounds[body as usize], class, |other| {
                    if meets(body, other) {
                        mine.push(near(body, other));
                    }
                });
            }
        }
        mine
    }));
    for &plane in endless {
        found.extend(small.iter().filter(|&&b| meets(plane, b)).map(|&b| near(plane, b)));
        found.extend(endless.iter().filter(|&&b| b > plane && meets(plane, b)).map(|&b| near(plane, b)));
    }
    found[in_order..].par_sort_unstable();
    // merges two lists in order
    found.sort();
    found
}

/// Puts the pairs of bodies that moved, all of them finite, in place of those they had. In order before, in order after.
pub fn replace_pairs<const D: usize>(
    pairs: &mut Vec<Near<D>>,
    moved: &[u32],
    bounds: &[Bounds<D>],
    movable: impl Fn(usize) -> bool + Sync,
) {
    let mut has_moved = vec![false; bounds.len()];
    moved.iter().for_each(|&b| has_moved[b as usize] = true);
    pairs.retain(|pair| !has_moved[pair.a as usize] && !has_moved[pair.b as usize]);
    let Sorted { endless, entries, classes, .. } = &Sorted::new(bounds);
    let meets = meeting(bounds, &movable);
    let in_order = pairs.len();
    pairs.par_extend(moved.par_chunks(CHUNK).flat_map_iter(|bodies| {
        let mut mine = Vec::new();
        for &body in bodies {
            // two that moved find each other twice
            let mut look = |other: u32| {
                if other != body && (other > body || !has_moved[other as usize]) && meets(body, other) {
                    mine.push(near(body, other));
                }
            };
            classes.iter().for_each(|&class| for_near(entries, &bounds[body as usize], class, &mut look));
            endless.iter().for_each(|&plane| look(plane));
        }
        mine
    }));
    pairs[in_order..].par_sort_unstable();
    // merges two lists in order
    pairs.sort();
}

/// Bodies by their cells.
struct Sorted<const D: usize> {
    /// Bodies with finite bounds, and the others.
    small: Vec<u32>,
    endless: Vec<u32>,
    /// Finite bodies in the order of their cells.
    entries: Vec<(Cell<D>, u32)>,
    /// Size classes that have bodies.
    classes: Vec<i32>,
}

impl<const D: usize> Sorted<D> {
    fn new(bounds: &[Bounds<D>]) -> Self {
        let finite = |&b: &u32| bounds[b as usize].is_finite();
        let (small, endless): (Vec<u32>, Vec<u32>) = (0..bounds.len() as u32).partition(finite);
        let mut entries: Vec<(Cell<D>, u32)> =
            small.par_iter().map(|&b| (cell_of(&bounds[b as usize]), b)).collect();
        entries.par_sort_unstable();
        let mut classes: Vec<i32> = entries.iter().map(|entry| entry.0.0).collect();
        classes.dedup();
        Sorted { small, endless, entries, classes }
    }
}

/// Whether two bodies meet, at least one of them movable.
fn meeting<const D: usize>(
    bounds: &[Bounds<D>],
    movable: &(impl Fn(usize) -> bool + Sync),
) -> impl Fn(u32, u32) -> bool + Sync {
    move |a, b| {
        let (i, j) = (a as usize, b as usize);
        (movable(i) || movable(j)) && bounds[i].meets(&bounds[j])
    }
}

fn near<const D: usize>(a: u32, b: u32) -> Near<D> {
    Near { a: a.min(b), b: a.max(b), image: [0; D] }
}

/// Calls `look` with every body of a class in the cells that a box may meet.
fn for_near<const D: usize>(
    entries: &[(Cell<D>, u32)],
    bounds: &Bounds<D>,
    class: i32,
    mut look: impl FnMut(u32),
) {
    for_neighbours(bounds, class, |low, high| {
        let first = entries.partition_point(|entry| entry.0 < (class, low));
        let run = entries[first..].iter().take_while(|entry| entry.0 <= (class, high));
        run.for_each(|&(_, other)| look(other));
    });
}

/// Bodies of a class are at most as long as the edge of its cells.
fn class_of<const D: usize>(bounds: &Bounds<D>) -> i32 {
    bounds.size().max(f64::MIN_POSITIVE).log2().ceil() as i32
}

fn cell_of<const D: usize>(bounds: &Bounds<D>) -> Cell<D> {
    let class = class_of(bounds);
    (class, place((bounds.low + bounds.high) * 0.5, class))
}

fn place<const D: usize>(x: Vector<D>, class: i32) -> [i64; D] {
    let edge = 2f64.powi(class);
    // a cast holds numbers beyond the range of integers at its ends
    std::array::from_fn(|k| (x[k] / edge).floor() as i64)
}

/// Calls `look` with the first and the last cell of each run of cells whose bodies may meet a box; the last coordinate
/// runs along memory.
fn for_neighbours<const D: usize>(bounds: &Bounds<D>, class: i32, mut look: impl FnMut([i64; D], [i64; D])) {
    // the centre of a body that meets the box lies at most half an edge outside
    let half = Vector::repeat(0.5 * 2f64.powi(class));
    let (low, high) = (place(bounds.low - half, class), place(bounds.high + half, class));
    let mut at = low;
    loop {
        let mut end = at;
        end[D - 1] = high[D - 1];
        look(at, end);
        // count the other coordinates up
        let Some(k) = (0..D - 1).rev().find(|&k| at[k] < high[k]) else { break };
        at[k] += 1;
        at[k + 1..].copy_from_slice(&low[k + 1..]);
    }
}
