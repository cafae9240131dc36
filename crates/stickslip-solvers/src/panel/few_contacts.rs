//! A few contacts: sweeps find their states, and Newton's method on these finds the impulses.
//!
//! ```text
//! open    r = 0
//! stick   u = 0
//! slip    u_N = 0,   r_T + μ r_N t = 0,   t = u_T/|u_T|
//! ```
//!
//! Where every contact keeps its state, these are smooth equations, and two or three dense steps end at rounding. A step that
//! does not lower the residual is taken back, and further sweeps look for better states. What cannot be solved, as where
//! contacts are redundant, is left to others: so is what some tries do not settle.
//!
//! Choose it for: nothing by itself; `auto` opens with it where unknowns are so few that a dense step costs no more than some
//! sweeps.

use super::Solver;
use super::sweeps::{Rule, Sweeps, Visits, with_exact_rule};
use crate::block::{Matrix, Vector, tangent_norm, tangent_norm_squared};
use crate::delassus::{Operator, Rows, with_form};
use crate::laws::Law;
use crate::outcome::{Outcome, Status};
use crate::problem::ContactProblem;
use crate::stop::{Stop, Watch};

/// Unknowns at most: nine contacts in space.
const MOST_UNKNOWNS: usize = 27;
/// Sweeps before the first try, after which most contacts are in their states; twice as many before each further one.
const SWEEPS: usize = 4;
/// Tries at most.
const TRIES: u32 = 3;
/// A step must bring the residual down to this part of itself.
const SHARE: f64 = 0.5;
/// Pivots below this part of W mean that the system has no solution, or many.
const SINGULAR: f64 = 1e-12;

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
        with_exact_rule!(problem, rule => with_form!(&*problem.W, W => {
            run(Sweeps::new(W, problem, rule, r), problem, r, &mut watch);
        }));
        watch.finish(r)
    }
}

