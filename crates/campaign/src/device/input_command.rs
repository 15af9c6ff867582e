//! A command of this machine that gives an application its input during the session on the board:
//! in a process group of its own, from the begin marker until the command or the session ends or a
//! limit passes.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use std::{io, str};

use super::own_group::{end_group, last_of};
use super::session::SessionEnd;
use crate::toolchain::jvm::exit_code;

/// A shell command that gives an application its input, with its working folder, environment and
/// time limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputCommand {
    /// The command, for this machine's shell.
    pub text: String,
    /// Working folder of the command.
    pub folder: PathBuf,
    /// Variables of its environment, in addition to the board's serial.
    pub variables: Vec<(&'static str, String)>,
    /// Time limit on this machine's clock.
    pub limit: Duration,
    /// Whether the board's clock stands still while the command runs, as a virtual board's does;
    /// the board is then notified when the command ends.
    pub holds_clock: bool,
}

/// Environment variable by which `adb` and related tools choose a board.
const SERIAL: &str = "ANDROID_SERIAL";

/// Time between two checks of whether the command has ended.
const LOOK: Duration = Duration::from_millis(10);

/// Number of the last lines of a failed command's output in its error message.
const LAST_LINES: usize = 3;

/// Result of an input command: how it ended, and the end of its output.
#[derive(Debug)]
pub(super) struct InputCommandResult {
    /// The end of its standard output and standard error.
    said: String,
    how: CommandEnd,
}

#[derive(Debug)]
enum CommandEnd {
    /// The command ended by itself, with this exit code.
    Exited(i32),
    /// This limit passed before the command ended.
    TimedOut(Duration),
    /// The session ended before the command.
    Overtaken,
    /// The command could not be started or watched.
    Failed(io::Error),
}

impl InputCommandResult {
    /// The output as lines of the session's log.
    pub(super) fn log(&self) -> String {
        self.said.lines().map(|line| format!("input_command: {line}\n")).collect()
    }

    /// Reason why the application did not get its input; none if it did, or if the session ended
    /// badly and that stopped the command.
    pub(super) fn fault(&self, session: SessionEnd) -> Option<String> {
        let what = match &self.how {
            CommandEnd::Exited(0) => return None,
            CommandEnd::Exited(code) => format!("ended with exit code {code}"),
            CommandEnd::TimedOut(limit) => format!(
                "did not end within {} s and was stopped; if it does not hang, raise \
                 `session.limit_s`",
                limit.as_secs_f64()
            ),
            CommandEnd::Overtaken if session != SessionEnd::Ok => return None,
            CommandEnd::Overtaken => {
                "had not ended when the session did, and was stopped; make it \
                               shorter, or the session longer"
                    .to_owned()
            }
            CommandEnd::Failed(error) => format!("can't be run ({error})"),
        };
        let words = self.last_words();
        let colon = if words.is_empty() { "" } else { ": " };
        Some(format!("`session.input_command` {what}{colon}{words}"))
    }

    fn last_words(&self) -> String {
        let lines = self.said.lines().map(str::trim).filter(|line| !line.is_empty());
        let lines: Vec<&str> = lines.collect();
        lines[lines.len().saturating_sub(LAST_LINES)..].join("; ")
    }
}

/// Runs `session` with an input command beside it. The session calls its argument when it has seen
/// the begin marker, which starts the command; `ended` is called when the command has ended.
pub(super) fn run_with_input_command<T>(
    command: Option<&InputCommand>,
    serial: &str,
    ended: &(dyn Fn() + Sync),
    session: impl FnOnce(&mut dyn FnMut()) -> T,
) -> (T, Option<InputCommandResult>) {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let mut running = None;
        let mut begin = || {
            if let (Some(command), None) = (command, &running) {
                let over = &over;
                running = Some(scope.spawn(move || {
                    let end = command.run(serial, over);
                    ended();
                    end
                }));
            }
        };
        let made = session(&mut begin);
        over.store(true, Ordering::SeqCst);
        // One that panicked has told why.
        (made, running.and_then(|running| running.join().ok()))
    })
}

