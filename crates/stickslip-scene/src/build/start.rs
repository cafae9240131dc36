//! Whether a world can begin: what the first step would refuse, at the key that is to blame.

use super::Built;
use crate::reader::{Fault, Spot};
use crate::scene::Scene;
use stickslip::overlaps::Overlap;
use stickslip::rigid::Rigid;
use stickslip::{Overlaps, StepError};
use stickslip_geometry::space::Dim;

impl Scene {
    /// Refuses a world whose first step would be refused.
    pub(crate) fn check_start<const D: usize>(&self, built: &mut Built<D>) -> Result<(), Fault>
    where
        Dim<D>: Rigid<D>,
    {
        self.resolve_overlaps(built)?;
        let ready = built.world.ready(self.file.time.value.step);
        ready.map_err(|error| self.blame_start(&error, built))
    }

    /// Moves bodies apart where that is asked for; the first step then finds nothing to do.
    fn resolve_overlaps<const D: usize>(&self, built: &mut Built<D>) -> Result<(), Fault>
    where
        Dim<D>: Rigid<D>,
    {
        if built.world.overlapping != Overlaps::Resolve {
            return Ok(());
        }
        built.world.resolve_overlaps().map_err(|Overlap { a, b, depth }| {
            let [a, b] = [a, b].map(|body| built.world.bodies().name(body.index()));
            let fault =
                format!("bodies {a} and {b} overlap by {depth:.3e}: there is no room to move them apart");
            Fault::new(fault).remedy("give the bodies more space").at(self.spot_of(&b, built).place)
        })
    }

    fn blame_start<const D: usize>(&self, error: &StepError, built: &mut Built<D>) -> Fault
    where
        Dim<D>: Rigid<D>,
    {
        let (root, time) = (self.root(), self.spot(&self.file.time));
        let solver = self.spot(&self.file.solver);
        let plain = || Fault::new(error.to_string());
        match error {
            StepError::Setting { what, value } => {
                let spot = if *what == "travel" { time } else { solver };
                let fault = Fault::new(format!("{what} = {value}"));
                fault.remedy("give a positive number, or leave it out").at(spot.key(&[what]))
            }
            StepError::Period { .. } => plain().at(root.key(&["periods"])),
            StepError::Overlap { a, b, depth, .. } => {
                let more = match built.world.overlaps().len().saturating_sub(1) {
                    0 => String::new(),
                    1 => ", and another pair overlaps".into(),
                    count => format!(", and {count} other pairs overlap"),
                };
                Fault::new(format!("bodies {a} and {b} overlap by {depth:.3e} at the start{more}"))
                    .remedy("place them apart, or write overlaps = \"resolve\"")
                    .at(self.spot_of(b, built).place)
            }
            StepError::Limits { joint } => {
                let joints = built.world.joints();
                let found = (0..joints.len()).find(|&k| joints.name(k) == *joint);
                let place =
                    found.map_or(root.place, |k| self.spot(&self.file.joint[k]).key(&["limits", "link"]));
                Fault::new(format!("joint {joint} is beyond its limits at the start"))
                    .remedy("place its bodies within them, or write overlaps = \"resolve\"")
                    .at(place)
            }
            StepError::Scheme { .. } => plain().at(root.key(&["scheme", "material"])),
            StepError::Solver { .. } if self.file.solver.value.method.is_some() => {
                plain().at(solver.key(&["method"]))
            }
            StepError::Force { body, .. } => {
                plain().at(self.spot_of(body, built).key(&["force", "torque", "guide", "drag"]))
            }
            StepError::Velocity { body, .. } => plain().at(self.spot_of(body, built).key(&["drive", "v"])),
            _ => plain().at(root.place),
        }
    }

    /// The table that a body comes from.
    fn spot_of<const D: usize>(&self, name: &str, built: &Built<D>) -> &Spot
    where
        Dim<D>: Rigid<D>,
    {
        let bodies = built.world.bodies();
        let found = (0..bodies.len()).find(|&b| bodies.name(b) == name);
        found.map_or(self.root(), |b| &self.spots[built.spots[b]])
    }
}
