//! Variants of an experiment: what the paper leaves open, and how steps are solved.

use super::local::NEWTON;
use crate::{Result, Setting};
use stickslip_scene::{Built, Scene};

/// A variant of an experiment.
pub struct Case {
    pub label: &'static str,
    /// What the paper leaves open.
    pub settings: &'static [&'static str],
    /// Whether steps are solved as the paper does, by sweeps with Newton's method, and not by `auto`.
    pub newton: bool,
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
        if self.newton {
            built.world.solver = Some(NEWTON.sweeps()?);
        }
        Ok((scene, built))
    }

    /// In the names of its files.
    pub fn name(&self) -> String {
        self.label.replace(' ', "-").to_lowercase()
    }
}
