//! The eye: where it stands, and how points and spheres come to lie in the picture.
//!
//! In the axes of the eye x is to the right, y down and z ahead; a point is seen at (f x / z, f y / z) from the middle.

use crate::style::Camera;
use nalgebra::{Matrix3, Vector3};

/// Half the angle of view along the shorter side of the picture.
const HALF_VIEW: f64 = 15.0;
/// Part of the picture that stays free on each side.
const MARGIN: f64 = 0.04;

/// An eye in the world.
#[derive(Clone, Debug)]
pub struct Eye {
    /// Where it stands.
    pub position: Vector3<f64>,
    /// Its axes, one a row.
    pub axes: Matrix3<f64>,
    /// Pixels at unit depth a unit of length.
    pub focal: f64,
    /// The middle of the picture, in pixels.
    pub middle: (f64, f64),
    /// Nothing nearer is seen.
    pub near: f64,
}

/// A right-handed pair of directions across an upward one: the first two axes where that is the third.
pub fn across(up: &Vector3<f64>) -> [Vector3<f64>; 2] {
    let start = if up.x.abs() < 0.9 { Vector3::x() } else { -Vector3::z() };
    let first = (start - up * up.dot(&start)).normalize();
    [first, up.cross(&first)]
}

/// A direction by azimuth and elevation in degrees.
pub fn direction(up: &Vector3<f64>, azimuth: f64, elevation: f64) -> Vector3<f64> {
    let ([e1, e2], (azimuth, elevation)) = (across(up), (azimuth.to_radians(), elevation.to_radians()));
    (e1 * azimuth.cos() + e2 * azimuth.sin()) * elevation.cos() + up * elevation.sin()
}

impl Eye {
    /// Looks so that all points are just seen, in a picture whose last columns are left free.
    pub fn on(
        points: &[Vector3<f64>],
        camera: &Camera,
        up: &Vector3<f64>,
        size: (f64, f64),
        right: f64,
    ) -> Self {
        // never from straight above, where there is no upright
        let ahead = -direction(up, camera.azimuth, camera.elevation.clamp(-89.9, 89.9));
        let x = ahead.cross(up).normalize();
        let axes = Matrix3::from_rows(&[x.transpose(), ahead.cross(&x).transpose(), ahead.transpose()]);
        let (width, height) = ((size.0 - right).max(1.0), size.1);
        let focal = 0.5 * width.min(height) / HALF_VIEW.to_radians().tan();
        // slopes of the sides of the view
        let slopes = [width, height].map(|pixels| 0.5 * pixels * (1.0 - 2.0 * MARGIN) / focal);
        let seen: Vec<Vector3<f64>> = points.iter().map(|point| axes * point).collect();
        // along each axis k: a point p is inside if |p_k - e_k| <= slope (p_z - e_z); the eye e that stands nearest has
        // the points that reach farthest on either side on the borders
        let most = |f: &dyn Fn(&Vector3<f64>) -> f64| seen.iter().map(f).fold(f64::NEG_INFINITY, f64::max);
        let mut eye = Vector3::new(0.0, 0.0, f64::INFINITY);
        for (k, slope) in slopes.into_iter().enumerate() {
            let high = most(&|p| p[k] - slope * p.z);
            let low = most(&|p| -p[k] - slope * p.z);
            eye[k] = 0.5 * (high - low);
            eye.z = eye.z.min(-0.5 * (high + low) / slope);
        }
        let depth = seen.iter().map(|p| p.z).sum::<f64>() / seen.len().max(1) as f64;
        let away = (depth - eye.z).max(1e-12);
        Eye {
            position: axes.transpose() * eye,
            axes,
            focal: focal * camera.zoom.clamp(1e-3, 1e3),
            middle: (0.5 * width, 0.5 * height),
            near: 1e-3 * away,
        }
    }

    /// A point in the axes of the eye.
    pub fn see(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.axes * (point - self.position)
    }

    /// A direction in the axes of the eye.
    pub fn turn(&self, direction: &Vector3<f64>) -> Vector3<f64> {
        self.axes * direction
    }

    /// The same eye with more pixels.
    pub fn finer(&self, by: f64) -> Self {
        let middle = (self.middle.0 * by, self.middle.1 * by);
        Eye { focal: self.focal * by, middle, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_view_just_holds_what_there_is() {
        let corners: Vec<Vector3<f64>> = (0..8)
            .map(|k| Vector3::from_fn(|i, _| if k >> i & 1 == 1 { 1.0 + i as f64 } else { -0.5 }))
            .collect();
        let size = (640.0, 360.0);
        let eye = Eye::on(&corners, &Camera::default(), &Vector3::z(), size, 100.0);
        let place = |p: &Vector3<f64>| {
            let p = eye.see(p);
            (eye.middle.0 + eye.focal * p.x / p.z, eye.middle.1 + eye.focal * p.y / p.z)
        };
        let (mut wide, mut high) = ([f64::INFINITY, 0.0f64], [f64::INFINITY, 0.0f64]);
        for (x, y) in corners.iter().map(place) {
            wide = [wide[0].min(x), wide[1].max(x)];
            high = [high[0].min(y), high[1].max(y)];
        }
        assert!(wide[0] > 0.0 && wide[1] < 540.0 && high[0] > 0.0 && high[1] < 360.0, "{wide:?} {high:?}");
        // one of both pairs of sides is reached
        let fills = |[low, high]: [f64; 2], room: f64| (high - low) / room > 0.9;
        assert!(fills(wide, 540.0) || fills(high, 360.0), "{wide:?} {high:?}");
        // up is up
        assert!(eye.turn(&Vector3::z()).y < 0.0);
    }
}