/// Sweeps and tries in turn; an end before the watch calls it leaves the rest to others.
fn run<const D: usize, F: Operator<D> + Rows<D>, R: Rule<D>>(
    mut sweeps: Sweeps<D, F, R>,
    problem: &ContactProblem<D>,
    r: &mut [Vector<D>],
    watch: &mut Watch<D>,
) {
    let mut newton = Newton::new(problem);
    for attempt in 0..TRIES {
        for _ in 0..SWEEPS << attempt {
            if !watch.goes_on_from(r, |u| sweeps.velocities(r, u)) {
                return;
            }
            sweeps.sweep(r, 1.0, Visits::Forwards);
        }
        let mut before = f64::INFINITY;
        loop {
            watch.look_next();
            if !watch.goes_on(r) {
                return;
            }
            let falls = watch.measure() < SHARE * before;
            before = watch.measure();
            if !falls || !newton.step(watch.velocities(), r) {
                break;
            }
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

/// Newton's method on states.
struct Newton<'a, const D: usize> {
    problem: &'a ContactProblem<D>,
    blocks: Vec<(u32, u32, Matrix<D>)>,
    system: System,
}

/// What a contact does.
#[derive(Clone, Copy, PartialEq)]
enum State<const D: usize> {
    Open,
    Stick,
    /// Along a unit vector; zero where there is no friction to direct.
    Slip(Vector<D>),
}

impl<const D: usize> State<D> {
    /// By the part of the natural map that (r, u) is in, impulses turned into velocities by s.
    fn of(mu: f64, s: f64, r: &Vector<D>, u: &Vector<D>) -> Self {
        let slip_speed = tangent_norm(u);
        let y = r * s - u;
        let (y_N, y_T) = (y[0] - mu * slip_speed, tangent_norm(&y));
        if mu * y_T <= -y_N {
            State::Open
        } else if y_T <= mu * y_N {
            State::Stick
        } else {
            let mut along = if slip_speed > 0.0 { u / slip_speed } else { Vector::zeros() };
            along[0] = 0.0;
            State::Slip(along)
        }
    }
}

impl<'a, const D: usize> Newton<'a, D> {
    fn new(problem: &'a ContactProblem<D>) -> Self {
        let system = [[0.0; MOST_UNKNOWNS + 1]; MOST_UNKNOWNS];
        Newton { problem, blocks: problem.W.blocks(), system }
    }

    /// One step from r, whose velocities are u; whether there is one.
    fn step(&mut self, u: &[Vector<D>], r: &mut [Vector<D>]) -> bool {
        let mut states = [State::Open; MOST_UNKNOWNS];
        // where the unknowns of each contact that is not open start
        let mut place = [usize::MAX; MOST_UNKNOWNS];
        let mut unknowns = 0;
        for (i, law) in self.problem.laws.iter().enumerate() {
            states[i] = State::of(law.mu(), self.problem.W.scale(i), &r[i], &u[i]);
            if states[i] != State::Open {
                place[i] = unknowns;
                unknowns += D;
            }
        }
        self.assemble(unknowns, &place, u, r);
        for (i, state) in states[..r.len()].iter().enumerate() {
            if let State::Slip(along) = state {
                self.turn_to_slip(i, place[i], unknowns, along, &u[i], &r[i]);
            }
        }
        let least = SINGULAR * (0..r.len()).map(|i| self.problem.W.scale(i)).fold(0.0, f64::max);
        let elimination = Elimination { system: &mut self.system, n: unknowns, least };
        if !pulp::Arch::new().dispatch(elimination) {
            return false;
        }
        for (i, r_i) in r.iter_mut().enumerate() {
            match place[i] {
                usize::MAX => *r_i = Vector::zeros(),
                start => *r_i += Vector::<D>::from_fn(|k, _| self.system[start + k][unknowns]),
            }
        }
        true
    }

    /// `W dr = −u` of the contacts that are not open, the others without impulse.
    fn assemble(&mut self, unknowns: usize, place: &[usize], u: &[Vector<D>], r: &[Vector<D>]) {
        for row in &mut self.system[..unknowns] {
            row[..=unknowns].fill(0.0);
        }
        for &(i, j, W_ij) in &self.blocks {
            let (i, j) = (i as usize, j as usize);
            let (row, column) = (place[i], place[j]);
            if row == usize::MAX {
                continue;
            }
            let freed = if column == usize::MAX { W_ij * r[j] } else { Vector::zeros() };
            for k in 0..D {
                self.system[row + k][unknowns] += freed[k];
                if column != usize::MAX {
                    for l in 0..D {
                        self.system[row + k][column + l] = W_ij[(k, l)];
                    }
                }
                if i == j {
                    self.system[row + k][unknowns] -= u[i][k];
                }
            }
        }
    }

    /// Puts the equations of slip in place of `u_T = 0`:
    ///
    /// ```text
    /// s (dr_T + μ t dr_N + μ r_N/|u_T| (I − t tᵀ) du_T) = −s (r_T + μ r_N t),     s as large as W
    /// ```
    fn turn_to_slip(
        &mut self,
        i: usize,
        start: usize,
        unknowns: usize,
        along: &Vector<D>,
        u: &Vector<D>,
        r: &Vector<D>,
    ) {
        let (mu, s) = (self.problem.laws[i].mu(), self.problem.W.scale(i));
        let turning = if D == 3 && tangent_norm_squared(u) > 0.0 { mu * r[0] / tangent_norm(u) } else { 0.0 };
        // the unit vector across t, and the velocity along it
        let across = if D == 3 { [-along[D - 1], along[1]] } else { [0.0; 2] };
        let mut swing = [0.0; MOST_UNKNOWNS + 1];
        for (k, weight) in across.iter().enumerate().take(D - 1) {
            for (sum, x) in swing[..unknowns].iter_mut().zip(&self.system[start + 1 + k]) {
                *sum += s * turning * weight * x;
            }
        }
        for k in 1..D {
            let row = &mut self.system[start + k];
            for (entry, x) in row[..unknowns].iter_mut().zip(&swing) {
                *entry = across[k - 1] * x;
            }
            row[start] += s * mu * along[k];
            row[start + k] += s;
            row[unknowns] = -s * (r[k] + mu * r[0] * along[k]);
        }
    }
}

/// Solves the first n equations in place by elimination with partial pivoting, with the widest vector instructions of this
/// machine; says whether they have one solution, with pivots above the least.
struct Elimination<'a> {
    system: &'a mut System,
    n: usize,
    least: f64,
}

impl pulp::WithSimd for Elimination<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _simd: S) -> bool {
        let Elimination { system, n, least } = self;
        for k in 0..n {
            let mut pivot = k;
            for i in k + 1..n {
                if system[i][k].abs() > system[pivot][k].abs() {
                    pivot = i;
                }
            }
            system.swap(k, pivot);
            let (above, below) = system.split_at_mut(k + 1);
            let pivot_row = &above[k];
            let is_regular = pivot_row[k].abs() > least;
            // what is not a number is not either
            if !is_regular {
                return false;
            }
            let inverse = 1.0 / pivot_row[k];
            for row in &mut below[..n - k - 1] {
                let factor = row[k] * inverse;
                for (x, p) in row[k + 1..=n].iter_mut().zip(&pivot_row[k + 1..=n]) {
                    *x -= factor * p;
                }
            }
        }
        for k in (0..n).rev() {
            let x_k = system[k][n] / system[k][k];
            system[k][n] = x_k;
            for row in &mut system[..k] {
                row[n] -= row[k] * x_k;
            }
        }
        true
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
    fn redundant_contacts_are_left_to_others() {
        // two contacts on the same point: any share of the load will do
        let pairs = (0..4).flat_map(|i| (0..4).filter(move |j| i % 2 == j % 2).map(move |j| (i, j, 1.0)));
        let W = Sparse::from_triplets(4, 4, &pairs.collect::<Vec<_>>());
        let q = vec![Vector::<2>::new(-1.0, 0.1); 2];
        let laws = vec![Law::coulomb(0.5); 2];
        let problem = ContactProblem::new(Delassus::stored(&W).unwrap(), q, laws).unwrap();
        let mut newton = Newton::new(&problem);
        let mut r = vec![Vector::<2>::new(0.2, 0.0); 2];
        let u = problem.velocities(&r);
        assert!(!newton.step(&u, &mut r));
        assert_eq!(r, vec![Vector::<2>::new(0.2, 0.0); 2]);
    }
}
