//! Writing.

use std::path::Path;

use hdf5_pure::{Error, FileBuilder, FinishedGroup, GroupBuilder, LibVer};

use super::{Fault, Fclib, FclibError, Form, GUESSES, Info, Located, Point, SOLUTION};
use crate::replace::{ReplaceError, replace};
use crate::sparse::Sparse;

/// Arrays from this length on are compressed; below, chunks and filters cost more than they save.
const COMPRESS_FROM: usize = 1024;
/// Entries per compressed chunk: large enough for deflate to work well, small enough to read in part. HDF5 2.0 refuses a
/// chunk whose length takes three bytes but is stored in four, as the writer here does from 65 536 on.
const CHUNK: usize = u16::MAX as usize;
/// Deflate level: 4 is within a few percent of 9 on contact problems and several times faster.
const LEVEL: u32 = 4;

/// Copy the problem of `source` to `target` with `solution` in place of any it had. Only what
/// [`Fclib`] holds is copied. The two paths may be the same.
pub fn write_solution(source: &Path, target: &Path, solution: &Point) -> Result<(), FclibError> {
    let mut problem = Fclib::read(source)?;
    problem.solution = Some(solution.clone());
    problem.write(target)
}

pub(super) fn write(problem: &Fclib, path: &Path) -> Result<(), FclibError> {
    let located = |(dataset, fault)| FclibError::new(path, dataset, fault);
    let whole = |fault| FclibError::new(path, "", fault);
    problem.check().map_err(located)?;
    let builder = build(problem).map_err(located)?;

    replace(path, |file| {
        builder.finish_to(file).map_err(|e| match e {
            Error::Io(e) => whole(Fault::Write(e)),
            other => whole(Fault::Encode(other.to_string())),
        })
    })
    .map_err(|e| match e {
        ReplaceError::NoFolder(folder) => whole(Fault::NoFolder(folder)),
        ReplaceError::NotAFile => whole(Fault::NotAFile),
        ReplaceError::Write(e) => whole(Fault::Write(e)),
        ReplaceError::Content(e) => e,
    })
}

fn build(problem: &Fclib) -> Result<FileBuilder, Located> {
    let mut file = FileBuilder::new();
    // the oldest format that can hold the content, so that old readers work where they can
    file.with_libver_bounds(LibVer::V18, LibVer::V110);
    let name = problem.group();
    let mut group = file.create_group(&name[1..]);
    integers(&mut group, name, "spacedim", &[problem.dimension as i64])?;
    let mut vectors = group.create_group("vectors");
    match &problem.form {
        Form::Local { W, q } => {
            matrix(&mut group, name, "W", W)?;
            floats(&mut vectors, "q", q);
        }
        Form::Global { M, H, f, w } => {
            matrix(&mut group, name, "M", M)?;
            matrix(&mut group, name, "H", H)?;
            floats(&mut vectors, "f", f);
            floats(&mut vectors, "w", w);
        }
    }
    floats(&mut vectors, "mu", &problem.mu);
    group.add_group(vectors.finish());
    let texts = info(group.create_group("info"), name, &problem.info)?;
    group.add_group(texts);
    file.add_group(group.finish());

    if !problem.guesses.is_empty() {
        let mut group = file.create_group(&GUESSES[1..]);
        let count = problem.guesses.len() as i64;
        integers(&mut group, GUESSES, "number_of_guesses", &[count])?;
        for (k, guess) in problem.guesses.iter().enumerate() {
            let one = group.create_group(&(k + 1).to_string());
            group.add_group(point(one, guess));
        }
        file.add_group(group.finish());
    }
    if let Some(solution) = &problem.solution {
        let group = file.create_group(&SOLUTION[1..]);
        file.add_group(point(group, solution));
    }
    Ok(file)
}

fn matrix(parent: &mut GroupBuilder, path: &str, name: &str, A: &Sparse) -> Result<(), Located> {
    let mut group = parent.create_group(name);
    let path = format!("{path}/{name}");
    let stored = A.to_stored();
    integers(&mut group, &path, "m", &[stored.rows as i64])?;
    integers(&mut group, &path, "n", &[stored.cols as i64])?;
    integers(&mut group, &path, "nzmax", &[stored.x.len() as i64])?;
    integers(&mut group, &path, "nz", &[stored.nz])?;
    integers(&mut group, &path, "p", &stored.p)?;
    integers(&mut group, &path, "i", &stored.i)?;
    floats(&mut group, "x", &stored.x);
    parent.add_group(group.finish());
    Ok(())
}

fn point(mut group: GroupBuilder, point: &Point) -> FinishedGroup {
    let Point { u, r, v, l } = point;
    for (name, value) in [("u", u), ("r", r), ("v", v), ("l", l)] {
        if !value.is_empty() {
            floats(&mut group, name, value);
        }
    }
    group.finish()
}

/// Texts as the FCLIB library stores them: fixed length, scalar, with a zero byte at the end.
fn info(mut group: GroupBuilder, path: &str, info: &Info) -> Result<FinishedGroup, Located> {
    let Info { title, description, math_info } = info;
    let texts = [("title", title), ("description", description), ("math_info", math_info)];
    for (name, text) in texts {
        let width = u32::try_from(text.len() + 1).unwrap_or(u32::MAX);
        let dataset = group.create_dataset(name);
        let dataset = match text.is_ascii() {
            true => dataset.with_ascii_strings_sized(&[text], width),
            false => dataset.with_strings_sized(&[text], width),
        };
        dataset.map_err(|e| Fault::Encode(e.to_string()).at(format!("{path}/info/{name}")))?.with_shape(&[]);
    }
    Ok(group.finish())
}

fn integers(group: &mut GroupBuilder, path: &str, name: &str, value: &[i64]) -> Result<(), Located> {
    let narrow: Result<Vec<i32>, _> =
        value.iter().map(|&x| i32::try_from(x).map_err(|_| Fault::Count(x.into()))).collect();
    let narrow = narrow.map_err(|fault| fault.at(format!("{path}/{name}")))?;
    let dataset = group.create_dataset(name).with_i32_data(&narrow);
    if value.len() >= COMPRESS_FROM {
        dataset.with_chunks(&[CHUNK.min(value.len()) as u64]).with_shuffle().with_deflate(LEVEL);
    }
    Ok(())
}

fn floats(group: &mut GroupBuilder, name: &str, value: &[f64]) {
    let dataset = group.create_dataset(name).with_f64_data(value);
    if value.len() >= COMPRESS_FROM {
        dataset.with_chunks(&[CHUNK.min(value.len()) as u64]).with_shuffle().with_deflate(LEVEL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_beyond_32_bits_are_refused() {
        let mut group = FileBuilder::new().create_group("W");
        let largest = i64::from(i32::MAX);
        assert!(integers(&mut group, "/W", "m", &[largest, -2]).is_ok());
        let refused = integers(&mut group, "/W", "p", &[0, largest + 1]);
        assert!(matches!(refused, Err((dataset, Fault::Count(2_147_483_648))) if dataset == "/W/p"));
    }
}
