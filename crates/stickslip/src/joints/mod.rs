//! Joints: what holds bodies together, drives them and stops them, as blocks of the same problem as the contacts.
//!
//! ```text
//!            in the plane                      in space
//! ball       2 along                           3 along
//! hinge      2 along                           3 along │ 2 about
//! slider     1 along, 1 about                  3 about │ 2 along
//! fixed      2 along │ 1 about                 3 along │ 3 about
//! distance   1 along                           1 along
//! motor, limit: a block of one row each, along or about the axis
//! ```
//!
//! Locked rows are [`Law::locked`](stickslip_solvers::laws::Law::locked), motors
//! [`Law::motor`](stickslip_solvers::laws::Law::motor), limits are contacts without friction. Rows about an axis are
//! multiplied by a length ℓ, that of the mean radius of gyration of both bodies, so that all rows of a problem are
//! velocities and its residual does not depend on units.
//!
//! Nothing drifts. Where a step ends at x⁺ = x + h v⁺, the impulses are such that joints are closed there:
//!
//! ```text
//! q = e(x_free)/h,    then    q ← q + e(x⁺)/h − (u + shift)    until e(x⁺) is small
//! ```
//!
//! e is the error of the joint, nonlinear as it is, and x_free the end of the motion without impulses: this is SHAKE
//! (Ryckaert, Ciccotti and Berendsen 1977), together with contacts. Where a step goes half its way before contacts are
//! sought (Moreau–Jean, θ < 1), `q = u_free + e/h` with the error there: any error is gone after two steps, and what
//! remains is of the order of h².
//!
//! The directions of impulses are those before the step. As for every such scheme a link of half length s and moment I
//! under a load f has a largest step, about `h² f s < 2 I`: light links of a heavily loaded chain need small ones.
//!
//! A pendulum:
//!
//! ```
//! use stickslip::{Body, Joint, World};
//! use stickslip_geometry::{shape::{Ball, Shape}, space::{Pose, Vector}};
//!
//! let mut world = World::<2>::default();
//! world.gravity = Vector::<2>::new(0.0, -9.81);
//! let hook = world.add(Body::fixed(Shape::Ball(Ball { radius: 0.01 }), Pose::identity()))?;
//! let bob = world.add(Body::new(Shape::Ball(Ball { radius: 0.1 }), Pose::at(Vector::<2>::new(1.0, 0.0))))?;
//! let pin = world.join(Joint::pin(hook, bob, Vector::zeros()))?;
//! for _ in 0..1000 {
//!     assert!(world.step(1e-3)?.opening.position < 1e-9);
//! }
//! assert!(world.coordinate(pin).is_some_and(|angle| angle < -1.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod block;
mod check;
mod closing;
mod error;
mod links;

pub(crate) use block::{Block, Role};
use closing::CLOSED;
pub(crate) use closing::Misses;
pub use error::{JointError, JointFault};

use crate::bodies::{Bodies, BodyId, Course};
use crate::rigid::Rigid;
use links::Link;
pub(crate) use links::Now;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use stickslip_geometry::space::{Dim, Pose, Space, Spin, Vector};
use stickslip_solvers::laws::Kind;

/// A joint of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JointId(pub(crate) u32);

