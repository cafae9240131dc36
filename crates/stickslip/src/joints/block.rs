//! One block of a joint in the contact problem of a step.

use crate::bodies::Bodies;
use crate::rigid::{Lever, Rigid};
use stickslip_geometry::space::{Dim, Matrix, Pose, Space, Spin, Vector};
use stickslip_solvers::laws::Law;

/// What one row of a block measures: how b moves against a.
#[derive(Clone, Copy, Debug)]
pub enum Row<const D: usize>
where
    Dim<D>: Space<D>,
{
    /// Along a direction, at the point of the block.
    Along(Vector<D>),
    /// About an axis, whose length turns angles into lengths.
    About(Spin<D>),
    /// Nothing.
    Free,
}

/// What a block is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Keeps the bodies together.
    Lock,
    /// Drives them.
    Motor,
    /// Stops them.
    Limit,
}

/// Up to D rows of one joint.
#[derive(Clone, Copy, Debug)]
pub struct Block<const D: usize>
where
    Dim<D>: Space<D>,
{
    /// The joint.
    pub joint: u32,
    /// Which of all blocks that joints may have.
    pub slot: u32,
    /// Its bodies.
    pub bodies: [u32; 2],
    /// What it is for.
    pub role: Role,
    /// What it demands.
    pub law: Law,
    /// Impulse on b, one column a row; a gets the opposite.
    linear: Matrix<D>,
    /// Impulses about the centres of a and of b.
    angular: [[Spin<D>; D]; 2],
    /// What is added to the free relative velocity.
    pub shift: Vector<D>,
}

impl<const D: usize> Block<D>
where
    Dim<D>: Rigid<D>,
{
    /// Rows that act at a point.
    pub fn new(
        (joint, slot): (u32, u32),
        bodies: [u32; 2],
        (role, law): (Role, Law),
        rows: &[Row<D>; D],
        point: &Vector<D>,
        poses: &[Pose<D>; 2],
    ) -> Self {
        let mut linear = Matrix::<D>::zeros();
        for (k, row) in rows.iter().enumerate() {
            if let Row::Along(direction) = row {
                linear.set_column(k, direction);
            }
        }
        let about = |side: usize| {
            let arm = point - poses[side].x;
            std::array::from_fn(|k| match rows[k] {
                Row::Along(direction) => Dim::<D>::torque(&arm, &direction),
                Row::About(axis) => axis,
                Row::Free => Spin::<D>::default(),
            })
        };
        let angular = [about(0).map(|torque: Spin<D>| -torque), about(1)];
        Block { joint, slot, bodies, role, law, linear, angular, shift: Vector::zeros() }
    }

    /// Force and torque on one of its bodies, of unit impulses.
    fn side(&self, side: usize) -> (Matrix<D>, &[Spin<D>; D]) {
        (if side == 0 { -self.linear } else { self.linear }, &self.angular[side])
    }

    /// The block as it acts on its moving bodies, `place` among them.
    pub fn levers(&self, place: &[u32]) -> impl Iterator<Item = Lever<D>> {
        let place = self.bodies.map(|body| place[body as usize]);
        (0..2).filter(move |&side| place[side] != u32::MAX).map(move |side| {
            let (linear, angular) = self.side(side);
            Lever { body: place[side], linear, angular: *angular }
        })
    }

    /// The share of one body in the relative velocity.
    fn velocity_of(&self, side: usize, v: &Vector<D>, spin: &Spin<D>) -> Vector<D> {
        let (linear, angular) = self.side(side);
        linear.tr_mul(v) + Vector::from_fn(|k, _| Dim::<D>::dot(&angular[k], spin))
    }

    /// Relative velocity.
    pub fn velocity(&self, v: &[Vector<D>], spin: &[Spin<D>]) -> Vector<D> {
        let of = |side: usize| {
            let b = self.bodies[side] as usize;
            self.velocity_of(side, &v[b], &spin[b])
        };
        of(0) + of(1)
    }

    /// The share of bodies that no impulse moves in the relative velocity.
    pub fn driven_part(&self, bodies: &Bodies<D>) -> Vector<D> {
        let mut sum = Vector::zeros();
        for side in 0..2 {
            let b = self.bodies[side] as usize;
            if !bodies.is_free(b) {
                sum += self.velocity_of(side, &bodies.v[b], &bodies.spin[b]);
            }
        }
        sum
    }

    /// Impulse on one of its bodies, and that about its centre.
    pub fn impulse(&self, side: usize, r: &Vector<D>) -> (Vector<D>, Spin<D>) {
        let (linear, angular) = self.side(side);
        let mut torque = Spin::<D>::default();
        angular.iter().zip(r.iter()).for_each(|(angular, &r)| torque += *angular * r);
        (linear * r, torque)
    }
}
