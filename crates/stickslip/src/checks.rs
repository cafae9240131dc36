//! What a world refuses before a step.

use crate::bodies::BodyId;
use crate::contacts::Material;
use crate::error::StepError;
use crate::overlaps::{Overlap, Overlaps};
use crate::rigid::Rigid;
use crate::rolling;
use crate::schemes::Flow;
use crate::world::World;
use stickslip_geometry::space::Dim;
use stickslip_solvers::panel::AnyMethod;

impl<const D: usize> World<D>
where
    Dim<D>: Rigid<D>,
{
    /// The solver of the step, if all is well.
    pub(crate) fn check(&self, h: f64) -> Result<AnyMethod, StepError> {
        if !(h > 0.0 && h.is_finite()) {
            return Err(StepError::StepSize { h });
        }
        for (what, value) in [("overlap", self.overlap), ("travel", self.travel), ("reach", self.reach)] {
            if let Some(value) = value.filter(|x| !(*x > 0.0 && x.is_finite())) {
                return Err(StepError::Setting { what, value });
            }
        }
        self.check_periods()?;
        let scheme = self.scheme.name();
        if let Some(fault) = self.scheme.fault() {
            return Err(StepError::Scheme { scheme, fault });
        }
        let solver = self.solver.clone().unwrap_or_else(|| self.scheme.solver(self.stop.tolerance));
        let interfaces = self.materials.interfaces();
        let Some(flow) = self.scheme.flow().or(interfaces.is_empty().then_some(Flow::Coulomb)) else {
            let fault = "contacts with an interface, which gives way, need the scheme dvi".to_string();
            return Err(StepError::Scheme { scheme, fault });
        };
        if !self.scheme.looks_ahead() && self.materials.widest_pull() > 0.0 {
            let fault = "it sees bodies that touch alone, and none that pull at each other over a gap: choose exact, \
                         fixed-point, convex or dvi, or attraction = { touch = … }"
                .to_string();
            return Err(StepError::Scheme { scheme, fault });
        }
        let rolls = self.materials.resist_rolling();
        if rolls && interfaces.iter().any(|(interface, _)| !interface.is_plain_cone()) {
            let fault =
                "contacts that resist rolling need the plain cone: no cohesion, cap or dilatancy".to_string();
            return Err(StepError::Scheme { scheme, fault });
        }
        let yielding = interfaces.into_iter().flat_map(|(interface, mu)| interface.laws(mu, flow));
        let laws = [self.scheme.law(0.0)].into_iter().chain(yielding);
        let laws = laws.map(|law| if rolls { rolling::law(law, &Material::default()) } else { law }.kind());
        let laws = laws.chain(self.joints.laws());
        for law in laws {
            if !solver.covers().contains(&law) {
                return Err(StepError::Solver { solver: solver.name(), law: law.name(), scheme });
            }
        }
        Ok(solver)
    }

    /// Whether the next step of size h can begin: settings, periods, scheme and solver, forces and velocities of now, and
    /// at the start bodies that overlap where those are refused. The world stays as it is.
    pub fn ready(&mut self, h: f64) -> Result<(), StepError> {
        self.check(h)?;
        if self.steps() == 0 && self.overlapping == Overlaps::Refuse {
            self.begin()?;
        }
        let (v, spin) = (self.bodies.v.clone(), self.bodies.spin.clone());
        self.drive(h);
        let loads = self.loads(h);
        (self.bodies.v, self.bodies.spin) = (v, spin);
        loads.map(drop)
    }

    /// Deals with bodies that overlap before the first step.
    pub(crate) fn begin(&mut self) -> Result<(), StepError> {
        let left = match self.overlapping {
            Overlaps::Accept => None,
            Overlaps::Resolve => self.resolve_overlaps().err(),
            Overlaps::Refuse => {
                self.check_limits()?;
                self.overlaps().first().copied()
            }
        };
        let name = |body: BodyId| self.bodies.name(body.index());
        left.map_or(Ok(()), |Overlap { a, b, depth }| {
            Err(StepError::Overlap {
                a: name(a),
                b: name(b),
                depth,
                jammed: self.overlapping == Overlaps::Resolve,
            })
        })
    }

    fn check_limits(&self) -> Result<(), StepError> {
        let open = self.joints.first_open(&self.bodies);
        open.map_or(Ok(()), |joint| Err(StepError::Limits { joint: self.joints.name(joint) }))
    }

    fn check_periods(&self) -> Result<(), StepError> {
        for (direction, period) in self.periods.0.iter().enumerate() {
            let Some(period) = *period else { continue };
            let wide = |b: usize| {
                let bounds = self.bodies.shape[b].bounds(&self.bodies.shape_pose(b));
                let width = bounds.high[direction] - bounds.low[direction];
                self.bodies.is_free(b) && width.is_finite() && width >= period
            };
            if !(period > 0.0 && period.is_finite()) {
                return Err(StepError::Period { direction, period, body: None });
            }
            if let Some(b) = (0..self.bodies.len()).find(|&b| wide(b)) {
                return Err(StepError::Period { direction, period, body: Some(self.bodies.name(b)) });
            }
        }
        Ok(())
    }
}
