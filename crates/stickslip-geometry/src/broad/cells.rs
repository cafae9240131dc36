//! Cells of several sizes: a body lies in a cell of its own size class and looks into the neighbouring cells of its own
//! and all coarser classes, so that a boulder among grains costs one look a grain.

use super::Near;
use crate::shape::Bounds;
use crate::space::Vector;
use rayon::prelude::*;
use std::ops::Range;

/// Bodies that one task looks at.
const CHUNK: usize = 256;
/// Cells along the largest body of a class: more make runs shorter, fewer make them hold more bodies that are not near.
const CELLS: f64 = 2.0;
/// The centre of a body is at most so far from what it meets, as a part of its longest edge.
const HALF: f64 = 0.501;
/// Cells have a table of their own where there are at most this many a body; scattered bodies are sorted by cell and searched.
const DENSE: f64 = 16.0;

/// All pairs with at least one movable body whose bounds meet, in order.
pub fn pairs<const D: usize>(bounds: &[Bounds<D>], movable: impl Fn(usize) -> bool + Sync) -> Vec<Near<D>> {
    let Grid { small, endless, classes } = &Grid::new(bounds);
    let counts = |a: u32, b: u32| movable(a as usize) || movable(b as usize);
    let own_class = |body: u32| {
        let number = size_class(&bounds[body as usize]);
        classes.partition_point(|class| class.number < number)
    };
    // bodies in their order find those of their own class behind them: in order
    let mut found = of_all(small, |body, mine| {
        let first = mine.len();
        classes[own_class(body)].for_near(&bounds[body as usize], |other| {
            if other > body && counts(body, other) {
                mine.push(near(body, other));
            }
        });
        mine[first..].sort_unstable();
    });
    // the rest comes in any order
    let in_order = found.len();
    if classes.len() > 1 {
        found.extend(of_all(small, |body, mine| {
            for class in &classes[own_class(body) + 1..] {
                class.for_near(&bounds[body as usize], |other| {
                    if counts(body, other) {
                        mine.push(near(body, other));
                    }
                });
            }
        }));
    }
    let meets = |a: u32, b: u32| counts(a, b) && bounds[a as usize].meets(&bounds[b as usize]);
    for &plane in endless {
        found.extend(small.iter().filter(|&&b| meets(plane, b)).map(|&b| near(plane, b)));
        found.extend(endless.iter().filter(|&&b| b > plane && meets(plane, b)).map(|&b| near(plane, b)));
    }
    put_in_order(&mut found, in_order);
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
    let Grid { endless, classes, .. } = &Grid::new(bounds);
    // two that moved find each other twice
    let counts = |body: u32, other: u32| {
        let is_new = other != body && (other > body || !has_moved[other as usize]);
        is_new && (movable(body as usize) || movable(other as usize))
    };
    let in_order = pairs.len();
    pairs.extend(of_all(moved, |body, mine| {
        let own = &bounds[body as usize];
        for class in classes {
            class.for_near(own, |other| {
                if counts(body, other) {
                    mine.push(near(body, other));
                }
            });
        }
        let planes = endless.iter().filter(|&&b| counts(body, b) && own.meets(&bounds[b as usize]));
        mine.extend(planes.map(|&plane| near(body, plane)));
    }));
    put_in_order(pairs, in_order);
}

/// What `find` adds for each body, by all threads, in the order of the bodies.
fn of_all<const D: usize>(bodies: &[u32], find: impl Fn(u32, &mut Vec<Near<D>>) + Sync) -> Vec<Near<D>> {
    let of_chunk = |bodies: &[u32]| {
        let mut mine = Vec::new();
        bodies.iter().for_each(|&body| find(body, &mut mine));
        mine
    };
    bodies.par_chunks(CHUNK).map(of_chunk).collect::<Vec<_>>().concat()
}

