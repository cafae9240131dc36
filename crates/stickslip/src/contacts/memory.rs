//! What contacts remember from step to step: their impulses, where the next solve starts, and their strains.

use super::{Contact, Key, Materials, Strain};
use crate::assembly::Impulses;
use crate::many;
use crate::rigid::Rigid;
use serde::{Deserialize, Serialize};
use stickslip_geometry::space::{Dim, Matrix, Space, Spin, Vector};

/// Impulses, in the axes of the world, and strains of the last step by contact.
#[derive(Clone, Debug)]
pub struct Memory<const D: usize>
where
    Dim<D>: Rigid<D>,
{
    impulses: Vec<(Key, Vector<D>)>,
    /// Of the contacts in the same order, where some resist rolling; otherwise empty.
    couples: Vec<(Key, Spin<D>)>,
    /// Of the contacts that give way.
    strains: Vec<(Key, Kept<D>)>,
    /// Contacts that touched, or have a bridge, where materials pull at each other.
    bridges: Vec<(Key, ())>,
    /// Step size the impulses belong to: forces last, impulses are forces times a step.
    h: f64,
}

impl<const D: usize> Default for Memory<D>
where
    Dim<D>: Rigid<D>,
{
    fn default() -> Self {
        Memory { impulses: Vec::new(), couples: Vec::new(), strains: Vec::new(), bridges: Vec::new(), h: 1.0 }
    }
}

/// A strain, with the place and the frame in which it was.
#[derive(Clone, Copy, Debug)]
struct Kept<const D: usize> {
    strain: Strain<D>,
    frame: Matrix<D>,
    arms: [Vector<D>; 2],
    gap: f64,
}

/// Normals further apart than this are those of another contact: 1 + cos of the angle.
const OPPOSITE: f64 = 1e-3;
/// A contact of the same bodies under another name goes on with the strain of one that was this near, by its arms.
const NEAR: f64 = 0.1;

impl<const D: usize> Kept<D>
where
    Dim<D>: Rigid<D>,
{
    /// The strain after a step. Tangents turn about the normal as both bodies do on average.
    fn new(contact: &Contact<D>, strain: &Strain<D>, turn: &Spin<D>) -> Self {
        let normal = contact.frame.column(0).into_owned();
        let mut frame = contact.frame;
        for k in 1..D {
            let tangent = contact.frame.column(k).into_owned();
            let way = Dim::<D>::swing(turn, &tangent);
            frame.set_column(k, &(tangent + way - normal * normal.dot(&way)).normalize());
        }
        Kept { strain: *strain, frame, arms: contact.arms, gap: contact.gap }
    }

    /// The strain in the frame of the contact as it stands now.
    fn at(&self, contact: &Contact<D>) -> Strain<D> {
        let carried = |way: &Vector<D>| carried(way, &self.frame, &contact.frame);
        Strain {
            elastic: carried(&self.strain.elastic),
            plastic: carried(&self.strain.plastic),
            ..self.strain
        }
    }

    /// How far it was from where a contact is, by the arms of that; bodies move little in a step.
    fn distance(&self, contact: &Contact<D>) -> f64 {
        let part = |k: usize| (self.arms[k] - contact.arms[k]).norm() / contact.arms[k].norm();
        part(0).min(part(1))
    }

    fn numbers(&self) -> Vec<f64> {
        let Strain { elastic, plastic, opened, crushed, energy, bonded: _ } = &self.strain;
        let vectors = [elastic, plastic, &self.arms[0], &self.arms[1]];
        let vectors = vectors.into_iter().flat_map(|vector| vector.iter().copied());
        vectors.chain(self.frame.iter().copied()).chain([*opened, *crushed, *energy, self.gap]).collect()
    }

    /// How many these are.
    const NUMBERS: usize = 4 * D + D * D + 4;

    fn of_numbers(numbers: &[f64], bonded: bool) -> Self {
        let vector = |k: usize| Vector::from_column_slice(&numbers[k * D..(k + 1) * D]);
        let rest = &numbers[4 * D + D * D..];
        let strain = Strain {
            elastic: vector(0),
            plastic: vector(1),
            opened: rest[0],
            crushed: rest[1],
            energy: rest[2],
            bonded,
        };
        let frame = Matrix::from_column_slice(&numbers[4 * D..4 * D + D * D]);
        Kept { strain, frame, arms: [vector(2), vector(3)], gap: rest[3] }
    }
}

