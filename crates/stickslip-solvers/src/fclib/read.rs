//! Reading: fetch the datasets, never trusting a size the file declares, then build an [`Fclib`].

use std::fs;
use std::path::Path;

use hdf5_pure::{DType, Dataset, Error, File, FormatError, Layout, VlenStringReadOptions};

use super::check::{check_dimension, check_friction, check_shape, check_vector};
use super::sparse::Stored;
use super::{
    BY_BODIES, BY_BODIES_AND_CONTACTS, BY_CONTACTS, GLOBAL, GUESSES, LOCAL, Located, SOLUTION, SQUARE,
};
use super::{Fault, Fclib, FclibError, Form, Info, Point};
use crate::sparse::Sparse;

/// A deflate stream expands at most 1032 times, so a file cannot hold more than that.
const LARGEST_EXPANSION: u128 = 1032;
/// Room for tiny datasets that were created but never written, which take no space in the file.
const UNWRITTEN: u128 = 4096;
/// Longest text, in bytes, taken from `info`; longer ones are a sign of damage.
const LONGEST_TEXT: usize = 1 << 24;

pub(super) fn read(path: &Path) -> Result<Fclib, FclibError> {
    let whole = |fault| FclibError::new(path, "", fault);
    let metadata = fs::metadata(path).map_err(|e| whole(Fault::Open(e)))?;
    if !metadata.is_file() {
        return Err(whole(Fault::NotAFile));
    }
    if !hdf5_pure::is_hdf5(path).map_err(|e| whole(Fault::Open(e)))? {
        return Err(whole(Fault::NotHdf5));
    }
    let file = File::open_streaming(path).map_err(|e| whole(Fault::Damaged(e.to_string())))?;
    let bytes = metadata.len();
    let source = Source { file, bytes };
    source.problem().map_err(|(dataset, fault)| FclibError::new(path, dataset, fault))
}

/// An open file and its size, the bound for everything it declares.
struct Source {
    file: File,
    bytes: u64,
}

impl Source {
    fn problem(&self) -> Result<Fclib, Located> {
        let local = self.has_group(LOCAL)?;
        if !local && !self.has_group(GLOBAL)? {
            return Err(Fault::NoProblem.at(""));
        }
        let group = if local { LOCAL } else { GLOBAL };
        let dimension = self.scalar(&format!("{group}/spacedim"))?;
        check_dimension(dimension).map_err(|fault| fault.at(format!("{group}/spacedim")))?;
        let dimension = dimension as usize;

        // The vectors come first: their lengths, which are real, bound the sizes that matrices declare.
        let vector = |name: &str| self.floats(&format!("{group}/vectors/{name}"));
        let mu = vector("mu")?;
        check_friction(&mu).map_err(|fault| fault.at(format!("{group}/vectors/mu")))?;
        let m = mu.len() * dimension;
        let form = if local {
            self.refuse_equalities(&["V", "R"], group, "s")?;
            let q = vector("q")?;
            let W = self.matrix(&format!("{group}/W"), (m, m), BY_CONTACTS)?;
            Form::Local { W, q }
        } else {
            self.refuse_equalities(&["G"], group, "b")?;
            let (f, w) = (vector("f")?, vector("w")?);
            let (rows, cols) = self.shape(&format!("{group}/M"))?;
            check_shape((rows, cols), (rows, rows), SQUARE)
                .map_err(|fault| fault.at(format!("{group}/M")))?;
            check_vector(&f, rows, BY_BODIES).map_err(|fault| fault.at(format!("{group}/vectors/f")))?;
            let n = f.len();
            let M = self.matrix(&format!("{group}/M"), (n, n), SQUARE)?;
            let H = self.matrix(&format!("{group}/H"), (n, m), BY_BODIES_AND_CONTACTS)?;
            Form::Global { M, H, f, w }
        };
        let text = |name: &str| self.text(&format!("{group}/info/{name}"));
        let problem = Fclib {
            dimension,
            form,
            mu,
            info: Info {
                title: text("title")?,
                description: text("description")?,
                math_info: text("math_info")?,
            },
            guesses: self.guesses()?,
            solution: match self.has_group(SOLUTION)? {
                true => Some(self.point(SOLUTION)?),
                false => None,
            },
        };
        problem.check()?;
        Ok(problem)
    }

