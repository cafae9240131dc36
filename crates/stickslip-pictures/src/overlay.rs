//! What is written over a picture: colour bar, time, scale, title.

use crate::colours::{ColourMap, Rgb, Scale, WHITE, mix};
use crate::text::{self, Side};
use tiny_skia::{FillRule, LineCap, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, Transform};

/// For text and lines.
pub const INK: Rgb = [38, 40, 46];

/// Size of the name of a mark.
const NAME: f64 = 12.0;

/// A picture that is drawn on, and the unit of its lettering.
pub struct Sheet {
    pub pixmap: Pixmap,
    /// One for a picture 720 pixels high.
    pub unit: f64,
}

impl Sheet {
    pub fn new(pixmap: Pixmap) -> Self {
        let unit = (f64::from(pixmap.height().min(pixmap.width())) / 720.0).clamp(0.7, 4.0);
        Sheet { pixmap, unit }
    }

    pub fn fill(&mut self, path: &Path, colour: Rgb) {
        self.pixmap.fill_path(path, &paint(colour), FillRule::EvenOdd, Transform::identity(), None);
    }

    pub fn stroke(&mut self, path: &Path, colour: Rgb, width: f64) {
        let stroke = Stroke { width: width as f32, line_cap: LineCap::Round, ..Stroke::default() };
        self.pixmap.stroke_path(path, &paint(colour), &stroke, Transform::identity(), None);
    }

    pub fn line(&mut self, points: &[(f64, f64)], colour: Rgb, width: f64) {
        if let Some(path) = polyline(points, false) {
            self.stroke(&path, colour, width);
        }
    }

    fn rectangle(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), colour: Rgb) {
        if let Some(rect) = Rect::from_xywh(x as f32, y as f32, width as f32, height as f32) {
            self.pixmap.fill_rect(rect, &paint(colour), Transform::identity(), None);
        }
    }

    fn text(&mut self, text: &str, at: (f64, f64), size: f64, side: Side) {
        text::draw(&mut self.pixmap, text, at, size * self.unit, INK, side);
    }

    /// The width that the legend takes on the right.
    pub fn legend_width(&self, scale: &Scale) -> f64 {
        let widest = |size: f64, texts: &mut dyn Iterator<Item = String>| {
            texts.map(|text| text::width(&text, size * self.unit)).fold(0.0, f64::max)
        };
        let wide = |inner: f64| inner + 56.0 * self.unit;
        if scale.label.is_empty() {
            0.0
        } else if scale.map == ColourMap::Groups {
            wide(widest(15.0, &mut scale.groups.iter().cloned()))
        } else {
            let mut labels = scale_ticks(scale).into_iter().map(label);
            let mark = scale.mark.as_ref().map_or(0.0, |(_, name)| text::width(name, NAME * self.unit));
            // a movie's numbers change, its layout does not
            let least = text::width("0.005", 15.0 * self.unit);
            wide(
                widest(15.0, &mut labels)
                    .max(least)
                    .max(mark)
                    .max(text::width(&scale.label, 16.0 * self.unit) - 24.0 * self.unit),
            )
        }
    }

    /// Colour bar or swatches on the right, as pale as the bodies.
    pub fn legend(&mut self, scale: &Scale, pale: f64) {
        let (unit, height) = (self.unit, f64::from(self.pixmap.height()));
        let left = (f64::from(self.pixmap.width()) - self.legend_width(scale) + 14.0 * unit).round();
        if scale.label.is_empty() {
            return;
        }
        if scale.map == ColourMap::Groups {
            for (k, name) in scale.groups.iter().enumerate() {
                let colour = mix(scale.map.at(k as f64), WHITE, pale);
                let y = 44.0 * unit + 26.0 * unit * k as f64;
                self.rectangle((left, y - 7.0 * unit), (14.0 * unit, 14.0 * unit), colour);
                self.text(name, (left + 22.0 * unit, y), 15.0, Side::Left);
            }
            return;
        }
        let (top, bottom, width) = ((0.18 * height).round(), (0.82 * height).round(), (16.0 * unit).round());
        let rows = (bottom - top).round() as usize;
        for row in 0..rows {
            let share = 1.0 - (row as f64 + 0.5) / rows as f64;
            self.rectangle((left, top + row as f64), (width, 1.0), mix(scale.map.at(share), WHITE, pale));
        }
        self.text(&scale.label, (left, top - 20.0 * unit), 16.0, Side::Left);
        let place = |value: f64| bottom + (top - bottom) * scale.place(value).unwrap_or(0.5);
        let ticks = scale_ticks(scale);
        for &tick in &ticks {
            let y = place(tick);
            self.line(&[(left + width, y), (left + width + 4.0 * unit, y)], INK, unit);
            self.text(&label(tick), (left + width + 9.0 * unit, y), 15.0, Side::Left);
        }
        if let Some((value, name)) = &scale.mark {
            let y = place(*value);
            self.line(&[(left - 4.0 * unit, y), (left + width + 4.0 * unit, y)], INK, 2.0 * unit);
            // below the number of a tick that is near
            let near = ticks.iter().map(|&tick| y - place(tick)).find(|way| way.abs() < 15.0 * unit);
            let y = near.map_or(y, |way| y - way + 15.0 * unit);
            self.text(name, (left + width + 9.0 * unit, y), NAME, Side::Left);
        }
    }

    /// Title and time at the top left.
    pub fn heading(&mut self, title: &str, time: f64) {
        let mut y = 28.0 * self.unit;
        if !title.is_empty() {
            self.text(title, (20.0 * self.unit, y), 20.0, Side::Left);
            y += 28.0 * self.unit;
        }
        // as many digits as fit, always as many: a movie's time does not dance
        let digits = 3 - time.abs().max(1.0).log10().floor().min(3.0) as usize;
        self.text(&format!("t = {time:.digits$}"), (20.0 * self.unit, y), 16.0, Side::Left);
    }

    /// A bar of a round length at the bottom left, in pixels a unit of length.
    pub fn scale_bar(&mut self, scale: f64) {
        let unit = self.unit;
        let length = round_below(160.0 * unit / scale);
        let (x, y) = (20.0 * unit, f64::from(self.pixmap.height()) - 22.0 * unit);
        let end = x + length * scale;
        // a light edge keeps it apart from what is below
        for (colour, width) in [([255; 3], 6.0), (INK, 2.5)] {
            self.line(&[(x, y), (end, y)], colour, width * unit);
        }
        self.text(&label(length), (end + 10.0 * unit, y), 15.0, Side::Left);
    }

    /// A note at the bottom left.
    pub fn note(&mut self, text: &str) {
        let y = f64::from(self.pixmap.height()) - 22.0 * self.unit;
        self.text(text, (20.0 * self.unit, y), 14.0, Side::Left);
    }
}

