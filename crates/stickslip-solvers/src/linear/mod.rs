//! Linear systems of Newton's methods: `(A + B W) x = f`, A and B block diagonal, one block a contact.
//!
//! ```text
//! bodies     W = Hᵀ N⁻¹ H:   Θ = A⁻¹B,  z = A⁻¹f,  (N + H Θ Hᵀ) v = H z,  x = z − Θ Hᵀ v
//! contacts   A + B W assembled
//! ```
//!
//! N is the identity where W is factored by bodies (H scaled by the masses) and M where the mass is sparse. The space
//! with fewer unknowns is taken; bodies need every A_i invertible. Symmetric systems (Θ symmetric, or B = I over a
//! symmetric W and A) go through a Cholesky factorisation, the others through LU. Patterns and symbolic factors belong to W and
//! are kept. Where the factor would hold too many numbers, GMRES with the diagonal blocks as preconditioner takes
//! over. One step of iterative refinement repairs what a tiny A costs.

mod bodies;
mod contacts;
mod factor;
mod krylov;

use crate::block::{Matrix, Vector, solve_dense};
use crate::delassus::Delassus;
use bodies::BodySpace;
use contacts::ContactSpace;
use std::sync::Arc;

/// Numbers that a factor may hold: 400 MB.
const MOST_FILL: usize = 50_000_000;
/// Relative residual asked of GMRES.
const KRYLOV_TOLERANCE: f64 = 1e-10;
/// Asymmetry of a block that is rounding.
const ROUNDING: f64 = 1e-12;

/// A linear system without a solution to be had.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub(crate) enum LinearError {
    #[error("the Newton matrix is singular")]
    Singular,
    #[error("the Newton matrix does not fit into memory")]
    OutOfMemory,
    #[error("GMRES did not converge on the Newton system")]
    NotConverged,
}

/// `(A + B W) x = f` for one W; A and B may change.
pub(crate) struct NewtonSystem<const D: usize> {
    W: Arc<Delassus<D>>,
    space: Space<D>,
    A: Vec<Matrix<D>>,
    B: Vec<Matrix<D>>,
}

enum Space<const D: usize> {
    Bodies(BodySpace<D>),
    Contacts(ContactSpace<D>),
    /// Inverses of the diagonal blocks A_i + B_i W_ii.
    Krylov(Vec<Matrix<D>>),
}

impl<const D: usize> NewtonSystem<D> {
    /// Chooses the space and factorises the pattern.
    pub fn new(W: &Arc<Delassus<D>>) -> Self {
        let fits = |fill: usize| fill <= MOST_FILL;
        let by_bodies = BodySpace::new(W).filter(|space| fits(space.fill())).map(Space::Bodies);
        let by_contacts = || ContactSpace::new(W).filter(|space| fits(space.fill())).map(Space::Contacts);
        let space = by_bodies.or_else(by_contacts).unwrap_or_else(|| Space::Krylov(Vec::new()));
        NewtonSystem { W: W.clone(), space, A: Vec::new(), B: Vec::new() }
    }

