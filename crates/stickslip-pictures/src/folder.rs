//! The page of a run folder: `run.json` as tables, every `*.csv` as plots, every picture and movie as it is.

use crate::error::PictureError;
use crate::plots::{Plot, Series};
use crate::report::{Item, Page, Section};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Endings of pictures and movies that a browser shows.
const SHOWN: [&str; 5] = ["png", "apng", "gif", "mp4", "webm"];
/// The folder of pictures in that of a run, and how many of them are shown.
const PICTURES: &str = "pictures";
const MOST_PICTURES: usize = 12;
/// Points of a curve: more would not be seen.
const MOST_POINTS: usize = 1500;
/// Positive values over more powers of ten than this are drawn by their logarithm.
const POWERS: f64 = 3.0;

impl Page {
    /// Gathers what a folder holds, in the order of names. A caller may put more sections before or behind.
    pub fn of_folder(folder: &Path) -> Result<Page, PictureError> {
        let files = files(folder)?;
        let ending =
            |path: &Path| path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let mut sections = Vec::new();
        let mut images = Vec::new();
        let more = self::files(&folder.join(PICTURES)).unwrap_or_default();
        let apart = more.len().div_ceil(MOST_PICTURES).max(1);
        let all = files.iter().chain(more.iter().step_by(apart));
        for path in all.filter(|path| SHOWN.contains(&ending(path).as_str())) {
            images.push(Item::Image { caption: stem(path), bytes: read(path)? });
        }
        if !images.is_empty() {
            sections.push(Section { title: "Pictures".into(), items: images });
        }
        for path in files.iter().filter(|path| ending(path) == "csv") {
            let items = plots(path, &text(path)?)?;
            sections.push(Section { title: stem(path), items });
        }
        let run = folder.join("run.json");
        if files.contains(&run) {
            let value = serde_json::from_str(&text(&run)?)
                .map_err(|error| fault(&run, format!("line {}: {error}", error.line())))?;
            sections.extend(tables(&value));
        }
        if sections.is_empty() {
            return Err(fault(
                folder,
                "no run.json, no *.csv and no pictures: give the folder of a run".into(),
            ));
        }
        let title = fs::canonicalize(folder).map_or_else(|_| stem(folder), |whole| stem(&whole));
        Ok(Page { title, subtitle: String::new(), sections })
    }
}

fn fault(path: &Path, fault: String) -> PictureError {
    PictureError::Read { path: path.into(), fault }
}

/// The files of a folder, by name; hidden ones are left out.
fn files(folder: &Path) -> Result<Vec<PathBuf>, PictureError> {
    let entries = fs::read_dir(folder)
        .and_then(|entries| {
            entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()
        })
        .map_err(|error| fault(folder, format!("{error}; give the folder of a run")))?;
    let hidden = |path: &Path| stem(path).starts_with('.');
    let mut files: Vec<PathBuf> =
        entries.into_iter().filter(|path| path.is_file() && !hidden(path)).collect();
    files.sort();
    Ok(files)
}

fn read(path: &Path) -> Result<Vec<u8>, PictureError> {
    fs::read(path).map_err(|error| fault(path, error.to_string()))
}

