//! A drawing in two formats, SVG and PNG, from one description. The only file that knows the drawing library's inside.
//!
//! The library has whole pixels only, so a picture is drawn on a finer grid: the SVG keeps it as its user units, the
//! PNG averages it, which smooths all edges.

use crate::colours::Rgb;
use crate::error::PictureError;
use crate::picture::encode;
use crate::text::{self, FAMILY, FONT, Side};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontDesc, register_font};

/// Grid points a pixel, along each axis.
const FINE: u32 = 3;

/// The library counts the size of a font from top to bottom; this part of it is the em.
const EM: f64 = 2048.0 / 2384.0;

/// For text and lines.
pub const INK: Rgb = [34; 3];
/// Text that matters less.
pub const FAINT_INK: Rgb = [105; 3];
/// Lines of a grid.
pub const GRID: Rgb = [228; 3];

/// One drawing in two formats.
#[derive(Clone, Debug)]
pub struct Painted {
    /// Scalable, with real text.
    pub svg: String,
    /// In pixels.
    pub png: Vec<u8>,
}

/// Something that can be drawn on any canvas.
pub trait Drawing {
    /// Draws it, in pixels from the upper left corner.
    fn draw_on<B: DrawingBackend>(&self, canvas: &Canvas<B>) -> Result<(), PictureError>;
}

/// Draws in both formats.
pub fn paint(drawing: &impl Drawing, size: (u32, u32)) -> Result<Painted, PictureError> {
    register_font(FAMILY, FontStyle::Normal, FONT)
        .map_err(|_| PictureError::Plot("the built-in font is damaged".into()))?;
    let fine = (size.0 * FINE, size.1 * FINE);

    let mut svg = String::new();
    draw(drawing, SVGBackend::with_string(&mut svg, fine).into_drawing_area())?;
    let numbers = |(width, height): (u32, u32)| format!("width=\"{width}\" height=\"{height}\"");
    let svg = svg.replacen(&numbers(fine), &numbers(size), 1);

    let mut pixels = vec![0; (fine.0 * fine.1 * 3) as usize];
    draw(drawing, BitMapBackend::with_buffer(&mut pixels, fine).into_drawing_area())?;
    Ok(Painted { svg, png: encode(size, &average(&pixels, size))? })
}

fn draw<B: DrawingBackend>(drawing: &impl Drawing, area: DrawingArea<B, Shift>) -> Result<(), PictureError> {
    area.fill(&WHITE).map_err(error)?;
    let canvas = Canvas { area };
    drawing.draw_on(&canvas)?;
    canvas.area.present().map_err(error)
}

/// A drawing area, spoken to in pixels.
pub struct Canvas<B: DrawingBackend> {
    area: DrawingArea<B, Shift>,
}

impl<B: DrawingBackend> Canvas<B> {
    /// A line through points.
    pub fn line(&self, points: &[(f64, f64)], colour: Rgb, width: f64) -> Result<(), PictureError> {
        let points: Vec<_> = points.iter().map(|&point| on_grid(point)).collect();
        let style = rgb(colour).stroke_width(on_grid((width, 0.0)).0.unsigned_abs());
        self.area.draw(&PathElement::new(points, style)).map_err(error)
    }

    /// A filled area within corners.
    pub fn fill(&self, corners: &[(f64, f64)], colour: Rgb) -> Result<(), PictureError> {
        let corners: Vec<_> = corners.iter().map(|&point| on_grid(point)).collect();
        self.area.draw(&Polygon::new(corners, rgb(colour).filled())).map_err(error)
    }

    /// Text whose middle line is at the height given.
    pub fn text(
        &self,
        text: &str,
        at: (f64, f64),
        size: f64,
        colour: Rgb,
        side: Side,
    ) -> Result<(), PictureError> {
        let side = match side {
            Side::Left => HPos::Left,
            Side::Centre => HPos::Center,
            Side::Right => HPos::Right,
        };
        let colour = rgb(colour);
        let style = TextStyle::from(font(size)).color(&colour).pos(Pos::new(side, VPos::Center));
        self.area.draw(&Text::new(text.to_string(), on_grid(at), style)).map_err(error)
    }
}

/// The width of a text on a canvas, in pixels.
pub fn text_width(text: &str, size: f64) -> f64 {
    text::width(text, EM * size)
}

fn rgb([r, g, b]: Rgb) -> RGBColor {
    RGBColor(r, g, b)
}

fn font(size: f64) -> FontDesc<'static> {
    FontDesc::new(FontFamily::Name(FAMILY), size * f64::from(FINE), FontStyle::Normal)
}

fn on_grid((x, y): (f64, f64)) -> (i32, i32) {
    let fine = |x: f64| (x * f64::from(FINE)).round() as i32;
    (fine(x), fine(y))
}

fn error(error: impl std::fmt::Display) -> PictureError {
    PictureError::Plot(error.to_string())
}

/// The mean of each pixel's grid points.
fn average(fine: &[u8], (width, height): (u32, u32)) -> Vec<u8> {
    let (width, height, fine_by) = (width as usize, height as usize, FINE as usize);
    let mut pixels = Vec::with_capacity(width * height * 3);
    for (y, x, channel) in
        (0..height).flat_map(|y| (0..width).flat_map(move |x| (0..3).map(move |c| (y, x, c))))
    {
        let points = (0..fine_by * fine_by).map(|k| {
            let (row, column) = (y * fine_by + k / fine_by, x * fine_by + k % fine_by);
            u32::from(fine[(row * width * fine_by + column) * 3 + channel])
        });
        pixels.push((points.sum::<u32>() / (FINE * FINE)) as u8);
    }
    pixels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_as_wide_as_the_library_draws_them() {
        register_font(FAMILY, FontStyle::Normal, FONT).unwrap_or_else(|_| panic!("the font"));
        for text in ["kinetic energy", "99 of 99 solved", "1e-4"] {
            let drawn = f64::from(font(14.0).box_size(text).unwrap().0) / f64::from(FINE);
            assert!((text_width(text, 14.0) - drawn).abs() < 2.0, "{text}: {drawn}");
        }
    }
}
