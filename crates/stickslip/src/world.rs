//! The world and its step: the whole program on one screen.

use crate::assembly::{Assembled, FreeMotion, Load, assemble, relative_velocity};
use crate::bodies::{Bodies, Body, BodyError, BodyId, Motion};
use crate::contacts::{Contact, Detector, Materials, Memory};
use crate::report::{Ledger, Seconds, StepReport};
use crate::rigid::Rigid;
use crate::schemes::Scheme;
use std::time::Instant;
use stickslip_geometry::space::{Dim, Pose, Space, Spin, Vector};
use stickslip_solvers::laws::Kind;
use stickslip_solvers::outcome::{Outcome, Status};
use stickslip_solvers::panel::{AnyMethod, Auto};
use stickslip_solvers::problem::{ContactProblem, ProblemError};
use stickslip_solvers::stop::Stop;

/// A force on bodies, given by the user.
pub type Force<const D: usize> = Box<dyn Fn(&Bodies<D>, f64, &mut [Load<D>]) + Send + Sync>;

/// A step that cannot be done.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// A step size that is none.
    #[error("the time step is {h}: give a positive number")]
    StepSize {
        /// the value
        h: f64,
    },
    /// A setting of the scheme that makes no sense.
    #[error("scheme {scheme}: {fault}")]
    Scheme {
        /// the scheme
        scheme: &'static str,
        /// what is wrong
        fault: String,
    },
    /// A solver that does not know the law of the scheme.
    #[error(
        "solver {solver} does not solve the {law} problems of scheme {scheme}; take `auto`, which solves all"
    )]
    Solver {
        /// the solver
        solver: &'static str,
        /// the law
        law: &'static str,
        /// the scheme
        scheme: &'static str,
    },
    /// A force that is not finite.
    #[error("the force on body {body} at time {time} is not finite")]
    Force {
        /// the body
        body: String,
        /// when
        time: f64,
    },
    /// A contact problem that makes no sense.
    #[error("time {time}, {place}: {source}")]
    Problem {
        /// when
        time: f64,
        /// the bodies that touch, where one contact is to blame
        place: String,
        /// what is wrong
        source: ProblemError,
    },
}

/// Bodies, what acts on them, and how they are advanced.
pub struct World<const D: usize>
where
    Dim<D>: Rigid<D>,
{
    /// Acceleration of all free bodies.
    pub gravity: Vector<D>,
    /// Forces beside gravity: each adds to the loads on the bodies, at a time.
    pub forces: Vec<Force<D>>,
    /// Friction and restitution.
    pub materials: Materials,
    /// The time-stepping scheme.
    pub scheme: Scheme,
    /// The solver; the scheme's own without it.
    pub solver: Option<AnyMethod>,
    /// Tolerance and limits of each solve. Default 1e-8 in 10 000 iterations.
    pub stop: Stop,
    /// Whether `auto` solves again what another solver missed. Default true.
    pub retry: bool,
    /// No body moves farther in a step than this part of its inner radius: the step is shortened. Default none.
    pub travel: Option<f64>,
    bodies: Bodies<D>,
    detector: Detector<D>,
    memory: Memory<D>,
    time: f64,
    steps: usize,
    missed: usize,
}

impl<const D: usize> Default for World<D>
where
    Dim<D>: Rigid<D>,
{
    fn default() -> Self {
        World {
            gravity: Vector::zeros(),
            forces: Vec::new(),
            materials: Materials::default(),
            scheme: Scheme::default(),
            solver: None,
            stop: Stop { max_iterations: 10_000, ..Stop::default() },
            retry: true,
            travel: None,
            bodies: Bodies::default(),
            detector: Detector::default(),
            memory: Memory::default(),
            time: 0.0,
            steps: 0,
            missed: 0,
        }
    }
}

/// Contacts are sought up to this part of the inner radius beyond the way of a step: impulses make bodies faster.
const MARGIN: f64 = 0.05;
/// A gap below this part of the inner radius is closed, for schemes that ask.
const CLOSED: f64 = 1e-10;

