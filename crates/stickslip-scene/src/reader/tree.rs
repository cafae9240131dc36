//! A scene as a tree of values, each with its place: read from TOML, with other files included, settings of the command
//! line put in, and repeated tables written out.

use super::place::{Fault, Place, Source};
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
                    (_, value) => own.node.overlay(Node { value, ..entry.node }),
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

    /// Marks all of it as part of a copy.
    fn set_index(&mut self, index: usize) {
        self.index = Some(index);
        match &mut self.value {
            Value::List(list) => list.iter_mut().for_each(|node| node.set_index(index)),
            Value::Table(entries) => entries.iter_mut().for_each(|entry| entry.node.set_index(index)),
            _ => {}
        }
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
            let file = self.sources.len() as u32;
            let quoted = || {
                let (key, value) = setting.split_once('=')?;
                Some(format!("{}={:?}", key, value.trim()))
            };
            let text = match DeTable::parse(setting) {
                Ok(_) => setting.clone(),
                Err(_) => quoted().unwrap_or_else(|| setting.clone()),
            };
            self.sources.push(Source { name: "--set".into(), text: text.clone() });
            let table = DeTable::parse(&text).map_err(|_| {
                Fault::new(format!("--set {setting}: give NAME=VALUE, such as mu=0.4 or time.end=2"))
            })?;
            let over = Convert { file }.table(table.span(), table.get_ref(), &[], false)?;
            let Value::Table(entries) = over.value.clone() else { continue };
            for entry in entries {
                if matches!(entry.node.value, Value::Table(_)) {
                    root.overlay(Node { value: Value::Table(vec![entry]), ..over.clone() });
                } else {
                    set_parameter(root, entry)?;
                }
            }
        }
        Ok(())
    }
}

/// The text of a file, or why there is none.
pub fn read(path: &Path) -> Result<String, Fault> {
    std::fs::read_to_string(path).map_err(|error| {
        Fault::new(format!("{}: cannot be read ({error})", path.display()))
            .remedy("check the name and the permissions")
    })
}

/// Keys at the top of a scene that are no tables.
const TOP: [&str; 8] = ["title", "dimension", "units", "seed", "gravity", "periods", "scheme", "overlaps"];

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
        let near = super::nearest::nearest(&entry.key, names.iter().map(String::as_str));
        return Err(match near {
            Some(name) => fault.remedy(format!("did you mean \"{name}\"?")),
            None if names.is_empty() => {
                fault.remedy("define it under [parameters], or give a key of the scene, such as time.end=2")
            }
            None => fault.remedy(format!("its parameters are {}", names.join(", "))),
        });
    }
    let parameters = root.entries_mut().and_then(|all| all.iter_mut().find(|e| e.key == "parameters"));
    let known = parameters.and_then(|all| all.node.entries_mut());
    if let Some(own) = known.and_then(|known| known.iter_mut().find(|own| own.key == entry.key)) {
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
const MOST_COPIES: usize = 10_000_000;

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
            return Err(Fault::new(format!("{copies} copies: give at most {MOST_COPIES}")).at(repeat.place));
        }
        for index in 0..copies {
            let mut copy = table.clone();
            copy.set_index(index);
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
        Ok(Node { place: self.place(span), value: Value::Table(entries), path: label, index: None })
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
        Ok(Node { place, value: converted, path: String::new(), index: None })
    }
}
