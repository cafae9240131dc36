//! The table of a bench: ours, the default solver of Siconos and the best of its solvers, with ratios of times.

use super::duel::{Attempt, Duel, Fate};
use crate::report::{duration, plural};
use crate::spec::Spec;
use crate::table::{brief, factor, shorten};

/// Means are taken over problems of at least this many contacts; of smaller ones the times are mostly overhead.
const LARGE: usize = 100;
/// With these widths a row fits in 100 columns.
const LONGEST_NAME: usize = 23;
const OURS: usize = 15;
const THEIRS: usize = 13;
const BEST_NAME: usize = 9;

/// Widths and labels, known before the first race.
pub struct Table {
    labels: Vec<String>,
    name_width: usize,
}

impl Table {
    pub fn new(specs: &[Spec], names: impl Iterator<Item = String>) -> Self {
        let longest = names.map(|name| name.chars().count()).max().unwrap_or(0);
        Table {
            labels: specs.iter().map(|spec| spec.label.clone()).collect(),
            name_width: longest.clamp("problem".len(), LONGEST_NAME),
        }
    }

    /// What is compared, and the head of the columns.
    pub fn head(&self, version: &str, threads: u16) -> String {
        let threads = plural(threads.into(), "thread");
        let mut text = format!(
            "stickslip beside Siconos {version}, {threads} each; ratio = time of Siconos / time of ours, above 1 ours \
             is faster\n"
        );
        for (k, label) in self.labels.iter().enumerate() {
            let key = self.key(k);
            text += &if key.is_empty() { format!("ours: {label}\n") } else { format!("{key} {label}\n") };
        }
        let default = format!("{:>THEIRS$}", "default ratio");
        let best = format!("{:<BEST_NAME$} {:>THEIRS$}", "best", "ratio");
        text + &self.line(
            "",
            "problem",
            "contacts",
            "",
            "eps",
            &format!("{:>OURS$}", "ours"),
            &default,
            &best,
        )
    }

    /// One row for each solver of ours.
    pub fn rows(&self, duel: &Duel) -> Vec<String> {
        let (contacts, dimension) = (duel.contacts.to_string(), format!("{}D", duel.dimension));
        let name = shorten(&duel.problem, self.name_width);
        let row = |k: usize| {
            self.line(
                &self.key(k),
                &name,
                &contacts,
                &dimension,
                &format!("{:e}", duel.tolerance),
                &format!("{:>OURS$}", ours(duel, k)),
                &format!("{:>THEIRS$}", theirs(duel, k, duel.default())),
                &format!(
                    "{:<BEST_NAME$} {:>THEIRS$}",
                    duel.best().map_or("none", |best| best.solver),
                    theirs(duel, k, duel.best())
                ),
            )
        };
        (0..duel.ours.len()).map(row).collect()
    }

    /// The means, the worst, and every failure of races at one tolerance.
    pub fn foot(&self, duels: &[&Duel], k: usize) -> String {
        let solved = |has: &dyn Fn(&Duel) -> bool| duels.iter().filter(|duel| has(duel)).count();
        let mut text = format!(
            "\ntolerance {:e}, {} on {}\n  solved             ours {}, Siconos default {}, best of Siconos {}\n",
            duels[0].tolerance,
            self.labels[k],
            plural(duels.len(), "problem"),
            solved(&|duel| duel.ours[k].time().is_some()),
            solved(&|duel| duel.default().is_some_and(|attempt| attempt.time().is_some())),
            solved(&|duel| duel.best().is_some()),
        );
        text += &format!("  default / ours     {}\n", summary(duels, k, Duel::default));
        text += &format!("  best / ours        {}", summary(duels, k, Duel::best));
        let failed: Vec<String> = duels
            .iter()
            .filter(|duel| duel.ours[k].time().is_none())
            .map(|duel| format!("{} ({})", duel.problem, brief(duel.ours[k].status)))
            .collect();
        if !failed.is_empty() {
            let problems = plural(failed.len(), "problem");
            text += &format!(
                "\n  FAILED             ours misses the tolerance on {problems}: {}",
                failed.join(", ")
            );
        }
        text
    }

    /// Marks a row where there are several solvers of ours.
    fn key(&self, k: usize) -> String {
        if self.labels.len() > 1 { format!("[{}]", k + 1) } else { String::new() }
    }

    #[expect(clippy::too_many_arguments, reason = "one for each column")]
    fn line(
        &self,
        key: &str,
        name: &str,
        contacts: &str,
        dimension: &str,
        tolerance: &str,
        ours: &str,
        default: &str,
        best: &str,
    ) -> String {
        let key = if self.labels.len() > 1 { format!("{key:<4}") } else { String::new() };
        let width = self.name_width;
        let line = format!(
            "{key}{name:<width$}  {contacts:>8} {dimension:>2}  {tolerance:>5}  {ours}  {default}  {best}"
        );
        line.trim_end().to_string()
    }
}

/// Time and residual of our k-th.
fn ours(duel: &Duel, k: usize) -> String {
    let cell = &duel.ours[k];
    match cell.time() {
        Some(time) => format!("{} {:.1e}", duration(time), cell.residual),
        None => format!("FAILED {:.1e}", cell.residual),
    }
}

