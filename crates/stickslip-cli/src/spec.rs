//! A solver as the command line names it: `NAME` or `NAME:key=value:key=value`, and `--set key=value`.

use anyhow::{Result, anyhow};
use stickslip_scene::nearest;
use stickslip_solvers::panel::AnyMethod;

/// What is taken where nobody chooses.
pub const DEFAULT_SOLVER: &str = "auto";

/// A method with the text that asked for it.
#[derive(Clone)]
pub struct Spec {
    /// As given, for tables.
    pub label: String,
    /// Parsed and checked.
    pub method: AnyMethod,
}

impl Spec {
    /// Parses `NAME[:key=value…]` with further settings.
    pub fn parse(text: &str, set: &[String]) -> Result<Self> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let mut settings = toml::Table::new();
        for assignment in parts.chain(set.iter().map(String::as_str)) {
            assign(&mut settings, assignment)?;
        }
        let method = nearest::solver(name, &settings)
            .map_err(|error| anyhow!("{error} (see `stickslip list solvers`)"))?;
        Ok(Spec { label: text.to_string(), method })
    }
}

/// Puts `a.b=value` into nested tables. A value that is not TOML is taken as text, so that names need no quotes.
fn assign(settings: &mut toml::Table, assignment: &str) -> Result<()> {
    let (key, value) = assignment.split_once('=').ok_or_else(|| {
        anyhow!("setting \"{assignment}\" has no value; write key=value, such as omega=1.2")
    })?;
    let value = match format!("x = {value}").parse::<toml::Table>() {
        Ok(mut table) => table.remove("x").unwrap_or_else(|| value.into()),
        Err(_) => toml::Value::String(value.to_string()),
    };
    let mut table = settings;
    let mut path = key.split('.').peekable();
    while let Some(part) = path.next() {
        if path.peek().is_none() {
            if table.insert(part.to_string(), value).is_some() {
                return Err(anyhow!("setting \"{key}\" is given twice; keep one of them"));
            }
            return Ok(());
        }
        table = table
            .entry(part)
            .or_insert_with(|| toml::Table::new().into())
            .as_table_mut()
            .ok_or_else(|| anyhow!("setting \"{key}\": \"{part}\" already has a value of its own"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_toml_or_text_and_keys_nest() {
        let mut table = toml::Table::new();
        for text in ["omega=1.5", "one_contact.solver=epdas", "one_contact.rho=2.0", "order=alternating"] {
            assign(&mut table, text).unwrap();
        }
        assert_eq!(table["omega"].as_float(), Some(1.5));
        assert_eq!(table["one_contact"]["solver"].as_str(), Some("epdas"));
        assert_eq!(table["order"].as_str(), Some("alternating"));
        assert!(assign(&mut table, "omega").is_err());
        assert!(assign(&mut table, "omega.x=1").is_err());
        let twice = assign(&mut table, "one_contact.rho=3.0").unwrap_err().to_string();
        assert!(twice.contains("\"one_contact.rho\" is given twice"), "{twice}");
    }

    #[test]
    fn a_specification_carries_settings() {
        assert!(Spec::parse("nlgs:omega=1.2:order=reverse", &[]).is_ok());
        let error = |text: &str| Spec::parse(text, &[]).err().unwrap().to_string();
        assert!(error("nlsg").contains("nlgs"), "{}", error("nlsg"));
        assert!(error("nlgs:omega=3.0").contains("(0, 2)"));
        assert!(error("nlgs:omga=1.0").contains("omga"));
    }
}
