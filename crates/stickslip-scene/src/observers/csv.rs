//! A table that grows by rows, and can be cut back to where it was.

use super::OutputError;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Rows are collected up to this size before they are written.
const BUFFER: usize = 8192;

/// A table of an output: a file that begins when it is first needed.
pub struct Table {
    path: PathBuf,
    columns: Vec<String>,
    csv: Option<Csv>,
}

impl Table {
    pub fn new(path: PathBuf, columns: Vec<String>) -> Self {
        Table { path, columns, csv: None }
    }

    /// Begins the file, unless it has begun.
    pub fn begin(&mut self) -> Result<&mut Csv, OutputError> {
        match &mut self.csv {
            Some(csv) => Ok(csv),
            none => Ok(none.insert(Csv::create(&self.path, &self.columns)?)),
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) -> Result<(), OutputError> {
        self.begin()?.row(cells)
    }

    /// Brings all rows to the disk, and tells where they end.
    pub fn sync(&mut self) -> Result<u64, OutputError> {
        self.csv.as_mut().map_or(Ok(0), Csv::sync)
    }

    /// Goes on after so many bytes; the rest of the file is dropped.
    pub fn resume(&mut self, length: u64) -> Result<(), OutputError> {
        if length == 0 {
            return Ok(());
        }
        if head(&self.path)? != line(self.columns.iter().map(|name| quoted(name))) {
            let fault = "has other columns than are asked for now; ask for those, or start anew with --force";
            return Err(OutputError { path: self.path.clone(), fault: fault.into() });
        }
        self.csv = Some(Csv::cut(&self.path, length)?);
        Ok(())
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The first line of a file.
fn head(path: &Path) -> Result<String, OutputError> {
    let mut head = String::new();
    let read = File::open(path).and_then(|file| BufReader::new(file).read_line(&mut head));
    read.map(|_| head).map_err(|_| OutputError::damaged(path))
}

fn line(cells: impl IntoIterator<Item = String>) -> String {
    cells.into_iter().collect::<Vec<_>>().join(",") + "\n"
}

/// A CSV file that is being written.
pub struct Csv {
    path: PathBuf,
    file: File,
    /// Whole rows on the disk end here.
    length: u64,
    rows: Vec<u8>,
}

impl Csv {
    /// Begins a new file.
    fn create(path: &Path, columns: &[String]) -> Result<Self, OutputError> {
        let file = File::create(path).map_err(|error| OutputError::write(path, error))?;
        let mut csv = Csv { path: path.into(), file, length: 0, rows: Vec::new() };
        csv.row(columns.iter().map(|name| quoted(name)))?;
        Ok(csv)
    }

    /// Goes on with a file after so many bytes; the rest of it is dropped.
    fn cut(path: &Path, length: u64) -> Result<Self, OutputError> {
        let open = OpenOptions::new().write(true).open(path);
        let mut file = open.map_err(|error| OutputError::write(path, error))?;
        if file.metadata().map_or(0, |data| data.len()) < length {
            return Err(OutputError::damaged(path));
        }
        let cut = file.set_len(length).and_then(|()| file.seek(SeekFrom::End(0)));
        cut.map_err(|error| OutputError::write(path, error))?;
        Ok(Csv { path: path.into(), file, length, rows: Vec::new() })
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) -> Result<(), OutputError> {
        self.rows.extend(line(cells).bytes());
        if self.rows.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), OutputError> {
        let written = self.file.write_all(&self.rows);
        if let Err(error) = written {
            // half a row is worse than none
            let _ = self.file.set_len(self.length);
            let _ = self.file.seek(SeekFrom::Start(self.length));
            return Err(OutputError::write(&self.path, error));
        }
        self.length += self.rows.len() as u64;
        self.rows.clear();
        Ok(())
    }

    /// Brings all rows to the disk, and tells where they end.
    fn sync(&mut self) -> Result<u64, OutputError> {
        self.flush()?;
        self.file.sync_data().map_err(|error| OutputError::write(&self.path, error))?;
        Ok(self.length)
    }
}

impl Drop for Csv {
    fn drop(&mut self) {
        // a run that ends by an error keeps the rows before it
        let _ = self.flush();
    }
}

/// A name that may hold commas.
pub fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.into() }
}

/// A number as the shortest text that reads back as the same one.
pub fn number(value: f64) -> String {
    format!("{value:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_commas_are_quoted_and_numbers_read_back() {
        assert_eq!(quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
        let value = 0.1f64 + 0.2;
        assert_eq!(number(value).parse::<f64>().unwrap().to_bits(), value.to_bits());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_told() {
        let mut csv = Csv::create(Path::new("/dev/full"), &["a".into()]).unwrap();
        let told = (0..BUFFER).find_map(|_| csv.row(["1.0".into()]).err()).unwrap().to_string();
        assert!(told.contains("/dev/full") && told.contains("free space"), "{told}");
    }
}
