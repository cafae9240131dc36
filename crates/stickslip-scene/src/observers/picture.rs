//! `picture.png`, the last state, and `pictures/step-….png`, states at chosen times.

use super::look::{keep_what_is_shown, style};
use super::{Observer, OutputError, View, is_due, make_folder, not_drawn, shown};
use crate::format::PictureSpec;
use crate::reader::Fault;
use crate::run::{Options, Target};
use crate::scene::Scene;
use std::path::{Path, PathBuf};
use stickslip::World;
use stickslip::report::StepReport;
use stickslip_geometry::space::Dim;
use stickslip_pictures::{Depict, Frame, Style};

pub const FILE: &str = "picture.png";
pub const FOLDER: &str = "pictures";

pub const SIZE: (u32, u32) = (1280, 720);

pub struct Pictures<const D: usize> {
    /// Of the last state.
    last: PathBuf,
    folder: PathBuf,
    chosen: PictureSpec,
    style: Style<D>,
    out: PathBuf,
}

impl<const D: usize> Pictures<D> {
    pub fn new(scene: &Scene, options: &Options) -> Result<Self, Fault> {
        let asked = scene.file.output.value.picture.as_ref();
        let chosen = asked.map_or_else(PictureSpec::default, |placed| placed.value.clone());
        let style = style(scene, chosen.size.unwrap_or(SIZE)).map_err(|fault| match asked {
            Some(placed) if chosen.size.is_some() => fault.at(scene.spot(placed).key(&["size"])),
            _ => fault,
        })?;
        if let Some(spot) = asked.map(|placed| scene.spot(placed)) {
            chosen.every.map_or(Ok(0.0), |every| spot.every(every))?;
            chosen.times.iter().try_for_each(|&time| spot.not_negative("times", time).map(drop))?;
        }
        let last = match &options.picture {
            Some(Target::File(path)) => path.clone(),
            _ => options.out.join(FILE),
        };
        Ok(Pictures { last, folder: options.out.join(FOLDER), chosen, style, out: options.out.clone() })
    }
}

impl<const D: usize> Pictures<D> {
    /// Where pictures before the last state are, if there are any.
    fn others(&self) -> Vec<String> {
        let many = self.chosen.every.is_some() || !self.chosen.times.is_empty();
        many.then(|| FOLDER.into()).into_iter().collect()
    }
}

impl<const D: usize> Pictures<D>
where
    Dim<D>: Depict<D>,
{
    fn draw(&self, path: &Path, view: &View<D>) -> Result<(), OutputError> {
        let drawn = Frame::of(view.world, &self.style.colouring).and_then(|frame| frame.draw(&self.style));
        drawn.and_then(|picture| picture.save(path)).map_err(|error| not_drawn(path, &error))
    }

    fn is_chosen(&self, report: Option<&StepReport>) -> bool {
        let PictureSpec { every, times, .. } = &self.chosen;
        every.is_some_and(|every| is_due(every, report)) || times.iter().any(|&time| is_reached(time, report))
    }
}

/// Whether a time is reached in a step, or at the start.
fn is_reached(time: f64, report: Option<&StepReport>) -> bool {
    let Some(report) = report else { return time <= 0.0 };
    // times are sums of steps
    let slight = 1e-6 * report.h;
    (report.time - report.h + slight..report.time + slight).contains(&time)
}

impl<const D: usize> Observer<D> for Pictures<D>
where
    Dim<D>: Depict<D>,
{
    fn name(&self) -> &'static str {
        FOLDER
    }

    fn before(&mut self, world: &mut World<D>, _h: f64) -> Result<(), OutputError> {
        keep_what_is_shown(world, &self.style);
        Ok(())
    }

    fn observe(&mut self, view: &View<D>) -> Result<(), OutputError> {
        if !self.is_chosen(view.report) {
            return Ok(());
        }
        make_folder(&self.folder)?;
        self.draw(&self.folder.join(format!("step-{:08}.png", view.world.steps())), view)
    }

    fn state(&mut self) -> Result<String, OutputError> {
        Ok(String::new())
    }

    fn resume(&mut self, _state: &str) -> Result<(), OutputError> {
        Ok(())
    }

    fn begin_late(&mut self) -> Vec<String> {
        self.others()
    }

    fn finish(&mut self, view: &View<D>) -> Result<(), OutputError> {
        self.draw(&self.last, view)
    }

    fn files(&self) -> Vec<String> {
        let others = self.others().into_iter().filter(|_| self.folder.is_dir());
        std::iter::once(shown(&self.last, &self.out)).chain(others).collect()
    }
}
