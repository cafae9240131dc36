//! Bodies that overlap before the first step: refused, moved apart, or accepted, by choice.

use crate::advance::After;
use crate::assembly::{Ahead, FreeMotion, assemble};
use crate::bodies::BodyId;
use crate::joints::Role;
use crate::rigid::Rigid;
use crate::schemes::{Maury, Scheme};
use crate::world::World;
use stickslip_geometry::space::{Dim, Pose, Space, Spin, Vector};
use stickslip_solvers::panel::{AnyMethod, Auto};
use stickslip_solvers::stop::Stop;

/// What to do with bodies that overlap before the first step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlaps {
    /// The first step is refused, and says who overlaps.
    #[default]
    Refuse,
    /// Bodies are moved apart, by as little as possible in the norm of their masses.
    Resolve,
    /// Nothing; the schemes that know gaps push such bodies apart in their first step, and fast.
    Accept,
}

/// Two bodies that overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// One of them.
    pub a: BodyId,
    /// The other.
    pub b: BodyId,
    /// How deep.
    pub depth: f64,
}

/// Overlaps below this part of the smaller inner radius are rounding of the input.
const SLIGHT: f64 = 1e-6;
/// What is moved apart overlaps by less than this part: gaps are divided by the time step, and become velocities.
const RESOLVED: f64 = 1e-10;
/// Moves after which bodies are given up as jammed.
const MOST_MOVES: usize = 200;

impl<const D: usize> World<D>
where
    Dim<D>: Rigid<D>,
{
    /// The pairs of bodies that overlap by more than rounding, the deepest first.
    pub fn overlaps(&mut self) -> Vec<Overlap> {
        self.deeper_than(SLIGHT)
    }

    fn deeper_than(&mut self, share: f64) -> Vec<Overlap> {
        let still = self.still();
        let mut found: Vec<Overlap> = still
            .contacts
            .iter()
            .map(|contact| Overlap {
                a: BodyId(contact.key.a),
                b: BodyId(contact.key.b),
                depth: -contact.gap,
            })
            .filter(|overlap| overlap.depth > share * self.smaller_radius(overlap))
            .collect();
        found.sort_by(|x, y| y.depth.total_cmp(&x.depth).then((x.a, x.b).cmp(&(y.a, y.b))));
        found.dedup_by_key(|overlap| (overlap.a, overlap.b));
        found
    }

    /// Moves bodies apart until none overlap, and joints with them; the deepest overlap that is left, if that fails.
    /// Velocities stay.
    pub fn resolve_overlaps(&mut self) -> Result<(), Overlap> {
        let mut solver = AnyMethod::from(Auto::default()).build::<D>();
        for _ in 0..MOST_MOVES {
            if self.deeper_than(RESOLVED).is_empty() && self.joints.first_open(&self.bodies).is_none() {
                return Ok(());
            }
            // Maury's projection, with positions in the place of velocities
            let mut still = self.still();
            self.look_at_joints(&mut still, &[]);
            still.joints.retain(|block| block.role != Role::Motor);
            let scheme = Scheme::from(Maury);
            let Ok(assembled) = assemble(self.bodies(), &still, &scheme, &self.materials) else { break };
            let Some(problem) = assembled.problem else { break };
            let mut r = vec![Vector::zeros(); problem.contacts()];
            let stop = Stop { tolerance: 1e-9, max_iterations: 10_000, ..Stop::default() };
            solver.solve(&problem, &mut r, &stop);
            let ways = After::new(self.bodies(), &still, &r.into());
            self.shift(&ways);
        }
        self.overlaps().first().map_or(Ok(()), |&overlap| Err(overlap))
    }

    fn shift(&mut self, ways: &After<D>) {
        let bodies = &mut self.bodies;
        for b in 0..bodies.len() {
            if bodies.is_free(b) {
                bodies.x[b] += ways.v[b];
                bodies.rotation[b] = Dim::<D>::turn(&bodies.rotation[b], &ways.spin[b], 1.0);
            }
        }
    }

    fn smaller_radius(&self, overlap: &Overlap) -> f64 {
        let radius = |body: BodyId| self.bodies().shape[body.index()].inner_radius();
        radius(overlap.a).min(radius(overlap.b))
    }

    /// The contacts of bodies at rest, sought a little beyond touch; a step of unit size.
    fn still(&mut self) -> Ahead<D> {
        let bodies = self.bodies();
        let number = bodies.len();
        let poses: Vec<Pose<D>> = (0..number).map(|b| bodies.pose(b)).collect();
        let reach: Vec<f64> = bodies
            .shape
            .iter()
            .map(|shape| shape.inner_radius())
            .map(|radius| if radius.is_finite() { 0.05 * radius } else { 0.0 })
            .collect();
        let contacts = self.contacts_at(&poses, &reach);
        let rest = vec![Spin::<D>::default(); number];
        Ahead {
            h: 1.0,
            loads: vec![(Vector::zeros(), Spin::<D>::default()); number],
            free: FreeMotion { v: vec![Vector::zeros(); number], spin: rest.clone() },
            poses,
            spin: rest,
            contacts,
            strains: Vec::new(),
            pulls: Vec::new(),
            joints: Vec::new(),
        }
    }
}
