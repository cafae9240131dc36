//! Contacts of round bodies in space: frame and arms, or the normal alone, from which the blocks of Ĥ follow.

use super::sides::{Acting, Side};
use crate::block::{Matrix, Vector};
use crate::parallel;
use nalgebra::{ArrayStorage, SMatrix};

/// A contact in space of one or two bodies, each with the same moment of inertia J about all axes.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct RoundContact {
    /// Normal and tangents.
    pub frame: [[f64; 3]; 3],
    /// From the centre of each body to the contact, times 1/√J.
    pub arms: [[f64; 3]; 2],
    /// The body that impulses push back, and the one that they push; [`FIXED`](Self::FIXED) where it cannot move.
    pub bodies: [u32; 2],
}

impl RoundContact {
    /// In place of a body that cannot move.
    pub const FIXED: u32 = u32::MAX;
}

/// Of such a contact what impulses along its normal need, where these turn no body.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct NormalContact {
    pub normal: [f64; 3],
    pub bodies: [u32; 2],
}

/// How a contact acts on round bodies of 1/√m = `scale`.
pub(super) trait Acts: Copy + Sync {
    /// The body that impulses push back, and the one that they push.
    fn bodies(&self) -> [u32; 2];

    fn with_bodies(self, bodies: [u32; 2]) -> Self;

    /// Normal or tangent.
    fn axis(&self, d: usize) -> &[f64; 3];

    /// Adds what an impulse on body j, in the axes of the world, does to its velocity.
    fn push<const B: usize>(&self, j: usize, scale: f64, impulse: &[f64; 3], v: &mut [f64; B]);

    /// How body j moves at the contact, in the axes of the world.
    fn motion<const B: usize>(&self, j: usize, scale: f64, v: &[f64; B]) -> [f64; 3];
}

impl Acts for RoundContact {
    #[inline(always)]
    fn bodies(&self) -> [u32; 2] {
        self.bodies
    }

    fn with_bodies(self, bodies: [u32; 2]) -> Self {
        RoundContact { bodies, ..self }
    }

    #[inline(always)]
    fn axis(&self, d: usize) -> &[f64; 3] {
        &self.frame[d]
    }

    #[inline(always)]
    fn push<const B: usize>(&self, j: usize, scale: f64, impulse: &[f64; 3], v: &mut [f64; B]) {
        let turn = cross(&self.arms[j], impulse);
        let v: &mut [f64; 6] = v.first_chunk_mut().expect("round bodies are in space");
        for k in 0..3 {
            v[k] += scale * impulse[k];
            v[k + 3] += turn[k];
        }
    }

    #[inline(always)]
    fn motion<const B: usize>(&self, j: usize, scale: f64, v: &[f64; B]) -> [f64; 3] {
        let v: &[f64; 6] = v.first_chunk().expect("round bodies are in space");
        let swing = cross(&[v[3], v[4], v[5]], &self.arms[j]);
        std::array::from_fn(|k| scale * v[k] + swing[k])
    }
}

impl Acts for NormalContact {
    #[inline(always)]
    fn bodies(&self) -> [u32; 2] {
        self.bodies
    }

    fn with_bodies(self, bodies: [u32; 2]) -> Self {
        NormalContact { bodies, ..self }
    }

    #[inline(always)]
    fn axis(&self, _d: usize) -> &[f64; 3] {
        &self.normal
    }

    #[inline(always)]
    fn push<const B: usize>(&self, _j: usize, scale: f64, impulse: &[f64; 3], v: &mut [f64; B]) {
        let v: &mut [f64; 3] = v.first_chunk_mut().expect("centres are in space");
        for k in 0..3 {
            v[k] += scale * impulse[k];
        }
    }

    #[inline(always)]
    fn motion<const B: usize>(&self, _j: usize, scale: f64, v: &[f64; B]) -> [f64; 3] {
        let v: &[f64; 3] = v.first_chunk().expect("centres are in space");
        v.map(|v| scale * v)
    }
}

