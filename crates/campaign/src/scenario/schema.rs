//! JSON schema of scenario files, and their keys for the reference, from the types that read them.

use serde_json::{Value, json};
use wattline_units::file_schema::{KeySection, json_schema_for_editors};

use super::application_section::ApplicationSection;
use super::campaign_section::CampaignSection;
use super::file::{
    BoardSection, HintsSection, InputSection, LibrarySection, LimitsSection,
    MicrobenchmarksSection, OfflineSection, ProcessorSection, ScenarioFile, SessionSection,
    SourceSection,
};
use super::input::StepSection;
use super::meter_log::LogSection;

/// Whether a Gradle or Maven build provides keys that a scenario leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeysOfBuild {
    /// The scenario stands alone.
    None,
    /// `--gradle` or `--maven` provides names, sources, class path and input.
    Provided,
}

/// Returns the keys of a scenario file, by section in the order of the file.
pub fn scenario_sections() -> Vec<KeySection> {
    vec![
        KeySection::of::<ScenarioFile>(),
        KeySection::of::<ApplicationSection>(),
        KeySection::of::<SourceSection>(),
        KeySection::of::<LibrarySection>(),
        KeySection::of::<ProcessorSection>(),
        KeySection::of::<SessionSection>(),
        KeySection::of::<InputSection>(),
        KeySection::of::<StepSection>(),
        KeySection::of::<BoardSection>(),
        KeySection::of::<LogSection>(),
        KeySection::of::<CampaignSection>(),
        KeySection::of::<LimitsSection>(),
        KeySection::of::<MicrobenchmarksSection>(),
        KeySection::of::<HintsSection>(),
        KeySection::of::<OfflineSection>(),
    ]
}

/// Returns the JSON schema (draft 2020-12) of a scenario file, with the conditions of the checks
/// that a schema can have.
pub fn scenario_json_schema(build: KeysOfBuild) -> Value {
    let mut schema = json_schema_for_editors::<ScenarioFile>("Scenario of wattline");
    schema["description"] =
        "How to build, start, feed and measure an application; read by `wattline pipeline`.".into();
    let is_alone = build == KeysOfBuild::None;
    let definitions = &mut schema["$defs"];
    for section in ["SourceSection", "LibrarySection", "ProcessorSection"] {
        definitions[section]["oneOf"] = one_origin();
    }
    definitions["StepSection"]["oneOf"] = one_action();
    definitions["StepSection"]["dependentRequired"] = json!({ "swipe_ms": ["swipe"] });
    let application = &mut definitions["ApplicationSection"];
    application["if"] = json!({ "required": ["apk"] });
    application["then"] = of_own_package();
    application["else"] = of_sources(is_alone);
    schema["allOf"] = json!([an_external_meter_has_a_log(), a_command_has_input()]);
    if is_alone {
        schema["required"] = json!(["name", "application", "source", "input"]);
        schema["$defs"]["ApplicationSection"]["required"] = json!(["package"]);
        schema["properties"]["source"]["contains"] = an_analysed_tree();
        schema["properties"]["input"]["minItems"] = 1.into();
    }
    schema
}

/// A tree or a library has a `path`, or an artifact.
fn one_origin() -> Value {
    json!([
        { "required": ["path"], "properties": { "maven": false, "sha256": false } },
        { "required": ["maven"], "properties": { "path": false } },
    ])
}

fn one_action() -> Value {
    json!(["tap", "swipe", "key", "wait_s"].map(|action| json!({ "required": [action] })))
}

/// A tree whose blocks are counted and may be removed.
fn an_analysed_tree() -> Value {
    json!({ "not": { "anyOf": [
        { "required": ["role"], "properties": { "role": { "const": "harness" } } },
        { "required": ["analyse"], "properties": { "analyse": { "const": false } } },
    ] } })
}

