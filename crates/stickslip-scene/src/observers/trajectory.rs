//! `trajectory.hdf5`: where all bodies are, and how they move, as one array a quantity over frames.
//!
//! Files are replaced as a whole, at checkpoints and at the end. One that is full is followed by `trajectory-2.hdf5`, so
//! that long runs neither fill the memory nor write the same frames again and again.

use super::movie::numbered;
use super::{Observer, OutputError, View, is_due, replace_by};
use crate::build::spin_parts;
use crate::scene::Scene;
use hdf5_pure::{AttrValue, File, FileBuilder, LibVer};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use stickslip::World;
use stickslip::bodies::Bodies;
use stickslip::rigid::Rigid;
use stickslip_geometry::space::{Dim, Matrix, Pose};

pub const FILE: &str = "trajectory.hdf5";

/// Bytes of a file, about, before compression.
const FULL: usize = 32 << 20;
/// Numbers of a compressed chunk, about.
const CHUNK: usize = 1 << 16;
/// No side of a chunk is longer: HDF5 2.0 refuses lengths that take three bytes but are stored in four, as the writer
/// here does.
const LONGEST: usize = u16::MAX as usize;
/// Deflate level: higher ones are slower and gain little on positions.
const LEVEL: u32 = 4;

/// What a frame holds of each body.
const QUANTITIES: [&str; 4] = ["position", "orientation", "velocity", "spin"];

/// How many numbers of each.
fn widths<const D: usize>() -> [usize; 4] {
    if D == 2 { [2, 1, 2, 1] } else { [3, 4, 3, 3] }
}

/// Unit and meaning of each.
fn meaning<const D: usize>() -> [(&'static str, &'static str); 4] {
    let orientation = if D == 2 {
        ("radian", "angle of the shape, counterclockwise")
    } else {
        ("1", "unit quaternion w, x, y, z that turns the shape")
    };
    [
        ("length", "centre of mass"),
        orientation,
        ("length/time", "velocity of the centre of mass"),
        ("radian/time", if D == 2 { "counterclockwise" } else { "x, y, z in the axes of the world" }),
    ]
}

pub struct Trajectory<const D: usize> {
    path: PathBuf,
    every: f64,
    title: String,
    units: String,
    fixed: Option<Fixed>,
    /// The number of the file, from 1, and what it is to hold.
    part: usize,
    frames: Frames,
    /// Whether all of it is on the disk.
    saved: bool,
}

/// What does not change.
struct Fixed {
    names: Vec<String>,
    shapes: Vec<&'static str>,
    mass: Vec<f64>,
    radius: Vec<f64>,
    free: Vec<u8>,
}

#[derive(Default)]
struct Frames {
    step: Vec<i64>,
    time: Vec<f64>,
    /// By quantity: frame by frame, body by body.
    values: [Vec<f64>; 4],
}

#[derive(Serialize, Deserialize)]
struct State {
    part: usize,
    frames: usize,
}

impl<const D: usize> Trajectory<D>
where
    Dim<D>: Rigid<D>,
{
    pub fn new(folder: &Path, every: f64, scene: &Scene) -> Self {
        Trajectory {
            path: folder.join(FILE),
            every,
            title: scene.file.title.clone(),
            units: scene.file.units.clone(),
            fixed: None,
            part: 1,
            frames: Frames::default(),
            saved: true,
        }
    }

    fn file(&self) -> PathBuf {
        if self.part == 1 { self.path.clone() } else { numbered(&self.path, self.part) }
    }

    fn save(&mut self) -> Result<(), OutputError> {
        let Some(fixed) = self.fixed.as_ref().filter(|_| !self.saved) else { return Ok(()) };
        let path = self.file();
        let mut file = self.frames.file::<D>(fixed);
        let texts = [("title", &self.title), ("units", &self.units)];
        texts.into_iter().for_each(|(name, text)| file.set_attr(name, AttrValue::String(text.clone())));
        file.set_attr("dimension", AttrValue::I64(D as i64));
        replace_by(&path, |target| file.finish_to(target))?;
        self.saved = true;
        Ok(())
    }
}

impl Fixed {
    fn of<const D: usize>(bodies: &Bodies<D>) -> Self
    where
        Dim<D>: Rigid<D>,
    {
        let all = || 0..bodies.len();
        Fixed {
            names: all().map(|b| bodies.name(b)).collect(),
            shapes: all().map(|b| bodies.shape[b].name()).collect(),
            mass: all().map(|b| bodies.mass[b]).collect(),
            radius: all().map(|b| bodies.shape[b].inner_radius()).collect(),
            free: all().map(|b| u8::from(bodies.is_free(b))).collect(),
        }
    }
}

