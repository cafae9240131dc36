//! Shapes without end, which hold the others: floors and walls, tubes, hollow balls. Only those of their sides are drawn
//! that face the eye, so that they never hide what they hold. Each ends where it meets another one, and where the scene
//! ends; a floor fades away instead. They throw no shadows.

use super::camera::Eye;
use super::light::Rays;
use super::raster::{Buffer, NOTHING, V3};
use crate::frame::Frame;
use crate::overlay::round_below;
use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;
use std::ops::Range;
use stickslip_geometry::shape::{Bounds, Shape};
use stickslip_geometry::space::Pose;

/// Planes that are this upright or more are floors.
const FLOOR: f64 = 0.7;
/// Two kinds of checks.
const CHECKS: [f32; 2] = [0.86, 0.79];

/// Walls, seen by an eye.
#[derive(Debug)]
pub struct Walls {
    walls: Vec<Wall>,
    /// From the axes of the eye to the world's.
    to_world: Matrix3<f32>,
    eye: V3,
    /// Where walls that are no floors end.
    low: V3,
    high: V3,
    middle: V3,
    radius: f32,
    /// Width of a check.
    pub check: f64,
}

#[derive(Debug)]
struct Wall {
    kind: Kind,
    /// From the axes of the eye to its own.
    turn: Matrix3<f32>,
    /// The eye, in its own axes.
    eye: V3,
    floor: bool,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Plane,
    Tube(f32),
    Ball(f32),
}

/// A point of a wall.
pub struct Hit {
    /// Normal, towards the free side, in the axes of the eye.
    pub normal: V3,
    /// Light that it throws back.
    pub colour: V3,
    /// How much of it has not faded.
    pub share: f32,
}

impl Walls {
    pub fn of(frame: &Frame<3>, eye: &Eye, bounds: &Bounds<3>) -> Self {
        let mut walls = Vec::new();
        for body in &frame.bodies {
            collect(&body.shape, &body.pose, &frame.up, eye, &mut walls);
        }
        let size = bounds.size();
        let grown = bounds.grown(0.012 * size);
        Walls {
            walls,
            to_world: eye.axes.transpose().cast(),
            eye: eye.position.cast(),
            low: grown.low.cast(),
            high: grown.high.cast(),
            middle: ((bounds.low + bounds.high) * 0.5).cast(),
            radius: (0.5 * (bounds.high - bounds.low).norm()) as f32,
            check: round_below(size / 5.0),
        }
    }

    /// Whether a floor is drawn.
    pub fn has_floor(&self) -> bool {
        self.walls.iter().any(|wall| wall.floor)
    }

    /// The number of a wall in a buffer.
    fn id(k: usize) -> u32 {
        NOTHING - 1 - k as u32
    }

    /// Puts walls into a buffer where they are nearest.
    pub fn fill(&self, buffer: &mut Buffer, rays: &Rays) {
        if self.walls.is_empty() {
            return;
        }
        let width = buffer.width;
        let window = self.window(rays);
        let rows = buffer.near.par_chunks_mut(width).zip(buffer.id.par_chunks_mut(width));
        rows.enumerate().for_each(|(y, (near, id))| {
            for (x, (near, id)) in near.iter_mut().zip(id).enumerate() {
                let d = rays.through(x, y);
                let inside = window[0].contains(&(x as f32)) && window[1].contains(&(y as f32));
                for (k, wall) in self.walls.iter().enumerate().filter(|(_, wall)| wall.floor || inside) {
                    if let Some(new) = wall.meets(&d)
                        && new > *near
                        && self.ends_beyond(k, &(d / new))
                    {
                        (*near, *id) = (new, Self::id(k));
                    }
                }
            }
        });
    }

    /// Columns and rows, in fine pixels, where walls that are no floors may be.
    fn window(&self, rays: &Rays) -> [Range<f32>; 2] {
        let mut window = [f32::INFINITY..f32::NEG_INFINITY, f32::INFINITY..f32::NEG_INFINITY];
        for k in 0..8 {
            let corner = V3::from_fn(|i, _| if k >> i & 1 == 1 { self.high[i] } else { self.low[i] });
            let seen = self.to_world.tr_mul(&(corner - self.eye));
            if seen.z <= 0.0 {
                return [f32::NEG_INFINITY..f32::INFINITY, f32::NEG_INFINITY..f32::INFINITY];
            }
            for (range, place) in window.iter_mut().zip(rays.place(&seen)) {
                *range = range.start.min(place - 1.0)..range.end.max(place + 1.0);
            }
        }
        window
    }

