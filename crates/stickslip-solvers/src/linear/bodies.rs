//! The space of bodies: `(N + H Θ Hᵀ) v = H z`, one unknown a degree of freedom.

use super::factor::Factorised;
use super::{LinearError, inverse, is_symmetric};
use crate::block::{Matrix, Vector};
use crate::delassus::{Delassus, Wrenches};

pub(super) struct BodySpace<const D: usize> {
    H: Wrenches<D>,
    /// N in the order of the pattern.
    N: Vec<f64>,
    matrix: Factorised,
    /// Where the products of rows a and b of contact i go, all contacts in a row.
    place: Vec<u32>,
    A_inverse: Vec<Matrix<D>>,
    Theta: Vec<Matrix<D>>,
}

impl<const D: usize> BodySpace<D> {
    /// `None` where W has no bodies, or fewer contacts than bodies make the other space the smaller one.
    pub fn new(W: &Delassus<D>) -> Option<Self> {
        let (H, N) = W.wrenches()?;
        if D * W.contacts() < H.dofs {
            return None;
        }
        let (column_start, row) = pattern(&H, |dof| N.iter().flat_map(move |N| N.row(dof).map(|(j, _)| j)));
        let matrix = Factorised::new(H.dofs, column_start, row).ok()?;
        let mut N_values = vec![0.0; matrix.values.len()];
        for dof in 0..H.dofs {
            match N {
                None => N_values[matrix.position(dof, dof)?] = 1.0,
                Some(N) => {
                    for (j, x) in N.row(dof) {
                        N_values[matrix.position(dof, j)?] = x;
                    }
                }
            }
        }
        let mut place = Vec::new();
        for i in 0..W.contacts() {
            for (b, _) in H.of(i) {
                for (a, _) in H.of(i) {
                    place.push(matrix.position(a, b)? as u32);
                }
            }
        }
        Some(BodySpace { H, N: N_values, matrix, place, A_inverse: Vec::new(), Theta: Vec::new() })
    }

    pub fn fill(&self) -> usize {
        self.matrix.fill()
    }

    pub fn factorise(&mut self, A: &[Matrix<D>], B: &[Matrix<D>]) -> Result<(), LinearError> {
        self.A_inverse.clear();
        self.Theta.clear();
        for (A, B) in A.iter().zip(B) {
            let A_inverse = inverse(A).ok_or(LinearError::Singular)?;
            self.A_inverse.push(A_inverse);
            self.Theta.push(A_inverse * B);
        }
        let symmetric = self.Theta.iter().all(is_symmetric);
        if symmetric {
            // to the last bit, since only one triangle is read
            self.Theta.iter_mut().for_each(|Theta| *Theta = (*Theta + Theta.transpose()) * 0.5);
        }
        let values = &mut self.matrix.values;
        values.copy_from_slice(&self.N);
        let mut place = self.place.iter();
        for (i, Theta) in self.Theta.iter().enumerate() {
            for (_, b) in self.H.of(i) {
                let Theta_b = Theta * b;
                for (_, a) in self.H.of(i) {
                    if let Some(&k) = place.next() {
                        values[k as usize] += a.dot(&Theta_b);
                    }
                }
            }
        }
        if symmetric { self.matrix.cholesky().or_else(|_| self.matrix.lu()) } else { self.matrix.lu() }
    }

    pub fn solve(&self, f: &[Vector<D>], x: &mut [Vector<D>]) -> Result<(), LinearError> {
        let mut v = vec![0.0; self.H.dofs];
        for i in 0..f.len() {
            x[i] = self.A_inverse[i] * f[i];
            for (dof, h) in self.H.of(i) {
                v[dof] += h.dot(&x[i]);
            }
        }
        self.matrix.solve(&mut v)?;
        for (i, x) in x.iter_mut().enumerate() {
            let u = self.H.of(i).fold(Vector::zeros(), |u: Vector<D>, (dof, h)| u + h * v[dof]);
            *x -= self.Theta[i] * u;
        }
        Ok(())
    }
}

/// Columns of `N + H Θ Hᵀ`: degrees of freedom that share a contact, and those that N joins.
fn pattern<const D: usize, I: Iterator<Item = usize>>(
    H: &Wrenches<D>,
    joined: impl Fn(usize) -> I,
) -> (Vec<usize>, Vec<usize>) {
    let contacts_of = H.contacts_by_dof();
    let (mut column_start, mut row) = (vec![0], Vec::new());
    let mut seen = vec![usize::MAX; H.dofs];
    for (column, contacts) in contacts_of.iter().enumerate() {
        let first = row.len();
        let touching = contacts.iter().flat_map(|&i| H.of(i as usize).map(|(dof, _)| dof));
        for dof in touching.chain([column]).chain(joined(column)) {
            if seen[dof] != column {
                seen[dof] = column;
                row.push(dof);
            }
        }
        row[first..].sort_unstable();
        column_start.push(row.len());
    }
    (column_start, row)
}
