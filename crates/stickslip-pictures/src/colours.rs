//! Colours for values: even steps of a value look like even steps of colour.
//!
//! All maps are curves in Oklab (Ottosson 2020), whose lightness L, chroma C and hue are near to how colours are seen.
//! The even map climbs in L at a constant rate while its hue goes from violet over green to yellow; the diverging one
//! falls off in L alike on both sides of its middle; the cyclic one goes around at constant L.

use crate::error::PictureError;
use std::str::FromStr;

/// Red, green, blue.
pub type Rgb = [u8; 3];

/// Bodies that no contact moves.
pub const FIXED: Rgb = [176, 180, 187];
/// Free bodies without a value.
pub const PLAIN: Rgb = [120, 160, 200];

/// Paper.
pub const WHITE: Rgb = [255; 3];

/// Okabe and Ito's colours, told apart by all kinds of sight; grey stands in for their yellow, too faint on white.
pub const GROUPS: [Rgb; 8] = [
    [0, 114, 178],
    [213, 94, 0],
    [0, 158, 115],
    [204, 121, 167],
    [230, 159, 0],
    [86, 180, 233],
    [0, 0, 0],
    [130, 130, 130],
];

/// The same for bodies, which are neither black nor grey.
const KINDS: [Rgb; 8] =
    [GROUPS[0], GROUPS[1], GROUPS[2], GROUPS[3], GROUPS[4], GROUPS[5], [122, 96, 172], [164, 122, 90]];

/// A way from values between 0 and 1 to colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColourMap {
    /// From dark violet to light yellow.
    #[default]
    Even,
    /// From blue over near-white to red.
    Diverging,
    /// Once around the hues: both ends are alike.
    Cyclic,
    /// One colour for each whole number.
    Groups,
}

/// Control points of hue, in degrees, and chroma along the even map.
const EVEN: [(f64, f64); 6] =
    [(305.0, 0.115), (278.0, 0.125), (238.0, 0.105), (183.0, 0.105), (142.0, 0.155), (106.0, 0.175)];

impl ColourMap {
    /// The colour of a value from 0 to 1; values beyond take the colour of the end.
    pub fn at(self, value: f64) -> Rgb {
        if self == ColourMap::Groups {
            return KINDS[value.max(0.0) as usize % KINDS.len()];
        }
        let t = value.clamp(0.0, 1.0);
        match self {
            ColourMap::Even => {
                let place = t * (EVEN.len() - 1) as f64;
                let k = (place as usize).min(EVEN.len() - 2);
                let ((h0, c0), (h1, c1)) = (EVEN[k], EVEN[k + 1]);
                let s = place - k as f64;
                oklch(0.38 + 0.52 * t, c0 + s * (c1 - c0), h0 + s * (h1 - h0))
            }
            ColourMap::Diverging => {
                let side = (2.0 * t - 1.0).abs();
                oklch(0.95 - 0.45 * side, 0.17 * side, if t < 0.5 { 255.0 } else { 28.0 })
            }
            ColourMap::Cyclic => oklch(0.72, 0.12, 30.0 + 360.0 * t),
            ColourMap::Groups => KINDS[0],
        }
    }
}

/// Lightness, chroma and hue in degrees as 8-bit sRGB; what the screen cannot show is cut off.
fn oklch(lightness: f64, chroma: f64, hue: f64) -> Rgb {
    let (a, b) = (chroma * hue.to_radians().cos(), chroma * hue.to_radians().sin());
    let l = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let m = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let s = (lightness - 0.089_484_177_5 * a - 1.291_485_548 * b).powi(3);
    let linear = [
        4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
        -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
        -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701 * s,
    ];
    linear.map(|x| to_srgb(x as f32))
}

/// Light as a number of 8 bits.
pub fn to_srgb(linear: f32) -> u8 {
    let x = linear.clamp(0.0, 1.0);
    let encoded = if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 };
    (255.0 * encoded).round() as u8
}

/// The same for many pixels, by a table: at most one off, where a number is about to change.
pub struct Tones(Vec<u8>);

/// Steps of light: five for each number of 8 bits where these are closest.
const TONES: usize = 1 << 14;

impl Default for Tones {
    fn default() -> Self {
        Tones((0..=TONES).map(|k| to_srgb(k as f32 / TONES as f32)).collect())
    }
}