/// Keys of an application with an `apk`: its manifest has the others.
fn of_own_package() -> Value {
    json!({
        "properties": {
            "main": false,
            "min_sdk": false,
            "target_sdk": false,
            "start": { "not": { "const": "main" } },
        },
        "if": starts_by("command"),
        "then": { "properties": { "activity": false } },
    })
}

/// Keys of an application that wattline builds: a class to start, unless a build names it.
fn of_sources(is_alone: bool) -> Value {
    let mut keys = json!({
        "properties": { "start": { "not": { "const": "command" } } },
        "if": starts_by("activity"),
        "then": { "required": ["activity"], "properties": { "main": false } },
        "else": { "properties": { "activity": false } },
    });
    if is_alone {
        keys["else"]["required"] = json!(["main"]);
    }
    keys
}

fn starts_by(kind: &str) -> Value {
    json!({ "required": ["start"], "properties": { "start": { "const": kind } } })
}

/// `[board.log]` is for the meter `external`, which needs it.
fn an_external_meter_has_a_log() -> Value {
    let external =
        json!({ "required": ["meter"], "properties": { "meter": { "const": "external" } } });
    json!({
        "if": { "required": ["board"], "properties": { "board": external } },
        "then": { "properties": { "board": { "required": ["log"] } } },
        "else": { "properties": { "board": { "properties": { "log": false } } } },
    })
}

/// A package that is started by a command needs that command.
fn a_command_has_input() -> Value {
    let started = json!({
        "required": ["apk", "start"],
        "properties": { "start": { "const": "command" } },
    });
    json!({
        "if": { "required": ["application"], "properties": { "application": started } },
        "then": {
            "required": ["session"],
            "properties": { "session": { "required": ["input_command"] } },
        },
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Definitions that have keys, each with those keys.
    fn keys_of_definitions(schema: &Value) -> BTreeSet<String> {
        let tables = schema["$defs"].as_object().unwrap().values().chain([schema]);
        let keys = tables.filter_map(|table| table["properties"].as_object());
        keys.flat_map(|keys| keys.keys().cloned()).collect()
    }

    #[test]
    fn every_key_is_in_the_reference() {
        let schema = scenario_json_schema(KeysOfBuild::None);
        let sections = scenario_sections();
        let listed: BTreeSet<&str> = sections
            .iter()
            .flat_map(|section| &section.keys)
            .map(|key| key.name.as_str())
            .collect();
        // Sections have a heading, the keys of columns and of `stop` stand in the rows of theirs.
        let headings: String = sections.iter().map(|section| section.heading.as_str()).collect();
        let missing: Vec<String> = keys_of_definitions(&schema)
            .into_iter()
            .filter(|key| !listed.contains(key.as_str()) && !headings.contains(&format!("[{key}]")))
            .filter(|key| !["column", "unit", "lines", "log"].contains(&key.as_str()))
            .collect();
        assert!(missing.is_empty(), "in no section: {missing:?}");
    }

    #[test]
    fn every_key_has_a_meaning_and_a_default_that_agrees_with_its_value() {
        let schema = scenario_json_schema(KeysOfBuild::None);
        let defined = schema["$defs"].as_object().unwrap().values().chain([&schema]);
        for (name, property) in
            defined.filter_map(|table| table["properties"].as_object()).flatten()
        {
            let text = property["description"].as_str().unwrap_or_default();
            assert!(!text.is_empty(), "`{name}` has no meaning");
            let stated = text.rsplit_once("Default: ").map(|(_, stated)| stated);
            if let (Some(stated), Some(value)) = (stated, property.get("default")) {
                let shown = value.as_f64().map_or(value.to_string(), |number| number.to_string());
                assert!(stated.contains(&shown), "`{name}`: {stated}, but {value}");
            }
        }
    }

    #[test]
    fn keys_that_a_build_provides_may_be_left_out_with_it() {
        let required = |build| scenario_json_schema(build)["required"].clone();
        assert_eq!(required(KeysOfBuild::None), json!(["name", "application", "source", "input"]));
        assert_eq!(required(KeysOfBuild::Provided), Value::Null);
    }
}
