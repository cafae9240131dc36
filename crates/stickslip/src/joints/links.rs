//! A joint in the frames of its bodies: what its rows are, and how far it is from closed.

use super::block::{Block, Role, Row};
use super::check::check;
use super::closing::CLOSED;
use super::{Connection, Joint, JointFault, Motor, Opening};
use crate::assembly::FreeMotion;
use crate::bodies::Bodies;
use crate::rigid::Rigid;
use std::f64::consts::TAU;
use stickslip_geometry::space::{Dim, Matrix, Pose, Rotation, Space, Spin, Vector};
use stickslip_solvers::laws::{self, Law};

/// Axes of a joint, in the principal axes of a.
#[derive(Clone, Debug)]
enum Kind<const D: usize>
where
    Dim<D>: Space<D>,
{
    Ball,
    Hinge {
        axis: Spin<D>,
        across: Vec<Spin<D>>,
    },
    /// The axis comes first.
    Slider {
        frame: Matrix<D>,
    },
    Fixed,
    /// The length of a rod.
    Distance {
        length: Option<f64>,
    },
}

/// A joint of two bodies.
#[derive(Clone, Debug)]
pub struct Link<const D: usize>
where
    Dim<D>: Space<D>,
{
    pub bodies: [u32; 2],
    /// What turns angles into lengths: the mean radius of gyration of both bodies.
    pub length: f64,
    kind: Kind<D>,
    /// The point of each body.
    at: [Vector<D>; 2],
    /// Orientation of b in a when the joint was made.
    rest: Rotation<D>,
    motor: Option<Motor>,
    /// Infinite where there is none.
    limits: (f64, f64),
    /// Angle of a hinge after the last step, all turns counted.
    pub angle: f64,
}

/// When a step is, and how bodies would move in it.
pub struct Now<'a, const D: usize>
where
    Dim<D>: Rigid<D>,
{
    /// Its middle.
    pub time: f64,
    /// Its size.
    pub h: f64,
    /// Velocities without impulses.
    pub free: &'a FreeMotion<D>,
    /// Slots of limits that take part however far they are.
    pub passed: &'a [u32],
}

/// Limits take part up to this share of the length of the joint beyond twice the way of the free motion, or of the motor: a
/// limit far away would make q large, and the tolerance of the solver is relative to it.
const NEAR: f64 = 0.05;

/// The angle in [−π, π] that differs by whole turns.
fn wrapped(angle: f64) -> f64 {
    angle - TAU * (angle / TAU).round()
}

