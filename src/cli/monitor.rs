//! `wattline monitor`: power of processes, and of the methods of a JVM, while they run.

use std::path::Path;

use crate::failure::Failure;
use crate::folder::{OnExisting, replace_file};
use crate::toolchain::Jdk;
use crate::toolchain::monitor_agent::monitor_agent;

use super::outcome::CommandOutcome;
use super::progress;

mod arguments;
mod choice;
mod control;
mod endpoint;
mod frame;
mod headless;
mod jvm;
pub(crate) mod meters;
mod overhead;
mod published;
mod record;
pub(crate) mod recording;
#[cfg(feature = "live")]
mod screen;
mod session;
mod view;

pub use arguments::Arguments;

use arguments::NO_VIRTUAL_BOARD;
use session::MonitorSession;

pub fn run(arguments: &Arguments) -> Result<CommandOutcome, Failure> {
    if let Some(below) = &arguments.below {
        match below {
            control::MonitorSubcommand::Control(arguments) => control::run(arguments)?,
            control::MonitorSubcommand::Overhead(arguments) => overhead::run(arguments)?,
        }
        return Ok(CommandOutcome::Done);
    }
    check(arguments)?;
    if let Some(file) = &arguments.agent_jar {
        write_agent(file, OnExisting::from(arguments.force))?;
        return Ok(CommandOutcome::Done);
    }
    let mut session = MonitorSession::open(arguments)?;
    for note in &session.about.notes {
        progress::say(format!("note: {}", crate::format::visible_name(note)));
    }
    for formula in &session.about.formulas {
        progress::say(format!("{}: {}", formula.part, formula.from));
    }
    match is_live(arguments) {
        #[cfg(feature = "live")]
        true => screen::run(arguments, &mut session),
        _ => headless::run(arguments, &mut session),
    }
}

/// Writes the agent as one jar.
fn write_agent(file: &Path, existing: OnExisting) -> Result<(), Failure> {
    if existing == OnExisting::Refuse && file.exists() {
        let file = file.display();
        return Err(Failure::Usage(format!("--agent-jar: {file} exists; --force replaces it")));
    }
    let bytes = monitor_agent(&Jdk::find()?)?.one_jar()?;
    replace_file(file, bytes)?;
    progress::say(format!("written: {}", file.display()));
    Ok(())
}

fn check(arguments: &Arguments) -> Result<(), Failure> {
    let of_jvm =
        arguments.jvm.is_some() || arguments.link.is_some() || !arguments.command.is_empty();
    if arguments.board.is_some() && of_jvm {
        return Err(Failure::Usage(
            "--board: methods can be measured in a JVM of this machine only (an Android runtime \
             takes no such agent)"
                .into(),
        ));
    }
    if arguments.board.as_deref().is_some_and(|board| board.starts_with("virtual")) {
        return Err(Failure::Usage(NO_VIRTUAL_BOARD.into()));
    }
    if arguments.mapping.is_some() && !of_jvm {
        return Err(Failure::Usage(
            "--mapping: names of a JVM's methods; give --jvm PID or a command".into(),
        ));
    }
    if (arguments.jvm.is_some() || arguments.link.is_some()) && !arguments.command.is_empty() {
        return Err(Failure::Usage("--jvm or --link, and a command: one JVM at a time".into()));
    }
    Ok(())
}

/// Whether there is a terminal to draw on.
fn is_live(arguments: &Arguments) -> bool {
    use std::io::IsTerminal;
    cfg!(feature = "live")
        && !arguments.headless
        && !arguments.format.is_json()
        && std::io::stdout().is_terminal()
        && std::io::stdin().is_terminal()
}
