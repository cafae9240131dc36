//! Where values come from: what is wrong with a parameter that was set on the command line is shown there.

use super::context::Spot;
use super::place::{Fault, Place, Source};
use super::tree::{Node, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Which formulas ask for which parameters, and where those stand.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origins {
    /// The places of formulas, and the parameters that they ask for.
    pub uses: BTreeSet<(Place, String)>,
    /// The places of the values of parameters.
    parameters: BTreeMap<String, Place>,
}

impl Origins {
    /// The parameters of a table.
    pub fn new(parameters: Option<&Node>) -> Self {
        let entries = match parameters.map(|node| &node.value) {
            Some(Value::Table(entries)) => entries.as_slice(),
            _ => &[],
        };
        let parameters = entries.iter().map(|entry| (entry.key.clone(), entry.node.place)).collect();
        Origins { uses: BTreeSet::new(), parameters }
    }

    /// The same fault at the setting that its value comes from, if it comes from one; several are named.
    pub fn blame(&self, fault: Fault, spots: &[Spot], sources: &[Source]) -> Fault {
        let Some(place) = fault.place else { return fault };
        let value = spots.iter().find_map(|spot| spot.value_of(place));
        // a whole table is not to blame for one of its values
        let value = value.or(self.uses.iter().any(|(used, _)| *used == place).then_some(place));
        let mut found = BTreeMap::new();
        if let Some(value) = value {
            self.settings_of(value, sources, &mut BTreeSet::new(), &mut found);
        }
        let note = match &found.iter().collect::<Vec<_>>()[..] {
            [] => return fault,
            [(name, _)] => format!("it stands for ${name} in {}", place.shown(sources)),
            several => {
                let settings = several.iter().filter_map(|(_, place)| sources.get(place.file as usize));
                let settings: Vec<String> =
                    settings.map(|source| format!("{} {}", source.name, source.text)).collect();
                format!("with {}", settings.join(" and "))
            }
        };
        let remedy = fault.remedy.map_or(note.clone(), |remedy| format!("{remedy}; {note}"));
        let only = found.values().next().copied().filter(|_| found.len() == 1);
        Fault { place: only.or(Some(place)), remedy: Some(remedy), ..fault }
    }

    /// The parameters of the command line that a value asks for, through others as well.
    fn settings_of(
        &self,
        value: Place,
        sources: &[Source],
        seen: &mut BTreeSet<String>,
        found: &mut BTreeMap<String, Place>,
    ) {
        for (_, name) in self.uses.iter().filter(|(place, _)| value.holds(*place)) {
            let Some(&place) = self.parameters.get(name).filter(|_| seen.insert(name.clone())) else {
                continue;
            };
            if sources.get(place.file as usize).is_some_and(Source::is_setting) {
                found.insert(name.clone(), place);
            }
            self.settings_of(place, sources, seen, found);
        }
    }
}