impl Tones {
    /// Light as a number of 8 bits.
    #[inline(always)]
    pub fn at(&self, linear: f32) -> u8 {
        self.0[(linear.clamp(0.0, 1.0) * TONES as f32 + 0.5) as usize]
    }
}

/// The way back.
pub fn to_linear(srgb: u8) -> f32 {
    let x = f32::from(srgb) / 255.0;
    if x <= 0.040_45 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
}

/// Between two colours.
pub fn mix(a: Rgb, b: Rgb, share: f64) -> Rgb {
    std::array::from_fn(|k| (f64::from(a[k]) * (1.0 - share) + f64::from(b[k]) * share).round() as u8)
}

/// What is shown in colours.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum By {
    /// Speed of the centre.
    #[default]
    Speed,
    /// Longest side of the box around the body in its own axes.
    Size,
    /// How far the body has turned: in the plane with its sign, in space from 0 to half a turn.
    Angle,
    /// Sum of the normal forces on the body.
    Force,
    /// The largest share of its contacts and joints in the residual of the last step, on a logarithmic scale.
    Residual,
    /// The name without digits at its end, or the kind of shape of a body without a name.
    Name,
    /// Nothing.
    Plain,
    /// Numbers of the caller, one a body: temperatures, ages.
    Given {
        /// what they are
        label: String,
        /// the numbers
        values: Vec<f64>,
    },
}

impl By {
    /// What the values of a range are above.
    fn least(&self) -> f64 {
        if *self == By::Residual { 0.0 } else { f64::NEG_INFINITY }
    }
}

/// What colours mean.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Colouring {
    /// What is shown.
    pub by: By,
    /// The values of the first and the last colour; those that there are without it.
    pub range: Option<[f64; 2]>,
    /// The colours; cyclic for angles in the plane, groups for names, even for all else without it.
    pub map: Option<ColourMap>,
}

impl Colouring {
    /// The colours that it takes in so many dimensions.
    pub fn shown_as<const D: usize>(&self) -> ColourMap {
        match (&self.by, self.map) {
            (By::Name, _) => ColourMap::Groups,
            (_, Some(map)) => map,
            (By::Angle, None) if D == 2 => ColourMap::Cyclic,
            _ => ColourMap::Even,
        }
    }
}

impl From<By> for Colouring {
    fn from(by: By) -> Self {
        Colouring { by, ..Colouring::default() }
    }
}

impl FromStr for Colouring {
    type Err = PictureError;

    /// As on a command line: `speed`, `force:0..200`, `angle:cyclic`.
    fn from_str(given: &str) -> Result<Self, PictureError> {
        let fault = |fault: String| PictureError::Colouring { given: given.into(), fault };
        let mut parts = given.split(':');
        let by = match parts.next().unwrap_or_default() {
            "speed" => By::Speed,
            "size" => By::Size,
            "angle" => By::Angle,
            "force" => By::Force,
            "residual" => By::Residual,
            "name" => By::Name,
            "plain" => By::Plain,
            other => return Err(fault(format!("\"{other}\" is not known"))),
        };
        let mut colouring = Colouring::from(by);
        for part in parts {
            match (part, part.split_once("..")) {
                ("even", _) => colouring.map = Some(ColourMap::Even),
                ("diverging", _) => colouring.map = Some(ColourMap::Diverging),
                ("cyclic", _) => colouring.map = Some(ColourMap::Cyclic),
                (_, Some((low, high))) => {
                    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite());
                    match (number(low), number(high)) {
                        (Some(low), Some(high)) if low < high && low > colouring.by.least() => {
                            colouring.range = Some([low, high]);
                        }
                        _ => return Err(fault(format!("\"{part}\" is no range"))),
                    }
                }
                _ => return Err(fault(format!("\"{part}\" is neither a range nor a colour map"))),
            }
        }
        Ok(colouring)
    }
}

/// How values become colours in one picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scale {
    /// What is shown; empty for nothing.
    pub label: String,
    /// The colours.
    pub map: ColourMap,
    /// The values of the first and the last colour.
    pub range: [f64; 2],
    /// Names of the groups, if it shows groups.
    pub groups: Vec<String>,
    /// Whether even steps of colour are even ratios of values; the range is positive then.
    pub logarithmic: bool,
    /// A value that is pointed out, and what it is.
    pub mark: Option<(f64, String)>,
}

