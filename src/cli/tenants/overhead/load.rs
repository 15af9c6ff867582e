//! A command beside a measurement: what is tested, or what the machine does meanwhile. It runs in
//! a process group of its own until it is stopped with all that it has started.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use crate::device::{end_group, last_of};
use crate::failure::Failure;
use crate::format::{truncate, visible_name};

/// Number of characters of a command's last output in an error message.
const SHOWN_CHARACTERS: usize = 300;

/// Command with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedCommand {
    pub name: String,
    /// None of a machine that is left alone.
    pub line: Option<CommandLine>,
}

/// Command to run: a line for the shell, once or repeatedly, or arguments of this program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandLine {
    /// For the shell, once: it has to run until it is stopped.
    Once(String),
    /// For the shell, again and again.
    Again(String),
    /// This program, with arguments.
    Own(Vec<String>),
}

/// Running command, which is ended when it is dropped.
pub struct RunningLoad {
    flag: &'static str,
    name: String,
    child: Child,
    said: File,
}

impl NamedCommand {
    /// Starts the command, if there is one; errors name `flag`.
    pub fn start(&self, flag: &'static str) -> Result<Option<RunningLoad>, Failure> {
        let Some(line) = &self.line else { return Ok(None) };
        let failed =
            |error| Failure::Usage(format!("{flag} {}: it can't be started: {error}", self.name));
        let said = tempfile::tempfile().map_err(failed)?;
        let output = said.try_clone().map_err(failed)?;
        let child = line
            .command()
            .map_err(failed)?
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(output)
            .process_group(0)
            .spawn()
            .map_err(failed)?;
        Ok(Some(RunningLoad { flag, name: self.name.clone(), child, said }))
    }
}

impl CommandLine {
    fn command(&self) -> std::io::Result<Command> {
        let shell = |text: &str| {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", text]);
            command
        };
        Ok(match self {
            CommandLine::Once(text) => shell(text),
            // On lines of its own, so that a comment at its end is one still.
            CommandLine::Again(text) => shell(&format!("while :; do {{\n{text}\n}} || exit; done")),
            CommandLine::Own(arguments) => {
                let mut command = Command::new(std::env::current_exe()?);
                command.args(arguments);
                command
            }
        })
    }
}

impl RunningLoad {
    /// Whether the command has ended by itself.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_some())
    }

    /// Returns an error if the command has ended, since measurements without it are of something
    /// else.
    pub fn check(&mut self) -> Result<(), Failure> {
        let Ok(Some(status)) = self.child.try_wait() else { return Ok(()) };
        let said = last_of(&mut self.said).unwrap_or_default();
        let said = match said.trim() {
            "" => String::new(),
            said => format!(": {}", visible_name(&truncate(said, SHOWN_CHARACTERS))),
        };
        Err(Failure::Usage(format!(
            "{} {}: its command has ended before the measurement was over ({status}){said}",
            self.flag, self.name
        )))
    }
}

impl Drop for RunningLoad {
    fn drop(&mut self) {
        end_group(&mut self.child);
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;

    fn named(line: CommandLine) -> NamedCommand {
        NamedCommand { name: "x".into(), line: Some(line) }
    }

    fn ended(line: CommandLine) -> String {
        let mut load = named(line).start("--scenario").unwrap().unwrap();
        while !load.has_ended() {
            thread::sleep(Duration::from_millis(5));
        }
        load.check().unwrap_err().to_string()
    }

    #[test]
    fn a_command_that_ends_is_told_with_its_last_words() {
        let said = ended(CommandLine::Once("echo no such load >&2; exit 3".into()));
        assert!(said.starts_with("--scenario x: its command has ended"), "{said}");
        assert!(said.contains("exit status: 3") && said.ends_with("no such load"), "{said}");
        let said = ended(CommandLine::Again("exit 4 # now".into()));
        assert!(said.contains("exit status: 4"), "{said}");
    }

    #[test]
    fn what_is_repeated_runs_until_it_is_stopped_with_what_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("times");
        let text = format!("echo >> {}; sleep 0.01", file.display());
        let mut load = named(CommandLine::Again(text)).start("--scenario").unwrap().unwrap();
        let times = || std::fs::read_to_string(&file).map_or(0, |text| text.len());
        while times() < 3 {
            thread::sleep(Duration::from_millis(5));
        }
        assert!(load.check().is_ok());
        drop(load);
        let then = times();
        thread::sleep(Duration::from_millis(60));
        assert_eq!(times(), then);
        assert!(named(CommandLine::Own(Vec::new())).line.is_some());
        assert!(NamedCommand { name: "idle".into(), line: None }.start("").unwrap().is_none());
    }
}
