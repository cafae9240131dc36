//! A scene as a tree of values, each with its place: read from TOML, with other files included, settings of the command
//! line put in, and repeated tables written out.

use super::place::{Fault, Place, SETTING, Source};
use crate::nearest::did_you_mean;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub place: Place,
    pub value: Value,
    /// The table it is in, as messages name it.
    pub path: String,
    /// Which copy of a repeated table it belongs to.
    pub index: Option<usize>,
    /// Whether it says nothing of how bodies move, only of what is measured and written.
    pub aside: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Text(String),
    Integer(i64),
    Float(f64),
    Bool(bool),
    List(Vec<Node>),
    /// In the order of the file.
    Table(Vec<Entry>),
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub key: String,
    pub key_place: Place,
    pub node: Node,
}

/// Files that include each other at most.
const DEEPEST: usize = 16;

impl Node {
    /// A value of a key of this table.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.node)
    }

    /// A key of this table, with its value.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        match &self.value {
            Value::Table(entries) => entries.iter().find(|entry| entry.key == key),
            _ => None,
        }
    }

    fn entries_mut(&mut self) -> Option<&mut Vec<Entry>> {
        match &mut self.value {
            Value::Table(entries) => Some(entries),
            _ => None,
        }
    }

    /// Puts another table over this one: its values win, lists of tables are joined.
    fn overlay(&mut self, over: Node) {
        let (Value::Table(_), Value::Table(entries)) = (&self.value, &over.value) else {
            *self = over;
            return;
        };
        for entry in entries.clone() {
            let own = self.entries_mut().and_then(|own| own.iter_mut().find(|e| e.key == entry.key));
            match own {
                Some(own) => match (&mut own.node.value, entry.node.value) {
                    (Value::List(list), Value::List(more)) if tables(list) && tables(&more) => {
                        list.extend(more)
                    }
                    (Value::Table(_), value @ Value::Table(_)) => {
                        own.node.overlay(Node { value, ..entry.node })
                    }
                    (_, value) => {
                        own.key_place = entry.key_place;
                        own.node = Node { value, ..entry.node };
                    }
                },
                None => self.entries_mut().into_iter().for_each(|own| own.push(entry.clone())),
            }
        }
    }

    /// What it says, wherever it stands.
    pub fn text(&self) -> String {
        match &self.value {
            Value::List(list) => format!("[{}]", list.iter().map(Node::text).collect::<Vec<_>>().join(",")),
            Value::Table(entries) => {
                let entry = |entry: &Entry| format!("{:?}={}", entry.key, entry.node.text());
                format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(","))
            }
            other => format!("{other:?}"),
        }
    }

    /// The same without a key, given by its path.
    pub fn without(&self, path: &[&str]) -> Node {
        let mut node = self.clone();
        let ([key, rest @ ..], Some(entries)) = (path, node.entries_mut()) else { return node };
        match rest {
            [] => entries.retain(|entry| entry.key != *key),
            _ => entries
                .iter_mut()
                .filter(|entry| entry.key == *key)
                .for_each(|entry| entry.node = entry.node.without(rest)),
        }
        node
    }

    /// Does something to it and to all that is in it.
    fn each(&mut self, change: &impl Fn(&mut Node)) {
        change(self);
        match &mut self.value {
            Value::List(list) => list.iter_mut().for_each(|node| node.each(change)),
            Value::Table(entries) => entries.iter_mut().for_each(|entry| entry.node.each(change)),
            _ => {}
        }
    }

    /// Marks the value of a key, given by its path, as one that only looks on.
    pub fn set_aside(&mut self, path: &[&str]) {
        let Some((key, rest)) = path.split_first() else { return self.each(&|node| node.aside = true) };
        let found = self.entries_mut().and_then(|all| all.iter_mut().find(|entry| entry.key == *key));
        found.into_iter().for_each(|entry| entry.node.set_aside(rest));
    }
}

fn tables(list: &[Node]) -> bool {
    list.iter().all(|node| matches!(node.value, Value::Table(_)))
}

/// Reads files into one tree.
#[derive(Debug, Default)]
pub struct Files {
    /// All that was read, in this order.
    pub sources: Vec<Source>,
}

impl Files {
    /// The tree of a text; `folder` is where its includes are, if they can be anywhere.
    pub fn parse(&mut self, name: &str, text: &str, folder: Option<&Path>) -> Result<Node, Fault> {
        self.parse_within(name, text, folder, 0)
    }

