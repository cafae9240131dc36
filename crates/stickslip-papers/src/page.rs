//! A page of what an experiment gave: verdicts, figures and tables.

use crate::claim::number;
use crate::{Claim, Experiment};
use std::path::Path;

/// What an experiment gave.
pub struct Given<'a> {
    /// Which.
    pub experiment: &'a Experiment,
    /// Whether it was a smaller or shorter one.
    pub quick: bool,
    /// Its verdicts.
    pub claims: &'a [Claim],
    /// How long it took.
    pub seconds: f64,
    /// Names of its figures and tables.
    pub files: &'a [String],
    /// Where these are, seen from the page.
    pub place: &'a Path,
}

impl Given<'_> {
    /// A section in Markdown: the verdicts as a table, the figures, and links to the tables.
    pub fn section(&self) -> String {
        let Experiment { id, summary, paper, .. } = self.experiment;
        let size = if self.quick { "quick" } else { "full" };
        let mut text = format!("## {id}\n\n{summary}: {paper}. A {size} run of {:.1} s.\n\n", self.seconds);
        text += "| verdict | claim | asked for | measured | tolerance |\n|---|---|---|--:|--:|\n";
        for claim in self.claims {
            let why = claim.why.as_ref().map_or_else(String::new, |why| format!(" *{}*", cell(why)));
            text += &format!(
                "| {} | {}{why} | {} | {} | {} |\n",
                claim.verdict().trim(),
                cell(&claim.claim),
                claim.wanted(),
                number(claim.measured),
                number(claim.tolerance)
            );
        }
        for name in self.files.iter().filter(|name| self.is_figure(name)) {
            text += &format!("\n![{}]({})\n", stem(name), self.link(name));
        }
        let tables: Vec<String> = self
            .files
            .iter()
            .filter(|name| name.ends_with(".csv"))
            .map(|name| format!("[{name}]({})", self.link(name)))
            .collect();
        if !tables.is_empty() {
            text += &format!("\nTables: {}\n", tables.join(", "));
        }
        text
    }

    /// Vectors, and pixels only of what has no vectors.
    fn is_figure(&self, name: &str) -> bool {
        name.ends_with(".svg")
            || name.ends_with(".png") && !self.files.contains(&format!("{}.svg", stem(name)))
    }

    fn link(&self, name: &str) -> String {
        let place = self.place.join(name);
        place.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
    }
}

fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// A text that does not end its cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EXPERIMENTS;

    #[test]
    fn a_page_shows_verdicts_figures_once_and_tables() {
        let claims = [
            Claim::near("|sweeps|", 3.0, 2.0, 0.5).finding(.., "a reason"),
            Claim::at_least("speed", 5.0, 6.0, 0.0).ours(),
        ];
        let files = ["figure-1.png", "figure-1.svg", "picture.png", "table-1.csv"].map(String::from);
        let section = Given {
            experiment: &EXPERIMENTS[0],
            quick: true,
            claims: &claims,
            seconds: 1.0,
            files: &files,
            place: Path::new("there"),
        }
        .section();
        assert!(section.contains("| fails | \\|sweeps\\| *a reason* | paper 3 | 2 | 0.5 |"), "{section}");
        assert!(section.contains("| pass | speed | bound at least 5 | 6 | 0 |"), "{section}");
        assert!(section.contains("](there/figure-1.svg)") && !section.contains("figure-1.png"), "{section}");
        assert!(section.contains("](there/picture.png)"), "{section}");
        assert!(section.contains("[table-1.csv](there/table-1.csv)"), "{section}");
    }
}