impl JointId {
    /// Its place among the joints.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// How two bodies are joined; points and axes are those of the world when the joint is made.
#[derive(Clone, Debug)]
pub enum Connection<const D: usize>
where
    Dim<D>: Space<D>,
{
    /// A point of each body stays with one of the other; in the plane that is a hinge.
    Ball {
        /// the point
        at: Vector<D>,
    },
    /// They turn about a common axis.
    Hinge {
        /// a point of the axis
        at: Vector<D>,
        /// its direction; in the plane a number whose sign tells which turns count as positive
        axis: Spin<D>,
    },
    /// They move along a common axis and do not turn.
    Slider {
        /// where b is held
        at: Vector<D>,
        /// its direction
        axis: Vector<D>,
    },
    /// They move as one.
    Fixed,
    /// Two points stay at a distance, or within limits of it.
    Distance {
        /// the point of a
        from: Vector<D>,
        /// the point of b
        to: Vector<D>,
    },
}

/// What drives a hinge or a slider.
#[derive(Clone, Debug, PartialEq)]
pub struct Motor {
    /// Speed of b against a that it aims at, angle or way in a unit of time.
    pub speed: Course<f64>,
    /// Largest torque or force.
    pub most: f64,
}

/// A joint to be.
#[derive(Clone, Debug)]
pub struct Joint<const D: usize>
where
    Dim<D>: Space<D>,
{
    /// The first body.
    pub a: BodyId,
    /// The second; one of both may be fixed or driven.
    pub b: BodyId,
    /// How they are joined.
    pub connection: Connection<D>,
    /// Drives a hinge or a slider. Default none.
    pub motor: Option<Motor>,
    /// Lowest and highest angle of a hinge or way of a slider, counted from where the joint is made, or length; either
    /// may be infinite. Default none: a distance is then a rod.
    pub limits: Option<(f64, f64)>,
    /// Whether its bodies can touch each other. Default false.
    pub collides: bool,
    /// Its name; its number without one.
    pub name: Option<String>,
}

impl<const D: usize> Joint<D>
where
    Dim<D>: Space<D>,
{
    fn new(a: BodyId, b: BodyId, connection: Connection<D>) -> Self {
        Joint { a, b, connection, motor: None, limits: None, collides: false, name: None }
    }

    /// A ball joint at a point.
    pub fn ball(a: BodyId, b: BodyId, at: Vector<D>) -> Self {
        Joint::new(a, b, Connection::Ball { at })
    }

    /// A hinge about an axis through a point; in the plane the axis is 1 or −1.
    pub fn hinge(a: BodyId, b: BodyId, at: Vector<D>, axis: Spin<D>) -> Self {
        Joint::new(a, b, Connection::Hinge { at, axis })
    }

    /// A slider through a point, along an axis.
    pub fn slider(a: BodyId, b: BodyId, at: Vector<D>, axis: Vector<D>) -> Self {
        Joint::new(a, b, Connection::Slider { at, axis })
    }

    /// Makes two bodies move as one.
    pub fn fixed(a: BodyId, b: BodyId) -> Self {
        Joint::new(a, b, Connection::Fixed)
    }

    /// A rod between two points.
    pub fn rod(a: BodyId, b: BodyId, from: Vector<D>, to: Vector<D>) -> Self {
        Joint::new(a, b, Connection::Distance { from, to })
    }

    /// A rope between two points, of some length.
    pub fn rope(a: BodyId, b: BodyId, from: Vector<D>, to: Vector<D>, length: f64) -> Self {
        Joint::rod(a, b, from, to).limited(0.0, length)
    }

    /// The same with limits.
    pub fn limited(self, low: f64, high: f64) -> Self {
        Joint { limits: Some((low, high)), ..self }
    }

    /// The same with a motor.
    pub fn driven(self, speed: Course<f64>, most: f64) -> Self {
        Joint { motor: Some(Motor { speed, most }), ..self }
    }

    /// The same between bodies that can touch each other.
    pub fn colliding(self) -> Self {
        Joint { collides: true, ..self }
    }

    /// The same under a name.
    pub fn named(self, name: &str) -> Self {
        Joint { name: Some(name.into()), ..self }
    }
}

impl Joint<2> {
    /// A hinge at a point of the plane.
    pub fn pin(a: BodyId, b: BodyId, at: Vector<2>) -> Self {
        Joint::hinge(a, b, at, 1.0)
    }
}

/// All joints of a world.
#[derive(Clone, Debug)]
pub struct Joints<const D: usize>
where
    Dim<D>: Space<D>,
{
    links: Vec<Link<D>>,
    names: Vec<Option<String>>,
    by_name: HashMap<String, JointId>,
    /// The first slot of each joint.
    slots: Vec<u32>,
    /// Impulses of the last step by slots, and its size.
    impulses: Vec<Vector<D>>,
    h: f64,
}

/// What a run changes of joints.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct JointsState {
    h: f64,
    impulses: Vec<f64>,
    angles: Vec<f64>,
}

impl<const D: usize> Default for Joints<D>
where
    Dim<D>: Space<D>,
{
    fn default() -> Self {
        Joints {
            links: Vec::new(),
            names: Vec::new(),
            by_name: HashMap::new(),
            slots: Vec::new(),
            impulses: Vec::new(),
            h: 1.0,
        }
    }
}

/// How far joints are from closed, or beyond their limits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Opening {
    /// As a length, the largest of all joints.
    pub position: f64,
    /// As an angle.
    pub angle: f64,
}

