//! Light: a sun with soft shadows, a sky, and the dark of crevices.

use super::camera::{Eye, direction};
use super::raster::{Buffer, Lens, NOTHING, Sphere, Triangle, V3};
use super::scene::{Scene, light};
use super::walls::{Hit, Walls};
use crate::style::Camera;
use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;
use stickslip_geometry::shape::Bounds;

/// Pixels of the shadow map along each side, at most.
const MAP: usize = 2048;
/// Fine pixels a pixel, along each axis.
pub const FINE: usize = 2;
/// Places around a point where shadows and crevices are looked for, on a spiral: a quarter for each fine pixel.
const PLACES: usize = 32;
/// Light of the sun, of the sky above, and from below.
const SUN: f32 = 0.80;
const SKY: f32 = 0.54;
const GROUND: f32 = 0.30;
/// Half the width of a seam over the radius, and the light that it throws back.
const SEAM: f32 = 0.07;
const SEAM_LIGHT: f32 = 0.55;
/// A gloss.
const GLOSS: f32 = 0.06;

/// The sun's view of the scene.
#[derive(Debug)]
pub struct Sun {
    /// Towards it, in the axes of the eye.
    direction: V3,
    /// From the axes of the eye to the sun's.
    turn: Matrix3<f32>,
    shift: V3,
    /// Pixels of its map a unit of length.
    scale: f32,
    map: Buffer,
}

/// Pixels of the shadow map along each side, for a picture whose longer side has some.
fn map_side(longer: usize) -> usize {
    (8 * longer / 5).next_multiple_of(256).min(MAP)
}

impl Sun {
    /// Looks at a box, for a picture whose longer side has some pixels.
    pub fn over(
        bounds: &Bounds<3>,
        scene: &Scene,
        eye: &Eye,
        (camera, longer): (&Camera, usize),
        up: &Vector3<f64>,
    ) -> Self {
        let (left, height) = camera.sun;
        let towards = direction(up, camera.azimuth - left, height.clamp(1.0, 89.0));
        let x = towards.cross(up).normalize();
        let axes = Matrix3::from_rows(&[x.transpose(), towards.cross(&x).transpose(), -towards.transpose()]);
        let turn = axes * eye.axes.transpose();
        let middle = (bounds.low + bounds.high) * 0.5;
        let shift = axes * (eye.position - middle);
        let (turn, shift) = (turn.cast::<f32>(), shift.cast::<f32>());
        let radius = 0.52 * (bounds.high - bounds.low).norm();
        let side = map_side(longer);
        let scale = (0.5 * side as f64 / radius) as f32;
        let place = |x: &V3| turn * x + shift;
        let spheres: Vec<Sphere> =
            scene.spheres.par_iter().map(|s| Sphere { centre: place(&s.centre), ..*s }).collect();
        let triangles: Vec<Triangle> = scene
            .triangles
            .par_iter()
            .map(|t| Triangle { corners: t.corners.map(|x| place(&x)), id: t.id })
            .collect();
        let half = 0.5 * side as f32;
        let lens = Lens::Sun { scale, middle: (half, half) };
        let map = Buffer::fill(&lens, (side, side), &spheres, &triangles);
        Sun { direction: eye.turn(&towards).cast(), turn, shift, scale, map }
    }

    /// The part of the sun that is seen from a point, by some of the places around it.
    fn seen_from(&self, point: &V3, normal: &V3, places: &[(f32, f32)]) -> f32 {
        let texel = 1.0 / self.scale;
        // off the surface, so that it does not shade itself
        let slant = 1.0 - normal.dot(&self.direction).clamp(0.0, 1.0);
        let q = self.turn * (point + normal * (texel * (1.0 + 2.5 * slant))) + self.shift;
        let side = self.map.width;
        let half = 0.5 * side as f32;
        let (x, y) = (q.x * self.scale + half, q.y * self.scale + half);
        let mut dark = 0;
        for (dx, dy) in places {
            let (column, row) = (x + 2.2 * dx, y + 2.2 * dy);
            let inside = |c: f32| c >= 0.0 && c < side as f32;
            if inside(column) && inside(row) {
                let near = self.map.near[row as usize * side + column as usize];
                dark += usize::from(near > texel - q.z);
            }
        }
        1.0 - dark as f32 / places.len() as f32
    }
}

