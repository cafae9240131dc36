//! Lines through measured points.

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
    use super::power;

    #[test]
    fn powers_are_found() {
        let cubes = [0.1f64, 0.2, 0.7].map(|x| (x, 5.0 * x.powi(3)));
        assert!((power(cubes.into_iter()) - 3.0).abs() < 1e-12);
        assert!(power([(1.0, 1.0)].into_iter()).is_nan());
    }
}
