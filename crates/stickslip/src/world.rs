//! The world and its step: the whole program on one screen.

use crate::advance::{Account, After, Moved, Step, advance};
use crate::assembly::{Ahead, Assembled, Impulses, Load, assemble};
use crate::bodies::{Bodies, Body, BodyError, BodyId};
use crate::checkpoint::{Built, CheckpointError, State, pack, unpack};
use crate::compiled::Compiled;
use crate::contacts::{Contact, Detector, Key, Materials, Memory, Strain};
use crate::error::{ExportError, StepError};
use crate::flow::{Flowed, flow};
use crate::joints::{Joint, JointError, JointId, Joints, Misses};
use crate::overlaps::Overlaps;
use crate::report::{Seconds, StepReport};
use crate::rigid::Rigid;
use crate::rolling;
use crate::schemes::Scheme;
use crate::task::{Answer, Task};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::time::Instant;
use stickslip_geometry::broad::Periods;
use stickslip_geometry::space::{Dim, Vector};
use stickslip_solvers::fclib::Fclib;
use stickslip_solvers::outcome::{Outcome, Status};
use stickslip_solvers::panel::{AnyMethod, Auto};
use stickslip_solvers::problem::{ContactProblem, ProblemError};
use stickslip_solvers::stop::Stop;

/// A force on bodies, given by the user.
pub type Force<const D: usize> = Box<dyn Fn(&Bodies<D>, f64, &mut [Load<D>]) + Send + Sync>;

/// A contact problem, and the impulses that its solve starts from.
pub type Problem<const D: usize> = (ContactProblem<D>, Vec<Vector<D>>);

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
    /// Lengths after which space repeats itself, one a direction. Positions are not wrapped. Default none.
    pub periods: Periods<D>,
    /// The time-stepping scheme.
    pub scheme: Scheme,
    /// The solver; the scheme's own without it.
    pub solver: Option<AnyMethod>,
    /// Tolerance and limits of each solve. Default 1e-8 in 10 000 iterations.
    pub stop: Stop,
    /// The largest overlap that a step may leave behind, a length: solves go on until none closes further. Default any
    /// that the tolerance allows.
    pub overlap: Option<f64>,
    /// What to do with bodies that overlap before the first step. Default refuse.
    pub overlapping: Overlaps,
    /// Whether `auto` solves again what another solver missed. Default true.
    pub retry: bool,
    /// Whether a solve starts from the impulses of the last step, and not from zero. Default true.
    pub warm_start: bool,
    /// No body moves farther in a step than this part of its inner radius: the step is shortened. Default none.
    pub travel: Option<f64>,
    /// Gaps up to this wide, a length, take part in a step whether bodies would close them or not: where steps are so long
    /// that bodies are pushed far. Default those that bodies can close at their speeds before the step.
    pub reach: Option<f64>,
    /// Whether steps keep what each contact has to do with their residual, see [`residuals`](Self::residuals): about the
    /// work of one more sweep. Default false.
    pub keep_residuals: bool,
    /// Texts that checkpoints keep, by name: the state of generators of random numbers, and what else a run needs.
    pub notes: BTreeMap<String, String>,
    pub(crate) bodies: Bodies<D>,
    pub(crate) joints: Joints<D>,
    /// Pairs of bodies that do not touch, the lower index first.
    pub(crate) apart: HashSet<(u32, u32)>,
    pub(crate) detector: Detector<D>,
    memory: Memory<D>,
    /// Of the last step.
    contacts: Vec<Contact<D>>,
    residuals: Vec<((BodyId, BodyId), f64)>,
    pub(crate) time: f64,
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
            periods: Periods::default(),
            scheme: Scheme::default(),
            solver: None,
            stop: Stop { max_iterations: 10_000, ..Stop::default() },
            overlap: None,
            overlapping: Overlaps::default(),
            retry: true,
            warm_start: true,
            travel: None,
            reach: None,
            keep_residuals: false,
            notes: BTreeMap::new(),
            bodies: Bodies::default(),
            joints: Joints::default(),
            apart: HashSet::new(),
            detector: Detector::default(),
            memory: Memory::default(),
            contacts: Vec::new(),
            residuals: Vec::new(),
            time: 0.0,
            steps: 0,
            missed: 0,
        }
    }
}

