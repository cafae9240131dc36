//! The picture of a performance profile, as SVG and as PNG. The only file that knows the drawing library.
//!
//! It carries its own font, as a machine that compares solvers need not have any. The drawing library has
//! whole pixels only, so the picture is drawn on a finer grid: the SVG keeps it as its user units, the PNG
//! averages it, which smooths all edges.

use crate::profile::{Curve, Profile};
use crate::table::shorten;
use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontDesc, register_font};
use std::f64::consts::TAU;
use stickslip_pictures::text::{FAMILY, FONT};

/// The picture's size in pixels.
const SIZE: (u32, u32) = (900, 560);
/// Grid points a pixel, along each axis.
const FINE: u32 = 3;
/// The plot's top and bottom edges; its sides depend on the legend.
const TOP: f64 = 88.0;
const BOTTOM: f64 = 494.0;
const LEFT: f64 = 68.0;
const MARGIN: f64 = 22.0;
/// Marks along a curve, so that curves on top of each other can be told apart.
const MARKS: usize = 5;
/// Longer labels lose their middle.
const LONGEST_LABEL: usize = 34;

/// Okabe and Ito's colours, told apart by all kinds of sight; grey stands in for their yellow, too faint on white.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
    RGBColor(130, 130, 130),
];
const INK: RGBColor = RGBColor(34, 34, 34);
const FAINT_INK: RGBColor = RGBColor(105, 105, 105);
const GRID: RGBColor = RGBColor(228, 228, 228);

/// One picture in two formats.
pub struct Picture {
    /// Scalable, with real text.
    pub svg: String,
    /// In pixels.
    pub png: Vec<u8>,
}

/// Draws the profile of solvers with these labels.
pub fn draw(profile: &Profile, labels: &[&str], title: &str) -> Result<Picture> {
    register_font(FAMILY, FontStyle::Normal, FONT).map_err(|_| anyhow!("the built-in font is damaged"))?;
    let fine = (SIZE.0 * FINE, SIZE.1 * FINE);
    let scene = Scene::new(profile, labels, title);

    let mut svg = String::new();
    scene.draw_on(SVGBackend::with_string(&mut svg, fine).into_drawing_area())?;
    let size = |(width, height): (u32, u32)| format!("width=\"{width}\" height=\"{height}\"");
    let svg = svg.replacen(&size(fine), &size(SIZE), 1);

    let mut pixels = vec![0; (fine.0 * fine.1 * 3) as usize];
    scene.draw_on(BitMapBackend::with_buffer(&mut pixels, fine).into_drawing_area())?;
    Ok(Picture { svg, png: encode(&average(&pixels))? })
}

/// What is drawn and where, in pixels.
struct Scene<'a> {
    profile: &'a Profile,
    labels: Vec<String>,
    title: &'a str,
    right: f64,
    /// The end of the τ axis.
    end: f64,
}

impl<'a> Scene<'a> {
    fn new(profile: &'a Profile, labels: &[&str], title: &'a str) -> Self {
        let labels: Vec<String> = labels.iter().map(|label| shorten(label, LONGEST_LABEL)).collect();
        let widest = labels
            .iter()
            .map(|label| text_width(label, 14.0))
            .fold(text_width("99 of 99 solved", 11.0), f64::max);
        let right = f64::from(SIZE.0) - MARGIN - widest - 58.0;
        // a little beyond the last rise, so that it is seen
        let end = (profile.largest_ratio() * 1.06).max(2.0);
        Scene { profile, labels, title, right, end }
    }

    fn x(&self, tau: f64) -> f64 {
        LEFT + (self.right - LEFT) * tau.ln() / self.end.ln()
    }

    fn tau(&self, x: f64) -> f64 {
        ((x - LEFT) / (self.right - LEFT) * self.end.ln()).exp()
    }

    fn y(share: f64) -> f64 {
        BOTTOM + (TOP - BOTTOM) * share
    }

