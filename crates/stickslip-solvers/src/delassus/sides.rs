//! How contacts act on bodies: blocks of Ĥ as they are, or, where all bodies are round, what the blocks follow from, in less
//! than half the memory that a sweep reads.

use super::round::{NormalContact, Round, RoundContact};
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

    /// Adds `Hᵀ v`, even and odd entries apart.
    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // indices as in the formula
    fn pull(&self, v: &[f64; B], pairs: &mut [[f64; 2]; D]) {
        for (pair, column) in pairs.iter_mut().zip(&self.H.data.0) {
            for k in 0..B {
                pair[k % 2] += column[k] * v[k];
            }
        }
    }
}

/// Sides of all contacts.
#[derive(Debug)]
pub(super) enum Sides<const D: usize, const B: usize> {
    /// Any bodies.
    Blocks(Blocks<D, B>),
    /// Round bodies in space.
    Round(Round<RoundContact>),
    /// Their centres alone, under impulses along normals.
    Normals(Round<NormalContact>),
}

/// Sides as they are.
#[derive(Debug)]
pub(super) struct Blocks<const D: usize, const B: usize> {
    /// Sides of contact i: `start[i]..start[i + 1]`; their H is scaled, C⁻¹ H.
    pub start: Vec<u32>,
    pub sides: Vec<Side<D, B>>,
}

/// The same expression of whichever sides there are.
macro_rules! of_sides {
    ($sides:expr, $own:ident => $value:expr) => {
        match $sides {
            $crate::delassus::sides::Sides::Blocks($own) => $value,
            $crate::delassus::sides::Sides::Round($own) => $value,
            $crate::delassus::sides::Sides::Normals($own) => $value,
        }
    };
}
pub(super) use of_sides;

/// How contacts act on bodies whose pushes are summed first: `p = H r`, then `v = N p` with one number a degree of freedom,
/// then `u = Hᵀ v`, where `W = Hᵀ N H`.
pub(super) trait Acting<const D: usize, const B: usize>: Sync {
    /// `(Hᵀ v)_i`.
    fn velocity_at(&self, i: usize, v: &[[f64; B]]) -> Vector<D>;

    /// Adds what one side of a contact does with its impulse r.
    fn push_side(&self, side: u32, r: &Vector<D>, push: &mut [f64; B]);

    /// The same of all sides of contact i on bodies within reach, the first of which has the number `low`.
    fn push_within(&self, i: usize, r: &Vector<D>, low: usize, reach: &mut [[f64; B]]);

    /// N of body b.
    fn mobility(&self, b: usize) -> [f64; B];
}

impl<const D: usize, const B: usize> Sides<D, B> {
    pub fn contacts(&self) -> usize {
        of_sides!(self, sides => sides.contacts())
    }

    /// Calls `look` with the number and the body of each side of contact i.
    #[inline]
    pub fn for_bodies(&self, i: usize, look: impl FnMut(u32, u32)) {
        of_sides!(self, sides => sides.for_bodies(i, look));
    }

    /// Calls `look` with each side of contact i as a block.
    pub fn for_blocks(&self, i: usize, look: impl FnMut(&Side<D, B>)) {
        of_sides!(self, sides => sides.for_blocks(i, look));
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
        Sides::Blocks(Blocks { start, sides })
    }

    /// The sides of given contacts, their bodies renumbered.
    pub fn reordered(&self, given: &[(u32, u32)], place: &[u32]) -> Self {
        match self {
            Sides::Blocks(sides) => Sides::Blocks(sides.reordered(given, place)),
            Sides::Round(sides) => Sides::Round(sides.reordered(given, place)),
            Sides::Normals(sides) => Sides::Normals(sides.reordered(given, place)),
        }
    }

    /// `W_ii = Ĥ_iᵀ Ĥ_i`.
    pub fn diagonal(&self, i: usize) -> Matrix<D> {
        match self {
            Sides::Blocks(sides) => sides.diagonal(i),
            Sides::Round(sides) => sides.diagonal::<D, B>(i),
            Sides::Normals(sides) => sides.diagonal::<D, B>(i),
        }
    }