/// A way in the frame of a contact that has turned since: what is along the normal stays so, the rest turns as the normal did.
fn carried<const D: usize>(way: &Vector<D>, from: &Matrix<D>, to: &Matrix<D>) -> Vector<D> {
    let mut slip = *way;
    slip[0] = 0.0;
    let mut slip = from * slip;
    let (before, now) = (from.column(0), to.column(0));
    let below = 1.0 + before.dot(&now);
    if below > OPPOSITE {
        slip -= (before + now) * (now.dot(&slip) / below);
    }
    let mut way_now = to.tr_mul(&slip);
    way_now[0] = way[0];
    way_now
}

/// A memory as numbers.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Packed {
    h: f64,
    keys: Vec<Key>,
    impulses: Vec<f64>,
    couples: Vec<f64>,
    strained: Vec<Key>,
    strains: Vec<f64>,
    bonded: Vec<bool>,
    bridges: Vec<Key>,
}

/// What is known of each contact; both lists come in the order of their keys.
fn known<'a, T, const D: usize>(
    list: &'a [(Key, T)],
    contacts: &'a [Contact<D>],
) -> impl Iterator<Item = (&'a Contact<D>, Option<&'a T>)> {
    let mut list = list.iter().peekable();
    contacts.iter().map(move |contact| {
        while list.next_if(|(key, _)| *key < contact.key).is_some() {}
        (contact, list.next_if(|(key, _)| *key == contact.key).map(|(_, value)| value))
    })
}

