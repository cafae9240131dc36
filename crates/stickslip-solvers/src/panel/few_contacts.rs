//! A few contacts: sweeps find their states, and Newton's method on these finds the impulses.
//!
//! ```text
//! open    r = 0
//! stick   u = 0
//! slip    u_N = 0,   r_T + μ r_N t = 0,   t = u_T/|u_T|
//! ```
//!
//! Where every contact keeps its state, these are smooth equations, and two or three dense steps end at rounding. Steps that
//! do not lower the residual are taken back, and further sweeps look for better states. A contact that slips has one unknown
//! less than one that sticks: along its slip r_T follows r_N. Where contacts are redundant and the equations singular, a
//! proximal term picks the solution near the last one. Where the last step came so near that its equations will do for one
//! more, they are not set up again. What some tries do not settle is left to others.
//!
//! Choose it for: nothing by itself; `auto` opens with it where unknowns are so few that a dense step costs no more than some
//! sweeps.

use super::Solver;
use super::sweeps::{Nearly, Rule, Sweeps, Visits, with_exact_rule};
use crate::block::{Matrix, Vector, tangent_norm};
use crate::delassus::{Operator, Rows, with_form};
use crate::laws::Law;
use crate::one_contact::is_uncoupled;
use crate::outcome::{Outcome, Status};
use crate::problem::ContactProblem;
use crate::stop::{Stop, Watch};

/// Unknowns at most: nine contacts in space.
const MOST_UNKNOWNS: usize = 27;
/// Sweeps before the first try, after which most contacts are in their states; twice as many before each further one.
const SWEEPS: usize = 3;
/// Tries at most.
const TRIES: u32 = 3;
/// Steps of a try at most.
const STEPS: usize = 8;
/// A step gains if it brings the residual down to this part of the best before it; so many of a try may not.
const SHARE: f64 = 0.5;
const MOST_IN_VAIN: usize = 2;
/// Pivots below this part of W mean that the system has no solution, or many.
const SINGULAR: f64 = 1e-12;
/// The proximal term of such a system, as a part of W.
const PROXIMAL: f64 = 1e-7;
/// A step that brings the residual from e₀ to e₁ has equations that are off by a part e₁/e₀: with those again the next one ends at
/// this many times e₁²/e₀.
const OFF: f64 = 4.0;

/// Sweeps and Newton's method on the states of a few contacts.
pub(super) struct FewContacts;

impl FewContacts {
    /// How the stages of a solve name it.
    pub const LABEL: &'static str = "newton on states";

    /// Whether a problem is so small, and all of Coulomb's law.
    pub fn suit<const D: usize>(problem: &ContactProblem<D>) -> bool {
        let few = D * problem.contacts() <= MOST_UNKNOWNS && (D == 2 || D == 3);
        few && problem.laws.iter().all(|law| matches!(law, Law::Coulomb(_)))
    }
}

impl<const D: usize> Solver<D> for FewContacts {
    fn solve(&mut self, problem: &ContactProblem<D>, r: &mut [Vector<D>], stop: &Stop) -> Outcome {
        let mut watch = stop.watch(problem);
        with_form!(&*problem.W, W => {
            if D == 3 && !is_uncoupled(problem) {
                run(Sweeps::new(W, problem, Nearly, r), problem, stop.tolerance, r, &mut watch);
            } else {
                with_exact_rule!(problem, rule => {
                    run(Sweeps::new(W, problem, rule, r), problem, stop.tolerance, r, &mut watch)
                });
            }
        });
        watch.finish(r)
    }
}

