//! Answers of commands: text for people or, with `--format json`, one JSON object for programs.
//! Both come from the same values. The object begins with the version of its schema and the
//! command's name; an energy has its unit in its name, and what is unknown is null.

use std::io;
use std::os::fd::AsFd;
use std::path::Path;
use std::process::Stdio;

use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::failure::Failure;

use super::progress;

/// Version of the objects of all commands. Names are added without a new one; it rises when a name
/// goes or changes its meaning.
pub const SCHEMA: u32 = 1;

/// Flag `--format` of commands that print a result.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct FormatArgument {
    /// What is printed: text for people, or one JSON object for programs (docs/agents.md).
    #[arg(long, value_enum, default_value_t)]
    format: AnswerFormat,
}

/// Format of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum AnswerFormat {
    /// For a terminal.
    #[default]
    Text,
    /// For programs.
    Json,
}

/// JSON object of an answer.
#[derive(Serialize)]
struct AnswerDocument<'a, F> {
    schema: u32,
    command: &'a str,
    #[serde(flatten)]
    figures: &'a F,
}

impl From<AnswerFormat> for FormatArgument {
    fn from(format: AnswerFormat) -> Self {
        Self { format }
    }
}

impl FormatArgument {
    /// Whether a JSON object is wanted, beside which nothing else may be printed.
    pub fn is_json(self) -> bool {
        self.format == AnswerFormat::Json
    }

    /// Prints the answer of a command: its text, or its figures as a JSON object.
    pub fn print<F: Serialize>(self, command: &str, figures: &F, text: impl FnOnce() -> String) {
        match self.format {
            AnswerFormat::Text => progress::result(text()),
            AnswerFormat::Json => progress::document(json(command, figures)),
        }
    }

    /// Prints the answer of a command whose text is a table for programs, too: control characters
    /// of names stay as they are, except on a terminal.
    pub fn print_table<F: Serialize>(self, command: &str, figures: &F, table: &str) {
        match self.format {
            AnswerFormat::Text => progress::document(table.trim_end()),
            AnswerFormat::Json => progress::document(json(command, figures)),
        }
    }

    /// Prints the answer of a command that shows nothing in a terminal but what it reports while
    /// it works; its figures are not made for text.
    pub fn print_figures<F: Serialize>(self, command: &str, figures: impl FnOnce() -> F) {
        if self.is_json() {
            progress::document(json(command, &figures()));
        }
    }

    /// Checks that a JSON object is alone on standard output, where `--partial -` would write rows.
    ///
    /// # Errors
    /// If both are asked for.
    pub fn check_alone(self, has_rows_on_output: bool) -> Result<(), Failure> {
        match self.is_json() && has_rows_on_output {
            true => Err(Failure::Usage(
                "--format json: --partial - has its rows on standard output: give a file".into(),
            )),
            false => Ok(()),
        }
    }

    /// Standard output for a program that the command runs: its own, or standard error where the
    /// command's JSON object is alone on standard output.
    ///
    /// # Errors
    /// If standard error cannot be shared.
    pub fn output_of_program(self) -> Result<Stdio, Failure> {
        match self.format {
            AnswerFormat::Text => Ok(Stdio::inherit()),
            AnswerFormat::Json => {
                let shared = io::stderr().as_fd().try_clone_to_owned();
                Ok(shared.map_err(Failure::io("share", "standard error"))?.into())
            }
        }
    }
}

/// Text of a path for a JSON object, whatever bytes it has.
pub fn path_text(path: impl AsRef<Path>) -> String {
    path.as_ref().display().to_string()
}

/// JSON object of a command's figures, which serialize as a map.
pub fn json<F: Serialize>(command: &str, figures: &F) -> String {
    let document = AnswerDocument { schema: SCHEMA, command, figures };
    serde_json::to_string_pretty(&document).expect("figures are maps with text as keys")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::{Command, CommandFactory};
    use serde_json::{Value, json};

    use crate::cli::Arguments;

    #[test]
    fn figures_stand_beside_the_schema_and_the_command() {
        let text = super::json("scan", &json!({"energy_j": 0.1, "energy_lo_j": f64::NAN}));
        let value: Value = serde_json::from_str(&text).unwrap();
        let expected =
            json!({"schema": 1, "command": "scan", "energy_j": 0.1, "energy_lo_j": null});
        assert_eq!(value, expected);
    }

    /// Commands without an answer of figures, each with what it prints instead.
    const WITHOUT_FIGURES: [(&str, &str); 9] = [
        ("activities api", "a Java class, into a file"),
        ("board virtual", "the serial, to be read by scripts while the board runs"),
        ("completions", "code for a shell"),
        ("export", "files; its --format names theirs"),
        ("help", "help"),
        ("man", "pages; its --format names theirs"),
        ("monitor control", "the answer of another process, a sentence"),
        ("package", "the commands that install and start the package"),
        ("schema", "schemas; its --format names theirs"),
    ];

    /// Names of all commands that do something, below `of`.
    fn commands(of: &Command, before: &str, found: &mut Vec<(String, Command)>) {
        for command in of.get_subcommands() {
            let name = format!("{before}{}", command.get_name());
            let acts = !command.is_subcommand_required_set();
            if acts {
                found.push((name.clone(), command.clone()));
            }
            commands(command, &format!("{name} "), found);
        }
    }

    #[test]
    fn every_command_with_figures_has_json() {
        let mut all = Vec::new();
        commands(&Arguments::command(), "", &mut all);
        let excused = |name: &str| {
            let covers =
                |of: &str| name == of || name.strip_prefix(of).is_some_and(|n| n.starts_with(' '));
            WITHOUT_FIGURES.iter().any(|(of, _)| covers(of))
        };
        let has_json = |command: &Command| {
            let format = command.get_arguments().find(|of| of.get_long() == Some("format"));
            let values = format.map(|format| format.get_possible_values()).unwrap_or_default();
            let names: BTreeSet<&str> = values.iter().map(|value| value.get_name()).collect();
            names.contains("text") && names.contains("json")
        };
        assert!(all.len() > 30, "{}", all.len());
        for (name, command) in &all {
            assert_ne!(has_json(command), excused(name), "{name}");
        }
    }
}
