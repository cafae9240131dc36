//! `W = Hᵀ M⁻¹ H` by rigid bodies, never assembled.
//!
//! With the Cholesky factor `M = C Cᵀ` of each body's mass and `Ĥ = C⁻¹ H`, W is `ĤᵀĤ`: one array serves both
//! directions, and the mass never appears again.
//!
//! ```text
//! v̂ = Ĥ r        u = Ĥᵀ v̂ + q        v = C⁻ᵀ v̂
//! ```
//!
//! Memory a contact between two bodies in space: 2 sides of 160 bytes, W_ii 72, indices 20: 412 bytes; 24 more where contacts give way.

use super::{DelassusError, Operator, Part, Rows, Wrenches};
use crate::block::{Matrix, Vector};
use crate::parallel;
use crate::sparse::Sparse;
use nalgebra::SMatrix;

/// How one contact acts on one of its bodies.
///
/// Aligned so that no pair of entries straddles two cache lines.
#[derive(Clone, Debug)]
#[repr(align(32))]
pub struct Side<const D: usize, const B: usize> {
    /// Wrench on the body of unit impulses along normal and tangents, one column each.
    pub H: SMatrix<f64, B, D>,
    /// Index of the body.
    pub body: u32,
}

/// Scaled velocity of one body, on a cache line of its own: a sweep reads it back right after writing it.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct BodyVelocity<const B: usize>([f64; B]);

/// Entries of a scaled H below this part of the others are rounding: W, which has their squares, does not see them.
const NO_TURN: f64 = 1e-12;

/// W factored by bodies of B degrees of freedom.
#[derive(Debug)]
pub struct Bodies<const D: usize, const B: usize> {
    /// Sides of contact i: `side_start[i]..side_start[i + 1]`; their H is scaled, C⁻¹ H.
    pub(super) side_start: Vec<u32>,
    pub(super) sides: Vec<Side<D, B>>,
    pub(super) diagonal: Vec<Matrix<D>>,
    /// What each contact gives way by itself, velocity per impulse and component; empty where nothing does.
    pub(super) compliance: Vec<Vector<D>>,
    /// Sides that act on body b, and their contacts: `body_start[b]..body_start[b + 1]`.
    pub(super) body_start: Vec<u32>,
    pub(super) body_sides: Vec<(u32, u32)>,
    /// Inverse Cholesky factor C⁻¹ of each body's mass.
    pub(super) mass_factor: Vec<SMatrix<f64, B, B>>,
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
        let contacts = contact_start.len() - 1;
        let diagonal = (0..contacts)
            .map(|i| {
                let sides = &sides[contact_start[i] as usize..contact_start[i + 1] as usize];
                let mut W_ii = Matrix::zeros();
                for a in sides {
                    // usually b = a alone; both sides of a contact may also be on one body
                    for b in sides.iter().filter(|b| b.body == a.body) {
                        W_ii += a.H.tr_mul(&b.H);
                    }
                }
                W_ii
            })
            .collect();

