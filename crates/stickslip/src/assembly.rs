//! From contacts and joints to the contact problem: W by bodies, `q = u_free` plus what the scheme or the joint adds, a law
//! for each. Contacts come first, then the blocks of the joints.

use crate::bodies::Bodies;
use crate::contacts::{Contact, Materials, Strain};
use crate::joints::Block;
use crate::many;
use crate::rigid::{Lever, Mover, Rigid};
use crate::schemes::Scheme;
use stickslip_geometry::space::{Dim, Pose, Space, Spin, Vector};
use stickslip_solvers::delassus::Delassus;
use stickslip_solvers::problem::{ContactProblem, ProblemError};

/// Velocities of all bodies after the forces of a step, if there were no impulses.
pub struct FreeMotion<const D: usize>
where
    Dim<D>: Rigid<D>,
{
    pub v: Vec<Vector<D>>,
    pub spin: Vec<Spin<D>>,
}

/// A force and a torque.
pub type Load<const D: usize> = (Vector<D>, Spin<D>);

impl<const D: usize> FreeMotion<D>
where
    Dim<D>: Rigid<D>,
{
    /// Under given loads on each body, from where impulses act.
    pub fn new(
        bodies: &Bodies<D>,
        (poses, spin): (&[Pose<D>], &[Spin<D>]),
        loads: &[Load<D>],
        h: f64,
    ) -> Self {
        let after = |b: usize| {
            let (force, torque) = &loads[b];
            let Some(mover) = bodies.mover(b) else { return (bodies.v[b], spin[b]) };
            let mover = Mover { rotation: poses[b].rotation, ..mover };
            let (v, turned) = mover.kick(&(force * h), &(*torque * h));
            let drag = &bodies.drag[b];
            let slowing = h * drag.angular * Dim::<D>::mobility(&mover.inertia);
            // implicit: never more than to rest
            (
                (bodies.v[b] + v) / (1.0 + h * drag.linear / mover.mass),
                (spin[b] + turned) * (1.0 / (1.0 + slowing)),
            )
        };
        let (v, spin) = many::map_indices(loads.len(), after).into_iter().unzip();
        FreeMotion { v, spin }
    }
}

/// Relative velocity of a contact, `[normal, tangents…]`.
#[inline]
pub fn relative_velocity<const D: usize>(contact: &Contact<D>, v: &[Vector<D>], spin: &[Spin<D>]) -> Vector<D>
where
    Dim<D>: Rigid<D>,
{
    let [a, b] = contact.sides().map(|(body, _, arm)| {
        let b = body as usize;
        v[b] + Dim::<D>::swing(&spin[b], &arm)
    });
    contact.frame.tr_mul(&(b - a))
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
    /// Velocities without impulses.
    pub free: FreeMotion<D>,
    /// Where contacts are sought and impulses act.
    pub poses: Vec<Pose<D>>,
    /// Spins there, before forces and impulses.
    pub spin: Vec<Spin<D>>,
    /// Those that may come about.
    pub contacts: Vec<Contact<D>>,
    /// Histories of the contacts; empty where none gives way.
    pub strains: Vec<Strain<D>>,
    /// Forces with which bodies pull at each other, by contact; empty where none do.
    pub pulls: Vec<f64>,
    /// What the joints demand.
    pub joints: Vec<Block<D>>,
}

/// Impulses of a step.
#[derive(Clone)]
pub struct Impulses<const D: usize>
where
    Dim<D>: Rigid<D>,
{
    /// Of contacts, then of joints, each in its frame.
    pub blocks: Vec<Vector<D>>,
    /// Couples of contacts on their second bodies, in the axes of the world; empty where none resists rolling.
    pub couples: Vec<Spin<D>>,
}

impl<const D: usize> From<Vec<Vector<D>>> for Impulses<D>
where
    Dim<D>: Rigid<D>,
{
    fn from(blocks: Vec<Vector<D>>) -> Self {
        Impulses { blocks, couples: Vec::new() }
    }
}

/// The problem of one step, and the velocities that made it.
pub struct Assembled<const D: usize> {
    /// `None` where nothing may touch and nothing is joined.
    pub problem: Option<ContactProblem<D>>,
    /// Relative velocities before the step.
    pub u_before: Vec<Vector<D>>,
    /// Relative velocities without contact impulses.
    pub u_free: Vec<Vector<D>>,
    /// What contacts give way by themselves; empty where none does.
    pub compliance: Vec<Vector<D>>,
}

