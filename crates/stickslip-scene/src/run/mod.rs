//! Running a scene: steps, outputs, checkpoints, and the record of it all.

mod error;
mod folder;
mod lock;
mod record;
mod tally;

pub use error::RunError;
pub use folder::{CHECKPOINT, RECORD};
pub(crate) use lock::Lock;
pub use lock::is_locked;
pub use record::{Certificate, Machine, Miss, Record, RunStatus};
pub(crate) use tally::Tally;

use crate::build::Built;
use crate::observers::{Columns, Observer, OutputError, View, observers};
use crate::scene::Scene;
pub(crate) use folder::Earlier;
use folder::Folder;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use stickslip::World;
use stickslip::checkpoint::CheckpointError;
use stickslip::report::StepReport;
use stickslip::rigid::Rigid;
use stickslip_geometry::space::Dim;
use stickslip_pictures::Depict;

/// What a run may be told beside its scene.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder for all that is written.
    pub out: PathBuf,
    /// Whether to go on from the checkpoint in the folder.
    pub resume: bool,
    /// Whether to overwrite whatever the folder holds.
    pub force: bool,
    /// When the run ends; by the scene without it.
    pub end: Option<f64>,
    /// Wall time between checkpoints.
    pub checkpoint: Duration,
    /// Whether the last state is drawn, even if the scene does not ask for it, and where that goes.
    pub picture: Option<Target>,
    /// The same of a movie.
    pub movie: Option<Target>,
}

/// Where an output goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Into the folder of the run, under the name that the scene gives it.
    Folder,
    /// To a file.
    File(PathBuf),
}

impl Options {
    /// A new run into a folder, with a checkpoint every minute.
    pub fn new(out: impl Into<PathBuf>) -> Self {
        Options {
            out: out.into(),
            resume: false,
            force: false,
            end: None,
            checkpoint: Duration::from_secs(60),
            picture: None,
            movie: None,
        }
    }
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Simulated time.
    pub time: f64,
    /// When it started this time, simulated.
    pub begin: f64,
    /// When it ends.
    pub end: f64,
    /// Steps since the scene began.
    pub steps: usize,
    /// Steps done this time.
    pub steps_now: usize,
    /// Contacts of the last step.
    pub contacts: usize,
    /// Scaled residual of the last step.
    pub residual: f64,
    /// Steps that missed the tolerance.
    pub missed: usize,
    /// Wall time since it started.
    pub seconds: f64,
}

/// The note of a checkpoint that names its scene.
const SCENE_NOTE: &str = "scene";
/// The note that holds the tally.
const TALLY_NOTE: &str = "tally";
/// Before the names of outputs.
const OUTPUT_NOTE: &str = "output ";

