//! The device scripts: part of the program, pushed to a board when it does not have them.

use std::time::Duration;

use super::board::Board;
use super::error::DeviceError;
use super::remote_folders::SCRIPT_FOLDER;
use super::shell::quoted;
use super::transfer;

/// The scripts: name and text.
pub const SCRIPTS: [(&str, &str); 8] = [
    ("common.sh", include_str!("../../device-scripts/common.sh")),
    ("prepare.sh", include_str!("../../device-scripts/prepare.sh")),
    ("install.sh", include_str!("../../device-scripts/install.sh")),
    ("sample.sh", include_str!("../../device-scripts/sample.sh")),
    ("session.sh", include_str!("../../device-scripts/session.sh")),
    ("collect.sh", include_str!("../../device-scripts/collect.sh")),
    ("guard.sh", include_str!("../../device-scripts/guard.sh")),
    ("restore.sh", include_str!("../../device-scripts/restore.sh")),
];

/// Time limit of a command that only touches small files.
const SMALL_LIMIT: Duration = Duration::from_secs(10);

/// Beginning of the message for a script that a signal ended.
pub(super) const KILLED_MESSAGE_START: &str = "was killed";

/// Pushes the scripts, unless the board has exactly these.
pub fn install(board: &dyn Board) -> Result<(), DeviceError> {
    let texts: Vec<&str> = SCRIPTS.iter().map(|(_, text)| *text).collect();
    let version = transfer::sha256(texts.concat().as_bytes());
    let mark = format!("{SCRIPT_FOLDER}/installed");
    let look =
        format!("[ -d {SCRIPT_FOLDER} ] || mkdir {SCRIPT_FOLDER}; [ ! -r {mark} ] || cat {mark}");
    if board.shell(&look, SMALL_LIMIT)?.success(board, &look)?.trim() == version {
        return Ok(());
    }
    for (name, text) in SCRIPTS {
        board.push(text.as_bytes(), &format!("{SCRIPT_FOLDER}/{name}"), 0o755)?;
    }
    let note = format!("echo {version} >{mark}");
    board.shell(&note, SMALL_LIMIT)?.success(board, &note).map(|_| ())
}

/// The command that runs a script with arguments.
pub(crate) fn script_command(script: &str, arguments: &[String]) -> String {
    let mut command = format!("sh {SCRIPT_FOLDER}/{script}");
    for argument in arguments {
        command.push(' ');
        command.push_str(&quoted(argument));
    }
    command
}

/// The value of the last `key=value` line with this key.
pub(crate) fn last_value<'a>(output: &'a str, key: &str) -> Option<&'a str> {
    key_values(output, key).last()
}

/// The values of all `key=value` lines with this key.
pub(crate) fn key_values<'a>(output: &'a str, key: &str) -> impl Iterator<Item = &'a str> {
    output.lines().filter_map(move |line| line.strip_prefix(key)?.strip_prefix('='))
}

/// Fails with the message of a script's `error=` line, or if its output has no line `key=...`.
pub(crate) fn check_output(
    board: &dyn Board,
    script: &'static str,
    output: &super::ShellOutput,
    key: &str,
) -> Result<(), DeviceError> {
    let message = match last_value(&output.stdout, "error") {
        Some(message) => message.to_owned(),
        None if last_value(&output.stdout, key).is_some() => return Ok(()),
        // What a shell says of a child that a signal ended.
        None if output.exit_code > 128 => {
            format!(
                "{KILLED_MESSAGE_START} by signal {}: {}",
                output.exit_code - 128,
                output.all_output()
            )
        }
        None => format!("ended with code {}: {}", output.exit_code, output.all_output()),
    };
    Err(DeviceError::Script { serial: board.serial().into(), script, message })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_script_says_what_it_reads_and_writes() {
        for (name, text) in SCRIPTS {
            for part in ["#!/system/bin/sh\n", "# Input:", "# Output:"] {
                assert!(text.contains(part), "{name} lacks {part:?}");
            }
            assert!(!text.contains("<<"), "{name}: here-documents need a folder Android 4 lacks");
        }
    }

    #[test]
    fn arguments_are_quoted_and_values_are_exact() {
        assert_eq!(
            script_command("a.sh", &["x=it's".into()]),
            format!("sh {SCRIPT_FOLDER}/a.sh 'x=it'\\''s'")
        );
        let output = "exit=no\nt0=1.5\nexit=ok\n";
        assert_eq!(last_value(output, "exit"), Some("ok"));
        assert_eq!(last_value(output, "t"), None);
    }
}