        let (body_start, body_sides) = by_body(mass_factor.len(), &contact_start, &sides);
        let compliance = Vec::new();
        Bodies { side_start: contact_start, sides, diagonal, compliance, body_start, body_sides, mass_factor }
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
        let mut sides = Vec::with_capacity(self.sides.len());
        for i in 0..self.diagonal.len() {
            for (j, side) in self.sides_of(i).iter().enumerate() {
                let mut H = SMatrix::<f64, B, L>::zeros();
                H.fixed_view_mut::<B, D>(0, 0).copy_from(&side.H);
                for k in D..L {
                    let torque = couple(i, j, k);
                    let mut wrench = SMatrix::<f64, B, 1>::zeros();
                    wrench.as_mut_slice()[B - torque.len()..].copy_from_slice(&torque);
                    H.set_column(k, &(self.mass_factor[side.body as usize] * wrench));
                }
                sides.push(Side { H, body: side.body });
            }
        }
        let larger = Bodies::from_scaled(self.mass_factor.clone(), self.side_start.clone(), sides);
        let extend = |E: &Vector<D>| Vector::<L>::from_fn(|k, _| if k < D { E[k] } else { 0.0 });
        larger.with_compliance(self.compliance.iter().map(extend).collect())
    }

    /// Normals alone, and of each body the first C degrees of freedom.
    pub(super) fn normals<const C: usize>(&self) -> Bodies<1, C> {
        let side = |side: &Side<D, B>| Side { H: SMatrix::from_fn(|k, _| side.H[(k, 0)]), body: side.body };
        Bodies {
            side_start: self.side_start.clone(),
            sides: self.sides.iter().map(side).collect(),
            diagonal: self.diagonal.iter().map(|W_ii| Matrix::<1>::new(W_ii[(0, 0)])).collect(),
            compliance: self.compliance.iter().map(|E| Vector::<1>::new(E[0])).collect(),
            body_start: self.body_start.clone(),
            body_sides: self.body_sides.clone(),
            mass_factor: self
                .mass_factor
                .iter()
                .map(|factor| SMatrix::from_fn(|i, j| factor[(i, j)]))
                .collect(),
        }
    }

    /// Whether impulses along normals turn any body in space.
    pub(super) fn normals_turn(&self) -> bool {
        self.sides.iter().any(|side| {
            let (way, turn) = side.H.data.0[0].split_at(B.min(3));
            let largest = |part: &[f64]| part.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            largest(turn) > NO_TURN * largest(way)
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
        let contacts = self.side_start.len() - 1;
        let mut wrenches = Vec::with_capacity(self.sides.len() * B * D);
        for contact in 0..contacts {
            for side in self.sides_of(contact) {
                let body = side.body as usize;
                let H = C[body] * side.H;
                for (i, j) in (0..B).flat_map(|i| (0..D).map(move |j| (i, j))).filter(|&ij| H[ij] != 0.0) {
                    wrenches.push(((body * B + i) as u32, (contact * D + j) as u32, H[(i, j)]));
                }
            }
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
            let rows = |side: &Side<D, B>| {
                let (first, H) = (side.body * B as u32, side.H);
                (0..B).map(move |k| (first + k as u32, H.row(k).transpose()))
            };
            let own = self.compliance.get(i).into_iter().flat_map(|E| {
                let row = move |k: usize| {
                    (
                        (of_bodies + i * D + k) as u32,
                        Vector::from_fn(|d, _| if d == k { E[k].sqrt() } else { 0.0 }),
                    )
                };
                (0..D).filter(|&k| E[k] > 0.0).map(row)
            });
            wrenches.push(self.sides_of(i).iter().flat_map(rows).chain(own).collect());
        }
        wrenches
    }

    /// Scaled velocity of body b under the impulses r.
    fn body_velocity(&self, b: usize, r: &[Vector<D>]) -> [f64; B] {
        let mut v = SMatrix::<f64, B, 1>::zeros();
        for &(s, i) in &self.body_sides[self.body_start[b] as usize..self.body_start[b + 1] as usize] {
            v += self.sides[s as usize].H * r[i as usize];
        }
        v.data.0[0]
    }

    #[inline(always)]
    pub(super) fn sides_of(&self, i: usize) -> &[Side<D, B>] {
        &self.sides[self.side_start[i] as usize..self.side_start[i + 1] as usize]
    }

    /// `E_i r_i`: how contact i itself gives way.
    #[inline(always)]
    fn own_velocity(&self, i: usize, r_i: &Vector<D>) -> Vector<D> {
        self.compliance.get(i).map_or_else(Vector::zeros, |E| E.component_mul(r_i))
    }

    /// `Ĥ_iᵀ v̂`.
    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // indices as in the formula
    fn relative_velocity<'a>(&self, i: usize, v: impl Fn(usize) -> &'a [f64; B]) -> Vector<D> {
        // even and odd entries apart: the order in which two vector lanes add them
        let mut pairs = [[0.0; 2]; D];
        for side in self.sides_of(i) {
            let v_body = v(side.body as usize);
            for (pair, column) in pairs.iter_mut().zip(&side.H.data.0) {
                for k in 0..B {
                    pair[k % 2] += column[k] * v_body[k];
                }
            }
        }
        Vector::from_fn(|d, _| pairs[d][0] + pairs[d][1])
    }

    /// Its normal entry alone, to the same bits.
    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // indices as in the formula
    fn normal_velocity_of<'a>(&self, i: usize, v: impl Fn(usize) -> &'a [f64; B]) -> f64 {
        let mut pair = [0.0; 2];
        for side in self.sides_of(i) {
            let v_body = v(side.body as usize);
            for k in 0..B {
                pair[k % 2] += side.H.data.0[0][k] * v_body[k];
            }
        }
        pair[0] + pair[1]
    }
}

