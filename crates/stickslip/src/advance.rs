//! The bodies move by the impulses of a step, and momentum and energy are accounted for.

use crate::assembly::{Ahead, Assembled, Impulses, relative_velocity};
use crate::bodies::Bodies;
use crate::contacts::{Contact, Losses};
use crate::flow::Flowed;
use crate::joints::Role;
use crate::many;
use crate::report::Ledger;
use crate::rigid::{Mover, Rigid};
use std::ops::Range;
use stickslip_geometry::space::{Dim, Pose, Space, Spin, Vector};

/// What a step changed.
pub struct Moved<const D: usize>
where
    Dim<D>: Rigid<D>,
{
    /// Velocities before it.
    v: Vec<Vector<D>>,
    /// Velocities after its impulses.
    pub after: After<D>,
    /// The way of each centre.
    way: Vec<Vector<D>>,
    /// Kinetic energy before it.
    kinetic: f64,
}

/// Velocities after the impulses of a step.
pub struct After<const D: usize>
where
    Dim<D>: Rigid<D>,
{
    pub v: Vec<Vector<D>>,
    pub spin: Vec<Spin<D>>,
    /// Impulse of the bodies that nothing moves on the others.
    supports: Vector<D>,
}

impl<const D: usize> After<D>
where
    Dim<D>: Rigid<D>,
{
    /// `v⁺ = v_free + M⁻¹ H r`; without impulses that is the free motion.
    pub fn new(bodies: &Bodies<D>, ahead: &Ahead<D>, impulses: &Impulses<D>) -> Self {
        let Impulses { blocks: r, couples } = impulses;
        let Ahead { free, contacts, joints, .. } = ahead;
        let pushes = Pushes::new(bodies.len(), contacts, r);
        let pushed = many::map_indices(bodies.len(), |b| {
            let mut pushed = Pushed { v: free.v[b], spin: free.spin[b], support: Vector::zeros() };
            for (contact, side) in pushes.on(b) {
                let (_, sign, arm) = contacts[contact].sides()[side];
                let impulse = contacts[contact].frame * r[contact] * sign;
                pushed.push(bodies, ahead, b, impulse, Dim::<D>::torque(&arm, &impulse));
            }
            pushed
        });
        let mut after = After {
            v: pushed.iter().map(|pushed| pushed.v).collect(),
            spin: pushed.iter().map(|pushed| pushed.spin).collect(),
            supports: pushed.iter().map(|pushed| pushed.support).sum(),
        };
        let mut push = |body: u32, impulse: Vector<D>, torque: Spin<D>| {
            let b = body as usize;
            let mut pushed = Pushed { v: after.v[b], spin: after.spin[b], support: after.supports };
            pushed.push(bodies, ahead, b, impulse, torque);
            (after.v[b], after.spin[b], after.supports) = (pushed.v, pushed.spin, pushed.support);
        };
        for (contact, couple) in contacts.iter().zip(couples) {
            for (body, sign, _) in contact.sides() {
                push(body, Vector::zeros(), *couple * sign);
            }
        }
        for (block, r) in joints.iter().zip(r.iter().skip(contacts.len())) {
            for side in 0..2 {
                let (impulse, torque) = block.impulse(side, r);
                push(block.bodies[side], impulse, torque);
            }
        }
        after
    }

    /// The way of a centre in the step; θ is the share of the new velocity in it.
    fn way(&self, bodies: &Bodies<D>, h: f64, b: usize, theta: f64) -> Vector<D> {
        (bodies.v[b] * (1.0 - theta) + self.v[b] * theta) * h
    }

    /// Where a body is at the end of the step, and its spin there: it coasts from where impulses act.
    pub fn end(&self, bodies: &Bodies<D>, ahead: &Ahead<D>, b: usize, theta: f64) -> (Pose<D>, Spin<D>) {
        let Ahead { h, poses, .. } = ahead;
        let (spin, rotation) = bodies.coast(b, &poses[b].rotation, &self.spin[b], theta * h);
        (Pose { x: bodies.x[b] + self.way(bodies, *h, b, theta), rotation }, spin)
    }
}

/// A body under the impulses so far, and what these do to the bodies that nothing moves.
struct Pushed<const D: usize>
where
    Dim<D>: Rigid<D>,
{
    v: Vector<D>,
    spin: Spin<D>,
    support: Vector<D>,
}

