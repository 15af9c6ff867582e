//! JSON schemas (draft 2020-12) of the TOML files that a type reads, for editors.

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

/// Returns the JSON schema of the TOML that a type reads, with a title of its own and without
/// links, which lead nowhere in an editor.
pub fn json_schema_for_editors<T: JsonSchema>(title: &str) -> Value {
    let mut schema = json_schema_to_read::<T>();
    without_links(&mut schema);
    schema["title"] = title.into();
    schema
}

/// The JSON schema of the TOML that a type reads, with the links of its descriptions.
pub(super) fn json_schema_to_read<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12();
    let settings = settings.with_transform(RecursiveTransform(plain as fn(&mut Schema)));
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// Removes from a schema what TOML does not have: null, and defaults of whole sections.
fn plain(schema: &mut Schema) {
    let Some(schema) = schema.as_object_mut() else { return };
    if let Some(Value::Array(kinds)) = schema.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [kind] = kinds.as_slice() {
            let kind = kind.clone();
            schema.insert("type".into(), kind);
        }
    }
    if let Some(inner) = schema.get("anyOf").and_then(without_null).cloned() {
        schema.remove("anyOf");
        for (keyword, value) in inner {
            schema.entry(keyword).or_insert(value);
        }
    }
    let is_plain = |value: &Value| value.is_boolean() || value.is_number() || value.is_string();
    if schema.get("default").is_some_and(|value| !is_plain(value) || value == "") {
        schema.remove("default");
    }
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = one_line(text);
    }
}

/// The one alternative of two that is not null.
fn without_null(alternatives: &Value) -> Option<&serde_json::Map<String, Value>> {
    match alternatives.as_array()?.as_slice() {
        [inner, null] if null.get("type").is_some_and(|kind| kind == "null") => inner.as_object(),
        _ => None,
    }
}

/// The text with paragraphs, but without the line breaks in them.
fn one_line(text: &str) -> String {
    let paragraph = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.split("\n\n").map(paragraph).collect::<Vec<_>>().join("\n\n")
}

/// Replaces the Markdown links in all descriptions of a schema by their text.
fn without_links(schema: &mut Value) {
    match schema {
        Value::Object(keywords) => {
            for (keyword, value) in keywords {
                match value {
                    Value::String(text) if keyword == "description" => *text = link_texts(text),
                    value => without_links(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(without_links),
        _ => {}
    }
}

/// The text with `[text](target)` replaced by `text`.
fn link_texts(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        plain.push_str(before);
        let link = after.split_once("](").and_then(|(name, target)| {
            let (target, rest) = target.split_once(')')?;
            let is_link = !name.contains(['[', ']']) && !target.contains(' ');
            is_link.then_some((name, rest))
        });
        match link {
            Some((name, after)) => {
                plain.push_str(name);
                rest = after;
            }
            None => {
                plain.push('[');
                rest = after;
            }
        }
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_become_their_text() {
        assert_eq!(link_texts("see [plan](../plan.md#a) and `[x, y]`"), "see plan and `[x, y]`");
        assert_eq!(link_texts("`[ab]` one, [b](c)"), "`[ab]` one, b");
        assert_eq!(link_texts("open [a"), "open [a");
    }
}