/// Puts pairs in order that are so up to a place.
fn put_in_order<const D: usize>(pairs: &mut [Near<D>], in_order: usize) {
    if in_order < pairs.len() {
        pairs[in_order..].par_sort_unstable();
        // finds both runs and merges them
        pairs.sort();
    }
}

/// Bodies by their cells.
struct Grid<const D: usize> {
    /// Bodies with finite bounds, and the others.
    small: Vec<u32>,
    endless: Vec<u32>,
    /// Finite bodies by size, the smallest first.
    classes: Vec<Class<D>>,
}

impl<const D: usize> Grid<D> {
    fn new(bounds: &[Bounds<D>]) -> Self {
        let finite = |&b: &u32| bounds[b as usize].is_finite();
        let (small, endless): (Vec<u32>, Vec<u32>) = (0..bounds.len() as u32).partition(finite);
        let sizes: Vec<i32> = small.par_iter().map(|&b| size_class(&bounds[b as usize])).collect();
        let mut numbers = sizes.clone();
        numbers.par_sort_unstable();
        numbers.dedup();
        let members = |number: i32| {
            let those = small.iter().zip(&sizes).filter(move |(_, size)| **size == number);
            those.map(|(&b, _)| b).collect::<Vec<u32>>()
        };
        let classes = numbers.iter().map(|&number| Class::new(number, members(number), bounds)).collect();
        Grid { small, endless, classes }
    }
}

/// Bodies of about one size, in the order of their cells.
struct Class<const D: usize> {
    number: i32,
    /// Half of the longest edge, and a little more for rounding.
    half: f64,
    /// Edge of a cell.
    edge: f64,
    /// Cells of the first and the last body along each axis.
    low: [i64; D],
    high: [i64; D],
    bodies: Vec<u32>,
    bounds: Vec<Bounds<D>>,
    cells: Cells<D>,
}

/// Where the bodies of a cell are.
enum Cells<const D: usize> {
    /// Behind those of all cells before it, row by row, and the number of all.
    Dense(Vec<u32>),
    /// Where they stand among the cells of all bodies, in order.
    Sorted(Vec<[i64; D]>),
}

impl<const D: usize> Class<D> {
    fn new(number: i32, members: Vec<u32>, bounds: &[Bounds<D>]) -> Self {
        let longest = members.iter().map(|&b| bounds[b as usize].size()).fold(f64::MIN_POSITIVE, f64::max);
        let edge = longest / CELLS;
        let place = |b: u32| {
            let bounds = &bounds[b as usize];
            cell((bounds.low + bounds.high) * 0.5, edge)
        };
        let places: Vec<[i64; D]> = members.par_iter().map(|&b| place(b)).collect();
        let (mut low, mut high) = ([i64::MAX; D], [i64::MIN; D]);
        for place in &places {
            for k in 0..D {
                (low[k], high[k]) = (low[k].min(place[k]), high[k].max(place[k]));
            }
        }
        let number_of_cells: f64 = (0..D).map(|k| high[k] as f64 - low[k] as f64 + 1.0).product();
        let (order, cells) = if number_of_cells <= DENSE * (members.len() as f64 + 1.0) {
            by_table(&places, &low, &high)
        } else {
            by_sorting(&places)
        };
        let bodies: Vec<u32> = order.par_iter().map(|&k| members[k as usize]).collect();
        let bounds = bodies.par_iter().map(|&b| bounds[b as usize]).collect();
        Class { number, half: HALF * longest, edge, low, high, bodies, bounds, cells }
    }

