//! Text without fonts of the system: the one font that is built in, as outlines.

use crate::colours::{Rgb, WHITE};
use ab_glyph::{Font, FontRef, OutlineCurve, Point};
use tiny_skia::{FillRule, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, Transform};

/// DejaVu Sans, less the characters that no picture here needs.
pub const FONT: &[u8] = include_bytes!("../assets/DejaVuSans.ttf");
/// In an SVG, text is text: Verdana has the same widths where DejaVu Sans is missing.
pub const FAMILY: &str = "DejaVu Sans, Verdana, sans-serif";

/// Which part of a text is at the place given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Its left end.
    Left,
    /// Its middle.
    Centre,
    /// Its right end.
    Right,
}

/// Draws a text with a light edge, whose capitals are centred at the height given; returns its width.
pub fn draw(pixmap: &mut Pixmap, text: &str, at: (f64, f64), size: f64, colour: Rgb, side: Side) -> f64 {
    let Ok(font) = FontRef::try_from_slice(FONT) else { return 0.0 };
    let width = width(text, size);
    let left = match side {
        Side::Left => at.0,
        Side::Centre => at.0 - 0.5 * width,
        Side::Right => at.0 - width,
    };
    // capitals of this font are 0.729 of an em high
    let baseline = at.1 + 0.36 * size;
    let paint = |[r, g, b]: Rgb, opaque: u8| {
        let mut paint = Paint::default();
        paint.set_color_rgba8(r, g, b, opaque);
        paint
    };
    if let Some(path) = outline(&font, text, left as f32, baseline as f32, size as f32) {
        // a light edge keeps it apart from what is below
        let edge = Stroke { width: 0.2 * size as f32, line_join: LineJoin::Round, ..Stroke::default() };
        pixmap.stroke_path(&path, &paint(WHITE, 190), &edge, Transform::identity(), None);
        pixmap.fill_path(&path, &paint(colour, 255), FillRule::Winding, Transform::identity(), None);
    }
    width
}

/// In pixels.
pub fn width(text: &str, size: f64) -> f64 {
    let Ok(font) = FontRef::try_from_slice(FONT) else { return 0.0 };
    let em = font.units_per_em().unwrap_or(1.0);
    text.chars().map(|c| f64::from(font.h_advance_unscaled(font.glyph_id(c)) / em) * size).sum()
}

fn outline(font: &FontRef, text: &str, left: f32, baseline: f32, size: f32) -> Option<Path> {
    let scale = size / font.units_per_em().unwrap_or(1.0);
    let mut builder = PathBuilder::new();
    let mut x = left;
    for character in text.chars() {
        let glyph = font.glyph_id(character);
        let at = |p: Point| (x + p.x * scale, baseline - p.y * scale);
        let curves = font.outline(glyph).map(|outline| outline.curves).unwrap_or_default();
        let mut end = None;
        for curve in curves {
            let (start, next) = match curve {
                OutlineCurve::Line(a, b) | OutlineCurve::Quad(a, _, b) | OutlineCurve::Cubic(a, _, _, b) => {
                    (a, b)
                }
            };
            if end != Some(start) {
                let (x, y) = at(start);
                builder.move_to(x, y);
            }
            end = Some(next);
            let ((cx, cy), (bx, by)) = match curve {
                OutlineCurve::Line(a, b) => (at(a), at(b)),
                OutlineCurve::Quad(_, c, b) | OutlineCurve::Cubic(_, _, c, b) => (at(c), at(b)),
            };
            match curve {
                OutlineCurve::Line(..) => builder.line_to(bx, by),
                OutlineCurve::Quad(..) => builder.quad_to(cx, cy, bx, by),
                OutlineCurve::Cubic(_, c, ..) => {
                    let (dx, dy) = at(c);
                    builder.cubic_to(dx, dy, cx, cy, bx, by);
                }
            }
        }
        x += font.h_advance_unscaled(glyph) * scale;
    }
    builder.finish()
}
