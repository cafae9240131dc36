//! Contacts: which bodies are near, where they would touch, and how rough they are there.

mod attraction;
mod interface;
mod material;
mod memory;

pub use attraction::Attraction;
pub(crate) use interface::Losses;
pub use interface::{Bonds, Interface, Strain, Surface, Table};
pub use material::{Material, MaterialError, Materials};
pub use memory::Memory;
pub(crate) use memory::Packed;

use crate::bodies::Bodies;
use crate::many;
use crate::rigid::Rigid;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use stickslip_geometry::broad::{Candidates, Near, Periods};
use stickslip_geometry::pair;
use stickslip_geometry::space::{Dim, Matrix, Pose, Space, Vector};

/// What names a contact from step to step: its bodies, and which of their points it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Key {
    /// The body that the normal leaves.
    pub a: u32,
    /// The body that it enters.
    pub b: u32,
    /// By how many periods the second body is moved; 0 where space does not repeat itself.
    pub image: [i32; 3],
    /// Which point of the pair.
    pub feature: u32,
}

impl Key {
    /// Its bodies, whichever of their points it is.
    pub fn pair(&self) -> (u32, u32, [i32; 3]) {
        (self.a, self.b, self.image)
    }
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
    /// From the centres of both bodies to the point.
    pub arms: [Vector<D>; 2],
    /// Normal, from a to b, and tangents.
    pub frame: Matrix<D>,
    /// Friction and restitution.
    pub material: Material,
    /// Number of its [interface](Interface), if it gives way.
    pub interface: Option<u32>,
}

impl<const D: usize> Contact<D> {
    /// Both bodies: index, the sign of the impulse on it, and the arm of that.
    pub fn sides(&self) -> [(u32, f64, Vector<D>); 2] {
        [(self.key.a, -1.0, self.arms[0]), (self.key.b, 1.0, self.arms[1])]
    }
}

/// What decides on contacts beside shapes.
#[derive(Clone, Copy, Debug)]
pub struct Rules<'a, const D: usize> {
    /// Friction and restitution.
    pub materials: &'a Materials,
    /// Lengths after which space repeats itself.
    pub periods: &'a Periods<D>,
    /// Pairs of bodies that do not touch, the lower index first.
    pub apart: &'a HashSet<(u32, u32)>,
}

/// Pairs that one task looks at.
const CHUNK: usize = 512;

/// Finds the contacts of a world, and remembers which bodies are near.
#[derive(Clone, Debug)]
pub struct Detector<const D: usize> {
    near: Candidates<D>,
    /// A list that is no longer needed: its memory is taken again.
    spare: Vec<Contact<D>>,
}

impl<const D: usize> Default for Detector<D> {
    fn default() -> Self {
        Detector { near: Candidates::default(), spare: Vec::new() }
    }
}

impl<const D: usize> Detector<D>
where
    Dim<D>: Rigid<D>,
{
    /// The contacts of bodies at given poses of their centres, in the order of their keys. A gap may be as wide as the
    /// reaches of both bodies together.
    pub fn detect(
        &mut self,
        bodies: &Bodies<D>,
        poses: &[Pose<D>],
        rules: &Rules<D>,
        reach: &[f64],
    ) -> Vec<Contact<D>> {
        let placed = many::map_indices(bodies.len(), |b| poses[b].of_part(&bodies.offset[b]));
        let bounds = many::map_indices(bodies.len(), |b| bodies.shape[b].bounds(&placed[b]).grown(reach[b]));
        let movable = |body: usize| bodies.is_free(body);
        let near = self.near.update(&bounds, rules.periods, movable);
        let mut contacts = std::mem::take(&mut self.spare);
        contacts.clear();
        contacts.par_extend(near.par_chunks(CHUNK).flat_map_iter(|chunk| {
            let (mut found, mut points) = (Vec::new(), Vec::new());
            for &Near { a, b, image } in chunk {
                let (i, j) = (a as usize, b as usize);
                let way = rules.periods.shift(&image);
                if rules.apart.contains(&(a, b)) || !bounds[i].meets(&bounds[j].moved(&way)) {
                    continue;
                }
                let second = Pose { x: placed[j].x + way, ..placed[j] };
                points.clear();
                let shapes = ((&bodies.shape[i], &placed[i]), (&bodies.shape[j], &second));
                pair::contacts(shapes.0, shapes.1, reach[i] + reach[j], &mut points);
                if points.is_empty() {
                    continue;
                }
                points.sort_by_key(|at| at.feature);
                let material = rules.materials.pair(bodies.material[i], bodies.material[j]);
                let interface = rules.materials.interface_between(bodies.material[i], bodies.material[j]);
                let image = std::array::from_fn(|k| image.get(k).copied().unwrap_or(0));
                found.extend(points.iter().map(|at| {
                    let point = (at.a + at.b) * 0.5;
                    Contact {
                        key: Key { a, b, image, feature: at.feature },
                        gap: at.gap,
                        point,
                        arms: [point - poses[i].x, point - poses[j].x - way],
                        frame: Dim::<D>::frame(&at.normal),
                        material,
                        interface,
                    }
                }));
            }
            found
        }));
        contacts
    }

    /// Takes back a list of contacts that is no longer needed.
    pub fn recycle(&mut self, contacts: Vec<Contact<D>>) {
        self.spare = contacts;
    }
}
