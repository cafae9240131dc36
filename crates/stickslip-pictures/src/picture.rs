//! A picture in pixels.

use crate::colours::Rgb;
use crate::error::PictureError;
use crate::files;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use tiny_skia::{IntSize, Pixmap};

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

    /// Writes a PNG in little time, larger than it could be; to be read again soon.
    pub fn keep(&self, path: &Path) -> Result<(), PictureError> {
        let bytes = encode_as(self.size(), &self.rgb(), png::Compression::Fastest)?;
        std::fs::write(path, bytes).map_err(|source| PictureError::Write { path: path.into(), source })
    }

    /// Reads a PNG that was written by [`save`](Self::save) or [`keep`](Self::keep).
    pub fn read(path: &Path) -> Result<Self, PictureError> {
        let unreadable = |fault: String| PictureError::Read {
            path: path.into(),
            fault: format!("cannot be read ({fault}); give a PNG that stickslip wrote"),
        };
        let file = File::open(path).map_err(|error| unreadable(error.to_string()))?;
        let mut reader = png::Decoder::new(BufReader::new(file))
            .read_info()
            .map_err(|error| unreadable(error.to_string()))?;
        let ((width, height), kind) = (reader.info().size(), reader.output_color_type());
        if kind != (png::ColorType::Rgb, png::BitDepth::Eight) {
            return Err(unreadable("its pixels are not red, green and blue of 8 bits".into()));
        }
        let mut rgb = vec![0; 3 * width as usize * height as usize];
        reader.next_frame(&mut rgb).map_err(|error| unreadable(error.to_string()))?;
        let rgba = rgb.chunks_exact(3).flat_map(|c| [c[0], c[1], c[2], u8::MAX]).collect();
        let pixmap = IntSize::from_wh(width, height).and_then(|size| Pixmap::from_vec(rgba, size));
        pixmap.map(Picture::new).ok_or_else(|| unreadable("it has no pixels".into()))
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
pub fn encode(size: (u32, u32), rgb: &[u8]) -> Result<Vec<u8>, PictureError> {
    encode_as(size, rgb, png::Compression::High)
}

fn encode_as(
    (width, height): (u32, u32),
    rgb: &[u8],
    compression: png::Compression,
) -> Result<Vec<u8>, PictureError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(compression);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(rgb)?;
    writer.finish()?;
    Ok(bytes)
}