impl<const D: usize> Link<D>
where
    Dim<D>: Rigid<D>,
{
    /// A joint of bodies where they are now.
    pub fn new(joint: Joint<D>, bodies: &Bodies<D>) -> Result<Self, JointFault> {
        check(&joint, bodies)?;
        let ends = [joint.a, joint.b].map(|body| body.index());
        let poses = ends.map(|b| bodies.pose(b));
        let to_a = Dim::<D>::inverse(&poses[0].rotation);
        let (kind, at) = match &joint.connection {
            Connection::Ball { at } => (Kind::Ball, [*at; 2]),
            Connection::Hinge { at, axis } => {
                let axis =
                    Dim::<D>::axis_to_world(&to_a, &(*axis * (1.0 / Dim::<D>::dot(axis, axis).sqrt())));
                (Kind::Hinge { axis, across: Dim::<D>::axes_across(&axis) }, [*at; 2])
            }
            Connection::Slider { at, axis } => {
                let frame = Dim::<D>::frame(&Dim::<D>::rotate(&to_a, &axis.normalize()));
                (Kind::Slider { frame }, [*at; 2])
            }
            Connection::Fixed => {
                let free: Vec<Vector<D>> =
                    ends.iter().filter(|&&b| bodies.is_free(b)).map(|&b| bodies.x[b]).collect();
                (Kind::Fixed, [free.iter().sum::<Vector<D>>() / free.len() as f64; 2])
            }
            Connection::Distance { from, to } => {
                let length = joint.limits.is_none().then(|| (to - from).norm());
                (Kind::Distance { length }, [*from, *to])
            }
        };
        let mut limits = joint.limits.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        if matches!(kind, Kind::Distance { .. }) && limits.0 <= 0.0 {
            // no distance is negative
            limits.0 = f64::NEG_INFINITY;
        }
        let movers = ends.iter().filter_map(|&b| bodies.mover(b));
        let (linear, angular) = movers.fold((0.0, 0.0), |(linear, angular), mover| {
            (linear + 1.0 / mover.mass, angular + Dim::<D>::mobility(&mover.inertia))
        });
        Ok(Link {
            bodies: [joint.a.0, joint.b.0],
            length: (linear / angular).sqrt(),
            kind,
            at: [poses[0].to_local(&at[0]), poses[1].to_local(&at[1])],
            rest: Dim::<D>::compose(&to_a, &poses[1].rotation),
            motor: joint.motor,
            limits,
            angle: 0.0,
        })
    }

    /// The laws of its blocks.
    pub fn laws(&self) -> impl Iterator<Item = laws::Kind> {
        let limited = self.limits.0.is_finite() || self.limits.1.is_finite();
        let rope = matches!(self.kind, Kind::Distance { length: None });
        let laws = [
            (!rope, laws::Kind::Bilateral),
            (self.motor.is_some(), laws::Kind::Motor),
            (limited, laws::Kind::Frictionless),
        ];
        laws.into_iter().filter(|(occurs, _)| *occurs).map(|(_, law)| law)
    }

    /// The points of both bodies in the world.
    fn points(&self, [a, b]: &[Pose<D>; 2]) -> [Vector<D>; 2] {
        [a.to_world(&self.at[0]), b.to_world(&self.at[1])]
    }

    /// How b is turned against where it would be had it followed a.
    fn turned(&self, [a, b]: &[Pose<D>; 2]) -> Rotation<D> {
        let followed = Dim::<D>::compose(&a.rotation, &self.rest);
        Dim::<D>::compose(&b.rotation, &Dim::<D>::inverse(&followed))
    }

    /// The rows that are locked, each with its error in units of length, and the point at which they act.
    fn locks(&self, poses: &[Pose<D>; 2]) -> (Vector<D>, Vec<(Row<D>, f64)>) {
        let [p_a, p_b] = self.points(poses);
        let apart = p_b - p_a;
        let mut rows = Vec::with_capacity(6);
        let along = |direction: Vector<D>| (Row::Along(direction), direction.dot(&apart));
        let about = |axis: Spin<D>, turn: &Spin<D>| {
            let axis = axis * self.length;
            (Row::About(axis), Dim::<D>::dot(&axis, turn))
        };
        let all = Matrix::<D>::identity();
        match &self.kind {
            Kind::Ball => rows.extend(all.column_iter().map(|axis| along(axis.into()))),
            Kind::Hinge { axis, across } => {
                rows.extend(all.column_iter().map(|axis| along(axis.into())));
                let axis = Dim::<D>::axis_to_world(&poses[0].rotation, axis);
                // what is left of the turn without that about the axis
                let turned = self.turned(poses);
                let back = Dim::<D>::turn(&Dim::<D>::identity(), &axis, -Dim::<D>::twist(&turned, &axis));
                let swing = Dim::<D>::turn_of(&Dim::<D>::compose(&turned, &back));
                let to_world = |axis| Dim::<D>::axis_to_world(&poses[0].rotation, axis);
                rows.extend(across.iter().map(|across| about(to_world(across), &swing)));
            }
            Kind::Slider { frame } => {
                let turn = Dim::<D>::turn_of(&self.turned(poses));
                rows.extend(Dim::<D>::axes().into_iter().map(|axis| about(axis, &turn)));
                let across = frame.column_iter().skip(1);
                rows.extend(across.map(|across| along(poses[0].turn_to_world(&across.into()))));
            }
            Kind::Fixed => {
                rows.extend(all.column_iter().map(|axis| along(axis.into())));
                let turn = Dim::<D>::turn_of(&self.turned(poses));
                rows.extend(Dim::<D>::axes().into_iter().map(|axis| about(axis, &turn)));
            }
            Kind::Distance { length: Some(length) } => {
                rows.push((Row::Along(direction(&apart)), apart.norm() - length));
            }
            Kind::Distance { length: None } => {}
        }
        let point = match self.kind {
            // across an axis that turns with a, b moves against the point of a that is there
            Kind::Slider { .. } => p_b,
            // one point for both bodies, so that angular momentum stays
            _ => (p_a + p_b) * 0.5,
        };
        (point, rows)
    }

    /// The ends of a rod or a rope.
    pub fn distance(&self, poses: &[Pose<D>; 2]) -> Option<[Vector<D>; 2]> {
        matches!(self.kind, Kind::Distance { .. }).then(|| self.points(poses))
    }

    /// Angle, way or length.
    pub fn coordinate(&self, poses: &[Pose<D>; 2]) -> Option<f64> {
        let [p_a, p_b] = self.points(poses);
        match &self.kind {
            Kind::Hinge { axis, .. } => {
                let axis = Dim::<D>::axis_to_world(&poses[0].rotation, axis);
                let angle = Dim::<D>::twist(&self.turned(poses), &axis);
                Some(self.angle + wrapped(angle - self.angle))
            }
            Kind::Slider { frame } => Some(poses[0].turn_to_world(&frame.column(0).into()).dot(&(p_b - p_a))),
            Kind::Distance { .. } => Some((p_b - p_a).norm()),
            Kind::Ball | Kind::Fixed => None,
        }
    }

    /// The row whose integral is the coordinate, times `unit`.
    fn free_row(&self, poses: &[Pose<D>; 2]) -> Row<D> {
        let [p_a, p_b] = self.points(poses);
        match &self.kind {
            Kind::Hinge { axis, .. } => {
                Row::About(Dim::<D>::axis_to_world(&poses[0].rotation, axis) * self.length)
            }
            Kind::Slider { frame } => Row::Along(poses[0].turn_to_world(&frame.column(0).into())),
            Kind::Distance { .. } => Row::Along(direction(&(p_b - p_a))),
            Kind::Ball | Kind::Fixed => Row::Free,
        }
    }

    /// What turns the coordinate into a length.
    fn unit(&self) -> f64 {
        if matches!(self.kind, Kind::Hinge { .. }) { self.length } else { 1.0 }
    }

    /// The signs of the rows of its limits, and how far they are, in units of length.
    fn gaps(&self, poses: &[Pose<D>; 2]) -> impl Iterator<Item = (f64, f64)> {
        let at = self.coordinate(poses).unwrap_or(0.0);
        let unit = self.unit();
        let limits = [(1.0, self.limits.0), (-1.0, self.limits.1)];
        let real = limits.into_iter().filter(|(_, limit)| limit.is_finite());
        real.map(move |(sign, limit)| (sign, sign * (at - limit) * unit))
    }

    /// Number of blocks at most.
    pub fn slots(&self) -> usize {
        let poses = [Pose::identity(); 2];
        let (_, rows) = self.locks(&poses);
        rows.len().div_ceil(D) + usize::from(self.motor.is_some()) + self.gaps(&poses).count()
    }

    /// The blocks of a step of size h about a time, whose errors at these poses close in the step; limits only where
    /// the free motion or the motor comes near them, or where they are asked for.
    pub fn add_blocks(
        &self,
        (joint, first): (u32, u32),
        at: &[Pose<D>; 2],
        now: &Now<D>,
        to: &mut Vec<Block<D>>,
    ) {
        let (point, locks) = self.locks(at);
        let mut slot = first;
        let mut block = |role: Role, law: Law, rows: &[Row<D>], shift: &[f64]| {
            let rows = padded(rows, Row::Free);
            let mut block = Block::new((joint, slot), self.bodies, (role, law), &rows, &point, at);
            block.shift = padded(shift, 0.0).into();
            slot += 1;
            block
        };
        for part in locks.chunks(D) {
            let (rows, errors): (Vec<Row<D>>, Vec<f64>) =
                part.iter().map(|(row, error)| (*row, error / now.h)).unzip();
            to.push(block(Role::Lock, Law::locked(part.len() as u8), &rows, &errors));
        }
        let row = self.free_row(at);
        let mut driven: f64 = 0.0;
        if let Some(motor) = &self.motor {
            let law = Law::motor(motor.most * now.h / self.unit());
            driven = motor.speed.at(now.time) * self.unit();
            to.push(block(Role::Motor, law, &[row], &[-driven]));
        }
        for (sign, gap) in self.gaps(at) {
            let row = match row {
                Row::Along(direction) => Row::Along(direction * sign),
                Row::About(axis) => Row::About(axis * sign),
                Row::Free => Row::Free,
            };
            let limit = block(Role::Limit, Law::frictionless(), &[row], &[gap / now.h]);
            let way = limit.velocity(&now.free.v, &now.free.spin)[0].abs().max(driven.abs()) * now.h;
            if gap <= 2.0 * way + NEAR * self.length || now.passed.contains(&limit.slot) {
                to.push(limit);
            }
        }
    }

    /// The limits that it is beyond, counted among its slots.
    pub fn passed(&self, poses: &[Pose<D>; 2]) -> impl Iterator<Item = u32> {
        let first = self.slots() - self.gaps(poses).count();
        let passed = move |(k, (_, gap)): (usize, (f64, f64))| {
            (gap < -CLOSED * self.length).then_some((first + k) as u32)
        };
        self.gaps(poses).enumerate().filter_map(passed)
    }

    /// The errors of all blocks that there may be; 0 for a motor.
    pub fn add_errors(&self, poses: &[Pose<D>; 2], errors: &mut Vec<Vector<D>>) {
        let (_, locks) = self.locks(poses);
        for part in locks.chunks(D) {
            let part: Vec<f64> = part.iter().map(|(_, error)| *error).collect();
            errors.push(padded(&part, 0.0).into());
        }
        errors.extend(self.motor.iter().map(|_| Vector::zeros()));
        errors.extend(self.gaps(poses).map(|(_, gap)| Vector::from(padded(&[gap], 0.0))));
    }

    /// How far the joint is from closed, and beyond its limits.
    pub fn opening(&self, poses: &[Pose<D>; 2]) -> Opening {
        let (mut position, mut angle) = (0.0, 0.0);
        for (row, error) in self.locks(poses).1 {
            match row {
                Row::About(_) => angle += (error / self.length).powi(2),
                Row::Along(_) | Row::Free => position += error * error,
            }
        }
        let beyond = self.gaps(poses).map(|(_, gap)| -gap / self.unit()).fold(0.0, f64::max);
        let mut opening = Opening { position: f64::sqrt(position), angle: f64::sqrt(angle) };
        let side =
            if matches!(self.kind, Kind::Hinge { .. }) { &mut opening.angle } else { &mut opening.position };
        *side = side.max(beyond);
        opening
    }

    /// Follows the angle of a hinge.
    pub fn count_turns(&mut self, poses: &[Pose<D>; 2]) {
        if matches!(self.kind, Kind::Hinge { .. }) {
            self.angle = self.coordinate(poses).unwrap_or(0.0);
        }
    }
}

