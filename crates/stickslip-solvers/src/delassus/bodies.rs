//! `W = Hᵀ M⁻¹ H` by rigid bodies, never assembled.
//!
//! With the Cholesky factor `M = C Cᵀ` of each body's mass and `Ĥ = C⁻¹ H`, W is `ĤᵀĤ`: one array serves both
//! directions, and the mass never appears again.
//!
//! ```text
//! v̂ = Ĥ r        u = Ĥᵀ v̂ + q        v = C⁻ᵀ v̂
//! ```
//!
//! Memory a contact between two bodies in space: 2 sides of 160 bytes, W_ii 72, an index of 4: 396 bytes, and 200 where all
//! bodies are round; 40 where these have no friction; 24 more where contacts give way, 16 more under sweeps.

use super::round::{Round, RoundContact};
use super::runs::Runs;
use super::sides::{Acting, Blocks, Side, Sides, of_sides};
use super::{DelassusError, Operator, Part, Rows, Wrenches};
use crate::block::{Matrix, Vector};
use crate::parallel;
use crate::sparse::Sparse;
use nalgebra::SMatrix;
use std::sync::OnceLock;

/// Scaled velocity of one body, on a cache line of its own: a sweep reads it back right after writing it.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct BodyVelocity<const B: usize>([f64; B]);

/// Entries of a scaled H below this part of the others are rounding: W, which has their squares, does not see them.
const NO_TURN: f64 = 1e-12;

/// W factored by bodies of B degrees of freedom.
#[derive(Debug)]
pub struct Bodies<const D: usize, const B: usize> {
    pub(super) sides: Sides<D, B>,
    pub(super) diagonal: Vec<Matrix<D>>,
    /// What each contact gives way by itself, velocity per impulse and component; empty where nothing does.
    pub(super) compliance: Vec<Vector<D>>,
    /// Inverse Cholesky factor C⁻¹ of each body's mass.
    pub(super) mass_factor: Vec<SMatrix<f64, B, B>>,
    /// Contacts as products work through them; made where the first one asks.
    runs: OnceLock<Runs>,
    /// Sides by body, as sweeps look at them, likewise.
    by_body: OnceLock<ByBody>,
}

/// Sides that act on body b, and their contacts: `start[b]..start[b + 1]`.
#[derive(Debug)]
struct ByBody {
    start: Vec<u32>,
    sides: Vec<(u32, u32)>,
}

impl<const D: usize, const B: usize> Bodies<D, B> {
    /// W of contacts given by their sides; `contact_start` tells where each contact's sides begin and ends with
    /// their number. A contact with a fixed body has one side only.
    pub fn new(
        mass: &[SMatrix<f64, B, B>],
        contact_start: Vec<u32>,
        mut sides: Vec<Side<D, B>>,
    ) -> Result<Self, DelassusError> {
        let mut mass_factor = Vec::with_capacity(mass.len());
        for (body, M) in mass.iter().enumerate() {
            mass_factor
                .push(inverse_cholesky(M).map_err(|k| DelassusError::MassNotPositive { dof: body * B + k })?);
        }
        for side in &mut sides {
            side.H = mass_factor[side.body as usize] * side.H;
        }
        Ok(Self::from_scaled(mass_factor, contact_start, sides))
    }

    /// The same from C⁻¹ of each body and sides whose H is scaled by it already: nothing is factorised.
    pub fn from_scaled(
        mass_factor: Vec<SMatrix<f64, B, B>>,
        contact_start: Vec<u32>,
        sides: Vec<Side<D, B>>,
    ) -> Self {
        Self::of_sides(mass_factor, Sides::Blocks(Blocks { start: contact_start, sides }))
    }

    fn of_sides(mass_factor: Vec<SMatrix<f64, B, B>>, sides: Sides<D, B>) -> Self {
        let diagonal = parallel::map(sides.contacts(), |i| sides.diagonal(i));
        Self::of_parts(mass_factor, sides, diagonal, Vec::new())
    }

