//! What a joint must be.

use super::{Connection, Joint, JointFault};
use crate::bodies::Bodies;
use crate::rigid::Rigid;
use stickslip_geometry::space::{Dim, Space, Vector};

/// Refuses what cannot be.
pub fn check<const D: usize>(joint: &Joint<D>, bodies: &Bodies<D>) -> Result<(), JointFault>
where
    Dim<D>: Rigid<D>,
{
    for body in [joint.a.index(), joint.b.index()] {
        if body >= bodies.len() {
            return Err(JointFault::NoBody { body, bodies: bodies.len() });
        }
    }
    let (a, b) = (joint.a.index(), joint.b.index());
    if a == b {
        return Err(JointFault::OneBody { body: bodies.name(a) });
    }
    if !bodies.is_free(a) && !bodies.is_free(b) {
        return Err(JointFault::Immovable { a: bodies.name(a), b: bodies.name(b) });
    }
    let finite = |what: &'static str, v: &Vector<D>| {
        if v.iter().all(|x| x.is_finite()) { Ok(()) } else { Err(JointFault::NotFinite { what }) }
    };
    let (kind, moves) = match &joint.connection {
        Connection::Ball { at } => {
            finite("point", at)?;
            ("ball", false)
        }
        Connection::Hinge { at, axis } => {
            finite("point", at)?;
            if !Dim::<D>::is_finite(axis) {
                return Err(JointFault::NotFinite { what: "axis" });
            }
            direction_of(Dim::<D>::dot(axis, axis))?;
            ("hinge", true)
        }
        Connection::Slider { at, axis } => {
            finite("point", at)?;
            finite("axis", axis)?;
            direction_of(axis.norm_squared())?;
            ("slider", true)
        }
        Connection::Fixed => ("fixed", false),
        Connection::Distance { from, to } => {
            finite("first point", from)?;
            finite("second point", to)?;
            let length = joint.limits.map_or((to - from).norm(), |(_, high)| high);
            if length.is_nan() || length <= 0.0 {
                return Err(JointFault::Length { length });
            }
            ("distance", false)
        }
    };
    if let Some((low, high)) = joint.limits {
        if !moves && !matches!(joint.connection, Connection::Distance { .. }) {
            let remedy = "hinges, sliders and distances have them";
            return Err(JointFault::NoFreedom { what: "limits", kind, remedy });
        }
        let some = low.is_finite() || high.is_finite();
        if low.is_nan() || high.is_nan() || low > high || !some {
            return Err(JointFault::Limits { low, high });
        }
    }
    if let Some(motor) = &joint.motor {
        if !moves {
            let remedy = "hinges and sliders have one";
            return Err(JointFault::NoFreedom { what: "motor", kind, remedy });
        }
        if motor.most.is_nan() || motor.most < 0.0 {
            return Err(JointFault::Motor { most: motor.most });
        }
        if let Some(fault) = motor.speed.fault() {
            return Err(JointFault::Speed { fault });
        }
        if !motor.speed.at(0.0).is_finite() {
            return Err(JointFault::NotFinite { what: "speed" });
        }
    }
    Ok(())
}

fn direction_of(squared: f64) -> Result<(), JointFault> {
    if squared > 0.0 { Ok(()) } else { Err(JointFault::Axis) }
}
