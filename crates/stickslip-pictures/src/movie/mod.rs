//! Movies: images go to disk as they are drawn, and the file takes its name when it is complete.

mod apng;
mod ffmpeg;
mod gif;
mod palette;

use crate::colours::{Rgb, Scale, WHITE, mix};
use crate::error::PictureError;
use crate::files::Part;
use crate::frame::{Depict, Frame};
use crate::overlay::INK;
use crate::picture::Picture;
use crate::style::Style;
use std::path::{Path, PathBuf};
use stickslip_geometry::space::Dim;

/// A kind of movie file.
trait Encode: Send {
    /// Adds an image that is shown for some hundredths of a second.
    fn push(&mut self, picture: &Picture, hundredths: u16) -> Result<(), PictureError>;
    /// Completes the file.
    fn finish(self: Box<Self>) -> Result<(), PictureError>;
}

/// A movie file in the making, of pictures from anywhere.
pub struct Film {
    path: PathBuf,
    part: Part,
    rate: f64,
    size: Option<(u32, u32)>,
    images: u32,
    encoder: Option<Box<dyn Encode>>,
    swatches: Vec<Rgb>,
}

impl Film {
    /// A film of some images a second; its ending says of which kind: .gif, .png (animated), .mp4 or .webm.
    pub fn create(path: &Path, rate: f64) -> Result<Self, PictureError> {
        Film::check(path, rate)?;
        let part = Part::of(path);
        match ending(path).as_str() {
            "mp4" | "webm" => ffmpeg::check(path)?,
            // only an attempt tells whether it can be written
            _ => drop(part.create()?),
        }
        let path = path.to_path_buf();
        Ok(Film { path, part, rate, size: None, images: 0, encoder: None, swatches: Vec::new() })
    }

    /// Refuses what no film can be: an ending or a rate.
    pub fn check(path: &Path, rate: f64) -> Result<(), PictureError> {
        if !(rate > 0.0 && rate <= 100.0) {
            return Err(PictureError::Rate { path: path.into(), rate });
        }
        let known = ".gif, .png, .apng, .mp4, .webm";
        if !known.split(", ").any(|one| one[1..] == ending(path)) {
            return Err(PictureError::Ending { path: path.into(), what: "movie", known });
        }
        Ok(())
    }

    /// Colours that will come, beside those of the first image: a GIF has one palette for all images.
    pub fn expect(&mut self, colours: impl IntoIterator<Item = Rgb>) {
        self.swatches.extend(colours);
    }

    /// Adds an image.
    pub fn push(&mut self, picture: &Picture) -> Result<(), PictureError> {
        let first = *self.size.get_or_insert(picture.size());
        if first != picture.size() {
            return Err(PictureError::Images { path: self.path.clone(), first, found: picture.size() });
        }
        let mut encoder = match self.encoder.take() {
            Some(encoder) => encoder,
            None => self.begin(picture)?,
        };
        let end = |images: u32| (100.0 * f64::from(images) / self.rate).round();
        encoder.push(picture, (end(self.images + 1) - end(self.images)).max(1.0) as u16)?;
        self.images += 1;
        self.encoder = Some(encoder);
        Ok(())
    }

    fn begin(&self, first: &Picture) -> Result<Box<dyn Encode>, PictureError> {
        Ok(match ending(&self.path).as_str() {
            "gif" => Box::new(gif::Gif::new(self.part.create()?, first, &self.swatches)?),
            "mp4" | "webm" => {
                Box::new(ffmpeg::Ffmpeg::start(&self.path, &self.part, first.size(), self.rate)?)
            }
            _ => Box::new(apng::Apng::new(self.part.create()?, first.size())?),
        })
    }

    /// Completes the file and gives it its name.
    pub fn finish(mut self) -> Result<(), PictureError> {
        let Some(encoder) = self.encoder.take() else {
            return Err(PictureError::NoImages { path: self.path });
        };
        encoder.finish()?;
        self.part.finish()
    }
}

fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

/// A movie of a run: the view is that of the first frame, and colours keep their meaning.
pub struct Movie<const D: usize> {
    film: Film,
    style: Style<D>,
    scale: Option<Scale>,
}

impl<const D: usize> Movie<D>
where
    Dim<D>: Depict<D>,
{
    /// A movie of some images a second. Without a range of the colouring, that of the colours grows as the run needs it.
    pub fn create(path: &Path, style: Style<D>, rate: f64) -> Result<Self, PictureError> {
        style.validate()?;
        Ok(Movie { film: Film::create(path, rate)?, style, scale: None })
    }

    /// Adds the image of a frame.
    pub fn push(&mut self, frame: &Frame<D>) -> Result<(), PictureError> {
        let mut scale = frame.scale.clone();
        match &self.scale {
            Some(before) => scale.widen(before),
            None => {
                self.style.bounds.get_or_insert_with(|| frame.bounds());
                self.film.expect(swatches(&scale));
            }
        }
        let frame = Frame { scale: scale.clone(), ..frame.clone() };
        self.scale = Some(scale);
        self.film.push(&frame.draw(&self.style)?)
    }

    /// Completes the file and gives it its name.
    pub fn finish(self) -> Result<(), PictureError> {
        self.film.finish()
    }
}

/// Colours that bodies may take later on: pale and plain, in shadow, and at their edges.
fn swatches(scale: &Scale) -> Vec<Rgb> {
    let colours = (0..=24).map(|k| scale.map.at(f64::from(k) / 24.0));
    colours
        .flat_map(|colour| {
            let edge = mix(colour, INK, 0.62);
            [colour, mix(colour, WHITE, 0.45), mix(colour, INK, 0.3), edge, mix(edge, WHITE, 0.5)]
        })
        .collect()
}

/// The least rectangle outside of which two images are alike: left, top, width, height; none if they are wholly so.
fn changed<T: PartialEq>(before: &[T], now: &[T], width: usize) -> Option<(usize, usize, usize, usize)> {
    let rows = || before.chunks_exact(width).zip(now.chunks_exact(width));
    let top = rows().position(|(a, b)| a != b)?;
    let bottom = rows().rposition(|(a, b)| a != b)?;
    let differing = || rows().skip(top).take(bottom - top + 1);
    let first = |(a, b): (&[T], &[T])| a.iter().zip(b).position(|(a, b)| a != b);
    let last = |(a, b): (&[T], &[T])| a.iter().zip(b).rposition(|(a, b)| a != b);
    let left = differing().filter_map(first).min()?;
    let right = differing().filter_map(last).max()?;
    Some((left, top, right - left + 1, bottom - top + 1))
}
