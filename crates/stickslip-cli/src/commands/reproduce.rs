//! `stickslip reproduce ID`: an experiment of a paper run again, and what it claims beside what is measured.

use crate::Verdict;
use crate::files;
use crate::interrupt;
use crate::report::{line, note};
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime};
use stickslip_papers::{Claim, EXPERIMENTS, Experiment, Given, Setting};
use stickslip_scene::nearest::did_you_mean;

/// What a folder's run claimed; its presence says that the folder is ours.
const CLAIMS: &str = "claims.json";
/// The same for readers, with the figures.
const PAGE: &str = "reproduced.md";
/// The first line of the page of all experiments.
const HEADING: &str = "# Every claim, as last run";

#[derive(Args)]
pub struct Arguments {
    /// Which experiment, or `all`; all are listed without it.
    id: Option<String>,
    /// A smaller experiment of the same kind, in seconds.
    #[arg(long, requires = "id")]
    quick: bool,
    /// The folder for figures and tables; that of the name without it. With `all`, each has its own folder in it.
    #[arg(long, value_name = "DIR", requires = "id")]
    out: Option<PathBuf>,
    /// Write into a folder that holds other files, or a full run where this one is quick.
    #[arg(long, requires = "id")]
    force: bool,
    /// One JSON object an experiment.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let Some(id) = &arguments.id else { return list(arguments.json) };
    interrupt::ends(interruption);
    if id == "all" {
        return all(arguments);
    }
    let Some(experiment) = EXPERIMENTS.iter().find(|experiment| experiment.id == id) else {
        let known: Vec<&str> = EXPERIMENTS.iter().map(|experiment| experiment.id).chain(["all"]).collect();
        let there_are = || format!("there are {}", known.join(", "));
        let near = did_you_mean(id, known.iter().copied()).unwrap_or_else(there_are);
        bail!("there is no experiment \"{id}\"; {near}");
    };
    let folder = arguments.out.clone().unwrap_or_else(|| PathBuf::from(experiment.id));
    prepare(experiment, arguments, &folder)?;
    let done = Done::run(experiment, arguments, folder)?;
    let page = format!("# {id}\n\n{}", done.section(Path::new(""), arguments.quick));
    files::replace(&done.folder.join(PAGE), page.as_bytes())?;
    Ok(verdict(&done.claims))
}

