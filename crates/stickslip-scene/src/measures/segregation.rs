//! How far two kinds of bodies have come apart.

use stickslip::rigid::Rigid;
use stickslip::{BodyId, World};
use stickslip_geometry::space::Dim;

/// Two groups, and the cells in which they are compared.
pub struct Segregation {
    pub group: Vec<BodyId>,
    pub other: Vec<BodyId>,
    pub cell: f64,
}

/// A body in its cell.
struct Member {
    cell: [i64; 3],
    mass: f64,
    /// The part of it that belongs to the first group.
    first: f64,
}

/// Danckwerts' intensity of segregation, Σ m_c (p_c − p)² / (M p (1 − p)): p_c is the mass fraction of the first group in
/// cell c of mass m_c, p that in all. 1 where no cell holds both groups, 0 where all cells hold them in the same proportion.
pub fn intensity<const D: usize>(world: &World<D>, segregation: &Segregation) -> f64
where
    Dim<D>: Rigid<D>,
{
    let bodies = world.bodies();
    let member = |body: &BodyId, first: f64| {
        let b = body.index();
        let cell = |k: usize| bodies.x[b].get(k).map_or(0, |x| (x / segregation.cell).floor() as i64);
        Member { cell: [cell(0), cell(1), cell(2)], mass: bodies.mass[b], first: first * bodies.mass[b] }
    };
    let mut all: Vec<Member> = segregation.group.iter().map(|body| member(body, 1.0)).collect();
    all.extend(segregation.other.iter().map(|body| member(body, 0.0)));
    all.retain(|member| member.mass.is_finite());
    // a stable sort: sums run in the same order every time
    all.sort_by_key(|member| member.cell);
    let (mass, first) = sums(&all);
    let p = first / mass;
    let spread = |cell: &[Member]| {
        let (mass, first) = sums(cell);
        mass * (first / mass - p).powi(2)
    };
    let variance = all.chunk_by(|a, b| a.cell == b.cell).map(spread).sum::<f64>() / mass;
    let most = p * (1.0 - p);
    if most > 0.0 { variance / most } else { 0.0 }
}

/// Mass, and that of the first group.
fn sums(members: &[Member]) -> (f64, f64) {
    members.iter().fold((0.0, 0.0), |(mass, first), member| (mass + member.mass, first + member.first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip::Body;
    use stickslip_geometry::shape::{Ball, Shape};
    use stickslip_geometry::space::{Pose, Vector};

    /// Eight cells in a row, with so many equal bodies of either group in each.
    fn row(counts: [(usize, usize); 8]) -> f64 {
        let mut world = World::<2>::default();
        let mut groups = [vec![], vec![]];
        for (cell, (first, second)) in counts.into_iter().enumerate() {
            for (group, count) in groups.iter_mut().zip([first, second]) {
                for k in 0..count {
                    let x = Vector::<2>::new(cell as f64 - 3.9 + 0.1 * k as f64, 0.5);
                    let body = Body::new(Shape::Ball(Ball { radius: 0.01 }), Pose::at(x));
                    group.push(world.add(body).unwrap());
                }
            }
        }
        let [group, other] = groups;
        intensity(&world, &Segregation { group, other, cell: 1.0 })
    }

    #[test]
    fn apart_is_one_and_mixed_is_zero() {
        let apart = [(2, 0), (2, 0), (2, 0), (2, 0), (0, 2), (0, 2), (0, 2), (0, 2)];
        assert!((row(apart) - 1.0).abs() < 1e-12);
        assert!(row([(1, 2); 8]).abs() < 1e-12);
        // p_c − p = ± 1/4 everywhere: (1/16) / (1/4)
        let half = [(3, 1), (1, 3), (3, 1), (1, 3), (3, 1), (1, 3), (3, 1), (1, 3)];
        assert!((row(half) - 0.25).abs() < 1e-12);
        // one group alone cannot come apart
        assert_eq!(row([(1, 0); 8]), 0.0);
    }
}
