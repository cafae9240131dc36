//! The JSON schema of scene files, for editors, and the reference page made from it.

use crate::format::SceneFile;
use serde_json::{Map, Value, json};

/// The JSON schema of scene files.
pub fn schema() -> Value {
    let mut schema = schemars::schema_for!(SceneFile).to_value();
    simplify(&mut schema);
    let definitions = schema["$defs"].clone();
    name_kinds(&mut schema, &definitions);
    schema["$defs"]["number"] = json!({
        "description": "A number, a formula in quotes such as \"2 * $r\", or a random number { random = [low, high] }.",
        "anyOf": [
            { "type": "number" },
            { "type": "string" },
            {
                "type": "object", "additionalProperties": false, "required": ["random"],
                "properties": { "random": { "type": "array", "minItems": 2, "maxItems": 2 } },
            },
        ],
    });
    schema["$defs"]["count"] = json!({
        "description": "A whole number, or a formula in quotes.",
        "anyOf": [{ "type": "integer", "minimum": 0 }, { "type": "string" }],
    });
    schema
}

/// TOML has no null, and numbers may be formulas.
fn simplify(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(simplify),
        Value::Object(object) => {
            drop_null(object);
            object.values_mut().for_each(simplify);
            let reference = match object.get("type").and_then(Value::as_str) {
                Some("number") => "#/$defs/number",
                Some("integer") => "#/$defs/count",
                _ => return,
            };
            for key in ["type", "format", "minimum", "maximum"] {
                object.remove(key);
            }
            object.insert("$ref".into(), reference.into());
        }
        _ => {}
    }
}

fn drop_null(object: &mut Map<String, Value>) {
    if let Some(Value::Array(kinds)) = object.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [kind] = &kinds[..] {
            let kind = kind.clone();
            object.insert("type".into(), kind);
        }
    }
    if let Some(Value::Array(kinds)) = object.get_mut("anyOf") {
        kinds.retain(|kind| kind["type"] != "null");
        if let [Value::Object(kind)] = &kinds[..] {
            let kind = kind.clone();
            object.remove("anyOf");
            object.extend(kind);
        }
    }
    if object.get("default") == Some(&Value::Null) {
        object.remove("default");
    }
}

/// A kind whose settings all have defaults may stand as its name alone.
fn name_kinds(schema: &mut Value, definitions: &Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(|item| name_kinds(item, definitions)),
        Value::Object(object) => {
            object.values_mut().for_each(|value| name_kinds(value, definitions));
            let Some(Value::Array(kinds)) = object.get_mut("oneOf") else { return };
            let alone = |kind: &Value| {
                let key = kind["required"].as_array()?.first()?.as_str()?;
                let settings = &definitions[definition(&kind["properties"][key])?];
                let optional = settings["properties"].is_object() && settings["required"].is_null();
                optional
                    .then(|| json!({ "const": key, "type": "string", "description": kind["description"] }))
            };
            let more: Vec<Value> = kinds.iter().filter_map(alone).collect();
            kinds.extend(more);
        }
        _ => {}
    }
}

/// The name of the definition that a schema refers to.
fn definition(schema: &Value) -> Option<String> {
    Some(schema["$ref"].as_str()?.trim_start_matches("#/$defs/").replace("%20", " "))
}

/// The reference page: every key with its meaning, unit and default.
pub fn reference() -> String {
    let schema = schema();
    let mut page = Page { schema: &schema, order: vec![], text: String::new() };
    page.text += "# Scene reference\n\n\
                  This page is made from the source by `stickslip schema --reference`. A key without a default must be given.\n\n";
    page.section("scene", &schema);
    let mut k = 0;
    while let Some(name) = page.order.get(k).cloned() {
        page.section(&name, &schema["$defs"][&name]);
        k += 1;
    }
    page.text
}

struct Page<'a> {
    schema: &'a Value,
    /// Sections to come, in the order in which they are named.
    order: Vec<String>,
    text: String,
}

impl Page<'_> {
    fn section(&mut self, name: &str, schema: &Value) {
        self.text += &format!("## {name}\n\n");
        if let Some(text) = schema["description"].as_str() {
            self.text += &format!("{text}\n\n");
        }
        if let Some(properties) = schema["properties"].as_object() {
            self.text += "| key | value | meaning |\n|---|---|---|\n";
            for (key, value) in properties {
                let (kind, meaning) = (self.kind(value), in_cell(value));
                self.text += &format!("| `{key}` | {kind} | {meaning} |\n");
            }
            self.text += "\n";
        }
        let kinds = schema["oneOf"].as_array().or(schema["anyOf"].as_array());
        let Some(kinds) = kinds else { return };
        self.text += "One of:\n\n";
        let mut written: Vec<String> = Vec::new();
        for kind in kinds {
            let line = self.one_of(kind);
            if !line.is_empty() && !written.contains(&line) {
                self.text += &format!("- {line}\n");
                written.push(line);
            }
        }
        self.text += "\n";
    }

    /// One of several kinds: a name, or a name with settings.
    fn one_of(&mut self, kind: &Value) -> String {
        let meaning = in_cell(kind);
        if let Some(names) = kind["enum"].as_array() {
            return names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        }
        if let Some(name) = kind["const"].as_str() {
            return format!("`\"{name}\"`: {meaning}");
        }
        if let Some((key, value)) = kind["properties"].as_object().and_then(|all| all.iter().next()) {
            return format!("`{{ {key} = … }}` with {}: {meaning}", self.kind(value));
        }
        let shown = self.kind(kind);
        if meaning.is_empty() { shown } else { format!("{shown}: {meaning}") }
    }

    /// What a value is, in a word or two.
    fn kind(&mut self, schema: &Value) -> String {
        if let Some(name) = definition(schema) {
            if !self.order.contains(&name) && self.schema["$defs"].get(&name).is_some() {
                self.order.push(name.clone());
            }
            return format!("[{name}](#{})", name.to_lowercase().replace(' ', "-"));
        }
        if let Some(items) = schema["prefixItems"].as_array() {
            let items: Vec<String> = items.iter().map(|item| self.kind(item)).collect();
            return format!("[{}]", items.join(", "));
        }
        if let Some(kinds) = schema["anyOf"].as_array() {
            return kinds.iter().map(|kind| self.kind(kind)).collect::<Vec<_>>().join(" or ");
        }
        match schema["type"].as_str() {
            Some("array") => format!("list of {}", self.kind(&schema["items"])),
            Some("object") if schema["additionalProperties"].is_object() => {
                format!("table of {}", self.kind(&schema["additionalProperties"]))
            }
            Some("object") => "table".into(),
            Some("boolean") => "true or false".into(),
            Some("string") => "text".into(),
            Some(other) => other.into(),
            None => "value".into(),
        }
    }
}

/// A description on one line.
fn in_cell(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().replace('\n', " ").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_tells_its_default_or_must_be_given() {
        fn check(name: &str, schema: &Value) {
            let Some(properties) = schema["properties"].as_object() else { return };
            let required: Vec<&str> =
                schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            for (key, value) in properties {
                let text = value["description"].as_str().unwrap_or_default();
                assert!(!text.is_empty(), "{name}.{key} has no description");
                let given = required.contains(&key.as_str());
                assert!(given != text.contains("Default"), "{name}.{key}: {text}");
            }
        }
        let schema = schema();
        check("scene", &schema);
        for (name, definition) in schema["$defs"].as_object().unwrap() {
            if definition["oneOf"].is_null() && name != "number" {
                check(name, definition);
            }
        }
    }
}