    /// From all that W is.
    pub(super) fn of_parts(
        mass_factor: Vec<SMatrix<f64, B, B>>,
        sides: Sides<D, B>,
        diagonal: Vec<Matrix<D>>,
        compliance: Vec<Vector<D>>,
    ) -> Self {
        Bodies { sides, diagonal, compliance, mass_factor, runs: OnceLock::new(), by_body: OnceLock::new() }
    }

    /// Contacts in runs.
    pub(super) fn runs(&self) -> &Runs {
        self.runs.get_or_init(|| Runs::new(self.mass_factor.len(), &self.sides))
    }

    /// Sides that act on body b, and their contacts.
    pub(super) fn sides_of(&self, b: usize) -> &[(u32, u32)] {
        let by_body = self.by_body.get_or_init(|| ByBody::new(self.mass_factor.len(), &self.sides));
        &by_body.sides[by_body.start[b] as usize..by_body.start[b + 1] as usize]
    }

    /// `W + E`: contact i also gives way by E_i, one number a component, Tasora 2013 (39) with −E for E.
    pub fn with_compliance(mut self, E: Vec<Vector<D>>) -> Self {
        for (i, E_i) in E.iter().enumerate() {
            self.diagonal[i] += Matrix::from_diagonal(E_i);
        }
        if self.compliance.is_empty() {
            self.compliance = E;
        } else {
            self.compliance.iter_mut().zip(E).for_each(|(sum, E_i)| *sum += E_i);
        }
        self
    }

    /// Whether M is block diagonal in groups of B degrees of freedom.
    pub fn fits(M: &Sparse) -> bool {
        M.rows.is_multiple_of(B) && (0..M.rows).all(|i| M.row(i).all(|(j, x)| x == 0.0 || j / B == i / B))
    }

    /// W from sparse M and H; M must [fit](Self::fits).
    pub fn from_sparse(M: &Sparse, H: &Sparse) -> Result<Self, DelassusError> {
        let contacts = H.cols / D;
        let mass: Vec<SMatrix<f64, B, B>> = (0..M.rows / B)
            .map(|body| {
                let mut block = SMatrix::zeros();
                for k in 0..B {
                    for (j, x) in M.row(body * B + k).filter(|&(j, _)| j / B == body) {
                        block[(k, j % B)] = x;
                    }
                }
                block
            })
            .collect();

        // bodies come in order, so each contact's sides come sorted by body
        let mut by_contact: Vec<Vec<Side<D, B>>> = vec![Vec::new(); contacts];
        for row in 0..H.rows {
            let (body, k) = ((row / B) as u32, row % B);
            for (column, x) in H.row(row).filter(|&(_, x)| x != 0.0) {
                let sides = &mut by_contact[column / D];
                if sides.last().is_none_or(|side| side.body != body) {
                    sides.push(Side { H: SMatrix::zeros(), body });
                }
                sides.last_mut().expect("a side was pushed").H[(k, column % D)] = x;
            }
        }
        let mut contact_start = Vec::with_capacity(contacts + 1);
        contact_start.push(0);
        let mut count = 0u32;
        for sides in &by_contact {
            count += sides.len() as u32;
            contact_start.push(count);
        }
        // reserved exactly: a flattened iterator would grow the array to as much as twice its size
        let mut sides = Vec::with_capacity(count as usize);
        sides.extend(by_contact.into_iter().flatten());
        Self::new(&mass, contact_start, sides)
    }

    /// The same bodies under larger blocks: beside its own impulses, side j of contact i has couples, `couple(i, j, k)` for
    /// k = D..L, on the last degrees of freedom of its body.
    pub fn with_couples<const L: usize>(
        &self,
        couple: impl Fn(usize, usize, usize) -> Vec<f64>,
    ) -> Bodies<L, B> {
        let sides = self.sides.map(|i, j, side| {
            let mut H = SMatrix::<f64, B, L>::zeros();
            H.fixed_view_mut::<B, D>(0, 0).copy_from(&side.H);
            for k in D..L {
                let torque = couple(i, j, k);
                let mut wrench = SMatrix::<f64, B, 1>::zeros();
                wrench.as_mut_slice()[B - torque.len()..].copy_from_slice(&torque);
                H.set_column(k, &(self.mass_factor[side.body as usize] * wrench));
            }
            Side { H, body: side.body }
        });
        let larger = Bodies::of_sides(self.mass_factor.clone(), sides);
        let extend = |E: &Vector<D>| Vector::<L>::from_fn(|k, _| if k < D { E[k] } else { 0.0 });
        larger.with_compliance(self.compliance.iter().map(extend).collect())
    }

