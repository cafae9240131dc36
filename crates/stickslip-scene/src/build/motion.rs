//! How bodies move, and the forces on them.

use super::space::{spin, vector};
use crate::format::{BodySpec, CourseSpec};
use crate::reader::{Fault, Spot};
use stickslip::bodies::Course;
use stickslip::rigid::Rigid;
use stickslip::{BodyId, Force, Motion};
use stickslip_geometry::space::{Dim, Spin, Vector};

/// How a body moves.
pub(super) fn motion<const D: usize>(spec: &BodySpec) -> Result<Motion<D>, Fault>
where
    Dim<D>: Rigid<D>,
{
    if spec.fixed && (spec.v.is_some() || spec.spin.is_some()) {
        let fault = Fault::new("a body that is fixed does not move");
        return Err(fault.remedy(
            "leave out v and spin, or write drive = { v = { constant = … } } in the place of fixed",
        ));
    }
    match (spec.fixed, &spec.drive, &spec.guide) {
        (false, None, None) => Ok(Motion::Free),
        (true, None, None) => Ok(Motion::Fixed),
        (false, Some(drive), None) => Ok(Motion::Driven {
            v: drive
                .v
                .as_ref()
                .map_or(Course::Constant(Vector::zeros()), |course| self::course(course, vector)),
            spin: drive
                .spin
                .as_ref()
                .map_or(Course::Constant(Spin::<D>::default()), |course| self::course(course, spin::<D>)),
        }),
        (false, None, Some(guide)) => Ok(Motion::Guided {
            along: vector(&guide.along),
            force: guide.force.as_ref().map_or(Course::Constant(0.0), |course| self::course(course, |x| *x)),
        }),
        _ => Err(Fault::new("a body is fixed, driven or guided, not several of them")),
    }
}

/// A course in the world's numbers.
pub(super) fn course<S, T>(course: &CourseSpec<S>, convert: impl Fn(&S) -> T) -> Course<T> {
    match course {
        CourseSpec::Constant(value) => Course::Constant(convert(value)),
        CourseSpec::Cosine(cosine) => Course::Cosine {
            amplitude: convert(&cosine.amplitude),
            frequency: cosine.frequency,
            phase: cosine.phase,
        },
        CourseSpec::Ramp(ramp) => Course::Ramp {
            from: convert(&ramp.from),
            to: convert(&ramp.to),
            begin: ramp.begin,
            end: ramp.end,
        },
        CourseSpec::Table(rows) => {
            Course::Table(rows.iter().map(|(time, value)| (*time, convert(value))).collect())
        }
    }
}

/// The force and the torque on a body, if it is given one.
pub(super) fn force<const D: usize>(
    spec: &BodySpec,
    spot: &Spot,
    body: BodyId,
) -> Result<Option<Force<D>>, Fault>
where
    Dim<D>: Rigid<D>,
{
    if spec.force.is_none() && spec.torque.is_none() {
        return Ok(None);
    }
    let place = || spot.key(&["force", "torque"]);
    if spec.fixed || spec.drive.is_some() {
        let fault = Fault::new("no force moves a body that is fixed or driven");
        return Err(fault.remedy("leave out the force, or let the body go").at(place()));
    }
    let force = spec.force.as_ref().map_or(Course::Constant(Vector::zeros()), |f| course(f, vector));
    let torque =
        spec.torque.as_ref().map_or(Course::Constant(Spin::<D>::default()), |t| course(t, spin::<D>));
    if let Some(fault) = force.fault().or_else(|| torque.fault()) {
        return Err(Fault::new(fault).at(place()));
    }
    Ok(Some(Box::new(move |_, time, loads| {
        let load = &mut loads[body.index()];
        load.0 += force.at(time);
        load.1 += torque.at(time);
    })))
}
