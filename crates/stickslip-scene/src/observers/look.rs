//! How pictures and movies of a scene look.

use crate::build::vector;
use crate::reader::Fault;
use crate::scene::Scene;
use stickslip::World;
use stickslip::rigid::Rigid;
use stickslip_geometry::shape::Bounds;
use stickslip_geometry::space::Dim;
use stickslip_pictures::{By, Camera, Colouring, PictureError, Style};

/// The style of a scene, for pictures of some size.
pub fn style<const D: usize>(scene: &Scene, size: (u32, u32)) -> Result<Style<D>, Fault> {
    let (look, spot) = (&scene.file.output.value.look.value, scene.spot(&scene.file.output.value.look));
    let colouring = look.colour.as_deref().map_or(Ok(Colouring::default()), str::parse);
    let colouring = colouring.map_err(|error: PictureError| blame(&error).at(spot.key(&["colour"])))?;
    let standard = Camera::default();
    let style = Style {
        size,
        colouring,
        chains: look.chains,
        bounds: look.view.as_ref().map(|view| Bounds { low: vector(&view.low), high: vector(&view.high) }),
        camera: Camera {
            azimuth: look.camera.azimuth.unwrap_or(standard.azimuth),
            elevation: look.camera.elevation.unwrap_or(standard.elevation),
            zoom: look.camera.zoom.unwrap_or(standard.zoom),
            ..standard
        },
        legend: look.legend.unwrap_or(true),
        title: look.title.clone(),
    };
    if let Some(bounds) = &style.bounds
        && (0..D).any(|k| bounds.low[k] > bounds.high[k])
    {
        let fault = Fault::new("the low corner of the view is above its high one");
        return Err(fault.remedy("exchange them").at(spot.key(&["view"])));
    }
    style.validate().map_err(|error| match error {
        // the size has a place of its own
        PictureError::Size { .. } => blame(&error),
        PictureError::View => blame(&error).at(spot.key(&["view"])),
        _ => blame(&error).at(spot.key(&["camera"])),
    })?;
    Ok(style)
}

/// Lets the next step keep what only pictures need.
pub fn keep_what_is_shown<const D: usize>(world: &mut World<D>, style: &Style<D>)
where
    Dim<D>: Rigid<D>,
{
    world.keep_residuals |= style.colouring.by == By::Residual;
}

/// What is wrong with a picture, and the remedy behind it.
pub fn blame(error: &PictureError) -> Fault {
    let text = error.to_string();
    match text.split_once("; ") {
        Some((message, remedy)) => Fault::new(message).remedy(remedy),
        None => Fault::new(text),
    }
}
