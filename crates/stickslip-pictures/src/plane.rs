//! Pictures of the plane: bodies in colour with smooth edges, walls hatched, force chains as lines on top.

use crate::colours::{FIXED, Rgb, WHITE, mix};
use crate::error::PictureError;
use crate::frame::{Depict, Frame};
use crate::overlay::{INK, Sheet, polyline};
use crate::picture::Picture;
use crate::style::Style;
use std::f64::consts::TAU;
use stickslip_geometry::shape::{Bounds, Shape};
use stickslip_geometry::space::{Dim, Pose, Rotation, Vector};
use tiny_skia::{Color, Path, PathBuilder, Pixmap};

/// What lies outside of the world.
const SOLID: Rgb = [228, 230, 234];
/// The rim of a drum, and every other piece of it.
const RIM: [Rgb; 2] = [[92, 98, 110], [150, 156, 167]];
/// Pieces of a rim.
const PIECES: usize = 36;
/// Corners of a round outline.
const CORNERS: usize = 96;

impl Depict<2> for Dim<2> {
    fn angle(rotation: &Rotation<2>) -> f64 {
        rotation.angle()
    }

    fn draw(frame: &Frame<2>, style: &Style<2>) -> Result<Picture, PictureError> {
        let (width, height) = style.size;
        let Some(mut pixmap) = Pixmap::new(width, height) else {
            return Err(PictureError::Size { width, height });
        };
        pixmap.fill(Color::WHITE);
        let sheet = Sheet::new(pixmap);
        let right = if style.legend { sheet.legend_width(&frame.scale) } else { 0.0 };
        let view = View::of(&style.bounds.unwrap_or_else(|| frame.bounds()), style.size, right, sheet.unit);
        let mut drawing = Drawing { sheet, view, pale: if style.chains { 0.45 } else { 0.0 } };
        drawing.bodies(frame);
        if style.chains {
            drawing.chains(frame);
        }
        let Drawing { mut sheet, view, pale } = drawing;
        if style.legend {
            sheet.legend(&frame.scale, pale);
            sheet.scale_bar(view.scale);
            sheet.heading(&style.title, frame.time);
        }
        Ok(Picture::new(sheet.pixmap))
    }
}

/// From the plane to pixels.
#[derive(Clone, Copy, Debug)]
struct View {
    /// Pixels a unit of length.
    scale: f64,
    /// The middle of what is seen, in the plane and in pixels.
    centre: Vector<2>,
    middle: (f64, f64),
    size: (f64, f64),
}

impl View {
    /// Shows a box, with a margin, to the left of a strip.
    fn of(bounds: &Bounds<2>, size: (u32, u32), right: f64, unit: f64) -> Self {
        let size = (f64::from(size.0), f64::from(size.1));
        let margin = 28.0 * unit;
        let room = ((size.0 - right - 2.0 * margin).max(1.0), (size.1 - 2.0 * margin).max(1.0));
        let extent = (bounds.high - bounds.low).map(|x| x.max(1e-300));
        View {
            scale: (room.0 / extent[0]).min(room.1 / extent[1]),
            centre: (bounds.low + bounds.high) * 0.5,
            middle: ((size.0 - right) * 0.5, size.1 * 0.5),
            size,
        }
    }

    fn pixel(&self, x: &Vector<2>) -> (f64, f64) {
        let d = (x - self.centre) * self.scale;
        (self.middle.0 + d[0], self.middle.1 - d[1])
    }

    /// Longer than the way across the picture, in the plane.
    fn far(&self) -> f64 {
        2.0 * (self.size.0 + self.size.1) / self.scale
    }
}

struct Drawing {
    sheet: Sheet,
    view: View,
    /// How much of the colours is white.
    pale: f64,
}

impl Drawing {
    fn bodies(&mut self, frame: &Frame<2>) {
        // what holds the bodies is behind them
        let mut planes = Vec::new();
        for body in &frame.bodies {
            self.ground(&body.shape, &body.pose, &mut planes);
        }
        self.half_planes(&planes);
        for ends in &frame.rods {
            let ends = ends.map(|end| self.view.pixel(&end));
            self.sheet.line(&ends, mix(RIM[0], WHITE, self.pale), 2.0 * self.sheet.unit);
        }
        for body in &frame.bodies {
            let colour = body.value.map_or(FIXED, |value| frame.scale.colour(value));
            self.body(&body.shape, &body.pose, mix(colour, WHITE, self.pale));
        }
    }

