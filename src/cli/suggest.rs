//! Errors of the command line, with suggestions for mistyped flags and commands: the nearest one of
//! the command, also where the parser itself finds none.

use std::ffi::OsString;
use std::io::Write as _;

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{Arg, Command};

use crate::format::{visible, visible_name};
use crate::scenario::nearest_of;

/// Error of the parser with a suggestion; `arguments` begin with the program's name.
pub fn add_suggestion(mut error: Error, program: &Command, arguments: &[OsString]) -> Error {
    let command = innermost_command(program, arguments);
    let (wrong, right, known) = match error.kind() {
        ErrorKind::UnknownArgument => {
            (ContextKind::InvalidArg, ContextKind::SuggestedArg, long_flags(command, program))
        }
        ErrorKind::InvalidSubcommand => (
            ContextKind::InvalidSubcommand,
            ContextKind::SuggestedSubcommand,
            subcommand_names(command),
        ),
        _ => return error,
    };
    let Some(ContextValue::String(wrong)) = error.get(wrong) else { return error };
    // Dashes would make all flags alike.
    let (dashes, word) = wrong.split_at(wrong.len() - wrong.trim_start_matches('-').len());
    if let Some(nearest) = nearest_of(word, known.into_iter()) {
        let nearest = format!("{dashes}{nearest}");
        error.insert(right, ContextValue::String(nearest));
        // The parser's other idea: that the flag was meant to be a value.
        error.remove(ContextKind::Suggested);
    }
    error
}

/// Prints an error of the arguments on standard error. Control characters in them show as their
/// code.
pub fn print_error(mut error: Error) {
    show_codes(&mut error);
    // What the parser has no name for, as of a value that is none, is not coloured then.
    let plain = error.render().to_string();
    let shown = visible(&plain);
    // There is no other place to tell it.
    let _ = match shown == plain {
        true => error.print(),
        false => std::io::stderr().write_all(shown.as_bytes()),
    };
}

/// Replaces control characters in the texts of an error by their codes.
fn show_codes(error: &mut Error) {
    // The parser's advice quotes the argument in its own way.
    let is_plain = |text: String| text == visible_name(&text);
    let advice = error.get(ContextKind::Suggested);
    if let Some(ContextValue::StyledStrs(texts)) = advice
        && !texts.iter().all(|text| is_plain(text.to_string()))
    {
        error.remove(ContextKind::Suggested);
    }
    let shown = |value: &ContextValue| match value {
        ContextValue::String(text) => Some(ContextValue::String(visible_name(text))),
        ContextValue::Strings(texts) => {
            Some(ContextValue::Strings(texts.iter().map(|text| visible_name(text)).collect()))
        }
        _ => None,
    };
    let changed = error.context().filter_map(|(kind, value)| Some((kind, shown(value)?)));
    for (kind, value) in changed.collect::<Vec<_>>() {
        error.insert(kind, value);
    }
}

/// Innermost command that the arguments name.
fn innermost_command<'c>(program: &'c Command, arguments: &[OsString]) -> &'c Command {
    arguments.iter().skip(1).fold(program, |command, word| {
        word.to_str().and_then(|word| command.find_subcommand(word)).unwrap_or(command)
    })
}

/// Long flags of a command.
fn long_flags<'c>(command: &'c Command, program: &'c Command) -> Vec<&'c str> {
    arguments_of(command, program).filter_map(Arg::get_long).collect()
}

/// Arguments of a command, with those of every command.
pub fn arguments_of<'c>(
    command: &'c Command,
    program: &'c Command,
) -> impl Iterator<Item = &'c Arg> {
    let global = program.get_arguments().filter(|argument| argument.is_global_set());
    command.get_arguments().chain(global)
}

/// Names of the subcommands of a command.
fn subcommand_names(command: &Command) -> Vec<&str> {
    command.get_subcommands().map(Command::get_name).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Arguments;
    use super::*;
    use clap::{CommandFactory, Parser};

    fn said(line: &str) -> String {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let error = Arguments::try_parse_from(&words).unwrap_err();
        add_suggestion(error, &Arguments::command(), &words).to_string()
    }

    #[test]
    fn a_mistyped_flag_or_command_gets_its_suggestion() {
        let expected = [
            ("wattline scan src --ot x", "'--out'"),
            ("wattline scan src --ouput x", "'--out'"),
            ("wattline scan src --ouput=x", "'--out'"),
            ("wattline monitor --tpd 65", "'--tdp'"),
            ("wattline monitor --jvm=1 --tpd=65", "'--tdp'"),
            ("wattline fit x --sovler=shrink", "'--solver'"),
            ("wattline board virtual --nmae x", "'--name'"),
            ("wattline activities api --ot x", "'--out'"),
            ("wattline scan src --out x --queit", "'--quiet'"),
            ("wattline trace src --mian A --out x", "'--main'"),
            ("wattline scna src", "'scan'"),
            ("wattline help scna", "'scan'"),
            ("wattline board lst", "'list'"),
        ];
        for (line, nearest) in expected {
            let said = said(line);
            assert!(said.contains(nearest) && said.contains("similar"), "{line}: {said}");
            assert!(!said.contains("as a value"), "{line}: {said}");
        }
        assert!(!said("wattline scan src --xyzzy 1").contains("similar"));
    }
}
