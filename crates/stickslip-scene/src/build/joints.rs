//! Joints.

use super::Built;
use super::motion::course;
use super::space::{spin, vector};
use crate::format::JointSpec;
use crate::format::LinkSpec;
use crate::reader::{Fault, Placed, Turn};
use crate::scene::Scene;
use stickslip::joints::{Connection, JointFault, Motor};
use stickslip::rigid::Rigid;
use stickslip::{BodyId, Joint};
use stickslip_geometry::space::Dim;

impl Scene {
    pub(super) fn add_joint<const D: usize>(
        &self,
        built: &mut Built<D>,
        placed: &Placed<JointSpec>,
    ) -> Result<(), Fault>
    where
        Dim<D>: Rigid<D>,
    {
        let (spec, spot) = (&placed.value, self.spot(placed));
        let one = |name: &str, key: &str| -> Result<BodyId, Fault> {
            let found = built.require(name).map_err(|fault| fault.at(spot.key(&[key])))?;
            match found[..] {
                [body] => Ok(body),
                _ => {
                    let message =
                        format!("\"{name}\" is a group of {} bodies: a joint takes one", found.len());
                    Err(Fault::new(message).at(spot.key(&[key])))
                }
            }
        };
        let (a, b) = (one(&spec.a, "a")?, one(&spec.b, "b")?);
        let (connection, rope) = connection::<D>(&spec.link);
        let mut joint = Joint::fixed(a, b);
        joint.connection = connection;
        joint.limits = spec.limits.or(rope);
        joint.collides = spec.collides;
        joint.motor =
            spec.motor.as_ref().map(|motor| Motor { speed: course(&motor.speed, |x| *x), most: motor.most });
        joint.name = match (&spec.name, spot.index) {
            (Some(name), Some(index)) => Some(format!("{name}-{index}")),
            (name, _) => name.clone(),
        };
        let joined = built.world.join(joint);
        joined.map(|_| ()).map_err(|error| {
            let keys: &[&str] = match error.fault {
                JointFault::NoBody { .. } | JointFault::OneBody { .. } | JointFault::Immovable { .. } => {
                    &["b"]
                }
                JointFault::Limits { .. } => &["limits"],
                JointFault::NoFreedom { what: "motor", .. }
                | JointFault::Motor { .. }
                | JointFault::Speed { .. } => &["motor"],
                JointFault::NoFreedom { .. } => &["limits"],
                JointFault::Name => &["name"],
                _ => &["link"],
            };
            Fault::new(error.fault.to_string()).at(spot.key(keys))
        })
    }
}

/// A connection, and the limits that a rope has.
fn connection<const D: usize>(link: &LinkSpec) -> (Connection<D>, Option<(f64, f64)>)
where
    Dim<D>: Rigid<D>,
{
    match link {
        LinkSpec::Ball(link) => (Connection::Ball { at: vector(&link.at) }, None),
        LinkSpec::Hinge(link) => {
            let up = Turn(if D == 2 { vec![1.0] } else { vec![0.0, 0.0, 1.0] });
            let axis = spin::<D>(link.axis.as_ref().unwrap_or(&up));
            (Connection::Hinge { at: vector(&link.at), axis }, None)
        }
        LinkSpec::Slider(link) => {
            (Connection::Slider { at: vector(&link.at), axis: vector(&link.axis) }, None)
        }
        LinkSpec::Fixed => (Connection::Fixed, None),
        LinkSpec::Rod(link) => {
            (Connection::Distance { from: vector(&link.from), to: vector(&link.to) }, None)
        }
        LinkSpec::Rope(link) => {
            let ends = Connection::Distance { from: vector(&link.from), to: vector(&link.to) };
            (ends, Some((0.0, link.length)))
        }
    }
}