    /// The system of W, made afresh only where W is another one.
    pub fn of<'a>(cache: &'a mut Option<Self>, W: &Arc<Delassus<D>>) -> &'a mut Self {
        if !cache.as_ref().is_some_and(|system| Arc::ptr_eq(&system.W, W)) {
            *cache = Some(Self::new(W));
        }
        cache.get_or_insert_with(|| Self::new(W))
    }

    /// Takes A and B and factorises.
    pub fn factorise(&mut self, A: &[Matrix<D>], B: &[Matrix<D>]) -> Result<(), LinearError> {
        self.A.clear();
        self.A.extend_from_slice(A);
        self.B.clear();
        self.B.extend_from_slice(B);
        match &mut self.space {
            Space::Bodies(space) => space.factorise(A, B),
            Space::Contacts(space) => space.factorise(A, B),
            Space::Krylov(inverses) => {
                inverses.clear();
                for (i, (A, B)) in A.iter().zip(B).enumerate() {
                    inverses.push(inverse(&(A + B * self.W.diagonal(i))).ok_or(LinearError::Singular)?);
                }
                Ok(())
            }
        }
    }

    /// `x` with `(A + B W) x = f`, refined once.
    pub fn solve(&self, f: &[Vector<D>], x: &mut [Vector<D>]) -> Result<(), LinearError> {
        self.solve_plain(f, x)?;
        if matches!(self.space, Space::Krylov(_)) {
            return Ok(());
        }
        let mut rest = self.apply(x);
        rest.iter_mut().zip(f).for_each(|(rest, f)| *rest = f - *rest);
        let mut correction = vec![Vector::zeros(); x.len()];
        self.solve_plain(&rest, &mut correction)?;
        x.iter_mut().zip(&correction).for_each(|(x, correction)| *x += correction);
        Ok(())
    }

    /// The same without refinement, for matrices of moderate condition.
    pub fn solve_plain(&self, f: &[Vector<D>], x: &mut [Vector<D>]) -> Result<(), LinearError> {
        match &self.space {
            Space::Bodies(space) => space.solve(f, x),
            Space::Contacts(space) => space.solve(f, x),
            Space::Krylov(inverses) => self.solve_by_krylov(inverses, f, x),
        }
    }

    fn solve_by_krylov(
        &self,
        inverses: &[Matrix<D>],
        f: &[Vector<D>],
        x: &mut [Vector<D>],
    ) -> Result<(), LinearError> {
        let mut b = vec![0.0; f.len() * D];
        write(f, &mut b);
        let K = |x: &[f64], out: &mut [f64]| write(&self.apply(&blocks(x)), out);
        let P = |x: &[f64], out: &mut [f64]| {
            let Px: Vec<_> = blocks::<D>(x).iter().zip(inverses).map(|(x, inverse)| inverse * x).collect();
            write(&Px, out);
        };
        krylov::gmres(&mut b, KRYLOV_TOLERANCE, K, P)?;
        x.copy_from_slice(&blocks(&b));
        Ok(())
    }

    /// `(A + B W) x`.
    fn apply(&self, x: &[Vector<D>]) -> Vec<Vector<D>> {
        let mut Wx = vec![Vector::zeros(); x.len()];
        self.W.product().apply(x, &mut Wx);
        (0..x.len()).map(|i| self.A[i] * x[i] + self.B[i] * Wx[i]).collect()
    }
}

fn blocks<const D: usize>(x: &[f64]) -> Vec<Vector<D>> {
    x.chunks_exact(D).map(Vector::from_column_slice).collect()
}

fn write<const D: usize>(x: &[Vector<D>], out: &mut [f64]) {
    out.chunks_exact_mut(D).zip(x).for_each(|(out, x)| out.copy_from_slice(x.as_slice()));
}

/// The inverse, unless A is singular.
fn inverse<const D: usize>(A: &Matrix<D>) -> Option<Matrix<D>> {
    let mut inverse = Matrix::<D>::zeros();
    for j in 0..D {
        let mut e = Vector::zeros();
        e[j] = 1.0;
        inverse.set_column(j, &solve_dense(*A, e)?);
    }
    Some(inverse)
}