/// Solves of a step that close its joints at most; each gains as many digits as the turn in a step is small.
const JOINT_ROUNDS: usize = 8;
/// Solves of a step at most that bring in limits of joints, which one blow passes on to the next.
const LIMIT_ROUNDS: usize = 4;

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

    /// Joins two bodies; refuses what cannot be, and then changes nothing.
    pub fn join(&mut self, joint: Joint<D>) -> Result<JointId, JointError> {
        let (a, b, collides) = (joint.a, joint.b, joint.collides);
        let id = self.joints.add(joint, &self.bodies)?;
        if !collides {
            self.exclude(a, b);
        }
        Ok(id)
    }

    /// Lets two bodies pass through each other.
    pub fn exclude(&mut self, a: BodyId, b: BodyId) {
        self.apart.insert((a.0.min(b.0), a.0.max(b.0)));
    }

    /// The bodies.
    pub fn bodies(&self) -> &Bodies<D> {
        &self.bodies
    }

    /// The joints.
    pub fn joints(&self) -> &Joints<D> {
        &self.joints
    }

    /// Angle of a hinge, all turns counted, or way of a slider, since the joint was made; the length of a distance; `None`
    /// for the others. Turns are counted as long as a step turns by less than half a turn.
    pub fn coordinate(&self, joint: JointId) -> Option<f64> {
        self.joints.coordinate(joint, &self.bodies)
    }

    /// The two ends of every rod and rope, with its first body.
    pub fn distances(&self) -> impl Iterator<Item = (BodyId, [Vector<D>; 2])> {
        self.joints.distances(&self.bodies)
    }

    /// The contacts of the last step, open ones too, each with the impulse on its second body, in the axes of the world.
    pub fn contacts(&self) -> impl Iterator<Item = (&Contact<D>, Vector<D>)> {
        self.contacts.iter().zip(self.memory.impulses())
    }

    /// The share of each contact, then of each joint, in the scaled residual of the last step, with its bodies; the largest
    /// is the `worst_share` of the report. Empty unless [`keep_residuals`](Self::keep_residuals) asks for it.
    pub fn residuals(&self) -> &[((BodyId, BodyId), f64)] {
        &self.residuals
    }

    /// The force of all contacts on a group of bodies, mean over the last step.
    pub fn force_on(&self, group: &[BodyId]) -> Vector<D> {
        let mut inside = vec![false; self.bodies.len()];
        group.iter().for_each(|body| inside[body.index()] = true);
        let share = |body: u32| f64::from(u8::from(inside[body as usize]));
        let of = |(contact, r): (&Contact<D>, Vector<D>)| r * (share(contact.key.b) - share(contact.key.a));
        self.contacts().map(of).sum::<Vector<D>>() / self.last_h()
    }

    /// The history of a contact that gives way, in its frame.
    pub fn strain(&self, contact: &Contact<D>) -> Option<&Strain<D>> {
        self.memory.strain(&contact.key)
    }

    /// Size of the last step; 1 before the first. Impulses of [`contacts`](Self::contacts) by it are mean forces.
    pub fn last_h(&self) -> f64 {
        self.memory.h()
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
        Dim::<D>::step(self, h)
    }

    /// The map of a step: detect, assemble, solve, advance, observe.
    pub(crate) fn do_step(&mut self, h: f64) -> Result<StepReport, StepError> {
        let solver = self.check(h)?;
        if self.steps == 0 {
            self.begin()?;
        }
        let (mut lap, mut seconds) = (Lap(Instant::now()), Seconds::default());
        let h = self.limited(h)?;
        self.drive(h);
        let mut ahead = self.look_ahead(h)?;
        seconds.detection = lap.end();
        let mut assembled = self.assemble(&ahead)?;
        seconds.assembly = lap.end();
        let solved = self.solve_within_limits(&solver, &mut assembled, &mut ahead)?;
        let of_block = |(block, &share): (usize, &f64)| (self.place(&ahead, block).0, share);
        self.residuals = solved.shares.iter().enumerate().map(of_block).collect();
        seconds.solve = lap.end();
        let moved = advance(&mut self.bodies, &ahead, &solved.impulses, self.scheme.theta());
        self.time += h;
        self.steps += 1;
        self.missed += usize::from(!solved.converged());
        let blocks = &solved.impulses.blocks;
        let flowed = flow(&self.materials, &ahead, &assembled, blocks, &moved, self.memory.energy());
        let spin = |body: u32| self.bodies.spin[body as usize];
        let turn = |contact: &Contact<D>| (spin(contact.key.a) + spin(contact.key.b)) * (0.5 * h);
        self.memory.keep(&ahead.contacts, &solved.impulses, &flowed.strains, h, turn);
        self.keep_bridges(&ahead, blocks);
        self.joints.keep(&ahead.joints, &blocks[ahead.contacts.len()..], h, &self.bodies);
        let report = self.observe(&ahead, &assembled, &flowed, solved, &moved);
        self.detector.recycle(std::mem::replace(&mut self.contacts, ahead.contacts));
        seconds.advance = lap.end();
        Ok(StepReport { seconds, ..report })
    }

    /// The contact problem that a step of size h would solve now, and the impulses it would start from; `None` where
    /// nothing may touch and nothing is joined. The world stays as it is.
    pub fn problem(&mut self, h: f64) -> Result<Option<Problem<D>>, StepError> {
        Dim::<D>::problem(self, h)
    }

    pub(crate) fn next_problem(&mut self, h: f64) -> Result<Option<Problem<D>>, StepError> {
        self.check(h)?;
        let h = self.limited(h)?;
        let (v, spin) = (self.bodies.v.clone(), self.bodies.spin.clone());
        self.drive(h);
        let problem = self.look_ahead(h).and_then(|ahead| {
            if rolling::occurs(&ahead) {
                let fault = "contacts that resist rolling have blocks of another size".to_string();
                return Err(StepError::Scheme { scheme: self.scheme.name(), fault });
            }
            Ok(self.assemble(&ahead)?.problem.map(|problem| (problem, self.start(&ahead).blocks)))
        });
        (self.bodies.v, self.bodies.spin) = (v, spin);
        problem
    }

    /// The same as an FCLIB file holds it, the start as a guess; `None` where nothing may touch.
    pub fn export(&mut self, h: f64) -> Result<Option<Fclib>, ExportError> {
        let Some((problem, start)) = self.problem(h)? else { return Ok(None) };
        let mut file = Fclib::of_problem(&problem, None)?;
        file.info.title = format!("time {} of a run of stickslip", self.time);
        file.info.math_info = format!("scheme {}, time step {h}", self.scheme.name());
        file.guesses = vec![file.point(&problem, &start)];
        Ok(Some(file))
    }

    /// Writes the state of the world to a file; an existing one is replaced only by a complete one.
    pub fn save(&self, path: &Path) -> Result<(), CheckpointError> {
        Dim::<D>::save(self, path)
    }

    pub(crate) fn write_state(&self, path: &Path) -> Result<(), CheckpointError> {
        let state = State {
            built: Built::new(&self.bodies, self.joints.len()),
            time: self.time,
            steps: self.steps,
            missed: self.missed,
            bodies: pack(&self.bodies),
            contacts: self.memory.pack(),
            joints: self.joints.state(),
            notes: self.notes.clone(),
        };
        state.write(path)
    }

    /// Takes up the state that a world built alike has saved, and goes on to the same bits.
    pub fn restore(&mut self, path: &Path) -> Result<(), CheckpointError> {
        Dim::<D>::restore(self, path)
    }

    pub(crate) fn read_state(&mut self, path: &Path) -> Result<(), CheckpointError> {
        let state = State::read(path, &Built::new(&self.bodies, self.joints.len()))?;
        let damaged = || CheckpointError::Damaged { path: path.to_path_buf() };
        let memory = Memory::unpack(state.contacts).ok_or_else(damaged)?;
        let (mut joints, mut bodies) = (self.joints.clone(), self.bodies.clone());
        if !(joints.restore(&state.joints) && unpack(&state.bodies, &mut bodies)) {
            return Err(damaged());
        }
        (self.joints, self.bodies) = (joints, bodies);
        self.contacts.clear();
        self.residuals.clear();
        (self.memory, self.notes) = (memory, state.notes);
        (self.time, self.steps, self.missed) = (state.time, state.steps, state.missed);
        Ok(())
    }

    /// Whether joints are closed at the end of a step, and not only drawn together.
    pub(crate) fn closes_joints(&self) -> bool {
        self.scheme.theta() == 1.0 && !self.joints.is_empty()
    }

    fn assemble(&self, ahead: &Ahead<D>) -> Result<Assembled<D>, StepError> {
        assemble(&self.bodies, ahead, &self.scheme, &self.materials)
            .map_err(|source| self.blame(ahead, source))
    }

    /// Names what a contact problem that makes no sense is about.
    fn blame(&self, ahead: &Ahead<D>, source: ProblemError) -> StepError {
        let place = match source.contact().map(|block| self.place(ahead, block)) {
            Some((_, Some(joint))) => format!("joint {}", self.joints.name(joint.index())),
            Some(((a, b), None)) => {
                let name = |body: BodyId| self.bodies.name(body.index());
                format!("contact of bodies {} and {}", name(a), name(b))
            }
            None => format!("{} contacts and {} joints", ahead.contacts.len(), self.joints.len()),
        };
        StepError::Problem { time: self.time, place, source }
    }

    /// The bodies of a block of the problem, and its joint.
    fn place(&self, ahead: &Ahead<D>, block: usize) -> ((BodyId, BodyId), Option<JointId>) {
        match ahead.contacts.get(block) {
            Some(contact) => ((BodyId(contact.key.a), BodyId(contact.key.b)), None),
            None => {
                let block = &ahead.joints[block - ahead.contacts.len()];
                let [a, b] = block.bodies;
                ((BodyId(a), BodyId(b)), Some(JointId(block.joint)))
            }
        }
    }

    /// The contacts that hold however wide they have opened, and over which gaps.
    pub(crate) fn spans(&self) -> impl Iterator<Item = (&Key, f64)> {
        self.memory.spans()
    }

    /// The histories of contacts that give way.
    pub(crate) fn recall_strains(&self, contacts: &[Contact<D>]) -> Vec<Strain<D>> {
        self.memory.recall_strains(contacts, &self.materials, self.steps == 0)
    }

    /// Which contacts touched in the last step or have a bridge.
    pub(crate) fn recall_bridges(&self, contacts: &[Contact<D>]) -> Vec<bool> {
        self.memory.recall_bridges(contacts)
    }

    /// Keeps which contacts have touched, or had a bridge and are still near enough.
    fn keep_bridges(&mut self, ahead: &Ahead<D>, r: &[Vector<D>]) {
        if ahead.pulls.is_empty() {
            return;
        }
        let before = self.memory.recall_bridges(&ahead.contacts);
        let keeps = |contact: &Contact<D>| {
            self.attraction(contact).is_some_and(|pull| pull.keeps_bridge(contact.gap))
        };
        let bridged: Vec<bool> = ahead
            .contacts
            .iter()
            .enumerate()
            .map(|(k, contact)| r[k][0] > 0.0 || self.is_closed(contact) || (before[k] && keeps(contact)))
            .collect();
        self.memory.keep_bridges(&ahead.contacts, |k| bridged[k]);
    }

    /// Where the next solve starts: the impulses of the last step, or zero.
    fn start(&self, ahead: &Ahead<D>) -> Impulses<D> {
        if !self.warm_start {
            return vec![Vector::zeros(); ahead.contacts.len() + ahead.joints.len()].into();
        }
        let mut blocks = self.memory.recall(&ahead.contacts, ahead.h);
        blocks.extend(self.joints.recall(&ahead.joints, ahead.h));
        Impulses { blocks, couples: self.memory.recall_couples(&ahead.contacts, ahead.h) }
    }

    /// Solves, and solves again with the limits that a blow in the step has thrown joints beyond.
    fn solve_within_limits(
        &self,
        solver: &AnyMethod,
        assembled: &mut Assembled<D>,
        ahead: &mut Ahead<D>,
    ) -> Result<Solved<D>, StepError> {
        let mut solved = self.solve(solver, assembled, ahead);
        let mut passed = Vec::new();
        let rounds = if self.joints.is_empty() { 0 } else { LIMIT_ROUNDS };
        for _ in 0..rounds {
            let after = After::new(&self.bodies, ahead, &solved.impulses);
            let end = |b| after.end(&self.bodies, ahead, b, self.scheme.theta()).0;
            let beyond = self.joints.passed(&ahead.joints, end);
            if beyond.is_empty() {
                break;
            }
            passed.extend(beyond);
            self.look_at_joints(ahead, &passed);
            *assembled = self.assemble(ahead)?;
            solved = self.solve(solver, assembled, ahead).after(&solved);
        }
        Ok(solved)
    }

    /// Solves, and solves again until the joints are closed at the end of the step.
    fn solve(&self, solver: &AnyMethod, assembled: &mut Assembled<D>, ahead: &mut Ahead<D>) -> Solved<D> {
        let stop = Stop { approach: self.overlap.map(|overlap| overlap / ahead.h), ..self.stop.clone() };
        let mut solved = self.solve_once(solver, assembled, ahead, self.start(ahead), &stop);
        if !self.closes_joints() {
            return solved;
        }
        let mut misses = Misses::new(&self.joints, &self.bodies, ahead, &solved.impulses);
        for _ in 1..JOINT_ROUNDS {
            let Some(problem) = assembled.problem.as_mut().filter(|_| !misses.is_small()) else { break };
            misses.correct(ahead, &mut problem.q[ahead.contacts.len()..]);
            let again = self.solve_once(solver, assembled, ahead, solved.impulses.clone(), &stop);
            let left = Misses::new(&self.joints, &self.bodies, ahead, &again.impulses);
            if !again.converged() || !left.is_less_than(&misses) {
                break;
            }
            solved = again.after(&solved);
            misses = left;
        }
        if misses.is_open() {
            solved.give_up("joints could not be closed: others hold their bodies, or these move farther in a step than the joint is long");
        }
        solved
    }

    /// Solves by the solver, and by `auto` where that misses the tolerance.
    fn solve_once(
        &self,
        solver: &AnyMethod,
        assembled: &Assembled<D>,
        ahead: &Ahead<D>,
        mut impulses: Impulses<D>,
        stop: &Stop,
    ) -> Solved<D> {
        let rolls = rolling::occurs(ahead);
        let mut run = |solver: &AnyMethod| {
            let task = Task { solver, stop, shares: self.keep_residuals };
            if rolls {
                let parts = rolling::Parts { bodies: &self.bodies, ahead, assembled };
                return rolling::solve(&parts, &mut impulses, &task);
            }
            impulses.couples.clear();
            assembled.problem.as_ref().map(|problem| task.solve(problem, &mut impulses.blocks))
        };
        let answer = run(solver);
        let auto = AnyMethod::from(Auto::default());
        let reached = answer.as_ref().is_none_or(|answer| answer.outcome.status == Status::Converged);
        if reached || solver.name() == auto.name() || !self.retry {
            return Solved::new(answer, impulses, solver, false);
        }
        let answer = run(&auto);
        Solved::new(answer, impulses, &auto, true)
    }

    /// The certificate of the step that the bodies have just done.
    fn observe(
        &self,
        ahead: &Ahead<D>,
        assembled: &Assembled<D>,
        flowed: &Flowed<D>,
        solved: Solved<D>,
        moved: &Moved<D>,
    ) -> StepReport {
        let step = Step { ahead, assembled, flowed, impulses: &solved.impulses, moved };
        let account = Account::new(&self.bodies, &self.gravity, &step, self.memory.energy());
        let worst = solved.outcome.as_ref().map(|outcome| self.place(ahead, outcome.residual.worst_contact));
        StepReport {
            time: self.time,
            h: ahead.h,
            contacts: ahead.contacts.len(),
            active: account.active,
            outcome: solved.outcome,
            solver: solved.solver,
            retried: solved.retried,
            worst: worst.map(|(bodies, _)| bodies),
            worst_joint: worst.and_then(|(_, joint)| joint),
            penetration: account.penetration,
            lift: account.lift,
            opening: self.joints.opening(&self.bodies),
            momentum_error: account.momentum.norm(),
            energy: account.ledger,
            seconds: Seconds::default(),
        }
    }
}

