//! Contacts: which bodies are near, where they would touch, and how rough they are there.

mod material;

pub use material::{Material, MaterialError, Materials};

use crate::bodies::Bodies;
use crate::rigid::Rigid;
use std::collections::HashSet;
use stickslip_geometry::broad::{Candidates, Near, Periods};
use stickslip_geometry::pair;
use stickslip_geometry::space::{Dim, Matrix, Pose, Space, Vector};

/// What names a contact from step to step: its bodies, and which of their points it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// The body that the normal leaves.
    pub a: u32,
    /// The body that it enters.
    pub b: u32,
    /// Which point of the pair.
    pub feature: u32,
}

/// A contact of two bodies, or one that may come about in a step.
#[derive(Clone, Copy, Debug)]
pub struct Contact<const D: usize> {
    /// Its name.
    pub key: Key,
    /// Distance along the normal; negative for an overlap.
    pub gap: f64,
    /// Half-way between the points on both bodies.
    pub point: Vector<D>,
    /// Normal, from a to b, and tangents.
    pub frame: Matrix<D>,
    /// Friction and restitution.
    pub material: Material,
}

/// Finds the contacts of a world, and remembers which bodies are near.
#[derive(Clone, Debug)]
pub struct Detector<const D: usize> {
    near: Candidates<D>,
}

impl<const D: usize> Default for Detector<D> {
    fn default() -> Self {
        Detector { near: Candidates::default() }
    }
}

impl<const D: usize> Detector<D>
where
    Dim<D>: Rigid<D>,
{
    /// The contacts of bodies at given poses of their centres, in the order of their keys. A gap may be as wide as the
    /// reaches of both bodies together. Pairs that are `apart`, the lower index first, do not touch.
    pub fn detect(
        &mut self,
        bodies: &Bodies<D>,
        poses: &[Pose<D>],
        materials: &Materials,
        reach: &[f64],
        apart: &HashSet<(u32, u32)>,
    ) -> Vec<Contact<D>> {
        let placed: Vec<Pose<D>> =
            poses.iter().zip(&bodies.offset).map(|(pose, at)| pose.of_part(at)).collect();
        let bounds: Vec<_> =
            (0..bodies.len()).map(|b| bodies.shape[b].bounds(&placed[b]).grown(reach[b])).collect();
        let movable = |body: usize| bodies.is_free(body);
        let mut contacts = Vec::new();
        let mut points = Vec::new();
        for &Near { a, b, .. } in self.near.update(&bounds, &Periods::default(), movable) {
            if apart.contains(&(a.min(b), a.max(b))) {
                continue;
            }
            let (i, j) = (a as usize, b as usize);
            points.clear();
            let (first, second) = ((&bodies.shape[i], &placed[i]), (&bodies.shape[j], &placed[j]));
            pair::contacts(first, second, reach[i] + reach[j], &mut points);
            let material = materials.pair(bodies.material[i], bodies.material[j]);
            contacts.extend(points.iter().map(|point| Contact {
                key: Key { a, b, feature: point.feature },
                gap: point.gap,
                point: (point.a + point.b) * 0.5,
                frame: Dim::<D>::frame(&point.normal),
                material,
            }));
        }
        contacts.sort_by_key(|contact| contact.key);
        contacts
    }
}

/// Impulses of the last step by contact, in the axes of the world: where the next solve starts.
#[derive(Clone, Debug)]
pub struct Memory<const D: usize> {
    impulses: Vec<(Key, Vector<D>)>,
    /// Step size they belong to: forces last, impulses are forces times a step.
    h: f64,
}

impl<const D: usize> Default for Memory<D> {
    fn default() -> Self {
        Memory { impulses: Vec::new(), h: 1.0 }
    }
}

impl<const D: usize> Memory<D> {
    /// The impulses of the last step at those contacts that there still are, for a step of size h; contacts come in the
    /// order of their keys.
    pub fn recall(&self, contacts: &[Contact<D>], h: f64) -> Vec<Vector<D>> {
        let scale = h / self.h;
        let mut known = self.impulses.iter().peekable();
        contacts
            .iter()
            .map(|contact| {
                while known.next_if(|(key, _)| *key < contact.key).is_some() {}
                match known.next_if(|(key, _)| *key == contact.key) {
                    Some((_, impulse)) => contact.frame.tr_mul(impulse) * scale,
                    None => Vector::zeros(),
                }
            })
            .collect()
    }

    /// Keeps the impulses of a step.
    pub fn keep(&mut self, contacts: &[Contact<D>], r: &[Vector<D>], h: f64) {
        self.h = h;
        self.impulses.clear();
        self.impulses.extend(contacts.iter().zip(r).map(|(contact, r)| (contact.key, contact.frame * r)));
    }
}