/// Contacts of round bodies; side j of contact i has the number 2i + j.
#[derive(Debug)]
pub(super) struct Round<C> {
    pub contacts: Vec<C>,
    /// 1/√m of each body.
    pub scale: Vec<f64>,
}

/// The first body of a contact is pushed back.
const SIGNS: [f64; 2] = [-1.0, 1.0];

impl<C: Acts> Round<C> {
    pub fn contacts(&self) -> usize {
        self.contacts.len()
    }

    /// Calls `look` with the number and the body of each side of contact i.
    #[inline]
    pub fn for_bodies(&self, i: usize, mut look: impl FnMut(u32, u32)) {
        for (j, body) in self.contacts[i].bodies().into_iter().enumerate() {
            if body != RoundContact::FIXED {
                look((2 * i + j) as u32, body);
            }
        }
    }

    /// Calls `look` with each side of contact i as a block.
    pub fn for_blocks<const D: usize, const B: usize>(&self, i: usize, mut look: impl FnMut(&Side<D, B>)) {
        (0..2).filter_map(|j| self.block(i, j)).for_each(|side| look(&side));
    }

    /// Given contacts, their bodies renumbered.
    pub fn reordered(&self, given: &[(u32, u32)], place: &[u32]) -> Self {
        let mut scale = vec![0.0; self.scale.len()];
        for (&place, &own) in place.iter().zip(&self.scale) {
            scale[place as usize] = own;
        }
        let body = |b: u32| place.get(b as usize).copied().unwrap_or(RoundContact::FIXED);
        let contacts = given.iter().map(|&(_, i)| {
            let contact = self.contacts[i as usize];
            contact.with_bodies(contact.bodies().map(body))
        });
        Round { contacts: contacts.collect(), scale }
    }

    /// `W_ii = Ĥ_iᵀ Ĥ_i`.
    pub fn diagonal<const D: usize, const B: usize>(&self, i: usize) -> Matrix<D> {
        let sides = (0..2).filter_map(|j| self.block::<D, B>(i, j));
        let [a, b] = self.contacts[i].bodies();
        if a == b {
            let H = sides.map(|side| side.H).sum::<SMatrix<f64, B, D>>();
            return H.tr_mul(&H);
        }
        sides.map(|side| side.H.tr_mul(&side.H)).sum()
    }

    /// Adds `Ĥ r` of one side to the velocity of its body.
    #[inline(always)]
    pub fn push<const D: usize, const B: usize>(&self, side: u32, r: &Vector<D>, v: &mut [f64; B]) {
        let contact = &self.contacts[side as usize / 2];
        self.push_one(contact, side as usize % 2, &impulse(contact, r), v);
    }

    /// `Ĥ_iᵀ v̂`.
    #[inline(always)]
    pub fn velocity<'a, const D: usize, const B: usize>(
        &self,
        i: usize,
        v: impl Fn(usize) -> &'a [f64; B],
    ) -> Vector<D> {
        let contact = &self.contacts[i];
        let apart = self.parting(contact, v);
        Vector::from_fn(|d, _| dot(contact.axis(d), &apart))
    }

    /// Its normal entry alone, to the same bits.
    #[inline(always)]
    pub fn normal_velocity<'a, const B: usize>(&self, i: usize, v: impl Fn(usize) -> &'a [f64; B]) -> f64 {
        let contact = &self.contacts[i];
        dot(contact.axis(0), &self.parting(contact, v))
    }

    /// Adds `Ĥ_i dr` to the velocities of the bodies, which `velocity` finds.
    #[inline(always)]
    pub fn push_all<const D: usize, const B: usize, Cell>(
        &self,
        i: usize,
        dr: &Vector<D>,
        cells: &mut [Cell],
        velocity: impl for<'c> Fn(&'c mut [Cell], usize) -> &'c mut [f64; B],
    ) {
        let contact = &self.contacts[i];
        let impulse = impulse(contact, dr);
        for (j, body) in contact.bodies().into_iter().enumerate() {
            if body != RoundContact::FIXED {
                let slot = velocity(cells, body as usize);
                let mut v = *slot;
                self.push_one(contact, j, &impulse, &mut v);
                *slot = v;
            }
        }
    }

    /// Adds what an impulse does to body j of a contact.
    #[inline(always)]
    fn push_one<const B: usize>(&self, contact: &C, j: usize, impulse: &[f64; 3], v: &mut [f64; B]) {
        let scale = self.scale[contact.bodies()[j] as usize];
        contact.push(j, scale, &impulse.map(|p| SIGNS[j] * p), v);
    }

    /// How the bodies of a contact part there, in the axes of the world.
    #[inline(always)]
    fn parting<'a, const B: usize>(&self, contact: &C, v: impl Fn(usize) -> &'a [f64; B]) -> [f64; 3] {
        let mut apart = [0.0; 3];
        for (j, body) in contact.bodies().into_iter().enumerate() {
            if body != RoundContact::FIXED {
                let motion = contact.motion(j, self.scale[body as usize], v(body as usize));
                for k in 0..3 {
                    apart[k] += SIGNS[j] * motion[k];
                }
            }
        }
        apart
    }

    /// Side j of contact i as a block.
    fn block<const D: usize, const B: usize>(&self, i: usize, j: usize) -> Option<Side<D, B>> {
        let contact = &self.contacts[i];
        let body = contact.bodies()[j];
        let column = |d: usize| {
            let mut v = [0.0; B];
            self.push_one(contact, j, contact.axis(d), &mut v);
            v
        };
        (body != RoundContact::FIXED)
            .then(|| Side { H: SMatrix::from_data(ArrayStorage(std::array::from_fn(column))), body })
    }
}

