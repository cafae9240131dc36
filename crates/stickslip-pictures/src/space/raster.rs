//! Spheres and triangles into a buffer of what is nearest at each pixel.
//!
//! Nearness is what is linear in the picture: 1 / depth for an eye, minus depth for the sun. Strips of rows are filled
//! in parallel, each by all its parts in one order, so that the same bits come out on any number of threads.

use rayon::prelude::*;

/// Three numbers.
pub type V3 = nalgebra::Vector3<f32>;

/// Rows that one task fills.
const STRIP: usize = 32;
/// Where nothing is.
pub const NOTHING: u32 = u32::MAX;

/// A sphere in the axes of an eye or of the sun.
#[derive(Clone, Copy, Debug)]
pub struct Sphere {
    pub centre: V3,
    pub radius: f32,
    /// What it belongs to.
    pub id: u32,
}

/// A triangle in the same axes.
#[derive(Clone, Copy, Debug)]
pub struct Triangle {
    pub corners: [V3; 3],
    pub id: u32,
}

/// How the axes come to lie in the picture.
#[derive(Clone, Copy, Debug)]
pub enum Lens {
    /// Of an eye: focal length in pixels, and the middle.
    Eye { focal: f32, middle: (f32, f32) },
    /// Of the sun: pixels a unit of length, and the middle.
    Sun { scale: f32, middle: (f32, f32) },
}

impl Lens {
    /// The pixel of a point, and its nearness.
    fn place(&self, p: &V3) -> (f32, f32, f32) {
        match *self {
            Lens::Eye { focal, middle } => {
                let near = 1.0 / p.z;
                (middle.0 + focal * p.x * near, middle.1 + focal * p.y * near, near)
            }
            Lens::Sun { scale, middle } => (middle.0 + scale * p.x, middle.1 + scale * p.y, -p.z),
        }
    }

    /// Where a sphere lies along an axis of the picture: the borders of its outline.
    fn span(&self, c: f32, z: f32, r: f32, second: bool) -> (f32, f32) {
        match *self {
            Lens::Eye { focal, middle } => {
                let middle = if second { middle.1 } else { middle.0 };
                // slopes of the tangents from the eye
                let (side, room) = (r * (c * c + z * z - r * r).max(0.0).sqrt(), z * z - r * r);
                (middle + focal * (c * z - side) / room, middle + focal * (c * z + side) / room)
            }
            Lens::Sun { scale, middle } => {
                let middle = if second { middle.1 } else { middle.0 };
                (middle + scale * (c - r), middle + scale * (c + r))
            }
        }
    }

    /// Nearness of a sphere at the middle of a pixel.
    #[inline(always)]
    fn sphere(&self, sphere: &Sphere, x: f32, y: f32) -> Option<f32> {
        let (c, r) = (&sphere.centre, sphere.radius);
        match *self {
            Lens::Eye { focal, middle } => {
                // |t d - c|² = r² with d = (x, y, 1): its discriminant d² r² - |d × c|² loses no digits
                let d = V3::new((x - middle.0) / focal, (y - middle.1) / focal, 1.0);
                let square = d.norm_squared();
                let under = square * r * r - d.cross(c).norm_squared();
                (under > 0.0).then(|| square / (d.dot(c) - under.sqrt()))
            }
            Lens::Sun { scale, middle } => {
                let (dx, dy) = ((x - middle.0) / scale - c.x, (y - middle.1) / scale - c.y);
                let under = r * r - dx * dx - dy * dy;
                (under > 0.0).then(|| under.sqrt() - c.z)
            }
        }
    }

    /// Nearness of the point of a sphere that is nearest to the lens, or of one nearer still.
    fn nearest(&self, sphere: &Sphere) -> f32 {
        match self {
            Lens::Eye { .. } => 1.0 / (sphere.centre.z - sphere.radius).max(f32::MIN_POSITIVE),
            Lens::Sun { .. } => sphere.radius - sphere.centre.z,
        }
    }
}

/// What is nearest at each pixel, in rows.
#[derive(Debug)]
pub struct Buffer {
    pub width: usize,
    pub near: Vec<f32>,
    pub id: Vec<u32>,
}

/// A part with the rows and columns that it may fill.
struct Binned<'a> {
    part: Part<'a>,
    columns: (usize, usize),
    rows: (usize, usize),
}

enum Part<'a> {
    Sphere(&'a Sphere),
    Triangle([(f32, f32, f32); 3], u32),
}

/// First and last pixel whose middle may be between two borders; none outside of the picture.
fn pixels((low, high): (f32, f32), end: usize) -> Option<(usize, usize)> {
    let (first, last) = ((low - 0.5).ceil().max(0.0), (high - 0.5).floor().min(end as f32 - 1.0));
    (first <= last).then_some((first as usize, last as usize))
}

