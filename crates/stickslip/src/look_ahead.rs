//! The first part of a step: what drives the bodies, how they would move if nothing touched, and what may touch.

use crate::assembly::{Ahead, FreeMotion, Load};
use crate::bodies::Motion;
use crate::contacts::{Attraction, Contact, Rules};
use crate::error::StepError;
use crate::joints::{Misses, Now};
use crate::many;
use crate::rigid::Rigid;
use crate::world::World;
use std::iter::repeat_n;
use stickslip_geometry::shape::Shape;
use stickslip_geometry::space::{Dim, Pose, Space, Spin, Vector};

/// Contacts are sought up to this part of the inner radius beyond the way of a step: impulses make bodies faster.
const MARGIN: f64 = 0.05;
/// A gap below this part of the inner radius is closed, for those that ask: more than solves leave of what rests.
const CLOSED: f64 = 1e-7;

impl<const D: usize> World<D>
where
    Dim<D>: Rigid<D>,
{
    /// The step size under the limit of travel, of the motion under the forces of now.
    pub(crate) fn limited(&self, h: f64) -> Result<f64, StepError> {
        let Some(share) = self.travel else { return Ok(h) };
        let bodies = &self.bodies;
        let limited = |h: f64, (b, (force, torque)): (usize, &Load<D>)| {
            let Some(inertia) = &bodies.inertia[b] else { return h };
            let spin = bodies.spin[b] + *torque * (h * Dim::<D>::mobility(inertia));
            let speed =
                bodies.v[b].norm() + force.norm() / bodies.mass[b] * h + self.fastest_by_turning(b, &spin);
            h.min(share * bodies.shape[b].inner_radius() / speed.max(f64::MIN_POSITIVE))
        };
        Ok(self.loads(h)?.iter().enumerate().fold(h, limited))
    }

    /// Gives driven bodies the velocity of the middle of the step.
    pub(crate) fn drive(&mut self, h: f64) {
        let time = self.time + 0.5 * h;
        for (b, motion) in self.bodies.motion.iter().enumerate() {
            if let Motion::Driven { v, spin } = motion {
                self.bodies.v[b] = v.at(time);
                self.bodies.spin[b] = spin.at(time);
            }
        }
    }

    /// Forces beside gravity, at the middle of the step.
    pub(crate) fn loads(&self, h: f64) -> Result<Vec<Load<D>>, StepError> {
        let mut loads = vec![(Vector::zeros(), Spin::<D>::default()); self.bodies.len()];
        for force in &self.forces {
            force(&self.bodies, self.time + 0.5 * h, &mut loads);
        }
        let (bodies, gravity, time) = (&self.bodies, self.gravity, self.time);
        many::update(&mut loads, |b, load| {
            if bodies.is_free(b) {
                load.0 += gravity * bodies.mass[b];
            }
            if let Motion::Guided { along, force } = &bodies.motion[b] {
                load.0 += along.normalize() * force.at(time + 0.5 * h);
            }
        });
        // where squares are not finite, energies are not either
        let is_finite = |v: &Vector<D>, spin| (v.norm_squared() + Dim::<D>::dot(spin, spin)).is_finite();
        let has_load = |b: usize| is_finite(&loads[b].0, &loads[b].1);
        let moves = |b: usize| is_finite(&bodies.v[b], &bodies.spin[b]);
        match many::find(loads.len(), |b| !(has_load(b) && moves(b))) {
            None => Ok(loads),
            Some(b) if has_load(b) => Err(StepError::Velocity { body: bodies.name(b), time }),
            Some(b) => Err(StepError::Force { body: bodies.name(b), time }),
        }
    }

    /// What may touch in the step, and how bodies would move if nothing did.
    pub(crate) fn look_ahead(&mut self, h: f64) -> Result<Ahead<D>, StepError> {
        let mut loads = self.loads(h)?;
        let (poses, spin) = self.halfway(h);
        let mut free = FreeMotion::new(&self.bodies, (&poses, &spin), &loads, h);
        let reach = self.reach(&free, h);
        let contacts = self.contacts_at(&poses, &reach);
        let strains = self.recall_strains(&contacts);
        let pulls = self.pulls(&contacts, &mut loads);
        if !pulls.is_empty() {
            free = FreeMotion::new(&self.bodies, (&poses, &spin), &loads, h);
        }
        let joints = Vec::new();
        let mut ahead = Ahead { h, loads, free, poses, spin, contacts, strains, pulls, joints };
        self.look_at_joints(&mut ahead, &[]);
        Ok(ahead)
    }

    /// The blocks of the joints, and of those limits in any case that a step without them has passed.
    pub(crate) fn look_at_joints(&self, ahead: &mut Ahead<D>, passed: &[u32]) {
        let now = Now { time: self.time + 0.5 * ahead.h, h: ahead.h, free: &ahead.free, passed };
        ahead.joints = self.joints.blocks(&ahead.poses, &now);
        if self.closes_joints() {
            Misses::new(&self.joints, &self.bodies, ahead, &Vec::new().into()).correct(ahead, &mut []);
        }
    }

    /// Adds the forces with which bodies pull at each other, and lists them by contact. Points of one pair share its pull.
    fn pulls(&self, contacts: &[Contact<D>], loads: &mut [Load<D>]) -> Vec<f64> {
        if !self.materials.attract() {
            return Vec::new();
        }
        let bridged = self.recall_bridges(contacts);
        let points = contacts.chunk_by(|a, b| a.key.pair() == b.key.pair());
        let share = points.flat_map(|points| repeat_n(1.0 / points.len() as f64, points.len()));
        let pull = |((contact, bridged), share): ((&Contact<D>, bool), f64)| {
            let bridged = bridged || self.is_closed(contact);
            let force = self.attraction(contact).map_or(0.0, |pull| share * pull.force(contact.gap, bridged));
            for (body, sign, arm) in contact.sides() {
                let force = contact.frame.column(0) * (-sign * force);
                let load = &mut loads[body as usize];
                load.0 += force;
                load.1 += Dim::<D>::torque(&arm, &force);
            }
            force
        };
        contacts.iter().zip(bridged).zip(share).map(pull).collect()
    }

    /// Whether the bodies of a contact touch.
    pub(crate) fn is_closed(&self, contact: &Contact<D>) -> bool {
        let radius = |body: u32| self.bodies.shape[body as usize].inner_radius();
        contact.gap <= CLOSED * radius(contact.key.a).min(radius(contact.key.b))
    }

    /// How the bodies of a contact pull at each other.
    pub(crate) fn attraction(&self, contact: &Contact<D>) -> Option<&Attraction> {
        let [a, b] = [contact.key.a, contact.key.b].map(|body| self.bodies.material[body as usize]);
        self.materials.attraction(a, b)
    }

    /// The contacts of bodies at given poses, up to given reaches.
    pub(crate) fn contacts_at(&mut self, poses: &[Pose<D>], reach: &[f64]) -> Vec<Contact<D>> {
        let rules = Rules { materials: &self.materials, periods: &self.periods, apart: &self.apart };
        self.detector.detect(&self.bodies, poses, &rules, reach)
    }

    /// Where contacts are sought and impulses act, and the spins there.
    fn halfway(&self, h: f64) -> (Vec<Pose<D>>, Vec<Spin<D>>) {
        let way = (1.0 - self.scheme.theta()) * h;
        let bodies = &self.bodies;
        let coasted = many::map_indices(bodies.len(), |b| {
            if way == 0.0 {
                return (bodies.pose(b), bodies.spin[b]);
            }
            let (spin, rotation) = bodies.coast(b, &bodies.rotation[b], &bodies.spin[b], way);
            (Pose { x: bodies.x[b] + bodies.v[b] * way, rotation }, spin)
        });
        coasted.into_iter().unzip()
    }

    /// The fastest speed of a surface by the turning of its body; balls and what has no end turn in themselves.
    fn fastest_by_turning(&self, b: usize, spin: &Spin<D>) -> f64 {
        let speed = Dim::<D>::dot(spin, spin).sqrt();
        if speed == 0.0 {
            return 0.0;
        }
        let own = match &self.bodies.shape[b] {
            Shape::Ball(_) => 0.0,
            shape => shape.outer_radius(),
        };
        let lever = self.bodies.offset[b].x.norm() + own;
        if lever.is_finite() { speed * lever } else { 0.0 }
    }

    /// How far from each body contacts are sought.
    fn reach(&self, free: &FreeMotion<D>, h: f64) -> Vec<f64> {
        let mut span =
            vec![self.materials.widest_start().max(self.materials.widest_pull()); self.bodies.len()];
        for (key, gap) in self.spans() {
            for body in [key.a, key.b] {
                let widest = &mut span[body as usize];
                *widest = widest.max(gap);
            }
        }
        let least = 0.5 * self.reach.unwrap_or(0.0);
        (0..self.bodies.len())
            .map(|b| {
                let radius = self.bodies.shape[b].inner_radius();
                let radius = if radius.is_finite() { radius } else { 0.0 };
                if self.scheme.looks_ahead() {
                    let way = h * (free.v[b].norm() + self.fastest_by_turning(b, &free.spin[b]));
                    (way + MARGIN * radius + 0.5 * span[b]).max(least)
                } else {
                    CLOSED * radius
                }
            })
            .collect()
    }
}
