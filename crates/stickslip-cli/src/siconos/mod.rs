//! Siconos, reached through a Python child that runs `driver.py`.
//!
//! The problem is handed over condensed, in raw little-endian files, so that Python needs nothing that reads HDF5.
//! A solve that exceeds its time is ended with its child; the next one starts a new child.

mod child;

use crate::condense::Condensed;
use crate::race::{ENOUGH_SECONDS, MOST_REPETITIONS};
use anyhow::{Context, Result, anyhow, bail};
use child::{Answer, Child};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const DRIVER: &str = include_str!("driver.py");
/// Tried in this order; the second is where a distribution's package is, should another Python be first.
const PYTHONS: [&str; 2] = ["python3", "/usr/bin/python3"];
/// For an interpreter to start and import Siconos.
const START: Duration = Duration::from_secs(120);
/// For a problem to be read and converted, which is not what is measured.
const LOAD: Duration = Duration::from_secs(900);

/// A solver as Siconos has it.
pub struct Solver {
    pub name: &'static str,
    pub dimension: usize,
    /// Whether a race takes it without being asked.
    pub usual: bool,
}

/// Those that the driver knows.
pub const SOLVERS: &[Solver] = &[
    Solver { name: "NSGS", dimension: 3, usual: true },
    Solver { name: "NSGS-NSN", dimension: 3, usual: true },
    Solver { name: "NSGS-FULL", dimension: 3, usual: true },
    Solver { name: "ADMM", dimension: 3, usual: true },
    Solver { name: "NSN_AC", dimension: 3, usual: true },
    Solver { name: "NSN_FB", dimension: 3, usual: true },
    Solver { name: "PROX", dimension: 3, usual: true },
    Solver { name: "NSGS-PLI", dimension: 3, usual: false },
    Solver { name: "NSGSV", dimension: 3, usual: false },
    Solver { name: "NSN_NM", dimension: 3, usual: false },
    Solver { name: "DSFP", dimension: 3, usual: false },
    Solver { name: "VI_EG", dimension: 3, usual: false },
    Solver { name: "VI_FPP", dimension: 3, usual: false },
    Solver { name: "NSGS2", dimension: 2, usual: true },
    Solver { name: "CPG2", dimension: 2, usual: true },
    Solver { name: "LEMKE2", dimension: 2, usual: true },
];

/// What Siconos takes where nobody chooses.
pub fn default_solver(dimension: usize) -> &'static str {
    if dimension == 2 { "NSGS2" } else { "NSGS" }
}

/// How a solve by Siconos ended; nothing is said about how good the impulses are.
pub enum Ended {
    Solved {
        seconds: f64,
        iterations: u64,
        r: Vec<f64>,
    },
    TooLate,
    /// The child died or refused, with its words.
    Crashed(String),
    Interrupted,
}

/// A Python that has Siconos, and the problem it is at.
pub struct Siconos {
    python: PathBuf,
    threads: u16,
    child: Option<Child>,
    /// After the child, which is at work in it: fields go away in this order.
    folder: Folder,
    loaded: bool,
    problem: Value,
    /// As it calls itself.
    pub version: String,
}

impl Siconos {
    /// Finds a Python that imports Siconos: the one given, or the usual ones.
    pub fn find(python: Option<&Path>, threads: u16) -> Result<Self> {
        let candidates = match python {
            Some(python) => vec![python.to_path_buf()],
            None => PYTHONS.map(PathBuf::from).to_vec(),
        };
        let mut found_wanting = Vec::new();
        for python in candidates {
            let mut siconos = Siconos {
                python,
                threads,
                folder: Folder::new()?,
                child: None,
                loaded: false,
                problem: Value::Null,
                version: String::new(),
            };
            match siconos.start() {
                Ok(()) => return Ok(siconos),
                Err(why) => found_wanting.push(format!("{}: {why:#}", siconos.python.display())),
            }
        }
        bail!(
            "Siconos cannot be run ({}); install it, on Debian by `apt install python3-siconos python3-scipy`, or name a Python \
             that imports siconos, numpy and scipy with --python",
            found_wanting.join("; ")
        )
    }

    /// Makes this the problem of the solves to come.
    pub fn pose(&mut self, problem: &Condensed) -> Result<()> {
        let W = &problem.W;
        let as_i64 = |values: &mut dyn Iterator<Item = i64>| values.flat_map(i64::to_le_bytes).collect();
        let as_f64 = |values: &[f64]| values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
        self.folder.write("row_start.i64", as_i64(&mut W.row_start.iter().map(|&k| k as i64)))?;
        self.folder.write("column.i64", as_i64(&mut W.column.iter().map(|&j| i64::from(j))))?;
        self.folder.write("value.f64", as_f64(&W.value))?;
        self.folder.write("q.f64", as_f64(&problem.q))?;
        self.folder.write("mu.f64", as_f64(&problem.mu))?;
        self.problem = json!({ "load": {
            "folder": self.folder.path, "dimension": problem.dimension, "contacts": problem.contacts(),
            "entries": W.value.len(),
        }});
        self.loaded = false;
        Ok(())
    }

    /// Solves the problem from zero. Short solves are repeated, by the same rule as ours; each has `limit` seconds.
    pub fn solve(&mut self, solver: &str, tolerance: f64, limit: f64) -> Result<Ended> {
        let ended = self.try_to_solve(solver, tolerance, limit);
        if !matches!(ended, Ok(Ended::Solved { .. })) {
            // whatever it is at, it is not ready for the next request
            self.child = None;
        }
        ended
    }