impl Frames {
    fn push<const D: usize>(&mut self, world: &World<D>)
    where
        Dim<D>: Rigid<D>,
    {
        let bodies = world.bodies();
        self.step.push(world.steps() as i64);
        self.time.push(world.time());
        let [position, orientation, velocity, spin] = &mut self.values;
        for b in 0..bodies.len() {
            position.extend(bodies.x[b].iter());
            orientation.extend(turned(&bodies.shape_pose(b)));
            velocity.extend(bodies.v[b].iter());
            spin.extend(spin_parts::<D>(&bodies.spin[b]));
        }
    }

    fn file<const D: usize>(&self, fixed: &Fixed) -> FileBuilder {
        let mut file = FileBuilder::new();
        // the oldest format that can hold the content, so that old readers work where they can
        file.with_libver_bounds(LibVer::V18, LibVer::V110);
        let text = |text: &str| AttrValue::String(text.into());
        file.create_dataset("time").with_f64_data(&self.time).set_attr("unit", text("time"));
        file.create_dataset("step").with_i64_data(&self.step).set_attr("unit", text("1"));
        let (frames, bodies) = (self.time.len(), fixed.names.len());
        let quantities = QUANTITIES.iter().zip(&self.values);
        for ((name, values), (width, (unit, meaning))) in
            quantities.zip(widths::<D>().into_iter().zip(meaning::<D>()))
        {
            let dataset = file.create_dataset(name).with_f64_data(values);
            dataset.with_shape(&[frames, bodies, width].map(|count| count as u64));
            if !values.is_empty() {
                dataset.with_chunks(&chunk(frames, bodies, width)).with_shuffle().with_deflate(LEVEL);
            }
            dataset.set_attr("unit", text(unit)).set_attr("meaning", text(meaning));
            dataset.set_attr("axes", text("frame, body, component"));
        }
        let mut group = file.create_group("bodies");
        let names: Vec<&str> = fixed.names.iter().map(String::as_str).collect();
        group.create_dataset("name").with_vlen_strings(&names);
        group.create_dataset("shape").with_vlen_strings(&fixed.shapes);
        group.create_dataset("mass").with_f64_data(&fixed.mass).set_attr("unit", text("mass"));
        let radius = group.create_dataset("inner_radius").with_f64_data(&fixed.radius);
        radius.set_attr("unit", text("length"));
        group.create_dataset("free").with_u8_data(&fixed.free);
        file.add_group(group.finish());
        file
    }

    /// The first frames of a file; none where it does not hold as many.
    fn read<const D: usize>(path: &Path, frames: usize) -> Option<Self> {
        let file = File::open(path).ok()?;
        let mut read = Frames { step: file.dataset("step").ok()?.read_i64().ok()?, ..Frames::default() };
        read.time = file.dataset("time").ok()?.read_f64().ok()?;
        if read.step.len() < frames || read.time.len() != read.step.len() {
            return None;
        }
        for (name, values) in QUANTITIES.iter().zip(&mut read.values) {
            *values = file.dataset(name).ok()?.read_f64().ok()?;
            let each = values.len() / read.time.len().max(1);
            values.truncate(frames * each);
        }
        read.step.truncate(frames);
        read.time.truncate(frames);
        Some(read)
    }
}