    fn refuse_equalities(&self, matrices: &[&str], group: &str, vector: &str) -> Result<(), Located> {
        for name in matrices {
            let name = format!("{group}/{name}");
            if self.has_group(&name)? {
                let (rows, cols) = self.shape(&name)?;
                if rows > 0 && cols > 0 {
                    return Err(Fault::Equalities.at(name));
                }
            }
        }
        let name = format!("{group}/vectors/{vector}");
        match self.optional_floats(&name)?.is_empty() {
            true => Ok(()),
            false => Err(Fault::Equalities.at(name)),
        }
    }

    fn guesses(&self) -> Result<Vec<Point>, Located> {
        if !self.has_group(GUESSES)? {
            return Ok(Vec::new());
        }
        let name = format!("{GUESSES}/number_of_guesses");
        let count = self.scalar(&name)?;
        if count < 0 {
            return Err(Fault::Count(count.into()).at(name));
        }
        let mut guesses = Vec::new();
        for k in 1..=count {
            let group = format!("{GUESSES}/{k}");
            if !self.has_group(&group)? {
                return Err(Fault::Missing.at(group));
            }
            guesses.push(self.point(&group)?);
        }
        Ok(guesses)
    }

    fn point(&self, group: &str) -> Result<Point, Located> {
        let part = |name: &str| self.optional_floats(&format!("{group}/{name}"));
        Ok(Point { u: part("u")?, r: part("r")?, v: part("v")?, l: part("l")? })
    }

    /// Rows and columns as declared.
    fn shape(&self, group: &str) -> Result<(usize, usize), Located> {
        let size = |name: &str| -> Result<usize, Located> {
            let name = format!("{group}/{name}");
            let size = self.scalar(&name)?;
            i32::try_from(size)
                .ok()
                .and_then(|size| usize::try_from(size).ok())
                .ok_or_else(|| Fault::Count(size.into()).at(name))
        };
        Ok((size("m")?, size("n")?))
    }

    fn matrix(&self, group: &str, wanted: (usize, usize), reason: &'static str) -> Result<Sparse, Located> {
        let (rows, cols) = self.shape(group)?;
        check_shape((rows, cols), wanted, reason).map_err(|fault| fault.at(group))?;
        let stored = Stored {
            rows,
            cols,
            nz: self.scalar(&format!("{group}/nz"))?,
            p: self.integers(&format!("{group}/p"))?,
            i: self.integers(&format!("{group}/i"))?,
            x: self.floats(&format!("{group}/x"))?,
        };
        Sparse::from_stored(stored).map_err(|(array, fault)| fault.at(format!("{group}/{array}")))
    }

    fn scalar(&self, name: &str) -> Result<i64, Located> {
        match self.integers(name)?[..] {
            [value] => Ok(value),
            ref other => Err(Fault::NotScalar(other.len()).at(name)),
        }
    }

    fn integers(&self, name: &str) -> Result<Vec<i64>, Located> {
        let dataset = self.dataset(name)?.ok_or_else(|| Fault::Missing.at(name))?;
        let found = dataset.dtype().map_err(damaged(name))?;
        if !is_integer(&found) {
            let (found, wanted) = (found.to_string(), "integers");
            return Err(Fault::Type { found, wanted }.at(name));
        }
        dataset.read_i64().map_err(damaged(name))
    }

    fn floats(&self, name: &str) -> Result<Vec<f64>, Located> {
        let dataset = self.dataset(name)?.ok_or_else(|| Fault::Missing.at(name))?;
        numbers(&dataset, name)
    }