impl InputCommand {
    fn run(&self, serial: &str, over: &AtomicBool) -> InputCommandResult {
        let failed =
            |error| InputCommandResult { said: String::new(), how: CommandEnd::Failed(error) };
        let mut output = match tempfile::tempfile() {
            Ok(output) => output,
            Err(error) => return failed(error),
        };
        let how = self.start(serial, &output).and_then(|mut child| {
            let how = self.watch(&mut child, over);
            end_group(&mut child);
            how
        });
        let said = last_of(&mut output).unwrap_or_default();
        InputCommandResult { said, how: how.unwrap_or_else(CommandEnd::Failed) }
    }

    fn start(&self, serial: &str, output: &File) -> io::Result<Child> {
        Command::new("/bin/sh")
            .args(["-c", &self.text])
            .current_dir(&self.folder)
            .env(SERIAL, serial)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output.try_clone()?)
            .process_group(0)
            .spawn()
    }

    fn watch(&self, child: &mut Child, over: &AtomicBool) -> io::Result<CommandEnd> {
        let began = Instant::now();
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(CommandEnd::Exited(exit_code(status)));
            }
            if over.load(Ordering::SeqCst) {
                return Ok(CommandEnd::Overtaken);
            }
            if began.elapsed() >= self.limit {
                return Ok(CommandEnd::TimedOut(self.limit));
            }
            thread::sleep(LOOK);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(text: &str) -> InputCommand {
        InputCommand {
            text: text.into(),
            folder: "/".into(),
            variables: vec![("WATTLINE_PACKAGE", "org.example".into())],
            limit: Duration::from_millis(300),
            holds_clock: false,
        }
    }

    /// What became of a command beside a session that lasts so long.
    fn end(text: &str, session: Duration) -> InputCommandResult {
        let session = |begin: &mut dyn FnMut()| {
            begin();
            begin();
            thread::sleep(session);
        };
        run_with_input_command(Some(&command(text)), "board-7", &|| (), session).1.unwrap()
    }

    #[test]
    fn a_command_knows_its_board_and_its_package() {
        let end = end("echo $ANDROID_SERIAL; echo $WATTLINE_PACKAGE >&2", LOOK * 100);
        assert_eq!(end.log(), "input_command: board-7\ninput_command: org.example\n");
        assert_eq!(end.fault(SessionEnd::Ok), None);
    }

    #[test]
    fn a_failure_is_told_in_the_commands_last_words() {
        let end = end("echo 1; echo 2; echo; echo 3; echo no button >&2; exit 3", LOOK * 100);
        let said = "`session.input_command` ended with exit code 3: 2; 3; no button";
        assert_eq!(end.fault(SessionEnd::Ok).as_deref(), Some(said));
    }

    #[test]
    fn a_command_that_hangs_is_stopped_with_what_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let late = folder.path().join("late");
        let text = format!("(sleep 1; touch {}) & trap '' TERM; sleep 9; sleep 9", late.display());
        let told = end(&text, Duration::from_secs(4)).fault(SessionEnd::Ok).unwrap();
        assert!(told.contains("did not end within 0.3 s"), "{told}");
        assert!(!late.exists(), "its group was stopped, too");
    }

    #[test]
    fn the_end_of_the_session_is_the_commands() {
        let end = end("sleep 9", LOOK);
        assert!(end.fault(SessionEnd::Ok).unwrap().contains("when the session did"));
        assert_eq!(end.fault(SessionEnd::Died), None);
    }

    #[test]
    fn no_command_is_started_before_the_begin_mark() {
        let nothing = |_: &mut dyn FnMut()| 7;
        let (made, end) = run_with_input_command(Some(&command("exit 1")), "b", &|| (), nothing);
        assert_eq!((made, end.is_none()), (7, true));
    }
}