/// Sweeps and tries in turn; an end before the watch calls it leaves the rest to others.
fn run<const D: usize, F: Operator<D> + Rows<D>, R: Rule<D>>(
    mut sweeps: Sweeps<D, F, R>,
    problem: &ContactProblem<D>,
    tolerance: f64,
    r: &mut [Vector<D>],
    watch: &mut Watch<D>,
) {
    if r.iter().all(|r| r.iter().all(|&x| x == 0.0)) {
        // no impulses are seldom the answer, and a look costs as much as a sweep; one contact is solved by one visit. Where they are, sweeps
        // leave them as they are
        watch.look_after(if r.len() == 1 { 1 } else { SWEEPS });
    }
    let mut newton = None;
    for attempt in 0..TRIES {
        for _ in 0..SWEEPS << attempt {
            if !watch.goes_on_from(r, |u| sweeps.velocities(r, u)) {
                return;
            }
            sweeps.sweep(r, 1.0, Visits::Forwards);
        }
        let newton = newton.get_or_insert_with(|| Newton::new(problem));
        let (mut best, mut in_vain) = (f64::INFINITY, 0);
        // the residual at which the equations at hand were set up
        let mut known = None;
        for _ in 0..=STEPS {
            watch.look_next();
            if !watch.goes_on(r) {
                return;
            }
            let measure = watch.measure();
            if measure < SHARE * best {
                best = measure;
            } else {
                in_vain += 1;
            }
            if in_vain > MOST_IN_VAIN {
                break;
            }
            let will_do = known.is_some_and(|known: f64| OFF * measure * measure <= known * tolerance);
            known = match newton.step(watch.velocities(), r, will_do) {
                Some(Equations::New) => Some(measure),
                Some(Equations::Last) => None,
                None => break,
            };
        }
        if let Some(best) = watch.best() {
            r.copy_from_slice(best);
        }
        sweeps.refresh(r);
    }
    watch.end(Status::Stalled);
}

/// Rows of equations, the right-hand side behind the last column.
type System = [[f64; MOST_UNKNOWNS + 1]; MOST_UNKNOWNS];

/// By which equations a step was found.
#[derive(Debug, PartialEq)]
enum Equations {
    /// Those of where it started.
    New,
    /// Those of the step before.
    Last,
}

/// Newton's method on states.
struct Newton<'a, const D: usize> {
    problem: &'a ContactProblem<D>,
    blocks: Vec<(u32, u32, Matrix<D>)>,
    changes: Vec<Change<D>>,
    /// As elimination leaves it: above the diagonal what is left, below it the factors, the solution behind the last column.
    system: System,
    /// The rows that were swapped with those of the pivots, in order.
    pivots: [usize; MOST_UNKNOWNS],
    /// The largest scale of W.
    scale: f64,
}

/// How the impulse of a contact may change in a step, `dr = known + Σ_k x_k basis_k`, and the equations `rows · du + weight x =
/// right` that find the x.
#[derive(Clone, Copy)]
struct Change<const D: usize> {
    /// Place of its first unknown, and how many there are.
    start: usize,
    count: usize,
    known: Vector<D>,
    basis: [Vector<D>; D],
    rows: [Vector<D>; D],
    right: [f64; D],
    /// Weight of the unknown in its own equation; only slip across its direction has one.
    weight: f64,
}

impl<const D: usize> Change<D> {
    /// By the part of the natural map that (r, u) is in, impulses turned into velocities by s.
    fn of(start: usize, mu: f64, s: f64, r: &Vector<D>, u: &Vector<D>) -> Self {
        let slip_speed = tangent_norm(u);
        let y = r * s - u;
        let (y_N, y_T) = (y[0] - mu * slip_speed, tangent_norm(&y));
        if mu * y_T <= -y_N {
            Self::open(start, r)
        } else if y_T <= mu * y_N {
            Self::stick(start, u)
        } else {
            Self::slip(start, mu, s, r, u, slip_speed)
        }
    }

    fn open(start: usize, r: &Vector<D>) -> Self {
        let zero = [Vector::zeros(); D];
        Change { start, count: 0, known: -r, basis: zero, rows: zero, right: [0.0; D], weight: 0.0 }
    }

    fn stick(start: usize, u: &Vector<D>) -> Self {
        let unit = std::array::from_fn(|k| Vector::from_fn(|l, _| if k == l { 1.0 } else { 0.0 }));
        let right = std::array::from_fn(|k| -u[k]);
        Change { start, count: D, known: Vector::zeros(), basis: unit, rows: unit, right, weight: 0.0 }
    }

