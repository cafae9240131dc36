//! Movies: images go to disk as they are drawn, and the file takes its name when it is complete.

mod apng;
mod beside;
mod ffmpeg;
mod gif;
mod palette;

pub use beside::Beside;

use crate::colours::{ColourMap, Rgb, WHITE, mix};
use crate::error::PictureError;
use crate::files::Part;
use crate::frame::{Depict, Frame};
use crate::overlay::INK;
use crate::picture::Picture;
use crate::style::Style;
use std::path::{Path, PathBuf};
use stickslip_geometry::shape::Bounds;
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
    /// The range of the colours so far.
    range: Option<[f64; 2]>,
}

/// What a movie must know, beside its images, to go on as if it had never stopped.
#[derive(Clone, Debug, PartialEq)]
pub struct Sight<const D: usize> {
    /// What is seen.
    pub bounds: Bounds<D>,
    /// The range of the colours so far.
    pub range: [f64; 2],
}

impl<const D: usize> Movie<D>
where
    Dim<D>: Depict<D>,
{
    /// A movie of some images a second. Without a range of the colouring, that of the colours grows as the run needs it.
    pub fn create(path: &Path, style: Style<D>, rate: f64) -> Result<Self, PictureError> {
        style.validate()?;
        Ok(Movie { film: Film::create(path, rate)?, style, range: None })
    }

    /// Begins a movie with images that were drawn before.
    pub fn resume(
        path: &Path,
        style: Style<D>,
        rate: f64,
        sight: &Sight<D>,
        images: impl Iterator<Item = Result<Picture, PictureError>>,
    ) -> Result<Self, PictureError> {
        let mut movie = Movie::create(path, style, rate)?;
        movie.style.bounds = Some(sight.bounds);
        movie.range = Some(sight.range);
        movie.film.expect(swatches(movie.style.colouring.shown_as::<D>()));
        images.into_iter().try_for_each(|image| movie.film.push(&image?))?;
        Ok(movie)
    }

    /// What to keep beside the images; none before the first.
    pub fn sight(&self) -> Option<Sight<D>> {
        Some(Sight { bounds: self.style.bounds?, range: self.range? })
    }

    /// Adds the image of a frame, and gives it back.
    pub fn push(&mut self, mut frame: Frame<D>) -> Result<Picture, PictureError> {
        match self.range {
            Some(before) => frame.scale.widen(before),
            None => {
                self.style.bounds.get_or_insert_with(|| frame.bounds());
                self.film.expect(swatches(frame.scale.map));
            }
        }
        self.range = Some(frame.scale.range);
        let picture = frame.draw(&self.style)?;
        self.film.push(&picture)?;
        Ok(picture)
    }

    /// Completes the file and gives it its name.
    pub fn finish(self) -> Result<(), PictureError> {
        self.film.finish()
    }
}

/// Colours that bodies may take later on: pale and plain, in shadow, and at their edges.
fn swatches(map: ColourMap) -> Vec<Rgb> {
    let colours = (0..=24).map(|k| map.at(f64::from(k) / 24.0));
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