impl Round<RoundContact> {
    /// The normals alone, of bodies that these do not turn.
    pub fn normals(&self) -> Round<NormalContact> {
        let normal =
            |contact: &RoundContact| NormalContact { normal: contact.frame[0], bodies: contact.bodies };
        let contacts = parallel::map(self.contacts.len(), |i| normal(&self.contacts[i]));
        Round { contacts, scale: self.scale.clone() }
    }
}

impl<const D: usize, const B: usize, C: Acts> Acting<D, B> for Round<C> {
    #[inline(always)]
    fn velocity_at(&self, i: usize, v: &[[f64; B]]) -> Vector<D> {
        let contact = &self.contacts[i];
        // the number of a body that cannot move is none of theirs
        let motion =
            |j: usize, body: u32| v.get(body as usize).map_or([0.0; 3], |v| contact.motion(j, 1.0, v));
        let [a, b] = contact.bodies();
        let (a, b) = (motion(0, a), motion(1, b));
        let apart = std::array::from_fn(|k| b[k] - a[k]);
        Vector::from_fn(|d, _| dot(contact.axis(d), &apart))
    }

    #[inline(always)]
    fn push_side(&self, side: u32, r: &Vector<D>, push: &mut [f64; B]) {
        let (contact, j) = (&self.contacts[side as usize / 2], side as usize % 2);
        contact.push(j, 1.0, &impulse(contact, r).map(|p| SIGNS[j] * p), push);
    }

    #[inline(always)]
    fn push_within(&self, i: usize, r: &Vector<D>, low: usize, reach: &mut [[f64; B]]) {
        let contact = &self.contacts[i];
        let impulse = impulse(contact, r);
        for (j, body) in contact.bodies().into_iter().enumerate() {
            if let Some(push) = reach.get_mut((body as usize).wrapping_sub(low)) {
                contact.push(j, 1.0, &impulse.map(|p| SIGNS[j] * p), push);
            }
        }
    }

    /// 1/m along the axes of the world; arms are scaled by the moment of inertia already.
    #[inline(always)]
    fn mobility(&self, b: usize) -> [f64; B] {
        let linear = self.scale[b] * self.scale[b];
        std::array::from_fn(|k| if k < 3 { linear } else { 1.0 })
    }
}

/// The impulse r of a contact in the axes of the world.
#[inline(always)]
fn impulse<const D: usize>(contact: &impl Acts, r: &Vector<D>) -> [f64; 3] {
    std::array::from_fn(|k| (0..D).map(|d| contact.axis(d)[k] * r[d]).sum())
}

#[inline(always)]
fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn cross(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