impl<const D: usize> Joints<D>
where
    Dim<D>: Rigid<D>,
{
    /// Number of joints.
    pub fn len(&self) -> usize {
        self.links.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// The name of a joint, or its number.
    pub fn name(&self, joint: usize) -> String {
        self.names[joint].clone().unwrap_or_else(|| format!("#{joint}"))
    }

    /// The joint of that name.
    pub fn find(&self, name: &str) -> Option<JointId> {
        self.by_name.get(name).copied()
    }

    /// The bodies of a joint; `None` for one of another world.
    pub fn bodies(&self, joint: JointId) -> Option<(BodyId, BodyId)> {
        let [a, b] = self.links.get(joint.index())?.bodies;
        Some((BodyId(a), BodyId(b)))
    }

    /// The ends of all rods and ropes where bodies are now, with the first body of each.
    pub(crate) fn distances<'a>(
        &'a self,
        bodies: &'a Bodies<D>,
    ) -> impl Iterator<Item = (BodyId, [Vector<D>; 2])> {
        let ends =
            |link: &'a Link<D>| Some((BodyId(link.bodies[0]), link.distance(&placed(link.bodies, bodies))?));
        self.links.iter().filter_map(ends)
    }

    /// Angle of a hinge, way of a slider, length of a distance.
    pub(crate) fn coordinate(&self, joint: JointId, bodies: &Bodies<D>) -> Option<f64> {
        let link = self.links.get(joint.index())?;
        link.coordinate(&placed(link.bodies, bodies))
    }

    /// The laws that occur.
    pub(crate) fn laws(&self) -> impl Iterator<Item = Kind> {
        self.links.iter().flat_map(Link::laws)
    }

    /// Adds a joint; refuses what cannot be, and then changes nothing.
    pub(crate) fn add(&mut self, joint: Joint<D>, bodies: &Bodies<D>) -> Result<JointId, JointError> {
        let name = joint.name.clone();
        let link = match &name {
            Some(name) if self.by_name.contains_key(name) => Err(JointFault::Name),
            _ => Link::new(joint, bodies),
        };
        let id = JointId(self.len() as u32);
        let link = link.map_err(|fault| JointError {
            name: name.clone().unwrap_or_else(|| format!("#{}", id.0)),
            fault,
        })?;
        self.slots.push(self.impulses.len() as u32);
        self.impulses.resize(self.impulses.len() + link.slots(), Vector::zeros());
        self.links.push(link);
        if let Some(name) = &name {
            self.by_name.insert(name.clone(), id);
        }
        self.names.push(name);
        Ok(id)
    }

    /// The blocks at given poses, for a step now; errors there are to close in the step.
    pub(crate) fn blocks(&self, poses: &[Pose<D>], now: &Now<D>) -> Vec<Block<D>> {
        let mut blocks = Vec::with_capacity(self.impulses.len());
        for (joint, (link, &slot)) in self.links.iter().zip(&self.slots).enumerate() {
            link.add_blocks((joint as u32, slot), &link.bodies.map(|b| poses[b as usize]), now, &mut blocks);
        }
        blocks
    }

    /// The slots of limits that bodies at given poses are beyond, and that have no block.
    pub(crate) fn passed(&self, blocks: &[Block<D>], pose: impl Fn(usize) -> Pose<D>) -> Vec<u32> {
        let mut passed = Vec::new();
        for (link, slot) in self.links.iter().zip(&self.slots) {
            passed.extend(link.passed(&link.bodies.map(|b| pose(b as usize))).map(|k| slot + k));
        }
        passed.retain(|slot| blocks.iter().all(|block| block.slot != *slot));
        passed
    }

    /// The impulses that the blocks had in the last step, for one of size h.
    pub(crate) fn recall(&self, blocks: &[Block<D>], h: f64) -> impl Iterator<Item = Vector<D>> {
        let scale = h / self.h;
        blocks.iter().map(move |block| self.impulses[block.slot as usize] * scale)
    }

    /// Keeps the impulses of a step, and counts turns.
    pub(crate) fn keep(&mut self, blocks: &[Block<D>], r: &[Vector<D>], h: f64, bodies: &Bodies<D>) {
        self.impulses.fill(Vector::zeros());
        blocks.iter().zip(r).for_each(|(block, r)| self.impulses[block.slot as usize] = *r);
        self.h = h;
        for link in &mut self.links {
            link.count_turns(&placed(link.bodies, bodies));
        }
    }

    /// What a run changes.
    pub(crate) fn state(&self) -> JointsState {
        JointsState {
            h: self.h,
            impulses: self.impulses.iter().flat_map(|r| r.iter().copied()).collect(),
            angles: self.links.iter().map(|link| link.angle).collect(),
        }
    }

    /// The way back; `false`, and nothing changed, where the counts differ.
    pub(crate) fn restore(&mut self, state: &JointsState) -> bool {
        let fits = state.impulses.len() == D * self.impulses.len() && state.angles.len() == self.links.len();
        if fits {
            self.h = state.h;
            let impulses = state.impulses.chunks_exact(D).map(Vector::from_column_slice);
            self.impulses.iter_mut().zip(impulses).for_each(|(slot, r)| *slot = r);
            self.links.iter_mut().zip(&state.angles).for_each(|(link, angle)| link.angle = *angle);
        }
        fits
    }

    /// The first that is not where it should be, or beyond its limits.
    pub(crate) fn first_open(&self, bodies: &Bodies<D>) -> Option<usize> {
        self.links.iter().position(|link| {
            let opening = link.opening(&placed(link.bodies, bodies));
            opening.position > CLOSED * link.length || opening.angle > CLOSED
        })
    }

    /// How far joints are from where they should be, limits included.
    pub(crate) fn opening(&self, bodies: &Bodies<D>) -> Opening {
        let mut largest = Opening::default();
        for link in &self.links {
            let opening = link.opening(&placed(link.bodies, bodies));
            largest.position = largest.position.max(opening.position);
            largest.angle = largest.angle.max(opening.angle);
        }
        largest
    }
}

/// Where two bodies are.
fn placed<const D: usize>([a, b]: [u32; 2], bodies: &Bodies<D>) -> [Pose<D>; 2]
where
    Dim<D>: Rigid<D>,
{
    [bodies.pose(a as usize), bodies.pose(b as usize)]
}
