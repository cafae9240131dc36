//! Variants of an experiment: what the paper leaves open, and how steps are solved.

use super::local::Local;
use crate::{Result, Setting};
use stickslip_scene::{Built, Scene};

/// A variant of an experiment.
pub struct Case {
    pub label: &'static str,
    /// What the paper leaves open.
    pub settings: &'static [&'static str],
    /// Whether steps are solved as the paper does, by sweeps with a solver of one contact, and not by `auto`.
    pub local: Option<Local>,
}

impl Case {
    /// Its scene and the world of it, with the settings of a quick run before its own.
    pub fn build(
        &self,
        setting: &Setting,
        id: &str,
        text: &str,
        quick: &[&str],
    ) -> Result<(Scene, Built<3>)> {
        let own: Vec<String> = self.settings.iter().map(|text| text.to_string()).collect();
        let scene = setting.scene(id, text, quick, &own)?;
        let mut built = scene.build::<3>()?;
        if let Some(local) = self.local {
            built.world.solver = Some(local.sweeps()?);
        }
        Ok((scene, built))
    }

    /// In the names of its files.
    pub fn name(&self) -> String {
        self.label.replace(' ', "-").to_lowercase()
    }
}