impl Buffer {
    /// Fills a picture of a size. What is behind an eye must have been left out.
    pub fn fill(lens: &Lens, size: (usize, usize), spheres: &[Sphere], triangles: &[Triangle]) -> Self {
        let (width, height) = size;
        let empty = match lens {
            Lens::Eye { .. } => 0.0,
            Lens::Sun { .. } => f32::NEG_INFINITY,
        };
        let mut buffer =
            Buffer { width, near: vec![empty; width * height], id: vec![NOTHING; width * height] };
        // near spheres first: most of what is behind them is then passed over at once
        let mut order: Vec<&Sphere> = spheres.iter().collect();
        order.par_sort_by(|a, b| lens.nearest(b).total_cmp(&lens.nearest(a)));
        let spheres = order.into_par_iter().filter_map(|sphere| {
            let Sphere { centre: c, radius, .. } = *sphere;
            let columns = pixels(lens.span(c.x, c.z, radius, false), width)?;
            let rows = pixels(lens.span(c.y, c.z, radius, true), height)?;
            Some(Binned { part: Part::Sphere(sphere), columns, rows })
        });
        let triangles = triangles.par_iter().filter_map(|triangle| {
            let corners = triangle.corners.map(|p| lens.place(&p));
            let span = |k: &dyn Fn(&(f32, f32, f32)) -> f32| {
                let values = corners.iter().map(k);
                values.fold((f32::INFINITY, f32::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)))
            };
            let (columns, rows) = (pixels(span(&|c| c.0), width)?, pixels(span(&|c| c.1), height)?);
            Some(Binned { part: Part::Triangle(corners, triangle.id), columns, rows })
        });
        let parts: Vec<Binned> = triangles.chain(spheres).collect();
        let mut strips = vec![Vec::new(); height.div_ceil(STRIP)];
        for (k, part) in parts.iter().enumerate() {
            (part.rows.0 / STRIP..=part.rows.1 / STRIP).for_each(|strip| strips[strip].push(k as u32));
        }
        let (near, id) = (buffer.near.par_chunks_mut(STRIP * width), buffer.id.par_chunks_mut(STRIP * width));
        near.zip(id).zip(&strips).enumerate().for_each(|(strip, ((near, id), list))| {
            let mut rows = Strip { first: strip * STRIP, width, near, id };
            list.iter().for_each(|&k| rows.draw(lens, &parts[k as usize]));
        });
        buffer
    }
}

/// Some rows of a buffer.
struct Strip<'a> {
    first: usize,
    width: usize,
    near: &'a mut [f32],
    id: &'a mut [u32],
}

impl Strip<'_> {
    fn draw(&mut self, lens: &Lens, binned: &Binned) {
        let end = self.first + self.near.len() / self.width;
        for row in binned.rows.0.max(self.first)..(binned.rows.1 + 1).min(end) {
            let start = (row - self.first) * self.width;
            let range = start + binned.columns.0..start + binned.columns.1 + 1;
            let (near, id) = (&mut self.near[range.clone()], &mut self.id[range]);
            let y = row as f32 + 0.5;
            match &binned.part {
                Part::Sphere(sphere) => {
                    let nearest = lens.nearest(sphere);
                    // most rows are wholly behind what is there; looking at all of them at once is fastest
                    if !near.iter().fold(false, |seen, &x| seen | (nearest > x)) {
                        continue;
                    }
                    for (k, (near, id)) in near.iter_mut().zip(id).enumerate() {
                        let x = (binned.columns.0 + k) as f32 + 0.5;
                        if nearest > *near
                            && let Some(new) = lens.sphere(sphere, x, y)
                            && new > *near
                        {
                            (*near, *id) = (new, sphere.id);
                        }
                    }
                }
                Part::Triangle(corners, own) => {
                    let Some(weights) = Weights::of(corners) else { continue };
                    for (k, (near, id)) in near.iter_mut().zip(id).enumerate() {
                        let x = (binned.columns.0 + k) as f32 + 0.5;
                        if let Some(new) = weights.near(corners, x, y)
                            && new > *near
                        {
                            (*near, *id) = (new, *own);
                        }
                    }
                }
            }
        }
    }
}

/// Shares of the corners of a triangle in the picture, seen from either side.
struct Weights {
    area: f32,
}

impl Weights {
    fn of(corners: &[(f32, f32, f32); 3]) -> Option<Self> {
        let area = edge(&corners[0], &corners[1], corners[2].0, corners[2].1);
        (area != 0.0).then_some(Weights { area })
    }

    fn near(&self, corners: &[(f32, f32, f32); 3], x: f32, y: f32) -> Option<f32> {
        let [a, b, c] = corners;
        let shares = [edge(b, c, x, y), edge(c, a, x, y), edge(a, b, x, y)].map(|e| e / self.area);
        let inside = shares.iter().all(|&share| share >= 0.0);
        inside.then(|| shares[0] * a.2 + shares[1] * b.2 + shares[2] * c.2)
    }
}

fn edge(a: &(f32, f32, f32), b: &(f32, f32, f32), x: f32, y: f32) -> f32 {
    (b.0 - a.0) * (y - a.1) - (b.1 - a.1) * (x - a.0)
}
