//! What a paper says beside what is found.

use serde::Serialize;
use std::ops::RangeBounds;

/// Whose value a claim is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The paper prints it or says it.
    Paper,
    /// We ask for it: mechanics, or an aim of ours.
    Ours,
}

/// How a measured value is held against the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// It must be met.
    Near,
    /// It must be reached or passed.
    AtLeast,
    /// It must not be passed.
    AtMost,
}

/// What a paper says, what is found, and how far apart they may be.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Claim {
    /// What it is about.
    pub claim: String,
    /// What the paper says, or the bound that it sets.
    pub paper: f64,
    /// What is found.
    pub measured: f64,
    /// How far apart they may be.
    pub tolerance: f64,
    /// Whether they are no farther apart.
    pub pass: bool,
    /// Whether the value is the paper's or ours.
    pub source: Source,
    /// How they are held against each other.
    pub relation: Relation,
    /// Whether it is known, and explained in `why`, that the claim fails.
    pub finding: bool,
    /// Why it fails, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl Claim {
    /// A value that must be met.
    pub fn near(claim: impl Into<String>, paper: f64, measured: f64, tolerance: f64) -> Self {
        let pass = (measured - paper).abs() <= tolerance;
        Self::judged(claim, paper, measured, tolerance, Relation::Near, pass)
    }

    /// A value that must be reached or passed, less a tolerance.
    pub fn at_least(claim: impl Into<String>, paper: f64, measured: f64, tolerance: f64) -> Self {
        Self::judged(claim, paper, measured, tolerance, Relation::AtLeast, measured >= paper - tolerance)
    }

    /// A value that must not be passed by more than a tolerance.
    pub fn at_most(claim: impl Into<String>, paper: f64, measured: f64, tolerance: f64) -> Self {
        Self::judged(claim, paper, measured, tolerance, Relation::AtMost, measured <= paper + tolerance)
    }

    /// The same against a value of ours, which no paper prints.
    pub fn ours(mut self) -> Self {
        self.source = Source::Ours;
        self
    }

    /// A reason shown where the claim fails; the failure still alarms.
    pub fn unless(mut self, why: impl Into<String>) -> Self {
        self.why = (!self.pass).then(|| why.into());
        self
    }

    /// The same where it is understood why the claim fails: what is found within the values that this explains is a finding, which
    /// alarms nobody.
    pub fn finding(self, explained: impl RangeBounds<f64>, why: impl Into<String>) -> Self {
        let claim = self.unless(why);
        Claim { finding: !claim.pass && explained.contains(&claim.measured), ..claim }
    }

    /// A claim on times: other work on the machine shifts them, so that a failure alarms nobody.
    pub fn timed(self) -> Self {
        if self.is_alarming() {
            self.finding(
                ..,
                "times of this run: other work on the machine shifts them, a run of its own tells",
            )
        } else {
            self
        }
    }

    /// Whether it fails, and nobody knows that it must.
    pub fn is_alarming(&self) -> bool {
        !self.pass && !self.finding
    }

    /// `pass`, `FAIL`, or `fails` where it is known why.
    pub fn verdict(&self) -> &'static str {
        match (self.pass, self.finding) {
            (true, _) => "pass ",
            (false, true) => "fails",
            (false, false) => "FAIL ",
        }
    }

    /// What is asked for, and by whom.
    pub fn wanted(&self) -> String {
        let who = match (self.source, self.relation) {
            (Source::Paper, _) => "paper",
            (Source::Ours, Relation::Near) => "expected",
            (Source::Ours, _) => "bound",
        };
        let how = match self.relation {
            Relation::Near => "",
            Relation::AtLeast => "at least ",
            Relation::AtMost => "at most ",
        };
        format!("{who} {how}{}", number(self.paper))
    }

    /// One line, the verdict first.
    pub fn show(&self) -> String {
        let why = self.why.as_ref().map_or_else(String::new, |why| format!(" ({why})"));
        format!(
            "{}  {}: {}, measured {}, tolerance {}{why}",
            self.verdict(),
            self.claim,
            self.wanted(),
            number(self.measured),
            number(self.tolerance)
        )
    }
}

impl Claim {
    fn judged(
        claim: impl Into<String>,
        paper: f64,
        measured: f64,
        tolerance: f64,
        relation: Relation,
        pass: bool,
    ) -> Self {
        let (claim, source) = (claim.into(), Source::Paper);
        Claim { claim, paper, measured, tolerance, pass, source, relation, finding: false, why: None }
    }
}

/// A number in four digits, with a power of ten where it is far from one.
pub(crate) fn number(value: f64) -> String {
    let far = value != 0.0 && !(1e-3..1e7).contains(&value.abs());
    if far { format!("{value:.3e}") } else { ((value * 1e4).round() / 1e4).to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_passes_up_to_its_tolerance_and_nothing_passes_that_is_no_number() {
        assert!(Claim::near("", 1.0, 1.5, 0.5).pass && !Claim::near("", 1.0, 1.5, 0.4).pass);
        assert!(Claim::at_least("", 1.0, 0.5, 0.5).pass && !Claim::at_least("", 1.0, 0.5, 0.4).pass);
        assert!(Claim::at_most("", 1.0, 1.5, 0.5).pass && !Claim::at_most("", 1.0, 1.5, 0.4).pass);
        let lost = f64::NAN;
        assert!(!Claim::near("", 0.0, lost, 1.0).pass && !Claim::at_least("", 0.0, lost, 1.0).pass);
        assert!(!Claim::at_most("", 0.0, lost, 1.0).pass);
    }

    #[test]
    fn a_line_tells_the_verdict_and_why_it_failed() {
        let failed = Claim::near("sweeps", 3.0, 1e-9, 1e-3);
        let line =
            |verdict| format!("{verdict}  sweeps: paper 3, measured 1.000e-9, tolerance 0.001 (a reason)");
        assert_eq!(failed.clone().unless("a reason").show(), line("FAIL "));
        assert_eq!(failed.finding(.., "a reason").show(), line("fails"));
        let passed = Claim::at_most("sweeps", 3.0, 3.0, 0.0).ours().finding(.., "a reason");
        assert_eq!(passed.show(), "pass   sweeps: bound at most 3, measured 3, tolerance 0");
    }

    #[test]
    fn only_failures_that_nobody_explained_alarm() {
        let failed = Claim::near("", 1.0, 2.0, 0.5);
        assert!(failed.is_alarming() && failed.clone().unless("a guess").is_alarming());
        assert!(!failed.clone().finding(1.9..=2.1, "a reason").is_alarming());
        assert!(failed.finding(3.0.., "a reason that explains other values").is_alarming());
        assert!(!Claim::near("", 1.0, 1.0, 0.5).finding(3.0.., "a reason").is_alarming());
        let slow = Claim::at_least("seconds", 1.0, 0.9, 0.0).timed();
        assert!(slow.finding && !slow.pass && slow.why.is_some());
        let known = Claim::at_least("seconds", 1.0, 0.9, 0.0).finding(.., "a reason");
        assert_eq!(known.timed().why.as_deref(), Some("a reason"));
    }
}