    fn draw_on<B: DrawingBackend>(&self, area: DrawingArea<B, Shift>) -> Result<()> {
        let canvas = Canvas { area };
        canvas.area.fill(&WHITE).map_err(drawing_error)?;
        canvas.text(self.title, (MARGIN, 28.0), 18.0, INK, HPos::Left)?;
        let subtitle = "share of the problems that a solver solves within τ times the time of the fastest";
        canvas.text(subtitle, (MARGIN, 56.0), 13.0, FAINT_INK, HPos::Left)?;
        self.axes(&canvas)?;
        // the first solver on top, where it was named first
        for k in (0..self.labels.len()).rev() {
            self.curve(&canvas, k)?;
        }
        self.legend(&canvas)?;
        canvas.area.present().map_err(drawing_error)
    }

    fn axes<B: DrawingBackend>(&self, canvas: &Canvas<B>) -> Result<()> {
        for percent in (0..=100).step_by(20) {
            let y = Self::y(f64::from(percent) / 100.0);
            canvas.line(&[(LEFT, y), (self.right, y)], GRID, 1.0)?;
            canvas.text(&format!("{percent} %"), (LEFT - 10.0, y), 13.0, INK, HPos::Right)?;
        }
        for tau in ticks(self.end) {
            let x = self.x(tau);
            canvas.line(&[(x, TOP), (x, BOTTOM)], GRID, 1.0)?;
            canvas.line(&[(x, BOTTOM), (x, BOTTOM + 5.0)], INK, 1.0)?;
            canvas.text(&tick_label(tau), (x, BOTTOM + 17.0), 13.0, INK, HPos::Center)?;
        }
        canvas.line(&[(LEFT, TOP), (LEFT, BOTTOM), (self.right, BOTTOM)], INK, 1.0)?;
        let centre = (LEFT + self.right) / 2.0;
        canvas.text("τ = time / time of the fastest", (centre, BOTTOM + 42.0), 13.0, INK, HPos::Center)
    }

    fn curve<B: DrawingBackend>(&self, canvas: &Canvas<B>, k: usize) -> Result<()> {
        let curve = &self.profile.curves[k];
        let look = Look::of(k);
        canvas.stroke(&self.steps(curve), &look)?;
        for mark in 0..MARKS {
            // staggered by solver: marks of equal curves do not hide each other
            let place = (mark as f64 + (k as f64 + 0.5) / self.labels.len() as f64) / MARKS as f64;
            let x = LEFT + (self.right - LEFT) * place;
            canvas.mark((x, Self::y(curve.share(self.tau(x)))), &look)?;
        }
        Ok(())
    }

    /// The corners of the step function.
    fn steps(&self, curve: &Curve) -> Vec<(f64, f64)> {
        let mut share = curve.share(1.0);
        let mut corners = vec![(LEFT, Self::y(share))];
        for &ratio in curve.ratios.iter().filter(|&&ratio| ratio > 1.0) {
            let x = self.x(ratio);
            corners.push((x, Self::y(share)));
            share = curve.share(ratio);
            corners.push((x, Self::y(share)));
        }
        corners.push((self.right, Self::y(share)));
        corners
    }

    /// Beside the plot, in the order in which the curves end.
    fn legend<B: DrawingBackend>(&self, canvas: &Canvas<B>) -> Result<()> {
        let curves = &self.profile.curves;
        let mut order: Vec<usize> = (0..self.labels.len()).collect();
        order.sort_by_key(|&k| std::cmp::Reverse((curves[k].solved(), curves[k].fastest())));
        let pitch = ((BOTTOM - TOP) / order.len().max(1) as f64).min(44.0);
        for (row, &k) in order.iter().enumerate() {
            let (x, y) = (self.right + 20.0, TOP + 10.0 + pitch * row as f64);
            let look = Look::of(k);
            canvas.stroke(&[(x, y), (x + 28.0, y)], &look)?;
            canvas.mark((x + 14.0, y), &look)?;
            canvas.text(&self.labels[k], (x + 38.0, y), 14.0, INK, HPos::Left)?;
            // many solvers leave no room for a second line
            if pitch > 36.0 {
                let solved = format!("{} of {} solved", curves[k].solved(), self.profile.problems);
                canvas.text(&solved, (x + 38.0, y + 17.0), 11.0, FAINT_INK, HPos::Left)?;
            }
        }
        Ok(())
    }
}

