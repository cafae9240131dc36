//! How large grains are. Sizes are diameters, as sieves measure them.
//!
//! A lot of n sizes takes one from each of n equal shares of the distribution, in random order: small lots follow it
//! as closely as large ones, and a sieve table is met by mass although coarse grains are few.

use super::{PackingError, Random, at_least_one, positive};
use libm::{erfc, exp, log};
use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// A distribution of diameters, by number unless it says otherwise.
#[derive(Clone, Debug, PartialEq)]
pub enum Sizes {
    /// All of one size.
    Fixed {
        /// the diameter
        size: f64,
    },
    /// All sizes of a range alike.
    Uniform {
        /// least diameter
        min: f64,
        /// largest diameter
        max: f64,
    },
    /// The logarithm is normal, cut off on both sides.
    LogNormal {
        /// half of the grains are smaller, before the cuts
        median: f64,
        /// standard deviation of the logarithm
        sigma: f64,
        /// least diameter
        min: f64,
        /// largest diameter
        max: f64,
    },
    /// A grading curve, by mass: sizes and passing fractions, both rising, the latter from 0 to 1. Between two sieves
    /// the mass is spread evenly over the sizes.
    Sieves(Vec<Sieve>),
}

/// A row of a grading curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sieve {
    /// Opening.
    pub size: f64,
    /// The part of the mass that passes.
    pub passing: f64,
}

impl Sizes {
    /// Refuses what is no distribution.
    pub fn validate(&self) -> Result<(), PackingError> {
        match self {
            Sizes::Fixed { size } => positive("size", *size),
            Sizes::Uniform { min, max } => range(*min, *max),
            Sizes::LogNormal { median, sigma, min, max } => {
                positive("median", *median)?;
                positive("sigma", *sigma)?;
                range(*min, *max)?;
                if (*min..=*max).contains(median) {
                    return Ok(());
                }
                let allowed = "give one between min and max";
                Err(PackingError::Value { what: "median", value: *median, allowed })
            }
            Sizes::Sieves(table) => validate_table(table),
        }
    }

    /// The largest diameter.
    pub fn largest(&self) -> f64 {
        match self {
            Sizes::Fixed { size } => *size,
            Sizes::Uniform { max, .. } | Sizes::LogNormal { max, .. } => *max,
            Sizes::Sieves(table) => table.last().map_or(0.0, |row| row.size),
        }
    }

    /// The diameter that a share of the grains, by number, does not exceed.
    pub fn quantile<const D: usize>(&self, share: f64) -> f64 {
        match self {
            Sizes::Fixed { size } => *size,
            Sizes::Uniform { min, max } => min + share * (max - min),
            Sizes::LogNormal { median, sigma, min, max } => {
                let [low, high] = [min, max].map(|cut| log(cut / median) / sigma);
                let below = normal_below(low);
                let z = normal_quantile(below + share * (normal_below(high) - below), low, high);
                median * exp(sigma * z)
            }
            Sizes::Sieves(table) => {
                let all: f64 = intervals(table).map(|interval| interval.number::<D>()).sum();
                let mut rest = share * all;
                let mut last = table[0].size;
                for interval in intervals(table) {
                    let number = interval.number::<D>();
                    if rest <= number && number > 0.0 {
                        return interval.quantile::<D>(rest / number);
                    }
                    rest -= number;
                    last = interval.high;
                }
                last
            }
        }
    }

    /// Mean of the D-th power of the diameter.
    pub fn mean_power<const D: usize>(&self) -> f64 {
        let n = D as i32;
        match self {
            Sizes::Fixed { size } => size.powi(n),
            Sizes::Uniform { min, max } if min == max => min.powi(n),
            Sizes::Uniform { min, max } => {
                (max.powi(n + 1) - min.powi(n + 1)) / (f64::from(n + 1) * (max - min))
            }
            Sizes::LogNormal { median, sigma, min, max } => {
                let [low, high] = [min, max].map(|cut| log(cut / median) / sigma);
                let shift = f64::from(n) * sigma;
                let share = |shift: f64| normal_below(high - shift) - normal_below(low - shift);
                median.powi(n) * exp(0.5 * shift * shift) * share(shift) / share(0.0)
            }
            // the number of grains in a unit of mass is known
            Sizes::Sieves(table) => {
                1.0 / intervals(table).map(|interval| interval.number::<D>()).sum::<f64>()
            }
        }
    }

    /// A lot of diameters, in random order.
    pub fn lot<const D: usize>(&self, number: usize, random: &mut Random) -> Result<Vec<f64>, PackingError> {
        at_least_one("number of grains", number)?;
        self.validate()?;
        let mut lot: Vec<f64> =
            (0..number).map(|k| self.quantile::<D>((k as f64 + random.uniform()) / number as f64)).collect();
        random.shuffle(&mut lot);
        Ok(lot)
    }
}