/// Places around a point within the unit circle, one list for each fine pixel.
#[derive(Debug)]
pub struct Places([[(f32, f32); PLACES / 4]; 4]);

impl Places {
    pub fn on_a_spiral() -> Self {
        let place = |k: usize| {
            let share = (k as f32 + 0.5) / PLACES as f32;
            let angle = 2.399_963_2 * k as f32; // the golden angle
            (share.sqrt() * angle.cos(), share.sqrt() * angle.sin())
        };
        Places(std::array::from_fn(|quarter| std::array::from_fn(|k| place(4 * k + quarter))))
    }
}

/// All that shading needs to know.
pub struct Studio<'a> {
    pub scene: &'a Scene,
    pub walls: &'a Walls,
    pub sun: &'a Sun,
    pub buffer: &'a Buffer,
    pub rays: Rays,
    pub up: V3,
    pub places: Places,
}

/// Ways through the middles of fine pixels.
#[derive(Clone, Copy, Debug)]
pub struct Rays {
    middle: (f32, f32),
    focal: f32,
    inverse: f32,
}

impl Rays {
    pub fn of(eye: &Eye) -> Self {
        let middle = (eye.middle.0 as f32, eye.middle.1 as f32);
        Rays { middle, focal: eye.focal as f32, inverse: eye.focal.recip() as f32 }
    }

    /// Where a point is seen, column and row.
    pub fn place(&self, point: &V3) -> [f32; 2] {
        let along = |x: f32, middle: f32| middle + self.focal * x / point.z;
        [along(point.x, self.middle.0), along(point.y, self.middle.1)]
    }

    /// As long as depth 1.
    #[inline(always)]
    pub fn through(&self, x: usize, y: usize) -> V3 {
        let along = |k: usize, middle: f32| (k as f32 + 0.5 - middle) * self.inverse;
        V3::new(along(x, self.middle.0), along(y, self.middle.1), 1.0)
    }
}

/// What is behind everything, at a share of the height from above.
pub fn background(share: f32) -> V3 {
    light([238, 242, 247]) * (1.0 - share) + light([252, 252, 253]) * share
}

/// The fine pixels of a pixel. Where all four show the same part, two across stand for them, unless bodies are so large,
/// in fine pixels, that fewer places around a point would show as bands.
const ALL: [usize; 4] = [0, 1, 2, 3];
const ACROSS: [usize; 2] = [0, 3];
const LARGE: f32 = 32.0;

