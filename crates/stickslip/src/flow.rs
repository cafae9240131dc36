//! How the contacts of a step gave way and yielded.

use crate::advance::Moved;
use crate::assembly::{Ahead, Assembled, relative_velocity};
use crate::contacts::{Losses, Materials, Strain};
use crate::rigid::Rigid;
use stickslip_geometry::space::{Dim, Vector};
use stickslip_solvers::laws::{ContactLaw, Law};

/// Histories of the contacts after a step, and where the energy went that each took from its bodies; empty where none
/// gives way.
#[derive(Default)]
pub struct Flowed<const D: usize> {
    pub strains: Vec<Strain<D>>,
    pub losses: Vec<Losses>,
    /// Elastic energy of contacts that were there before the step and are gone.
    pub forgotten: f64,
}

/// From the impulses r of a step, and the elastic energy of all contacts before it.
pub fn flow<const D: usize>(
    materials: &Materials,
    ahead: &Ahead<D>,
    assembled: &Assembled<D>,
    r: &[Vector<D>],
    moved: &Moved<D>,
    elastic: f64,
) -> Flowed<D>
where
    Dim<D>: Rigid<D>,
{
    let forgotten = elastic - ahead.strains.iter().map(|strain| strain.energy).sum::<f64>();
    let (Some(problem), false) = (&assembled.problem, assembled.compliance.is_empty()) else {
        return Flowed { strains: ahead.strains.clone(), losses: Vec::new(), forgotten };
    };
    let after = ahead.contacts.iter().zip(&ahead.strains).enumerate().map(|(k, (contact, strain))| {
        let Some(number) = contact.interface else { return (*strain, Losses::default()) };
        let u = relative_velocity(contact, &moved.after.v, &moved.after.spin);
        // what the problem calls u is the plastic flow
        let u = u - assembled.u_free[k] + problem.q[k] + assembled.compliance[k].component_mul(&r[k]);
        let flow = admitted(&problem.laws[k], &r[k], &u, problem.W.scale(k));
        materials.interface(number).flow(contact, strain, &r[k], &flow, ahead.h)
    });
    let (strains, losses) = after.unzip();
    Flowed { strains, losses, forgotten }
}

/// The part of a flow u that the law admits at the impulse r: nothing inside the yield surface, where u is what the solver
/// has left over.
fn admitted<const D: usize>(law: &Law, r: &Vector<D>, u: &Vector<D>, scale: f64) -> Vector<D> {
    let mut y = r - u / scale;
    let shift = law.shift(u);
    y[0] -= shift / scale;
    let mut flow = (law.project(y) - y) * scale;
    if flow.iter().any(|&x| x != 0.0) {
        flow[0] -= shift;
    }
    flow
}
