//! Plots of time series and of whatever else is a curve, as SVG and PNG.

use crate::canvas::{Canvas, Drawing, FAINT_INK, GRID, INK, Painted, paint, text_width};
use crate::colours::GROUPS;
use crate::error::PictureError;
use crate::files;
use crate::overlay::{label, ticks};
use crate::text::Side;
use plotters::prelude::DrawingBackend;
use std::path::Path;

/// A curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name; none in the legend if empty.
    pub label: String,
    /// Its points; it is broken where one is not finite.
    pub points: Vec<(f64, f64)>,
}

impl Series {
    /// A curve to be, by its name.
    pub fn named(label: impl Into<String>) -> Self {
        Series { label: label.into(), points: Vec::new() }
    }
}

/// Curves over one axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// A line above.
    pub title: String,
    /// What runs to the right.
    pub x: String,
    /// What runs up.
    pub y: String,
    /// The curves.
    pub series: Vec<Series>,
    /// Whether powers of ten are equally far apart; values up to 0 are left out then.
    pub logarithmic: bool,
    /// The same of what runs to the right.
    pub logarithmic_x: bool,
    /// Curves from this one on are dashed, in the colours of the first ones again. Default none.
    pub dashed_from: Option<usize>,
    /// Pixels across and down.
    pub size: (u32, u32),
}

impl Default for Plot {
    fn default() -> Self {
        Plot {
            title: String::new(),
            x: "time".into(),
            y: String::new(),
            series: Vec::new(),
            logarithmic: false,
            logarithmic_x: false,
            dashed_from: None,
            size: (760, 380),
        }
    }
}

impl Plot {
    /// Draws it in both formats.
    pub fn draw(&self) -> Result<Painted, PictureError> {
        let (width, height) = self.size;
        if !(160..=8192).contains(&width) || !(120..=8192).contains(&height) {
            return Err(PictureError::Plot(format!(
                "{width} x {height} pixels: give from 160 x 120 to 8192 x 8192"
            )));
        }
        paint(&Axes::of(self), self.size)
    }

    /// Writes an SVG or a PNG, as the ending says.
    pub fn save(&self, path: &Path) -> Result<(), PictureError> {
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        match ending.as_str() {
            "svg" => files::write(path, self.draw()?.svg.as_bytes()),
            "png" => files::write(path, &self.draw()?.png),
            _ => Err(PictureError::Ending { path: path.into(), what: "plot", known: ".svg, .png" }),
        }
    }
}

/// A plot with its ranges, and where its area lies in pixels.
struct Axes<'a> {
    plot: &'a Plot,
    /// Of the logarithm, if that is drawn.
    x: [f64; 2],
    /// The same.
    y: [f64; 2],
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

const TEXT: f64 = 13.0;
const MARGIN: f64 = 18.0;

impl<'a> Axes<'a> {
    fn of(plot: &'a Plot) -> Self {
        let points = || plot.series.iter().flat_map(|series| &series.points);
        let mut axes = Axes {
            plot,
            x: range(points().map(|p| drawn(p.0, plot.logarithmic_x))),
            y: [0.0, 1.0],
            left: 0.0,
            right: f64::from(plot.size.0) - MARGIN,
            top: if plot.title.is_empty() { 30.0 } else { 58.0 },
            bottom: f64::from(plot.size.1) - 46.0,
        };
        let [low, high] = range(points().map(|p| drawn(p.1, plot.logarithmic)));
        // a little room above and below
        let room = 0.04 * (high - low);
        axes.y = if room > 0.0 { [low - room, high + room] } else { [low - 0.5, high + 0.5] };
        if axes.x[0] == axes.x[1] {
            axes.x = [axes.x[0] - 0.5, axes.x[1] + 0.5];
        }
        let widest = axes.heights().iter().map(|(_, label)| text_width(label, TEXT)).fold(0.0, f64::max);
        axes.left = MARGIN + widest + 10.0;
        axes
    }

    fn place(&self, x: f64, height: f64) -> (f64, f64) {
        let share = |[low, high]: [f64; 2], x: f64| (x - low) / (high - low);
        (
            self.left + (self.right - self.left) * share(self.x, x),
            self.bottom + (self.top - self.bottom) * share(self.y, height),
        )
    }

    /// Heights and labels of the lines across.
    fn heights(&self) -> Vec<(f64, String)> {
        steps(self.y, self.plot.logarithmic, 6)
    }