    /// Along t the impulse is known from r_N; across it, in space,
    ///
    /// ```text
    /// s (x + μ r_N/|u_T| across·du) = −s across·r_T,     s as large as W
    /// ```
    fn slip(start: usize, mu: f64, s: f64, r: &Vector<D>, u: &Vector<D>, slip_speed: f64) -> Self {
        let r_T = tangent_norm(r);
        let mut t = if slip_speed > 0.0 {
            u / slip_speed
        } else if r_T > 0.0 {
            -r / r_T
        } else {
            Vector::zeros()
        };
        t[0] = 0.0;
        let mut change = Self::open(start, r);
        change.count = 1;
        change.basis[0] = t * -mu;
        change.basis[0][0] = 1.0;
        change.rows[0][0] = 1.0;
        change.right[0] = -u[0];
        change.known = -r - t * (mu * r[0]);
        change.known[0] = 0.0;
        if D == 3 && slip_speed > 0.0 && mu * r[0] > 0.0 {
            let mut across = Vector::<D>::zeros();
            (across[1], across[2]) = (-t[2], t[1]);
            let aside = across.dot(r);
            change.count = 2;
            change.known += across * aside;
            change.basis[1] = across;
            change.rows[1] = across * (s * mu * r[0] / slip_speed);
            change.right[1] = -s * aside;
            change.weight = s;
        }
        change
    }

    /// Whether its basis and its rows are those of unity.
    fn sticks(&self) -> bool {
        self.count == D
    }

    /// Whether equation k holds a velocity, and not the direction of slip.
    fn is_of_velocity(&self, k: usize) -> bool {
        k == 0 || self.weight == 0.0
    }
}

impl<'a, const D: usize> Newton<'a, D> {
    fn new(problem: &'a ContactProblem<D>) -> Self {
        Newton {
            problem,
            blocks: problem.W.blocks(),
            changes: Vec::with_capacity(problem.contacts()),
            system: [[0.0; MOST_UNKNOWNS + 1]; MOST_UNKNOWNS],
            pivots: [0; MOST_UNKNOWNS],
            scale: (0..problem.contacts()).map(|i| problem.W.scale(i)).fold(0.0, f64::max),
        }
    }

    /// One step from r, whose velocities are u, if there is one. Where the last equations will do and are of the same states,
    /// they are used again.
    fn step(&mut self, u: &[Vector<D>], r: &mut [Vector<D>], last_will_do: bool) -> Option<Equations> {
        let mut are_alike = self.changes.len() == r.len();
        let mut unknowns = 0;
        for (i, law) in self.problem.laws.iter().enumerate() {
            let change = Change::of(unknowns, law.mu(), self.problem.W.scale(i), &r[i], &u[i]);
            unknowns += change.count;
            match self.changes.get_mut(i) {
                Some(last) => {
                    are_alike &= last.count == change.count;
                    *last = change;
                }
                None => self.changes.push(change),
            }
        }
        let equations = if last_will_do && are_alike { Equations::Last } else { Equations::New };
        match equations {
            Equations::Last => pulp::Arch::new().dispatch(Again { newton: self, unknowns }),
            Equations::New => {
                let solves = |newton: &mut Self, proximal: f64| {
                    pulp::Arch::new().dispatch(Afresh { newton, unknowns, proximal })
                };
                if !solves(self, 0.0) && !solves(self, PROXIMAL * self.scale) {
                    return None;
                }
            }
        }
        for (r_i, change) in r.iter_mut().zip(&self.changes) {
            *r_i += change.known;
            for k in 0..change.count {
                *r_i += change.basis[k] * self.system[change.start + k][unknowns];
            }
        }
        Some(equations)
    }