    /// Whether a point of a wall is within the scene, and on the free side of all others.
    fn ends_beyond(&self, own: usize, point: &V3) -> bool {
        let within = || {
            let x = self.to_world * point + self.eye;
            (0..3).all(|k| self.low[k] <= x[k] && x[k] <= self.high[k])
        };
        let slack = 1e-3 * self.radius;
        (self.walls[own].floor || within())
            && self.walls.iter().enumerate().all(|(k, wall)| k == own || wall.holds(point, slack))
    }

    /// What is seen of a wall, if a number of a buffer means one.
    pub fn hit(&self, id: u32, point: &V3) -> Option<Hit> {
        let k = NOTHING.checked_sub(1)?.checked_sub(id)? as usize;
        let wall = self.walls.get(k)?;
        let local = wall.turn * point + wall.eye;
        let (normal, checks) = wall.look(&local, self.check as f32);
        let share = if wall.floor {
            let way = (self.to_world * point + self.eye - self.middle).norm() / self.radius;
            let fade = ((way - 1.3) / 2.2).clamp(0.0, 1.0);
            1.0 - fade * fade * (3.0 - 2.0 * fade)
        } else {
            1.0
        };
        let colour = V3::repeat(CHECKS[usize::from(checks)]);
        Some(Hit { normal: wall.turn.transpose() * normal, colour, share })
    }
}

/// The walls of a shape that face the eye.
fn collect(shape: &Shape<3>, pose: &Pose<3>, up: &Vector3<f64>, eye: &Eye, walls: &mut Vec<Wall>) {
    let kind = match shape {
        Shape::HalfSpace(_) => Kind::Plane,
        Shape::HollowCylinder(tube) => Kind::Tube(tube.radius as f32),
        Shape::HollowBall(ball) => Kind::Ball(ball.radius as f32),
        Shape::Compound(compound) => {
            for (part, shape) in &compound.parts {
                collect(shape, &pose.of_part(part), up, eye, walls);
            }
            return;
        }
        _ => return,
    };
    let rotation = pose.rotation.inverse().to_rotation_matrix().into_inner();
    let upright = pose.axis_to_world(2).dot(up);
    let local = pose.to_local(&eye.position);
    let plane = matches!(kind, Kind::Plane);
    walls.push(Wall {
        kind,
        turn: (rotation * eye.axes.transpose()).cast(),
        eye: local.cast(),
        floor: plane && upright > FLOOR,
    });
}

impl Wall {
    /// How near a ray, as long as depth 1, meets the side that faces the eye.
    #[inline(always)]
    fn meets(&self, d: &V3) -> Option<f32> {
        let o = &self.eye;
        let near = match self.kind {
            // linear in the picture
            Kind::Plane => {
                if o.z <= 0.0 {
                    return None;
                }
                -self.height(d) / o.z
            }
            Kind::Tube(r) => {
                let d = self.turn * d;
                leaves(o.xy().norm_squared() - r * r, o.xy().dot(&d.xy()), d.xy().norm_squared())?.recip()
            }
            Kind::Ball(r) => {
                let d = self.turn * d;
                leaves(o.norm_squared() - r * r, o.dot(&d), d.norm_squared())?.recip()
            }
        };
        (near > 0.0).then_some(near)
    }

    /// The last of its own axes along a way.
    #[inline(always)]
    fn height(&self, way: &V3) -> f32 {
        self.turn.m31 * way.x + self.turn.m32 * way.y + self.turn.m33 * way.z
    }

    fn holds(&self, point: &V3, slack: f32) -> bool {
        let place = || self.turn * point + self.eye;
        match self.kind {
            Kind::Plane => self.height(point) + self.eye.z >= -slack,
            Kind::Tube(r) => place().xy().norm() <= r + slack,
            Kind::Ball(r) => place().norm() <= r + slack,
        }
    }

    /// Normal, and which kind of check is at a point, in its own axes.
    fn look(&self, x: &V3, check: f32) -> (V3, bool) {
        let odd = |a: f32, b: f32| (a.floor() as i64 + b.floor() as i64) & 1 == 1;
        // whole checks around
        let around = |r: f32| {
            let checks = 2.0 * (std::f32::consts::PI * r / check).round().max(2.0);
            checks * (x.y.atan2(x.x) / std::f32::consts::TAU)
        };
        match self.kind {
            Kind::Plane => (V3::z(), odd(x.x / check, x.y / check)),
            Kind::Tube(r) => (-V3::new(x.x, x.y, 0.0).normalize(), odd(around(r), x.z / check)),
            Kind::Ball(r) => (-x.normalize(), odd(around(r), (x.z / r).clamp(-1.0, 1.0).asin() * r / check)),
        }
    }
}

/// The larger root t of a t² + 2 b t + c = 0.
fn leaves(c: f32, b: f32, a: f32) -> Option<f32> {
    let under = b * b - a * c;
    (under > 0.0 && a > 0.0).then(|| (under.sqrt() - b) / a)
}
