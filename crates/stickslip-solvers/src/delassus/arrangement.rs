//! Contacts in slabs that can be swept at once.
//!
//! The contacts are ordered by their distance from one of them in the contact graph, where two are neighbours when
//! they share a body, and cut into slabs of whole distances. A slab then has common bodies with the slab before it and
//! the one behind it alone: all even slabs can be swept at once, then all odd ones, and no thread ever waits for, or
//! sees, another one's half-done work. The slabs depend on the problem and not on the number of threads, so neither do
//! the bits.
//!
//! ```text
//! bodies     |only 0|0 and 1|only 1|1 and 2|only 2|2 and 3|...
//! even slabs [---- slab 0 --]      [------ slab 2 -------]
//! odd slabs          [------ slab 1 -------]      [-- slab 3 ...
//! ```
//!
//! Bodies are ordered likewise, so that each slab owns one run of contacts and one run of bodies; neighbours in space
//! also become neighbours in memory.

use super::{Bodies, Delassus, Part};
use crate::block::Vector;
use crate::laws::Law;
use crate::outcome::{Check, Outcome};
use crate::problem::ContactProblem;
use crate::stop::Stop;
use std::collections::VecDeque;
use std::sync::Arc;

/// Smaller problems are swept whole: the arrangement costs as much as half a dozen sweeps, and waking threads more than
/// it gains.
const FEWEST_CONTACTS: usize = 4096;
/// A slab has at least this many contacts.
const SLAB: usize = 256;

/// A problem in another order of contacts and bodies, cut into slabs.
pub(crate) struct Arranged<const D: usize> {
    pub problem: ContactProblem<D>,
    /// Slabs; those of one parity touch disjoint runs of contacts and bodies.
    pub parts: Vec<Part>,
    /// The contact of the given problem that stands at each place.
    given: Vec<u32>,
}

impl<const D: usize> Arranged<D> {
    /// The arranged problem; `None` where it is small or W is not factored by bodies.
    pub fn of(problem: &ContactProblem<D>) -> Option<Self> {
        if problem.contacts() < FEWEST_CONTACTS {
            return None;
        }
        let (W, given, parts) = match &*problem.W {
            Delassus::Bodies3(W) => {
                let (W, given, parts) = arrange(W);
                (Delassus::Bodies3(W), given, parts)
            }
            Delassus::Bodies6(W) => {
                let (W, given, parts) = arrange(W);
                (Delassus::Bodies6(W), given, parts)
            }
            Delassus::Stored(_) | Delassus::SparseMass(_) => return None,
        };
        let q = given.iter().map(|&i| problem.q[i as usize]).collect();
        let laws: Vec<Law> = given.iter().map(|&i| problem.laws[i as usize]).collect();
        Some(Arranged { problem: ContactProblem { W: Arc::new(W), q, laws }, parts, given })
    }

    /// Solves the arranged problem in place of the given one.
    pub fn solve(
        &self,
        r: &mut [Vector<D>],
        stop: &Stop,
        solve: impl FnOnce(&ContactProblem<D>, &[Part], &mut [Vector<D>], &Stop) -> Outcome,
    ) -> Outcome {
        let mut own: Vec<Vector<D>> = self.given.iter().map(|&i| r[i as usize]).collect();
        let mut stop = stop.clone();
        if let Some(progress) = stop.progress.take() {
            let given = self.given.clone();
            stop.progress = Some(Arc::new(move |check| progress(&renamed(check, &given))));
        }
        let mut outcome = solve(&self.problem, &self.parts, &mut own, &stop);
        for (own, &i) in own.iter().zip(&self.given) {
            r[i as usize] = *own;
        }
        outcome.residual.worst_contact = self.given[outcome.residual.worst_contact] as usize;
        outcome.trace = outcome.trace.iter().map(|check| renamed(check, &self.given)).collect();
        outcome
    }
}

/// A look at the residual with the worst contact under its given number.
fn renamed(check: &Check, given: &[u32]) -> Check {
    let mut check = *check;
    check.residual.worst_contact = given[check.residual.worst_contact] as usize;
    check
}

/// W in the new order, the given contact of each place, and the slabs.
fn arrange<const D: usize, const B: usize>(W: &Bodies<D, B>) -> (Bodies<D, B>, Vec<u32>, Vec<Part>) {
    let mut given = by_distance(W);
    let slab_start = cut(&given);
    for range in slab_start.windows(2) {
        // inside a slab the given order, which often follows the way loads go
        given[range[0]..range[1]].sort_unstable_by_key(|&(_, i)| i);
    }

    // the first and the last slab of each body; they are the same or neighbours
    let bodies = W.mass_factor.len();
    let mut first = vec![u32::MAX; bodies];
    let mut last = vec![0; bodies];
    for (k, range) in slab_start.windows(2).enumerate() {
        for &(_, i) in &given[range[0]..range[1]] {
            W.sides.for_bodies(i as usize, |_, body| {
                let b = body as usize;
                first[b] = first[b].min(k as u32);
                last[b] = last[b].max(k as u32);
            });
        }
    }
    let key = |b: usize| if first[b] == u32::MAX { 0 } else { first[b] + last[b] };
    let mut body_order: Vec<u32> = (0..bodies as u32).collect();
    body_order.sort_by_key(|&b| key(b as usize));
    let parts = slab_start
        .windows(2)
        .enumerate()
        .map(|(k, range)| {
            let up_to = |limit: usize| body_order.partition_point(|&b| (key(b as usize) as usize) < limit);
            Part { contacts: range[0]..range[1], cells: up_to((2 * k).saturating_sub(1))..up_to(2 * k + 2) }
        })
        .collect();

    let mut place = vec![0u32; bodies];
    for (new, &b) in body_order.iter().enumerate() {
        place[b as usize] = new as u32;
    }
    let sides = W.sides.reordered(&given, &place);
    let arranged = Bodies::of_parts(
        body_order.iter().map(|&b| W.mass_factor[b as usize]).collect(),
        sides,
        given.iter().map(|&(_, i)| W.diagonal[i as usize]).collect(),
        given.iter().filter_map(|&(_, i)| W.compliance.get(i as usize).copied()).collect(),
    );
    (arranged, given.iter().map(|&(_, i)| i).collect(), parts)
}

