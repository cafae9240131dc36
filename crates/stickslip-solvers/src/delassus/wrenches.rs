//! H by contacts, whatever the form of W: which degrees of freedom a contact moves, and how.

use crate::block::{Matrix, Vector};

/// Rows of H, gathered by contact.
pub(crate) struct Wrenches<const D: usize> {
    /// Degrees of freedom in all.
    pub dofs: usize,
    start: Vec<usize>,
    rows: Vec<(u32, Vector<D>)>,
}

impl<const D: usize> Wrenches<D> {
    /// No contact yet.
    pub fn new(dofs: usize) -> Self {
        Wrenches { dofs, start: vec![0], rows: Vec::new() }
    }

    /// Adds the next contact; rows on the same degree of freedom are added up.
    pub fn push(&mut self, mut rows: Vec<(u32, Vector<D>)>) {
        rows.sort_by_key(|row| row.0);
        rows.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        self.rows.extend(rows);
        self.start.push(self.rows.len());
    }

    /// Degrees of freedom of contact i and its rows of H there.
    pub fn of(&self, i: usize) -> impl Iterator<Item = (usize, &Vector<D>)> + Clone {
        self.rows[self.start[i]..self.start[i + 1]].iter().map(|(dof, h)| (*dof as usize, h))
    }

    /// The contacts that move each degree of freedom.
    pub fn contacts_by_dof(&self) -> Vec<Vec<u32>> {
        let mut contacts = vec![Vec::new(); self.dofs];
        for i in 0..self.start.len() - 1 {
            self.of(i).for_each(|(dof, _)| contacts[dof].push(i as u32));
        }
        contacts
    }

    /// The blocks of `Hᵀ H`.
    pub fn gram(&self) -> Vec<(u32, u32, Matrix<D>)> {
        let contacts_of = self.contacts_by_dof();
        let contacts = self.start.len() - 1;
        let mut entries: Vec<(u32, u32, Matrix<D>)> = Vec::new();
        let mut place = vec![usize::MAX; contacts];
        for i in 0..contacts {
            let first = entries.len();
            for (dof, h) in self.of(i) {
                for &j in &contacts_of[dof] {
                    let slot = &mut place[j as usize];
                    if *slot == usize::MAX || *slot < first {
                        *slot = entries.len();
                        entries.push((i as u32, j, Matrix::zeros()));
                    }
                    let other = self.of(j as usize).find(|&(other, _)| other == dof);
                    if let Some((_, h_j)) = other {
                        entries[*slot].2 += h * h_j.transpose();
                    }
                }
            }
        }
        entries
    }
}
