//! Performance profiles in the manner of Dolan and Moré 2002.
//!
//! ```text
//! ratio of solver s on problem p    t_ps / min over s of t_ps, infinite where s did not converge
//! ρ_s(τ)                            share of all problems on which the ratio of s is at most τ
//! ```
//!
//! ρ_s(1) is how often s is the fastest (ties count for each), ρ_s(∞) how often it converges. A problem that
//! nobody solved stays in the denominator.

/// One curve a solver, over the same problems.
pub struct Profile {
    /// In the order of the solvers.
    pub curves: Vec<Curve>,
    /// Problems, solved or not.
    pub problems: usize,
}

/// The step function ρ_s.
pub struct Curve {
    /// The finite ratios, in increasing order: where the curve rises by one problem.
    pub ratios: Vec<f64>,
    problems: usize,
}

impl Profile {
    /// From seconds by problem, then solver; `None` where the solver did not converge.
    pub fn of<'a>(solvers: usize, times: impl IntoIterator<Item = &'a [Option<f64>]>) -> Self {
        let mut problems = 0;
        let mut finite = vec![Vec::new(); solvers];
        for row in times {
            problems += 1;
            for (ratios, ratio) in finite.iter_mut().zip(ratios(row)) {
                ratios.extend(ratio);
            }
        }
        let curve = |mut ratios: Vec<f64>| {
            ratios.sort_by(f64::total_cmp);
            Curve { ratios, problems }
        };
        Profile { curves: finite.into_iter().map(curve).collect(), problems }
    }

    /// The largest finite ratio, where the last curve has risen; 1 if there is none.
    pub fn largest_ratio(&self) -> f64 {
        self.curves.iter().filter_map(|curve| curve.ratios.last()).fold(1.0, |a, &b| a.max(b))
    }
}

impl Curve {
    /// ρ(τ).
    pub fn share(&self, tau: f64) -> f64 {
        self.within(tau) as f64 / self.problems.max(1) as f64
    }

    /// How many problems are solved.
    pub fn solved(&self) -> usize {
        self.ratios.len()
    }

    /// On how many problems no solver is faster.
    pub fn fastest(&self) -> usize {
        self.within(1.0)
    }

    fn within(&self, tau: f64) -> usize {
        self.ratios.partition_point(|&ratio| ratio <= tau)
    }
}

/// The times of one problem over the best of them.
pub fn ratios(times: &[Option<f64>]) -> impl Iterator<Item = Option<f64>> {
    // a clock too coarse to see a solve must not divide by zero
    let seen = |time: f64| time.max(1e-9);
    let best = times.iter().flatten().fold(f64::INFINITY, |best, &time| best.min(seen(time)));
    times.iter().map(move |time| time.map(|time| seen(time) / best))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(times: &[[Option<f64>; 2]]) -> Profile {
        Profile::of(2, times.iter().map(|row| row.as_slice()))
    }

    #[test]
    fn hand_made_times() {
        let profile = profile(&[[Some(1.0), Some(2.0)], [Some(3.0), Some(1.0)], [Some(0.5), Some(2.0)]]);
        let [a, b] = &profile.curves[..] else { panic!() };
        assert_eq!(a.ratios, [1.0, 1.0, 3.0]);
        assert_eq!(b.ratios, [1.0, 2.0, 4.0]);
        assert_eq!((a.fastest(), b.fastest()), (2, 1));
        assert_eq!((a.share(1.0), a.share(2.9), a.share(3.0)), (2.0 / 3.0, 2.0 / 3.0, 1.0));
        assert_eq!((b.share(1.9), b.share(2.0), b.share(1e9)), (1.0 / 3.0, 2.0 / 3.0, 1.0));
        assert_eq!(profile.largest_ratio(), 4.0);
    }

    #[test]
    fn failures_never_rise_and_stay_in_the_denominator() {
        let profile = profile(&[[Some(1.0), None], [None, None], [None, Some(5.0)], [Some(1.0), Some(10.0)]]);
        let [a, b] = &profile.curves[..] else { panic!() };
        assert_eq!(profile.problems, 4);
        assert_eq!((a.solved(), a.share(f64::INFINITY)), (2, 0.5));
        // alone on its problem, it is the best there
        assert_eq!((b.ratios.as_slice(), b.fastest()), (&[1.0, 10.0][..], 1));
        assert_eq!(profile.largest_ratio(), 10.0);
    }

    #[test]
    fn ties_count_for_each() {
        let profile = profile(&[[Some(0.25), Some(0.25)], [Some(0.0), Some(0.0)]]);
        assert!(profile.curves.iter().all(|curve| curve.share(1.0) == 1.0 && curve.fastest() == 2));
    }

    #[test]
    fn nothing_solved_and_nothing_tried() {
        let profile = profile(&[[None, None]]);
        assert_eq!((profile.largest_ratio(), profile.curves[0].share(1.0)), (1.0, 0.0));
        let empty = Profile::of(2, []);
        assert_eq!((empty.problems, empty.curves[1].share(1.0)), (0, 0.0));
    }
}
