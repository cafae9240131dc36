//! Where sweeps find no rest: knots of contacts that touch one another and hold nearly all that is left of the residual, and
//! sweeps that differ from the last ones there and nowhere else.
//!
//! Choose it for: nothing by itself; [`super::wander`] moves on by it.

use super::sweeps::Random;
use crate::block::Vector;
use crate::delassus::Rows;
use crate::problem::ContactProblem;
use crate::residual::share;

/// ω of a knot is between these.
const RELAXATION: (f64, f64) = (0.3, 1.6);
/// The restless contacts hold this part of the squared residual.
const HELD: f64 = 0.9;
/// Their neighbours join them, and the neighbours of these, at random fewer times than this.
const RINGS: f64 = 3.0;

/// How each contact is visited, and where there is no rest.
pub(super) struct Knots {
    /// Squared shares in the residual, added up over the looks since the last change.
    restless: Vec<f64>,
    /// The contacts as they are visited, each with its ω.
    visits: Vec<(u32, f64)>,
}

impl Knots {
    /// Plain sweeps.
    pub fn new(contacts: usize) -> Self {
        Knots { restless: vec![0.0; contacts], visits: (0..contacts as u32).map(|i| (i, 1.0)).collect() }
    }

    /// The contacts as they are visited, each with its ω.
    pub fn visits(&self) -> &[(u32, f64)] {
        &self.visits
    }

    /// Takes down what impulses r leave at each contact.
    pub fn look<const D: usize>(&mut self, problem: &ContactProblem<D>, r: &[Vector<D>], u: &[Vector<D>]) {
        for (i, sum) in self.restless.iter_mut().enumerate() {
            *sum += share(problem, i, &r[i], &u[i]).powi(2);
        }
    }

    /// Gives each knot another ω and its contacts another order among their places.
    pub fn redraw<const D: usize>(&mut self, W: &impl Rows<D>, random: &mut Random) {
        let rings = random.between(0.0, RINGS) as usize;
        let mut place = vec![0; self.visits.len()];
        for (at, (contact, _)) in self.visits.iter().enumerate() {
            place[*contact as usize] = at;
        }
        for knot in split(W, self.gather(W, rings)) {
            let omega = random.between(RELAXATION.0, RELAXATION.1);
            let mut contacts = knot.clone();
            random.shuffle(&mut contacts);
            for (old, new) in knot.into_iter().zip(contacts) {
                self.visits[place[old as usize]] = (new, omega);
            }
        }
        self.restless.fill(0.0);
    }

    /// Whether each contact is restless or within so many rings of neighbours of one that is.
    fn gather<const D: usize>(&self, W: &impl Rows<D>, rings: usize) -> Vec<bool> {
        let mut worst: Vec<usize> = (0..self.restless.len()).collect();
        worst.sort_by(|&i, &j| self.restless[j].total_cmp(&self.restless[i]));
        let enough = HELD * self.restless.iter().sum::<f64>();
        let mut held = 0.0;
        worst.retain(|&i| {
            let needed = held < enough;
            held += self.restless[i];
            needed
        });
        let mut gathered = vec![false; self.restless.len()];
        worst.iter().for_each(|&i| gathered[i] = true);
        for _ in 0..rings {
            let mut ring = Vec::new();
            for &i in &worst {
                W.for_moved(i, |j| {
                    if !std::mem::replace(&mut gathered[j], true) {
                        ring.push(j);
                    }
                });
            }
            worst = ring;
        }
        gathered
    }
}

/// The contacts in lists of those that touch, directly or by others of the kind.
fn split<const D: usize>(W: &impl Rows<D>, mut rest: Vec<bool>) -> Vec<Vec<u32>> {
    let mut knots = Vec::new();
    for start in 0..rest.len() {
        if !std::mem::take(&mut rest[start]) {
            continue;
        }
        let mut knot = vec![start as u32];
        let mut next = 0;
        while next < knot.len() {
            W.for_moved(knot[next] as usize, |j| {
                if std::mem::take(&mut rest[j]) {
                    knot.push(j as u32);
                }
            });
            next += 1;
        }
        knots.push(knot);
    }
    knots
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delassus::Stored;
    use crate::sparse::Sparse;

    /// A chain of contacts, each of which moves those beside it.
    fn chain(contacts: u32) -> Stored<1> {
        let row = |i: u32| {
            (i.saturating_sub(1)..contacts.min(i + 2)).map(move |j| (i, j, if i == j { 2.0 } else { -0.5 }))
        };
        let entries: Vec<_> = (0..contacts).flat_map(row).collect();
        Stored::new(&Sparse::from_triplets(contacts as usize, contacts as usize, &entries)).unwrap()
    }

    #[test]
    fn only_restless_contacts_and_their_neighbours_are_visited_otherwise() {
        let W = chain(100);
        let mut moved = [false; 100];
        for seed in 0..20 {
            let mut knots = Knots::new(100);
            (knots.restless[20], knots.restless[21], knots.restless[70]) = (1.0, 1.0, 1.0);
            (knots.restless[5], knots.restless[99]) = (0.01, 0.02);
            knots.redraw(&W, &mut Random::new(seed));
            let omega = |i: u32| knots.visits.iter().find(|visit| visit.0 == i).unwrap().1;
            assert_eq!(omega(20), omega(21), "one knot");
            assert!(omega(20) != omega(70) && omega(70) != 1.0, "two knots");
            let mut seen: Vec<u32> = knots.visits.iter().map(|visit| visit.0).collect();
            for (place, &(contact, omega)) in knots.visits.iter().enumerate() {
                moved[place] |= omega != 1.0;
                assert!(omega != 1.0 || contact as usize == place);
            }
            seen.sort_unstable();
            assert!(seen.into_iter().eq(0..100), "every contact once");
            assert!(knots.restless.iter().all(|&sum| sum == 0.0));
        }
        let places: Vec<usize> = (0..100).filter(|&place| moved[place]).collect();
        assert_eq!(places, [18, 19, 20, 21, 22, 23, 68, 69, 70, 71, 72]);
    }
}