    fn parse_within(
        &mut self,
        name: &str,
        text: &str,
        folder: Option<&Path>,
        depth: usize,
    ) -> Result<Node, Fault> {
        let file = self.sources.len() as u32;
        self.sources.push(Source { name: name.into(), text: text.into() });
        let table = DeTable::parse(text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            let place = Place { file, start: span.start as u32, end: span.end as u32 };
            Fault::new(error.message().replace('\n', ", ")).at(place)
        })?;
        let mut root = Convert { file }.table(table.span(), table.get_ref(), &[], false)?;
        let Some(entries) = root.entries_mut() else { return Ok(root) };
        let Some(at) = entries.iter().position(|entry| entry.key == "include") else { return Ok(root) };
        let include = entries.remove(at);
        let mut whole = Node { value: Value::Table(Vec::new()), ..root.clone() };
        for (path, place) in paths(&include)? {
            let Some(folder) = folder else {
                return Err(Fault::new("a built-in scene includes no files").at(place));
            };
            whole.overlay(self.include(&folder.join(path), place, depth)?);
        }
        whole.overlay(root);
        Ok(whole)
    }

    fn include(&mut self, path: &Path, place: Place, depth: usize) -> Result<Node, Fault> {
        let name = path.display().to_string();
        if depth == DEEPEST {
            let remedy = "let no file include itself, not even through others";
            return Err(Fault::new(format!("{name} is included too deeply")).remedy(remedy).at(place));
        }
        let text = read(path).map_err(|fault| fault.at(place))?;
        self.parse_within(&name, &text, path.parent(), depth + 1)
    }

    /// Puts settings of the command line into a tree: `mu=0.4` is a parameter, `time.end=2` a key of the scene.
    pub fn set(&mut self, root: &mut Node, settings: &[String]) -> Result<(), Fault> {
        for setting in settings {
            let over = self.setting(setting)?;
            let Value::Table(entries) = over.value.clone() else { continue };
            for entry in entries {
                if matches!(entry.node.value, Value::Table(_)) {
                    refuse_list(root, &entry)?;
                    root.overlay(Node { value: Value::Table(vec![entry]), ..over.clone() });
                } else {
                    set_parameter(root, entry)?;
                }
            }
        }
        Ok(())
    }

    /// The tree of one setting. A value that is not TOML is taken as text, so that names need no quotes.
    fn setting(&mut self, setting: &str) -> Result<Node, Fault> {
        let file = self.sources.len() as u32;
        self.sources.push(Source { name: SETTING.into(), text: setting.into() });
        if let Ok(table) = DeTable::parse(setting) {
            return Convert { file }.table(table.span(), table.get_ref(), &[], false);
        }
        let wrong = || {
            let place = Place { file, start: 0, end: setting.len() as u32 };
            Fault::new("give NAME=VALUE, such as mu=0.4 or time.end=2").at(place)
        };
        let (key, value) = setting.split_once('=').ok_or_else(wrong)?;
        let quoted = format!("{key}={:?}", value.trim());
        let table = DeTable::parse(&quoted).map_err(|_| wrong())?;
        let mut tree = Convert { file }.table(table.span(), table.get_ref(), &[], false)?;
        // the value stands without quotes
        let place = Place { file, start: key.len() as u32 + 1, end: setting.len() as u32 };
        tree.each(&|node| node.place = place);
        Ok(tree)
    }
}

/// The text of a file, or why there is none.
pub fn read(path: &Path) -> Result<String, Fault> {
    std::fs::read_to_string(path).map_err(|error| {
        let remedy = match error.kind() {
            std::io::ErrorKind::InvalidData => "give a text file, saved as UTF-8",
            _ => "check the name and the permissions",
        };
        Fault::new(format!("{}: cannot be read ({error})", path.display())).remedy(remedy)
    })
}

/// Keys at the top of a scene that are no tables.
const TOP: [&str; 8] = ["title", "dimension", "units", "seed", "gravity", "periods", "scheme", "overlaps"];

/// Refuses a key of a list, of whose tables none is named.
fn refuse_list(root: &Node, entry: &Entry) -> Result<(), Fault> {
    if !matches!(root.get(&entry.key).map(|node| &node.value), Some(Value::List(_))) {
        return Ok(());
    }
    let fault = Fault::new(format!("[[{}]] is a list, whose tables cannot be set", entry.key));
    Err(fault.remedy("write a parameter there, such as \"$r\", and set that").at(entry.key_place))
}