/// Runs a scene; `watch` is called after every step and ends the run by `false`.
pub fn run(
    scene: &Scene,
    options: &Options,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Record, RunError> {
    if scene.dimension() == 2 {
        Run::<2>::begin(scene, options)?.go(watch)
    } else {
        Run::<3>::begin(scene, options)?.go(watch)
    }
}

/// A run on its way.
struct Run<'a, const D: usize>
where
    Dim<D>: Rigid<D>,
{
    world: World<D>,
    columns: Columns<D>,
    observers: Vec<Box<dyn Observer<D>>>,
    tally: Tally,
    record: Record,
    folder: Folder,
    options: &'a Options,
    h: f64,
    /// Where it was taken up, simulated.
    begin: f64,
    end: f64,
    started: Instant,
    last: Option<StepReport>,
    /// What a solver of the user's choice last had to say, such as whether its problem is well posed.
    remarks: Vec<String>,
    /// Outputs that began when the run was taken up.
    late: Vec<String>,
}

impl<'a, const D: usize> Run<'a, D>
where
    Dim<D>: Depict<D>,
{
    fn begin(scene: &Scene, options: &'a Options) -> Result<Self, RunError> {
        let mut built: Built<D> = scene.build()?;
        let end = options.end.unwrap_or(scene.file.time.value.end);
        let fault = |fault| RunError::Scene(scene.error(fault));
        let columns = Columns::new(scene, &built).map_err(fault)?;
        let observers = observers(scene, &built, options).map_err(fault)?;
        scene.check_start(&mut built).map_err(fault)?;
        let folder = Folder::claim(scene, options)?;
        let record = Record::new(scene, &built, end);
        let mut run = Run {
            world: built.world,
            columns,
            observers,
            tally: Tally::default(),
            record,
            folder,
            options,
            h: scene.file.time.value.step,
            begin: 0.0,
            end,
            started: Instant::now(),
            last: None,
            remarks: Vec::new(),
            late: Vec::new(),
        };
        if options.resume {
            run.resume(scene)?;
        } else {
            run.world.notes.insert(SCENE_NOTE.into(), scene.course().into());
            run.write_record(RunStatus::Running)?;
            run.folder.clear()?;
            run.observe()?;
        }
        Ok(run)
    }

    /// Takes up the checkpoint, and all outputs where they were then.
    fn resume(&mut self, scene: &Scene) -> Result<(), RunError> {
        let path = self.folder.checkpoint();
        self.world.restore(&path)?;
        let damaged = || CheckpointError::Damaged { path: path.clone() };
        let notes = self.world.notes.clone();
        if notes.get(SCENE_NOTE).map(String::as_str) != Some(scene.course()) {
            let fault = "its checkpoint belongs to another scene, or to other settings; give those of the run to go on, or \
                         start anew with --force (measures, outputs and the end may change)";
            return Err(RunError::Folder { path: self.options.out.clone(), fault: fault.into() });
        }
        let tally = notes.get(TALLY_NOTE).and_then(|text| serde_json::from_str(text).ok());
        self.tally = tally.ok_or_else(damaged)?;
        self.columns.resume(&self.tally.counts);
        self.columns.follow(&self.world);
        for observer in &mut self.observers {
            match notes.get(&format!("{OUTPUT_NOTE}{}", observer.name())) {
                // nothing was written: the remedy is another one than room on the disk
                Some(state) => observer
                    .resume(state)
                    .map_err(|OutputError { path, fault }| RunError::Folder { path, fault })?,
                // what was not asked for before begins now
                None => self.late.extend(observer.begin_late()),
            }
        }
        self.begin = self.world.time();
        if self.next_step().is_none() {
            // killed after its last step: what is written at the end is written again
            let Some(old) = self.folder.record().filter(|old| old.status != RunStatus::Finished) else {
                let fault = "this run has reached its end; give a later --end, or start anew with --force";
                return Err(RunError::Folder { path: self.options.out.clone(), fault: fault.into() });
            };
            self.record.last = old.last;
        }
        Ok(())
    }

    fn go(mut self, watch: &mut dyn FnMut(&Progress) -> bool) -> Result<Record, RunError> {
        let ended = self.steps(watch).and_then(|status| {
            self.checkpoint()?;
            self.finish()?;
            Ok(status)
        });
        match ended {
            Ok(status) => {
                self.write_record(status)?;
                if status == RunStatus::Finished {
                    self.observers.iter_mut().for_each(|observer| observer.close());
                }
                Ok(self.record)
            }
            Err(error) => {
                // what was reached is kept, as far as the disk allows
                self.record.message = Some(error.to_string());
                let _ = self.checkpoint();
                let _ = self.finish();
                let _ = self.write_record(RunStatus::Failed);
                Err(error)
            }
        }
    }

    fn steps(&mut self, watch: &mut dyn FnMut(&Progress) -> bool) -> Result<RunStatus, RunError> {
        let steps_before = self.world.steps();
        let mut saved = Instant::now();
        while let Some(h) = self.next_step() {
            self.step(h)?;
            if saved.elapsed() >= self.options.checkpoint {
                self.checkpoint()?;
                self.write_record(RunStatus::Running)?;
                saved = Instant::now();
            }
            if !watch(&self.progress(steps_before)) && self.next_step().is_some() {
                return Ok(RunStatus::Interrupted);
            }
        }
        Ok(RunStatus::Finished)
    }

    /// The size of the next step; none at the end. The last one is shortened to reach it.
    fn next_step(&self) -> Option<f64> {
        let rest = self.end - self.world.time();
        // times are sums of steps
        let slight = 1e-6 * self.h;
        (rest > slight).then_some(if rest > self.h - slight { self.h } else { rest })
    }

    fn step(&mut self, h: f64) -> Result<(), RunError> {
        for observer in &mut self.observers {
            observer.before(&mut self.world, h)?;
        }
        let step = self.world.steps() + 1;
        let report = self.world.step(h).map_err(|fault| RunError::Step { step, fault })?;
        self.tally.add(step, &report);
        let tells = self.world.solver.is_some() || !report.converged();
        if let Some(outcome) = report.outcome.as_ref().filter(|outcome| tells && !outcome.notes.is_empty()) {
            let remark = |note| format!("{} at time {:.6}: {note}", report.solver, report.time);
            self.remarks = outcome.notes.iter().map(remark).collect();
        }
        self.last = Some(report);
        self.observe()
    }

    fn observe(&mut self) -> Result<(), RunError> {
        self.columns.follow(&self.world);
        let view = View { world: &self.world, report: self.last.as_ref(), totals: &self.tally.totals };
        for observer in &mut self.observers {
            observer.observe(&view)?;
        }
        Ok(())
    }

    /// Completes what is written at the end alone.
    fn finish(&mut self) -> Result<(), RunError> {
        let view = View { world: &self.world, report: self.last.as_ref(), totals: &self.tally.totals };
        for observer in &mut self.observers {
            observer.finish(&view)?;
        }
        self.record.written = self.observers.iter().flat_map(|observer| observer.files()).collect();
        let late = self
            .late
            .iter()
            .map(|name| format!("{name} begins at time {:.6}: it was not asked for before", self.begin));
        let of_outputs = self.observers.iter().filter_map(|observer| observer.note());
        self.record.notes = late.chain(of_outputs).chain(self.remarks.iter().cloned()).collect();
        Ok(())
    }

    /// Outputs first: a checkpoint never knows of what is not on the disk.
    fn checkpoint(&mut self) -> Result<(), RunError> {
        for observer in &mut self.observers {
            let state = observer.state()?;
            self.world.notes.insert(format!("{OUTPUT_NOTE}{}", observer.name()), state);
        }
        self.tally.counts = self.columns.state();
        let tally = serde_json::to_string(&self.tally)
            .map_err(|error| OutputError::write(&self.folder.checkpoint(), error))?;
        self.world.notes.insert(TALLY_NOTE.into(), tally);
        Ok(self.world.save(&self.folder.checkpoint())?)
    }

    fn write_record(&mut self, status: RunStatus) -> Result<(), RunError> {
        let view = View { world: &self.world, report: self.last.as_ref(), totals: &self.tally.totals };
        self.record.status = status;
        self.record.time = self.world.time();
        self.record.steps = self.world.steps();
        self.record.seconds = self.started.elapsed().as_secs_f64();
        self.record.certificate =
            Certificate::new(&self.tally, self.world.steps(), self.world.stop.tolerance);
        if self.last.is_some() {
            self.record.last = self.columns.names().into_iter().zip(self.columns.values(&view)).collect();
        }
        Ok(self.folder.write(&self.record)?)
    }

    fn progress(&self, steps_before: usize) -> Progress {
        let outcome = self.last.as_ref().and_then(|report| report.outcome.as_ref());
        Progress {
            time: self.world.time(),
            begin: self.begin,
            end: self.end,
            steps: self.world.steps(),
            steps_now: self.world.steps() - steps_before,
            contacts: self.last.as_ref().map_or(0, |report| report.contacts),
            residual: outcome.map_or(0.0, |outcome| outcome.residual.scaled),
            missed: self.world.missed(),
            seconds: self.started.elapsed().as_secs_f64(),
        }
    }
}