    fn optional_floats(&self, name: &str) -> Result<Vec<f64>, Located> {
        match self.dataset(name)? {
            Some(dataset) => numbers(&dataset, name),
            None => Ok(Vec::new()),
        }
    }

    /// A text of fixed or variable length; bytes that are not UTF-8 are replaced, as older writers
    /// used other encodings and the text does not bear on the problem.
    fn text(&self, name: &str) -> Result<String, Located> {
        let Some(dataset) = self.dataset(name)? else {
            return Ok(String::new());
        };
        match dataset.dtype().map_err(damaged(name))? {
            DType::String => {
                let bytes = dataset.read_raw().map_err(damaged(name))?;
                let text = bytes.split(|&b| b == 0).next().unwrap_or(&[]);
                Ok(String::from_utf8_lossy(text).into_owned())
            }
            DType::VariableLengthString => {
                let limits =
                    VlenStringReadOptions::new().with_max_elements(1).with_max_payload_bytes(LONGEST_TEXT);
                let texts = dataset.read_vlen_strings(limits).map_err(damaged(name))?;
                Ok(texts.into_iter().next().unwrap_or_default())
            }
            other => {
                let (found, wanted) = (other.to_string(), "a text");
                Err(Fault::Type { found, wanted }.at(name))
            }
        }
    }

    fn has_group(&self, name: &str) -> Result<bool, Located> {
        match self.file.group(name) {
            Ok(_) => Ok(true),
            Err(Error::Format(FormatError::PathNotFound(_))) => Ok(false),
            Err(e) => Err(damaged(name)(e)),
        }
    }

    /// A dataset whose declared sizes the file can really hold: the decoder allocates by them.
    fn dataset(&self, name: &str) -> Result<Option<Dataset>, Located> {
        let dataset = match self.file.dataset(name) {
            Ok(dataset) => dataset,
            Err(Error::Format(FormatError::PathNotFound(_))) => return Ok(None),
            Err(e) => return Err(damaged(name)(e)),
        };
        let expansion = match dataset.filters().is_empty() {
            true => 1,
            false => LARGEST_EXPANSION,
        };
        let limit = u128::from(self.bytes) * expansion + UNWRITTEN;
        let bounded = |declared: u128, limit: u128| match declared <= limit {
            true => Ok(()),
            false => Err(Fault::Oversized { declared, file: self.bytes }.at(name)),
        };
        let width = u128::from(dataset.element_size().map_err(damaged(name))?);
        let bytes = |shape: &[u64]| {
            let product = |n: u128, &d: &u64| n.saturating_mul(d.into());
            shape.iter().fold(width, product)
        };
        bounded(bytes(&dataset.shape().map_err(damaged(name))?), limit)?;
        if let Layout::Chunked { chunk_shape, .. } = dataset.layout().map_err(damaged(name))? {
            bounded(bytes(&chunk_shape), limit)?;
            for chunk in dataset.chunks().map_err(damaged(name))? {
                bounded(chunk.storage_size.into(), self.bytes.into())?;
            }
        }
        Ok(Some(dataset))
    }
}

fn is_integer(found: &DType) -> bool {
    use DType::{I8, I16, I32, I64, U8, U16, U32, U64};
    matches!(found, I8 | I16 | I32 | I64 | U8 | U16 | U32 | U64)
}

fn numbers(dataset: &Dataset, name: &str) -> Result<Vec<f64>, Located> {
    let found = dataset.dtype().map_err(damaged(name))?;
    if !matches!(found, DType::F32 | DType::F64) && !is_integer(&found) {
        let (found, wanted) = (found.to_string(), "floating-point numbers");
        return Err(Fault::Type { found, wanted }.at(name));
    }
    dataset.read_f64().map_err(damaged(name))
}

fn damaged(name: &str) -> impl Fn(Error) -> Located + '_ {
    move |error| Fault::Damaged(error.to_string()).at(name)
}