    /// Adds `Ĥ r` of one side to the velocity of its body.
    #[inline(always)]
    pub fn push(&self, side: u32, r: &Vector<D>, v: &mut [f64; B]) {
        of_sides!(self, sides => sides.push(side, r, v));
    }

    /// `Ĥ_iᵀ v̂`.
    #[inline(always)]
    pub fn velocity<'a>(&self, i: usize, v: impl Fn(usize) -> &'a [f64; B]) -> Vector<D> {
        of_sides!(self, sides => sides.velocity(i, v))
    }

    /// Its normal entry alone, to the same bits.
    #[inline(always)]
    pub fn normal_velocity<'a>(&self, i: usize, v: impl Fn(usize) -> &'a [f64; B]) -> f64 {
        of_sides!(self, sides => sides.normal_velocity(i, v))
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
        of_sides!(self, sides => sides.push_all(i, dr, cells, velocity));
    }
}

impl<const D: usize, const B: usize> Blocks<D, B> {
    fn contacts(&self) -> usize {
        self.start.len() - 1
    }

    #[inline(always)]
    fn of(&self, i: usize) -> &[Side<D, B>] {
        &self.sides[self.start[i] as usize..self.start[i + 1] as usize]
    }

    #[inline]
    fn for_bodies(&self, i: usize, mut look: impl FnMut(u32, u32)) {
        for s in self.start[i]..self.start[i + 1] {
            look(s, self.sides[s as usize].body);
        }
    }

    fn for_blocks(&self, i: usize, look: impl FnMut(&Side<D, B>)) {
        self.of(i).iter().for_each(look);
    }

    fn reordered(&self, given: &[(u32, u32)], place: &[u32]) -> Self {
        let mut start = Vec::with_capacity(self.start.len());
        start.push(0);
        let mut sides = Vec::with_capacity(self.sides.len());
        for &(_, i) in given {
            for side in self.of(i as usize) {
                sides.push(Side { H: side.H, body: place[side.body as usize] });
            }
            start.push(sides.len() as u32);
        }
        Blocks { start, sides }
    }

    fn diagonal(&self, i: usize) -> Matrix<D> {
        let mut W_ii = Matrix::zeros();
        for a in self.of(i) {
            // usually b = a alone; both sides of a contact may also be on one body
            for b in self.of(i).iter().filter(|b| b.body == a.body) {
                W_ii += a.H.tr_mul(&b.H);
            }
        }
        W_ii
    }

    #[inline(always)]
    fn push(&self, side: u32, r: &Vector<D>, v: &mut [f64; B]) {
        self.sides[side as usize].push(r, v);
    }

    #[inline(always)]
    fn velocity<'a>(&self, i: usize, v: impl Fn(usize) -> &'a [f64; B]) -> Vector<D> {
        // even and odd entries apart: the order in which two vector lanes add them
        let mut pairs = [[0.0; 2]; D];
        match self.of(i) {
            // two bodies as a rule: no loop
            [first, second] => {
                first.pull(v(first.body as usize), &mut pairs);
                second.pull(v(second.body as usize), &mut pairs);
            }
            sides => sides.iter().for_each(|side| side.pull(v(side.body as usize), &mut pairs)),
        }
        Vector::from_fn(|d, _| pairs[d][0] + pairs[d][1])
    }

    #[inline(always)]
    fn normal_velocity<'a>(&self, i: usize, v: impl Fn(usize) -> &'a [f64; B]) -> f64 {
        let mut pair = [0.0; 2];
        for side in self.of(i) {
            let v_body = v(side.body as usize);
            for k in 0..B {
                pair[k % 2] += side.H.data.0[0][k] * v_body[k];
            }
        }
        pair[0] + pair[1]
    }

    #[inline(always)]
    fn push_all<Cell>(
        &self,
        i: usize,
        dr: &Vector<D>,
        cells: &mut [Cell],
        velocity: impl for<'c> Fn(&'c mut [Cell], usize) -> &'c mut [f64; B],
    ) {
        let mut push = |side: &Side<D, B>| {
            // a local copy, stored once: the compiler cannot know that v and H do not overlap
            let slot = velocity(cells, side.body as usize);
            let mut v = *slot;
            side.push(dr, &mut v);
            *slot = v;
        };
        match self.of(i) {
            [first, second] => {
                push(first);
                push(second);
            }
            sides => sides.iter().for_each(push),
        }
    }
}

