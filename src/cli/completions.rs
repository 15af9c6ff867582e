//! `wattline completions` and `wattline man`: shell completions and pages of the commands,
//! generated from the definitions that parse the arguments.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Args, Command, ValueEnum};
use clap_complete::Shell;

use crate::failure::Failure;
use crate::folder::{OnExisting, Output};

use super::progress;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wattline completions bash > ~/.local/share/bash-completion/completions/wattline
  wattline completions zsh > ~/.zfunc/_wattline
  wattline completions fish > ~/.config/fish/completions/wattline.fish")]
pub struct CompletionsArguments {
    /// The shell.
    shell: Shell,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wattline man --out ~/.local/share/man/man1 && man wattline-compare
  wattline man --format markdown --out pages")]
pub struct ManArguments {
    /// Folder for the page of the program and a page per command.
    #[arg(long)]
    out: PathBuf,
    /// Format of the pages.
    #[arg(long, value_enum, default_value_t = PageFormat::Man)]
    format: PageFormat,
    /// Replace existing pages.
    #[arg(long)]
    force: bool,
}

/// Format of the pages of commands.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum PageFormat {
    /// Pages that `man` shows.
    Man,
    /// Markdown, for a site.
    Markdown,
}

pub fn completions(arguments: &CompletionsArguments) -> Result<(), Failure> {
    let mut text = Vec::new();
    let mut command = super::command_groups::program();
    clap_complete::generate(arguments.shell, &mut command, "wattline", &mut text);
    progress::document(String::from_utf8_lossy(&text).trim_end());
    Ok(())
}

pub fn man(arguments: &ManArguments) -> Result<(), Failure> {
    let output =
        Output::open(&arguments.out, OnExisting::from(arguments.force), &progress::TERMINAL)?;
    let pages = match arguments.format {
        PageFormat::Man => man_pages().map_err(Failure::io("write", &arguments.out))?,
        PageFormat::Markdown => markdown_pages(),
    };
    output.check_free(&pages.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>())?;
    for (name, page) in &pages {
        output.write(name, page)?;
    }
    progress::say(format!("written: {} pages in {}", pages.len(), output.folder().display()));
    Ok(())
}

/// The program and its commands, each with the name of its page, such as `wattline-scan`.
fn documented_commands() -> Vec<(String, Command)> {
    let mut program = super::command_groups::program();
    program.build();
    let commands = program.get_subcommands().filter(|command| command.get_name() != "help");
    let pages =
        commands.map(|command| (format!("wattline-{}", command.get_name()), command.clone()));
    let pages: Vec<(String, Command)> = pages.collect();
    std::iter::once(("wattline".to_owned(), program.clone())).chain(pages).collect()
}

/// File names and roff texts of all man pages.
fn man_pages() -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let page = |(name, command): (String, Command)| {
        let mut text = Vec::new();
        clap_mangen::Man::new(command).title(name.clone()).render(&mut text)?;
        Ok((format!("{name}.1"), text))
    };
    documented_commands().into_iter().map(page).collect()
}

/// File names and Markdown texts: the help of each command, and of the commands below it.
fn markdown_pages() -> Vec<(String, Vec<u8>)> {
    let page = |(name, command): (String, Command)| {
        let mut text = String::new();
        match name == "wattline" {
            true => add_markdown_help(&mut text, &command),
            false => add_markdown_help_of_all(&mut text, &command),
        }
        (format!("{name}.md"), text.into_bytes())
    };
    documented_commands().into_iter().map(page).collect()
}

fn add_markdown_help_of_all(text: &mut String, command: &Command) {
    add_markdown_help(text, command);
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        add_markdown_help_of_all(text, below);
    }
}

/// Adds a heading and the long help of a command; the first heading of a page is its title.
fn add_markdown_help(text: &mut String, command: &Command) {
    let level = if text.is_empty() { "#" } else { "\n##" };
    let title = command.get_bin_name().unwrap_or_else(|| command.get_name());
    let help = command.clone().term_width(100).render_long_help();
    let _ = writeln!(text, "{level} {title}\n```text\n{}\n```", help.to_string().trim_end());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_with_an_example() {
        let pages = man_pages().unwrap();
        let commands = super::super::command_groups::program();
        assert_eq!(pages.len(), commands.get_subcommands().count() + 1);
        for (name, text) in &pages {
            let text = String::from_utf8(text.clone()).unwrap();
            assert!(text.contains(".SH"), "{name}");
            assert!(text.contains("Example") || name == "wattline.1", "{name} has no example");
        }
    }

    #[test]
    fn pages_of_markdown_have_the_commands_below_a_command() {
        let pages = markdown_pages();
        let page = |name: &str| {
            let (_, text) = pages.iter().find(|(file, _)| file == name).unwrap();
            String::from_utf8(text.clone()).unwrap()
        };
        assert_eq!(pages.len(), man_pages().unwrap().len());
        let board = page("wattline-board.md");
        assert!(board.starts_with("# wattline board\n```text\n"), "{board}");
        assert!(board.contains("\n## wattline board virtual\n"), "{board}");
        let lines = |text: &str| text.matches("```").count();
        assert!(pages.iter().all(|(_, text)| lines(&String::from_utf8_lossy(text)) % 2 == 0));
        assert!(page("wattline.md").contains("Measure:"));
    }

    #[test]
    fn every_shell_knows_the_commands() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let (mut text, mut command) = (Vec::new(), super::super::command_groups::program());
            clap_complete::generate(shell, &mut command, "wattline", &mut text);
            let text = String::from_utf8(text).unwrap();
            assert!(text.contains("compare") && text.contains("max-increase"), "{shell}");
        }
    }
}
