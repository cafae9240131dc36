//! The bodies move by the impulses of a step, and momentum and energy are accounted for.

use crate::assembly::{Ahead, Assembled, relative_velocity};
use crate::bodies::Bodies;
use crate::contacts::Contact;
use crate::report::Ledger;
use crate::rigid::Rigid;
use stickslip_geometry::space::{Dim, Pose, Space, Spin, Vector};

/// What a step changed.
pub struct Moved<const D: usize>
where
    Dim<D>: Rigid<D>,
{
    /// Velocities before it.
    v: Vec<Vector<D>>,
    spin: Vec<Spin<D>>,
    /// The way of each centre.
    way: Vec<Vector<D>>,
    /// Kinetic energy before it.
    kinetic: f64,
    /// Impulse of the bodies that nothing moves on the others.
    supports: Vector<D>,
}

/// Moves the bodies by the impulses r; θ is the share of the new velocity in their way.
pub fn advance<const D: usize>(
    bodies: &mut Bodies<D>,
    ahead: &Ahead<D>,
    r: &[Vector<D>],
    theta: f64,
) -> Moved<D>
where
    Dim<D>: Rigid<D>,
{
    let Ahead { h, free, poses, contacts, .. } = ahead;
    let kinetic = bodies.kinetic_energy();
    // v⁺ = v_free + M⁻¹ H r
    let (mut v, mut spin) = (free.v.clone(), free.spin.clone());
    let mut supports = Vector::zeros();
    for (contact, r) in contacts.iter().zip(r) {
        let impulse = contact.frame * r;
        for (body, impulse) in [(contact.key.a, -impulse), (contact.key.b, impulse)] {
            let b = body as usize;
            let Some(mover) = bodies.mover(b) else {
                supports -= impulse;
                continue;
            };
            let torque = Dim::<D>::torque(&(contact.point - poses[b].x), &impulse);
            v[b] += impulse / mover.mass;
            spin[b] += Dim::<D>::spin_of(&free.rotation[b], &mover.inertia, &torque);
        }
    }
    let way: Vec<Vector<D>> = bodies
        .v
        .iter()
        .zip(&v)
        .map(|(before, after)| (before * (1.0 - theta) + after * theta) * *h)
        .collect();
    for b in 0..bodies.len() {
        bodies.x[b] += way[b];
        // the coast of the free motion, then what contacts added to the spin
        bodies.rotation[b] = Dim::<D>::turn(&free.rotation[b], &(spin[b] - free.spin[b]), theta * h);
    }
    let v = std::mem::replace(&mut bodies.v, v);
    let spin = std::mem::replace(&mut bodies.spin, spin);
    Moved { v, spin, way, kinetic, supports }
}

/// Where momentum and energy of a step went.
pub struct Account<const D: usize> {
    /// Contacts that carry an impulse.
    pub active: usize,
    /// Largest speed at which one of them opens beyond what its scheme allows.
    pub lift: f64,
    /// Momentum that no force and no support accounts for.
    pub momentum: Vector<D>,
    /// Energies.
    pub ledger: Ledger,
}

impl<const D: usize> Account<D>
where
    Dim<D>: Rigid<D>,
{
    /// After the bodies have moved.
    pub fn new(
        bodies: &Bodies<D>,
        gravity: &Vector<D>,
        ahead: &Ahead<D>,
        assembled: &Assembled<D>,
        r: &[Vector<D>],
        moved: &Moved<D>,
    ) -> Self {
        let mut account =
            Account { active: 0, lift: 0.0, momentum: -moved.supports, ledger: Ledger::default() };
        account.ledger.kinetic = bodies.kinetic_energy();
        account.ledger.change = account.ledger.kinetic - moved.kinetic;
        account.add_bodies(bodies, gravity, ahead, moved);
        account.add_contacts(bodies, ahead, assembled, r);
        account
    }

    /// Forces on free bodies, their momentum and their height.
    fn add_bodies(&mut self, bodies: &Bodies<D>, gravity: &Vector<D>, ahead: &Ahead<D>, moved: &Moved<D>) {
        let Ahead { h, free, loads, .. } = ahead;
        let ledger = &mut self.ledger;
        for b in (0..bodies.len()).filter(|&b| bodies.is_free(b)) {
            let (force, torque) = &loads[b];
            let weight = gravity * bodies.mass[b];
            let mean = (moved.v[b] + free.v[b]) * (0.5 * h);
            let mean_turn = (moved.spin[b] + free.spin[b]) * (0.5 * h);
            ledger.forces += (force - weight).dot(&mean) + Dim::<D>::dot(torque, &mean_turn);
            ledger.scheme += weight.dot(&(mean - moved.way[b]));
            ledger.potential -= weight.dot(&bodies.x[b]);
            ledger.change -= weight.dot(&moved.way[b]);
            self.momentum += (bodies.v[b] - moved.v[b]) * bodies.mass[b] - force * *h;
        }
    }

    /// Work of the impulses r at contacts.
    fn add_contacts(
        &mut self,
        bodies: &Bodies<D>,
        ahead: &Ahead<D>,
        assembled: &Assembled<D>,
        r: &[Vector<D>],
    ) {
        let Some(problem) = &assembled.problem else { return };
        for (k, (contact, r)) in ahead.contacts.iter().zip(r).enumerate() {
            if r.iter().all(|&x| x == 0.0) {
                continue;
            }
            self.active += 1;
            let (u_before, u_free) = (&assembled.u_before[k], &assembled.u_free[k]);
            let u = relative_velocity(contact, &ahead.poses, &bodies.v, &bodies.spin);
            self.lift = self.lift.max(u[0] - u_free[0] + problem.q[k][0]);
            let work = r.component_mul(&(u + u_before)) * 0.5;
            self.ledger.impact -= work[0];
            self.ledger.friction -= work.as_slice()[1..].iter().sum::<f64>();
            self.ledger.scheme += 0.5 * r.dot(&(u_free - u_before));
            self.ledger.drives -= r.dot(&driven_part(bodies, contact, &ahead.poses));
        }
    }
}

/// The share of bodies that no contact moves in the relative velocity of a contact.
fn driven_part<const D: usize>(bodies: &Bodies<D>, contact: &Contact<D>, poses: &[Pose<D>]) -> Vector<D>
where
    Dim<D>: Rigid<D>,
{
    let mut sum = Vector::zeros();
    for (body, sign) in [(contact.key.a, -1.0), (contact.key.b, 1.0)] {
        let b = body as usize;
        if !bodies.is_free(b) {
            sum += bodies.velocity_at(b, &(contact.point - poses[b].x)) * sign;
        }
    }
    contact.frame.tr_mul(&sum)
}
