//! Places in the files of a scene, and errors that show them.

use std::fmt::{Display, Formatter};

/// A part of one of the files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub(crate) file: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Place {
    /// Whether another place is inside.
    pub(super) fn holds(self, other: Place) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }

    /// File, line and column.
    pub(super) fn shown(self, sources: &[Source]) -> String {
        let shown = SceneError::new(Fault::new("").at(self), sources).place;
        shown.map_or(String::new(), |(file, line, column)| format!("{file}:{line}:{column}"))
    }
}

/// The name of settings of the command line among sources.
pub(super) const SETTING: &str = "--set";

/// A file as it was read, or a setting of the command line.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// Its path, as messages name it.
    pub name: String,
    /// Its text.
    pub text: String,
}

impl Source {
    pub(super) fn is_setting(&self) -> bool {
        self.name == SETTING
    }
}

/// Something wrong, before it is known how its place looks.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    pub(crate) message: String,
    pub(crate) remedy: Option<String>,
    pub(crate) place: Option<Place>,
}

impl Fault {
    /// What is wrong.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Fault { message: message.into(), remedy: None, place: None }
    }

    /// The same with the way out.
    pub(crate) fn remedy(self, remedy: impl Into<String>) -> Self {
        Fault { remedy: Some(remedy.into()), ..self }
    }

    /// The same at a place, unless it has one.
    pub(crate) fn at(self, place: Place) -> Self {
        Fault { place: self.place.or(Some(place)), ..self }
    }
}

/// A scene that cannot be: file, line and column, the line itself, a caret under the place, and the remedy.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneError {
    /// What is wrong.
    pub message: String,
    /// The way out, where one is known.
    pub remedy: Option<String>,
    /// File, line and column, counted from 1; the file of a setting is `--set`.
    pub place: Option<(String, usize, usize)>,
    /// The line and how many of its characters are meant.
    shown: Option<(String, usize)>,
}

impl SceneError {
    /// Shows a fault in its file.
    pub(crate) fn new(fault: Fault, sources: &[Source]) -> Self {
        let Fault { message, remedy, place } = fault;
        let Some((place, source)) =
            place.and_then(|place| sources.get(place.file as usize).map(|file| (place, file)))
        else {
            return SceneError { message, remedy, place: None, shown: None };
        };
        let text = &source.text;
        let start = floor_boundary(text, place.start as usize);
        let line_start = text[..start].rfind('\n').map_or(0, |k| k + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |k| start + k);
        let end = floor_boundary(text, place.end as usize).clamp(start, line_end);
        let line = text[..line_start].matches('\n').count() + 1;
        let column = text[line_start..start].chars().count() + 1;
        let width = text[start..end].chars().count().max(1);
        SceneError {
            message,
            remedy,
            place: Some((source.name.clone(), line, column)),
            shown: Some((text[line_start..line_end].trim_end().to_string(), width)),
        }
    }

    /// A fault of no place in a file.
    pub(crate) fn bare(message: impl Into<String>) -> Self {
        SceneError { message: message.into(), remedy: None, place: None, shown: None }
    }
}

/// The last border of characters up to a position.
fn floor_boundary(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

impl Display for SceneError {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let mut number = String::new();
        match (&self.place, &self.shown) {
            // a setting is a line of its own
            (Some((file, ..)), Some((text, _))) if file == SETTING => write!(f, "{file} {text}: ")?,
            (Some((file, line, column)), _) => {
                number = line.to_string();
                write!(f, "{file}:{line}:{column}: ")?;
            }
            (None, _) => {}
        }
        write!(f, "{}", self.message)?;
        let margin = number.len();
        if let (Some((_, _, column)), Some((text, width))) = (&self.place, &self.shown) {
            // tabs stay tabs, so that the caret stands below its character
            let before: String =
                text.chars().take(column - 1).map(|c| if c == '\t' { c } else { ' ' }).collect();
            write!(f, "\n{:margin$} |\n{number} | {text}\n", "")?;
            write!(f, "{:margin$} | {before}{}", "", "^".repeat(*width))?;
        }
        match &self.remedy {
            Some(remedy) => write!(f, "\n{:margin$} = {remedy}", ""),
            None => Ok(()),
        }
    }
}

impl std::error::Error for SceneError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caret_stands_below_its_key() {
        let text = "a = 1\n[[body]]\n\té = 2, raduis = 0.1\n";
        let start = text.find("raduis").unwrap() as u32;
        let fault = Fault::new("unknown key \"raduis\"").remedy("did you mean \"radius\"?").at(Place {
            file: 0,
            start,
            end: start + 6,
        });
        let sources = [Source { name: "s.toml".into(), text: text.into() }];
        let shown = SceneError::new(fault, &sources).to_string();
        let expected = "s.toml:3:9: unknown key \"raduis\"\n  |\n3 | \té = 2, raduis = 0.1\n  | \t       ^^^^^^\n  = did \
                        you mean \"radius\"?";
        assert_eq!(shown, expected);
    }

    #[test]
    fn places_beyond_the_text_are_no_panic() {
        let sources = [Source { name: "s".into(), text: "é".into() }];
        let fault = Fault::new("x").at(Place { file: 0, start: 1, end: 900 });
        assert!(SceneError::new(fault, &sources).to_string().starts_with("s:1:1: x"));
        assert_eq!(
            SceneError::new(Fault::new("x").at(Place { file: 9, start: 0, end: 0 }), &[]).to_string(),
            "x"
        );
    }
}