/// The experiment that is under way, and its folder.
fn under_way() -> MutexGuard<'static, Option<(&'static str, PathBuf)>> {
    static UNDER_WAY: Mutex<Option<(&'static str, PathBuf)>> = Mutex::new(None);
    UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What Ctrl-C leaves behind.
fn interruption() -> String {
    match &*under_way() {
        Some((id, folder)) => format!(
            "interrupted: {} holds a part of {id} and no claims; `stickslip reproduce {id}` begins it anew. Experiments before it are whole",
            folder.display()
        ),
        None => "interrupted before the first experiment".into(),
    }
}

/// An experiment that was run.
struct Done {
    experiment: &'static Experiment,
    claims: Vec<Claim>,
    seconds: f64,
    folder: PathBuf,
    /// The names of the figures and tables that it wrote.
    files: Vec<String>,
}

impl Done {
    /// Runs an experiment, shows its claims and stores them.
    fn run(experiment: &'static Experiment, arguments: &Arguments, folder: PathBuf) -> Result<Self> {
        let before = stamps(&folder)?;
        let start = Instant::now();
        *under_way() = Some((experiment.id, folder.clone()));
        let setting = Setting { quick: arguments.quick, folder };
        let claims = experiment.run(&setting).with_context(|| experiment.id)?;
        let seconds = start.elapsed().as_secs_f64();
        let folder = setting.folder;
        let is_new =
            |(name, stamp): (String, SystemTime)| (before.get(&name) != Some(&stamp)).then_some(name);
        let files: Vec<String> = stamps(&folder)?.into_iter().filter_map(is_new).collect();
        remove_older(experiment, &folder, &files)?;
        let record = json!({
            "id": experiment.id, "quick": arguments.quick, "claims": claims, "seconds": seconds, "files": files,
        });
        if arguments.json {
            line(&record.to_string())?;
        } else {
            claims.iter().try_for_each(|claim| line(&claim.show()))?;
        }
        files::replace(&folder.join(CLAIMS), format!("{record:#}\n").as_bytes())?;
        note(&format!("figures and tables in {}, {seconds:.1} s", folder.display()));
        Ok(Done { experiment, claims, seconds, folder, files })
    }

    /// Its section of a page that sees its files at a place.
    fn section(&self, place: &Path, quick: bool) -> String {
        let Done { experiment, claims, seconds, files, .. } = self;
        Given { experiment, quick, claims, seconds: *seconds, files, place }.section()
    }
}

/// Removes the figures and tables of an earlier run of the same experiment that this one did not write again, as of a full run
/// where this one is quick.
fn remove_older(experiment: &Experiment, folder: &Path, written: &[String]) -> Result<()> {
    let own = |record: &Value| record["id"] == experiment.id;
    let Some(record) = stored(folder).filter(own) else { return Ok(()) };
    let earlier = record["files"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for name in earlier.filter(|name| !written.iter().any(|other| other == name)) {
        let path = folder.join(name);
        // a name and no path: nothing outside of the folder is touched
        if Path::new(name).file_name() == Some(name.as_ref()) && path.is_file() {
            std::fs::remove_file(&path).with_context(|| format!("{}: cannot be removed", path.display()))?;
        }
    }
    Ok(())
}

/// What a folder's last run claimed, if there was one.
fn stored(folder: &Path) -> Option<Value> {
    serde_json::from_slice(&std::fs::read(folder.join(CLAIMS)).ok()?).ok()
}

/// Runs every experiment, and names those with claims that fail or that could not be done.
fn all(arguments: &Arguments) -> Result<Verdict> {
    let parent = arguments.out.clone().unwrap_or_else(|| PathBuf::from("papers"));
    let folder = |experiment: &Experiment| parent.join(experiment.id);
    let page_of_all = parent.join(PAGE);
    if !arguments.force && std::fs::read(&page_of_all).is_ok_and(|text| !text.starts_with(HEADING.as_bytes()))
    {
        bail!(
            "{}: this is not a page of an earlier run; give another folder by --out, or --force to write there all the same",
            page_of_all.display()
        );
    }
    for experiment in EXPERIMENTS {
        prepare(experiment, arguments, &folder(experiment))?;
    }
    let start = Instant::now();
    let (mut done, mut broken) = (Vec::new(), Vec::new());
    for experiment in EXPERIMENTS {
        if !arguments.json {
            line(&format!("{}: {}", experiment.id, experiment.summary))?;
        }
        match Done::run(experiment, arguments, folder(experiment)) {
            Ok(experiment) => done.push(experiment),
            Err(error) => broken.push(format!("{error:#}")),
        }
        files::replace(&parent.join(PAGE), page(&done, arguments.quick).as_bytes())?;
    }
    if !broken.is_empty() {
        bail!(
            "{} of {} experiments could not be done:\n{}",
            broken.len(),
            EXPERIMENTS.len(),
            broken.join("\n")
        );
    }
    note(&format!("{}; {:.0} s", summary(&done), start.elapsed().as_secs_f64()));
    for Done { experiment, claims, .. } in &done {
        for claim in claims.iter().filter(|claim| claim.is_alarming()) {
            note(&format!("{}: {}", experiment.id, claim.show()));
        }
    }
    Ok(done.iter().map(|done| verdict(&done.claims)).max().unwrap_or(Verdict::Converged))
}

/// How many claims of how many experiments pass, and how many fail.
fn summary(done: &[Done]) -> String {
    let claims: Vec<&Claim> = done.iter().flat_map(|done| &done.claims).collect();
    let count = |of: fn(&Claim) -> bool| claims.iter().filter(|claim| of(claim)).count();
    format!(
        "{} of {} claims of {} experiments pass, {} fail as is known and explained, {} fail",
        count(|claim| claim.pass),
        claims.len(),
        done.len(),
        count(|claim| claim.finding),
        count(Claim::is_alarming)
    )
}

/// The page of all experiments.
fn page(done: &[Done], quick: bool) -> String {
    let command = if quick { "stickslip reproduce all --quick" } else { "stickslip reproduce all" };
    let mut page = format!("{HEADING}\n\nWritten by `{command}`: {}.\n", summary(done));
    for one in done {
        page += "\n";
        page += &one.section(Path::new(one.experiment.id), quick);
    }
    page
}

/// Whether all is as the papers say, or known not to be.
fn verdict(claims: &[Claim]) -> Verdict {
    if claims.iter().any(Claim::is_alarming) { Verdict::NotConverged } else { Verdict::Converged }
}

/// Makes a folder for an experiment, unless it holds what the run might spoil.
fn prepare(experiment: &Experiment, arguments: &Arguments, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| {
        format!("{}: cannot be made a folder; give another one by --out", folder.display())
    })?;
    let store = folder.join(CLAIMS);
    let refused = |what: &str| {
        let hint = "give another folder by --out, or --force to write there all the same";
        format!("{}: {what}; {hint}", folder.display())
    };
    let before = std::fs::read(&store).ok();
    if !arguments.force {
        match stored(folder) {
            None if stamps(folder)?.is_empty() => {}
            None => bail!(refused("this holds files that are not of an experiment")),
            Some(record) if record["id"] != experiment.id => {
                bail!(refused(&format!("this holds the experiment {}", record["id"])))
            }
            Some(record) if arguments.quick && record["quick"] == false && !record["claims"].is_null() => {
                bail!(refused("this holds a full run, which a quick one would replace"))
            }
            Some(_) => {}
        }
    }
    // written before the run: a folder that cannot be written is found out now, and one of a run that was broken off is known
    let begun = json!({ "id": experiment.id, "quick": arguments.quick, "claims": null }).to_string();
    files::replace(&store, &before.unwrap_or(begun.into_bytes()))
}

/// The files of a folder, in the order of their names, and when they were written.
fn stamps(folder: &Path) -> Result<BTreeMap<String, SystemTime>> {
    let read = || -> std::io::Result<BTreeMap<String, SystemTime>> {
        std::fs::read_dir(folder)?
            .map(|entry| {
                let entry = entry?;
                Ok((entry.file_name().to_string_lossy().into_owned(), entry.metadata()?.modified()?))
            })
            .collect()
    };
    read().with_context(|| format!("{}: this folder cannot be read", folder.display()))
}

fn list(json: bool) -> Result<Verdict> {
    for Experiment { id, summary, paper, .. } in EXPERIMENTS {
        if json {
            line(&serde_json::json!({ "id": id, "summary": summary, "paper": paper }).to_string())?;
        } else {
            line(&format!("{id:<20} {summary}\n{:20} {paper}", ""))?;
        }
    }
    Ok(Verdict::Converged)
}