/// The first entries, and then others.
fn padded<T: Copy, const D: usize>(first: &[T], others: T) -> [T; D] {
    std::array::from_fn(|k| first.get(k).copied().unwrap_or(others))
}

/// The direction of a distance; any where there is none.
fn direction<const D: usize>(apart: &Vector<D>) -> Vector<D> {
    apart.try_normalize(0.0).unwrap_or_else(|| stickslip_geometry::space::axis(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bodies::{Body, BodyId, Course};
    use stickslip_geometry::shape::{Ball, Shape};

    /// The rows of a closed joint are the derivatives of its errors.
    fn follows<const D: usize>(joint: Joint<D>, spin: [Spin<D>; 2])
    where
        Dim<D>: Rigid<D>,
    {
        let mut bodies = Bodies::<D>::default();
        for x in [0.0, 0.7] {
            let ball = Shape::Ball(Ball { radius: 0.2 + 0.1 * x });
            bodies.add(Body::new(ball, Pose::at(Vector::repeat(x))), 0).unwrap();
        }
        let v = [Vector::from_fn(|k, _| 0.3 - 0.2 * k as f64), Vector::from_fn(|k, _| 0.5 * k as f64 - 0.4)];
        let link = Link::new(joint, &bodies).unwrap();
        let at = |time: f64| {
            [0, 1].map(|b| Pose {
                x: bodies.x[b] + v[b] * time,
                rotation: Dim::<D>::turn(&bodies.rotation[b], &spin[b], time),
            })
        };
        let errors = |time: f64| {
            let mut errors = Vec::new();
            link.add_errors(&at(time), &mut errors);
            errors
        };
        let free = FreeMotion { v: v.to_vec(), spin: spin.to_vec() };
        let mut blocks = Vec::new();
        link.add_blocks((0, 0), &at(0.0), &Now { time: 0.0, h: 1.0, free: &free, passed: &[] }, &mut blocks);
        assert_eq!(blocks.len(), link.slots());
        let step = 1e-5;
        let (before, after) = (errors(-step), errors(step));
        for block in blocks.iter().filter(|block| block.role != Role::Motor) {
            let slot = block.slot as usize;
            let slope = (after[slot] - before[slot]) / (2.0 * step);
            let u = block.velocity(&free.v, &free.spin);
            assert!((slope - u).norm() < 1e-9, "{:?}, block {slot}: {slope} and {u}", link.kind);
        }
    }

    #[test]
    fn rows_are_derivatives_of_errors() {
        let (a, b) = (BodyId(0), BodyId(1));
        let flat = Vector::<2>::new(0.4, 0.1);
        let slow = Course::Constant(0.5);
        for joint in [
            Joint::ball(a, b, flat),
            Joint::pin(a, b, flat).limited(-0.1, 0.1).driven(slow.clone(), 1.0),
            Joint::slider(a, b, flat, Vector::<2>::new(1.0, 2.0))
                .limited(-0.1, 0.1)
                .driven(slow.clone(), 1.0),
            Joint::fixed(a, b),
            Joint::rod(a, b, flat, Vector::<2>::new(1.0, 1.0)),
            Joint::rope(a, b, flat, Vector::<2>::new(1.0, 1.0), 1.2),
        ] {
            follows(joint, [0.7, -0.4]);
        }
        let point = Vector::<3>::new(0.4, 0.1, -0.2);
        let axis = Vector::<3>::new(1.0, 2.0, -0.5);
        for joint in [
            Joint::ball(a, b, point),
            Joint::hinge(a, b, point, axis).limited(-0.1, 0.1).driven(slow.clone(), 1.0),
            Joint::slider(a, b, point, axis).limited(-0.1, 0.1).driven(slow.clone(), 1.0),
            Joint::fixed(a, b),
            Joint::rod(a, b, point, Vector::<3>::new(1.0, 1.0, 0.5)),
            Joint::rope(a, b, point, Vector::<3>::new(1.0, 1.0, 0.5), 1.4),
        ] {
            follows(joint, [Vector::<3>::new(0.7, 0.1, -0.3), Vector::<3>::new(-0.4, 0.2, 0.6)]);
        }
    }
}
