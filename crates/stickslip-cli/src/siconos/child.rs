//! A child process spoken to in JSON lines, with a clock on every answer.

use crate::interrupt;
use anyhow::{Context, Result};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child as Process, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How often a wait looks for Ctrl-C.
const GLANCE: Duration = Duration::from_millis(50);
/// Of an answer or complaint that makes no sense, this much is shown.
const LONGEST_QUOTE: usize = 300;

/// What came within the time.
pub enum Answer {
    Line(Value),
    /// Not JSON.
    Garbage(String),
    /// The child ended; with its last words.
    Dead(String),
    TooLate,
    Interrupted,
}

/// A running child; it ends with this value.
pub struct Child {
    process: Process,
    requests: ChildStdin,
    answers: Receiver<String>,
    complaints: PathBuf,
}

impl Child {
    /// Starts a command whose complaints go to a file.
    pub fn start(command: &mut Command, complaints: &Path) -> Result<Self> {
        let file = File::create(complaints)
            .with_context(|| format!("{}: cannot be written; check the free space", complaints.display()))?;
        let mut process =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::from(file)).spawn()?;
        let requests = process.stdin.take().context("the child has no standard input")?;
        let output = process.stdout.take().context("the child has no standard output")?;
        let (send, answers) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
                if send.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    return;
                }
            }
        });
        Ok(Child { process, requests, answers, complaints: complaints.to_path_buf() })
    }

    /// Sends a request. That the child is gone shows when its answer is awaited.
    pub fn send(&mut self, request: &Value) {
        let _ = writeln!(self.requests, "{request}").and_then(|()| self.requests.flush());
    }

    /// Waits for the next line.
    pub fn receive(&mut self, patience: Duration) -> Answer {
        let end = Instant::now() + patience;
        loop {
            if interrupt::raised() {
                return Answer::Interrupted;
            }
            let left = end.saturating_duration_since(Instant::now());
            match self.answers.recv_timeout(left.min(GLANCE)) {
                Ok(line) => {
                    return serde_json::from_str(&line)
                        .map_or_else(|_| Answer::Garbage(quote(&line)), Answer::Line);
                }
                Err(RecvTimeoutError::Disconnected) => return Answer::Dead(self.last_words()),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Answer::TooLate,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn last_words(&mut self) -> String {
        let status = self.process.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
        let complaints = fs::read(&self.complaints).unwrap_or_default();
        match String::from_utf8_lossy(&complaints).lines().rfind(|line| !line.trim().is_empty()) {
            Some(last) => format!("{status}: {}", quote(last)),
            None => status,
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // it may be deep in a solve and would not see its standard input close
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn quote(text: &str) -> String {
    text.trim().chars().take(LONGEST_QUOTE).collect()
}
