//! What contacts remember from step to step: their impulses, where the next solve starts, and their strains.

use super::{Contact, Key, Materials, Strain};
use crate::assembly::Impulses;
use crate::rigid::Rigid;
use serde::{Deserialize, Serialize};
use stickslip_geometry::space::{Dim, Spin, Vector};

/// Impulses and strains of the last step by contact, in the axes of the world.
#[derive(Clone, Debug)]
pub struct Memory<const D: usize>
where
    Dim<D>: Rigid<D>,
{
    impulses: Vec<(Key, Vector<D>)>,
    /// Of the contacts in the same order, where some resist rolling; otherwise empty.
    couples: Vec<(Key, Spin<D>)>,
    /// Of the contacts that give way.
    strains: Vec<(Key, Strain<D>)>,
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
        known(&self.strains, contacts)
            .map(|(contact, strain)| match (strain, contact.interface) {
                (Some(strain), _) => Strain {
                    elastic: contact.frame.tr_mul(&strain.elastic),
                    plastic: contact.frame.tr_mul(&strain.plastic),
                    ..*strain
                },
                (None, Some(number)) => materials.interface(number).fresh(contact, first_step),
                (None, None) => Strain::default(),
            })
            .collect()
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
        self.strains.iter().map(|(_, strain)| strain.energy).sum()
    }

    /// The step size that the impulses belong to.
    pub fn h(&self) -> f64 {
        self.h
    }

    /// The impulses, in the order of the contacts that were kept.
    pub fn impulses(&self) -> impl Iterator<Item = Vector<D>> {
        self.impulses.iter().map(|(_, impulse)| *impulse)
    }

    /// The strain of a contact, in the axes of the world; `None` where it does not give way.
    pub fn strain(&self, key: &Key) -> Option<&Strain<D>> {
        let place = self.strains.binary_search_by_key(key, |(key, _)| *key).ok()?;
        Some(&self.strains[place].1)
    }

    /// Everything as numbers.
    pub(crate) fn pack(&self) -> Packed {
        let numbers = |strain: &Strain<D>| {
            strain
                .elastic
                .iter()
                .chain(strain.plastic.iter())
                .copied()
                .chain([strain.energy])
                .collect::<Vec<_>>()
        };
        Packed {
            h: self.h,
            keys: self.impulses.iter().map(|(key, _)| *key).collect(),
            impulses: self.impulses.iter().flat_map(|(_, r)| r.iter().copied()).collect(),
            couples: self.couples.iter().flat_map(|(_, couple)| Dim::<D>::components(couple)).collect(),
            strained: self.strains.iter().map(|(key, _)| *key).collect(),
            strains: self.strains.iter().flat_map(|(_, strain)| numbers(strain)).collect(),
            bonded: self.strains.iter().map(|(_, strain)| strain.bonded).collect(),
            bridges: self.bridges.iter().map(|(key, ())| *key).collect(),
        }
    }

    /// The way back; `None` where the counts differ.
    pub(crate) fn unpack(packed: Packed) -> Option<Self> {
        let Packed { h, keys, impulses, couples, strained, strains, bonded, bridges } = packed;
        let turns = Dim::<D>::axes();
        let fits = impulses.len() == D * keys.len()
            && (couples.is_empty() || couples.len() == turns.len() * keys.len())
            && strains.len() == (2 * D + 1) * strained.len()
            && bonded.len() == strained.len();
        let strain = |(numbers, &bonded): (&[f64], &bool)| Strain {
            elastic: Vector::from_column_slice(&numbers[..D]),
            plastic: Vector::from_column_slice(&numbers[D..2 * D]),
            energy: numbers[2 * D],
            bonded,
        };
        fits.then(|| {
            let impulses = impulses.chunks_exact(D).map(Vector::from_column_slice);
            let strains = strains.chunks_exact(2 * D + 1).zip(&bonded).map(strain);
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

    /// Keeps the impulses of a step, and the strains after it, each in the frame of its contact.
    pub fn keep(&mut self, contacts: &[Contact<D>], impulses: &Impulses<D>, strains: &[Strain<D>], h: f64) {
        let Impulses { blocks: r, couples } = impulses;
        self.h = h;
        self.couples.clear();
        self.couples.extend(contacts.iter().zip(couples).map(|(contact, couple)| (contact.key, *couple)));
        self.impulses.clear();
        self.impulses.extend(contacts.iter().zip(r).map(|(contact, r)| (contact.key, contact.frame * r)));
        self.strains.clear();
        let giving = contacts.iter().zip(strains).filter(|(contact, _)| contact.interface.is_some());
        self.strains.extend(giving.map(|(contact, strain)| {
            let elastic = contact.frame * strain.elastic;
            (contact.key, Strain { elastic, plastic: contact.frame * strain.plastic, ..*strain })
        }));
    }
}
