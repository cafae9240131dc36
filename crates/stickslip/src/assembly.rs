//! From contacts to the contact problem: W by bodies, `q = u_free` plus what the scheme adds, a law for each contact.

use crate::bodies::Bodies;
use crate::contacts::Contact;
use crate::rigid::{Lever, Mover, Rigid};
use crate::schemes::Scheme;
use stickslip_geometry::space::{Dim, Pose, Rotation, Space, Spin, Vector};
use stickslip_solvers::delassus::Delassus;
use stickslip_solvers::problem::{ContactProblem, ProblemError};

/// Velocities and orientations of all bodies at the end of the step if there were no contact.
pub struct FreeMotion<const D: usize>
where
    Dim<D>: Rigid<D>,
{
    pub v: Vec<Vector<D>>,
    pub spin: Vec<Spin<D>>,
    pub rotation: Vec<Rotation<D>>,
}

/// A force and a torque.
pub type Load<const D: usize> = (Vector<D>, Spin<D>);

impl<const D: usize> FreeMotion<D>
where
    Dim<D>: Rigid<D>,
{
    /// Under given loads on each body.
    pub fn new(bodies: &Bodies<D>, loads: &[Load<D>], h: f64) -> Self {
        let mut free =
            FreeMotion { v: bodies.v.clone(), spin: bodies.spin.clone(), rotation: bodies.rotation.clone() };
        for (b, (force, torque)) in loads.iter().enumerate() {
            let Some(mover) = bodies.mover(b) else {
                free.rotation[b] = Dim::<D>::turn(&bodies.rotation[b], &bodies.spin[b], h);
                continue;
            };
            free.v[b] += force * (h / mover.mass);
            let (spin, rotation) = Dim::<D>::coast(&mover.rotation, &mover.inertia, &bodies.spin[b], h);
            free.spin[b] = spin + Dim::<D>::spin_of(&rotation, &mover.inertia, &(*torque * h));
            free.rotation[b] = rotation;
        }
        free
    }
}

/// Relative velocity of a contact, `[normal, tangents…]`.
pub fn relative_velocity<const D: usize>(
    contact: &Contact<D>,
    poses: &[Pose<D>],
    v: &[Vector<D>],
    spin: &[Spin<D>],
) -> Vector<D>
where
    Dim<D>: Rigid<D>,
{
    let at = |body: u32| {
        let b = body as usize;
        v[b] + Dim::<D>::swing(&spin[b], &(contact.point - poses[b].x))
    };
    contact.frame.tr_mul(&(at(contact.key.b) - at(contact.key.a)))
}

/// What a step knows before it solves.
pub struct Ahead<const D: usize>
where
    Dim<D>: Rigid<D>,
{
    /// Its size.
    pub h: f64,
    /// Forces and torques on each body, gravity included.
    pub loads: Vec<Load<D>>,
    /// Motion without contacts.
    pub free: FreeMotion<D>,
    /// Where contacts are sought.
    pub poses: Vec<Pose<D>>,
    /// Those that may come about.
    pub contacts: Vec<Contact<D>>,
}

/// The problem of one step, and the velocities that made it.
pub struct Assembled<const D: usize> {
    /// `None` where nothing may touch.
    pub problem: Option<ContactProblem<D>>,
    /// Relative velocities before the step.
    pub u_before: Vec<Vector<D>>,
    /// Relative velocities without contact impulses.
    pub u_free: Vec<Vector<D>>,
}

/// Puts the problem together.
pub fn assemble<const D: usize>(
    bodies: &Bodies<D>,
    ahead: &Ahead<D>,
    scheme: &Scheme,
) -> Result<Assembled<D>, ProblemError>
where
    Dim<D>: Rigid<D>,
{
    let Ahead { h, free, poses, contacts, .. } = ahead;
    let velocities = |v: &[Vector<D>], spin: &[Spin<D>]| -> Vec<Vector<D>> {
        contacts.iter().map(|contact| relative_velocity(contact, poses, v, spin)).collect()
    };
    let u_before = velocities(&bodies.v, &bodies.spin);
    let u_free = velocities(&free.v, &free.spin);
    if contacts.is_empty() {
        return Ok(Assembled { problem: None, u_before, u_free });
    }
    let q = contacts
        .iter()
        .zip(u_free.iter().zip(&u_before))
        .map(|(contact, (u_free, u_before))| u_free + scheme.shift(contact, u_before, *h))
        .collect();
    let laws = contacts.iter().map(|contact| scheme.law(contact.material.mu)).collect();
    let problem = ContactProblem::new(delassus(bodies, ahead), q, laws)?;
    Ok(Assembled { problem: Some(problem), u_before, u_free })
}

/// W of the contacts, by moving bodies.
fn delassus<const D: usize>(bodies: &Bodies<D>, ahead: &Ahead<D>) -> Delassus<D>
where
    Dim<D>: Rigid<D>,
{
    let Ahead { free, poses, contacts, .. } = ahead;
    let mut movers = Vec::new();
    let place: Vec<u32> = (0..bodies.len())
        .map(|b| match bodies.mover(b) {
            Some(mover) => {
                movers.push(Mover { rotation: free.rotation[b], ..mover });
                movers.len() as u32 - 1
            }
            None => u32::MAX,
        })
        .collect();
    let mut contact_start = vec![0];
    let mut levers = Vec::with_capacity(2 * contacts.len());
    for contact in contacts {
        for (body, sign) in [(contact.key.a, -1.0), (contact.key.b, 1.0)] {
            let b = body as usize;
            if place[b] != u32::MAX {
                let arm = contact.point - poses[b].x;
                levers.push(Lever { body: place[b], sign, arm, frame: contact.frame });
            }
        }
        contact_start.push(levers.len() as u32);
    }
    Dim::<D>::delassus(&movers, contact_start, &levers)
}