/// How one solver is drawn: a colour, a mark, and dashes once the colours are used up.
struct Look {
    colour: RGBColor,
    dashed: bool,
    /// Corners of the mark around the origin, in pixels.
    mark: Vec<(f64, f64)>,
}

impl Look {
    fn of(k: usize) -> Self {
        // corners on one or two circles, the first at an angle in parts of a turn (0 is right, ¼ down)
        let star = |corners: usize, first: f64, radii: [f64; 2]| {
            (0..corners)
                .map(|i| {
                    let angle = TAU * (first + i as f64 / corners as f64);
                    (radii[i % 2] * angle.cos(), radii[i % 2] * angle.sin())
                })
                .collect::<Vec<_>>()
        };
        let round = k / COLOURS.len();
        // in the next round a colour gets another mark
        let mark = match (k + 3 * round) % COLOURS.len() {
            0 => star(24, 0.0, [5.0; 2]),
            1 => star(4, 0.125, [6.3; 2]),
            2 => star(3, 0.75, [7.2; 2]),
            3 => star(4, 0.0, [6.8; 2]),
            4 => star(3, 0.25, [7.2; 2]),
            5 => star(6, 0.0, [6.0; 2]),
            6 => star(8, 0.0, [7.6, 2.8]),
            _ => star(10, 0.75, [7.6, 3.4]),
        };
        Look { colour: COLOURS[k % COLOURS.len()], dashed: round % 2 == 1, mark }
    }
}

/// The drawing area, spoken to in pixels.
struct Canvas<B: DrawingBackend> {
    area: DrawingArea<B, Shift>,
}

impl<B: DrawingBackend> Canvas<B> {
    fn line(&self, points: &[(f64, f64)], colour: RGBColor, width: f64) -> Result<()> {
        let points: Vec<_> = points.iter().map(|&point| on_grid(point)).collect();
        let style = colour.stroke_width(on_grid((width, 0.0)).0.unsigned_abs());
        self.area.draw(&PathElement::new(points, style)).map_err(drawing_error)
    }

    fn stroke(&self, points: &[(f64, f64)], look: &Look) -> Result<()> {
        const WIDTH: f64 = 2.4;
        if !look.dashed {
            return self.line(points, look.colour, WIDTH);
        }
        dashes(points, 7.0, 4.0).iter().try_for_each(|dash| self.line(dash, look.colour, WIDTH))
    }

    fn mark(&self, (x, y): (f64, f64), look: &Look) -> Result<()> {
        let around = |factor: f64| -> Vec<_> {
            look.mark.iter().map(|&(dx, dy)| on_grid((x + factor * dx, y + factor * dy))).collect()
        };
        // a white rim keeps the mark apart from the curves below
        for (factor, colour) in [(1.3, WHITE), (1.0, look.colour)] {
            self.area.draw(&Polygon::new(around(factor), colour.filled())).map_err(drawing_error)?;
        }
        Ok(())
    }

    /// Text whose middle line is at the height given.
    fn text(&self, text: &str, at: (f64, f64), size: f64, colour: RGBColor, side: HPos) -> Result<()> {
        let style = TextStyle::from(font(size)).color(&colour).pos(Pos::new(side, VPos::Center));
        self.area.draw(&Text::new(text.to_string(), on_grid(at), style)).map_err(drawing_error)
    }
}

fn font(size: f64) -> FontDesc<'static> {
    FontDesc::new(FontFamily::Name(FAMILY), size * f64::from(FINE), FontStyle::Normal)
}

/// In pixels; a text that cannot be measured is taken as wide as its letters usually are.
fn text_width(text: &str, size: f64) -> f64 {
    match font(size).box_size(text) {
        Ok((width, _)) => f64::from(width) / f64::from(FINE),
        Err(_) => 0.62 * size * text.chars().count() as f64,
    }
}

fn on_grid((x, y): (f64, f64)) -> (i32, i32) {
    let fine = |x: f64| (x * f64::from(FINE)).round() as i32;
    (fine(x), fine(y))
}

fn drawing_error(error: impl std::fmt::Display) -> anyhow::Error {
    anyhow!("the profile cannot be drawn: {error}")
}