    /// The equations of all changes, with `du = W dr`.
    #[inline(always)]
    fn assemble(&mut self, unknowns: usize, proximal: f64) {
        let Newton { blocks, changes, system, .. } = self;
        for row in &mut system[..unknowns] {
            row[..unknowns].fill(0.0);
        }
        for (i, j, W_ij) in blocks.iter() {
            let (to, from) = (&changes[*i as usize], &changes[*j as usize]);
            if to.count == 0 {
                continue;
            }
            // of contacts that stick, rows and basis are those of unity
            let du = if from.sticks() { *W_ij } else { W_ij * Matrix::from_columns(&from.basis) };
            let block = if to.sticks() { du } else { Matrix::from_columns(&to.rows).tr_mul(&du) };
            for k in 0..to.count {
                for l in 0..from.count {
                    system[to.start + k][from.start + l] = block[(k, l)];
                }
            }
        }
        for change in changes.iter() {
            for k in 0..change.count {
                let weight = if change.is_of_velocity(k) { proximal } else { change.weight };
                system[change.start + k][change.start + k] += weight;
            }
        }
    }

    /// Their right-hand sides.
    #[inline(always)]
    fn assemble_right(&mut self, unknowns: usize) {
        let Newton { blocks, changes, system, .. } = self;
        for change in changes.iter() {
            for k in 0..change.count {
                system[change.start + k][unknowns] = change.right[k];
            }
        }
        for (i, j, W_ij) in blocks.iter() {
            let (to, from) = (&changes[*i as usize], &changes[*j as usize]);
            if to.count > 0 && !from.sticks() {
                let known = W_ij * from.known;
                for k in 0..to.count {
                    system[to.start + k][unknowns] -= to.rows[k].dot(&known);
                }
            }
        }
    }

    /// Solves the first n equations in place by elimination with partial pivoting; says whether they have one solution, with
    /// pivots above the least.
    #[inline(always)]
    fn eliminate(&mut self, n: usize) -> bool {
        let least = SINGULAR * self.scale;
        let system = &mut self.system;
        for k in 0..n {
            let mut pivot = k;
            for i in k + 1..n {
                if system[i][k].abs() > system[pivot][k].abs() {
                    pivot = i;
                }
            }
            system.swap(k, pivot);
            self.pivots[k] = pivot;
            let (above, below) = system.split_at_mut(k + 1);
            let pivot_row = &above[k];
            let is_regular = pivot_row[k].abs() > least;
            // what is not a number is not either
            if !is_regular {
                return false;
            }
            let inverse = 1.0 / pivot_row[k];
            for row in &mut below[..n - k - 1] {
                // of contacts that do not touch
                if row[k] == 0.0 {
                    continue;
                }
                let factor = row[k] * inverse;
                row[k] = factor;
                for (x, p) in row[k + 1..=n].iter_mut().zip(&pivot_row[k + 1..=n]) {
                    *x -= factor * p;
                }
            }
        }
        self.substitute(n);
        true
    }

    /// Eliminates in the right-hand sides alone, by the factors of the last elimination, and solves.
    #[inline(always)]
    fn eliminate_right(&mut self, n: usize) {
        let system = &mut self.system;
        // later swaps have taken the factors of earlier rows along
        for (k, &pivot) in self.pivots[..n].iter().enumerate() {
            (system[k][n], system[pivot][n]) = (system[pivot][n], system[k][n]);
        }
        for k in 0..n {
            let b_k = system[k][n];
            for row in &mut system[k + 1..n] {
                row[n] -= row[k] * b_k;
            }
        }
        self.substitute(n);
    }

    /// From the last unknown to the first.
    #[inline(always)]
    fn substitute(&mut self, n: usize) {
        let system = &mut self.system;
        for k in (0..n).rev() {
            let x_k = system[k][n] / system[k][k];
            system[k][n] = x_k;
            for row in &mut system[..k] {
                row[n] -= row[k] * x_k;
            }
        }
    }
}

