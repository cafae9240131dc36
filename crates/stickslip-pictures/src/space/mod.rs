//! Pictures of space: what is nearest at each pixel, lit by a sun with shadows.
//!
//! ```text
//! frame ─▶ spheres, triangles ─▶ nearest at each fine pixel ─▶ walls between ─▶ light ─▶ pixels
//!           scene, surface               raster                  walls          light
//! ```

mod camera;
mod light;
mod raster;
mod scene;
mod surface;
mod walls;

use crate::colours::Tones;
use crate::error::PictureError;
use crate::frame::{Depict, Frame};
use crate::overlay::{Sheet, label};
use crate::picture::Picture;
use crate::style::Style;
use camera::Eye;
use light::{FINE, Places, Rays, Studio, Sun, background};
use nalgebra::Vector3;
use raster::{Buffer, Lens};
use rayon::prelude::*;
use scene::Scene;
use stickslip_geometry::shape::Bounds;
use stickslip_geometry::space::{Dim, Rotation};
use tiny_skia::Pixmap;
use walls::Walls;

impl Depict<3> for Dim<3> {
    fn angle(rotation: &Rotation<3>) -> f64 {
        rotation.angle()
    }

    fn draw(frame: &Frame<3>, style: &Style<3>) -> Result<Picture, PictureError> {
        let (width, height) = style.size;
        let Some(pixmap) = Pixmap::new(width, height) else {
            return Err(PictureError::Size { width, height });
        };
        let mut sheet = Sheet::new(pixmap);
        let right = if style.legend { sheet.legend_width(&frame.scale) } else { 0.0 };
        let boxes = style.bounds.map_or_else(|| frame.boxes(), |bounds| vec![bounds]);
        let points: Vec<Vector3<f64>> = boxes.iter().flat_map(corners).collect();
        let bounds = Bounds::of_points(points.iter().copied());
        let size = (f64::from(width), f64::from(height));
        let eye = Eye::on(&points, &style.camera, &frame.up, size, right);
        let walls = render(frame, style, &eye, &bounds, &mut sheet.pixmap);
        if style.legend {
            sheet.legend(&frame.scale, 0.0);
            sheet.heading(&style.title, frame.time);
            if walls.has_floor() {
                sheet.note(&format!("checks {} wide", label(walls.check)));
            }
        }
        Ok(Picture::new(sheet.pixmap))
    }
}

/// Fills a picture.
fn render(frame: &Frame<3>, style: &Style<3>, eye: &Eye, bounds: &Bounds<3>, pixmap: &mut Pixmap) -> Walls {
    let (width, height) = (pixmap.width() as usize, pixmap.height() as usize);
    let eye = &eye.finer(FINE as f64);
    let scene = Scene::of(frame, eye, style.chains);
    let lens = Lens::Eye { focal: eye.focal as f32, middle: (eye.middle.0 as f32, eye.middle.1 as f32) };
    let fine = (FINE * width, FINE * height);
    let mut buffer = Buffer::fill(&lens, fine, &scene.spheres, &scene.triangles);
    let walls = Walls::of(frame, eye, bounds);
    let rays = Rays::of(eye);
    walls.fill(&mut buffer, &rays);
    let sun = Sun::over(bounds, &scene, eye, (&style.camera, width.max(height)), &frame.up);
    let up = eye.turn(&frame.up).cast();
    let places = Places::on_a_spiral();
    let studio = Studio { scene: &scene, walls: &walls, sun: &sun, buffer: &buffer, rays, up, places };
    let tones = Tones::default();
    pixmap.data_mut().par_chunks_mut(4 * width).enumerate().for_each(|(y, row)| {
        let behind = background((y as f32 + 0.5) / height as f32);
        for (x, pixel) in row.chunks_exact_mut(4).enumerate() {
            let light = studio.pixel(x, y, &behind);
            let [r, g, b] = [light.x, light.y, light.z].map(|light| tones.at(light));
            pixel.copy_from_slice(&[r, g, b, 255]);
        }
    });
    walls
}

fn corners(bounds: &Bounds<3>) -> [Vector3<f64>; 8] {
    let corner =
        |k: usize| Vector3::from_fn(|i, _| if k >> i & 1 == 1 { bounds.high[i] } else { bounds.low[i] });
    std::array::from_fn(corner)
}
