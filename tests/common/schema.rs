//! A small checker of JSON schemas: the keywords that the published ones use.

use serde_json::Value;

/// Everything in `value` that `schema` doesn't allow, and fields it doesn't know.
pub fn violations(schema: &Value, value: &Value, at: &str) -> Vec<String> {
    let mut found = Vec::new();
    let named: Vec<&str> = match &schema["type"] {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !named.iter().any(|name| is_a(name, value)) {
        found.push(format!("{at}: {value} is none of {named:?}"));
    }
    if schema["const"] != Value::Null && schema["const"] != *value {
        found.push(format!("{at}: not the constant"));
    }
    if let Some(allowed) = schema["enum"].as_array().filter(|allowed| !allowed.contains(value)) {
        found.push(format!("{at}: {value} not in {allowed:?}"));
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value.get(name).is_none() {
            found.push(format!("{at}.{name} is missing"));
        }
    }
    for (name, part) in value.as_object().into_iter().flatten() {
        let inner = schema["properties"].get(name).or_else(|| schema.get("additionalProperties"));
        match inner {
            Some(inner) => found.extend(violations(inner, part, &format!("{at}.{name}"))),
            None => found.push(format!("{at}.{name} is not described")),
        }
    }
    if let (Some(parts), Some(inner)) = (value.as_array(), schema.get("items")) {
        parts.iter().for_each(|part| found.extend(violations(inner, part, at)));
    }
    found
}

fn is_a(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        _ => false,
    }
}