    /// Normals alone, and of each body the first C degrees of freedom, the only ones that impulses along them move.
    pub(super) fn normals<const C: usize>(&self) -> Bodies<1, C> {
        let normal = |side: &Side<D, B>| Side { H: SMatrix::from_fn(|k, _| side.H[(k, 0)]), body: side.body };
        let sides = match &self.sides {
            Sides::Round(round) if C == 3 => Sides::Normals(round.normals()),
            sides => sides.map(|_, _, side| normal(side)),
        };
        let diagonal = parallel::map(self.diagonal.len(), |i| Matrix::<1>::new(self.diagonal[i][(0, 0)]));
        let compliance = self.compliance.iter().map(|E| Vector::<1>::new(E[0])).collect();
        let factor = |b: usize| SMatrix::from_fn(|i, j| self.mass_factor[b][(i, j)]);
        Bodies::of_parts(parallel::map(self.mass_factor.len(), factor), sides, diagonal, compliance)
    }

    /// Whether impulses along normals turn any body in space.
    pub(super) fn normals_turn(&self) -> bool {
        !parallel::all(self.diagonal.len(), |i| {
            let mut turns = false;
            self.sides.for_blocks(i, |side| {
                let (way, turn) = side.H.data.0[0].split_at(B.min(3));
                let largest = |part: &[f64]| part.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
                turns |= largest(turn) > NO_TURN * largest(way);
            });
            !turns
        })
    }

    /// M and H: the way back from [`from_sparse`](Self::from_sparse); `None` where a body is held along some direction,
    /// as if its mass had no end there, and where contacts give way.
    pub fn to_sparse(&self) -> Option<(Sparse, Sparse)> {
        if !self.compliance.is_empty() {
            return None;
        }
        let dofs = self.mass_factor.len() * B;
        let C: Vec<_> =
            self.mass_factor.iter().map(|inverse| inverse.try_inverse()).collect::<Option<_>>()?;
        let mut mass = Vec::with_capacity(dofs * B);
        for (body, C) in C.iter().enumerate() {
            let M = C * C.transpose();
            for (i, j) in (0..B).flat_map(|i| (0..B).map(move |j| (i, j))).filter(|&ij| M[ij] != 0.0) {
                mass.push(((body * B + i) as u32, (body * B + j) as u32, M[(i, j)]));
            }
        }
        let contacts = self.diagonal.len();
        let mut wrenches = Vec::with_capacity(2 * contacts * B * D);
        for contact in 0..contacts {
            self.sides.for_blocks(contact, |side| {
                let body = side.body as usize;
                let H = C[body] * side.H;
                for (i, j) in (0..B).flat_map(|i| (0..D).map(move |j| (i, j))).filter(|&ij| H[ij] != 0.0) {
                    wrenches.push(((body * B + i) as u32, (contact * D + j) as u32, H[(i, j)]));
                }
            });
        }
        let M = Sparse::from_triplets(dofs, dofs, &mass);
        Some((M, Sparse::from_triplets(dofs, contacts * D, &wrenches)))
    }

    /// `M⁻¹ x`.
    pub fn inverse_mass(&self, x: &[f64]) -> Vec<f64> {
        let mut v = Vec::with_capacity(x.len());
        for (C_inverse, part) in self.mass_factor.iter().zip(x.chunks_exact(B)) {
            let scaled = C_inverse * SMatrix::<f64, B, 1>::from_column_slice(part);
            v.extend_from_slice(C_inverse.tr_mul(&scaled).as_slice());
        }
        v
    }

