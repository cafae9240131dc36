//! A movie of the run, drawn beside it. No kind of movie can be cut back to a checkpoint: until the run is over its images are kept, and
//! the movie of a run that is taken up is made of them again. A run that goes on beyond its end begins another movie.

use super::look::{blame, keep_what_is_shown, style};
use super::{Observer, OutputError, View, is_due, make_folder, not_drawn, shown};
use crate::reader::Fault;
use crate::run::{Options, Target};
use crate::scene::Scene;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use stickslip::World;
use stickslip_geometry::shape::Bounds;
use stickslip_geometry::space::{Dim, Vector};
use stickslip_pictures::{Beside, Depict, Film, Frame, Movie, Picture, PictureError, Sight, Style};

/// The state of this output.
const NAME: &str = "movie";

/// The folder of images that are kept.
pub const KEPT: &str = ".movie";

const FILE: &str = "movie.gif";
const SIZE: (u32, u32) = (640, 360);
const RATE: f64 = 25.0;
/// Images of a run, where nobody says how often.
const IMAGES: f64 = 100.0;

pub struct Reel<const D: usize>
where
    Dim<D>: Depict<D>,
{
    target: PathBuf,
    folder: PathBuf,
    every: f64,
    rate: f64,
    style: Style<D>,
    /// The number of this movie: one more each time the run goes on without its images.
    part: usize,
    movie: Option<Beside<D>>,
    images: usize,
    /// Whether images are missing: what is drawn beside the run fails after the run has gone on.
    broken: bool,
    /// When it began, if that was not at the start.
    begun_late: Option<f64>,
    taken_up: bool,
    done: bool,
}

impl<const D: usize> Reel<D>
where
    Dim<D>: Depict<D>,
{
    pub fn new(scene: &Scene, options: &Options) -> Result<Self, Fault> {
        let asked = scene.file.output.value.movie.as_ref();
        let chosen = asked.map(|placed| placed.value.clone()).unwrap_or_default();
        let at = |fault: Fault, key: &str| match asked {
            Some(placed) => fault.at(scene.spot(placed).key(&[key])),
            None => fault,
        };
        let style = style(scene, chosen.size.unwrap_or(SIZE)).map_err(|fault| at(fault, "size"))?;
        let file = chosen.file.as_deref().unwrap_or(FILE);
        if Path::new(file).file_name() != Some(file.as_ref()) || file == super::picture::FILE {
            let fault = Fault::new(format!("\"{file}\" cannot be the name of the movie"));
            return Err(at(fault.remedy("give a name without a folder, such as \"drum.gif\""), "file"));
        }
        let target = match &options.movie {
            Some(Target::File(path)) => path.clone(),
            _ => options.out.join(file),
        };
        let rate = chosen.rate.unwrap_or(RATE);
        Film::check(Path::new(file), rate).map_err(|error| {
            let key = if matches!(error, PictureError::Rate { .. }) { "rate" } else { "file" };
            at(blame(&error), key)
        })?;
        if let (Some(placed), Some(every)) = (asked, chosen.every) {
            scene.spot(placed).every(every)?;
        }
        let end = options.end.unwrap_or(scene.file.time.value.end);
        Ok(Reel {
            target,
            folder: options.out.clone(),
            every: chosen.every.unwrap_or(end / IMAGES),
            rate,
            style,
            part: 1,
            movie: None,
            images: 0,
            broken: false,
            begun_late: None,
            taken_up: false,
            done: false,
        })
    }

    /// Where this movie goes.
    fn path(&self) -> PathBuf {
        if self.part == 1 { self.target.clone() } else { numbered(&self.target, self.part) }
    }
}

/// Where an image is kept, by its number from 1.
fn kept(folder: &Path, number: usize) -> PathBuf {
    folder.join(KEPT).join(format!("{number:08}.png"))
}

/// `movie.gif` as `movie-2.gif`.
pub fn numbered(path: &Path, number: usize) -> PathBuf {
    let part = |text: Option<&std::ffi::OsStr>| text.unwrap_or_default().to_string_lossy().into_owned();
    path.with_file_name(format!("{}-{number}.{}", part(path.file_stem()), part(path.extension())))
}

/// What a checkpoint must know.
#[derive(Serialize, Deserialize)]
struct State {
    part: usize,
    images: usize,
    /// Corners of what is seen, and the range of the colours; none before the first image.
    sight: Option<(Vec<f64>, Vec<f64>, [f64; 2])>,
}