impl<const D: usize> World<D>
where
    Dim<D>: Rigid<D>,
{
    /// An empty world without gravity, by a scheme.
    pub fn new(scheme: impl Into<Scheme>) -> Self {
        World { scheme: scheme.into(), ..World::default() }
    }

    /// Adds a body; refuses what cannot be, and then changes nothing.
    pub fn add(&mut self, body: Body<D>) -> Result<BodyId, BodyError> {
        let Some(material) = self.materials.find(&body.material) else {
            let names: Vec<&str> = self.materials.names().collect();
            return Err(BodyError::Material {
                name: body.name.unwrap_or_else(|| format!("#{}", self.bodies.len())),
                material: body.material,
                known: if names.is_empty() {
                    "none is defined".into()
                } else {
                    format!("defined are {}", names.join(", "))
                },
            });
        };
        self.bodies.add(body, material)
    }

    /// The bodies.
    pub fn bodies(&self) -> &Bodies<D> {
        &self.bodies
    }

    /// Time now.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Steps done.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Steps that missed their tolerance.
    pub fn missed(&self) -> usize {
        self.missed
    }

    /// One step of size h, or shorter where [`travel`](Self::travel) asks for it.
    pub fn step(&mut self, h: f64) -> Result<StepReport, StepError> {
        let solver = self.check(h)?;
        let mut lap = Lap(Instant::now());
        let mut seconds = Seconds::default();
        let h = self.limited(h);
        self.drive(h);
        let loads = self.loads(h)?;
        let poses = self.poses_ahead(h);
        let free = FreeMotion::new(&self.bodies, &loads, h);
        let reach = self.reach(&free, h);
        let contacts = self.detector.detect(&self.bodies, &poses, &self.materials, &reach);
        seconds.detection = lap.end();
        if contacts.is_empty() {
            let report = self.advance(&contacts, &poses, &free, &loads, None, &[], h);
            seconds.advance = lap.end();
            return Ok(StepReport { solver: solver.name(), seconds, ..report });
        }
        let assembled = assemble(&self.bodies, &contacts, &poses, &free, &self.scheme, h)
            .map_err(|source| self.blame(&contacts, source))?;
        let mut r = self.memory.recall(&contacts, h);
        seconds.assembly = lap.end();
        let (outcome, solver, retried) = self.solve(&solver, &assembled.problem, &mut r);
        seconds.solve = lap.end();
        let mut report = self.advance(&contacts, &poses, &free, &loads, Some(&assembled), &r, h);
        self.memory.keep(&contacts, &r, h);
        seconds.advance = lap.end();
        let worst = &contacts[outcome.residual.worst_contact].key;
        report.worst = Some((BodyId(worst.a), BodyId(worst.b)));
        report.outcome = Some(outcome);
        self.missed += usize::from(!report.converged());
        Ok(StepReport { solver, retried, seconds, ..report })
    }

    /// The solver of the step, if all is well.
    fn check(&self, h: f64) -> Result<AnyMethod, StepError> {
        if !(h > 0.0 && h.is_finite()) {
            return Err(StepError::StepSize { h });
        }
        let scheme = self.scheme.name();
        if let Some(fault) = self.scheme.fault() {
            return Err(StepError::Scheme { scheme, fault });
        }
        let solver = self.solver.clone().unwrap_or_else(|| self.scheme.solver());
        let law: Kind = self.scheme.law(0.0).kind();
        if !solver.covers().contains(&law) {
            return Err(StepError::Solver { solver: solver.name(), law: law.name(), scheme });
        }
        Ok(solver)
    }

    /// The step size under the limit of travel.
    fn limited(&self, h: f64) -> f64 {
        let Some(share) = self.travel else { return h };
        let bodies = &self.bodies;
        (0..bodies.len()).filter(|&b| bodies.is_free(b)).fold(h, |h, b| {
            let speed = bodies.v[b].norm() + self.gravity.norm() * h;
            h.min(share * bodies.shape[b].inner_radius() / speed.max(f64::MIN_POSITIVE))
        })
    }

    /// Gives driven bodies the velocity of the middle of the step.
    fn drive(&mut self, h: f64) {
        let time = self.time + 0.5 * h;
        for (b, motion) in self.bodies.motion.iter().enumerate() {
            if let Motion::Driven { v, spin } = motion {
                self.bodies.v[b] = v.at(time);
                self.bodies.spin[b] = spin.at(time);
            }
        }
    }

    /// Forces beside gravity, at the middle of the step.
    fn loads(&self, h: f64) -> Result<Vec<Load<D>>, StepError> {
        let mut loads = vec![(Vector::zeros(), Spin::<D>::default()); self.bodies.len()];
        for force in &self.forces {
            force(&self.bodies, self.time + 0.5 * h, &mut loads);
        }
        for (b, load) in loads.iter_mut().enumerate() {
            if !(load.0.iter().all(|x| x.is_finite()) && Dim::<D>::is_finite(&load.1)) {
                return Err(StepError::Force { body: self.bodies.name(b), time: self.time });
            }
            if self.bodies.is_free(b) {
                load.0 += self.gravity * self.bodies.mass[b];
            }
        }
        Ok(loads)
    }

    /// Where contacts are sought.
    fn poses_ahead(&self, h: f64) -> Vec<Pose<D>> {
        let way = (1.0 - self.scheme.theta()) * h;
        let bodies = &self.bodies;
        (0..bodies.len())
            .map(|b| Pose {
                x: bodies.x[b] + bodies.v[b] * way,
                rotation: if way == 0.0 {
                    bodies.rotation[b]
                } else {
                    Dim::<D>::turn(&bodies.rotation[b], &bodies.spin[b], way)
                },
            })
            .collect()
    }

    /// How far from each body contacts are sought.
    fn reach(&self, free: &FreeMotion<D>, h: f64) -> Vec<f64> {
        (0..self.bodies.len())
            .map(|b| {
                let radius = self.bodies.shape[b].inner_radius();
                let radius = if radius.is_finite() { radius } else { 0.0 };
                if self.scheme.looks_ahead() {
                    2.0 * h * free.v[b].norm() + MARGIN * radius
                } else {
                    CLOSED * radius
                }
            })
            .collect()
    }

    /// Solves by the solver, and by `auto` where that misses the tolerance and a retry is wanted.
    fn solve(
        &self,
        solver: &AnyMethod,
        problem: &ContactProblem<D>,
        r: &mut [Vector<D>],
    ) -> (Outcome, &'static str, bool) {
        let outcome = solver.build::<D>().solve(problem, r, &self.stop);
        let auto = AnyMethod::from(Auto::default());
        if outcome.status == Status::Converged || solver.name() == auto.name() || !self.retry {
            return (outcome, solver.name(), false);
        }
        (auto.build::<D>().solve(problem, r, &self.stop), auto.name(), true)
    }

    /// Names the bodies of a contact problem that makes no sense.
    fn blame(&self, contacts: &[Contact<D>], source: ProblemError) -> StepError {
        let name = |body: u32| self.bodies.name(body as usize);
        let place = match source.contact() {
            Some(contact) => {
                let key = contacts[contact].key;
                format!("contact of bodies {} and {}", name(key.a), name(key.b))
            }
            None => format!("{} contacts", contacts.len()),
        };
        StepError::Problem { time: self.time, place, source }
    }

    /// Moves the bodies by the impulses r, and accounts for momentum and energy.
    #[allow(clippy::too_many_arguments)] // all that the step has found out
    fn advance(
        &mut self,
        contacts: &[Contact<D>],
        poses: &[Pose<D>],
        free: &FreeMotion<D>,
        loads: &[Load<D>],
        assembled: Option<&Assembled<D>>,
        r: &[Vector<D>],
        h: f64,
    ) -> StepReport {
        let gravity = self.gravity;
        let theta = self.scheme.theta();
        let bodies = &mut self.bodies;
        let energy_before = (bodies.kinetic_energy(), potential(bodies, &gravity));

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

        let mut ledger = Ledger::default();
        let mut momentum = -supports;
        for b in 0..bodies.len() {
            let (v_before, spin_before) = (bodies.v[b], bodies.spin[b]);
            let way = (v_before * (1.0 - theta) + v[b] * theta) * h;
            if let Some(mover) = bodies.mover(b) {
                let (force, torque) = &loads[b];
                let weight = gravity * mover.mass;
                let mean = (v_before + free.v[b]) * (0.5 * h);
                ledger.forces += (force - weight).dot(&mean)
                    + Dim::<D>::dot(torque, &((spin_before + free.spin[b]) * (0.5 * h)));
                ledger.scheme += weight.dot(&(mean - way));
                momentum += (v[b] - v_before) * mover.mass - force * h;
            }
            bodies.x[b] += way;
            // the coast of the free motion, then what contacts added to the spin
            bodies.rotation[b] = Dim::<D>::turn(&free.rotation[b], &(spin[b] - free.spin[b]), theta * h);
            bodies.v[b] = v[b];
            bodies.spin[b] = spin[b];
        }

        let (mut penetration, mut lift, mut active) = (0f64, 0f64, 0);
        if let Some(assembled) = assembled {
            for (k, (contact, r)) in contacts.iter().zip(r).enumerate() {
                penetration = penetration.max(-contact.gap);
                if r.iter().all(|&x| x == 0.0) {
                    continue;
                }
                active += 1;
                let (u_before, u_free) = (&assembled.u_before[k], &assembled.u_free[k]);
                let u = relative_velocity(contact, poses, &v, &spin);
                lift = lift.max(u[0] - u_free[0] + assembled.problem.q[k][0]);
                let work = r.component_mul(&(u + u_before)) * 0.5;
                ledger.impact -= work[0];
                ledger.friction -= work.as_slice()[1..].iter().sum::<f64>();
                ledger.scheme += 0.5 * r.dot(&(u_free - u_before));
                ledger.drives -= r.dot(&driven_part(bodies, contact, poses));
            }
        }
        ledger.kinetic = bodies.kinetic_energy();
        ledger.potential = potential(bodies, &gravity);
        ledger.change = ledger.kinetic + ledger.potential - energy_before.0 - energy_before.1;

        self.time += h;
        self.steps += 1;
        StepReport {
            time: self.time,
            h,
            contacts: contacts.len(),
            active,
            outcome: None,
            solver: "",
            retried: false,
            worst: None,
            penetration,
            lift,
            momentum_error: momentum.norm(),
            energy: ledger,
            seconds: Seconds::default(),
        }
    }
}

/// A stopwatch: when the present lap began.
struct Lap(Instant);

impl Lap {
    /// Ends the lap, begins the next one, and gives its seconds.
    fn end(&mut self) -> f64 {
        let now = Instant::now();
        now.duration_since(std::mem::replace(&mut self.0, now)).as_secs_f64()
    }
}

/// Energy of the free bodies in gravity.
fn potential<const D: usize>(bodies: &Bodies<D>, gravity: &Vector<D>) -> f64
where
    Dim<D>: Rigid<D>,
{
    let free = (0..bodies.len()).filter(|&b| bodies.is_free(b));
    -free.map(|b| bodies.mass[b] * gravity.dot(&bodies.x[b])).sum::<f64>()
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