/// `(distance, contact)` for every contact, in the order of distances; one group of touching bodies after the other.
fn by_distance<const D: usize, const B: usize>(W: &Bodies<D, B>) -> Vec<(u32, u32)> {
    let contacts = W.diagonal.len();
    let mut order = Vec::with_capacity(contacts);
    let mut search = Search { W, seen: vec![0; contacts], body_seen: vec![0; W.mass_factor.len()], round: 0 };
    let mut done = vec![false; contacts];
    let mut distance = 0;
    for i in 0..contacts {
        if done[i] {
            continue;
        }
        // a contact at the far end gives the longest row of slabs
        let far_end = search.from(i as u32).last().map_or(i as u32, |&(_, j)| j);
        for (step, j) in search.from(far_end) {
            done[j as usize] = true;
            order.push((distance + step, j));
        }
        distance = order.last().map_or(0, |&(step, _)| step + 1);
    }
    order
}

/// Breadth-first searches over the contact graph.
struct Search<'a, const D: usize, const B: usize> {
    W: &'a Bodies<D, B>,
    /// The round in which each contact and each body was last seen.
    seen: Vec<u32>,
    body_seen: Vec<u32>,
    round: u32,
}

impl<const D: usize, const B: usize> Search<'_, D, B> {
    /// `(distance, contact)` of all contacts that can be reached.
    fn from(&mut self, start: u32) -> Vec<(u32, u32)> {
        self.round += 1;
        let mut found = Vec::new();
        let mut queue = VecDeque::from([(0, start)]);
        self.seen[start as usize] = self.round;
        while let Some((distance, i)) = queue.pop_front() {
            found.push((distance, i));
            let Search { W, seen, body_seen, round } = self;
            W.sides.for_bodies(i as usize, |_, body| {
                let b = body as usize;
                if std::mem::replace(&mut body_seen[b], *round) == *round {
                    return;
                }
                for &(_, j) in W.sides_of(b) {
                    if std::mem::replace(&mut seen[j as usize], *round) != *round {
                        queue.push_back((distance + 1, j));
                    }
                }
            });
        }
        found
    }
}

/// Where slabs of whole distances start, and the end.
fn cut(order: &[(u32, u32)]) -> Vec<usize> {
    let mut start = vec![0];
    for k in 1..order.len() {
        let slab = k - start[start.len() - 1];
        if order[k].0 != order[k - 1].0 && slab >= SLAB {
            start.push(k);
        }
    }
    start.push(order.len());
    start
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::Matrix;
    use nalgebra::SMatrix;

    /// A grid of bodies, a contact between neighbours.
    fn grid(n: usize) -> Bodies<1, 3> {
        let mut sides = Vec::new();
        let mut start = vec![0u32];
        let mut contact = |a: usize, b: usize| {
            for (body, sign) in [(a, 1.0), (b, -1.0)] {
                sides.push(super::super::Side {
                    H: SMatrix::<f64, 3, 1>::new(sign, 0.5, 0.1),
                    body: body as u32,
                });
            }
            start.push(sides.len() as u32);
        };
        for y in 0..n {
            for x in 1..n {
                contact(y * n + x - 1, y * n + x);
                contact((x - 1) * n + y, x * n + y);
            }
        }
        Bodies::new(&vec![SMatrix::identity(); n * n], start, sides).unwrap()
    }

    #[test]
    fn slabs_of_one_parity_share_nothing() {
        let W = grid(50);
        let (arranged, given, parts) = arrange(&W);
        assert!(parts.len() > 8, "{} slabs", parts.len());
        let mut sorted = given.clone();
        sorted.sort();
        assert_eq!(sorted, (0..W.diagonal.len() as u32).collect::<Vec<_>>());
        for (k, part) in parts.iter().enumerate() {
            for i in part.contacts.clone() {
                arranged.sides.for_bodies(i, |_, body| {
                    assert!(part.cells.contains(&(body as usize)), "contact {i} of slab {k}");
                });
            }
            if let Some(next) = parts.get(k + 2) {
                assert!(part.contacts.end <= next.contacts.start && part.cells.end <= next.cells.start);
            }
        }
    }

    #[test]
    fn the_arranged_operator_is_the_same() {
        let W = grid(20);
        let (arranged, given, _) = arrange(&W);
        let r: Vec<Vector<1>> =
            (0..W.diagonal.len()).map(|i| Vector::from_element((i as f64).sin())).collect();
        let arranged_r: Vec<Vector<1>> = given.iter().map(|&i| r[i as usize]).collect();
        let product = |W: &Bodies<1, 3>, r: &[Vector<1>]| {
            use crate::delassus::Operator;
            let mut out = vec![Vector::<1>::zeros(); r.len()];
            W.apply(r, &mut out, &mut vec![0.0; W.scratch()]);
            out
        };
        let (u, arranged_u) = (product(&W, &r), product(&arranged, &arranged_r));
        for (place, &i) in given.iter().enumerate() {
            assert!((u[i as usize] - arranged_u[place]).norm() < 1e-14);
            assert_eq!(arranged.diagonal[place], W.diagonal[i as usize] * Matrix::<1>::identity());
        }
    }
}