impl<const D: usize> Pushed<D>
where
    Dim<D>: Rigid<D>,
{
    /// One more impulse on body b.
    fn push(&mut self, bodies: &Bodies<D>, ahead: &Ahead<D>, b: usize, impulse: Vector<D>, torque: Spin<D>) {
        let Some(mover) = bodies.mover(b) else {
            self.support -= impulse;
            return;
        };
        let (v, spin) = Mover { rotation: ahead.poses[b].rotation, ..mover }.kick(&impulse, &torque);
        self.v += v;
        self.spin += spin;
        self.support -= impulse - v * mover.mass;
    }
}

/// The sides of contacts that push, by the body they act on and in the order of the contacts.
struct Pushes {
    /// Those on body b: `start[b]..start[b + 1]`.
    start: Vec<u32>,
    /// Twice the number of a contact, plus 1 for its second side.
    sides: Vec<u32>,
}

impl Pushes {
    fn new<const D: usize>(bodies: usize, contacts: &[Contact<D>], r: &[Vector<D>]) -> Self {
        let pushed = many::map_indices(contacts.len(), |k| {
            let key = &contacts[k].key;
            r.get(k).is_some_and(acts).then_some([key.a, key.b])
        });
        let mut start = vec![0u32; bodies + 1];
        for body in pushed.iter().flatten().flatten() {
            start[*body as usize + 1] += 1;
        }
        for b in 0..bodies {
            start[b + 1] += start[b];
        }
        let mut sides = vec![0; start[bodies] as usize];
        let mut next = start.clone();
        for (k, pair) in pushed.iter().enumerate() {
            for (side, body) in pair.iter().flatten().enumerate() {
                let place = &mut next[*body as usize];
                sides[*place as usize] = 2 * k as u32 + side as u32;
                *place += 1;
            }
        }
        Pushes { start, sides }
    }

    /// Contacts that push body b, and the sides on which it is.
    fn on(&self, b: usize) -> impl Iterator<Item = (usize, usize)> {
        let sides = &self.sides[self.start[b] as usize..self.start[b + 1] as usize];
        sides.iter().map(|&side| (side as usize / 2, side as usize % 2))
    }
}

/// Whether an impulse does anything.
fn acts<const D: usize>(r: &Vector<D>) -> bool {
    r.iter().any(|&x| x != 0.0)
}

/// Moves the bodies by the impulses of a step; θ is the share of the new velocity in their way.
pub fn advance<const D: usize>(
    bodies: &mut Bodies<D>,
    ahead: &Ahead<D>,
    impulses: &Impulses<D>,
    theta: f64,
) -> Moved<D>
where
    Dim<D>: Rigid<D>,
{
    let kinetic = bodies.kinetic_energy();
    let after = After::new(bodies, ahead, impulses);
    let way = many::map_indices(bodies.len(), |b| after.way(bodies, ahead.h, b, theta));
    let ends = many::map_indices(bodies.len(), |b| after.end(bodies, ahead, b, theta));
    many::update(&mut bodies.x, |b, x| *x = ends[b].0.x);
    many::update(&mut bodies.rotation, |b, rotation| *rotation = ends[b].0.rotation);
    many::update(&mut bodies.spin, |b, spin| *spin = ends[b].1);
    let v = std::mem::replace(&mut bodies.v, after.v.clone());
    Moved { v, after, way, kinetic }
}

/// Where momentum and energy of a step went.
pub struct Account<const D: usize> {
    /// Contacts that carry an impulse.
    pub active: usize,
    /// Largest overlap where contacts were sought.
    pub penetration: f64,
    /// Largest speed at which one of them opens beyond what its scheme allows.
    pub lift: f64,
    /// Momentum that no force and no support accounts for.
    pub momentum: Vector<D>,
    /// Energies.
    pub ledger: Ledger,
}

/// All that is known of a step after it.
pub struct Step<'a, const D: usize>
where
    Dim<D>: Rigid<D>,
{
    pub ahead: &'a Ahead<D>,
    pub assembled: &'a Assembled<D>,
    pub flowed: &'a Flowed<D>,
    pub impulses: &'a Impulses<D>,
    pub moved: &'a Moved<D>,
}

