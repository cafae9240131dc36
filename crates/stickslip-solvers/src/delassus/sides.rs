//! How contacts act on bodies: blocks of Ĥ as they are, or, where all bodies are round, the frame and two arms from which
//! the blocks follow, in less than half the memory that a sweep reads.

use crate::block::{Matrix, Vector};
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

impl<const D: usize, const B: usize> Side<D, B> {
    /// Adds `H r` to the velocity of the body.
    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // indices as in the formula
    fn push(&self, r: &Vector<D>, v: &mut [f64; B]) {
        for (d, column) in self.H.data.0.iter().enumerate() {
            for k in 0..B {
                v[k] += column[k] * r[d];
            }
        }
    }
}

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

    /// The impulse r in the axes of the world.
    #[inline(always)]
    fn impulse<const D: usize>(&self, r: &Vector<D>) -> [f64; 3] {
        std::array::from_fn(|k| (0..D).map(|d| self.frame[d][k] * r[d]).sum())
    }
}

/// Sides of all contacts.
#[derive(Debug)]
pub(super) enum Sides<const D: usize, const B: usize> {
    /// Sides of contact i: `start[i]..start[i + 1]`; their H is scaled, C⁻¹ H.
    Blocks { start: Vec<u32>, sides: Vec<Side<D, B>> },
    /// In space; side j of contact i has the number 2i + j.
    Round(Round),
}

/// Contacts of round bodies.
#[derive(Debug)]
pub(super) struct Round {
    pub contacts: Vec<RoundContact>,
    /// 1/√m of each body.
    pub scale: Vec<f64>,
}

impl<const D: usize, const B: usize> Sides<D, B> {
    pub fn contacts(&self) -> usize {
        match self {
            Sides::Blocks { start, .. } => start.len() - 1,
            Sides::Round(round) => round.contacts.len(),
        }
    }

    /// Calls `look` with the number and the body of each side of contact i.
    #[inline]
    pub fn for_bodies(&self, i: usize, mut look: impl FnMut(u32, u32)) {
        match self {
            Sides::Blocks { start, sides } => {
                for s in start[i]..start[i + 1] {
                    look(s, sides[s as usize].body);
                }
            }
            Sides::Round(round) => {
                for (j, &body) in round.contacts[i].bodies.iter().enumerate() {
                    if body != RoundContact::FIXED {
                        look((2 * i + j) as u32, body);
                    }
                }
            }
        }
    }

    /// Calls `look` with each side of contact i as a block.
    pub fn for_blocks(&self, i: usize, mut look: impl FnMut(&Side<D, B>)) {
        match self {
            Sides::Blocks { start, sides } => {
                sides[start[i] as usize..start[i + 1] as usize].iter().for_each(look);
            }
            Sides::Round(round) => (0..2).filter_map(|j| round.block(i, j)).for_each(|side| look(&side)),
        }
    }

    /// All sides as blocks, changed one by one.
    pub fn map<const L: usize, const C: usize>(
        &self,
        change: impl Fn(usize, usize, &Side<D, B>) -> Side<L, C>,
    ) -> Sides<L, C> {
        let mut start = Vec::with_capacity(self.contacts() + 1);
        start.push(0);
        let mut sides = Vec::with_capacity(2 * self.contacts());
        for i in 0..self.contacts() {
            let mut j = 0;
            self.for_blocks(i, |side| {
                sides.push(change(i, j, side));
                j += 1;
            });
            start.push(sides.len() as u32);
        }
        Sides::Blocks { start, sides }
    }

    /// The sides of given contacts, their bodies renumbered.
    pub fn reordered(&self, given: &[(u32, u32)], place: &[u32]) -> Self {
        match self {
            Sides::Blocks { start, sides } => {
                let mut new_start = Vec::with_capacity(start.len());
                new_start.push(0);
                let mut new_sides = Vec::with_capacity(sides.len());
                for &(_, i) in given {
                    for side in &sides[start[i as usize] as usize..start[i as usize + 1] as usize] {
                        new_sides.push(Side { H: side.H, body: place[side.body as usize] });
                    }
                    new_start.push(new_sides.len() as u32);
                }
                Sides::Blocks { start: new_start, sides: new_sides }
            }
            Sides::Round(round) => {
                let mut scale = vec![0.0; round.scale.len()];
                for (&place, &own) in place.iter().zip(&round.scale) {
                    scale[place as usize] = own;
                }
                let body = |b: u32| place.get(b as usize).copied().unwrap_or(RoundContact::FIXED);
                let contacts = given.iter().map(|&(_, i)| {
                    let contact = round.contacts[i as usize];
                    RoundContact { bodies: contact.bodies.map(body), ..contact }
                });
                Sides::Round(Round { contacts: contacts.collect(), scale })
            }
        }
    }

