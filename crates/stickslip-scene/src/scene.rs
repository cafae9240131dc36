//! A scene: what its files say, and where they say it.

use crate::builtin;
use crate::format::{Repeat, SceneFile};
use crate::reader::{
    Context, Fault, Files, Node, Origins, Placed, SceneError, Source, Spot, Value, read_file, repeat,
};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use stickslip::packings::Random;

/// Streams of random numbers: of values in the file, of packings from this one on, and of what only looks on.
const VALUES: u64 = 0;
pub(crate) const PACKINGS: u64 = 1;
const ASIDE: u64 = u64::MAX;

/// Lists whose tables may be repeated.
const REPEATED: [&str; 3] = ["body", "joint", "exclude"];

/// A scene that was read and makes sense by itself; building it may still find what cannot be.
#[derive(Clone, Debug)]
pub struct Scene {
    /// What it says.
    pub file: SceneFile,
    /// Its name: that of its file, or of the built-in scene.
    pub name: String,
    /// All files and settings that it was read from.
    pub sources: Vec<Source>,
    /// Settings of the command line.
    pub settings: Vec<String>,
    /// Tells it apart by how bodies move.
    course: String,
    pub(crate) spots: Vec<Spot>,
    /// Which of them is that of the whole scene.
    root: usize,
    origins: Origins,
    /// Where the files are that it names.
    pub(crate) folder: Option<PathBuf>,
}

impl Scene {
    /// Reads a scene file, with settings of the command line such as `mu=0.4` or `time.end=2`.
    pub fn read(path: &Path, settings: &[String]) -> Result<Self, SceneError> {
        let text = read_file(path).map_err(|fault| SceneError::new(fault, &[]))?;
        let name = path.file_stem().map_or("scene".into(), |stem| stem.to_string_lossy().into_owned());
        let folder = path.parent().unwrap_or(Path::new("."));
        Scene::parse(&name, &path.display().to_string(), &text, Some(folder), settings)
    }

    /// A scene that comes with stickslip; `None` where there is none of that name.
    pub fn built_in(name: &str, settings: &[String]) -> Option<Result<Self, SceneError>> {
        let text = builtin::find(name)?;
        Some(Scene::parse(name, &format!("{name}.toml"), text, None, settings))
    }

    /// Reads a scene from a text; its file is only named. Includes and meshes are sought in a folder.
    pub fn parse(
        name: &str,
        file: &str,
        text: &str,
        folder: Option<&Path>,
        settings: &[String],
    ) -> Result<Self, SceneError> {
        let mut files = Files::default();
        let read = read_tree(&mut files, file, text, folder, settings);
        let Read { scene, course, spots, origins } =
            read.map_err(|fault| SceneError::new(fault, &files.sources))?;
        Ok(Scene {
            file: scene.value,
            root: scene.spot,
            origins,
            course,
            name: name.into(),
            sources: files.sources,
            settings: settings.to_vec(),
            spots,
            folder: folder.map(Path::to_path_buf),
        })
    }

    /// 2 or 3.
    pub fn dimension(&self) -> usize {
        self.file.dimension.value
    }

    /// Tells scenes apart, settings of the command line included.
    pub fn fingerprint(&self) -> String {
        // by what files say, not by where they are; a zero parts them
        hash(self.sources.iter().flat_map(|source| source.text.bytes().chain([0])))
    }

    /// Tells scenes apart by how bodies move: it leaves out what is measured and written, and for how long.
    pub fn course(&self) -> &str {
        &self.course
    }

    pub(crate) fn error(&self, fault: Fault) -> SceneError {
        SceneError::new(self.origins.blame(fault, &self.spots, &self.sources), &self.sources)
    }

    /// The places of the keys at its top.
    pub(crate) fn root(&self) -> &Spot {
        &self.spots[self.root]
    }

    /// Parameters that nothing asks for.
    pub(crate) fn unused(&self) -> impl Iterator<Item = &String> {
        let asked = |name: &String| self.origins.uses.iter().any(|(_, used)| used == name);
        self.file.parameters.keys().filter(move |name| !asked(name))
    }
}

/// FNV-1a.
fn hash(bytes: impl Iterator<Item = u8>) -> String {
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// Keys of a scene that do not change how bodies move.
const BYSTANDERS: [&[&str]; 5] = [&["title"], &["units"], &["measure"], &["output"], &["time", "end"]];

/// What reading a scene gives.
struct Read {
    scene: Placed<SceneFile>,
    course: String,
    spots: Vec<Spot>,
    origins: Origins,
}

fn read_tree(
    files: &mut Files,
    file: &str,
    text: &str,
    folder: Option<&Path>,
    settings: &[String],
) -> Result<Read, Fault> {
    let mut root = files.parse(file, text, folder)?;
    files.set(&mut root, settings)?;
    BYSTANDERS.iter().for_each(|path| root.set_aside(path));
    let head = root.clone();
    let context = |seed: u64, dimension: usize| Context {
        parameters: head.get("parameters"),
        dimension,
        random: RefCell::new(Random::stream(seed, VALUES)),
        aside: RefCell::new(Random::stream(seed, ASIDE)),
        // the first is that of tables that are not there
        spots: RefCell::new(vec![Spot::default()]),
        origins: RefCell::new(Origins::new(head.get("parameters"))),
    };
    let dimension = dimension(&context(0, 3), &head)?;
    let seed = head.get("seed").map_or(Ok(0), |node| context(0, dimension).read::<u64>(node))?;
    let context = context(seed, dimension);
    let copied = REPEATED
        .iter()
        .try_for_each(|list| repeat(&mut root, list, &mut |node| Ok(context.read::<Repeat>(node)?.count)));
    let course = BYSTANDERS.iter().fold(head.clone(), |tree, path| tree.without(path));
    let scene = copied.and_then(|()| context.read::<Placed<SceneFile>>(&root));
    let (spots, origins) = (context.spots.into_inner(), context.origins.into_inner());
    let scene = scene.map_err(|fault| origins.blame(fault, &spots, &files.sources))?;
    Ok(Read { scene, course: hash(course.text().bytes()), spots, origins })
}

fn dimension(context: &Context, root: &Node) -> Result<usize, Fault> {
    let remedy = "write dimension = 2 or dimension = 3";
    let Some(node) = root.get("dimension") else {
        return Err(Fault::new("the scene has no dimension").remedy(remedy).at(root.place));
    };
    match (&node.value, context.read::<usize>(node)) {
        (Value::Bool(_), _) | (_, Err(_)) => {
            Err(Fault::new("the dimension is 2 or 3").remedy(remedy).at(node.place))
        }
        (_, Ok(dimension @ (2 | 3))) => Ok(dimension),
        (_, Ok(other)) => {
            Err(Fault::new(format!("the dimension is 2 or 3, not {other}")).remedy(remedy).at(node.place))
        }
    }
}
