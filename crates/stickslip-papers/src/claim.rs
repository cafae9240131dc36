//! What a paper says beside what is found.

use serde::Serialize;

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
    /// Why they are, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl Claim {
    /// A value that must be met.
    pub fn near(claim: impl Into<String>, paper: f64, measured: f64, tolerance: f64) -> Self {
        Self::judged(claim, paper, measured, tolerance, (measured - paper).abs() <= tolerance)
    }

    /// A value that must be reached or passed, less a tolerance.
    pub fn at_least(claim: impl Into<String>, paper: f64, measured: f64, tolerance: f64) -> Self {
        Self::judged(claim, paper, measured, tolerance, measured >= paper - tolerance)
    }

    /// A value that must not be passed by more than a tolerance.
    pub fn at_most(claim: impl Into<String>, paper: f64, measured: f64, tolerance: f64) -> Self {
        Self::judged(claim, paper, measured, tolerance, measured <= paper + tolerance)
    }

    /// The reason why the paper's value is not found, shown where the claim fails.
    pub fn unless(mut self, why: impl Into<String>) -> Self {
        self.why = (!self.pass).then(|| why.into());
        self
    }

    fn judged(claim: impl Into<String>, paper: f64, measured: f64, tolerance: f64, pass: bool) -> Self {
        Claim { claim: claim.into(), paper, measured, tolerance, pass, why: None }
    }

    /// One line, the verdict first.
    pub fn show(&self) -> String {
        let verdict = if self.pass { "pass" } else { "FAIL" };
        let why = self.why.as_ref().map_or_else(String::new, |why| format!(" ({why})"));
        format!(
            "{verdict}  {}: paper {}, measured {}, tolerance {}{why}",
            self.claim,
            number(self.paper),
            number(self.measured),
            number(self.tolerance)
        )
    }
}

/// A number in four digits, with a power of ten where it is far from one.
fn number(value: f64) -> String {
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
        let failed = Claim::near("sweeps", 3.0, 1e-9, 1e-3).unless("a reason");
        assert_eq!(failed.show(), "FAIL  sweeps: paper 3, measured 1.000e-9, tolerance 0.001 (a reason)");
        assert_eq!(Claim::near("sweeps", 3.0, 3.0, 0.0).unless("a reason").why, None);
    }
}
