//! The network of contacts that carry a force.

use stickslip::contacts::Contact;
use stickslip::packings::Region;
use stickslip::rigid::Rigid;
use stickslip::{BodyId, World};
use stickslip_geometry::space::{Dim, Matrix, Vector};

/// Which contacts are looked at: those of a group, and in a region if there is one.
pub struct Choice<const D: usize> {
    pub group: Vec<BodyId>,
    pub region: Option<Region<D>>,
}

impl<const D: usize> Choice<D>
where
    Dim<D>: Rigid<D>,
{
    /// The contacts that carry a force, with the impulse on their second body.
    pub fn contacts<'a>(
        &'a self,
        world: &'a World<D>,
    ) -> impl Iterator<Item = (&'a Contact<D>, Vector<D>)> + 'a {
        let inside = members(world, &self.group);
        world.contacts().filter(move |(contact, r)| {
            let of_group = inside[contact.key.a as usize] || inside[contact.key.b as usize];
            let here = self.region.as_ref().is_none_or(|region| region.holds(&contact.point, 0.0));
            r.norm() > 0.0 && of_group && here
        })
    }
}

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

/// Mean of n ⊗ n over chosen contacts; 0 without one.
pub fn fabric<const D: usize>(world: &World<D>, choice: &Choice<D>) -> Matrix<D>
where
    Dim<D>: Rigid<D>,
{
    let (sum, count) = choice.contacts(world).fold((Matrix::<D>::zeros(), 0usize), |(sum, count), (c, _)| {
        let n = c.frame.column(0);
        (sum + n * n.transpose(), count + 1)
    });
    sum / count.max(1) as f64
}

/// How far a fabric is from the same in all directions: 0 there, 1 where all contacts lie along one line.
pub fn deviator<const D: usize>(fabric: &Matrix<D>) -> f64 {
    let trace = fabric.trace();
    if trace <= 0.0 {
        return 0.0;
    }
    let even = Matrix::<D>::identity() * (trace / D as f64);
    (fabric - even).norm() * (D as f64 / (D as f64 - 1.0)).sqrt()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_deviates_by_one_and_a_cross_by_none() {
        let n = Vector::<3>::new(2.0, -1.0, 2.0) / 3.0;
        assert!((deviator(&(n * n.transpose())) - 1.0).abs() < 1e-12);
        assert!(deviator(&(Matrix::<3>::identity() / 3.0)).abs() < 1e-12);
        // in the plane it is the difference of the principal values
        let fabric = Matrix::<2>::from_diagonal(&Vector::<2>::new(0.8, 0.2));
        assert!((deviator(&fabric) - 0.6).abs() < 1e-12);
    }
}
