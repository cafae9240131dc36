//! A frame as spheres and triangles in the axes of an eye.

use super::camera::Eye;
use super::raster::{Sphere, Triangle, V3};
use super::surface::{Round, Surface};
use crate::colours::{FIXED, Rgb, to_linear};
use crate::frame::Frame;
use nalgebra::Vector3;
use rayon::prelude::*;
use stickslip_geometry::space::Pose;

/// How much of a body is left where force chains are drawn.
const SHRUNK: f64 = 0.3;
/// Radius, in fine pixels, from which on seams are drawn.
const SEAMED: f64 = 12.0;
/// Of force chains.
const CHAIN: Rgb = [150, 12, 36];
/// Of rods and ropes, and their radius over half the size of a usual body.
const ROD: Rgb = [86, 94, 108];
const THIN: f64 = 0.06;

/// Everything solid. Triangles are numbered first, then spheres.
#[derive(Debug, Default)]
pub struct Scene {
    pub spheres: Vec<Sphere>,
    /// Of the spheres, where they are large enough to be seen.
    pub seams: Vec<Option<[V3; 2]>>,
    pub triangles: Vec<Triangle>,
    /// At the corners of the triangles.
    pub normals: Vec<[V3; 3]>,
    /// Light that each part throws back, the triangles' first.
    pub colours: Vec<V3>,
    /// Half the size of a usual body.
    pub usual: f64,
}

/// The parts of one colour.
struct Painted {
    surface: Surface,
    colour: V3,
}

impl Scene {
    pub fn of(frame: &Frame<3>, eye: &Eye, chains: bool) -> Self {
        let shrink = |free: bool| if chains && free { SHRUNK } else { 1.0 };
        let usual = usual_size(frame);
        let mut painted: Vec<Painted> = frame
            .bodies
            .par_iter()
            .map(|body| {
                let mut surface = Surface::default();
                let segments = segments(eye, &body.pose, body.shape.bounds(&body.pose).size());
                surface.add(&body.shape, &body.pose, shrink(body.value.is_some()), segments);
                let colour = body.value.map_or(FIXED, |value| frame.scale.colour(value));
                Painted { surface, colour: light(colour) }
            })
            .collect();
        if !frame.rods.is_empty() {
            let mut surface = Surface::default();
            frame.rods.iter().for_each(|ends| surface.rod(*ends, THIN * usual));
            painted.push(Painted { surface, colour: light(ROD) });
        }
        if chains {
            painted.push(Painted { surface: links(frame, usual), colour: light(CHAIN) });
        }
        Scene::seen(&painted, eye, usual)
    }

    /// What is in front of the eye, in its axes.
    fn seen(painted: &[Painted], eye: &Eye, usual: f64) -> Self {
        let mut scene = Scene { usual, ..Scene::default() };
        let narrow = |v: Vector3<f64>| v.cast::<f32>();
        for Painted { surface, colour } in painted {
            for triangle in &surface.triangles {
                let corners = triangle.map(|(x, normal)| (eye.see(&x), eye.turn(&normal)));
                for piece in in_front(corners, eye.near) {
                    let id = scene.triangles.len() as u32;
                    scene.triangles.push(Triangle { corners: piece.map(|(x, _)| narrow(x)), id });
                    scene.normals.push(piece.map(|(_, normal)| narrow(normal)));
                    scene.colours.push(*colour);
                }
            }
        }
        for Painted { surface, colour } in painted {
            for &Round { centre, radius, seams } in &surface.spheres {
                let centre = eye.see(&centre);
                if centre.z - radius > eye.near {
                    let seams = seams.filter(|_| radius * eye.focal > SEAMED * centre.z);
                    scene.seams.push(seams.map(|axes| axes.map(|axis| narrow(eye.turn(&axis)))));
                    let id = (scene.triangles.len() + scene.spheres.len()) as u32;
                    scene.spheres.push(Sphere { centre: narrow(centre), radius: radius as f32, id });
                    scene.colours.push(*colour);
                }
            }
        }
        scene
    }
}

/// A colour as light.
pub fn light(colour: Rgb) -> V3 {
    V3::from(colour.map(to_linear))
}

/// Half the size of the middle one of all free bodies, or of the fixed ones if none is free.
fn usual_size(frame: &Frame<3>) -> f64 {
    let sizes = |free: bool| {
        let bodies = frame.bodies.iter().filter(move |body| body.value.is_some() == free);
        let mut sizes: Vec<f64> = bodies
            .map(|body| 0.5 * body.shape.bounds(&body.pose).size())
            .filter(|&size| size > 0.0)
            .collect();
        sizes.sort_by(f64::total_cmp);
        sizes.get(sizes.len() / 2).copied()
    };
    sizes(true).or_else(|| sizes(false)).unwrap_or(1.0)
}

/// As many sides around a body as its size in the picture asks for.
fn segments(eye: &Eye, pose: &Pose<3>, size: f64) -> usize {
    let depth = eye.see(&pose.x).z.max(eye.near);
    let pixels = 0.5 * size * eye.focal / depth;
    2 * ((4.0 + 1.5 * pixels.max(0.0).sqrt()) as usize).clamp(5, 40)
}

/// Rods along the links of force chains, as thick as the forces are strong.
fn links(frame: &Frame<3>, usual: f64) -> Surface {
    let strong = frame.strong();
    let mut surface = Surface::default();
    for chain in &frame.chains {
        let share = (chain.force / strong).min(1.5).sqrt();
        if share > 0.1 {
            surface.rod(chain.ends, 0.22 * share * usual);
        }
    }
    surface
}

type Corner = (Vector3<f64>, Vector3<f64>);

/// The part of a triangle that lies in front of an eye, in at most two pieces.
fn in_front(corners: [Corner; 3], near: f64) -> Vec<[Corner; 3]> {
    if corners.iter().all(|(x, _)| x.z > near) {
        return vec![corners];
    }
    let mut kept = Vec::with_capacity(4);
    for k in 0..3 {
        let (a, b) = (corners[k], corners[(k + 1) % 3]);
        if a.0.z > near {
            kept.push(a);
        }
        if (a.0.z > near) != (b.0.z > near) {
            let s = (near - a.0.z) / (b.0.z - a.0.z);
            kept.push((a.0 + (b.0 - a.0) * s, a.1 + (b.1 - a.1) * s));
        }
    }
    (2..kept.len()).map(|k| [kept[0], kept[k - 1], kept[k]]).collect()
}