/// Sides by body, so that a product can gather instead of scatter: where each body's begin, and `(side, contact)`.
pub(super) fn by_body<const D: usize, const B: usize>(
    bodies: usize,
    side_start: &[u32],
    sides: &[Side<D, B>],
) -> (Vec<u32>, Vec<(u32, u32)>) {
    let mut body_start = vec![0u32; bodies + 1];
    for side in sides {
        body_start[side.body as usize + 1] += 1;
    }
    for b in 0..bodies {
        body_start[b + 1] += body_start[b];
    }
    let mut next = body_start.clone();
    let mut body_sides = vec![(0, 0); sides.len()];
    for i in 0..side_start.len() - 1 {
        for s in side_start[i]..side_start[i + 1] {
            let slot = &mut next[sides[s as usize].body as usize];
            body_sides[*slot as usize] = (s, i as u32);
            *slot += 1;
        }
    }
    (body_start, body_sides)
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
        parallel::fill(v, |b| self.body_velocity(b, r));
        parallel::fill(out, |i| self.relative_velocity(i, |b| &v[b]) + self.own_velocity(i, &r[i]));
    }

    fn apply_onto(&self, r: &[Vector<D>], q: &[Vector<D>], out: &mut [Vector<D>], scratch: &mut [f64]) {
        let (v, _) = scratch.as_chunks_mut::<B>();
        parallel::fill(v, |b| self.body_velocity(b, r));
        parallel::fill(out, |i| self.relative_velocity(i, |b| &v[b]) + self.own_velocity(i, &r[i]) + q[i]);
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
        self.relative_velocity(i, |b| &v[b - part.cells.start].0) + self.own_velocity(i, r_i)
    }

    #[inline(always)]
    fn normal_velocity(&self, v: &[BodyVelocity<B>], part: &Part, i: usize, r_N: f64) -> f64 {
        let own = self.compliance.get(i).map_or(0.0, |E| E[0] * r_N);
        self.normal_velocity_of(i, |b| &v[b - part.cells.start].0) + own
    }

    fn for_moved(&self, i: usize, mut look: impl FnMut(usize)) {
        for side in self.sides_of(i) {
            let b = side.body as usize;
            for &(_, j) in &self.body_sides[self.body_start[b] as usize..self.body_start[b + 1] as usize] {
                look(j as usize);
            }
        }
    }

    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // indices as in the formula
    fn add(&self, v: &mut [BodyVelocity<B>], part: &Part, i: usize, dr: &Vector<D>) {
        for side in self.sides_of(i) {
            // a local copy, stored once: the compiler cannot know that v and H do not overlap
            let cell = &mut v[side.body as usize - part.cells.start].0;
            let mut v_body = *cell;
            for (d, column) in side.H.data.0.iter().enumerate() {
                for k in 0..B {
                    v_body[k] += column[k] * dr[d];
                }
            }
            *cell = v_body;
        }
    }

    #[inline(always)]
    fn extrapolated(v: &BodyVelocity<B>, last: &BodyVelocity<B>, beta: f64) -> BodyVelocity<B> {
        BodyVelocity(std::array::from_fn(|k| v.0[k] + (v.0[k] - last.0[k]) * beta))
    }
}
