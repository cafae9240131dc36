//! Studies: a scene for all values of some parameters, and one table.

use crate::observers::{COMMON, OutputError, TABLE_COLUMNS, write_whole};
use crate::reader::SceneError;
use crate::run::{Earlier, Lock, Options, Record, RunError, RunStatus, run};
use crate::scene::Scene;
use rayon::prelude::*;
use std::path::Path;

/// Runs of a study at most.
const MOST: usize = 100_000;

/// A name and the values that it takes, as text.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// A parameter, or a key of the scene.
    pub name: String,
    /// Its values.
    pub values: Vec<String>,
}

impl Range {
    /// Reads `mu=0.1:0.9:0.1`, both ends included, or `mu=0.1,0.3` or one value.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = |why: &str| {
            format!(
                "--set {text}: {why}; give NAME=FROM:TO:STEP, NAME=VALUE,VALUE or NAME=VALUE, such as mu=0.1:0.9:0.1"
            )
        };
        let (name, values) = text.split_once('=').ok_or_else(|| wrong("there is no value"))?;
        let parts: Vec<&str> = values.split(':').collect();
        let values = match parts[..] {
            [from, to, step] => {
                let number = |text: &str| text.trim().parse().ok().filter(|x: &f64| x.is_finite());
                let [Some(from), Some(to), Some(step)] = [from, to, step].map(number) else {
                    return Err(wrong("a range takes three numbers"));
                };
                let count = ((to - from) / step + 1e-9).floor();
                if !(count >= 0.0 && count < MOST as f64) {
                    return Err(wrong("the range is empty or endless"));
                }
                // rounded to what a person would write: 0.1 + 2 0.1 is not 0.3
                let value =
                    |k: usize| format!("{:.12e}", from + k as f64 * step).parse::<f64>().unwrap_or(from);
                (0..=count as usize).map(|k| value(k).to_string()).collect()
            }
            [list] => split_list(list),
            _ => return Err(wrong("a range takes three numbers")),
        };
        Ok(Range { name: name.trim().into(), values })
    }
}

/// Values by commas, but not those inside brackets.
fn split_list(list: &str) -> Vec<String> {
    let (mut values, mut depth) = (vec![String::new()], 0i32);
    for c in list.chars() {
        depth += i32::from(matches!(c, '[' | '{' | '(')) - i32::from(matches!(c, ']' | '}' | ')'));
        match values.last_mut() {
            Some(last) if c != ',' || depth > 0 => last.push(c),
            _ => values.push(String::new()),
        }
    }
    values.iter().map(|value| value.trim().to_string()).collect()
}

/// One run of a study, and how it ended.
#[derive(Debug)]
pub struct StudyRun {
    /// The values of the ranges, in their order.
    pub values: Vec<String>,
    /// Its folder.
    pub folder: std::path::PathBuf,
    /// Its record, or what went wrong.
    pub outcome: Result<Record, RunError>,
}

/// Runs all combinations of the ranges in parallel, each into a folder of its own below `out`, and writes `table.csv`. To
/// resume is to keep runs that are done, go on with those that were begun, and start the others.
/// `watch` is called before each step of each run and ends all of them by `false`; `done` after each run.
pub fn sweep(
    ranges: &[Range],
    read: &(dyn Fn(&[String]) -> Result<Scene, SceneError> + Sync),
    options: &Options,
    watch: &(dyn Fn() -> bool + Sync),
    done: &(dyn Fn(&StudyRun) + Sync),
) -> Result<Vec<StudyRun>, RunError> {
    let all = combinations(ranges);
    let refuse = |fault: String| RunError::Folder { path: options.out.clone(), fault };
    if all.len() > MOST {
        return Err(refuse(format!("{} runs are too many: give at most {MOST}", all.len())));
    }
    // mistakes show before the first run
    let settings = |values: &[String]| -> Vec<String> {
        ranges.iter().zip(values).map(|(range, value)| format!("{}={value}", range.name)).collect()
    };
    let scenes: Vec<Scene> = all.iter().map(|values| read(&settings(values))).collect::<Result<_, _>>()?;
    if let Some(name) = scenes.first().and_then(|scene| taken_twice(ranges, scene)) {
        let fault = format!("the table would have two columns named \"{name}\"; rename one of them");
        return Err(refuse(fault));
    }
    std::fs::create_dir_all(&options.out).map_err(|error| {
        refuse(format!("cannot be made ({error}); check the permissions, or give another --out"))
    })?;
    let _lock = Lock::take(&options.out).map_err(refuse)?;
    let one = |(number, scene): (usize, &Scene)| {
        let folder = options.out.join(format!("{:04}", number + 1));
        let options = Options { out: folder.clone(), ..options.clone() };
        let outcome = run_or_find(scene, &options, watch);
        let run = StudyRun { values: all[number].clone(), folder, outcome };
        done(&run);
        run
    };
    let runs: Vec<StudyRun> = scenes.par_iter().enumerate().map(one).collect();
    write_table(&options.out.join("table.csv"), ranges, &runs)?;
    Ok(runs)
}

