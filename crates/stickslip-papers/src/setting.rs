//! How an experiment is run, and where its figures and tables go.

use crate::{ExperimentError, Result};
use std::io::Write;
use std::path::PathBuf;
use stickslip::rigid::Rigid;
use stickslip::{BodyId, World};
use stickslip_geometry::space::Dim;
use stickslip_pictures::plots::Plot;
use stickslip_pictures::{Depict, Frame, Style};
use stickslip_scene::format::ParameterSpec;
use stickslip_scene::{Built, Scene};
use stickslip_solvers::replace::{ReplaceError, replace};

/// How an experiment is run, and where its figures and tables go.
pub struct Setting {
    /// A smaller or shorter experiment of the same kind.
    pub quick: bool,
    /// For figures and tables; it exists.
    pub folder: PathBuf,
}

impl Setting {
    /// What a full run takes, or a quick one.
    pub fn choose<T>(&self, full: T, quick: T) -> T {
        if self.quick { quick } else { full }
    }

    /// Reads a scene of an experiment, with settings such as `name=value`: those of a quick run, where it is one, then others.
    pub fn scene(&self, id: &str, text: &str, quick: &[&str], others: &[String]) -> Result<Scene> {
        let quick = quick.iter().filter(|_| self.quick).map(|text| text.to_string());
        let settings: Vec<String> = quick.chain(others.iter().cloned()).collect();
        Ok(Scene::parse(id, &format!("{id}.toml"), text, None, &settings)?)
    }

    /// The same as small as in a quick run.
    pub fn small_scene(&self, id: &str, text: &str, quick: &[&str]) -> Result<Scene> {
        Setting { quick: true, folder: self.folder.clone() }.scene(id, text, quick, &[])
    }

    /// Writes a plot as SVG and PNG.
    pub fn figure(&self, name: &str, plot: &Plot) -> Result<()> {
        for ending in ["svg", "png"] {
            plot.save(&self.folder.join(format!("{name}.{ending}")))?;
        }
        Ok(())
    }

    /// Writes a picture of a world as PNG.
    pub fn picture<const D: usize>(&self, name: &str, world: &World<D>, style: &Style<D>) -> Result<()>
    where
        Dim<D>: Depict<D>,
    {
        let picture = Frame::of(world, &style.colouring)?.draw(style)?;
        Ok(picture.save(&self.folder.join(format!("{name}.png")))?)
    }

    /// Writes a table as CSV.
    pub fn table<Cell: ToString>(
        &self,
        name: &str,
        columns: &[&str],
        rows: impl Iterator<Item = Vec<Cell>>,
    ) -> Result<()> {
        let mut text = columns.join(",") + "\n";
        for row in rows {
            let cells: Vec<String> = row.iter().map(Cell::to_string).collect();
            text += &(cells.join(",") + "\n");
        }
        let path = self.folder.join(format!("{name}.csv"));
        replace(&path, |mut file| file.write_all(text.as_bytes())).map_err(|error| {
            let fault = match error {
                ReplaceError::NoFolder(folder) => format!("the folder {} does not exist", folder.display()),
                ReplaceError::NotAFile => "this is not a regular file".into(),
                ReplaceError::Write(error) | ReplaceError::Content(error) => error.to_string(),
            };
            ExperimentError::Write { path, fault }
        })
    }
}

/// The bodies of a name or a group.
pub fn group<const D: usize>(built: &Built<D>, name: &str) -> Result<Vec<BodyId>>
where
    Dim<D>: Rigid<D>,
{
    built.find(name).ok_or_else(|| ExperimentError::Missing(format!("the scene has no body or group {name}")))
}

/// Mass of all that moves freely.
pub fn free_mass<const D: usize>(world: &World<D>) -> f64
where
    Dim<D>: Rigid<D>,
{
    let bodies = world.bodies();
    (0..bodies.len()).filter(|&b| bodies.is_free(b)).map(|b| bodies.mass[b]).sum()
}

/// A number among the parameters of a scene.
pub fn parameter(scene: &Scene, name: &str) -> Result<f64> {
    match scene.file.parameters.get(name) {
        Some(ParameterSpec::Number(number)) => Ok(*number),
        _ => Err(ExperimentError::Missing(format!("the scene {} has no number {name}", scene.name))),
    }
}