    fn try_to_solve(&mut self, solver: &str, tolerance: f64, limit: f64) -> Result<Ended> {
        if self.child.is_none() {
            self.start()?;
        }
        if !self.loaded {
            let load = self.problem.clone();
            match self.ask(&load, LOAD)? {
                Reply::Event(event) => event.expect("loaded")?,
                Reply::Ended(Ended::TooLate) => {
                    return Ok(Ended::Crashed(format!("not loaded after {} s", LOAD.as_secs())));
                }
                Reply::Ended(ended) => return Ok(ended),
            };
            self.loaded = true;
        }
        let request = json!({ "solve": {
            "solver": solver, "tolerance": tolerance, "limit": limit,
            "enough": ENOUGH_SECONDS, "repetitions": MOST_REPETITIONS,
        }});
        // conversions come before the clock starts
        let mut reply = self.ask(&request, LOAD)?;
        loop {
            match reply {
                Reply::Ended(ended) => return Ok(ended),
                Reply::Event(event) if event.name == "start" => {
                    reply = self.next(Duration::from_secs_f64(limit))?;
                }
                Reply::Event(event) => return self.solved(event),
            }
        }
    }

    fn solved(&self, event: Event) -> Result<Ended> {
        let fields = event.expect("solved")?;
        let seconds = fields["seconds"].as_f64().filter(|s| s.is_finite() && *s >= 0.0);
        let seconds = seconds.ok_or_else(|| anyhow!("the Siconos child gives no time: {fields}"))?;
        let iterations = fields["iterations"].as_u64().unwrap_or(0);
        Ok(Ended::Solved { seconds, iterations, r: self.folder.read("r.f64")? })
    }

    fn start(&mut self) -> Result<()> {
        let script = self.folder.write("driver.py", DRIVER.into())?;
        let threads = self.threads.to_string();
        let mut command = Command::new(&self.python);
        command.arg(script);
        for variable in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"] {
            command.env(variable, &threads);
        }
        self.child = Some(Child::start(&mut command, &self.folder.path.join("complaints"))?);
        self.loaded = false;
        let event = match self.next(START)? {
            Reply::Event(event) => event,
            Reply::Ended(Ended::Crashed(why)) => bail!("it ended at once, {why}"),
            Reply::Ended(Ended::Interrupted) => bail!("interrupted"),
            Reply::Ended(_) => bail!("no answer after {} s", START.as_secs()),
        };
        if event.name == "missing" {
            bail!("{}", event.fields["what"].as_str().unwrap_or("a module is missing"));
        }
        let version = event.expect("ready")?["version"].as_str().unwrap_or("unknown").to_string();
        self.version = version;
        Ok(())
    }

    fn ask(&mut self, request: &Value, patience: Duration) -> Result<Reply> {
        if let Some(child) = &mut self.child {
            child.send(request);
        }
        self.next(patience)
    }

    fn next(&mut self, patience: Duration) -> Result<Reply> {
        let child = self.child.as_mut().context("the Siconos child is not running")?;
        Ok(match child.receive(patience) {
            Answer::Line(fields) => match Event::of(fields)? {
                event if event.name == "error" => Reply::Ended(Ended::Crashed(event.what())),
                event => Reply::Event(event),
            },
            Answer::Garbage(text) => bail!("the Siconos child answers \"{text}\", which is not JSON"),
            Answer::Dead(words) => Reply::Ended(Ended::Crashed(words)),
            Answer::TooLate => Reply::Ended(Ended::TooLate),
            Answer::Interrupted => Reply::Ended(Ended::Interrupted),
        })
    }
}

enum Reply {
    Event(Event),
    Ended(Ended),
}

/// One line of the child.
struct Event {
    name: String,
    fields: Value,
}

impl Event {
    fn of(fields: Value) -> Result<Self> {
        match fields["event"].as_str() {
            Some(name) => Ok(Event { name: name.to_string(), fields }),
            None => bail!("the Siconos child answers {fields}, which names no event"),
        }
    }

    /// The fields, if this is the event that has to come.
    fn expect(&self, name: &str) -> Result<&Value> {
        if self.name != name {
            bail!("the Siconos child answers \"{}\" where \"{name}\" has to come", self.name);
        }
        Ok(&self.fields)
    }

    fn what(&self) -> String {
        self.fields["what"].as_str().unwrap_or("no reason given").to_string()
    }
}

/// A folder for what is handed over, which goes away with this value.
struct Folder {
    path: PathBuf,
}

impl Folder {
    fn new() -> Result<Self> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("stickslip-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path)
            .with_context(|| format!("{}: cannot be created; check TMPDIR", path.display()))?;
        Ok(Folder { path })
    }

    fn write(&self, name: &str, content: Vec<u8>) -> Result<PathBuf> {
        let path = self.path.join(name);
        fs::write(&path, content)
            .with_context(|| format!("{}: cannot be written; check the free space", path.display()))?;
        Ok(path)
    }

    fn read(&self, name: &str) -> Result<Vec<f64>> {
        let path = self.path.join(name);
        let bytes = fs::read(&path)
            .with_context(|| format!("{}: the Siconos child left no impulses", path.display()))?;
        let (numbers, _) = bytes.as_chunks::<8>();
        Ok(numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}