fn range(min: f64, max: f64) -> Result<(), PackingError> {
    positive("min", min)?;
    positive("max", max)?;
    if min <= max {
        return Ok(());
    }
    Err(PackingError::Value { what: "max", value: max, allowed: "give at least min" })
}

fn validate_table(table: &[Sieve]) -> Result<(), PackingError> {
    let [first, .., last] = table else { return Err(PackingError::FewSieves { found: table.len() }) };
    let refuse = |row: usize, remedy| {
        let Sieve { size, passing } = table[row];
        Err(PackingError::Sieves { row: row + 1, size, passing, remedy })
    };
    for (row, sieve) in table.iter().enumerate() {
        if !(sieve.size > 0.0 && sieve.size.is_finite()) {
            return refuse(row, "give a positive size");
        }
        if !(0.0..=1.0).contains(&sieve.passing) {
            return refuse(row, "give a passing fraction from 0 to 1");
        }
        if row > 0 && sieve.size <= table[row - 1].size {
            return refuse(row, "sizes must rise from row to row");
        }
        if row > 0 && sieve.passing < table[row - 1].passing {
            return refuse(row, "passing fractions must not fall");
        }
    }
    if first.passing != 0.0 {
        return refuse(0, "nothing may pass the first sieve: add the least size with passing 0");
    }
    if last.passing != 1.0 {
        return refuse(table.len() - 1, "all must pass the last sieve: add the largest size with passing 1");
    }
    Ok(())
}

/// What lies between two sieves.
struct Interval {
    low: f64,
    high: f64,
    mass: f64,
}

fn intervals(table: &[Sieve]) -> impl Iterator<Item = Interval> {
    table.windows(2).map(|rows| Interval {
        low: rows[0].size,
        high: rows[1].size,
        mass: rows[1].passing - rows[0].passing,
    })
}

/// Grains of size d are d⁻ᴰ for a mass; the integral of that is d¹⁻ᴰ, up to a factor.
fn inverse_power<const D: usize>(size: f64) -> f64 {
    if D == 2 { 1.0 / size } else { 1.0 / (size * size) }
}

impl Interval {
    /// Grains in it, as many as make a unit of d-to-the-D mass with the others.
    fn number<const D: usize>(&self) -> f64 {
        let integral = (inverse_power::<D>(self.low) - inverse_power::<D>(self.high)) / (D as f64 - 1.0);
        self.mass / (self.high - self.low) * integral
    }

    fn quantile<const D: usize>(&self, share: f64) -> f64 {
        let (low, high) = (inverse_power::<D>(self.low), inverse_power::<D>(self.high));
        let power = 1.0 / (low + share * (high - low));
        if D == 2 { power } else { power.sqrt() }
    }
}

/// The part of a normal distribution below z.
fn normal_below(z: f64) -> f64 {
    0.5 * erfc(-z * FRAC_1_SQRT_2)
}