    /// `W_ii = Ĥ_iᵀ Ĥ_i`.
    pub fn diagonal(&self, i: usize) -> Matrix<D> {
        let mut W_ii = Matrix::zeros();
        match self {
            Sides::Blocks { start, sides } => {
                let sides = &sides[start[i] as usize..start[i + 1] as usize];
                for a in sides {
                    // usually b = a alone; both sides of a contact may also be on one body
                    for b in sides.iter().filter(|b| b.body == a.body) {
                        W_ii += a.H.tr_mul(&b.H);
                    }
                }
            }
            Sides::Round(round) => {
                let RoundContact { bodies: [a, b], .. } = round.contacts[i];
                let sides = (0..2).filter_map(|j| round.block::<D, B>(i, j));
                if a == b {
                    let H = sides.map(|side| side.H).sum::<SMatrix<f64, B, D>>();
                    return H.tr_mul(&H);
                }
                sides.for_each(|side| W_ii += side.H.tr_mul(&side.H));
            }
        }
        W_ii
    }

    /// Adds `Ĥ r` of one side to the velocity of its body.
    #[inline(always)]
    pub fn push(&self, side: u32, r: &Vector<D>, v: &mut [f64; B]) {
        match self {
            Sides::Blocks { sides, .. } => sides[side as usize].push(r, v),
            Sides::Round(round) => {
                let contact = &round.contacts[side as usize / 2];
                round.push(contact, side as usize % 2, &contact.impulse(r), v);
            }
        }
    }

    /// `Ĥ_iᵀ v̂`.
    #[inline(always)]
    pub fn velocity<'a>(&self, i: usize, v: impl Fn(usize) -> &'a [f64; B]) -> Vector<D> {
        match self {
            Sides::Blocks { start, sides } => {
                // even and odd entries apart: the order in which two vector lanes add them
                let mut pairs = [[0.0; 2]; D];
                let mut add = |side: &Side<D, B>| {
                    let v_body = v(side.body as usize);
                    for (pair, column) in pairs.iter_mut().zip(&side.H.data.0) {
                        for k in 0..B {
                            pair[k % 2] += column[k] * v_body[k];
                        }
                    }
                };
                match &sides[start[i] as usize..start[i + 1] as usize] {
                    // two bodies as a rule: no loop
                    [first, second] => {
                        add(first);
                        add(second);
                    }
                    sides => sides.iter().for_each(add),
                }
                Vector::from_fn(|d, _| pairs[d][0] + pairs[d][1])
            }
            Sides::Round(round) => {
                let contact = &round.contacts[i];
                let apart = round.parting(contact, v);
                Vector::from_fn(|d, _| dot(&contact.frame[d], &apart))
            }
        }
    }

    /// Its normal entry alone, to the same bits.
    #[inline(always)]
    pub fn normal_velocity<'a>(&self, i: usize, v: impl Fn(usize) -> &'a [f64; B]) -> f64 {
        match self {
            Sides::Blocks { start, sides } => {
                let mut pair = [0.0; 2];
                for side in &sides[start[i] as usize..start[i + 1] as usize] {
                    let v_body = v(side.body as usize);
                    for k in 0..B {
                        pair[k % 2] += side.H.data.0[0][k] * v_body[k];
                    }
                }
                pair[0] + pair[1]
            }
            Sides::Round(round) => {
                let contact = &round.contacts[i];
                dot(&contact.frame[0], &round.parting(contact, v))
            }
        }
    }

    /// Adds `Ĥ_i dr` to the velocities of the bodies, which `velocity` finds.
    #[inline(always)]
    pub fn push_all<Cell>(
        &self,
        i: usize,
        dr: &Vector<D>,
        cells: &mut [Cell],
        velocity: impl for<'c> Fn(&'c mut [Cell], usize) -> &'c mut [f64; B],
    ) {
        match self {
            Sides::Blocks { start, sides } => {
                let mut push = |side: &Side<D, B>| {
                    // a local copy, stored once: the compiler cannot know that v and H do not overlap
                    let slot = velocity(cells, side.body as usize);
                    let mut v = *slot;
                    side.push(dr, &mut v);
                    *slot = v;
                };
                match &sides[start[i] as usize..start[i + 1] as usize] {
                    [first, second] => {
                        push(first);
                        push(second);
                    }
                    sides => sides.iter().for_each(push),
                }
            }
            Sides::Round(round) => {
                let contact = &round.contacts[i];
                let impulse = contact.impulse(dr);
                for (j, &body) in contact.bodies.iter().enumerate() {
                    if body != RoundContact::FIXED {
                        let slot = velocity(cells, body as usize);
                        let mut v = *slot;
                        round.push(contact, j, &impulse, &mut v);
                        *slot = v;
                    }
                }
            }
        }
    }
}

/// The first body of a contact is pushed back.
const SIGNS: [f64; 2] = [-1.0, 1.0];

impl Round {
    /// Adds what an impulse does to body j of a contact.
    #[inline(always)]
    fn push<const B: usize>(&self, contact: &RoundContact, j: usize, impulse: &[f64; 3], v: &mut [f64; B]) {
        let own = impulse.map(|p| SIGNS[j] * p);
        let scale = self.scale[contact.bodies[j] as usize];
        let turn = cross(&contact.arms[j], &own);
        let v: &mut [f64; 6] = v.first_chunk_mut().expect("round bodies are in space");
        for k in 0..3 {
            v[k] += scale * own[k];
            v[k + 3] += turn[k];
        }
    }