impl Scale {
    /// The colour of a value; one that is no number is drawn as a body without a value.
    pub fn colour(&self, value: f64) -> Rgb {
        if self.label.is_empty() || !value.is_finite() {
            return PLAIN;
        }
        if self.map == ColourMap::Groups {
            return self.map.at(value);
        }
        self.map.at(self.place(value).unwrap_or(0.0))
    }

    /// Where a value lies on the way from the first colour, at 0, to the last one, at 1; nowhere without a range.
    pub fn place(&self, value: f64) -> Option<f64> {
        let [low, high] = self.range;
        let share = if self.logarithmic {
            (value / low).max(f64::MIN_POSITIVE).ln() / (high / low).ln()
        } else {
            (value - low) / (high - low)
        };
        (high > low).then_some(share)
    }

    /// Takes in another range, so that colours of a movie keep their meaning.
    pub fn widen(&mut self, other: [f64; 2]) {
        let ([a, b], [c, d]) = (self.range, other);
        self.range = [a.min(c), b.max(d)];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lightness L of Oklab.
    fn lightness(colour: Rgb) -> f64 {
        let [r, g, b] = colour.map(|x| f64::from(to_linear(x)));
        let l = 0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b;
        let m = 0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b;
        let s = 0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b;
        0.210_454_255_3 * l.cbrt() + 0.793_617_785 * m.cbrt() - 0.004_072_046_8 * s.cbrt()
    }

    #[test]
    fn the_even_map_climbs_evenly() {
        for k in 0..=20 {
            let t = f64::from(k) / 20.0;
            let expected = 0.38 + 0.52 * t;
            assert!((lightness(ColourMap::Even.at(t)) - expected).abs() < 0.02, "at {t}");
        }
    }

    #[test]
    fn the_diverging_map_is_even_on_both_sides_and_the_cyclic_one_closes() {
        for k in 0..=10 {
            let t = f64::from(k) / 20.0;
            let sides = [ColourMap::Diverging.at(t), ColourMap::Diverging.at(1.0 - t)].map(lightness);
            assert!((sides[0] - sides[1]).abs() < 0.03, "at {t}: {sides:?}");
        }
        assert_eq!(ColourMap::Cyclic.at(0.0), ColourMap::Cyclic.at(1.0));
    }

    #[test]
    fn the_middle_value_has_the_middle_colour() {
        let scale = Scale { label: "speed".into(), range: [2.0, 6.0], ..Scale::default() };
        assert_eq!(scale.colour(4.0), ColourMap::Even.at(0.5));
        assert_eq!(scale.colour(-1.0), ColourMap::Even.at(0.0));
        assert_eq!(scale.colour(9.0), ColourMap::Even.at(1.0));
        assert_eq!(scale.colour(f64::NAN), PLAIN);
        let scale = Scale { logarithmic: true, range: [1e-8, 1e-4], ..scale };
        assert_eq!(scale.colour(1e-6), ColourMap::Even.at(0.5));
        assert_eq!([0.0, 1e-9].map(|value| scale.colour(value)), [ColourMap::Even.at(0.0); 2]);
    }

    #[test]
    fn colourings_are_read_and_refused() {
        let read: Colouring = "force:0..20:diverging".parse().unwrap();
        assert_eq!(
            read,
            Colouring { by: By::Force, range: Some([0.0, 20.0]), map: Some(ColourMap::Diverging) }
        );
        assert_eq!("name".parse::<Colouring>().unwrap().by, By::Name);
        assert_eq!("residual:1e-9..1e-3".parse::<Colouring>().unwrap().range, Some([1e-9, 1e-3]));
        for (wrong, why) in [
            ("sped", "\"sped\" is not known"),
            ("speed:2..1", "no range"),
            ("residual:0..1", "no range"),
            ("speed:x", "neither"),
        ] {
            let error = wrong.parse::<Colouring>().unwrap_err().to_string();
            assert!(error.contains(why) && error.contains("give speed, size"), "{error}");
        }
    }

    #[test]
    fn light_comes_back_from_eight_bits() {
        let tones = Tones::default();
        assert!((0..=255).all(|x| to_srgb(to_linear(x)) == x && tones.at(to_linear(x)) == x));
        assert_eq!([-1.0, 2.0, f32::NAN].map(|light| tones.at(light)), [0, 255, 0]);
    }
}