/// Time of one of theirs, or why there is none, and its ratio.
fn theirs(duel: &Duel, k: usize, attempt: Option<&Attempt>) -> String {
    let text = match attempt {
        None => "not run".to_string(),
        Some(attempt) => match (attempt.fate, attempt.seconds) {
            (Fate::Solved, Some(seconds)) => duration(seconds),
            (Fate::Missed, _) if attempt.measure.is_finite() => format!("miss {:.0e}", attempt.measure),
            (Fate::TimeLimit, _) => "timeout".to_string(),
            (fate, _) => fate.name().to_string(),
        },
    };
    let ratio = duel.ratio(k, attempt).map_or("–".to_string(), factor);
    if attempt.is_none() && !duel.theirs.is_empty() && duel.best().is_none() {
        return ratio;
    }
    // a residual beside a miss leaves no room for more
    if text.len() > 8 { format!("{text} {ratio:>2}") } else { format!("{text} {ratio:>5}") }
}

/// A geometric mean, the worst ratio and what has none.
fn summary(duels: &[&Duel], k: usize, of: fn(&Duel) -> Option<&Attempt>) -> String {
    let ratios: Vec<(f64, &Duel)> =
        duels.iter().filter_map(|duel| Some((duel.ratio(k, of(duel))?, *duel))).collect();
    let (large, small): (Vec<_>, Vec<_>) = ratios.iter().partition(|(_, duel)| duel.contacts >= LARGE);
    let mut parts = Vec::new();
    parts.push(match geometric_mean(&large) {
        Some(mean) => {
            let problems = plural(large.len(), "problem");
            format!("geometric mean {} over {problems} of {LARGE} contacts and more", factor(mean))
        }
        None => format!("no ratio of {LARGE} contacts and more"),
    });
    parts.extend(worst(&large).map(|worst| format!("worst {worst}")));
    parts.extend(worst(&small).map(|worst| format!("worst of smaller ones {worst}")));
    let unsolved: Vec<&str> = duels
        .iter()
        .filter(|duel| duel.ours[k].time().is_some() && duel.ratio(k, of(duel)).is_none())
        .map(|duel| duel.problem.as_str())
        .collect();
    if !unsolved.is_empty() {
        let problems = plural(unsolved.len(), "problem");
        parts.push(format!("no time of Siconos for {problems}: {}", unsolved.join(", ")));
    }
    parts.join("\n                     ")
}

fn geometric_mean(ratios: &[(f64, &Duel)]) -> Option<f64> {
    let logarithms: f64 = ratios.iter().map(|(ratio, _)| ratio.ln()).sum();
    (!ratios.is_empty()).then(|| (logarithms / ratios.len() as f64).exp())
}

/// The least ratio and where it is.
fn worst(ratios: &[(f64, &Duel)]) -> Option<String> {
    let (ratio, duel) = ratios.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(format!("{} on {} ({})", factor(*ratio), duel.problem, plural(duel.contacts, "contact")))
}

#[cfg(test)]
mod tests {
    use super::super::duel::tests::duel;
    use super::*;

    fn table() -> Table {
        let name = "LMGC_GlobalFrictionContactProblem00046".to_string();
        Table::new(&[Spec::parse("nlgs", &[]).unwrap()], [name].into_iter())
    }

    #[test]
    fn rows_fit_in_a_hundred_columns_and_show_failures() {
        let row =
            |times| table().rows(&duel("LMGC_GlobalFrictionContactProblem00046", 123_456, times)).remove(0);
        let full = row([Some(0.0123), Some(1.0), Some(0.123)]);
        assert!(full.ends_with("12.3 ms 9.9e-5   1.00 s  81.3  ADMM       123 ms  10.0"), "{full}");
        assert_eq!(full.chars().count(), table().head("4", 1).lines().last().unwrap().chars().count());
        assert!(full.chars().count() <= 100, "{full}");
        let alone = row([Some(0.0123), None, None]);
        assert!(alone.ends_with(&format!("timeout     –  none{:>19}", "–")), "{alone}");
        let lost = row([None, Some(1.0), None]);
        assert!(lost.contains("FAILED 9.9e-5") && lost.ends_with("1.00 s     –"), "{lost}");
    }

    #[test]
    fn the_foot_counts_and_drops_nothing() {
        let duels = [
            duel("tiny", 3, [Some(2.0), Some(1.0), Some(1.0)]),
            duel("a", 100, [Some(1.0), Some(4.0), Some(2.0)]),
            duel("b", 200, [Some(1.0), Some(9.0), None]),
            duel("theirs", 300, [None, Some(9.0), None]),
            duel("ours", 400, [Some(1.0), None, None]),
        ];
        let foot = table().foot(&duels.iter().collect::<Vec<_>>(), 0);
        for words in [
            "tolerance 1e-4, nlgs on 5 problems",
            "ours 4, Siconos default 4, best of Siconos 4",
            "default / ours     geometric mean 6.00 over 2 problems of 100 contacts and more",
            "worst 4.00 on a (100 contacts)",
            "best / ours        geometric mean 4.24 over 2 problems",
            "worst of smaller ones 0.50 on tiny (3 contacts)",
            "no time of Siconos for 1 problem: ours",
            "FAILED             ours misses the tolerance on 1 problem: theirs (stalled)",
        ] {
            assert!(foot.contains(words), "\"{words}\" is not in:\n{foot}");
        }
    }
}