    /// Shapes without end; half-planes are gathered, as each ends at the others.
    fn ground(&mut self, shape: &Shape<2>, pose: &Pose<2>, planes: &mut Vec<Pose<2>>) {
        match shape {
            Shape::HalfSpace(_) => planes.push(*pose),
            Shape::HollowBall(hollow) => self.drum(pose, hollow.radius),
            Shape::Compound(compound) => {
                for (part, shape) in &compound.parts {
                    self.ground(shape, &pose.of_part(part), planes);
                }
            }
            _ => {}
        }
    }

    fn half_planes(&mut self, planes: &[Pose<2>]) {
        let far = self.view.far();
        for pose in planes {
            // from the point of the surface that is next to the middle
            let along = pose.to_local(&self.view.centre)[0];
            let corners = [(-far, 0.0), (far, 0.0), (far, -far), (-far, -far)]
                .map(|(x, y)| self.view.pixel(&pose.to_world(&Vector::<2>::new(along + x, y))));
            if let Some(path) = polyline(&corners, true) {
                self.sheet.fill(&path, SOLID);
            }
        }
        for (k, pose) in planes.iter().enumerate() {
            let others = planes.iter().enumerate().filter(|(other, _)| *other != k);
            self.surface(pose, others.map(|(_, other)| other));
        }
    }