fn text(path: &Path) -> Result<String, PictureError> {
    String::from_utf8(read(path)?).map_err(|_| fault(path, "this is no text".into()))
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// A plot of each column over the time, or over the first one; what is no number leaves a gap, and what never changes is
/// listed.
fn plots(path: &Path, text: &str) -> Result<Vec<Item>, PictureError> {
    let mut rows = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let cells = |line: &str| line.split(',').map(|cell| cell.trim().to_string()).collect::<Vec<_>>();
    let Some(head) = rows.next().map(cells) else { return Ok(vec![Item::Text("no rows".into())]) };
    let mut columns = vec![Vec::new(); head.len()];
    for (k, row) in rows.map(cells).enumerate() {
        if row.len() != head.len() {
            let counts = format!("{} values under {} names", row.len(), head.len());
            return Err(fault(path, format!("row {}: {counts}", k + 1)));
        }
        for (column, cell) in columns.iter_mut().zip(&row) {
            column.push(cell.parse().unwrap_or(f64::NAN));
        }
    }
    let across = head.iter().position(|name| name == "time").unwrap_or(0);
    let (mut plots, mut constant) = (Vec::new(), Vec::new());
    for (name, column) in head.iter().zip(&columns).skip(1).filter(|(name, _)| **name != head[across]) {
        let finite = || column.iter().copied().filter(|x| x.is_finite());
        let (low, high) =
            (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
        if low < high {
            let points = columns[across].iter().copied().zip(column.iter().copied()).collect();
            let least = finite().filter(|x| *x > 0.0).fold(f64::INFINITY, f64::min);
            let svg = curve(name, &head[across], points, low >= 0.0 && high > least * 10f64.powf(POWERS))?;
            plots.push(Item::Svg { caption: String::new(), svg });
        } else if low == high {
            constant.push(vec![name.clone(), low.to_string()]);
        }
    }
    if !constant.is_empty() {
        plots.push(Item::Table { head: vec!["constant".into(), "value".into()], rows: constant });
    }
    Ok(plots)
}

/// One curve as a drawing.
fn curve(name: &str, x: &str, points: Vec<(f64, f64)>, logarithmic: bool) -> Result<String, PictureError> {
    let series = vec![Series { label: String::new(), points: thinned(points) }];
    let (title, x) = (name.into(), x.into());
    let plot = Plot { title, x, series, size: (760, 280), logarithmic, ..Plot::default() };
    Ok(plot.draw()?.svg)
}

/// As many points as can be seen: of each stretch, the lowest and the highest.
fn thinned(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    if points.len() <= MOST_POINTS {
        return points;
    }
    let stretch = (2 * points.len()).div_ceil(MOST_POINTS);
    let by_height = |a: &(usize, f64), b: &(usize, f64)| a.1.total_cmp(&b.1);
    let ends = points.chunks(stretch).enumerate().flat_map(|(k, part)| {
        let heights = || part.iter().map(|point| point.1).enumerate();
        let ends = [heights().min_by(by_height), heights().max_by(by_height)];
        let mut ends = ends.map(|end| k * stretch + end.map_or(0, |end| end.0));
        ends.sort_unstable();
        ends
    });
    ends.map(|k| points[k]).collect()
}

/// Single values as one table, and each group of them as another.
fn tables(value: &Value) -> Vec<Section> {
    let Value::Object(entries) = value else {
        return vec![section("Run", rows("", value))];
    };
    let text = |source: &Value| Some(Item::Code(source["text"].as_str()?.into()));
    let sources: Vec<Item> =
        entries.get("sources").and_then(Value::as_array).into_iter().flatten().filter_map(text).collect();
    let sources = (!sources.is_empty()).then(|| Section { title: "Scene".into(), items: sources });
    let others = entries.iter().filter(|(name, _)| *name != "sources");
    let (groups, single): (Vec<_>, Vec<_>) = others.partition(|(_, value)| value.is_object());
    let single: Vec<_> = single.into_iter().flat_map(|(name, value)| rows(name, value)).collect();
    let groups = groups.into_iter().map(|(name, value)| section(name, rows("", value)));
    let single = (!single.is_empty()).then(|| section("Run", single));
    single.into_iter().chain(groups).chain(sources).collect()
}

fn section(title: &str, rows: Vec<Vec<String>>) -> Section {
    Section { title: title.into(), items: vec![Item::Table { head: Vec::new(), rows }] }
}

/// Names with dots between their parts, and values.
fn rows(name: &str, value: &Value) -> Vec<Vec<String>> {
    match value {
        Value::Object(entries) => entries
            .iter()
            .flat_map(|(key, value)| {
                rows(&if name.is_empty() { key.clone() } else { format!("{name}.{key}") }, value)
            })
            .collect(),
        Value::String(text) => vec![vec![name.into(), text.clone()]],
        other => vec![vec![name.into(), other.to_string()]],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_becomes_a_page() {
        let folder = std::env::temp_dir().join(format!("stickslip-run-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let empty = Page::of_folder(&folder).unwrap_err().to_string();
        assert!(empty.contains("give the folder of a run"), "{empty}");
        fs::write(
            folder.join("run.json"),
            r#"{"steps": 7, "sources": [{"name": "a", "text": "mu = 1"}], "scheme": {"a": {"b": [1, 2]}}}"#,
        )
        .unwrap();
        fs::write(folder.join("energy.csv"), "step,time,kinetic,note,drag\n0,0,1,x,7\n1,1,0.5,y,7\n")
            .unwrap();
        fs::write(folder.join("end.gif"), b"GIF89a").unwrap();
        fs::create_dir_all(folder.join(PICTURES)).unwrap();
        (0..30).for_each(|k| fs::write(folder.join(PICTURES).join(format!("{k:02}.png")), b"x").unwrap());
        let page = Page::of_folder(&folder).unwrap();
        let titles: Vec<&str> = page.sections.iter().map(|section| section.title.as_str()).collect();
        assert_eq!(titles, ["Pictures", "energy", "Run", "scheme", "Scene"]);
        assert_eq!(
            page.sections[1].items.len(),
            2,
            "a column of words is no curve, nor is one that never changes"
        );
        assert_eq!(page.sections[0].items.len(), 1 + 10, "one in three pictures");
        let html = page.html();
        for part in [
            "kinetic",
            "<td>steps</td><td>7</td>",
            "<td>a.b</td><td>[1,2]</td>",
            "R0lGODlh",
            "<td>drag</td><td>7</td>",
            "<pre>mu = 1</pre>",
        ] {
            assert!(html.contains(part), "{part} is missing");
        }
        fs::write(folder.join("energy.csv"), "time,kinetic\n0,1\n1\n").unwrap();
        let short = Page::of_folder(&folder).unwrap_err().to_string();
        assert!(short.contains("energy.csv") && short.contains("row 2: 1 values under 2 names"), "{short}");
        fs::remove_dir_all(&folder).unwrap();
        assert!(Page::of_folder(&folder).is_err());
    }

    #[test]
    fn long_curves_keep_their_peaks() {
        let mut points: Vec<(f64, f64)> = (0..100_000).map(|k| (f64::from(k), 0.0)).collect();
        points[77_777].1 = 5.0;
        let thin = thinned(points);
        assert!(thin.len() <= MOST_POINTS + 2 && thin.contains(&(77_777.0, 5.0)), "{}", thin.len());
        assert!(thin.is_sorted_by(|a, b| a.0 <= b.0));
    }
}
