//! `wattline completions` and `wattline man`: shell completions and man pages, generated from the
//! definitions that parse the arguments.

use std::path::PathBuf;

use clap::{Args, CommandFactory};
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
Example:
  wattline man --out ~/.local/share/man/man1 && man wattline-compare")]
pub struct ManArguments {
    /// Folder for wattline.1 and a page per command.
    #[arg(long)]
    out: PathBuf,
    /// Replace existing pages.
    #[arg(long)]
    force: bool,
}

pub fn completions(arguments: &CompletionsArguments) -> Result<(), Failure> {
    let mut text = Vec::new();
    let mut command = super::Arguments::command();
    clap_complete::generate(arguments.shell, &mut command, "wattline", &mut text);
    progress::document(String::from_utf8_lossy(&text).trim_end());
    Ok(())
}

pub fn man(arguments: &ManArguments) -> Result<(), Failure> {
    let output =
        Output::open(&arguments.out, OnExisting::from(arguments.force), &progress::TERMINAL)?;
    let pages = man_pages().map_err(Failure::io("write", &arguments.out))?;
    output.check_free(&pages.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>())?;
    for (name, page) in &pages {
        output.write(name, page)?;
    }
    progress::say(format!("written: {} pages in {}", pages.len(), output.folder().display()));
    Ok(())
}

/// File names and roff texts of all man pages.
fn man_pages() -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut command = super::Arguments::command();
    command.build();
    let of_commands = command.get_subcommands().filter(|sub| sub.get_name() != "help");
    let commands: Vec<clap::Command> =
        std::iter::once(command.clone()).chain(of_commands.cloned()).collect();
    let mut pages = Vec::new();
    for page in commands {
        let name = match page.get_name() {
            "wattline" => "wattline".to_string(),
            sub => format!("wattline-{sub}"),
        };
        let mut text = Vec::new();
        clap_mangen::Man::new(page).title(name.clone()).render(&mut text)?;
        pages.push((format!("{name}.1"), text));
    }
    Ok(pages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_with_an_example() {
        let pages = man_pages().unwrap();
        let commands = super::super::Arguments::command();
        assert_eq!(pages.len(), commands.get_subcommands().count() + 1);
        for (name, text) in &pages {
            let text = String::from_utf8(text.clone()).unwrap();
            assert!(text.contains(".SH"), "{name}");
            assert!(text.contains("Example") || name == "wattline.1", "{name} has no example");
        }
    }

    #[test]
    fn every_shell_knows_the_commands() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let (mut text, mut command) = (Vec::new(), super::super::Arguments::command());
            clap_complete::generate(shell, &mut command, "wattline", &mut text);
            let text = String::from_utf8(text).unwrap();
            assert!(text.contains("compare") && text.contains("max-increase"), "{shell}");
        }
    }
}
