//! `wattline schema`: keys of files that users write and columns of files that wattline writes, from
//! the types that read and write them.

mod files;

use clap::{Args, ValueEnum};
use serde_json::Value;

use crate::attribution::activities::{node_names_json_schema, node_names_sections};
use crate::compare::{budget_json_schema, budget_sections};
use crate::failure::Failure;
use crate::file_schema::KeySection;
use crate::scenario::nearest_of;
use crate::scenario::schema::{KeysOfBuild, scenario_json_schema, scenario_sections};

use super::standard_output;

#[derive(Debug, Args)]
#[command(after_help = "\
Editors with Taplo, such as Even Better TOML, check a file whose first line names its schema:
  #:schema scenario.schema.json
Examples:
  wattline schema scenario > scenario.schema.json
  wattline schema files
  wattline schema accounts/methods.csv --format json")]
pub struct Arguments {
    /// scenario, budgets or node-names for a file that you write; model, accounts or comparison
    /// for a JSON file that wattline writes; files for the list of tables, or the name of a table.
    subject: String,
    /// Format. Default: json for a file of keys, markdown for tables.
    #[arg(long, value_enum)]
    format: Option<SchemaFormat>,
    /// Scenario for --gradle or --maven: do not require the keys that such a build provides.
    #[arg(long)]
    with_build: bool,
}

/// Format of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SchemaFormat {
    /// JSON schema of keys (draft 2020-12), Frictionless table schema of columns.
    Json,
    /// Tables as in the reference.
    Markdown,
}

/// A file of keys that users write.
struct KeyFile {
    name: &'static str,
    schema: fn() -> Value,
    sections: fn() -> Vec<KeySection>,
}

/// Files of keys that users write.
const KEY_FILES: [KeyFile; 3] = [
    KeyFile {
        name: SCENARIO,
        schema: || scenario_json_schema(KeysOfBuild::None),
        sections: scenario_sections,
    },
    KeyFile { name: "budgets", schema: budget_json_schema, sections: budget_sections },
    KeyFile { name: "node-names", schema: node_names_json_schema, sections: node_names_sections },
];

const SCENARIO: &str = "scenario";

/// JSON files that wattline writes, with their schemas.
const JSON_FILES: [(&str, &str); 3] = [
    ("model", include_str!("../../docs/reference/model.schema.json")),
    ("accounts", include_str!("../../docs/reference/accounts.schema.json")),
    ("comparison", include_str!("../../docs/reference/compare.schema.json")),
];

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let subject = arguments.subject.as_str();
    if arguments.with_build && subject != SCENARIO {
        let message = "--with-build goes with the subject scenario; leave it out";
        return Err(Failure::Usage(message.into()));
    }
    let text = if let Some(file) = KEY_FILES.iter().find(|file| file.name == subject) {
        keys_of_file(file, arguments)
    } else if let Some((_, schema)) = JSON_FILES.iter().find(|(name, _)| *name == subject) {
        json_file(subject, schema, arguments.format)?
    } else {
        files::describe(subject, arguments.format == Some(SchemaFormat::Json))
            .ok_or_else(|| unknown(subject))?
    };
    standard_output::document(text.trim_end());
    Ok(())
}

fn keys_of_file(file: &KeyFile, arguments: &Arguments) -> String {
    if arguments.format == Some(SchemaFormat::Markdown) {
        let sections: Vec<String> = (file.sections)().iter().map(KeySection::markdown).collect();
        return sections.join("\n");
    }
    match arguments.with_build {
        true => pretty(&scenario_json_schema(KeysOfBuild::Provided)),
        false => pretty(&(file.schema)()),
    }
}

fn json_file(name: &str, schema: &str, format: Option<SchemaFormat>) -> Result<String, Failure> {
    match format {
        Some(SchemaFormat::Markdown) => {
            let message = format!("{name} has a JSON schema only; leave --format markdown out");
            Err(Failure::Usage(message))
        }
        Some(SchemaFormat::Json) | None => Ok(schema.to_owned()),
    }
}

fn pretty(schema: &Value) -> String {
    format!("{schema:#}")
}

fn unknown(subject: &str) -> Failure {
    let keys = KEY_FILES.iter().map(|file| file.name);
    let json = JSON_FILES.iter().map(|(name, _)| *name);
    let tables = files::names();
    let known = keys.chain(json).chain(tables.iter().copied());
    let meant = nearest_of(subject, known).map(|name| format!("; did you mean {name}? "));
    Failure::Usage(format!(
        "there is no schema of {subject:?}{}`wattline schema files` lists the tables, `wattline help \
         schema` the other files",
        meant.as_deref().unwrap_or("; ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(subject: &str, format: Option<SchemaFormat>) -> Result<(), Failure> {
        run(&Arguments { subject: subject.into(), format, with_build: false })
    }

    #[test]
    fn an_unknown_subject_names_the_nearest_one() {
        let message = |subject: &str| print(subject, None).unwrap_err().to_string();
        assert!(message("scenari").contains("did you mean scenario?"), "{}", message("scenari"));
        assert!(message("plan.cvs").contains("did you mean plan.csv?"), "{}", message("plan.cvs"));
        assert!(print("model", Some(SchemaFormat::Markdown)).is_err());
    }
}
