//! The end of a solve in which only a few contacts still close too fast: these are visited, then those of their
//! neighbours that now close, and so on until none does.
//!
//! In collisions a solve spends half of its sweeps on a few dozen contacts among thousands. A round costs what its
//! contacts cost, not what the problem does.

use super::sweeps::{Rule, Sweeps, Visits};
use crate::block::Vector;
use crate::delassus::{Operator, Part, Rows};

/// Sweeps are left alone while more than this share of the contacts closes too fast.
const FEW: f64 = 0.05;
/// Visits at most, as a multiple of the number of contacts.
const MOST_VISITS: usize = 2;

impl<const D: usize, F: Operator<D> + Rows<D>, R: Rule<D>> Sweeps<'_, D, F, R> {
    /// Visits the contacts that close faster than a limit, where they are few; u are the velocities at r. Says whether it
    /// did.
    pub fn close(&mut self, r: &mut [Vector<D>], u: &[Vector<D>], limit: f64) -> bool {
        let (W, problem, contacts) = (self.W, self.problem, r.len());
        let closes = |i: usize, u_N: f64| problem.laws[i].kind().is_contact() && -u_N > limit;
        let mut list: Vec<u32> =
            (0..contacts as u32).filter(|&i| closes(i as usize, u[i as usize][0])).collect();
        if list.len() as f64 > FEW * contacts as f64 {
            return false;
        }
        let part = Part::whole(contacts, self.cells.len());
        let mut seen = vec![0u32; contacts];
        let (mut round, mut visits) = (0, 0);
        while !list.is_empty() && visits < MOST_VISITS * contacts {
            (round, visits) = (round + 1, visits + list.len());
            self.sweep(r, 1.0, Visits::Listed(&list));
            let mut next = Vec::new();
            for &i in &list {
                W.for_moved(i as usize, |j| {
                    let seen_before = std::mem::replace(&mut seen[j], round) == round;
                    let u_N = || problem.q[j][0] + W.normal_velocity(&self.cells, &part, j, r[j][0]);
                    if !seen_before && closes(j, u_N()) {
                        next.push(j as u32);
                    }
                });
            }
            next.sort_unstable();
            list = next;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::sweeps::Exact;
    use super::*;
    use crate::delassus::{Bodies, Delassus, Side, with_form};
    use crate::laws::Law;
    use crate::problem::ContactProblem;
    use nalgebra::SMatrix;

    const CONTACTS: usize = 100;
    const LIMIT: f64 = 1e-3;

    /// Unit masses in a row, free along it; `q` of each contact.
    fn row(q: impl Fn(usize) -> f64) -> ContactProblem<1> {
        let side =
            |body: usize, sign: f64| Side { H: SMatrix::<f64, 3, 1>::new(sign, 0.0, 0.0), body: body as u32 };
        let sides = (0..CONTACTS).flat_map(|i| [side(i, -1.0), side(i + 1, 1.0)]).collect();
        let start = (0..=CONTACTS as u32).map(|i| 2 * i).collect();
        let W = Bodies::new(&vec![SMatrix::identity(); CONTACTS + 1], start, sides).unwrap();
        let q = (0..CONTACTS).map(|i| Vector::<1>::new(q(i))).collect();
        ContactProblem::new(Delassus::Bodies3(W), q, vec![Law::frictionless(); CONTACTS]).unwrap()
    }

    /// The impulses after a round from rest, unless there was none.
    fn closed(problem: &ContactProblem<1>) -> Option<Vec<Vector<1>>> {
        let mut r = vec![Vector::zeros(); CONTACTS];
        with_form!(&*problem.W, W => {
            let mut sweeps = Sweeps::new(W, problem, Exact, &r);
            let done = sweeps.close(&mut r, &problem.q, LIMIT);
            let mut u = vec![Vector::zeros(); CONTACTS];
            sweeps.velocities(&r, &mut u);
            let off = u.iter().zip(problem.velocities(&r)).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
            assert!(off < 1e-14, "the state is off by {off:e}");
            done.then_some(r)
        })
    }

    #[test]
    fn what_closes_is_pushed_with_its_neighbours_and_no_other() {
        let problem = row(|i| if i == 50 { -1.0 } else { 0.3 });
        let r = closed(&problem).unwrap();
        let u = problem.velocities(&r);
        assert!(u.iter().all(|u| u[0] >= -LIMIT), "{u:?}");
        let pushed: Vec<usize> = (0..CONTACTS).filter(|&i| r[i][0] > 0.0).collect();
        assert!((3..20).contains(&pushed.len()), "{pushed:?}");
        assert!(pushed.contains(&50) && pushed.is_sorted_by(|a, b| a + 1 == *b), "{pushed:?}");
    }

    #[test]
    fn many_are_left_to_sweeps() {
        assert!(closed(&row(|i| if i % 10 == 5 { -1.0 } else { 0.1 })).is_none());
    }
}
