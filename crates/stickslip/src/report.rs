//! The certificate of a step.

use crate::bodies::BodyId;
use crate::joints::{JointId, Opening};
use serde::{Deserialize, Serialize};
use stickslip_solvers::outcome::{Outcome, Status};

/// How well a step was solved, and where its energy went.
#[derive(Clone, Debug)]
pub struct StepReport {
    /// Time at its end.
    pub time: f64,
    /// Its size.
    pub h: f64,
    /// Contacts that took part.
    pub contacts: usize,
    /// Those that carry an impulse.
    pub active: usize,
    /// The solver's certificate; `None` where nothing touched.
    pub outcome: Option<Outcome>,
    /// The solver that gave it.
    pub solver: &'static str,
    /// Whether the first solver missed the tolerance and `auto` went on from there.
    pub retried: bool,
    /// The bodies of the contact or joint with the largest residual.
    pub worst: Option<(BodyId, BodyId)>,
    /// That joint, if it is one.
    pub worst_joint: Option<JointId>,
    /// Largest overlap where contacts were sought; 0 without one.
    pub penetration: f64,
    /// Largest speed at which a contact that pushes opens beyond what its scheme allows: the lift of sliding contacts
    /// under associated friction.
    pub lift: f64,
    /// How far joints are from closed, or beyond their limits, at the end of the step.
    pub opening: Opening,
    /// Change of momentum that no force and no support accounts for.
    pub momentum_error: f64,
    /// Where the energy went.
    pub energy: Ledger,
    /// Where the time went.
    pub seconds: Seconds,
}

impl StepReport {
    /// Whether the step reached its tolerance.
    pub fn converged(&self) -> bool {
        self.outcome.as_ref().is_none_or(|outcome| outcome.status == Status::Converged)
    }
}

/// Energies at the end of a step, and what changed them; of many steps where ledgers are added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// Kinetic energy.
    pub kinetic: f64,
    /// Potential energy in gravity.
    pub potential: f64,
    /// Elastic energy of contacts that give way.
    pub elastic: f64,
    /// Change of all three in this step.
    pub change: f64,
    /// Work of forces other than gravity.
    pub forces: f64,
    /// Work of bodies that pull at each other.
    pub attraction: f64,
    /// Work of driven bodies on the others.
    pub drives: f64,
    /// Work of the motors of joints.
    pub motors: f64,
    /// Dissipated by drag.
    pub drag: f64,
    /// Dissipated by friction.
    pub friction: f64,
    /// Dissipated by impact, at contacts and at the limits of joints.
    pub impact: f64,
    /// Dissipated by the damping of contacts that give way.
    pub viscous: f64,
    /// Dissipated where contacts are crushed or pulled apart.
    pub plastic: f64,
    /// What the scheme itself gained, or lost if negative; the closing of joints and the pushing apart of overlaps included.
    pub scheme: f64,
}

impl Ledger {
    /// Of the same step, with what other bodies or contacts did.
    pub(crate) fn joined(self, other: &Ledger) -> Self {
        let mut both = self;
        both += *other;
        Ledger {
            kinetic: self.kinetic + other.kinetic,
            potential: self.potential + other.potential,
            elastic: self.elastic + other.elastic,
            ..both
        }
    }

    /// What the entries leave unexplained: rounding.
    pub fn error(&self) -> f64 {
        self.change
            - (self.forces + self.attraction + self.drives + self.motors
                - self.drag
                - self.friction
                - self.impact
                - self.viscous
                - self.plastic
                + self.scheme)
    }
}

impl std::ops::AddAssign for Ledger {
    /// The step after: its energies, and the changes of both.
    fn add_assign(&mut self, next: Ledger) {
        let before = *self;
        *self = Ledger {
            change: before.change + next.change,
            forces: before.forces + next.forces,
            attraction: before.attraction + next.attraction,
            drives: before.drives + next.drives,
            motors: before.motors + next.motors,
            drag: before.drag + next.drag,
            friction: before.friction + next.friction,
            impact: before.impact + next.impact,
            viscous: before.viscous + next.viscous,
            plastic: before.plastic + next.plastic,
            scheme: before.scheme + next.scheme,
            ..next
        };
    }
}

/// Wall time of the parts of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seconds {
    /// Free motion, near bodies and their contacts.
    pub detection: f64,
    /// W, q and laws.
    pub assembly: f64,
    /// The solver, and the one after it.
    pub solve: f64,
    /// Motion and accounts.
    pub advance: f64,
}

impl Seconds {
    /// Of the whole step.
    pub fn all(&self) -> f64 {
        self.detection + self.assembly + self.solve + self.advance
    }
}

impl std::ops::AddAssign for Seconds {
    fn add_assign(&mut self, other: Seconds) {
        self.detection += other.detection;
        self.assembly += other.assembly;
        self.solve += other.solve;
        self.advance += other.advance;
    }
}

impl std::ops::Mul<f64> for Seconds {
    type Output = Seconds;

    fn mul(self, factor: f64) -> Seconds {
        Seconds {
            detection: self.detection * factor,
            assembly: self.assembly * factor,
            solve: self.solve * factor,
            advance: self.advance * factor,
        }
    }
}