    /// The scaled H by contacts. A contact that gives way moves degrees of freedom of its own, behind those of the bodies.
    pub(crate) fn wrenches(&self) -> Wrenches<D> {
        let of_bodies = self.mass_factor.len() * B;
        let mut wrenches = Wrenches::new(of_bodies + self.compliance.len() * D);
        for i in 0..self.diagonal.len() {
            let mut rows = Vec::with_capacity(2 * B);
            self.sides.for_blocks(i, |side| {
                let first = side.body * B as u32;
                rows.extend((0..B).map(|k| (first + k as u32, side.H.row(k).transpose())));
            });
            let own = self.compliance.get(i).into_iter().flat_map(|E| {
                let row = move |k: usize| {
                    (
                        (of_bodies + i * D + k) as u32,
                        Vector::from_fn(|d, _| if d == k { E[k].sqrt() } else { 0.0 }),
                    )
                };
                (0..D).filter(|&k| E[k] > 0.0).map(row)
            });
            rows.extend(own);
            wrenches.push(rows);
        }
        wrenches
    }

    /// Scaled velocity of body b under the impulses r.
    fn body_velocity(&self, b: usize, r: &[Vector<D>]) -> [f64; B] {
        let mut v = [0.0; B];
        for &(s, i) in self.sides_of(b) {
            self.sides.push(s, &r[i as usize], &mut v);
        }
        v
    }

    /// Velocities `v = N H r` of all bodies.
    pub(super) fn move_bodies(&self, sides: &impl Acting<D, B>, r: &[Vector<D>], v: &mut [[f64; B]]) {
        let runs = self.runs();
        let mut odd = vec![[0.0; B]; v.len()];
        runs.work(&mut vec![(); r.len()], [&mut *v, &mut odd], [0.0; B], |first, contacts, low, reach| {
            for (k, r_i) in r[first..][..contacts.len()].iter().enumerate() {
                sides.push_within(first + k, r_i, low, reach);
            }
        });
        parallel::update(v, |b, push| *push = runs.settled(sides, r, b, [push, &odd[b]]));
    }

    /// `E_i r_i`: how contact i itself gives way.
    #[inline(always)]
    fn own_velocity(&self, i: usize, r_i: &Vector<D>) -> Vector<D> {
        self.compliance.get(i).map_or_else(Vector::zeros, |E| E.component_mul(r_i))
    }
}

impl Bodies<3, 6> {
    /// W of contacts between round bodies, each given by 1/√m and 1/√J.
    pub fn of_round(bodies: &[[f64; 2]], contacts: Vec<RoundContact>) -> Self {
        let factor = |&[linear, angular]: &[f64; 2]| {
            SMatrix::from_fn(|i, j| {
                if i != j {
                    0.0
                } else if i < 3 {
                    linear
                } else {
                    angular
                }
            })
        };
        let scale = bodies.iter().map(|body| body[0]).collect();
        Self::of_sides(bodies.iter().map(factor).collect(), Sides::Round(Round { contacts, scale }))
    }
}

impl ByBody {
    fn new<const D: usize, const B: usize>(bodies: usize, sides: &Sides<D, B>) -> Self {
        let mut start = vec![0u32; bodies + 1];
        for i in 0..sides.contacts() {
            sides.for_bodies(i, |_, body| start[body as usize + 1] += 1);
        }
        for b in 0..bodies {
            start[b + 1] += start[b];
        }
        let mut next = start.clone();
        let mut by_body = vec![(0, 0); start[bodies] as usize];
        for i in 0..sides.contacts() {
            sides.for_bodies(i, |s, body| {
                let slot = &mut next[body as usize];
                by_body[*slot as usize] = (s, i as u32);
                *slot += 1;
            });
        }
        ByBody { start, sides: by_body }
    }
}

