//! `stickslip list solvers`: the panel, what each method covers, and its settings; `list scenes`: what can be run by name.

use crate::report::line;
use crate::{Verdict, scenes};
use anyhow::Result;
use clap::{Args, ValueEnum};
use stickslip_scene::builtin;
use stickslip_solvers::laws::Kind;
use stickslip_solvers::one_contact::ONE_CONTACT;
use stickslip_solvers::panel::{Entry, PANEL};

#[derive(Args)]
pub struct Arguments {
    /// What to list.
    #[arg(value_enum)]
    what: What,
    /// One JSON object a line.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum What {
    /// The solvers of whole problems.
    Solvers,
    /// The solvers of one contact, for use inside sweeps.
    OneContact,
    /// The built-in scenes.
    Scenes,
}

pub fn run(arguments: &Arguments) -> Result<Verdict> {
    match arguments.what {
        What::Solvers => PANEL.iter().try_for_each(|entry| solver(entry, arguments.json))?,
        What::OneContact => ONE_CONTACT.iter().try_for_each(|(name, summary, paper)| {
            let name = serde_json::to_value(name)?;
            let name = name.as_str().unwrap_or_default();
            if arguments.json {
                line(&serde_json::json!({ "name": name, "summary": summary, "paper": paper }).to_string())
            } else {
                line(&format!("{name:<14} {summary}\n{:14} {paper}", ""))
            }
        })?,
        What::Scenes => builtin::names().try_for_each(|name| scene(name, arguments.json))?,
    }
    Ok(Verdict::Converged)
}

fn scene(name: &str, json: bool) -> Result<()> {
    let title = scenes::read(Some(name), &[])?.file.title;
    if json {
        return line(&serde_json::json!({ "name": name, "title": title }).to_string());
    }
    line(&format!("{name:<17} {title}"))
}

fn solver(entry: &Entry, json: bool) -> Result<()> {
    let names = |covered: bool| {
        let kinds = Kind::ALL.iter().filter(|kind| entry.covers.contains(kind) == covered);
        kinds.map(|kind| kind.name()).collect::<Vec<_>>()
    };
    if json {
        return line(
            &serde_json::json!({
                "name": entry.name, "summary": entry.summary, "paper": entry.paper,
                "covers": names(true), "settings": entry.defaults(),
            })
            .to_string(),
        );
    }
    let laws = match names(false) {
        missing if missing.is_empty() => "all".to_string(),
        missing if missing.len() < entry.covers.len() => format!("all but {}", missing.join(", ")),
        _ => names(true).join(", "),
    };
    line(&format!("{:<17} {}", entry.name, entry.summary))?;
    line(&format!("{:17} {}", "", entry.paper))?;
    line(&format!("{:17} laws: {laws}", ""))?;
    let settings = flatten("", &entry.defaults());
    wrap("defaults:", &settings).iter().try_for_each(|text| line(&format!("{:17} {text}", "")))
}

/// A title and words in lines that fit beside the names of solvers in 100 columns; nothing without words.
fn wrap(title: &str, words: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(last) if last.len() + 1 + word.len() <= 82 => *last += &format!(" {word}"),
            Some(_) => lines.push(format!("{:width$} {word}", "", width = title.len())),
            None => lines.push(format!("{title} {word}")),
        }
    }
    lines
}

/// `key=value` for every setting, nested ones with dots.
fn flatten(prefix: &str, settings: &toml::Table) -> Vec<String> {
    settings
        .iter()
        .flat_map(|(key, value)| match value {
            toml::Value::Table(inner) => flatten(&format!("{prefix}{key}."), inner),
            toml::Value::String(text) => vec![format!("{prefix}{key}={text}")],
            // the shortest form that reads back as the same number: 1e-13, not 0.0000000000001
            toml::Value::Float(number) => vec![format!("{prefix}{key}={number:?}")],
            other => vec![format!("{prefix}{key}={other}")],
        })
        .collect()
}