/// A range that has the name of another column.
fn taken_twice<'a>(ranges: &'a [Range], scene: &Scene) -> Option<&'a str> {
    let twice = |(k, range): &(usize, &Range)| {
        let name = &range.name;
        ranges[..*k].iter().any(|other| other.name == *name)
            || TABLE_COLUMNS.iter().chain(&COMMON).any(|column| column == name)
            || scene.file.measure.iter().any(|measure| measure.value.name == *name)
    };
    ranges.iter().enumerate().find(twice).map(|(_, range)| range.name.as_str())
}

fn run_or_find(
    scene: &Scene,
    options: &Options,
    watch: &(dyn Fn() -> bool + Sync),
) -> Result<Record, RunError> {
    let go = |resume: bool| run(scene, &Options { resume, ..options.clone() }, &mut |_| watch());
    if !options.resume {
        return go(false);
    }
    match Earlier::find(scene, &options.out) {
        Earlier::Done(record) => Ok(*record),
        Earlier::Begun => go(true),
        Earlier::Nothing => go(false),
        Earlier::Other => {
            let fault = "holds a run with other settings; give the same --set as before, another --out, or --force \
                         instead of --resume";
            Err(RunError::Folder { path: options.out.clone(), fault: fault.into() })
        }
    }
}

/// All combinations, the last range fastest.
fn combinations(ranges: &[Range]) -> Vec<Vec<String>> {
    ranges.iter().fold(vec![vec![]], |all, range| {
        let with = |before: &Vec<String>| {
            let extended = |value: &String| [&before[..], std::slice::from_ref(value)].concat();
            range.values.iter().map(extended).collect::<Vec<_>>()
        };
        // a mistyped step may ask for more than can be held
        if all.len() * range.values.len() > MOST * 10 { all } else { all.iter().flat_map(with).collect() }
    })
}

fn write_table(path: &Path, ranges: &[Range], runs: &[StudyRun]) -> Result<(), OutputError> {
    let columns: Vec<&String> = runs
        .iter()
        .find_map(|run| run.outcome.as_ref().ok())
        .into_iter()
        .flat_map(|r| r.last.keys())
        .collect();
    let [first, others @ ..] = TABLE_COLUMNS;
    let mut text = String::from(first);
    ranges.iter().for_each(|range| text += &format!(",{}", range.name));
    others.iter().for_each(|column| text += &format!(",{column}"));
    columns.iter().for_each(|column| text += &format!(",{column}"));
    text.push('\n');
    for (number, run) in runs.iter().enumerate() {
        text += &(number + 1).to_string();
        run.values.iter().for_each(|value| text += &format!(",{value}"));
        match &run.outcome {
            Ok(record) => {
                let status = match record.status {
                    RunStatus::Finished => "finished",
                    _ => "interrupted",
                };
                let certificate = &record.certificate;
                text += &format!(
                    ",{status},{},{},{:?}",
                    certificate.certified, certificate.missed, certificate.worst_residual
                );
                let value =
                    |name: &&String| record.last.get(*name).map_or(String::new(), |x| format!("{x:?}"));
                columns.iter().for_each(|name| text += &format!(",{}", value(name)));
            }
            Err(_) => {
                text += ",failed,false,,";
                columns.iter().for_each(|_| text.push(','));
            }
        }
        text.push('\n');
    }
    write_whole(path, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_hold_both_ends() {
        let values = |text: &str| Range::parse(text).unwrap().values;
        assert_eq!(values("mu=0.1:0.5:0.1"), ["0.1", "0.2", "0.3", "0.4", "0.5"]);
        assert_eq!(values("mu=1:-1:-1"), ["1", "0", "-1"]);
        assert_eq!(values("n=5"), ["5"]);
        assert_eq!(values("gravity=[0,-9.81],[0,-1.62]"), ["[0,-9.81]", "[0,-1.62]"]);
        for wrong in ["mu", "mu=0:1", "mu=0:1:0", "mu=0:1:-0.1", "mu=a:b:c", "mu=0:1:1e-300"] {
            assert!(Range::parse(wrong).unwrap_err().contains("such as mu=0.1:0.9:0.1"), "{wrong}");
        }
    }

    #[test]
    fn all_combinations() {
        let ranges = [Range::parse("a=1,2").unwrap(), Range::parse("b=3:5:1").unwrap()];
        let all = combinations(&ranges);
        assert_eq!(all.len(), 6);
        assert_eq!(all[1], ["1", "4"]);
        assert_eq!(combinations(&[]), [Vec::<String>::new()]);
    }
}
