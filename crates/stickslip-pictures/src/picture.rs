//! A picture in pixels.

use crate::colours::Rgb;
use crate::error::PictureError;
use crate::files;
use std::path::Path;
use tiny_skia::Pixmap;

/// Pixels without transparency, in rows from the top.
#[derive(Clone, Debug)]
pub struct Picture {
    pixmap: Pixmap,
}

impl Picture {
    pub(crate) fn new(pixmap: Pixmap) -> Self {
        Picture { pixmap }
    }

    /// Pixels across and down.
    pub fn size(&self) -> (u32, u32) {
        (self.pixmap.width(), self.pixmap.height())
    }

    /// The colour of a pixel; none outside.
    pub fn pixel(&self, x: u32, y: u32) -> Option<Rgb> {
        self.pixmap.pixel(x, y).map(|pixel| [pixel.red(), pixel.green(), pixel.blue()])
    }

    /// Red, green, blue of all pixels.
    pub fn rgb(&self) -> Vec<u8> {
        self.pixmap.data().chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect()
    }

    /// As the bytes of a PNG.
    pub fn png(&self) -> Result<Vec<u8>, PictureError> {
        encode(self.size(), &self.rgb())
    }

    /// Writes a PNG; an existing file is replaced only by a complete one.
    pub fn save(&self, path: &Path) -> Result<(), PictureError> {
        if path.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("png")) {
            return Err(PictureError::Ending { path: path.into(), what: "picture", known: ".png" });
        }
        files::write(path, &self.png()?)
    }
}

/// A PNG of red, green and blue.
pub fn encode((width, height): (u32, u32), rgb: &[u8]) -> Result<Vec<u8>, PictureError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(rgb)?;
    writer.finish()?;
    Ok(bytes)
}