/// A setting without a dot: a parameter that the scene has, or a key at its top.
fn set_parameter(root: &mut Node, entry: Entry) -> Result<(), Fault> {
    let names: Vec<String> = match root.get("parameters").map(|node| &node.value) {
        Some(Value::Table(known)) => known.iter().map(|entry| entry.key.clone()).collect(),
        _ => Vec::new(),
    };
    if !names.contains(&entry.key) {
        if TOP.contains(&entry.key.as_str()) {
            root.overlay(Node { value: Value::Table(vec![entry]), ..root.clone() });
            return Ok(());
        }
        let fault = Fault::new(format!("the scene has no parameter \"{}\"", entry.key)).at(entry.key_place);
        let near = did_you_mean(&entry.key, names.iter().map(String::as_str));
        return Err(fault.remedy(near.unwrap_or_else(|| match names.len() {
            0 => "define it under [parameters], or give a key of the scene, such as time.end=2".into(),
            _ => format!("its parameters are {}", names.join(", ")),
        })));
    }
    let parameters = root.entries_mut().and_then(|all| all.iter_mut().find(|e| e.key == "parameters"));
    let known = parameters.and_then(|all| all.node.entries_mut());
    if let Some(own) = known.and_then(|known| known.iter_mut().find(|own| own.key == entry.key)) {
        own.key_place = entry.key_place;
        own.node = entry.node;
    }
    Ok(())
}

/// The files that an `include` names.
fn paths(include: &Entry) -> Result<Vec<(PathBuf, Place)>, Fault> {
    let wrong = |node: &Node| {
        Fault::new("the names of files are expected")
            .remedy("write include = [\"walls.toml\"]")
            .at(node.place)
    };
    let Value::List(list) = &include.node.value else { return Err(wrong(&include.node)) };
    list.iter()
        .map(|node| match &node.value {
            Value::Text(path) => Ok((PathBuf::from(path), node.place)),
            _ => Err(wrong(node)),
        })
        .collect()
}

/// Copies at most of one table.
const MOST_COPIES: usize = 1_000_000;

/// Writes out the tables of a list that have a `repeat`; `count` reads how often.
pub fn repeat(
    root: &mut Node,
    list: &str,
    count: &mut dyn FnMut(&Node) -> Result<usize, Fault>,
) -> Result<(), Fault> {
    let Some(entry) = root.entries_mut().and_then(|all| all.iter_mut().find(|e| e.key == list)) else {
        return Ok(());
    };
    let Value::List(tables) = &mut entry.node.value else { return Ok(()) };
    let mut all = Vec::with_capacity(tables.len());
    for table in std::mem::take(tables) {
        let Some(repeat) = table.get("repeat") else {
            all.push(table);
            continue;
        };
        let copies = count(repeat)?;
        if copies > MOST_COPIES {
            let place = repeat.get("count").map_or(repeat.place, |count| count.place);
            return Err(Fault::new(format!("{copies} copies: give at most {MOST_COPIES}")).at(place));
        }
        for index in 0..copies {
            let mut copy = table.clone();
            copy.each(&|node| node.index = Some(index));
            all.push(copy);
        }
    }
    *tables = all;
    Ok(())
}

/// From TOML, file by file.
struct Convert {
    file: u32,
}

impl Convert {
    fn place(&self, span: std::ops::Range<usize>) -> Place {
        Place { file: self.file, start: span.start as u32, end: span.end as u32 }
    }

    fn table(
        &self,
        span: std::ops::Range<usize>,
        table: &DeTable,
        path: &[&str],
        in_list: bool,
    ) -> Result<Node, Fault> {
        let label = match (path, in_list) {
            ([], _) => "the scene".to_string(),
            (path, true) => format!("[[{}]]", path.join(".")),
            (path, false) => format!("[{}]", path.join(".")),
        };
        let mut entries = Vec::new();
        for (key, value) in table.iter() {
            let below = [path, &[key.get_ref().as_ref()]].concat();
            entries.push(Entry {
                key: key.get_ref().to_string(),
                key_place: self.place(key.span()),
                node: self.node(value, &below, false)?,
            });
        }
        entries.sort_by_key(|entry| entry.key_place.start);
        Ok(Node {
            place: self.place(span),
            value: Value::Table(entries),
            path: label,
            index: None,
            aside: false,
        })
    }

    fn node(&self, value: &Spanned<DeValue>, path: &[&str], in_list: bool) -> Result<Node, Fault> {
        let place = self.place(value.span());
        let unreadable = |text: &str| Fault::new(format!("\"{text}\" is out of range")).at(place);
        let converted = match value.get_ref() {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
                .map(Value::Integer)
                .map_err(|_| unreadable(number.as_str()))?,
            DeValue::Float(number) => {
                number.as_str().parse().map(Value::Float).map_err(|_| unreadable(number.as_str()))?
            }
            DeValue::Boolean(bool) => Value::Bool(*bool),
            DeValue::Datetime(date) => {
                let remedy = "give a number, text, a list or a table";
                return Err(Fault::new(format!("{date} is a date")).remedy(remedy).at(place));
            }
            DeValue::Array(list) => {
                Value::List(list.iter().map(|item| self.node(item, path, true)).collect::<Result<_, _>>()?)
            }
            DeValue::Table(table) => return self.table(value.span(), table, path, in_list),
        };
        Ok(Node { place, value: converted, path: String::new(), index: None, aside: false })
    }
}