impl<const D: usize> Memory<D>
where
    Dim<D>: Rigid<D>,
{
    /// The impulses of the last step at those contacts that there still are, for a step of size h; contacts come in the
    /// order of their keys.
    pub fn recall(&self, contacts: &[Contact<D>], h: f64) -> Vec<Vector<D>> {
        let scale = h / self.h;
        known(&self.impulses, contacts)
            .map(|(contact, impulse)| match impulse {
                Some(impulse) => contact.frame.tr_mul(impulse) * scale,
                None => Vector::zeros(),
            })
            .collect()
    }

    /// The couples of the last step, likewise; empty where there were none.
    pub fn recall_couples(&self, contacts: &[Contact<D>], h: f64) -> Vec<Spin<D>> {
        if self.couples.is_empty() {
            return Vec::new();
        }
        let scale = h / self.h;
        let known = known(&self.couples, contacts);
        known.map(|(_, couple)| couple.map_or_else(Spin::<D>::default, |couple| *couple * scale)).collect()
    }

    /// The strains of contacts that give way, each in the frame of its contact; empty where none does. Before the first
    /// step some contacts are bonded.
    pub fn recall_strains(
        &self,
        contacts: &[Contact<D>],
        materials: &Materials,
        first_step: bool,
    ) -> Vec<Strain<D>> {
        if contacts.iter().all(|contact| contact.interface.is_none()) {
            return Vec::new();
        }
        let mut kept: Vec<Option<&Kept<D>>> = known(&self.strains, contacts).map(|(_, kept)| kept).collect();
        if kept.iter().flatten().count() < self.strains.len() {
            self.find_renamed(contacts, &mut kept);
        }
        let strain = |(contact, kept): (&Contact<D>, Option<&Kept<D>>)| match (kept, contact.interface) {
            (Some(kept), _) => kept.at(contact),
            (None, Some(number)) => materials.interface(number).fresh(contact, first_step),
            (None, None) => Strain::default(),
        };
        contacts.iter().zip(kept).map(strain).collect()
    }

    /// Finds strains whose contact has another name now, as where a corner slides over an edge: the nearest of the same bodies.
    fn find_renamed<'a>(&'a self, contacts: &[Contact<D>], kept: &mut [Option<&'a Kept<D>>]) {
        let is_lost = |key| contacts.binary_search_by_key(key, |contact| contact.key).is_err();
        // in the order of their keys; each is found once
        let lost: Vec<&(Key, Kept<D>)> = self.strains.iter().filter(|(key, _)| is_lost(key)).collect();
        let mut found = vec![false; lost.len()];
        for (contact, slot) in contacts.iter().zip(kept) {
            if slot.is_some() || contact.interface.is_none() {
                continue;
            }
            let own = contact.key.pair();
            let first = lost.partition_point(|(key, _)| key.pair() < own);
            let of_pair = (first..lost.len()).take_while(|&place| lost[place].0.pair() == own);
            let near =
                of_pair.filter(|&place| !found[place]).map(|place| (place, lost[place].1.distance(contact)));
            if let Some((place, distance)) = near.min_by(|a, b| a.1.total_cmp(&b.1))
                && distance < NEAR
            {
                found[place] = true;
                *slot = Some(&lost[place].1);
            }
        }
    }

    /// Which contacts touched in the last step or have a bridge.
    pub fn recall_bridges(&self, contacts: &[Contact<D>]) -> Vec<bool> {
        known(&self.bridges, contacts).map(|(_, bridge)| bridge.is_some()).collect()
    }

    /// Keeps which contacts are bridged.
    pub fn keep_bridges(&mut self, contacts: &[Contact<D>], bridged: impl Fn(usize) -> bool) {
        self.bridges.clear();
        let kept = contacts.iter().enumerate().filter(|(k, _)| bridged(*k));
        self.bridges.extend(kept.map(|(_, contact)| (contact.key, ())));
    }

    /// Elastic energy of all contacts.
    pub fn energy(&self) -> f64 {
        self.strains.iter().map(|(_, kept)| kept.strain.energy).sum()
    }

    /// The contacts that hold however wide they have opened, and over which gaps: bonds, and those that keep what they opened.
    pub fn spans(&self) -> impl Iterator<Item = (&Key, f64)> {
        let spanning =
            self.strains.iter().filter(|(_, Kept { strain, .. })| strain.bonded || strain.plastic[0] > 0.0);
        spanning.map(|(key, kept)| (key, kept.gap))
    }

    /// The step size that the impulses belong to.
    pub fn h(&self) -> f64 {
        self.h
    }

    /// The impulses, in the order of the contacts that were kept.
    pub fn impulses(&self) -> impl Iterator<Item = Vector<D>> {
        self.impulses.iter().map(|(_, impulse)| *impulse)
    }

    /// The strain of a contact, in its frame; `None` where it does not give way.
    pub fn strain(&self, key: &Key) -> Option<&Strain<D>> {
        let place = self.strains.binary_search_by_key(key, |(key, _)| *key).ok()?;
        Some(&self.strains[place].1.strain)
    }

    /// Everything as numbers.
    pub(crate) fn pack(&self) -> Packed {
        Packed {
            h: self.h,
            keys: self.impulses.iter().map(|(key, _)| *key).collect(),
            impulses: self.impulses.iter().flat_map(|(_, r)| r.iter().copied()).collect(),
            couples: self.couples.iter().flat_map(|(_, couple)| Dim::<D>::components(couple)).collect(),
            strained: self.strains.iter().map(|(key, _)| *key).collect(),
            strains: self.strains.iter().flat_map(|(_, kept)| kept.numbers()).collect(),
            bonded: self.strains.iter().map(|(_, kept)| kept.strain.bonded).collect(),
            bridges: self.bridges.iter().map(|(key, ())| *key).collect(),
        }
    }

    /// The way back; `None` where the counts differ.
    pub(crate) fn unpack(packed: Packed) -> Option<Self> {
        let Packed { h, keys, impulses, couples, strained, strains, bonded, bridges } = packed;
        let turns = Dim::<D>::axes();
        let fits = impulses.len() == D * keys.len()
            && (couples.is_empty() || couples.len() == turns.len() * keys.len())
            && strains.len() == Kept::<D>::NUMBERS * strained.len()
            && bonded.len() == strained.len();
        fits.then(|| {
            let impulses = impulses.chunks_exact(D).map(Vector::from_column_slice);
            let strains = strains.chunks_exact(Kept::<D>::NUMBERS).zip(&bonded);
            let strains = strains.map(|(numbers, &bonded)| Kept::of_numbers(numbers, bonded));
            let couple = |numbers: &[f64]| {
                turns.iter().zip(numbers).fold(Spin::<D>::default(), |sum, (axis, &x)| sum + *axis * x)
            };
            let couples = couples.chunks_exact(turns.len()).map(couple);
            Memory {
                couples: keys.iter().copied().zip(couples).collect(),
                impulses: keys.into_iter().zip(impulses).collect(),
                bridges: bridges.into_iter().map(|key| (key, ())).collect(),
                strains: strained.into_iter().zip(strains).collect(),
                h,
            }
        })
    }

    /// Keeps the impulses of a step, and the strains after it, each in the frame of its contact; `turn` tells how both
    /// bodies of a contact turned on average.
    pub fn keep(
        &mut self,
        contacts: &[Contact<D>],
        impulses: &Impulses<D>,
        strains: &[Strain<D>],
        h: f64,
        turn: impl Fn(&Contact<D>) -> Spin<D>,
    ) {
        let Impulses { blocks: r, couples } = impulses;
        self.h = h;
        self.couples.clear();
        self.couples.extend(contacts.iter().zip(couples).map(|(contact, couple)| (contact.key, *couple)));
        many::refill(&mut self.impulses, contacts.len(), |k| (contacts[k].key, contacts[k].frame * r[k]));
        self.strains.clear();
        let giving = contacts.iter().zip(strains).filter(|(contact, _)| contact.interface.is_some());
        let kept = |(contact, strain): (&Contact<D>, &Strain<D>)| {
            (contact.key, Kept::new(contact, strain, &turn(contact)))
        };
        self.strains.extend(giving.map(kept));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contacts::Material;
    use stickslip_geometry::space::{Spin, Vector};

    fn contact(frame: Matrix<3>, feature: u32, arm: f64) -> Contact<3> {
        let arms = [Vector::<3>::new(arm, 1.0, 0.0), Vector::<3>::new(arm, -1.0, 0.0)];
        Contact {
            key: Key { a: 1, b: 2, image: [0; 3], feature },
            gap: 0.0,
            point: Vector::zeros(),
            arms,
            frame,
            material: Material::default(),
            interface: Some(0),
        }
    }

    /// Normal and tangents turned about the third axis, then tangents about the normal.
    fn frame(turn: f64, twist: f64) -> Matrix<3> {
        let ((s, c), (sin, cos)) = (turn.sin_cos(), twist.sin_cos());
        let (normal, along, up) =
            (Vector::<3>::new(c, s, 0.0), Vector::<3>::new(-s, c, 0.0), Vector::<3>::z());
        Matrix::<3>::from_columns(&[normal, along * cos + up * sin, up * cos - along * sin])
    }

    #[test]
    fn what_is_along_the_normal_stays_so_and_the_rest_turns_with_it() {
        let way = Vector::<3>::new(0.3, 0.5, -0.2);
        for turn in [0.0, 0.1, 1.0, -2.0] {
            // the frame is not that of the turn alone: tangents of the new one are turned by 0.7
            let now = carried(&way, &frame(0.0, 0.0), &frame(turn, 0.7));
            let wanted = frame(turn, 0.7).transpose() * frame(turn, 0.0) * way;
            assert!((now - wanted).norm() < 1e-15, "{turn}: {now}");
        }
    }

    #[test]
    fn tangents_turn_about_the_normal_with_the_bodies() {
        let strain = Strain { plastic: Vector::<3>::new(0.1, 1.0, 0.0), ..Strain::default() };
        let twist = 1e-3;
        // about the normal, and about another axis, which moves the normal and is seen there
        let turn: Spin<3> = Vector::<3>::new(twist, 0.0, 0.5);
        let kept = Kept::new(&contact(frame(0.0, 0.0), 0, 1.0), &strain, &turn);
        let now = kept.at(&contact(frame(0.0, 0.0), 0, 1.0)).plastic;
        assert!((now - Vector::<3>::new(0.1, 1.0, twist)).norm() < 2.0 * twist * twist, "{now}");
    }

    #[test]
    fn a_renamed_contact_goes_on_with_the_nearest_of_its_pair_and_each_is_taken_once() {
        let strain = |x: f64| Strain { plastic: Vector::<3>::new(0.0, x, 0.0), ..Strain::default() };
        let before = [contact(frame(0.0, 0.0), 3, 1.0), contact(frame(0.0, 0.0), 5, 2.0)];
        let mut memory = Memory::default();
        let impulses = vec![Vector::zeros(); 2].into();
        memory.keep(&before, &impulses, &[strain(1.0), strain(2.0)], 1.0, |_| Spin::<3>::default());
        let mut materials = Materials::default();
        materials.define_interface("", "", Default::default()).unwrap();
        let mut other = contact(frame(0.0, 0.0), 4, 1.0);
        other.key.b = 7;
        let now = [
            contact(frame(0.0, 0.0), 0, 2.01),
            contact(frame(0.0, 0.0), 1, 1.01),
            contact(frame(0.0, 0.0), 2, 1.02),
            other,
        ];
        let found: Vec<f64> =
            memory.recall_strains(&now, &materials, false).iter().map(|strain| strain.plastic[1]).collect();
        assert_eq!(found, [2.0, 1.0, 0.0, 0.0]);
    }
}
