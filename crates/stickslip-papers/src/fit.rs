//! Lines through measured points, and extremes that hide nothing.

/// The larger of two numbers; not a number as soon as one of them is none, so that no claim passes on it.
pub fn larger(a: f64, b: f64) -> f64 {
    if b.is_nan() || b > a { b } else { a }
}

/// The smaller of two numbers, likewise.
pub fn smaller(a: f64, b: f64) -> f64 {
    if b.is_nan() || b < a { b } else { a }
}

/// The slope of the line that fits points best, by least squares; not a number of fewer than two.
pub fn slope(points: impl Iterator<Item = (f64, f64)>) -> f64 {
    let points: Vec<(f64, f64)> = points.collect();
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / count, y + p.1 / count));
    let (xy, xx) = points.iter().fold((0.0, 0.0), |(xy, xx), p| {
        let d = p.0 - x;
        (xy + d * (p.1 - y), xx + d * d)
    });
    xy / xx
}

/// The power b of the law y = a xᵇ that fits points best, on logarithms.
pub fn power(points: impl Iterator<Item = (f64, f64)>) -> f64 {
    slope(points.map(|(x, y)| (x.ln(), y.ln())))
}

#[cfg(test)]
mod tests {
    use super::{larger, power, smaller};

    #[test]
    fn extremes_keep_what_is_no_number() {
        assert_eq!([1.0, 3.0, 2.0].into_iter().fold(0.0, larger), 3.0);
        assert_eq!([1.0, 3.0, 2.0].into_iter().fold(9.0, smaller), 1.0);
        for lost in [[f64::NAN, 3.0], [3.0, f64::NAN]] {
            assert!(
                lost.into_iter().fold(0.0, larger).is_nan() && lost.into_iter().fold(9.0, smaller).is_nan()
            );
        }
    }

    #[test]
    fn powers_are_found() {
        let cubes = [0.1f64, 0.2, 0.7].map(|x| (x, 5.0 * x.powi(3)));
        assert!((power(cubes.into_iter()) - 3.0).abs() < 1e-12);
        assert!(power([(1.0, 1.0)].into_iter()).is_nan());
    }
}