/// Puts the problem together.
pub fn assemble<const D: usize>(
    bodies: &Bodies<D>,
    ahead: &Ahead<D>,
    scheme: &Scheme,
    materials: &Materials,
) -> Result<Assembled<D>, ProblemError>
where
    Dim<D>: Rigid<D>,
{
    let Ahead { h, free, contacts, joints, .. } = ahead;
    let velocities = |v: &[Vector<D>], spin: &[Spin<D>]| -> Vec<Vector<D>> {
        let mut all = many::map(contacts, |contact| relative_velocity(contact, v, spin));
        all.extend(joints.iter().map(|block| block.velocity(v, spin)));
        all
    };
    let u_before = velocities(&bodies.v, &ahead.spin);
    let u_free = velocities(&free.v, &free.spin);
    if contacts.is_empty() && joints.is_empty() {
        return Ok(Assembled { problem: None, u_before, u_free, compliance: Vec::new() });
    }
    let mut W = delassus(bodies, ahead);
    // of contacts that give way; empty where none has a history
    let responses = many::map_indices(ahead.strains.len(), |k| {
        let (number, flow) = (contacts[k].interface?, scheme.flow()?);
        Some(materials.interface(number).response(&contacts[k], &ahead.strains[k], flow, *h))
    });
    let response = |k: usize| responses.get(k).and_then(Option::as_ref);
    let mut q = many::map_indices(contacts.len(), |k| {
        let own = || scheme.shift(&contacts[k], &u_before[k], *h);
        u_free[k] + response(k).map_or_else(own, |response| response.shift)
    });
    let mut laws = many::map_indices(contacts.len(), |k| {
        response(k).map_or_else(|| scheme.law(contacts[k].material.mu), |response| response.law)
    });
    for (block, u_free) in joints.iter().zip(&u_free[contacts.len()..]) {
        q.push(u_free + block.shift);
        laws.push(block.law);
    }
    let mut compliance = Vec::new();
    if responses.iter().any(Option::is_some) {
        let of = |k: usize| response(k).map_or_else(Vector::zeros, |response| response.compliance);
        compliance = (0..u_free.len()).map(of).collect();
        W = W.with_compliance(compliance.clone());
    }
    let problem = ContactProblem::new(W, q, laws)?;
    Ok(Assembled { problem: Some(problem), u_before, u_free, compliance })
}

/// From this number of contacts on their blocks no longer fit the fast memory of a core, and those of round bodies are
/// formed where they are needed.
const MANY: usize = 4096;

/// W of contacts and joints, by moving bodies.
fn delassus<const D: usize>(bodies: &Bodies<D>, ahead: &Ahead<D>) -> Delassus<D>
where
    Dim<D>: Rigid<D>,
{
    let Ahead { poses, contacts, joints, .. } = ahead;
    let mut movers = Vec::new();
    let place: Vec<u32> = (0..bodies.len())
        .map(|b| match bodies.mover(b) {
            Some(mover) => {
                movers.push(Mover { rotation: poses[b].rotation, ..mover });
                movers.len() as u32 - 1
            }
            None => u32::MAX,
        })
        .collect();
    if joints.is_empty()
        && contacts.len() >= MANY
        && let Some(W) = Dim::<D>::round_delassus(&movers, contacts, &place)
    {
        return W;
    }
    let moving = |body: u32| place[body as usize] != u32::MAX;
    let mut contact_start = Vec::with_capacity(contacts.len() + joints.len() + 1);
    contact_start.push(0);
    let pairs = contacts.iter().map(|contact| [contact.key.a, contact.key.b]);
    for bodies in pairs.chain(joints.iter().map(|block| block.bodies)) {
        let sides = bodies.into_iter().filter(|&body| moving(body)).count() as u32;
        contact_start.push(contact_start[contact_start.len() - 1] + sides);
    }
    let at_contacts = contacts.iter().flat_map(|contact| {
        let sides = contact.sides().into_iter().filter(|&(body, ..)| moving(body));
        sides.map(|(body, sign, arm)| Lever::at(place[body as usize], sign, &arm, &contact.frame))
    });
    let levers = at_contacts.chain(joints.iter().flat_map(|block| block.levers(&place)));
    let felt = levers.map(|lever| movers[lever.body as usize].felt(lever));
    Dim::<D>::delassus(&movers, contact_start, felt)
}
