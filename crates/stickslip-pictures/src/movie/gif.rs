//! Animated GIF: one palette for all images, and of each only the rectangle that changed, clear where it did not.

use super::palette::Palette;
use super::{Encode, changed};
use crate::colours::Rgb;
use crate::error::PictureError;
use crate::picture::Picture;
use gif::{DisposalMethod, Encoder, Frame, Repeat};
use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Write};

/// The last place of the palette.
const CLEAR: u8 = 255;

pub struct Gif {
    encoder: Encoder<BufWriter<File>>,
    palette: Palette,
    width: usize,
    /// The image before, as places in the palette.
    before: Vec<u8>,
}

impl Gif {
    pub fn new(file: File, first: &Picture, swatches: &[Rgb]) -> Result<Self, PictureError> {
        let (width, height) = first.size();
        // as if each of the other colours had a small part of the first image
        let times = 1 + first.rgb().len() / 6000;
        let others = swatches.iter().flat_map(|colour| std::iter::repeat_n(*colour, times));
        let palette = Palette::of(pixels(first).chain(others), usize::from(CLEAR));
        let mut bytes = palette.bytes();
        bytes.resize(3 * 256, 0);
        let mut encoder = Encoder::new(BufWriter::new(file), width as u16, height as u16, &bytes)?;
        encoder.set_repeat(Repeat::Infinite)?;
        Ok(Gif { encoder, palette, width: width as usize, before: Vec::new() })
    }
}

fn pixels(picture: &Picture) -> impl Iterator<Item = Rgb> {
    let rgb = picture.rgb();
    (0..rgb.len() / 3).map(move |k| [rgb[3 * k], rgb[3 * k + 1], rgb[3 * k + 2]])
}

impl Encode for Gif {
    fn push(&mut self, picture: &Picture, hundredths: u16) -> Result<(), PictureError> {
        let now: Vec<u8> = pixels(picture).map(|colour| self.palette.find(colour)).collect();
        let whole = (0, 0, self.width, now.len() / self.width);
        let first = self.before.is_empty();
        let area = if first { Some(whole) } else { changed(&self.before, &now, self.width) };
        // an image that is the same again is still shown for its time
        let (left, top, width, height) = area.unwrap_or((0, 0, 1, 1));
        let places = (top..top + height).flat_map(|y| (left..left + width).map(move |x| (x, y)));
        let buffer = places.map(|(x, y)| {
            let at = y * self.width + x;
            if !first && self.before[at] == now[at] { CLEAR } else { now[at] }
        });
        let frame = Frame {
            delay: hundredths,
            dispose: DisposalMethod::Keep,
            transparent: Some(CLEAR),
            left: left as u16,
            top: top as u16,
            width: width as u16,
            height: height as u16,
            buffer: Cow::Owned(buffer.collect()),
            ..Frame::default()
        };
        self.encoder.write_frame(&frame)?;
        self.before = now;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), PictureError> {
        let mut writer = self.encoder.into_inner()?;
        writer.flush().map_err(|error| PictureError::Encode(error.to_string()))
    }
}
