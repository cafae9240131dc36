//! `stickslip check SCENE`: what is in it, and what may go wrong.

use crate::report::{line, plural};
use crate::{Verdict, scenes};
use anyhow::{Result, anyhow};
use clap::Args;
use std::collections::BTreeMap;
use stickslip_scene::check::check;

#[derive(Args)]
pub struct Arguments {
    /// A scene file, or the name of a built-in one, see `stickslip list scenes`.
    scene: Option<String>,
    /// A parameter of the scene, such as mu=0.4, or one of its keys, such as time.end=2; may be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
}

pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let scene = scenes::read(arguments.scene.as_deref(), &arguments.set)?;
    let findings = check(&scene).map_err(|error| anyhow!("{error}"))?;
    let title = if scene.file.title.is_empty() { String::new() } else { format!(", {}", scene.file.title) };
    line(&format!("{}{title}: {}D, units {}", scene.name, scene.dimension(), scene.file.units))?;
    line(&format!("  bodies    {}", counts(&findings.motions)))?;
    line(&format!("  shapes    {}", counts(&findings.shapes)))?;
    if !findings.groups.is_empty() {
        let groups: Vec<String> =
            findings.groups.iter().map(|(name, count)| format!("{name} ({count})")).collect();
        line(&format!("  groups    {}", groups.join(", ")))?;
    }
    line(&format!("  joints    {}", findings.joints))?;
    if let Some(contacts) = findings.contacts {
        line(&format!("  contacts  {contacts} in the first step"))?;
    }
    line(&format!(
        "  time      {} of {} to {}",
        plural(findings.steps, "step"),
        scene.file.time.value.step,
        scene.file.time.value.end
    ))?;
    findings.warnings.iter().try_for_each(|warning| line(&format!("warning: {warning}")))?;
    match findings.refused {
        Some(fault) => Err(anyhow!("the first step cannot be done: {fault}")),
        None if findings.warnings.is_empty() => line("no warnings").map(|()| Verdict::Converged),
        None => Ok(Verdict::Converged),
    }
}

fn counts(counts: &BTreeMap<&'static str, usize>) -> String {
    let all: usize = counts.values().sum();
    let each: Vec<String> = counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
    if each.is_empty() { "none".into() } else { format!("{all}: {}", each.join(", ")) }
}