    /// Calls `look` with every body whose bounds meet these.
    fn for_near(&self, near: &Bounds<D>, mut look: impl FnMut(u32)) {
        let half = Vector::repeat(self.half);
        let (mut low, mut high) = (cell(near.low - half, self.edge), cell(near.high + half, self.edge));
        for k in 0..D {
            (low[k], high[k]) = (low[k].max(self.low[k]), high[k].min(self.high[k]));
            if low[k] > high[k] {
                return;
            }
        }
        let mut look_at = |range: Range<usize>| {
            for k in range {
                if self.bounds[k].meets(near) {
                    look(self.bodies[k]);
                }
            }
        };
        let rows: f64 = (0..D - 1).map(|k| (high[k] - low[k]) as f64 + 1.0).product();
        if rows < self.bodies.len() as f64 {
            for_rows(&low, &high, |first, last| look_at(self.between(first, last)));
        } else {
            // a boulder among grains: more rows than bodies
            look_at(0..self.bodies.len());
        }
    }

    /// The bodies of a row of cells.
    fn between(&self, first: &[i64; D], last: &[i64; D]) -> Range<usize> {
        match &self.cells {
            Cells::Dense(start) => {
                let [first, last] = [first, last].map(|cell| number(cell, &self.low, &self.high));
                start[first] as usize..start[last + 1] as usize
            }
            Cells::Sorted(places) => {
                let start = places.partition_point(|place| place < first);
                start..start + places[start..].partition_point(|place| place <= last)
            }
        }
    }
}

/// Places sorted by counting how many are in each cell.
fn by_table<const D: usize>(places: &[[i64; D]], low: &[i64; D], high: &[i64; D]) -> (Vec<u32>, Cells<D>) {
    let numbers: Vec<u32> = places.par_iter().map(|place| number(place, low, high) as u32).collect();
    let mut start = vec![0u32; number(high, low, high) + 2];
    numbers.iter().for_each(|&n| start[n as usize + 1] += 1);
    for n in 1..start.len() {
        start[n] += start[n - 1];
    }
    let (mut order, mut next) = (vec![0; places.len()], start.clone());
    for (k, &n) in numbers.iter().enumerate() {
        order[next[n as usize] as usize] = k as u32;
        next[n as usize] += 1;
    }
    (order, Cells::Dense(start))
}

fn by_sorting<const D: usize>(places: &[[i64; D]]) -> (Vec<u32>, Cells<D>) {
    let mut order: Vec<u32> = (0..places.len() as u32).collect();
    order.par_sort_unstable_by_key(|&k| (places[k as usize], k));
    let sorted = order.iter().map(|&k| places[k as usize]).collect();
    (order, Cells::Sorted(sorted))
}

/// The number of a cell in a table of all from the first to the last; the last coordinate runs along memory.
fn number<const D: usize>(cell: &[i64; D], low: &[i64; D], high: &[i64; D]) -> usize {
    (0..D).fold(0, |n, k| n * (high[k] - low[k] + 1) as usize + (cell[k] - low[k]) as usize)
}

fn near<const D: usize>(a: u32, b: u32) -> Near<D> {
    Near { a: a.min(b), b: a.max(b), image: [0; D] }
}

/// Bodies of a class are at most as long as 2 to its number, and longer than half of that.
fn size_class<const D: usize>(bounds: &Bounds<D>) -> i32 {
    bounds.size().max(f64::MIN_POSITIVE).log2().ceil() as i32
}

fn cell<const D: usize>(x: Vector<D>, edge: f64) -> [i64; D] {
    // casts hold numbers beyond the range of integers at its ends; half of that range is as good, and differences stay in it
    std::array::from_fn(|k| ((x[k] / edge).floor() as i64).clamp(i64::MIN / 2, i64::MAX / 2))
}

/// Calls `look` with the first and the last cell of each row of a box of cells.
fn for_rows<const D: usize>(low: &[i64; D], high: &[i64; D], mut look: impl FnMut(&[i64; D], &[i64; D])) {
    let mut at = *low;
    loop {
        let mut end = at;
        end[D - 1] = high[D - 1];
        look(&at, &end);
        // count the other coordinates up
        let Some(k) = (0..D - 1).rev().find(|&k| at[k] < high[k]) else { break };
        at[k] += 1;
        at[k + 1..].copy_from_slice(&low[k + 1..]);
    }
}