    fn axes<B: DrawingBackend>(&self, canvas: &Canvas<B>) -> Result<(), PictureError> {
        for (height, label) in self.heights() {
            let (_, y) = self.place(self.x[0], height);
            canvas.line(&[(self.left, y), (self.right, y)], GRID, 1.0)?;
            canvas.text(&label, (self.left - 8.0, y), TEXT, INK, Side::Right)?;
        }
        for (tick, label) in steps(self.x, self.plot.logarithmic_x, 8) {
            let (x, _) = self.place(tick, self.y[0]);
            canvas.line(&[(x, self.top), (x, self.bottom)], GRID, 1.0)?;
            canvas.text(&label, (x, self.bottom + 15.0), TEXT, INK, Side::Centre)?;
        }
        let corner = (self.left, self.bottom);
        canvas.line(&[(self.left, self.top), corner, (self.right, self.bottom)], INK, 1.0)?;
        let middle = 0.5 * (self.left + self.right);
        canvas.text(&self.plot.x, (middle, self.bottom + 34.0), TEXT, INK, Side::Centre)?;
        canvas.text(&self.plot.y, (MARGIN, self.top - 16.0), TEXT, FAINT_INK, Side::Left)
    }

    /// The pieces of a curve between points that are not finite.
    fn curve<B: DrawingBackend>(&self, canvas: &Canvas<B>, k: usize) -> Result<(), PictureError> {
        let Plot { logarithmic, logarithmic_x, .. } = self.plot;
        let points = self.plot.series[k].points.iter();
        let points: Vec<_> =
            points.map(|&(x, y)| (drawn(x, *logarithmic_x), drawn(y, *logarithmic))).collect();
        let pieces = points.split(|(x, y)| !(x.is_finite() && y.is_finite()));
        for piece in pieces.filter(|piece| !piece.is_empty()) {
            let mut path: Vec<_> = piece.iter().map(|&(x, y)| self.place(x, y)).collect();
            if let &[(x, y)] = path.as_slice() {
                path = vec![(x - 2.0, y), (x + 2.0, y)];
            }
            self.stroke(canvas, k, &path, 1.8)?;
        }
        Ok(())
    }

    /// A line in the colour of a curve, dashed if that is.
    fn stroke<B: DrawingBackend>(
        &self,
        canvas: &Canvas<B>,
        k: usize,
        path: &[(f64, f64)],
        width: f64,
    ) -> Result<(), PictureError> {
        let first = self.plot.dashed_from.unwrap_or(usize::MAX).max(1);
        let colour = GROUPS[k % first % GROUPS.len()];
        if k < first {
            return canvas.line(path, colour, width);
        }
        dashes(path).iter().try_for_each(|dash| canvas.line(dash, colour, width))
    }

    /// Names above the plot, from the right.
    fn legend<B: DrawingBackend>(&self, canvas: &Canvas<B>) -> Result<(), PictureError> {
        let mut x = self.right;
        for (k, series) in self.plot.series.iter().enumerate().rev() {
            if series.label.is_empty() {
                continue;
            }
            let y = self.top - 16.0;
            canvas.text(&series.label, (x, y), TEXT, INK, Side::Right)?;
            x -= text_width(&series.label, TEXT) + 8.0;
            self.stroke(canvas, k, &[(x - 20.0, y), (x, y)], 2.4)?;
            x -= 40.0;
        }
        Ok(())
    }
}

impl Drawing for Axes<'_> {
    fn draw_on<B: DrawingBackend>(&self, canvas: &Canvas<B>) -> Result<(), PictureError> {
        canvas.text(&self.plot.title, (MARGIN, 20.0), 17.0, INK, Side::Left)?;
        self.axes(canvas)?;
        // the first on top
        (0..self.plot.series.len()).rev().try_for_each(|k| self.curve(canvas, k))?;
        self.legend(canvas)
    }
}

/// What is drawn of a value.
fn drawn(value: f64, logarithmic: bool) -> f64 {
    if logarithmic { value.log10() } else { value }
}

/// Places and labels of the lines of an axis, about so many; of the logarithm, if that is drawn.
fn steps([low, high]: [f64; 2], logarithmic: bool, number: usize) -> Vec<(f64, String)> {
    let whole = (high.floor() - low.ceil()) as i64;
    if logarithmic && whole >= 1 {
        let thin = (whole as usize).div_ceil(8);
        let powers = (low.ceil() as i64..=high.floor() as i64).step_by(thin);
        return powers.map(|power| (power as f64, format!("1e{power}"))).collect();
    }
    let name = |place: f64| if logarithmic { 10f64.powf(place) } else { place };
    ticks([low, high], number).into_iter().map(|place| (place, label(name(place)))).collect()
}

