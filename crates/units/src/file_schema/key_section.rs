//! The keys of one section of a TOML file: name, meaning and default of each, as a Markdown table.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::field_order::field_names;
use super::json_schema::json_schema_to_read;
use super::markdown::add_table;

/// One key of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyEntry {
    /// Name of the key.
    pub name: String,
    /// Meaning in Markdown, with the values of an enumeration.
    pub meaning: String,
    /// Default in Markdown: a value, `needed` or `none`.
    pub default: String,
}

/// The keys of a section, from the type that reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeySection {
    /// Heading: the first paragraph of the type's doc comment.
    pub heading: String,
    /// Further paragraphs of the type's doc comment, in Markdown.
    pub notes: String,
    /// Keys in the order of their declaration; those that are sections themselves are left out.
    pub keys: Vec<KeyEntry>,
}

impl KeySection {
    /// The section that a type reads.
    pub fn of<T: JsonSchema + DeserializeOwned>() -> Self {
        Self::of_keys::<T>(|property| !text_of(property).starts_with("`["))
    }

    /// The section that a type reads, with the keys that are sections themselves.
    pub fn with_sections<T: JsonSchema + DeserializeOwned>() -> Self {
        Self::of_keys::<T>(|_| true)
    }

    fn of_keys<T: JsonSchema + DeserializeOwned>(is_listed: impl Fn(&Value) -> bool) -> Self {
        let schema = json_schema_to_read::<T>();
        let (heading, notes) = paragraphs(text_of(&schema));
        let needed = |name: &str| {
            schema["required"].as_array().is_some_and(|names| names.iter().any(|n| n == name))
        };
        let entry = |name: &&str| {
            let property = &schema["properties"][*name];
            is_listed(property).then(|| key_entry(name, property, &schema["$defs"], needed(name)))
        };
        let keys = field_names::<T>().iter().filter_map(entry).collect();
        Self { heading: heading.trim_end_matches('.').to_owned(), notes: notes.to_owned(), keys }
    }

    /// Markdown: a heading of the third level, a table and the notes.
    pub fn markdown(&self) -> String {
        let mut text = format!("### {}\n", self.heading);
        let rows = self
            .keys
            .iter()
            .map(|key| [format!("`{}`", key.name), key.meaning.clone(), key.default.clone()]);
        add_table(&mut text, ["key", "meaning", "default"], rows);
        if !self.notes.is_empty() {
            let _ = writeln!(text, "\n{}", self.notes);
        }
        text
    }
}

fn text_of(schema: &Value) -> &str {
    schema["description"].as_str().unwrap_or_default()
}

/// The first paragraph and the others.
fn paragraphs(text: &str) -> (&str, &str) {
    text.split_once("\n\n").unwrap_or((text, ""))
}

fn key_entry(name: &str, property: &Value, definitions: &Value, is_needed: bool) -> KeyEntry {
    let (text, stated) = split_default(text_of(property));
    let mut meaning = text.trim_end_matches('.').replace("\n\n", " ");
    let values = values_of(resolved(property, definitions));
    if !values.is_empty() {
        let _ = write!(meaning, ": {}", values.join("; "));
    }
    let default = match (stated, property.get("default")) {
        (Some(stated), _) => with_small_letter(stated),
        (None, Some(value)) => shown(value),
        (None, None) => if is_needed { "needed" } else { "none" }.to_owned(),
    };
    KeyEntry { name: name.to_owned(), meaning, default }
}

/// The definition that a property refers to, or the property.
fn resolved<'v>(property: &'v Value, definitions: &'v Value) -> &'v Value {
    let name = property["$ref"].as_str().and_then(|target| target.strip_prefix("#/$defs/"));
    name.and_then(|name| definitions.get(name)).unwrap_or(property)
}

/// Splits off the last sentence where it is a default: `Default: 3 x cases.`, `Needed, unless ...`.
fn split_default(text: &str) -> (&str, Option<&str>) {
    let text = text.trim_end().trim_end_matches('.');
    if let Some((before, default)) = text.rsplit_once("Default: ") {
        return (before.trim_end(), Some(default));
    }
    match text.rsplit_once(". Needed") {
        Some((before, _)) => {
            let stated = &text[before.len() + ". ".len()..];
            (before, Some(stated))
        }
        None => (text, None),
    }
}

/// A value as TOML writes it, in Markdown.
fn shown(value: &Value) -> String {
    match (value, value.as_f64()) {
        (_, Some(number)) => number.to_string(),
        (Value::Bool(is), _) => is.to_string(),
        (value, _) => format!("`{value}`"),
    }
}

/// The values of an enumeration, each with its meaning if that adds to the name.
fn values_of(schema: &Value) -> Vec<String> {
    let alternatives = schema["oneOf"].as_array().into_iter().flatten();
    let values = |alternative: &Value| -> Vec<String> {
        if let Some(value) = alternative.get("const") {
            return vec![value_with_meaning(value, text_of(alternative))];
        }
        let values = alternative["enum"].as_array().into_iter().flatten();
        values.map(|value| format!("`{value}`")).collect()
    };
    alternatives.chain([schema]).flat_map(values).collect()
}

fn value_with_meaning(value: &Value, meaning: &str) -> String {
    let meaning = meaning.trim_end_matches('.').replace("\n\n", " ");
    let is_name = value.as_str().is_some_and(|name| name.eq_ignore_ascii_case(&meaning));
    match meaning.is_empty() || is_name {
        true => format!("`{value}`"),
        false => format!("`{value}`, {}", with_small_letter(&meaning)),
    }
}

/// The text with a small first letter, unless its first word is an abbreviation or code.
fn with_small_letter(text: &str) -> String {
    let mut letters = text.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if !second.is_uppercase() => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    use super::*;

    /// `[outer]`: one section.
    ///
    /// A note
    /// of two lines.
    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its schema is of interest")]
    struct Outer {
        /// Name of
        /// the thing.
        name: String,
        /// `a || b`. Default: 3 x `other`.
        factor: Option<f64>,
        /// Class to start. Needed, unless there is a `name`.
        class: Option<String>,
        /// Kind.
        #[serde(default)]
        kind: Kind,
        /// `[outer.inner]`.
        inner: Option<Inner>,
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is of interest")]
    struct Inner {
        value: u8,
    }

    #[derive(Default, Deserialize, Serialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Kind {
        /// The first kind.
        #[default]
        First,
        /// JVM only.
        Second,
    }

    #[test]
    fn a_section_is_a_table_of_its_keys() {
        let expected = "### `[outer]`: one section\n| key | meaning | default |\n|---|---|---|\n\
            | `name` | Name of the thing | needed |\n\
            | `factor` | `a \\|\\| b` | 3 x `other` |\n\
            | `class` | Class to start | needed, unless there is a `name` |\n\
            | `kind` | Kind: `\"first\"`, the first kind; `\"second\"`, JVM only | `\"first\"` |\n\
            \nA note of two lines.\n";
        assert_eq!(KeySection::of::<Outer>().markdown(), expected);
    }
}