impl<const D: usize, const B: usize> Acting<D, B> for Blocks<D, B> {
    #[inline(always)]
    fn velocity_at(&self, i: usize, v: &[[f64; B]]) -> Vector<D> {
        self.velocity(i, |body| &v[body])
    }

    #[inline(always)]
    fn push_side(&self, side: u32, r: &Vector<D>, push: &mut [f64; B]) {
        self.push(side, r, push);
    }

    #[inline(always)]
    fn push_within(&self, i: usize, r: &Vector<D>, low: usize, reach: &mut [[f64; B]]) {
        for side in self.of(i) {
            if let Some(push) = reach.get_mut((side.body as usize).wrapping_sub(low)) {
                side.push(r, push);
            }
        }
    }

    /// H is scaled by the mass already.
    #[inline(always)]
    fn mobility(&self, _b: usize) -> [f64; B] {
        [1.0; B]
    }
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
        let Sides::Blocks(Blocks { start, sides }) = round.sides.map(|_, _, side| side.clone()) else {
            unreachable!()
        };
        let blocks = Bodies::from_scaled(round.mass_factor.clone(), start, sides);
        [round, blocks]
    }

    fn assert_act_alike<const D: usize, const B: usize>([round, blocks]: [Bodies<D, B>; 2]) {
        let entry = |i: usize, d: usize| (1.0 + i as f64) * (0.7 * d as f64 + 0.3).cos();
        let r: Vec<Vector<D>> = (0..5).map(|i| Vector::<D>::from_fn(|d, _| entry(i, d))).collect();
        let product = |W: &Bodies<D, B>| {
            let mut out = vec![Vector::<D>::zeros(); r.len()];
            W.apply(&r, &mut out, &mut vec![0.0; W.scratch()]);
            out
        };
        for (i, (u, wanted)) in product(&round).iter().zip(product(&blocks)).enumerate() {
            assert!((u - wanted).norm() <= 1e-13 * wanted.norm(), "contact {i}");
            assert!((round.diagonal(i) - blocks.diagonal(i)).norm() <= 1e-14 * blocks.diagonal(i).norm());
        }
        let part = Part::whole(5, 3);
        let [mut cells, mut wanted_cells] = [round.start(&r), blocks.start(&r)];
        for (i, r_i) in r.iter().enumerate() {
            let u = round.velocity(&cells, &part, i, r_i);
            let wanted = blocks.velocity(&wanted_cells, &part, i, r_i);
            assert!((u - wanted).norm() <= 1e-12 * wanted.norm(), "contact {i}");
            assert_eq!(u[0], round.normal_velocity(&cells, &part, i, r_i[0]));
            round.add(&mut cells, &part, i, &-r_i);
            blocks.add(&mut wanted_cells, &part, i, &-r_i);
        }
        // all impulses taken back: at rest
        let rest = round.velocity(&cells, &part, 0, &r[0]);
        assert!(rest.norm() < 1e-12, "{rest}");
    }

    fn assert_alike_in_another_order<const D: usize, const B: usize>([round, blocks]: [Bodies<D, B>; 2]) {
        let given = [(0, 3), (0, 1), (0, 4), (0, 0), (0, 2)];
        let (round, blocks) =
            (round.sides.reordered(&given, &[2, 0, 1]), blocks.sides.reordered(&given, &[2, 0, 1]));
        for i in 0..5 {
            let of = |sides: &Sides<D, B>| {
                let mut found = Vec::new();
                sides.for_blocks(i, |side| found.push((side.body, side.H)));
                found
            };
            assert_eq!(of(&round), of(&blocks), "contact {i}");
        }
    }

    #[test]
    fn frames_and_arms_act_as_their_blocks() {
        assert_act_alike(both());
        assert_alike_in_another_order(both());
    }

    #[test]
    fn normals_alone_act_as_their_blocks() {
        let normals = || both().map(|W| W.normals::<3>());
        assert!(matches!(normals()[0].sides, Sides::Normals(_)));
        assert_act_alike(normals());
        assert_alike_in_another_order(normals());
    }
}
