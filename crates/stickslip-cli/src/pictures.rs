//! The two files of a performance profile.

use crate::files;
use crate::plot;
use crate::profile::Profile;
use crate::report::note;
use anyhow::{Result, bail};
use std::path::{Path, PathBuf};
use stickslip_pictures::canvas::Painted;

/// NAME.svg and NAME.png with something behind the name, refused before the work starts if they cannot be written.
pub fn targets(name: &Path, behind: &str) -> Result<[PathBuf; 2]> {
    if name.file_name().is_none() {
        bail!("--profile \"{}\": give a name, or --no-profile for none", name.display());
    }
    // who names one of the two files means both
    let given = name.extension().is_some_and(|ending| ending == "svg" || ending == "png");
    let stem = if given { name.with_extension("") } else { name.to_path_buf() };
    let targets = ["svg", "png"].map(|ending| {
        let mut target = stem.clone().into_os_string();
        target.push(format!("{behind}.{ending}"));
        PathBuf::from(target)
    });
    for target in &targets {
        files::check_target("--profile", target)?;
    }
    Ok(targets)
}

/// Draws a profile into its files and says so.
pub fn save([svg, png]: &[PathBuf; 2], profile: &Profile, labels: &[&str], title: &str) -> Result<()> {
    let Painted { svg: drawn, png: painted } = plot::draw(profile, labels, title)?;
    files::replace(svg, drawn.as_bytes())?;
    files::replace(png, &painted)?;
    note(&format!("performance profile in {} and {}", svg.display(), png.display()));
    Ok(())
}