fn sight_of<const D: usize>((low, high, range): &(Vec<f64>, Vec<f64>, [f64; 2])) -> Option<Sight<D>> {
    let corner = |x: &[f64]| (x.len() == D).then(|| Vector::<D>::from_column_slice(x));
    Some(Sight { bounds: Bounds { low: corner(low)?, high: corner(high)? }, range: *range })
}

impl<const D: usize> Reel<D>
where
    Dim<D>: Depict<D>,
{
    fn push(&mut self, view: &View<D>) -> Result<(), PictureError> {
        let frame = Frame::of(view.world, &self.style.colouring)?;
        let mut movie = match self.movie.take() {
            Some(movie) => movie,
            None => {
                self.begun_late = self.taken_up.then_some(view.world.time());
                self.beside(Movie::create(&self.path(), self.style.clone(), self.rate)?)?
            }
        };
        movie.push(frame)?;
        self.movie = Some(movie);
        self.images += 1;
        Ok(())
    }

    /// Goes on with a movie of the images so far, and keeps those that come.
    fn beside(&self, movie: Movie<D>) -> Result<Beside<D>, PictureError> {
        let (folder, mut number) = (self.folder.clone(), self.images);
        Beside::new(movie, move |picture| {
            number += 1;
            picture.keep(&kept(&folder, number))
        })
    }

    /// What is wrong with the movie, which has images no more.
    fn fail(&mut self, error: &PictureError) -> OutputError {
        (self.movie, self.broken) = (None, true);
        not_drawn(&self.path(), error)
    }

    /// The movie up to a checkpoint, made again of its images; none where they are gone.
    fn made_again(&self, state: &State) -> Option<Movie<D>> {
        let sight = sight_of::<D>(state.sight.as_ref()?)?;
        let images = (1..=state.images).map(|number| Picture::read(&kept(&self.folder, number)));
        Movie::resume(&self.path(), self.style.clone(), self.rate, &sight, images).ok()
    }
}

impl<const D: usize> Observer<D> for Reel<D>
where
    Dim<D>: Depict<D>,
{
    fn name(&self) -> &'static str {
        NAME
    }

    fn before(&mut self, world: &mut World<D>, _h: f64) -> Result<(), OutputError> {
        keep_what_is_shown(world, &self.style);
        Ok(())
    }

    fn observe(&mut self, view: &View<D>) -> Result<(), OutputError> {
        if !is_due(self.every, view.report) {
            return Ok(());
        }
        make_folder(&self.folder.join(KEPT))?;
        self.push(view).map_err(|error| self.fail(&error))
    }

    fn state(&mut self) -> Result<String, OutputError> {
        if self.broken {
            // the checkpoint before knows of a movie that can go on
            let fault = "lacks images; go on from the checkpoint before".into();
            return Err(OutputError { path: self.path(), fault });
        }
        let sight = self.movie.as_mut().map_or(Ok(None), Beside::sight).map_err(|error| self.fail(&error))?;
        let parts = |Sight { bounds, range }: Sight<D>| {
            (bounds.low.iter().copied().collect(), bounds.high.iter().copied().collect(), range)
        };
        let state = State { part: self.part, images: self.images, sight: sight.map(parts) };
        serde_json::to_string(&state).map_err(|error| OutputError::write(&self.target, error))
    }

    fn resume(&mut self, state: &str) -> Result<(), OutputError> {
        let state: State = serde_json::from_str(state).map_err(|_| OutputError::damaged(&self.target))?;
        self.part = state.part;
        if state.images == 0 {
            return Ok(());
        }
        match self.made_again(&state) {
            Some(movie) => {
                self.images = state.images;
                self.movie = Some(self.beside(movie).map_err(|error| not_drawn(&self.path(), &error))?);
            }
            None => {
                self.part += 1;
                self.taken_up = true;
            }
        }
        Ok(())
    }

    fn begin_late(&mut self) -> Vec<String> {
        self.taken_up = true;
        vec![]
    }

    fn finish(&mut self, _view: &View<D>) -> Result<(), OutputError> {
        let Some(movie) = self.movie.take() else { return Ok(()) };
        movie.finish().map_err(|error| self.fail(&error))?;
        self.done = true;
        Ok(())
    }

    fn close(&mut self) {
        let _ = fs::remove_dir_all(self.folder.join(KEPT));
    }

    fn files(&self) -> Vec<String> {
        if self.done { vec![shown(&self.path(), &self.folder)] } else { vec![] }
    }

    fn note(&self) -> Option<String> {
        let time = self.begun_late?;
        let name = shown(&self.path(), &self.folder);
        Some(format!("the images before are gone: {name} begins at time {time:.6}"))
    }
}