    /// The line along a half-plane, where no other one covers it, and hatches below.
    fn surface<'a>(&mut self, pose: &Pose<2>, others: impl Iterator<Item = &'a Pose<2>>) {
        let (far, unit) = (self.view.far(), self.sheet.unit);
        let along = pose.to_local(&self.view.centre)[0];
        let (mut low, mut high) = (along - far, along + far);
        for other in others {
            // how high x(s) = x₀ + s t lies above the other one: at s = 0, and the change with s
            let (start, slope) = (other.to_local(&pose.x)[1], other.turn_to_local(&pose.axis_to_world(0))[1]);
            if slope > 1e-9 {
                low = low.max(-start / slope);
            } else if slope < -1e-9 {
                high = high.min(-start / slope);
            }
        }
        if low >= high {
            return;
        }
        let at = |x: f64, y: f64| self.view.pixel(&pose.to_world(&Vector::<2>::new(x, y)));
        let (width, height) = self.view.size;
        let seen =
            |(x, y): (f64, f64)| (-20.0..width + 20.0).contains(&x) && (-20.0..height + 20.0).contains(&y);
        let (pitch, depth) = (11.0 * unit / self.view.scale, 9.0 * unit / self.view.scale);
        // hatches stay where they are on the surface when the view moves
        let first = ((low + depth) / pitch).ceil() * pitch;
        let hatches: Vec<_> = (0..((high - first) / pitch).max(0.0) as usize)
            .map(|k| first + k as f64 * pitch)
            .map(|x| [at(x, 0.0), at(x - depth, -depth)])
            .filter(|[a, _]| seen(*a))
            .collect();
        let line = [at(low, 0.0), at(high, 0.0)];
        for hatch in hatches {
            self.sheet.line(&hatch, [140, 145, 154], unit);
        }
        self.sheet.line(&line, RIM[0], 2.0 * unit);
    }

    /// A rim of pieces that shows how the drum turns.
    fn drum(&mut self, pose: &Pose<2>, radius: f64) {
        let thick = 0.035 * radius;
        let ring = |angle: f64, r: f64| {
            let point = Vector::<2>::new(angle.cos(), angle.sin()) * r;
            self.view.pixel(&pose.to_world(&point))
        };
        let (steps, piece) = (8, TAU / PIECES as f64);
        let pieces: Vec<Vec<(f64, f64)>> = (0..PIECES)
            .map(|k| {
                // a hair over each other, so that no seam is seen
                let angle = |s: usize| (k as f64 + 1.03 * s as f64 / steps as f64) * piece;
                let inner = (0..=steps).map(|s| ring(angle(s), radius));
                inner.chain((0..=steps).rev().map(|s| ring(angle(s), radius + thick))).collect()
            })
            .collect();
        let corner = |k: usize| TAU * k as f64 / (2 * CORNERS) as f64;
        let edges = [radius, radius + thick]
            .map(|r| (0..2 * CORNERS).map(|k| ring(corner(k), r)).collect::<Vec<_>>());
        for (k, piece) in pieces.iter().enumerate() {
            if let Some(path) = polyline(piece, true) {
                self.sheet.fill(&path, RIM[k % 2]);
            }
        }
        let unit = self.sheet.unit;
        for path in edges.iter().filter_map(|edge| polyline(edge, true)) {
            self.sheet.stroke(&path, RIM[0], 1.5 * unit);
        }
    }

    /// A shape with an end: its outline first, so that the parts of a compound look like one.
    fn body(&mut self, shape: &Shape<2>, pose: &Pose<2>, colour: Rgb) {
        let unit = self.sheet.unit;
        let size = shape.bounds(pose).size() * self.view.scale;
        let edge = mix(colour, INK, 0.62);
        let width = (0.035 * size).clamp(0.6, 1.3 * unit);
        let mut outlines = Vec::new();
        self.outlines(shape, pose, &mut outlines);
        if size > 5.0 {
            outlines.iter().for_each(|path| self.sheet.stroke(path, edge, 2.0 * width));
        }
        outlines.iter().for_each(|path| self.sheet.fill(path, colour));
        match shape {
            Shape::Ball(ball) if size > 9.0 => {
                let rim = pose.x + pose.axis_to_world(0) * ball.radius;
                let spoke = [self.view.pixel(&pose.x), self.view.pixel(&rim)];
                self.sheet.line(&spoke, edge, width);
            }
            Shape::Segment(_) | Shape::Mesh(_) => {
                outlines.iter().for_each(|path| self.sheet.stroke(path, edge, 2.5 * unit));
            }
            _ => {}
        }
    }

    /// The outlines of a shape, in pixels.
    fn outlines(&self, shape: &Shape<2>, pose: &Pose<2>, paths: &mut Vec<Path>) {
        let pixels = |points: &mut dyn Iterator<Item = Vector<2>>| -> Vec<(f64, f64)> {
            points.map(|point| self.view.pixel(&pose.to_world(&point))).collect()
        };
        let path = match shape {
            Shape::Ball(ball) => {
                let (x, y) = self.view.pixel(&pose.x);
                PathBuilder::from_circle(x as f32, y as f32, (ball.radius * self.view.scale) as f32)
            }
            Shape::Capsule(_) | Shape::Ellipsoid(_) | Shape::Superellipsoid(_) => {
                // half a step off the axes, where a capsule's farthest point jumps
                let angle = |k: usize| TAU * (k as f64 + 0.5) / CORNERS as f64;
                let directions = (0..CORNERS).map(|k| Vector::<2>::new(angle(k).cos(), angle(k).sin()));
                polyline(&pixels(&mut directions.filter_map(|n| shape.support(&n))), true)
            }
            Shape::Cuboid(cuboid) => {
                polyline(&pixels(&mut [0, 1, 3, 2].into_iter().map(|k| cuboid.vertex(k))), true)
            }
            Shape::Polytope(polytope) => {
                let mut corners = polytope.vertices().to_vec();
                let middle = corners.iter().sum::<Vector<2>>() / corners.len() as f64;
                let turn = |x: &Vector<2>| (x[1] - middle[1]).atan2(x[0] - middle[0]);
                corners.sort_by(|a, b| turn(a).total_cmp(&turn(b)));
                polyline(&pixels(&mut corners.into_iter()), true)
            }
            Shape::Segment(segment) => {
                let ends = [-1.0, 1.0].map(|s| Vector::<2>::new(s * segment.half_length, 0.0));
                polyline(&pixels(&mut ends.into_iter()), false)
            }
            Shape::Mesh(mesh) => {
                let facets = (0..mesh.facets().len()).map(|facet| mesh.corners(facet));
                paths.extend(facets.filter_map(|ends| polyline(&pixels(&mut ends.into_iter()), false)));
                None
            }
            Shape::Compound(compound) => {
                for (part, shape) in &compound.parts {
                    self.outlines(shape, &pose.of_part(part), paths);
                }
                None
            }
            Shape::HalfSpace(_) | Shape::HollowBall(_) | Shape::HollowCylinder(_) | Shape::Cylinder(_) => {
                None
            }
        };
        paths.extend(path);
    }

    /// Lines as wide as the forces are strong; the strong ones last.
    fn chains(&mut self, frame: &Frame<2>) {
        let strong = frame.strong();
        let free = frame.bodies.iter().filter(|body| body.value.is_some());
        let mut sizes: Vec<f64> = free.map(|body| body.shape.inner_radius()).collect();
        sizes.sort_by(f64::total_cmp);
        let usual = sizes.get(sizes.len() / 2).copied().unwrap_or(0.0);
        let widest = (0.6 * usual * self.view.scale).clamp(2.0, 16.0 * self.sheet.unit);
        let mut chains: Vec<_> = frame.chains.iter().collect();
        chains.sort_by(|a, b| a.force.total_cmp(&b.force));
        for chain in chains {
            let share = (chain.force / strong).min(1.5);
            let width = widest * share;
            if width > 0.15 {
                let ends = chain.ends.map(|end| self.view.pixel(&end));
                self.sheet.line(&ends, mix([120, 60, 60], [150, 12, 36], share), width);
            }
        }
    }
}
