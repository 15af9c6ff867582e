//! The published schemas describe what is written: a small checker of the keywords that
//! they use.

use serde_json::Value;

use crate::model::table::{ColumnChoice, Table};
use crate::model::{FORMAT, FitOptions, Solver, fit};

const SCHEMA: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/model.schema.json"));

/// Everything in `value` that `schema` doesn't allow, and fields it doesn't know.
pub(crate) fn violations(schema: &Value, value: &Value, at: &str) -> Vec<String> {
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

/// Rows of two counts and an energy.
fn table(rows: &str) -> Table {
    let choice = ColumnChoice::default();
    Table::from_csv(format!("op_0,op_1,energy_j\n{rows}"), &choice).unwrap()
}

#[test]
fn models_of_all_solvers_follow_the_schema() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    assert_eq!(schema["properties"]["format"]["const"], FORMAT);
    let data = table("1,0,1.0\n2,1,2.6\n1,4,3.1\n3,1,3.4\n5,0,5.1\n2,2,3.0\n");
    let together = table("1,1,1.0\n2,2,2.0\n3,3,3.1\n");
    for solver in Solver::ALL {
        for data in [&data, &together] {
            let Ok(model) = fit(data, &FitOptions::new(solver)) else {
                assert_eq!(solver, Solver::Bayes);
                continue;
            };
            let value: Value = serde_json::from_str(&model.to_json().unwrap()).unwrap();
            assert_eq!(violations(&schema, &value, "model"), [""; 0], "{solver:?}");
        }
    }
}

#[test]
fn the_checker_can_fail() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let found = violations(&schema, &serde_json::json!({"format": 2, "x": 1}), "model");
    assert!(found.iter().any(|f| f.contains("constant")), "{found:?}");
    assert!(found.iter().any(|f| f.contains("model.x")), "{found:?}");
    assert!(found.iter().any(|f| f.contains("model.costs is missing")), "{found:?}");
}
