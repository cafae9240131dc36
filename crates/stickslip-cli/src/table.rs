//! The table of a comparison: one row a problem, one column a solver, printed as the work goes on.

use crate::profile::{Curve, Profile, ratios};
use crate::report::duration;
use stickslip_solvers::outcome::{Outcome, Status};
use stickslip_solvers::residual::Criterion;

/// Longer names of problems lose their middle.
const LONGEST_NAME: usize = 26;
/// Fits a time with its ratio (`12.3 ms  1.00`) and a status with its residual (`max-iter 2e-8`), and four
/// solvers with the name in 100 columns.
const CELL: usize = 13;

/// One solver on one problem.
#[derive(Clone, Copy)]
pub struct Cell {
    /// How it ended.
    pub status: Status,
    /// Best wall time.
    pub seconds: f64,
    /// What the tolerance was compared with.
    pub residual: f64,
}

impl Cell {
    /// What a table shows of a solve.
    pub fn of(outcome: &Outcome, criterion: Criterion) -> Self {
        let residual = outcome.residual.measure(criterion);
        Cell { status: outcome.status, seconds: outcome.seconds, residual }
    }

    /// The time, if it counts.
    pub fn time(&self) -> Option<f64> {
        (self.status == Status::Converged).then_some(self.seconds)
    }
}

/// The times of a row, which are what profiles are made of.
pub fn times(cells: &[Option<Cell>]) -> Vec<Option<f64>> {
    cells.iter().map(|cell| cell.as_ref().and_then(Cell::time)).collect()
}

/// Widths and heads, known before the first solve.
pub struct Table<'a> {
    solvers: Vec<&'a str>,
    name_width: usize,
}

impl<'a> Table<'a> {
    /// For these solvers and names of problems.
    pub fn new(solvers: Vec<&'a str>, names: impl Iterator<Item = String>) -> Self {
        let longest = names.map(|name| name.chars().count()).max().unwrap_or(0);
        Table { solvers, name_width: longest.clamp("problem".len(), LONGEST_NAME) }
    }

    /// The head; a solver too long for its column gets a number, explained above.
    pub fn head(&self) -> String {
        let mut keys = String::new();
        let heads = self.solvers.iter().enumerate().map(|(k, solver)| {
            if solver.chars().count() <= CELL {
                return solver.to_string();
            }
            keys += &format!("[{}] {solver}\n", k + 1);
            format!("[{}]", k + 1)
        });
        let heads: Vec<String> = heads.collect();
        keys + &self.line("problem", "contacts", "", heads.iter().map(String::as_str))
    }

    /// One problem.
    pub fn row(&self, name: &str, contacts: usize, dimension: usize, cells: &[Option<Cell>]) -> String {
        let texts: Vec<String> = cells
            .iter()
            .zip(ratios(&times(cells)))
            .map(|(cell, ratio)| match (cell, ratio) {
                (None, _) => "-".to_string(),
                (Some(cell), Some(ratio)) => format!("{} {:>5}", duration(cell.seconds), factor(ratio)),
                (Some(cell), None) => format!("{} {:.0e}", brief(cell.status), cell.residual),
            })
            .collect();
        let (contacts, dimension) = (contacts.to_string(), format!("{dimension}D"));
        self.line(&shorten(name, self.name_width), &contacts, &dimension, texts.iter().map(String::as_str))
    }

    /// How often each solver converged and how often it was the fastest.
    pub fn foot(&self, profile: &Profile) -> String {
        let width = self.name_width + 13;
        let count = |name: &str, of: fn(&Curve) -> usize| {
            let start = format!("{name:<width$}");
            profile.curves.iter().fold(start, |line, curve| line + &format!("  {:>CELL$}", of(curve)))
        };
        let rule = "-".repeat(width + self.solvers.len() * (CELL + 2));
        let solved = count(&format!("solved, of {}", profile.problems), Curve::solved);
        format!("{rule}\n{solved}\n{}", count("fastest", Curve::fastest))
    }

    fn line<'t>(
        &self,
        name: &str,
        contacts: &str,
        dimension: &str,
        cells: impl Iterator<Item = &'t str>,
    ) -> String {
        let start = format!("{name:<width$}  {contacts:>8} {dimension:>2}", width = self.name_width);
        cells.fold(start, |line, cell| line + &format!("  {cell:>CELL$}"))
    }
}

/// A ratio in at most five characters.
pub fn factor(ratio: f64) -> String {
    match ratio {
        x if x < 9.995 => format!("{x:.2}"),
        x if x < 99.95 => format!("{x:.1}"),
        x if x < 9999.5 => format!("{x:.0}"),
        x => format!("{x:.0e}"),
    }
}

/// A status in at most eight characters.
pub fn brief(status: Status) -> &'static str {
    match status {
        Status::IterationLimit => "max-iter",
        Status::TimeLimit => "max-time",
        Status::Interrupted => "stopped",
        Status::Converged | Status::Stalled | Status::Broken => status.name(),
    }
}

/// Cuts the middle out, as the ends tell problems apart.
pub fn shorten(text: &str, width: usize) -> String {
    let chars: Vec<char> = text.chars().collect();
    if chars.len() <= width {
        return text.to_string();
    }
    let tail = width.saturating_sub(1) / 2;
    let head = width.saturating_sub(1 + tail);
    chars[..head].iter().chain(&['…']).chain(&chars[chars.len() - tail..]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(status: Status, seconds: f64, residual: f64) -> Option<Cell> {
        Some(Cell { status, seconds, residual })
    }

    #[test]
    fn four_solvers_fit_in_a_hundred_columns() {
        let name = "LMGC_GlobalFrictionContactProblem00046";
        let table = Table::new(
            vec!["nlgs", "fixed-point", "apgd-asr", "nlgs:order=reverse"],
            [name.into()].into_iter(),
        );
        let cells = [
            cell(Status::Converged, 1.0, 1e-9),
            cell(Status::Converged, 0.0123, 1e-9),
            cell(Status::IterationLimit, 1.0, 2.3e-8),
            None,
        ];
        let row = table.row(name, 123_456, 3, &cells);
        assert!(row.contains("1.00 s  81.3"), "{row}");
        assert!(row.contains("12.3 ms  1.00"), "{row}");
        assert!(row.contains("max-iter 2e-8"), "{row}");
        let profile = Profile::of(4, [times(&cells).as_slice()]);
        for text in [table.head(), row, table.foot(&profile)] {
            assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        }
        assert!(table.head().starts_with("[4] nlgs:order=reverse\nproblem"), "{}", table.head());
    }

    #[test]
    fn names_lose_their_middle() {
        assert_eq!(shorten("abc", 3), "abc");
        assert_eq!(shorten("abcdefghij", 5), "ab…ij");
        assert_eq!(shorten("abcdefghij", 6), "abc…ij");
    }
}
