//! Animated PNG: every colour exact, and of each image only the rectangle that changed.
//!
//! The number of images stands at the beginning of the file but is known at the end: it is written over then.

use super::{Encode, changed};
use crate::colours::Rgb;
use crate::error::PictureError;
use crate::picture::Picture;
use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};

/// Where the chunk that counts the images begins: behind the signature and the header.
const COUNT: u64 = 8 + 25;

pub struct Apng {
    writer: png::Writer<BufWriter<File>>,
    /// The same file, to write over its beginning.
    file: File,
    width: usize,
    before: Vec<Rgb>,
    images: u32,
}

fn error(error: std::io::Error) -> PictureError {
    PictureError::Encode(error.to_string())
}

impl Apng {
    pub fn new(file: File, (width, height): (u32, u32)) -> Result<Self, PictureError> {
        let again = file.try_clone().map_err(error)?;
        let mut encoder = png::Encoder::new(BufWriter::new(file), width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_animated(u32::MAX >> 1, 0)?;
        let writer = encoder.write_header()?;
        Ok(Apng { writer, file: again, width: width as usize, before: Vec::new(), images: 0 })
    }
}

impl Encode for Apng {
    fn push(&mut self, picture: &Picture, hundredths: u16) -> Result<(), PictureError> {
        let now: Vec<Rgb> = picture.rgb().chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect();
        let area = if self.before.is_empty() {
            (0, 0, self.width, now.len() / self.width)
        } else {
            changed(&self.before, &now, self.width).unwrap_or((0, 0, 1, 1))
        };
        let (left, top, width, height) = area;
        if !self.before.is_empty() {
            // to the corner first: neither step may leave the image
            self.writer.reset_frame_position()?;
            self.writer.set_frame_dimension(width as u32, height as u32)?;
            self.writer.set_frame_position(left as u32, top as u32)?;
        }
        self.writer.set_frame_delay(hundredths, 100)?;
        let rows = (top..top + height).map(|y| &now[y * self.width + left..y * self.width + left + width]);
        self.writer
            .write_image_data(&rows.flat_map(|row| row.iter().flatten().copied()).collect::<Vec<u8>>())?;
        self.before = now;
        self.images += 1;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), PictureError> {
        let Apng { writer, mut file, images, .. } = *self;
        // writes the end of the file; that more images were announced is made good below
        drop(writer);
        let mut chunk = b"acTL".to_vec();
        chunk.extend(images.to_be_bytes());
        chunk.extend(0u32.to_be_bytes());
        let sum = checksum(&chunk);
        file.seek(SeekFrom::Start(COUNT + 4)).map_err(error)?;
        file.write_all(&chunk).and_then(|()| file.write_all(&sum.to_be_bytes())).map_err(error)
    }
}

/// CRC-32 as PNG has it.
fn checksum(bytes: &[u8]) -> u32 {
    let step = |sum: u32| (0..8).fold(sum, |s, _| if s & 1 == 1 { 0xedb8_8320 ^ (s >> 1) } else { s >> 1 });
    !bytes.iter().fold(u32::MAX, |sum, &byte| step((sum ^ u32::from(byte)) & 0xff) ^ (sum >> 8))
}
