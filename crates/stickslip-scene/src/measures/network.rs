//! The network of contacts that carry a force.

use stickslip::rigid::Rigid;
use stickslip::{BodyId, World};
use stickslip_geometry::space::{Dim, Matrix};

/// Contacts that carry a force, by body: pairs count once, however many points they touch in.
pub fn coordination<const D: usize>(world: &World<D>, group: &[BodyId]) -> f64
where
    Dim<D>: Rigid<D>,
{
    let inside = members(world, group);
    let mut pairs: Vec<(u32, u32, [i32; 3])> = world
        .contacts()
        .filter(|(_, r)| r.norm() > 0.0)
        .map(|(contact, _)| (contact.key.a, contact.key.b, contact.key.image))
        .collect();
    pairs.dedup();
    let ends =
        |&(a, b, _): &(u32, u32, [i32; 3])| usize::from(inside[a as usize]) + usize::from(inside[b as usize]);
    pairs.iter().map(ends).sum::<usize>() as f64 / group.len().max(1) as f64
}

/// Mean of n ⊗ n over the contacts of a group that carry a force; 0 without one.
pub fn fabric<const D: usize>(world: &World<D>, group: &[BodyId]) -> Matrix<D>
where
    Dim<D>: Rigid<D>,
{
    let inside = members(world, group);
    let (mut sum, mut count) = (Matrix::<D>::zeros(), 0usize);
    for (contact, r) in world.contacts() {
        if r.norm() > 0.0 && (inside[contact.key.a as usize] || inside[contact.key.b as usize]) {
            let n = contact.frame.column(0);
            sum += n * n.transpose();
            count += 1;
        }
    }
    sum / count.max(1) as f64
}

/// Whether each body of the world belongs to a group.
fn members<const D: usize>(world: &World<D>, group: &[BodyId]) -> Vec<bool>
where
    Dim<D>: Rigid<D>,
{
    let mut inside = vec![false; world.bodies().len()];
    group.iter().for_each(|body| inside[body.index()] = true);
    inside
}
