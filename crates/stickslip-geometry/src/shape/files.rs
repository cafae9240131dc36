//! Surfaces of triangles from OBJ and STL files. Errors name the file and the line, or the triangle of a binary file.

use super::ShapeError;
use crate::space::Vector;
use std::collections::HashMap;
use std::path::Path;

/// Points and triangles.
#[derive(Debug, Default)]
pub struct Surface {
    pub points: Vec<Vector<3>>,
    pub triangles: Vec<[u32; 3]>,
    known: HashMap<[u64; 3], u32>,
}

impl Surface {
    /// The index of a point, which may be there already.
    fn point(&mut self, x: Vector<3>) -> u32 {
        // minus zero is zero
        let key = [x.x, x.y, x.z].map(|c| (c + 0.0).to_bits());
        *self.known.entry(key).or_insert_with(|| {
            self.points.push(x);
            self.points.len() as u32 - 1
        })
    }
}

/// Where in a file something is wrong, and what.
type Wrong = (String, String);

/// Reads a file whose name ends with `.obj` or `.stl`.
pub fn read(path: &Path) -> Result<Surface, ShapeError> {
    let name = path.display().to_string();
    let error = |(place, why): Wrong| ShapeError::File { path: name.clone(), place, why };
    let bytes = std::fs::read(path).map_err(|e| error((String::new(), e.to_string())))?;
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    let surface = match extension.as_deref() {
        Some("obj") => obj(&bytes),
        Some("stl") => stl(&bytes),
        _ => Err((String::new(), "the name ends with neither .obj nor .stl".into())),
    };
    let surface = surface.map_err(error)?;
    if surface.triangles.is_empty() {
        return Err(error((String::new(), "there are no faces".into())));
    }
    Ok(surface)
}

fn line(number: usize, why: impl Into<String>) -> Wrong {
    (format!("line {number}: "), why.into())
}

fn text(bytes: &[u8]) -> Result<&str, Wrong> {
    std::str::from_utf8(bytes).map_err(|e| {
        let number = bytes[..e.valid_up_to()].iter().filter(|&&b| b == b'\n').count() + 1;
        line(number, "not a text")
    })
}

/// Three finite numbers.
fn point<'a>(mut words: impl Iterator<Item = &'a str>, number: usize) -> Result<Vector<3>, Wrong> {
    let mut x = Vector::<3>::zeros();
    for k in 0..3 {
        let word = words.next().ok_or_else(|| line(number, format!("{k} coordinates: give three")))?;
        let value: f64 = word.parse().map_err(|_| line(number, format!("{word:?} is no number")))?;
        if !value.is_finite() {
            return Err(line(number, format!("coordinate {word} is not finite")));
        }
        x[k] = value;
    }
    Ok(x)
}

/// Vertices `v x y z` and faces `f i j k …`, which may have more than three corners and carry `/texture/normal`.
fn obj(bytes: &[u8]) -> Result<Surface, Wrong> {
    let mut surface = Surface::default();
    for (number, row) in (1..).zip(text(bytes)?.lines()) {
        let mut words = row.split_whitespace();
        match words.next() {
            Some("v") => {
                let x = point(words, number)?;
                surface.points.push(x);
            }
            Some("f") => {
                let corners = words.map(|word| corner(word, surface.points.len(), number));
                let corners: Vec<u32> = corners.collect::<Result<_, _>>()?;
                if corners.len() < 3 {
                    return Err(line(
                        number,
                        format!("a face of {} corners: give at least three", corners.len()),
                    ));
                }
                surface
                    .triangles
                    .extend((1..corners.len() - 1).map(|k| [corners[0], corners[k], corners[k + 1]]));
            }
            // groups, materials, normals and comments do not change the surface
            _ => {}
        }
    }
    Ok(surface)
}

/// A vertex of a face: counted from 1, or from the end if negative.
fn corner(word: &str, count: usize, number: usize) -> Result<u32, Wrong> {
    let index = word.split('/').next().unwrap_or_default();
    let value: i64 = index.parse().map_err(|_| line(number, format!("{word:?} is no vertex")))?;
    let from_start = if value < 0 { count as i64 + value } else { value - 1 };
    if (0..count as i64).contains(&from_start) {
        Ok(from_start as u32)
    } else {
        Err(line(number, format!("vertex {value} of {count} read so far")))
    }
}

/// Length of the head of a binary file with the count, and of each of its triangles.
const HEAD: usize = 84;
const RECORD: usize = 50;

fn stl(bytes: &[u8]) -> Result<Surface, Wrong> {
    // a binary file may begin with "solid" too: its length tells
    let count = bytes.get(80..HEAD).and_then(|b| b.try_into().ok()).map(|b| u32::from_le_bytes(b) as usize);
    if let Some(count) = count
        && bytes.len() == HEAD + RECORD * count
    {
        return binary_stl(&bytes[HEAD..]);
    }
    if bytes.trim_ascii_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid")) {
        return ascii_stl(text(bytes)?);
    }
    let why = match count {
        Some(count) => {
            format!("{count} triangles take {} bytes, but there are {}", HEAD + RECORD * count, bytes.len())
        }
        None => "neither a text that begins with \"solid\" nor long enough for a binary file".into(),
    };
    Err((String::new(), why))
}

fn binary_stl(records: &[u8]) -> Result<Surface, Wrong> {
    let mut surface = Surface::default();
    for (k, record) in records.chunks_exact(RECORD).enumerate() {
        // a normal, three corners, two bytes for whatever
        let number = |at: usize| {
            let bytes: [u8; 4] = std::array::from_fn(|i| record[12 + 4 * at + i]);
            f64::from(f32::from_le_bytes(bytes))
        };
        let corners: [Vector<3>; 3] = std::array::from_fn(|c| Vector::<3>::from_fn(|i, _| number(3 * c + i)));
        if corners.iter().any(|x| !x.iter().all(|c| c.is_finite())) {
            return Err((format!("triangle {}: ", k + 1), "a coordinate is not finite".into()));
        }
        let triangle = corners.map(|x| surface.point(x));
        surface.triangles.push(triangle);
    }
    Ok(surface)
}

fn ascii_stl(text: &str) -> Result<Surface, Wrong> {
    let mut surface = Surface::default();
    let mut corners: Vec<u32> = Vec::new();
    let mut open = None;
    let mut last = 0;
    for (number, row) in (1..).zip(text.lines()) {
        last = number;
        let mut words = row.split_whitespace();
        match words.next().map(str::to_ascii_lowercase).as_deref() {
            Some("facet") if open.is_none() => open = Some(number),
            Some("facet") => return Err(line(number, "a facet inside a facet")),
            Some("vertex") if open.is_some() => {
                let x = point(words, number)?;
                let index = surface.point(x);
                corners.push(index);
            }
            Some("vertex") => return Err(line(number, "a vertex outside a facet")),
            Some("endfacet") => {
                let Ok(triangle) = <[u32; 3]>::try_from(corners.as_slice()) else {
                    return Err(line(number, format!("a facet of {} corners: give three", corners.len())));
                };
                surface.triangles.push(triangle);
                corners.clear();
                open = None;
            }
            None | Some("solid" | "endsolid" | "outer" | "endloop") => {}
            Some(word) => return Err(line(number, format!("{word:?} is no word of an STL file"))),
        }
    }
    match open {
        Some(number) => Err(line(last, format!("the file ends inside the facet of line {number}"))),
        None => Ok(surface),
    }
}