/// Cuts a path into dashes.
fn dashes(points: &[(f64, f64)], dash: f64, gap: f64) -> Vec<Vec<(f64, f64)>> {
    let mut pieces = Vec::new();
    let mut piece = Vec::new();
    let mut at = 0.0f64; // place within the pattern of one dash and one gap
    for pair in points.windows(2) {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        let length = (x1 - x0).hypot(y1 - y0);
        let point = |s: f64| (x0 + (x1 - x0) * s / length, y0 + (y1 - y0) * s / length);
        let mut s = 0.0;
        while s < length {
            let drawing = at < dash;
            if drawing && piece.is_empty() {
                piece.push(point(s));
            }
            let step = (if drawing { dash } else { dash + gap } - at).min(length - s);
            s += step;
            at += step;
            if drawing {
                piece.push(point(s));
            }
            if at >= dash && !piece.is_empty() {
                pieces.push(std::mem::take(&mut piece));
            }
            if at >= dash + gap {
                at = 0.0;
            }
        }
    }
    pieces.extend((piece.len() > 1).then_some(piece));
    pieces
}

/// Round numbers from 1 to the end of a log axis, as many as can be read.
fn ticks(end: f64) -> Vec<f64> {
    let decades = end.log10();
    let steps: &[f64] = match decades {
        d if d < 0.5 => &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0],
        d if d < 1.2 => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0],
        d if d < 3.5 => &[1.0, 2.0, 5.0],
        _ => &[1.0],
    };
    let thin = (decades / 8.0).ceil().max(1.0) as usize;
    (0..=decades as i32)
        .step_by(thin)
        .flat_map(|decade| steps.iter().map(move |step| step * 10f64.powi(decade)))
        .take_while(|&tick| tick <= end)
        .collect()
}

fn tick_label(tau: f64) -> String {
    if tau < 99_999.0 { format!("{tau}") } else { format!("{tau:e}") }
}

/// The mean of each pixel's grid points.
fn average(fine: &[u8]) -> Vec<u8> {
    let (width, height, fine_by) = (SIZE.0 as usize, SIZE.1 as usize, FINE as usize);
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

fn encode(pixels: &[u8]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, SIZE.0, SIZE.1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_readable() {
        assert_eq!(ticks(2.0), [1.0, 1.2, 1.5, 2.0]);
        assert_eq!(ticks(7.1), [1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0]);
        assert_eq!(ticks(60.0), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0]);
        assert_eq!(ticks(2e4), [1.0, 10.0, 100.0, 1e3, 1e4]);
        assert!(ticks(1e40).len() < 12);
        assert_eq!([1.2, 50.0, 1e4, 1e5].map(tick_label), ["1.2", "50", "10000", "1e5"]);
    }

    #[test]
    fn dashes_keep_their_pattern_around_corners() {
        let pieces = dashes(&[(0.0, 0.0), (5.0, 0.0), (5.0, 10.0)], 7.0, 4.0);
        assert_eq!(pieces, [vec![(0.0, 0.0), (5.0, 0.0), (5.0, 2.0)], vec![(5.0, 6.0), (5.0, 10.0)]]);
        assert!(dashes(&[(0.0, 0.0), (0.0, 0.0)], 7.0, 4.0).is_empty());
    }

    #[test]
    fn pictures_hold_every_label() {
        let labels: Vec<String> = (0..20).map(|k| format!("solver<{k}>")).collect();
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        let times: Vec<Option<f64>> = (0..20).map(|k| (k != 3).then_some(1.0 + k as f64)).collect();
        let Picture { svg, png } = draw(&Profile::of(20, [times.as_slice()]), &labels, "title").unwrap();
        assert!(png.starts_with(b"\x89PNG") && png.len() > 10_000);
        assert!(svg.starts_with("<svg width=\"900\" height=\"560\" viewBox=\"0 0 2700 1680\""), "{svg:.90}");
        assert!((0..20).all(|k| svg.contains(&format!("solver&lt;{k}&gt;"))));
    }

    #[test]
    fn nothing_solved_is_still_a_picture() {
        assert!(draw(&Profile::of(1, [[None].as_slice()]), &["a"], "").is_ok());
        assert!(draw(&Profile::of(0, []), &[], "").is_ok());
    }
}
