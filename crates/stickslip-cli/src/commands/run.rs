//! `stickslip run SCENE`: all its steps, each certified, into a folder.

use crate::limits::{positive, seconds, start_threads};
use crate::report::{duration, line, note, plural, round};
use crate::{Verdict, files, interrupt, progress, scenes};
use anyhow::{Result, anyhow, bail};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;
use stickslip_scene::run::{CHECKPOINT, RECORD, RunStatus};
use stickslip_scene::{Options, Progress, Record, RunError, Target, run as run_scene};

#[derive(Args)]
pub struct Arguments {
    /// A scene file, or the name of a built-in one, see `stickslip list scenes`.
    scene: Option<String>,
    /// A parameter of the scene, such as mu=0.4, or one of its keys, such as time.end=2; may be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// The folder for all that is written; the name of the scene with `-run` without it.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Go on from the checkpoint in the folder.
    #[arg(long)]
    resume: bool,
    /// Overwrite what the folder holds.
    #[arg(long, conflicts_with = "resume")]
    force: bool,
    /// Simulated time to reach; that of the scene without it.
    #[arg(long, value_name = "TIME", value_parser = end, allow_negative_numbers = true)]
    end: Option<f64>,
    /// Wall time between checkpoints.
    #[arg(long, value_name = "S", value_parser = seconds, default_value = "60", allow_negative_numbers = true)]
    checkpoint: f64,
    /// Threads; all cores without it. Results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), allow_negative_numbers = true)]
    threads: Option<u16>,
    /// Draw the last state, into the folder or to FILE.png, even if the scene does not ask for it.
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    picture: Option<Option<PathBuf>>,
    /// Make a movie, in the folder or as FILE: .gif, .png (animated), .mp4 or .webm, the last two by ffmpeg.
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    movie: Option<Option<PathBuf>>,
    /// The record of the run as JSON, as `run.json` holds it.
    #[arg(long)]
    json: bool,
}

/// An end from the command line.
fn end(text: &str) -> Result<f64, String> {
    positive(text).ok_or_else(|| "give a positive time, such as 2.5".into())
}

pub fn run(arguments: &Arguments) -> Result<Verdict> {
    start_threads(arguments.threads)?;
    let scene = scenes::read(arguments.scene.as_deref(), &arguments.set)?;
    let out = arguments.out.clone().unwrap_or_else(|| scenes::folder(&scene, "run"));
    let options = Options {
        out: out.clone(),
        resume: arguments.resume,
        force: arguments.force,
        end: arguments.end,
        // beyond a century there is no limit, and a Duration must not overflow
        checkpoint: Duration::from_secs_f64(arguments.checkpoint.min(3e9)),
        picture: target("--picture", arguments.picture.as_ref(), &PICTURES)?,
        movie: target("--movie", arguments.movie.as_ref(), &MOVIES)?,
    };
    let stop = interrupt::flag();
    let mut shown = Shown::default();
    let record = run_scene(&scene, &options, &mut |now| {
        shown.show(&scene.name, now);
        !stop.load(std::sync::atomic::Ordering::Relaxed)
    });
    progress::clear();
    if record.as_ref().is_err_and(RunError::can_go_on) && out.join(CHECKPOINT).is_file() {
        note(&format!("the last checkpoint is whole; once there is room, go on with `{}`", again(arguments)));
    }
    // a step's error tells its causes by itself
    let record = record.map_err(|error| anyhow!("{error}"))?;
    report(&record, arguments.json, &out.display().to_string())?;
    record.notes.iter().for_each(|text| note(text));
    if record.status == RunStatus::Interrupted {
        note(&format!("interrupted at time {}; go on with `{}`", round(record.time), again(arguments)));
        return Ok(Verdict::NotConverged);
    }
    Ok(if record.certificate.certified { Verdict::Converged } else { Verdict::NotConverged })
}

/// Endings of pictures and movies.
const PICTURES: [&str; 1] = ["png"];
const MOVIES: [&str; 5] = ["gif", "png", "apng", "mp4", "webm"];

/// Where a picture or a movie goes, refused before the work if it cannot.
fn target(option: &str, given: Option<&Option<PathBuf>>, endings: &[&str]) -> Result<Option<Target>> {
    let Some(given) = given else { return Ok(None) };
    let Some(path) = given else { return Ok(Some(Target::Folder)) };
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    if !endings.contains(&ending.as_str()) {
        bail!(
            "{option} {}: give a file that ends in .{}; the name of a scene comes before {option}",
            path.display(),
            endings.join(", .")
        );
    }
    files::check_target(option, path)?;
    Ok(Some(Target::File(path.clone())))
}

fn report(record: &Record, json: bool, out: &str) -> Result<()> {
    if json {
        return line(&serde_json::to_string(record)?);
    }
    line(&format!(
        "{}: {} to time {} of {}, {}, {}\n  {}\n  written to {out}: {}",
        record.scene,
        plural(record.steps, "step"),
        round(record.time),
        record.end,
        bodies(record.bodies),
        duration(record.seconds),
        record.certificate.summary(),
        [RECORD].into_iter().chain(record.written.iter().map(String::as_str)).collect::<Vec<_>>().join(", "),
    ))
}

fn bodies(count: usize) -> String {
    if count == 1 { "1 body".into() } else { format!("{count} bodies") }
}

/// The command that goes on with a run.
fn again(arguments: &Arguments) -> String {
    let mut command = String::from("stickslip run");
    arguments.scene.iter().for_each(|scene| command += &format!(" {}", quoted(scene)));
    arguments.set.iter().for_each(|set| command += &format!(" --set {}", quoted(set)));
    if let Some(out) = &arguments.out {
        command += &format!(" --out {}", quoted(&out.display().to_string()));
    }
    if let Some(end) = arguments.end {
        command += &format!(" --end {end}");
    }
    for (option, given) in [("--picture", &arguments.picture), ("--movie", &arguments.movie)] {
        if let Some(file) = given {
            let file = file.as_ref().map(|file| format!(" {}", quoted(&file.display().to_string())));
            command += &format!(" {option}{}", file.unwrap_or_default());
        }
    }
    command + " --resume"
}

/// A word of a command line.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+".contains(c);
    if word.chars().all(plain) { word.into() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// Time between two lines of progress.
const INTERVAL_SECONDS: f64 = 0.2;

/// When progress was last shown.
#[derive(Default)]
struct Shown {
    seconds: f64,
}

impl Shown {
    fn show(&mut self, name: &str, now: &Progress) {
        if now.seconds < self.seconds + INTERVAL_SECONDS {
            return;
        }
        self.seconds = now.seconds;
        let done = (now.time - now.begin) / (now.end - now.begin);
        let left = now.seconds / done * (1.0 - done);
        let missed =
            if now.missed > 0 { format!(", {} missed", plural(now.missed, "step")) } else { String::new() };
        progress::show(&format!(
            "{name}: time {:.4} of {} ({:.0} %), {:.0} steps/s, {}, residual {:.1e}{missed}, {} left",
            now.time,
            now.end,
            100.0 * now.time / now.end,
            now.steps_now as f64 / now.seconds,
            plural(now.contacts, "contact"),
            now.residual,
            duration(left),
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted("mu=0.4"), "mu=0.4");
        assert_eq!(quoted("r=2 * $x"), "'r=2 * $x'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