/// The z between two bounds below which a part of a normal distribution lies: Newton's method, halving where it leaves
/// the bounds.
fn normal_quantile(share: f64, mut low: f64, mut high: f64) -> f64 {
    let mut z = 0f64.clamp(low, high);
    for _ in 0..100 {
        let excess = normal_below(z) - share;
        if excess > 0.0 {
            high = z;
        } else {
            low = z;
        }
        let step = excess * (2.0 * PI).sqrt() * exp(0.5 * z * z);
        let newton = z - step;
        if step.abs() <= 1e-14 || high <= low {
            break;
        }
        z = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
    }
    z
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grading() -> Sizes {
        let rows = [(0.5, 0.0), (1.0, 0.2), (2.0, 0.2), (4.0, 0.55), (16.0, 1.0)];
        Sizes::Sieves(rows.map(|(size, passing)| Sieve { size, passing }).to_vec())
    }

    fn moments(lot: &[f64], power: i32) -> f64 {
        lot.iter().map(|d| d.powi(power)).sum::<f64>() / lot.len() as f64
    }

    #[test]
    fn uniform_and_log_normal_have_their_moments() {
        let (number, mut random) = (20_000, Random::new(1));
        let lot = Sizes::Uniform { min: 1.0, max: 3.0 }.lot::<3>(number, &mut random).unwrap();
        assert!((moments(&lot, 1) - 2.0).abs() < 1e-3);
        assert!((moments(&lot, 2) - 4.0 - 1.0 / 3.0).abs() < 1e-3);

        let (median, sigma) = (2.0, 0.4);
        let wide = Sizes::LogNormal { median, sigma, min: 1e-3, max: 4e3 };
        let lot = wide.lot::<3>(number, &mut random).unwrap();
        let logs: Vec<f64> = lot.iter().map(|d| (d / median).ln() / sigma).collect();
        assert!(moments(&logs, 1).abs() < 1e-3);
        assert!((moments(&logs, 2) - 1.0).abs() < 1e-2);
        assert!((moments(&logs, 4) - 3.0).abs() < 0.1);
    }

    #[test]
    fn cut_offs_hold_and_shares_are_kept() {
        let cut = Sizes::LogNormal { median: 2.0, sigma: 0.5, min: 1.5, max: 4.0 };
        let lot = cut.lot::<2>(1000, &mut Random::new(2)).unwrap();
        assert!(lot.iter().all(|d| (1.5..=4.0).contains(d)));
        // Φ(0) − Φ(a) of Φ(b) − Φ(a) lie below the median
        let [a, b] = [(1.5f64 / 2.0).ln() / 0.5, 2f64.ln() / 0.5].map(normal_below);
        let below = lot.iter().filter(|&&d| d < 2.0).count() as f64 / 1000.0;
        assert!((below - (0.5 - a) / (b - a)).abs() < 2e-3);
    }

    /// The mass between sieves is met, in the plane and in space.
    fn sieves_by_mass<const D: usize>(number: usize, within: f64) {
        let sizes = grading();
        let lot = sizes.lot::<D>(number, &mut Random::new(3)).unwrap();
        let mass = |d: &f64| d.powi(D as i32);
        let all: f64 = lot.iter().map(mass).sum();
        let Sizes::Sieves(table) = &sizes else { unreachable!() };
        for sieve in table {
            let passing = lot.iter().filter(|&&d| d <= sieve.size).map(mass).sum::<f64>() / all;
            assert!((passing - sieve.passing).abs() < within, "{D}D {}: {passing}", sieve.size);
        }
        let half = lot.iter().filter(|&&d| d <= 10.0).map(mass).sum::<f64>() / all;
        assert!((half - 0.775).abs() < within, "within an interval: {half}");
    }

    #[test]
    fn a_grading_curve_is_met_by_mass() {
        sieves_by_mass::<2>(20_000, 2e-3);
        sieves_by_mass::<3>(100_000, 5e-3);
    }

    #[test]
    fn mean_powers_are_those_of_lots() {
        for sizes in [
            Sizes::Fixed { size: 2.0 },
            Sizes::Uniform { min: 1.0, max: 3.0 },
            Sizes::LogNormal { median: 2.0, sigma: 0.6, min: 0.8, max: 5.0 },
            grading(),
        ] {
            let lot = sizes.lot::<3>(100_000, &mut Random::new(4)).unwrap();
            let ratio = moments(&lot, 3) / sizes.mean_power::<3>();
            assert!((ratio - 1.0).abs() < 2e-3, "{sizes:?}: {ratio}");
            let lot = sizes.lot::<2>(100_000, &mut Random::new(5)).unwrap();
            let ratio = moments(&lot, 2) / sizes.mean_power::<2>();
            assert!((ratio - 1.0).abs() < 2e-3, "{sizes:?}: {ratio}");
        }
    }

    #[test]
    fn what_is_no_distribution_is_refused_with_the_remedy() {
        let sieves = |rows: &[(f64, f64)]| {
            Sizes::Sieves(rows.iter().map(|&(size, passing)| Sieve { size, passing }).collect())
        };
        for (sizes, words) in [
            (Sizes::Fixed { size: -1.0 }, "size = -1"),
            (Sizes::Fixed { size: f64::NAN }, "size = NaN"),
            (Sizes::Uniform { min: 2.0, max: 1.0 }, "max = 1: give at least min"),
            (Sizes::LogNormal { median: 1.0, sigma: 0.0, min: 0.5, max: 2.0 }, "sigma = 0"),
            (Sizes::LogNormal { median: 3.0, sigma: 0.1, min: 0.5, max: 2.0 }, "between min and max"),
            (sieves(&[(1.0, 0.0)]), "1 rows"),
            (sieves(&[(1.0, 0.1), (2.0, 1.0)]), "passing 0"),
            (sieves(&[(1.0, 0.0), (2.0, 0.9)]), "passing 1"),
            (sieves(&[(1.0, 0.0), (1.0, 1.0)]), "row 2"),
            (sieves(&[(1.0, 0.0), (2.0, 0.6), (3.0, 0.5), (4.0, 1.0)]), "row 3"),
        ] {
            let error = sizes.lot::<3>(10, &mut Random::new(0)).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        assert!(Sizes::Fixed { size: 1.0 }.lot::<3>(0, &mut Random::new(0)).is_err());
    }
}
