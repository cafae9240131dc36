//! Active sets for a convex quadratic program with signs.
//!
//! ```text
//! ½ xᵀAx + cᵀx → min,   x_i ≥ 0 unless i is free
//! ```
//!
//! After Lawson and Hanson: choose the unknowns of steepest descent, one of each group, go towards the minimum on the
//! chosen ones, drop the first that would turn negative. Several are chosen at once while that makes headway, one
//! otherwise: then the energy falls with each choice, and the sets never come back. Exchanging all wrong unknowns at
//! once (block principal pivots, Júdice and Pires 1994) has no such guarantee, but most often ends after a few solves.

use super::solve_chosen;
use nalgebra::{DMatrix, DVector};

/// The program; A is positive definite on every set that is chosen.
pub(crate) struct Program<'a> {
    pub A: &'a DMatrix<f64>,
    pub c: &'a DVector<f64>,
    /// Which unknowns have no sign.
    pub free: &'a [bool],
    /// The group of each unknown, counted from 0.
    pub group: &'a [usize],
    /// Unknowns chosen at most.
    pub most: usize,
    /// Descent below this share of the terms it is made of is rounding.
    pub noise: f64,
}

/// Rounds per unknown after which the sets count as cycling by rounding.
const MOST_ROUNDS: usize = 10;
/// Exchanges in all, and without fewer wrong unknowns than ever before.
const MOST_EXCHANGES: usize = 60;
const PATIENCE: usize = 5;

impl Program<'_> {
    /// Exchanges all wrong unknowns at once; `None`, and x as it was, where that does not settle.
    pub fn exchange(&self, x: &mut DVector<f64>, go_on: &dyn Fn() -> bool) -> Option<()> {
        let mut chosen = self.start(x);
        let (mut fewest, mut patience) = (usize::MAX, PATIENCE);
        for _ in 0..MOST_EXCHANGES {
            let target = self.minimum_on(&chosen, go_on)?;
            let mut trial = DVector::zeros(x.len());
            chosen.iter().zip(target.iter()).for_each(|(&i, &x)| trial[i] = x);
            let entering = self.steepest(&chosen, &trial, x.len());
            let before = chosen.len();
            chosen.retain(|&i| self.free[i] || trial[i] >= 0.0);
            let wrong = before - chosen.len() + entering.len();
            if wrong == 0 {
                *x = trial;
                return Some(());
            }
            patience = if wrong < fewest { PATIENCE } else { patience.checked_sub(1)? };
            fewest = fewest.min(wrong);
            chosen.extend(entering);
        }
        None
    }

    /// Goes from the feasible x to the minimum; `None` where a chosen set is singular or the search is called off.
    pub fn minimise(&self, x: &mut DVector<f64>, go_on: &dyn Fn() -> bool) -> Option<()> {
        let mut chosen = self.start(x);
        self.descend(&mut chosen, x, go_on)?;
        let mut batch = x.len();
        for _ in 0..MOST_ROUNDS * x.len() {
            let room = batch.min(self.most.saturating_sub(chosen.len()));
            let entering = self.steepest(&chosen, x, room);
            if entering.is_empty() {
                break;
            }
            chosen.extend(&entering);
            self.descend(&mut chosen, x, go_on)?;
            // those that left at once made no headway
            let kept = entering.iter().any(|i| chosen.contains(i));
            batch = if kept { x.len() } else { 1 };
            if !kept && entering.len() == 1 {
                break;
            }
        }
        Some(())
    }

    /// The unknowns that are free or loaded.
    fn start(&self, x: &DVector<f64>) -> Vec<usize> {
        (0..x.len()).filter(|&i| self.free[i] || x[i] > 0.0).collect()
    }

    /// The unknowns at rest along which the energy falls most, beyond rounding: one of each group.
    fn steepest(&self, chosen: &[usize], x: &DVector<f64>, room: usize) -> Vec<usize> {
        let mut is_chosen = vec![false; x.len()];
        chosen.iter().for_each(|&i| is_chosen[i] = true);
        let mut found: Vec<(f64, usize)> = (0..x.len())
            .filter(|&i| !is_chosen[i])
            .filter_map(|i| {
                let (mut slope, mut size) = (self.c[i], self.c[i].abs());
                for &j in chosen {
                    slope += self.A[(i, j)] * x[j];
                    size += (self.A[(i, j)] * x[j]).abs();
                }
                (slope < -self.noise * size).then_some((slope, i))
            })
            .collect();
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut is_taken = vec![false; x.len()];
        let first = |i: &usize| !std::mem::replace(&mut is_taken[self.group[*i]], true);
        found.into_iter().map(|(_, i)| i).filter(first).take(room).collect()
    }

    /// The chosen unknowns of least energy, whatever their signs.
    fn minimum_on(&self, chosen: &[usize], go_on: &dyn Fn() -> bool) -> Option<DVector<f64>> {
        if go_on() { solve_chosen(self.A, self.c, chosen) } else { None }
    }

    /// The minimum on the chosen unknowns, less those that turn negative on the way.
    fn descend(&self, chosen: &mut Vec<usize>, x: &mut DVector<f64>, go_on: &dyn Fn() -> bool) -> Option<()> {
        while !chosen.is_empty() {
            let target = self.minimum_on(chosen, go_on)?;
            let blocking = (0..chosen.len())
                .filter(|&k| !self.free[chosen[k]] && target[k] <= 0.0)
                .map(|k| (k, x[chosen[k]] / (x[chosen[k]] - target[k])))
                .min_by(|a, b| a.1.total_cmp(&b.1));
            let way = blocking.map_or(1.0, |(_, way)| if way.is_finite() { way } else { 0.0 });
            for (k, &i) in chosen.iter().enumerate() {
                x[i] += way * (target[k] - x[i]);
            }
            let Some((leaving, _)) = blocking else { break };
            x[chosen.remove(leaving)] = 0.0;
            // rounding
            chosen.iter().filter(|&&i| !self.free[i]).for_each(|&i| x[i] = x[i].max(0.0));
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minimum_obeys_the_optimality_conditions() {
        let n = 12;
        let B = DMatrix::from_fn(n, n, |i, j| ((7 * i + 3 * j * j + 1) % 11) as f64 / 11.0 - 0.4);
        let A = &B * B.transpose() + DMatrix::identity(n, n) * 0.1;
        let c = DVector::from_fn(n, |i, _| (5 * i % 7) as f64 - 3.0);
        let free: Vec<bool> = (0..n).map(|i| i % 5 == 0).collect();
        for (groups, exchanging) in [(1, false), (n, false), (n, true)] {
            let mut x = DVector::from_fn(n, |i, _| (i % 2) as f64);
            let group: Vec<usize> = (0..n).map(|i| i % groups).collect();
            let program = Program { A: &A, c: &c, free: &free, group: &group, most: n, noise: 1e-15 };
            let method = if exchanging { Program::exchange } else { Program::minimise };
            method(&program, &mut x, &|| true).unwrap();
            let slope = &A * &x + &c;
            for i in 0..n {
                assert!(free[i] || x[i] >= 0.0 && slope[i] > -1e-12, "{x} {slope}");
                assert!(!(free[i] || x[i] > 0.0) || slope[i].abs() < 1e-12, "{x} {slope}");
            }
            assert!(program.minimise(&mut x, &|| false).is_none());
        }
    }
}
