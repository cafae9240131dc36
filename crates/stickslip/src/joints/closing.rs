//! Joints are closed at the end of a step, where their rows are linear and they are not.

use super::Joints;
use super::block::Role;
use crate::advance::After;
use crate::assembly::{Ahead, Impulses};
use crate::bodies::Bodies;
use crate::rigid::Rigid;
use stickslip_geometry::space::{Dim, Vector};

/// A joint that ends a step off by less than this part of its length is closed.
pub(super) const CLOSED: f64 = 1e-10;
/// One that is off by more than this part has not been closed.
const OPEN: f64 = 1e-3;
/// A correction that leaves more than this share of what was missed does not lead there.
const GAIN: f64 = 0.5;

/// `e(x⁺)/h − (u + shift)` of each block: what the linear rows do not see of the end of a step.
pub(crate) struct Misses<const D: usize> {
    blocks: Vec<Vector<D>>,
    /// The largest that matters, as a way over the length of its joint.
    largest: f64,
    /// How far a joint is from closed at most, likewise.
    open: f64,
}

impl<const D: usize> Misses<D>
where
    Dim<D>: Rigid<D>,
{
    /// After the impulses of a step; without them, after the free motion.
    pub fn new(joints: &Joints<D>, bodies: &Bodies<D>, ahead: &Ahead<D>, impulses: &Impulses<D>) -> Self {
        let after = After::new(bodies, ahead, impulses);
        let mut errors = Vec::with_capacity(joints.impulses.len());
        for link in &joints.links {
            let ends = link.bodies.map(|b| after.end(bodies, ahead, b as usize, 1.0).0);
            link.add_errors(&ends, &mut errors);
        }
        let mut misses = Misses { blocks: Vec::with_capacity(ahead.joints.len()), largest: 0.0, open: 0.0 };
        for (k, block) in ahead.joints.iter().enumerate() {
            let error = errors[block.slot as usize];
            let miss = match block.role {
                Role::Motor => Vector::zeros(),
                Role::Lock | Role::Limit => {
                    error / ahead.h - block.velocity(&after.v, &after.spin) - block.shift
                }
            };
            misses.blocks.push(miss);
            let pushes = impulses.blocks.get(ahead.contacts.len() + k).is_some_and(|r| r[0] != 0.0);
            if block.role != Role::Limit || error[0] < 0.0 || pushes {
                let length = joints.links[block.joint as usize].length;
                misses.largest = misses.largest.max(miss.amax() * ahead.h / length);
                let open = if block.role == Role::Limit { -error[0] } else { error.amax() };
                misses.open = misses.open.max(open / length);
            }
        }
        misses
    }

    /// Whether the joints are closed.
    pub fn is_small(&self) -> bool {
        self.largest <= CLOSED
    }

    /// Whether a joint is far from closed.
    pub fn is_open(&self) -> bool {
        self.open > OPEN
    }

    /// Whether it is worth while to go on from here.
    pub fn is_less_than(&self, before: &Self) -> bool {
        self.largest <= GAIN * before.largest
    }

    /// Lets the blocks see what they missed; those of the problem are in q.
    pub fn correct(&self, ahead: &mut Ahead<D>, q: &mut [Vector<D>]) {
        for (block, miss) in ahead.joints.iter_mut().zip(&self.blocks) {
            block.shift += miss;
        }
        q.iter_mut().zip(&self.blocks).for_each(|(q, miss)| *q += miss);
    }
}
