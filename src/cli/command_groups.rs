//! Help of the whole program: its commands by what they are for, so that the list fits a screen.

use std::fmt::Write as _;

use clap::{Command, CommandFactory};

use super::Arguments;

/// Groups of commands, each with its heading.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Measure", &["pipeline", "scan", "trace", "patterns"]),
    ("Analyse", &["report", "hints", "compare", "predict", "export"]),
    ("Attribute", &["monitor", "tenants", "activities"]),
    ("Boards", &["board"]),
    ("Other", &["schema", "completions", "man", "help"]),
];

/// Stages of `pipeline` that are commands of their own, in its order.
const STAGES: [&str; 10] = [
    "instrument",
    "package",
    "plan",
    "run",
    "dataset",
    "calls",
    "microbenchmarks",
    "fit",
    "account",
    "evaluate",
];

/// The program's definition, whose help lists the commands in groups.
pub fn program() -> Command {
    let command = Arguments::command();
    let template = format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n{}\nOptions:\n{{options}}{{after-help}}",
        grouped_commands(&command)
    );
    command.help_template(template)
}

/// Lists the commands of each group with their descriptions, and the names of the stages.
fn grouped_commands(program: &Command) -> String {
    let mut text = String::new();
    for (heading, names) in GROUPS {
        let _ = writeln!(text, "\n{heading}:");
        for name in names {
            let _ = writeln!(text, "  {name:<12} {}", description(program, name));
        }
        if heading == "Measure" {
            let _ = writeln!(text, "  The stages of pipeline, each a command with files as input:");
            let _ = writeln!(text, "    {}", STAGES[..6].join(", "));
            let _ = writeln!(text, "    {}", STAGES[6..].join(", "));
        }
    }
    text
}

fn description(program: &Command, name: &str) -> String {
    let command = program.find_subcommand(name);
    let about = command.and_then(Command::get_about).map(ToString::to_string);
    about.unwrap_or_else(|| "Print this message or the help of a command".to_owned())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let grouped = GROUPS.iter().flat_map(|(_, names)| names.iter()).chain(&STAGES);
        let listed: Vec<&str> = grouped.copied().filter(|name| *name != "help").collect();
        let distinct: BTreeSet<&str> = listed.iter().copied().collect();
        assert_eq!(distinct.len(), listed.len(), "{listed:?}");
        let program = Arguments::command();
        let defined: BTreeSet<&str> = program.get_subcommands().map(Command::get_name).collect();
        assert_eq!(distinct, defined);
    }

    #[test]
    fn the_page_of_commands_lists_the_stages_as_the_help_does() {
        let page = include_str!("../../docs/reference/commands.md");
        let stages = STAGES.map(|stage| format!("`{stage}`")).join(", ");
        assert!(page.contains(&stages), "not in docs/reference/commands.md: {stages}");
    }

    /// 48 lines of 100 columns are what a terminal shows at once.
    #[test]
    fn the_help_fits_a_screen() {
        let help = program().render_help().to_string();
        let lines: Vec<&str> = help.lines().collect();
        assert!(lines.len() <= 48, "{} lines", lines.len());
        let long: Vec<&&str> = lines.iter().filter(|line| line.chars().count() > 100).collect();
        assert!(long.is_empty(), "{long:#?}");
    }

    /// Commands with more than six lines after their options, besides the heading of examples.
    fn long_epilogues(command: &Command, found: &mut Vec<String>) {
        let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with("Example"));
        let (name, lines) = (command.get_name(), lines.count());
        found.extend((lines > 6).then(|| format!("{name}: {lines} lines")));
        command.get_subcommands().for_each(|below| long_epilogues(below, found));
    }

    #[test]
    fn epilogues_are_short() {
        let mut found = Vec::new();
        long_epilogues(&program(), &mut found);
        assert!(found.is_empty(), "{found:#?}");
    }
}