fn paint(colour: Rgb) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(colour[0], colour[1], colour[2], 255);
    paint
}

/// A path through points.
pub fn polyline(points: &[(f64, f64)], closed: bool) -> Option<Path> {
    let mut builder = PathBuilder::new();
    for (k, &(x, y)) in points.iter().enumerate() {
        if k == 0 {
            builder.move_to(x as f32, y as f32);
        } else {
            builder.line_to(x as f32, y as f32);
        }
    }
    if closed {
        builder.close();
    }
    builder.finish()
}

/// 1, 2 or 5 times a power of ten, the largest up to a number.
pub fn round_below(x: f64) -> f64 {
    if !(x > 0.0 && x.is_finite()) {
        return 1.0;
    }
    let power = 10f64.powf(x.log10().floor());
    [5.0, 2.0].into_iter().map(|step| step * power).find(|&step| step <= x).unwrap_or(power)
}

/// Round numbers in a range, up to a number of them.
pub fn ticks([low, high]: [f64; 2], most: usize) -> Vec<f64> {
    let wide = high - low;
    if !(wide > 0.0 && wide.is_finite()) || wide < 1e-12 * high.abs().max(low.abs()) {
        return vec![low];
    }
    let mut step = round_below(wide / most as f64);
    while wide / step > most as f64 {
        step = round_below(step * 2.6);
    }
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|k| k as f64 * step).collect()
}

/// The numbers beside a colour bar.
fn scale_ticks(scale: &Scale) -> Vec<f64> {
    if scale.logarithmic { decades(scale.range, 9) } else { ticks(scale.range, 6) }
}

/// Powers of ten in a range, up to a number of them.
fn decades([low, high]: [f64; 2], most: usize) -> Vec<f64> {
    let (first, last) = ((low.log10() - 1e-9).ceil() as i32, (high.log10() + 1e-9).floor() as i32);
    let step = (last - first).max(0) as usize / most + 1;
    (first..=last).step_by(step).map(|power| 10f64.powi(power)).collect()
}

/// A number as short as it is round.
pub fn label(x: f64) -> String {
    let size = x.abs();
    if size == 0.0 {
        return "0".into();
    }
    if !(1e-3..1e5).contains(&size) {
        let text = format!("{x:.2e}");
        return match text.split_once('e') {
            Some((digits, power)) => {
                format!("{}e{power}", digits.trim_end_matches('0').trim_end_matches('.'))
            }
            None => text,
        };
    }
    let digits = (3 - size.log10().floor() as i32).max(0) as usize;
    let text = format!("{x:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(ticks([0.0, 1.0], 6).len(), 6);
        assert_eq!(ticks([0.0, 23.0], 6), [0.0, 5.0, 10.0, 15.0, 20.0]);
        assert_eq!(ticks([-3.2, 3.2], 7), [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0]);
        assert_eq!(ticks([2.0, 2.0], 6), [2.0]);
        for k in 1..400 {
            let high = 1.07f64.powi(k - 200);
            assert!((2..=8).contains(&ticks([0.0, high], 6).len()), "{high}");
        }
    }

    #[test]
    fn decades_are_whole_and_few() {
        assert_eq!(
            decades([1e-9, 1e-6], 9).into_iter().map(label).collect::<Vec<_>>(),
            ["1e-9", "1e-8", "1e-7", "1e-6"]
        );
        assert_eq!(decades([2e-9, 5e-8], 9), [1e-8]);
        assert_eq!(decades([1e-20, 1.0], 9).len(), 7);
    }

    #[test]
    fn labels_are_short() {
        let labels = [0.0, 0.1 + 0.2, 1500.0, 2e-5, 123_456.0, -0.25].map(label);
        assert_eq!(labels, ["0", "0.3", "1500", "2e-5", "1.23e5", "-0.25"]);
    }
}
