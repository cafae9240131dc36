//! A movie of the run. A run that is taken up begins another one: no kind of movie can be cut back to a checkpoint.

use super::look::{blame, style};
use super::{Observer, OutputError, View, is_due, not_drawn, shown};
use crate::reader::Fault;
use crate::run::{Options, Target};
use crate::scene::Scene;
use std::fs;
use std::path::{Path, PathBuf};
use stickslip_geometry::space::Dim;
use stickslip_pictures::{Depict, Film, Frame, Movie, Style};

/// The state of this output.
const NAME: &str = "movie";

const FILE: &str = "movie.gif";
const SIZE: (u32, u32) = (640, 360);
const RATE: f64 = 25.0;
/// Images of a run, where nobody says how often.
const IMAGES: f64 = 100.0;

pub struct Reel<const D: usize> {
    target: PathBuf,
    folder: PathBuf,
    every: f64,
    rate: f64,
    style: Style<D>,
    /// The number of this movie: one more each time the run is taken up.
    part: usize,
    movie: Option<Movie<D>>,
    /// When it began, if that was not at the start.
    begun_late: Option<f64>,
    taken_up: bool,
    done: bool,
}

impl<const D: usize> Reel<D> {
    pub fn new(scene: &Scene, options: &Options) -> Result<Self, Fault> {
        let asked = scene.file.output.movie.as_ref();
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
        Film::check(Path::new(file), rate).map_err(|error| at(blame(&error), "file"))?;
        let end = options.end.unwrap_or(scene.file.time.value.end);
        Ok(Reel {
            target,
            folder: options.out.clone(),
            every: chosen.every.unwrap_or(end / IMAGES),
            rate,
            style,
            part: 1,
            movie: None,
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

/// `movie.gif` as `movie-2.gif`.
pub fn numbered(path: &Path, number: usize) -> PathBuf {
    let part = |text: Option<&std::ffi::OsStr>| text.unwrap_or_default().to_string_lossy().into_owned();
    path.with_file_name(format!("{}-{number}.{}", part(path.file_stem()), part(path.extension())))
}

/// Removes what killed runs have left of movies in their folder.
fn remove_halves(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let half = |name: &str| name.starts_with('.') && name.contains(".part.");
    for entry in entries.filter(|entry| entry.file_name().to_str().is_some_and(half)) {
        let _ = fs::remove_file(entry.path());
    }
}

impl<const D: usize> Reel<D>
where
    Dim<D>: Depict<D>,
{
    fn push(&mut self, view: &View<D>) -> Result<(), stickslip_pictures::PictureError> {
        let frame = Frame::of(view.world, &self.style.colouring)?;
        let mut movie = match self.movie.take() {
            Some(movie) => movie,
            None => {
                remove_halves(&self.folder);
                self.begun_late = self.taken_up.then_some(view.world.time());
                Movie::create(&self.path(), self.style.clone(), self.rate)?
            }
        };
        movie.push(&frame)?;
        self.movie = Some(movie);
        Ok(())
    }
}

impl<const D: usize> Observer<D> for Reel<D>
where
    Dim<D>: Depict<D>,
{
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, view: &View<D>) -> Result<(), OutputError> {
        if !is_due(self.every, view.report) {
            return Ok(());
        }
        self.push(view).map_err(|error| not_drawn(&self.path(), &error))
    }

    fn state(&mut self) -> Result<String, OutputError> {
        Ok(self.part.to_string())
    }

    fn resume(&mut self, state: &str) -> Result<(), OutputError> {
        let before: usize = state.parse().map_err(|_| OutputError::damaged(&self.target))?;
        self.part = before + 1;
        self.taken_up = true;
        Ok(())
    }

    fn begin_late(&mut self) -> Result<(), OutputError> {
        self.taken_up = true;
        Ok(())
    }

    fn finish(&mut self, _view: &View<D>) -> Result<(), OutputError> {
        let Some(movie) = self.movie.take() else { return Ok(()) };
        movie.finish().map_err(|error| not_drawn(&self.path(), &error))?;
        self.done = true;
        Ok(())
    }

    fn files(&self) -> Vec<String> {
        if self.done { vec![shown(&self.path(), &self.folder)] } else { vec![] }
    }

    fn note(&self) -> Option<String> {
        let time = self.begun_late?;
        let name = shown(&self.path(), &self.folder);
        Some(format!("a movie cannot be taken up: {name} begins anew at time {time:.6}"))
    }
}
