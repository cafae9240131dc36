//! Contacts in runs that can push their bodies at once.
//!
//! The contacts are cut into runs of equal length, in the order in which they are given. Worlds list them by their first
//! bodies, and bodies that touch are seldom far from each other in the list of bodies: run k pushes those from where its
//! own begin to where those of run k + 2 do. Even runs have pushes of their own, and odd ones others, so that all can work at
//! once; a body adds both up.
//!
//! ```text
//! bodies     |0 ..... s₁|s₁ .... s₂|s₂ .... s₃|s₃ .... s₄|
//! even runs  [------- run 0 -------][------- run 2 -------]
//! odd runs              [------- run 1 -------][- run 3 ...
//! ```
//!
//! What a contact does to a body out of the reach of its run is gathered by that body afterwards. In any other order of
//! contacts more is gathered, and nothing else changes. The runs depend on the problem and not on the number of threads, so
//! neither do the bits.

use super::sides::{Acting, Sides};
use crate::block::Vector;
use crate::parallel;
use rayon::prelude::*;
use std::ops::Range;

/// A run has at least this many contacts, where there is more than one.
const SHORTEST: usize = 8192;
/// Runs are longer where more than this share of the sides would be gathered, which costs several times as much as a push.
const MOST_GATHERED: f64 = 0.03;
/// But they are no fewer than this, however contacts are ordered: as many threads have work.
const ENOUGH: usize = 16;

/// A cut of contacts into runs.
#[derive(Debug)]
pub(super) struct Runs {
    runs: Vec<Run>,
    /// Sides that body b gathers, and their contacts: `start[b]..start[b + 1]`; empty where there is one run.
    start: Vec<u32>,
    gathered: Vec<(u32, u32)>,
}

/// Contacts, and the bodies that they push.
#[derive(Clone, Debug)]
struct Run {
    contacts: Range<usize>,
    reach: Range<usize>,
}

impl Runs {
    pub fn new<const D: usize, const B: usize>(bodies: usize, sides: &Sides<D, B>) -> Self {
        let contacts = sides.contacts();
        // a power of two, which as many threads share evenly
        let mut number = 1 << (contacts / SHORTEST).max(1).ilog2();
        if number == 1 {
            let all = Run { contacts: 0..contacts, reach: 0..bodies };
            return Runs { runs: vec![all], start: Vec::new(), gathered: Vec::new() };
        }
        loop {
            let runs = Self::cut(number, bodies, sides);
            let out = Self::out_of_reach(sides, &runs);
            if number <= ENOUGH || out.len() as f64 <= MOST_GATHERED * 2.0 * contacts as f64 {
                let (start, gathered) = Self::by_body(bodies, out);
                return Runs { runs, start, gathered };
            }
            number /= 2;
        }
    }

    /// Runs of equal length, and what they reach.
    fn cut<const D: usize, const B: usize>(number: usize, bodies: usize, sides: &Sides<D, B>) -> Vec<Run> {
        let contacts = sides.contacts();
        let contacts_of = |k: usize| k * contacts / number..(k + 1) * contacts / number;
        let mut first: Vec<usize> = (0..number)
            .into_par_iter()
            .map(|k| {
                let mut lowest = bodies;
                for i in contacts_of(k) {
                    sides.for_bodies(i, |_, body| lowest = lowest.min(body as usize));
                }
                lowest
            })
            .collect();
        first[0] = 0;
        for k in (1..number).rev() {
            first[k - 1] = first[k - 1].min(first[k]);
        }
        let begin = |k: usize| first.get(k).copied().unwrap_or(bodies);
        (0..number).map(|k| Run { contacts: contacts_of(k), reach: begin(k)..begin(k + 2) }).collect()
    }

    /// Sides on bodies out of the reach of their runs: body, side and contact.
    fn out_of_reach<const D: usize, const B: usize>(
        sides: &Sides<D, B>,
        runs: &[Run],
    ) -> Vec<(u32, u32, u32)> {
        let of_run = |run: &Run| {
            let mut out = Vec::new();
            for i in run.contacts.clone() {
                sides.for_bodies(i, |side, body| {
                    if !run.reach.contains(&(body as usize)) {
                        out.push((body, side, i as u32));
                    }
                });
            }
            out
        };
        runs.par_iter().flat_map_iter(of_run).collect()
    }

    /// Where the sides of each body start in the list of all, and the list.
    fn by_body(bodies: usize, mut out: Vec<(u32, u32, u32)>) -> (Vec<u32>, Vec<(u32, u32)>) {
        out.sort_unstable();
        let mut start = vec![0u32; bodies + 1];
        out.iter().for_each(|&(body, ..)| start[body as usize + 1] += 1);
        for b in 0..bodies {
            start[b + 1] += start[b];
        }
        (start, out.into_iter().map(|(_, side, contact)| (side, contact)).collect())
    }