impl<const D: usize> Observer<D> for Trajectory<D>
where
    Dim<D>: Rigid<D>,
{
    fn name(&self) -> &'static str {
        FILE
    }

    fn observe(&mut self, view: &View<D>) -> Result<(), OutputError> {
        let fixed = self.fixed.get_or_insert_with(|| Fixed::of(view.world.bodies()));
        if !is_due(self.every, view.report) {
            return Ok(());
        }
        let frame = 8 * fixed.names.len() * widths::<D>().iter().sum::<usize>();
        let full = (FULL / frame.max(1)).max(1);
        if self.frames.time.len() >= full {
            self.part += 1;
            self.frames = Frames::default();
        }
        self.frames.push(view.world);
        self.saved = false;
        if self.frames.time.len() == full { self.save() } else { Ok(()) }
    }

    fn state(&mut self) -> Result<String, OutputError> {
        self.save()?;
        let state = State { part: self.part, frames: self.frames.time.len() };
        serde_json::to_string(&state).map_err(|error| OutputError::write(&self.path, error))
    }

    fn resume(&mut self, state: &str) -> Result<(), OutputError> {
        let state: State = serde_json::from_str(state).map_err(|_| OutputError::damaged(&self.path))?;
        self.part = state.part;
        let read = Frames::read::<D>(&self.file(), state.frames);
        self.frames = read.ok_or_else(|| OutputError::damaged(&self.file()))?;
        // files after the checkpoint come again
        (state.part + 1..)
            .map(|part| numbered(&self.path, part))
            .take_while(|path| std::fs::remove_file(path).is_ok())
            .for_each(drop);
        Ok(())
    }

    fn files(&self) -> Vec<String> {
        let more = (2..=self.part).map(|part| numbered(Path::new(FILE), part).display().to_string());
        std::iter::once(FILE.into()).chain(more).collect()
    }
}

/// The sides of a compressed chunk, of an array of these sides.
fn chunk(frames: usize, bodies: usize, width: usize) -> [u64; 3] {
    let bodies = bodies.min(LONGEST);
    let together = (CHUNK / (bodies * width)).clamp(1, frames.min(LONGEST));
    [together, bodies, width].map(|count| count as u64)
}

/// How a shape is turned: an angle in the plane, a quaternion w, x, y, z with w ≥ 0 in space.
fn turned<const D: usize>(pose: &Pose<D>) -> Vec<f64>
where
    Dim<D>: Rigid<D>,
{
    let turn = Matrix::<D>::from_columns(&std::array::from_fn::<_, D, _>(|k| pose.axis_to_world(k)));
    if D == 2 {
        return vec![libm::atan2(turn[(1, 0)], turn[(0, 0)])];
    }
    // four times the squares; the largest part is found first, so that nothing is lost by cancellation
    let [a, b, c] = [turn[(0, 0)], turn[(1, 1)], turn[(2, 2)]];
    let squares = [1.0 + a + b + c, 1.0 + a - b - c, 1.0 - a + b - c, 1.0 - a - b + c];
    let largest = (0..4).max_by(|&i, &j| squares[i].total_cmp(&squares[j])).unwrap_or(0);
    let differences = [turn[(2, 1)] - turn[(1, 2)], turn[(0, 2)] - turn[(2, 0)], turn[(1, 0)] - turn[(0, 1)]];
    let sum = |i: usize, j: usize| turn[(i, j)] + turn[(j, i)];
    let twice = squares[largest].sqrt();
    let mut q = vec![0.0; 4];
    q[largest] = 0.5 * twice;
    for other in (0..4).filter(|&other| other != largest) {
        let product = match (largest, other) {
            (0, k) | (k, 0) => differences[k - 1],
            (i, j) => sum(i - 1, j - 1),
        };
        q[other] = 0.5 * product / twice;
    }
    if q[0] < 0.0 { q.into_iter().map(|x| -x).collect() } else { q }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip_geometry::space::Vector;

    #[test]
    fn chunks_have_no_side_that_readers_refuse() {
        assert_eq!(chunk(400, 100, 3), [218, 100, 3]);
        assert_eq!(chunk(7, 200_000, 3), [1, 65_535, 3]);
        assert_eq!(chunk(100_000, 1, 1), [65_535, 1, 1]);
    }

    #[test]
    fn orientations_are_angles_and_quaternions() {
        let plane = turned(&Pose::<2>::turned(Vector::<2>::zeros(), -2.5));
        assert!((plane[0] + 2.5).abs() < 1e-14, "{plane:?}");
        for axis in [[0.3, 0.0, 0.0], [0.0, 3.0, 0.0], [0.1, -0.2, 3.1], [2.0, 2.0, -1.0], [0.0; 3]] {
            let axis = Vector::<3>::from(axis);
            let (angle, q) = (axis.norm(), turned(&Pose::<3>::turned(Vector::<3>::zeros(), axis)));
            let (sine, cosine) = (0.5 * angle).sin_cos();
            let unit = axis.try_normalize(0.0).unwrap_or_default();
            let expected = [cosine, unit[0] * sine, unit[1] * sine, unit[2] * sine];
            assert!(
                q.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12),
                "{axis}: {q:?}, not {expected:?}"
            );
        }
    }
}