/// C⁻¹ of `M = C Cᵀ`, lower triangular; the row at which M ceases to be positive otherwise.
fn inverse_cholesky<const B: usize>(M: &SMatrix<f64, B, B>) -> Result<SMatrix<f64, B, B>, usize> {
    let mut C = SMatrix::<f64, B, B>::zeros();
    for i in 0..B {
        for j in 0..=i {
            let rest = M[(i, j)] - (0..j).map(|k| C[(i, k)] * C[(j, k)]).sum::<f64>();
            if i != j {
                C[(i, j)] = rest / C[(j, j)];
            } else if rest > 0.0 && rest.is_finite() {
                C[(i, i)] = rest.sqrt();
            } else {
                return Err(i);
            }
        }
    }
    let mut inverse = SMatrix::zeros();
    for j in 0..B {
        inverse[(j, j)] = 1.0 / C[(j, j)];
        for i in j + 1..B {
            let sum: f64 = (j..i).map(|k| C[(i, k)] * inverse[(k, j)]).sum();
            inverse[(i, j)] = -sum / C[(i, i)];
        }
    }
    Ok(inverse)
}

impl<const D: usize, const B: usize> Operator<D> for Bodies<D, B> {
    fn contacts(&self) -> usize {
        self.diagonal.len()
    }

    #[inline(always)]
    fn diagonal(&self, i: usize) -> &Matrix<D> {
        &self.diagonal[i]
    }

    fn scratch(&self) -> usize {
        self.mass_factor.len() * B
    }

    fn apply(&self, r: &[Vector<D>], out: &mut [Vector<D>], scratch: &mut [f64]) {
        let (v, _) = scratch.as_chunks_mut::<B>();
        of_sides!(&self.sides, sides => {
            self.move_bodies(sides, r, v);
            parallel::fill(out, |i| sides.velocity_at(i, v) + self.own_velocity(i, &r[i]));
        });
    }

    fn apply_onto(&self, r: &[Vector<D>], q: &[Vector<D>], out: &mut [Vector<D>], scratch: &mut [f64]) {
        let (v, _) = scratch.as_chunks_mut::<B>();
        of_sides!(&self.sides, sides => {
            self.move_bodies(sides, r, v);
            parallel::fill(out, |i| sides.velocity_at(i, v) + self.own_velocity(i, &r[i]) + q[i]);
        });
    }
}

impl<const D: usize, const B: usize> Rows<D> for Bodies<D, B> {
    /// Scaled velocity of a body, of v̂ = Ĥ r.
    type Cell = BodyVelocity<B>;

    fn start(&self, r: &[Vector<D>]) -> Vec<BodyVelocity<B>> {
        let mut v = vec![BodyVelocity([0.0; B]); self.mass_factor.len()];
        parallel::fill(&mut v, |b| BodyVelocity(self.body_velocity(b, r)));
        v
    }

    #[inline(always)]
    fn velocity(&self, v: &[BodyVelocity<B>], part: &Part, i: usize, r_i: &Vector<D>) -> Vector<D> {
        self.sides.velocity(i, |b| &v[b - part.cells.start].0) + self.own_velocity(i, r_i)
    }

    #[inline(always)]
    fn normal_velocity(&self, v: &[BodyVelocity<B>], part: &Part, i: usize, r_N: f64) -> f64 {
        let own = self.compliance.get(i).map_or(0.0, |E| E[0] * r_N);
        self.sides.normal_velocity(i, |b| &v[b - part.cells.start].0) + own
    }

    fn for_moved(&self, i: usize, mut look: impl FnMut(usize)) {
        self.sides.for_bodies(i, |_, body| {
            for &(_, j) in self.sides_of(body as usize) {
                look(j as usize);
            }
        });
    }

    #[inline(always)]
    fn add(&self, v: &mut [BodyVelocity<B>], part: &Part, i: usize, dr: &Vector<D>) {
        let first = part.cells.start;
        self.sides.push_all(i, dr, v, |v, body| &mut v[body - first].0);
    }

    #[inline(always)]
    fn extrapolated(v: &BodyVelocity<B>, last: &BodyVelocity<B>, beta: f64) -> BodyVelocity<B> {
        BodyVelocity(std::array::from_fn(|k| v.0[k] + (v.0[k] - last.0[k]) * beta))
    }
}
