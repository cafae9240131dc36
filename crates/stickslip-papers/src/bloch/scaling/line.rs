//! Lines through measured points, and powers with their errors.

use crate::fit;

/// Where the line that fits best crosses x = 0.
pub fn intercept(points: &[(f64, f64)]) -> f64 {
    let mean = |k: fn(&(f64, f64)) -> f64| fit::mean(points.iter().map(k));
    mean(|point| point.1) - fit::slope(points.iter().copied()) * mean(|point| point.0)
}

/// The power b of the law y = a xᵇ that fits best, and its standard error.
pub fn power(points: &[(f64, f64)]) -> (f64, f64) {
    let logarithms: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let b = fit::slope(logarithms.iter().copied());
    let mean = |k: fn(&(f64, f64)) -> f64| fit::mean(logarithms.iter().map(k));
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let [xx, left] = logarithms.iter().fold([0.0; 2], |[xx, left], point| {
        let d = point.0 - x;
        [xx + d * d, left + (point.1 - y - b * d).powi(2)]
    });
    (b, (left / (points.len() as f64 - 2.0) / xx).sqrt())
}

#[cfg(test)]
mod tests {
    use super::{intercept, power};

    #[test]
    fn lines_start_where_they_do() {
        assert!((intercept(&[(1.0, 5.0), (2.0, 7.0), (5.0, 13.0)]) - 3.0).abs() < 1e-12);
    }

    #[test]
    fn powers_come_with_their_errors() {
        let (b, off) = power(&[1.0f64, 2.0, 4.0].map(|x| (x, 3.0 * x.powi(2))));
        assert!((b - 2.0).abs() < 1e-12 && off < 1e-12);
        // by hand: residuals of 1, −2 and 1 by 6 about a slope of 3/2 over x = −1, 0, 1
        let (b, off) = power(&[(0.0f64, 0.0f64), (1.0, 1.0), (2.0, 3.0)].map(|(x, y)| (x.exp(), y.exp())));
        assert!((b - 1.5).abs() < 1e-12 && (off - (1.0f64 / 12.0).sqrt()).abs() < 1e-12);
    }
}
