//! The picture of a performance profile, as SVG and as PNG.

use crate::profile::{Curve, Profile};
use crate::table::shorten;
use anyhow::Result;
use plotters::prelude::DrawingBackend;
use std::f64::consts::TAU;
use stickslip_pictures::PictureError;
use stickslip_pictures::canvas::{Canvas, Drawing, FAINT_INK, GRID, INK, Painted, paint, text_width};
use stickslip_pictures::colours::{GROUPS, Rgb, WHITE};
use stickslip_pictures::text::Side;

/// The picture's size in pixels.
const SIZE: (u32, u32) = (900, 560);
/// The plot's top and bottom edges; its sides depend on the legend.
const TOP: f64 = 88.0;
const BOTTOM: f64 = 494.0;
const LEFT: f64 = 68.0;
const MARGIN: f64 = 22.0;
/// Marks along a curve, so that curves on top of each other can be told apart.
const MARKS: usize = 5;
/// Longer labels lose their middle.
const LONGEST_LABEL: usize = 34;

/// Draws the profile of solvers with these labels.
pub fn draw(profile: &Profile, labels: &[&str], title: &str) -> Result<Painted> {
    Ok(paint(&Scene::new(profile, labels, title), SIZE)?)
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

    fn axes<B: DrawingBackend>(&self, canvas: &Canvas<B>) -> Result<(), PictureError> {
        for percent in (0..=100).step_by(20) {
            let y = Self::y(f64::from(percent) / 100.0);
            canvas.line(&[(LEFT, y), (self.right, y)], GRID, 1.0)?;
            canvas.text(&format!("{percent} %"), (LEFT - 10.0, y), 13.0, INK, Side::Right)?;
        }
        for tau in ticks(self.end) {
            let x = self.x(tau);
            canvas.line(&[(x, TOP), (x, BOTTOM)], GRID, 1.0)?;
            canvas.line(&[(x, BOTTOM), (x, BOTTOM + 5.0)], INK, 1.0)?;
            canvas.text(&tick_label(tau), (x, BOTTOM + 17.0), 13.0, INK, Side::Centre)?;
        }
        canvas.line(&[(LEFT, TOP), (LEFT, BOTTOM), (self.right, BOTTOM)], INK, 1.0)?;
        let centre = (LEFT + self.right) / 2.0;
        canvas.text("τ = time / time of the fastest", (centre, BOTTOM + 42.0), 13.0, INK, Side::Centre)
    }

    fn curve<B: DrawingBackend>(&self, canvas: &Canvas<B>, k: usize) -> Result<(), PictureError> {
        let curve = &self.profile.curves[k];
        let look = Look::of(k);
        stroke(canvas, &self.steps(curve), &look)?;
        for mark in 0..MARKS {
            // staggered by solver: marks of equal curves do not hide each other
            let place = (mark as f64 + (k as f64 + 0.5) / self.labels.len() as f64) / MARKS as f64;
            let x = LEFT + (self.right - LEFT) * place;
            put_mark(canvas, (x, Self::y(curve.share(self.tau(x)))), &look)?;
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
    fn legend<B: DrawingBackend>(&self, canvas: &Canvas<B>) -> Result<(), PictureError> {
        let curves = &self.profile.curves;
        let mut order: Vec<usize> = (0..self.labels.len()).collect();
        order.sort_by_key(|&k| std::cmp::Reverse((curves[k].solved(), curves[k].fastest())));
        let pitch = ((BOTTOM - TOP) / order.len().max(1) as f64).min(44.0);
        for (row, &k) in order.iter().enumerate() {
            let (x, y) = (self.right + 20.0, TOP + 10.0 + pitch * row as f64);
            let look = Look::of(k);
            stroke(canvas, &[(x, y), (x + 28.0, y)], &look)?;
            put_mark(canvas, (x + 14.0, y), &look)?;
            canvas.text(&self.labels[k], (x + 38.0, y), 14.0, INK, Side::Left)?;
            // many solvers leave no room for a second line
            if pitch > 36.0 {
                let solved = format!("{} of {} solved", curves[k].solved(), self.profile.problems);
                canvas.text(&solved, (x + 38.0, y + 17.0), 11.0, FAINT_INK, Side::Left)?;
            }
        }
        Ok(())
    }
}

impl Drawing for Scene<'_> {
    fn draw_on<B: DrawingBackend>(&self, canvas: &Canvas<B>) -> Result<(), PictureError> {
        canvas.text(self.title, (MARGIN, 28.0), 18.0, INK, Side::Left)?;
        let subtitle = "share of the problems that a solver solves within τ times the time of the fastest";
        canvas.text(subtitle, (MARGIN, 56.0), 13.0, FAINT_INK, Side::Left)?;
        self.axes(canvas)?;
        // the first solver on top, where it was named first
        for k in (0..self.labels.len()).rev() {
            self.curve(canvas, k)?;
        }
        self.legend(canvas)
    }
}

/// How one solver is drawn: a colour, a mark, and dashes once the colours are used up.
struct Look {
    colour: Rgb,
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
        let round = k / GROUPS.len();
        // in the next round a colour gets another mark
        let mark = match (k + 3 * round) % GROUPS.len() {
            0 => star(24, 0.0, [5.0; 2]),
            1 => star(4, 0.125, [6.3; 2]),
            2 => star(3, 0.75, [7.2; 2]),
            3 => star(4, 0.0, [6.8; 2]),
            4 => star(3, 0.25, [7.2; 2]),
            5 => star(6, 0.0, [6.0; 2]),
            6 => star(8, 0.0, [7.6, 2.8]),
            _ => star(10, 0.75, [7.6, 3.4]),
        };
        Look { colour: GROUPS[k % GROUPS.len()], dashed: round % 2 == 1, mark }
    }
}

fn stroke<B: DrawingBackend>(
    canvas: &Canvas<B>,
    points: &[(f64, f64)],
    look: &Look,
) -> Result<(), PictureError> {
    const WIDTH: f64 = 2.4;
    if !look.dashed {
        return canvas.line(points, look.colour, WIDTH);
    }
    dashes(points, 7.0, 4.0).iter().try_for_each(|dash| canvas.line(dash, look.colour, WIDTH))
}

fn put_mark<B: DrawingBackend>(
    canvas: &Canvas<B>,
    (x, y): (f64, f64),
    look: &Look,
) -> Result<(), PictureError> {
    let around = |factor: f64| -> Vec<_> {
        look.mark.iter().map(|&(dx, dy)| (x + factor * dx, y + factor * dy)).collect()
    };
    // a white rim keeps the mark apart from the curves below
    canvas.fill(&around(1.3), WHITE)?;
    canvas.fill(&around(1.0), look.colour)
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
        let Painted { svg, png } = draw(&Profile::of(20, [times.as_slice()]), &labels, "title").unwrap();
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
