//! How pictures look: everything that is not the world.

use crate::colours::Colouring;
use crate::error::PictureError;
use stickslip_geometry::shape::Bounds;

/// How a picture looks.
#[derive(Clone, Debug)]
pub struct Style<const D: usize> {
    /// Pixels across and down. Default 1280 x 720.
    pub size: (u32, u32),
    /// What colours mean. Default speed.
    pub colouring: Colouring,
    /// Whether force chains are drawn. Default no.
    pub chains: bool,
    /// What the picture shows; all bodies without it.
    pub bounds: Option<Bounds<D>>,
    /// From where space is seen; the plane has no use for it.
    pub camera: Camera,
    /// Whether colour bar, time and scale are drawn. Default yes.
    pub legend: bool,
    /// A line above; none if empty.
    pub title: String,
}

impl<const D: usize> Default for Style<D> {
    fn default() -> Self {
        Style {
            size: (1280, 720),
            colouring: Colouring::default(),
            chains: false,
            bounds: None,
            camera: Camera::default(),
            legend: true,
            title: String::new(),
        }
    }
}

impl<const D: usize> Style<D> {
    /// Refuses sizes and views that are none.
    pub fn validate(&self) -> Result<(), PictureError> {
        let (width, height) = self.size;
        let sound = |pixels: u32| (16..=16_384).contains(&pixels);
        if !(sound(width) && sound(height)) {
            return Err(PictureError::Size { width, height });
        }
        let Camera { azimuth, elevation, zoom, sun } = self.camera;
        let angles =
            [("azimuth", azimuth), ("elevation", elevation), ("sun, left", sun.0), ("sun, height", sun.1)];
        let wrong = angles.into_iter().find(|(_, value)| !value.is_finite());
        let wrong = wrong.or((!(zoom > 0.0 && zoom.is_finite())).then_some(("zoom", zoom)));
        if let Some((what, value)) = wrong {
            return Err(PictureError::Camera { what, value });
        }
        match self.bounds {
            Some(bounds) if !(bounds.is_finite() && bounds.size() > 0.0) => Err(PictureError::View),
            _ => Ok(()),
        }
    }
}

/// From where space is seen, and where the sun stands; angles in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Direction of the eye about the upward axis, from the first axis towards the second. Default -60.
    pub azimuth: f64,
    /// Height of the eye above the horizon. Default 20.
    pub elevation: f64,
    /// By how much the scene is larger than what just fits. Default 1.
    pub zoom: f64,
    /// Where the sun stands: to the left of the eye, and above the horizon. Default 55 and 50.
    pub sun: (f64, f64),
}

impl Default for Camera {
    fn default() -> Self {
        Camera { azimuth: -60.0, elevation: 20.0, zoom: 1.0, sun: (55.0, 50.0) }
    }
}
