//! The valid name that is nearest to a wrong one.

use stickslip_solvers::panel::{AnyMethod, PANEL, SettingsError};

/// What was probably meant by a wrong name, as a question; none where no known name is near.
pub fn did_you_mean<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(wrong, known).map(|near| format!("did you mean \"{near}\"?"))
}

/// A solver by its name and settings, or what is wrong with them and what was probably meant.
pub fn solver(name: &str, settings: &toml::Table) -> Result<AnyMethod, String> {
    AnyMethod::parse(name, settings).map_err(|error| {
        let (what, near) = match &error {
            SettingsError::UnknownSolver { .. } => {
                let near = did_you_mean(name, PANEL.iter().map(|entry| entry.name));
                (format!("there is no solver \"{name}\""), near)
            }
            SettingsError::BadSetting { message, .. } => (error.to_string(), meant_setting(message)),
        };
        near.map_or(error.to_string(), |near| format!("{what}; {near}"))
    })
}

/// What was meant by an unknown setting: the wrong name and then all known ones stand in backticks, before the place.
fn meant_setting(message: &str) -> Option<String> {
    let (_, names) = message.split_once("unknown ")?;
    let names = names.split(" in `").next()?;
    let mut names = names.split('`').skip(1).step_by(2);
    did_you_mean(names.next()?, names)
}

/// The known name that takes the fewest changes of letters, if those are few.
fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = wrong.chars().count();
    let most = (length / 3).max(1) + 1;
    known
        .into_iter()
        .map(|name| (distance(wrong, name), name))
        // a name of which no letter is left is another one
        .filter(|(distance, name)| *distance <= most && *distance < name.chars().count().max(length))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Letters to insert, remove, replace or swap with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            table[i][j] = match (i, j) {
                (0, _) => j,
                (_, 0) => i,
                _ => {
                    let replaced = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                    let swapped = if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                        table[i - 2][j - 2] + 1
                    } else {
                        usize::MAX
                    };
                    replaced.min(swapped).min(table[i - 1][j] + 1).min(table[i][j - 1] + 1)
                }
            };
        }
    }
    table[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelled_names_are_found_and_strangers_are_not() {
        let known = ["radius", "density", "material", "at"];
        assert_eq!(nearest("raduis", known), Some("radius"));
        assert_eq!(nearest("densty", known), Some("density"));
        assert_eq!(nearest("xyzzy", known), None);
        assert_eq!(nearest("c", ["b"]), None);
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn solvers_and_settings_are_found() {
        let refused = |name: &str, settings: &str| solver(name, &settings.parse().unwrap()).err().unwrap();
        assert!(refused("nlsg", "").ends_with("did you mean \"nlgs\"?"), "{}", refused("nlsg", ""));
        for (settings, near) in [
            ("omga = 1.2", "omega"),
            ("order = \"reversed\"", "reverse"),
            ("one_contact = { sover = \"epdas\" }", "solver"),
        ] {
            let said = refused("nlgs", settings);
            assert!(said.ends_with(&format!("did you mean \"{near}\"?")), "{said}");
        }
        assert!(!refused("nlgs", "omega = 3.0").contains("did you mean"));
    }
}