    /// How the bodies of a contact part there, in the axes of the world.
    #[inline(always)]
    fn parting<'a, const B: usize>(
        &self,
        contact: &RoundContact,
        v: impl Fn(usize) -> &'a [f64; B],
    ) -> [f64; 3] {
        let mut apart = [0.0; 3];
        for (j, &body) in contact.bodies.iter().enumerate() {
            if body != RoundContact::FIXED {
                let scale = self.scale[body as usize];
                let v: &[f64; 6] = v(body as usize).first_chunk().expect("round bodies are in space");
                let swing = cross(&[v[3], v[4], v[5]], &contact.arms[j]);
                for k in 0..3 {
                    apart[k] += SIGNS[j] * (scale * v[k] + swing[k]);
                }
            }
        }
        apart
    }

    /// Side j of contact i as a block.
    fn block<const D: usize, const B: usize>(&self, i: usize, j: usize) -> Option<Side<D, B>> {
        let contact = &self.contacts[i];
        let body = contact.bodies[j];
        let column = |d: usize| {
            let mut v = [0.0; B];
            self.push(contact, j, &contact.frame[d], &mut v);
            v
        };
        (body != RoundContact::FIXED).then(|| Side {
            H: SMatrix::from_data(nalgebra::ArrayStorage(std::array::from_fn(column))),
            body,
        })
    }
}

#[inline(always)]
fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn cross(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::super::{Bodies, Operator, Part, Rows};
    use super::*;

    /// Three round bodies, a floor and a contact of a body with itself, as frames and arms and as blocks.
    fn both() -> [Bodies<3, 6>; 2] {
        let roots = [[1.0, 2.0], [0.5, 0.7], [3.0, 0.2]];
        let frame = |turn: f64| {
            let (s, c) = turn.sin_cos();
            [[c, s, 0.0], [-0.6 * s, 0.6 * c, 0.8], [0.8 * s, -0.8 * c, 0.6]]
        };
        let fixed = RoundContact::FIXED;
        let contacts: Vec<RoundContact> = [[0, 1], [2, 1], [fixed, 0], [2, fixed], [1, 1]]
            .into_iter()
            .enumerate()
            .map(|(i, bodies)| {
                let x = 0.3 + i as f64;
                RoundContact { frame: frame(x), arms: [[x, -0.2, 0.5], [0.1, x * x, -x]], bodies }
            })
            .collect();
        let round = Bodies::of_round(&roots, contacts);
        let Sides::Blocks { start, sides } = round.sides.map(|_, _, side| side.clone()) else {
            unreachable!()
        };
        let blocks = Bodies::from_scaled(round.mass_factor.clone(), start, sides);
        [round, blocks]
    }

    #[test]
    fn frames_and_arms_act_as_their_blocks() {
        let [round, blocks] = both();
        let r: Vec<Vector<3>> =
            (0..5).map(|i| Vector::<3>::new(1.0 + i as f64, (i as f64).sin(), 0.5 - i as f64)).collect();
        let product = |W: &Bodies<3, 6>| {
            let mut out = vec![Vector::<3>::zeros(); r.len()];
            W.apply(&r, &mut out, &mut vec![0.0; W.scratch()]);
            out
        };
        for (i, (u, wanted)) in product(&round).iter().zip(product(&blocks)).enumerate() {
            assert!((u - wanted).norm() < 1e-13 * wanted.norm(), "contact {i}");
            assert!((round.diagonal(i) - blocks.diagonal(i)).norm() < 1e-14 * blocks.diagonal(i).norm());
        }
        let part = Part::whole(5, 3);
        let [mut cells, mut wanted_cells] = [round.start(&r), blocks.start(&r)];
        for (i, r_i) in r.iter().enumerate() {
            let u = round.velocity(&cells, &part, i, r_i);
            let wanted = blocks.velocity(&wanted_cells, &part, i, r_i);
            assert!((u - wanted).norm() < 1e-12 * wanted.norm(), "contact {i}");
            assert_eq!(u[0], round.normal_velocity(&cells, &part, i, r_i[0]));
            round.add(&mut cells, &part, i, &-r_i);
            blocks.add(&mut wanted_cells, &part, i, &-r_i);
        }
        // all impulses taken back: at rest
        let rest = round.velocity(&cells, &part, 0, &r[0]);
        assert!(rest.norm() < 1e-12, "{rest}");
    }

    #[test]
    fn contacts_and_bodies_in_another_order() {
        let [round, blocks] = both();
        let given = [(0, 3), (0, 1), (0, 4), (0, 0), (0, 2)];
        let (round, blocks) =
            (round.sides.reordered(&given, &[2, 0, 1]), blocks.sides.reordered(&given, &[2, 0, 1]));
        for i in 0..5 {
            let of = |sides: &Sides<3, 6>| {
                let mut found = Vec::new();
                sides.for_blocks(i, |side| found.push((side.body, side.H)));
                found
            };
            assert_eq!(of(&round), of(&blocks), "contact {i}");
        }
    }
}