/// A stopwatch of laps.
struct Lap(Instant);

impl Lap {
    /// Seconds since the last lap.
    fn end(&mut self) -> f64 {
        let start = std::mem::replace(&mut self.0, Instant::now());
        (self.0 - start).as_secs_f64()
    }
}

/// Impulses of a step, and how they were found.
struct Solved<const D: usize>
where
    Dim<D>: Rigid<D>,
{
    impulses: Impulses<D>,
    outcome: Option<Outcome>,
    /// Of all blocks in the residual; empty unless asked for.
    shares: Vec<f64>,
    solver: &'static str,
    retried: bool,
}

impl<const D: usize> Solved<D>
where
    Dim<D>: Rigid<D>,
{
    fn new(answer: Option<Answer>, impulses: Impulses<D>, solver: &AnyMethod, retried: bool) -> Self {
        let (outcome, shares) = answer.map(|answer| (answer.outcome, answer.shares)).unzip();
        Solved { impulses, outcome, shares: shares.unwrap_or_default(), solver: solver.name(), retried }
    }

    fn converged(&self) -> bool {
        self.outcome.as_ref().is_none_or(|outcome| outcome.status == Status::Converged)
    }

    /// Counts the solve as missed, for a reason.
    fn give_up(&mut self, why: &str) {
        if let Some(outcome) = self.outcome.as_mut().filter(|outcome| outcome.status == Status::Converged) {
            outcome.status = Status::Stalled;
            outcome.notes.push(why.into());
        }
    }

    /// The same, with what was spent before.
    fn after(mut self, before: &Self) -> Self {
        if let (Some(outcome), Some(before)) = (&mut self.outcome, &before.outcome) {
            outcome.iterations += before.iterations;
            outcome.seconds += before.seconds;
        }
        self.retried |= before.retried;
        self
    }
}