impl Studio<'_> {
    /// The light of a pixel: the mean of its fine pixels.
    pub fn pixel(&self, x: usize, y: usize, background: &V3) -> V3 {
        let fine = |quarter: usize| (FINE * x + quarter % FINE, FINE * y + quarter / FINE);
        let (first, id) = (FINE * y * self.buffer.width + FINE * x, &self.buffer.id);
        let below = first + self.buffer.width;
        let [a, b, c, d] = [id[first], id[first + 1], id[below], id[below + 1]];
        let alike = a == b && c == d && a == c;
        if alike && a == NOTHING {
            return *background;
        }
        let few = alike && self.reach_in_pixels(self.buffer.near[first]) < LARGE;
        let shown: &[usize] = if few { &ACROSS } else { &ALL };
        let lights = shown.iter().map(|&quarter| self.fine_pixel(fine(quarter), quarter, background));
        lights.sum::<V3>() / shown.len() as f32
    }

    fn fine_pixel(&self, (x, y): (usize, usize), quarter: usize, background: &V3) -> V3 {
        let at = y * self.buffer.width + x;
        let id = self.buffer.id[at];
        if id == NOTHING {
            return *background;
        }
        let ray = self.rays.through(x, y);
        let point = ray / self.buffer.near[at];
        if let Some(hit) = self.walls.hit(id, &point) {
            let lit = hit.colour * self.wall_light(&point, &hit, (x, y), quarter);
            return lit * hit.share + background * (1.0 - hit.share);
        }
        let normal = self.normal(id as usize, &ray, &point);
        self.lit(&point, &normal, &self.colour(id as usize, &normal), (x, y), quarter, GLOSS)
    }

    /// Of a part; darker along the seams of a sphere.
    fn colour(&self, id: usize, normal: &V3) -> V3 {
        let seams = id.checked_sub(self.scene.triangles.len()).and_then(|sphere| self.scene.seams[sphere]);
        let seam = seams.is_some_and(|axes| axes.iter().any(|axis| axis.dot(normal).abs() < SEAM));
        self.scene.colours[id] * if seam { SEAM_LIGHT } else { 1.0 }
    }

    /// Of a sphere or a triangle, on the side that is seen.
    fn normal(&self, id: usize, ray: &V3, point: &V3) -> V3 {
        let scene = self.scene;
        let normal = if let Some(sphere) = id.checked_sub(scene.triangles.len()) {
            point - scene.spheres[sphere].centre
        } else {
            // shares of the corners: the ray as a sum of the ways to them
            let [a, b, c] = scene.triangles[id].corners;
            let shares = [ray.dot(&b.cross(&c)), ray.dot(&c.cross(&a)), ray.dot(&a.cross(&b))];
            let [p, q, r] = scene.normals[id];
            (p * shares[0] + q * shares[1] + r * shares[2]) / a.dot(&b.cross(&c))
        };
        let normal = normal.try_normalize(0.0).unwrap_or_else(|| -ray.normalize());
        if normal.dot(ray) > 0.0 && id < scene.triangles.len() { -normal } else { normal }
    }

    /// Walls are only lit as much as they show shadows: the bodies before them matter.
    fn wall_light(&self, point: &V3, hit: &Hit, at: (usize, usize), quarter: usize) -> f32 {
        let towards = self.sun.direction.dot(&hit.normal);
        let sun =
            if towards > 0.0 { self.sun.seen_from(point, &hit.normal, &self.places.0[quarter]) } else { 0.0 };
        let upright = hit.normal.dot(&self.up).max(0.0);
        let sky = (0.72 - 0.14 * upright) * self.open(point, &hit.normal, at, quarter);
        sky + 0.36 * sun * (0.3 + 0.7 * upright)
    }

    fn lit(
        &self,
        point: &V3,
        normal: &V3,
        colour: &V3,
        (x, y): (usize, usize),
        quarter: usize,
        gloss: f32,
    ) -> V3 {
        let towards = self.sun.direction.dot(normal);
        let sun =
            if towards > 0.0 { self.sun.seen_from(point, normal, &self.places.0[quarter]) } else { 0.0 };
        let above = 0.5 + 0.5 * normal.dot(&self.up);
        let sky = (GROUND + (SKY - GROUND) * above) * self.open(point, normal, (x, y), quarter);
        let shine = if sun > 0.0 {
            let half = (self.sun.direction - point.normalize()).normalize();
            gloss * sun * half.dot(normal).max(0.0).powi(40)
        } else {
            0.0
        };
        colour * (sky + SUN * sun * towards.max(0.0)) + V3::repeat(shine)
    }

    /// How far around a point crevices are looked for.
    fn reach(&self) -> f32 {
        1.3 * self.scene.usual as f32
    }

    /// The same in fine pixels, by the nearness of the point.
    fn reach_in_pixels(&self, near: f32) -> f32 {
        self.rays.focal * self.reach() * near
    }

    /// How open the surroundings of a point are: what rises above its tangent plane nearby darkens it.
    fn open(&self, point: &V3, normal: &V3, (x, y): (usize, usize), quarter: usize) -> f32 {
        let reach = self.reach();
        let pixels = self.reach_in_pixels(point.z.recip()).clamp(2.0, 90.0);
        let buffer = self.buffer;
        let height = buffer.near.len() / buffer.width;
        // nothing rises above the tangent plane, and a little more, where the ray ends below this height
        let level = point.dot(normal) + 0.02 * reach;
        let mut closed = 0.0;
        let places = &self.places.0[quarter];
        for (dx, dy) in places {
            let (column, row) = (x as f32 + 0.5 + pixels * dx, y as f32 + 0.5 + pixels * dy);
            if column < 0.0 || row < 0.0 || column >= buffer.width as f32 || row >= height as f32 {
                continue;
            }
            let (column, row) = (column as usize, row as usize);
            let near = buffer.near[row * buffer.width + column];
            let ray = self.rays.through(column, row);
            let height = ray.dot(normal);
            if near > 0.0 && height > level * near {
                let square = (ray / near - point).norm_squared() + 1e-4 * reach * reach;
                closed += (height / near - level) / square.sqrt() / (1.0 + square / (reach * reach));
            }
        }
        (1.0 - 1.9 * closed / places.len() as f32).max(0.0)
    }
}