/// Sets the equations up and solves them, with the widest vector instructions of this machine; says whether they have one solution.
struct Afresh<'n, 'a, const D: usize> {
    newton: &'n mut Newton<'a, D>,
    unknowns: usize,
    proximal: f64,
}

impl<const D: usize> pulp::WithSimd for Afresh<'_, '_, D> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _simd: S) -> bool {
        let Afresh { newton, unknowns, proximal } = self;
        newton.assemble(unknowns, proximal);
        newton.assemble_right(unknowns);
        newton.eliminate(unknowns)
    }
}

/// Solves the last equations for other right-hand sides, likewise.
struct Again<'n, 'a, const D: usize> {
    newton: &'n mut Newton<'a, D>,
    unknowns: usize,
}

impl<const D: usize> pulp::WithSimd for Again<'_, '_, D> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _simd: S) {
        self.newton.assemble_right(self.unknowns);
        self.newton.eliminate_right(self.unknowns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delassus::Delassus;
    use crate::fclib::Fclib;
    use crate::sparse::Sparse;

    fn solve<const D: usize>(problem: &ContactProblem<D>, stop: &Stop) -> (Vec<Vector<D>>, Outcome) {
        let mut r = vec![Vector::zeros(); problem.contacts()];
        let outcome = FewContacts.solve(problem, &mut r, stop);
        (r, outcome)
    }

    #[test]
    fn steps_on_states_end_at_rounding() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../problems/Rover1039.hdf5");
        let problem = Fclib::read(path.as_ref()).unwrap().problem::<3>(Law::coulomb).unwrap();
        assert!(FewContacts::suit(&problem));
        let (_, outcome) = solve(&problem, &Stop { tolerance: 1e-14, ..Stop::default() });
        assert_eq!(outcome.status, Status::Converged);
        assert!(outcome.iterations < 12, "{outcome:?}");
    }

    #[test]
    fn the_last_equations_do_for_one_more_step() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../problems/Rover1039.hdf5");
        let problem = Fclib::read(path.as_ref()).unwrap().problem::<3>(Law::coulomb).unwrap();
        let (near, _) = solve(&problem, &Stop { tolerance: 1e-4, ..Stop::default() });
        let (exact, _) = solve(&problem, &Stop { tolerance: 1e-14, ..Stop::default() });
        let off = |r: &[Vector<3>]| r.iter().zip(&exact).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        let mut newton = Newton::new(&problem);
        // rough impulses, whose equations are off by about as much
        let mut r: Vec<Vector<3>> = near.iter().map(|r| r * 1.001).collect();
        let start = off(&r);
        assert_eq!(newton.step(&problem.velocities(&r), &mut r, true), Some(Equations::New));
        let first = off(&r);
        assert_eq!(newton.step(&problem.velocities(&r), &mut r, true), Some(Equations::Last));
        let second = off(&r);
        assert!(first < 0.1 * start && second < 0.1 * first, "{start:e} {first:e} {second:e}");
    }

    #[test]
    fn redundant_contacts_share_the_load() {
        // two contacts on the same point: any share of the load will do
        let pairs = (0..4).flat_map(|i| (0..4).filter(move |j| i % 2 == j % 2).map(move |j| (i, j, 1.0)));
        let W = Sparse::from_triplets(4, 4, &pairs.collect::<Vec<_>>());
        let q = vec![Vector::<2>::new(-1.0, 0.1); 2];
        let laws = vec![Law::coulomb(0.5); 2];
        let problem = ContactProblem::new(Delassus::stored(&W).unwrap(), q, laws).unwrap();
        let mut newton = Newton::new(&problem);
        let mut r = vec![Vector::<2>::new(0.2, 0.0); 2];
        for _ in 0..2 {
            assert!(newton.step(&problem.velocities(&r), &mut r, false).is_some());
        }
        let u = problem.velocities(&r);
        assert!(u.iter().all(|u| u.norm() < 1e-12), "{r:?} {u:?}");
        assert!((r[0] - r[1]).norm() < 1e-9, "the share of the start is kept: {r:?}");
    }
}
