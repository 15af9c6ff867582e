//! Keys of a budget file, for the reference and for editors.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::Value;
use wattline_units::file_schema::{KeySection, json_schema_for_editors};

/// Sections of a budget file: tables of names with budgets.
///
/// A budget is a positive number of joules above idle: `"com.example.Main.run()" = 1.5`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "`budget.rs` reads the file, with messages of its own")]
struct BudgetSections {
    /// `[scenarios]`: budgets by the name of a scenario.
    #[serde(default)]
    #[schemars(schema_with = "budgets_by_name")]
    scenarios: BTreeMap<String, f64>,
    /// `[inputs]`: budgets by the name of an input.
    #[serde(default)]
    #[schemars(schema_with = "budgets_by_name")]
    inputs: BTreeMap<String, f64>,
    /// `[classes]`: budgets by class, with its package.
    #[serde(default)]
    #[schemars(schema_with = "budgets_by_name")]
    classes: BTreeMap<String, f64>,
    /// `[methods]`: budgets by method, with its class and the types of its parameters.
    #[serde(default)]
    #[schemars(schema_with = "budgets_by_name")]
    methods: BTreeMap<String, f64>,
}

fn budgets_by_name(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "additionalProperties": { "type": "number", "exclusiveMinimum": 0 },
    })
}

/// Returns the sections of a budget file.
pub fn budget_sections() -> Vec<KeySection> {
    vec![KeySection::with_sections::<BudgetSections>()]
}

/// Returns the JSON schema (draft 2020-12) of a budget file.
pub fn budget_json_schema() -> Value {
    json_schema_for_editors::<BudgetSections>("Energy budgets of wattline")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use wattline_units::file_schema::field_names;

    use super::super::budget::SECTIONS;
    use super::*;

    #[test]
    fn the_schema_has_the_sections_that_are_read() {
        let read: BTreeSet<&str> = SECTIONS.iter().map(|(section, _)| *section).collect();
        assert_eq!(field_names::<BudgetSections>().iter().copied().collect::<BTreeSet<_>>(), read);
        assert_eq!(budget_json_schema()["additionalProperties"], false);
    }
}
