//! Means, lines through measured points, and extremes that hide nothing.

/// The mean of numbers; not a number of none.
pub fn mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = numbers.fold((0.0, 0.0), |(sum, count), x| (sum + x, count + 1.0));
    sum / count
}

/// The larger of two numbers; not a number as soon as one of them is none, so that no claim passes on it.
pub fn larger(a: f64, b: f64) -> f64 {
    if b.is_nan() || b > a { b } else { a }
}

/// The smaller of two numbers, likewise.
pub fn smaller(a: f64, b: f64) -> f64 {
    if b.is_nan() || b < a { b } else { a }
}

/// Second moments of points about their means: `[xx, xy, yy]`.
fn moments(points: impl Iterator<Item = (f64, f64)>) -> [f64; 3] {
    let points: Vec<(f64, f64)> = points.collect();
    let (x, y) = (mean(points.iter().map(|p| p.0)), mean(points.iter().map(|p| p.1)));
    points.iter().fold([0.0; 3], |[xx, xy, yy], p| {
        let (dx, dy) = (p.0 - x, p.1 - y);
        [xx + dx * dx, xy + dx * dy, yy + dy * dy]
    })
}

/// The slope of the line that fits points best, by least squares; not a number of fewer than two.
pub fn slope(points: impl Iterator<Item = (f64, f64)>) -> f64 {
    let [xx, xy, _] = moments(points);
    xy / xx
}

/// The correlation of points: 1 on a straight line that rises; not a number where one of both never changes.
pub fn correlation(points: impl Iterator<Item = (f64, f64)>) -> f64 {
    let [xx, xy, yy] = moments(points);
    xy / (xx * yy).sqrt()
}

/// The power b of the law y = a xᵇ that fits points best, on logarithms.
pub fn power(points: impl Iterator<Item = (f64, f64)>) -> f64 {
    slope(points.map(|(x, y)| (x.ln(), y.ln())))
}

#[cfg(test)]
mod tests {
    use super::{correlation, larger, mean, power, smaller};

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
    fn means_and_correlations_are_as_by_hand() {
        assert_eq!(mean([1.0, 2.0, 6.0].into_iter()), 3.0);
        assert!(mean([].into_iter()).is_nan());
        let falls = [(0.0, 2.0), (1.0, 1.0), (2.0, 0.0)];
        assert!((correlation(falls.into_iter()) + 1.0).abs() < 1e-15);
        assert!((correlation([(0.0, 0.0), (1.0, 1.0), (2.0, 0.0)].into_iter())).abs() < 1e-15);
        assert!(correlation([(0.0, 1.0), (1.0, 1.0)].into_iter()).is_nan());
    }

    #[test]
    fn powers_are_found() {
        let cubes = [0.1f64, 0.2, 0.7].map(|x| (x, 5.0 * x.powi(3)));
        assert!((power(cubes.into_iter()) - 3.0).abs() < 1e-12);
        assert!(power([(1.0, 1.0)].into_iter()).is_nan());
    }
}