    /// Sides that body b gathers, and their contacts.
    #[inline(always)]
    fn gathered(&self, b: usize) -> &[(u32, u32)] {
        match self.start.get(b..b + 2) {
            Some(&[start, end]) => &self.gathered[start as usize..end as usize],
            _ => &[],
        }
    }

    /// The velocity of body b under impulses r, of which those within reach have pushed it already.
    #[inline(always)]
    pub fn settled<const D: usize, const B: usize>(
        &self,
        sides: &impl Acting<D, B>,
        r: &[Vector<D>],
        b: usize,
        pushes: [&[f64; B]; 2],
    ) -> [f64; B] {
        let mut push = parallel::add(*pushes[0], *pushes[1]);
        for &(side, i) in self.gathered(b) {
            sides.push_side(side, &r[i as usize], &mut push);
        }
        let mobility = sides.mobility(b);
        std::array::from_fn(|k| mobility[k] * push[k])
    }

    /// Calls `work` with each run: the number of its first contact, the items of its contacts, the number of the first body
    /// in its reach, and the cells of these bodies, all of which are `empty` before the first push: those of `even` for even
    /// runs, which reach every body, those of `odd` for the others. Answers come in the order of the runs.
    pub fn work<T: Send, Cell: Copy + Send + Sync, A: Send>(
        &self,
        mut items: &mut [T],
        [even, odd]: [&mut [Cell]; 2],
        empty: Cell,
        work: impl Fn(usize, &mut [T], usize, &mut [Cell]) -> A + Sync,
    ) -> Vec<A> {
        if self.runs.len() == 1 {
            even.fill(empty);
            return vec![work(0, items, 0, even)];
        }
        let mut rest = [(even, 0), (odd, 0)];
        let mut tasks = Vec::with_capacity(self.runs.len());
        for (k, run) in self.runs.iter().enumerate() {
            let (part, others) = items.split_at_mut(run.contacts.len());
            items = others;
            let (cells, passed) = &mut rest[k % 2];
            let from = std::mem::take(cells).split_at_mut(run.reach.start - *passed).1;
            let (reach, behind) = from.split_at_mut(run.reach.len());
            (*cells, *passed) = (behind, run.reach.end);
            tasks.push((run, part, reach));
        }
        let of_run = |(run, part, reach): (&Run, &mut [T], &mut [Cell])| {
            reach.fill(empty);
            work(run.contacts.start, part, run.reach.start, reach)
        };
        tasks.into_par_iter().with_max_len(1).map(of_run).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Side;
    use super::super::sides::Blocks;
    use super::*;
    use nalgebra::SMatrix;

    /// A row of bodies, each in contact with the next one, and every hundredth with one far away.
    fn row(bodies: usize) -> Sides<1, 3> {
        let mut sides = Vec::new();
        let mut start = vec![0u32];
        for a in 0..bodies - 1 {
            let b = if a % 100 == 0 { (a + bodies) / 2 } else { a + 1 };
            for body in [a, b] {
                sides.push(Side { H: SMatrix::<f64, 3, 1>::repeat(1.0), body: body as u32 });
            }
            start.push(sides.len() as u32);
        }
        Sides::Blocks(Blocks { start, sides })
    }

    #[test]
    fn every_side_is_pushed_or_gathered_once() {
        for bodies in [2, 100, 50_000] {
            let sides = row(bodies);
            let runs = Runs::new(bodies, &sides);
            assert!(runs.runs.len() > 1 || bodies < 50_000);
            let (mut found, mut others) = (vec![0; bodies], vec![0; bodies]);
            let mut contacts = vec![0; sides.contacts()];
            let counts =
                runs.work(&mut contacts, [&mut found, &mut others], 0, |first, contacts, low, bodies| {
                    for (k, times) in contacts.iter_mut().enumerate() {
                        *times += 1;
                        sides.for_bodies(first + k, |_, body| {
                            if let Some(count) = bodies.get_mut((body as usize).wrapping_sub(low)) {
                                *count += 1;
                            }
                        });
                    }
                    contacts.len()
                });
            assert_eq!(counts.iter().sum::<usize>(), sides.contacts());
            assert!(contacts.iter().all(|&times| times == 1));
            let mut wanted = vec![0; bodies];
            for i in 0..sides.contacts() {
                sides.for_bodies(i, |_, body| wanted[body as usize] += 1);
            }
            for b in 0..bodies {
                assert_eq!(found[b] + others[b] + runs.gathered(b).len(), wanted[b], "body {b} of {bodies}");
            }
            let gathered: usize = (0..bodies).map(|b| runs.gathered(b).len()).sum();
            assert!(gathered <= sides.contacts() / 50, "{gathered} sides are out of reach");
        }
    }
}