fn is_symmetric<const D: usize>(A: &Matrix<D>) -> bool {
    (A - A.transpose()).amax() <= ROUNDING * A.amax()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delassus::SparseMass;
    use crate::sparse::Sparse;
    use nalgebra::{DMatrix, DVector};

    /// Numbers in (−1, 1), the same on every machine.
    fn random(k: usize) -> f64 {
        2.0 * ((k as f64 + 1.0) * 0.754_877_666_246_692_7).fract() - 1.0
    }

    /// Bodies in a chain, each contact between a body and the one before it, two contacts a body.
    fn forms<const D: usize>(bodies: usize, contacts: usize) -> Vec<(&'static str, Delassus<D>)> {
        let B = if D == 3 { 6 } else { 3 };
        let mass: Vec<_> = (0..bodies * B).map(|k| (k as u32, k as u32, 2.0 + random(k))).collect();
        let mut entries = Vec::new();
        for i in 0..contacts {
            for body in [i % bodies, (i + 1) % bodies] {
                for k in 0..B * D {
                    let value = random(7 * i * B * D + 3 * k + body);
                    entries.push(((body * B + k / D) as u32, (i * D + k % D) as u32, value));
                }
            }
        }
        let M = Sparse::from_triplets(bodies * B, bodies * B, &mass);
        let H = Sparse::from_triplets(bodies * B, contacts * D, &entries);
        let by_mass = SparseMass::new(&M, &H).unwrap();
        let W = dense(&Delassus::<D>::factored(&M, &H).unwrap());
        let all: Vec<_> =
            (0..W.len()).map(|k| ((k % W.nrows()) as u32, (k / W.nrows()) as u32, W[k])).collect();
        let stored = Delassus::stored(&Sparse::from_triplets(W.nrows(), W.ncols(), &all)).unwrap();
        let by_bodies = Delassus::factored(&M, &H).unwrap();
        vec![("bodies", by_bodies), ("sparse mass", Delassus::SparseMass(by_mass)), ("stored", stored)]
    }

    fn dense<const D: usize>(W: &Delassus<D>) -> DMatrix<f64> {
        let n = D * W.contacts();
        let mut full = DMatrix::zeros(n, n);
        let mut column = vec![Vector::<D>::zeros(); W.contacts()];
        for j in 0..n {
            let mut e = vec![Vector::zeros(); W.contacts()];
            e[j / D][j % D] = 1.0;
            W.product().apply(&e, &mut column);
            (0..n).for_each(|i| full[(i, j)] = column[i / D][i % D]);
        }
        full
    }

    fn check<const D: usize>(bodies: usize, contacts: usize, symmetric: bool, krylov: bool) {
        let block = |i: usize, shift: f64, seed: usize| {
            let X = Matrix::<D>::from_fn(|k, l| 0.4 * random(seed + 31 * i + 5 * k + l));
            let X = if symmetric { X * X.transpose() } else { X };
            X + Matrix::identity() * shift
        };
        let A: Vec<_> = (0..contacts).map(|i| block(i, 1.0, 1)).collect();
        let one = Matrix::identity();
        let B: Vec<_> = (0..contacts).map(|i| if symmetric { one } else { block(i, 0.7, 2) }).collect();
        let f: Vec<_> = (0..contacts).map(|i| Vector::<D>::from_fn(|k, _| random(90 + i * D + k))).collect();
        for (name, W) in forms::<D>(bodies, contacts) {
            let full = dense(&W);
            let n = D * contacts;
            let diagonal = |blocks: &[Matrix<D>]| {
                DMatrix::from_fn(
                    n,
                    n,
                    |i, j| if i / D == j / D { blocks[i / D][(i % D, j % D)] } else { 0.0 },
                )
            };
            let K = diagonal(&A) + diagonal(&B) * full;
            let expected = K.lu().solve(&DVector::from_fn(n, |i, _| f[i / D][i % D])).unwrap();
            let mut system = NewtonSystem::new(&Arc::new(W));
            if krylov {
                system.space = Space::Krylov(Vec::new());
            }
            // twice: the second time the symbolic factors are at hand
            for _ in 0..2 {
                let mut x = vec![Vector::zeros(); contacts];
                system.factorise(&A, &B).unwrap();
                system.solve(&f, &mut x).unwrap();
                let off = (0..n).map(|i| (x[i / D][i % D] - expected[i]).abs()).fold(0.0, f64::max);
                let case = format!("D = {D}, {name}, krylov {krylov}, symmetric {symmetric}");
                assert!(off < 1e-8 * expected.amax(), "{case}: off by {off:e}");
            }
        }
    }

    fn check_all<const D: usize>() {
        for symmetric in [true, false] {
            for krylov in [true, false] {
                check::<D>(3, 8, symmetric, krylov); // more contacts than bodies
                check::<D>(6, 4, symmetric, krylov); // and fewer
                check::<D>(1, 12, symmetric, krylov); // W far from full rank
            }
        }
    }

    #[test]
    fn solutions_match_dense_ones_in_every_form() {
        check_all::<1>();
        check_all::<2>();
        check_all::<3>();
    }

    #[test]
    fn a_singular_matrix_is_an_error() {
        for (name, W) in forms::<2>(2, 6) {
            let mut system = NewtonSystem::new(&Arc::new(W));
            let zero = vec![Matrix::zeros(); 6];
            let mut x = vec![Vector::zeros(); 6];
            let f = vec![Vector::<2>::new(1.0, 2.0); 6];
            let solved = system.factorise(&zero, &zero).and_then(|()| system.solve(&f, &mut x));
            assert!(solved.is_err(), "{name}: {x:?}");
        }
    }
}