impl<const D: usize> Account<D>
where
    Dim<D>: Rigid<D>,
{
    /// After the bodies have moved; with the elastic energy of contacts.
    pub fn new(bodies: &Bodies<D>, gravity: &Vector<D>, step: &Step<D>, elastic: f64) -> Self {
        let Step { ahead, moved, flowed, .. } = step;
        let mut account = Account { momentum: -moved.after.supports, ..Self::empty() };
        account.ledger.elastic = elastic;
        account.ledger.change = -moved.kinetic - flowed.forgotten;
        account.ledger.plastic = flowed.forgotten;
        let parts = many::map_chunks(bodies.len(), |range| {
            let mut part = Self::empty();
            part.add_bodies(range, bodies, gravity, ahead, moved);
            part
        });
        account = parts.into_iter().fold(account, Self::joined);
        let parts = many::map_chunks(ahead.contacts.len(), |range| {
            let mut part = Self::empty();
            part.add_contacts(range, bodies, step);
            part
        });
        account = parts.into_iter().fold(account, Self::joined);
        account.add_couples(bodies, step);
        account.add_pulls(step);
        account.add_joints(bodies, step);
        account
    }

    fn empty() -> Self {
        let (momentum, ledger) = (Vector::zeros(), Ledger::default());
        Account { active: 0, penetration: 0.0, lift: 0.0, momentum, ledger }
    }

    /// With what other bodies or contacts did in the same step.
    fn joined(mut self, other: Self) -> Self {
        self.active += other.active;
        self.penetration = self.penetration.max(other.penetration);
        self.lift = self.lift.max(other.lift);
        self.momentum += other.momentum;
        self.ledger = self.ledger.joined(&other.ledger);
        self
    }

    /// Forces on free bodies, their momentum, their height and how fast they are.
    fn add_bodies(
        &mut self,
        range: Range<usize>,
        bodies: &Bodies<D>,
        gravity: &Vector<D>,
        ahead: &Ahead<D>,
        moved: &Moved<D>,
    ) {
        let Ahead { h, free, loads, .. } = ahead;
        let ledger = &mut self.ledger;
        for b in range {
            let Some(mover) = bodies.mover(b) else { continue };
            let kinetic = bodies.kinetic_energy_of(b, &mover);
            ledger.kinetic += kinetic;
            ledger.change += kinetic;
            let (force, torque) = &loads[b];
            let mover = Mover { rotation: ahead.poses[b].rotation, ..mover };
            let weight = gravity * mover.mass;
            let mean = (moved.v[b] + free.v[b]) * (0.5 * h);
            let mean_turn = (ahead.spin[b] + free.spin[b]) * (0.5 * h);
            ledger.forces += (force - weight).dot(&mean);
            if mover.guide.is_none() {
                ledger.forces += Dim::<D>::dot(torque, &mean_turn);
            }
            // what the forces would have changed, and drag has not let them
            let (v, spin) = mover.kick(&(force * *h), &(*torque * *h));
            let lost = (moved.v[b] + v - free.v[b]) * mover.mass;
            let lost_turn = Dim::<D>::angular_momentum(
                &mover.rotation,
                &mover.inertia,
                &(ahead.spin[b] + spin - free.spin[b]),
            );
            ledger.drag += (lost.dot(&mean) + Dim::<D>::dot(&lost_turn, &mean_turn)) / h;
            ledger.scheme += weight.dot(&(mean - moved.way[b]));
            ledger.potential -= weight.dot(&bodies.x[b]);
            ledger.change -= weight.dot(&moved.way[b]);
            self.momentum += (bodies.v[b] - moved.v[b] - v) * mover.mass + lost;
        }
    }

    /// Overlaps, and the work of the impulses r at contacts.
    fn add_contacts(&mut self, range: Range<usize>, bodies: &Bodies<D>, step: &Step<D>) {
        let Step { ahead, assembled, flowed, impulses, moved: Moved { after, .. } } = step;
        for k in range {
            let (contact, r) = (&ahead.contacts[k], &impulses.blocks[k]);
            self.penetration = self.penetration.max(-contact.gap);
            let losses = flowed.losses.get(k).filter(|_| contact.interface.is_some());
            if let Some(losses) = losses {
                self.add_losses(losses);
            }
            let Some(problem) = assembled.problem.as_ref().filter(|_| acts(r)) else { continue };
            self.active += 1;
            let (u_before, u_free) = (&assembled.u_before[k], &assembled.u_free[k]);
            let u = relative_velocity(contact, &after.v, &after.spin);
            let work = r.component_mul(&(u + u_before)) * 0.5;
            if let Some(losses) = losses {
                // what a rigid contact took along its normal, and did not yield, is an impact
                let rigid = assembled.compliance[k][0] == 0.0;
                let impact = if rigid { -(work[0] + losses.plastic) } else { 0.0 };
                self.ledger.impact += impact;
                // what the contact took and its losses do not explain
                self.ledger.scheme += work.sum() + impact;
            } else {
                // Newton's methods may leave rounding along tangents of contacts that are open
                if r[0] > 0.0 {
                    self.lift = self.lift.max(u[0] - u_free[0] + problem.q[k][0]);
                }
                self.ledger.impact += self.taken(work[0]);
                self.ledger.friction += self.taken(work.as_slice()[1..].iter().sum());
            }
            self.ledger.scheme += 0.5 * r.dot(&(u_free - u_before));
            self.ledger.drives -= r.dot(&driven_part(bodies, contact));
        }
    }

    /// The energy that a contact took by its work on the bodies; what it gave is the scheme's.
    fn taken(&mut self, work: f64) -> f64 {
        self.ledger.scheme += work.max(0.0);
        (-work).max(0.0)
    }

    /// Work of bodies that pull at each other, which is among that of the forces.
    fn add_pulls(&mut self, step: &Step<D>) {
        let Step { ahead, assembled, moved: Moved { after, .. }, .. } = step;
        for (k, (contact, pull)) in ahead.contacts.iter().zip(&ahead.pulls).enumerate() {
            let u = relative_velocity(contact, &after.v, &after.spin)[0];
            let (u_before, u_free) = (assembled.u_before[k][0], assembled.u_free[k][0]);
            let work = -0.5 * pull * ahead.h * (u_before + u);
            // among the forces it is that of the free motion, which contacts then stop
            let free = -0.5 * pull * ahead.h * (u_before + u_free);
            self.ledger.attraction += work;
            self.ledger.forces -= free;
            self.ledger.scheme += free - work;
        }
    }

    /// Work of the couples that resist rolling and spinning.
    fn add_couples(&mut self, bodies: &Bodies<D>, step: &Step<D>) {
        let Step { ahead, impulses, moved: Moved { after, .. }, .. } = step;
        for (contact, couple) in ahead.contacts.iter().zip(&impulses.couples) {
            let [a, b] = [contact.key.a as usize, contact.key.b as usize];
            let relative = |spin: &[Spin<D>]| Dim::<D>::dot(couple, &(spin[b] - spin[a]));
            let (before, free) = (relative(&ahead.spin), relative(&ahead.free.spin));
            self.ledger.friction += self.taken(0.5 * (relative(&after.spin) + before));
            self.ledger.scheme += 0.5 * (free - before);
            for (body, sign, _) in contact.sides().into_iter().filter(|(b, ..)| !bodies.is_free(*b as usize))
            {
                self.ledger.drives -= sign * Dim::<D>::dot(couple, &bodies.spin[body as usize]);
            }
        }
    }

    /// Where the energy went that a contact took from its bodies.
    fn add_losses(&mut self, losses: &Losses) {
        let Losses { stored, viscous, plastic, friction } = *losses;
        self.ledger.change += stored;
        self.ledger.viscous += viscous;
        self.ledger.plastic += plastic;
        self.ledger.friction += friction;
        self.ledger.scheme += stored + viscous + plastic + friction;
    }

    /// Work of the impulses r at joints.
    fn add_joints(&mut self, bodies: &Bodies<D>, step: &Step<D>) {
        let Step { ahead, assembled, impulses, moved: Moved { after, .. }, .. } = step;
        let first = ahead.contacts.len();
        for (k, (block, r)) in ahead.joints.iter().zip(&impulses.blocks[first..]).enumerate() {
            let (u_before, u_free) = (&assembled.u_before[first + k], &assembled.u_free[first + k]);
            let u = block.velocity(&after.v, &after.spin);
            let work = 0.5 * r.dot(&(u + u_before));
            match block.role {
                Role::Motor => self.ledger.motors += work,
                Role::Limit => self.ledger.impact += self.taken(work),
                // a joint does no work of its own: what it does closes it
                Role::Lock => self.ledger.scheme += work,
            }
            self.ledger.scheme += 0.5 * r.dot(&(u_free - u_before));
            self.ledger.drives -= r.dot(&block.driven_part(bodies));
        }
    }
}

/// The share of bodies that no contact moves in the relative velocity of a contact.
fn driven_part<const D: usize>(bodies: &Bodies<D>, contact: &Contact<D>) -> Vector<D>
where
    Dim<D>: Rigid<D>,
{
    let held = contact.sides().into_iter().filter(|(body, ..)| !bodies.is_free(*body as usize));
    let sum: Vector<D> = held.map(|(body, sign, arm)| bodies.velocity_at(body as usize, &arm) * sign).sum();
    contact.frame.tr_mul(&sum)
}