/// Pixels of a dash, and of the way from its beginning to the next.
const DASH: [f64; 2] = [6.0, 10.0];

/// The dashes of a path.
fn dashes(path: &[(f64, f64)]) -> Vec<Vec<(f64, f64)>> {
    let [on, period] = DASH;
    let (mut all, mut dash, mut way) = (Vec::new(), Vec::new(), 0.0);
    for pair in path.windows(2) {
        let [(x0, y0), (x1, y1)] = [pair[0], pair[1]];
        let length = (x1 - x0).hypot(y1 - y0);
        let mut done = 0.0;
        while done < length {
            let is_on = way < on;
            let part = (if is_on { on - way } else { period - way }).min(length - done);
            let at = |way: f64| (x0 + (x1 - x0) * way / length, y0 + (y1 - y0) * way / length);
            if is_on {
                if dash.is_empty() {
                    dash.push(at(done));
                }
                dash.push(at(done + part));
            }
            done += part;
            way += part;
            if way >= on - 1e-9 && !dash.is_empty() {
                all.push(std::mem::take(&mut dash));
            }
            if way >= period - 1e-9 {
                way = 0.0;
            }
        }
    }
    if !dash.is_empty() {
        all.push(dash);
    }
    all
}

/// Least and largest finite value; 0 and 1 of none.
fn range(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let finite = values.filter(|x| x.is_finite());
    let [low, high] = finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| [a.min(x), b.max(x)]);
    if low <= high { [low, high] } else { [0.0, 1.0] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(points: Vec<(f64, f64)>, logarithmic: bool) -> Plot {
        let series = vec![Series { label: "a < b".into(), points }];
        Plot { title: "energy".into(), series, logarithmic, ..Plot::default() }
    }

    #[test]
    fn both_formats_hold_the_plot() {
        let Painted { svg, png } = plot(vec![(0.0, 1.0), (2.0, 5.0)], false).draw().unwrap();
        assert!(svg.contains("energy") && svg.contains("a &lt; b") && svg.contains("polyline"), "{svg:.300}");
        assert!(svg.starts_with("<svg width=\"760\" height=\"380\""));
        assert!(png.starts_with(b"\x89PNG"));
    }

    #[test]
    fn curves_end_where_the_axes_say() {
        let plot = plot(vec![(0.0, 1.0), (2.0, 5.0)], false);
        let axes = Axes::of(&plot);
        let ((x0, y0), (x1, y1)) = (axes.place(0.0, 1.0), axes.place(2.0, 5.0));
        assert!((x0 - axes.left).abs() < 1e-9 && (x1 - axes.right).abs() < 1e-9);
        assert!(axes.top < y1 && y1 < y0 && y0 < axes.bottom);
    }

    #[test]
    fn what_is_not_finite_breaks_a_curve_and_nothing_else() {
        let points = vec![(0.0, 1.0), (1.0, f64::NAN), (2.0, 0.0), (3.0, 1e-3)];
        assert!(plot(points.clone(), false).draw().is_ok());
        assert!(plot(points.clone(), true).draw().is_ok());
        let plot = plot(points, true);
        assert_eq!(Axes::of(&plot).heights().first().map(|step| step.1.clone()), Some("1e-3".into()));
        assert!(Plot::default().draw().is_ok());
        assert!(Plot { size: (10, 10), ..Plot::default() }.draw().is_err());
    }

    #[test]
    fn powers_of_ten_are_equally_far_apart_on_both_axes() {
        let mut plot = plot(vec![(1e-3, 1.0), (1e-2, 10.0), (1e-1, 100.0)], true);
        plot.logarithmic_x = true;
        let axes = Axes::of(&plot);
        assert_eq!(axes.x, [-3.0, -1.0]);
        let names: Vec<String> = steps(axes.x, true, 8).into_iter().map(|step| step.1).collect();
        assert_eq!(names, ["1e-3", "1e-2", "1e-1"]);
    }

    #[test]
    fn dashes_go_around_corners_and_leave_gaps() {
        let found = dashes(&[(0.0, 0.0), (3.0, 0.0), (3.0, 13.0)]);
        assert_eq!(found, [vec![(0.0, 0.0), (3.0, 0.0), (3.0, 3.0)], vec![(3.0, 7.0), (3.0, 13.0)]]);
    }
}
