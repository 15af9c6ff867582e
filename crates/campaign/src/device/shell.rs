//! Shell commands on a board over adb, with exit codes and typed errors.
//!
//! Newer boards (`shell_v2`) frame the output: a byte of channel, four of length (little
//! endian), the bytes; channel 3 carries the exit code. Android 4.x knows only a terminal:
//! errors are merged into the output, lines end in `\r\n`, and there is no exit code, so the
//! command prints the code after a marker that occurs only once.

use std::sync::atomic::{AtomicU64, Ordering};

use super::board::ShellOutput;
use super::error::DeviceError;
use super::server::AdbStream;
use super::shortened::shortened;
use wattline_units::limits::DEVICE_OUTPUT_BYTES;

/// Which shell service a board has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShellMode {
    /// Framed output with exit codes.
    V2,
    /// Android 4.x: a terminal.
    Legacy,
}

/// The longest legacy command: one message of 4096 bytes holds the service's name, the
/// command and a closing zero.
pub(crate) const LEGACY_LENGTH_MAX: usize = 4000;

const STDOUT: u8 = 1;
const STDERR: u8 = 2;
const EXIT: u8 = 3;
const CLOSE_STDIN: u8 = 4;

/// Runs `command` on a stream whose transport is set; calls `watch` with each part of the output as
/// it arrives.
pub(crate) fn run_command(
    stream: AdbStream,
    mode: ShellMode,
    command: &str,
    watch: &mut dyn FnMut(&[u8]),
) -> Result<ShellOutput, DeviceError> {
    match mode {
        ShellMode::V2 => run_v2(stream, command, watch),
        ShellMode::Legacy => run_legacy(stream, command, watch),
    }
}

fn run_v2(
    mut stream: AdbStream,
    command: &str,
    watch: &mut dyn FnMut(&[u8]),
) -> Result<ShellOutput, DeviceError> {
    stream.request(&format!("shell,v2,raw:{command}"))?;
    // Without this a command that reads its input would wait for ever.
    stream.write_all(&[CLOSE_STDIN, 0, 0, 0, 0])?;
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    loop {
        let mut head = [0; 5];
        stream.read_exact(&mut head)?;
        let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]);
        match head[0] {
            STDOUT => {
                let before = stdout.len();
                check_output_limit(&stream, &stdout, length as usize)?;
                read_onto(&mut stream, &mut stdout, length)?;
                watch(&stdout[before..]);
            }
            STDERR => {
                check_output_limit(&stream, &stderr, length as usize)?;
                read_onto(&mut stream, &mut stderr, length)?;
            }
            EXIT if length == 1 => {
                let mut code = [0];
                stream.read_exact(&mut code)?;
                return Ok(output(&stdout, &stderr, i32::from(code[0])));
            }
            _ => return Err(stream.garbled("a shell packet of an unknown kind came", &head)),
        }
    }
}

/// Fails if `length` more bytes would exceed the limit of a command's output, which keeps a board
/// from filling this machine's memory.
fn check_output_limit(stream: &AdbStream, before: &[u8], length: usize) -> Result<(), DeviceError> {
    let all = (before.len() as u64).saturating_add(length as u64);
    DEVICE_OUTPUT_BYTES.check(all).map_err(|exceeded| DeviceError::TooMuch {
        serial: stream.limit.serial.clone(),
        what: stream.limit.doing.clone(),
        exceeded,
    })
}

/// Appends `length` bytes of the stream to `onto`, without allocating for the length beforehand.
fn read_onto(stream: &mut AdbStream, onto: &mut Vec<u8>, length: u32) -> Result<(), DeviceError> {
    let mut rest = length as usize;
    let mut buffer = [0; 16 * 1024];
    while rest > 0 {
        let part = rest.min(buffer.len());
        stream.read_exact(&mut buffer[..part])?;
        onto.extend_from_slice(&buffer[..part]);
        rest -= part;
    }
    Ok(())
}

fn run_legacy(
    mut stream: AdbStream,
    command: &str,
    watch: &mut dyn FnMut(&[u8]),
) -> Result<ShellOutput, DeviceError> {
    let mark = next_marker();
    let wrapped = wrap(command, &mark);
    if wrapped.len() > LEGACY_LENGTH_MAX {
        let (serial, length) = (stream.limit.serial.clone(), command.len());
        return Err(DeviceError::CommandTooLong { serial, length, limit: LEGACY_LENGTH_MAX });
    }
    stream.request(&format!("shell:{wrapped}"))?;
    let mut bytes = Vec::new();
    let mut buffer = [0; 16 * 1024];
    loop {
        match stream.read(&mut buffer)? {
            0 => break,
            length => {
                check_output_limit(&stream, &bytes, length)?;
                watch(&buffer[..length]);
                bytes.extend_from_slice(&buffer[..length]);
            }
        }
    }
    // No mark: the shell did not get to its end, whatever came before.
    unwrap_legacy(&bytes, &mark).ok_or_else(|| stream.limit.lost())
}

/// A marker that no output contains by chance.
fn next_marker() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("@@wattline-exit-{}-{count}:", std::process::id())
}

/// The command in a subshell of its own, so that an `exit` in it does not skip the marker.
fn wrap(command: &str, mark: &str) -> String {
    format!("(\n{command}\n) </dev/null\necho \"{mark}$?\"")
}

/// Splits a legacy shell's output at the marker into output and exit code; none without a marker.
fn unwrap_legacy(bytes: &[u8], mark: &str) -> Option<ShellOutput> {
    let text = String::from_utf8_lossy(bytes).replace("\r\r\n", "\n").replace("\r\n", "\n");
    let (stdout, code) = text.rsplit_once(mark)?;
    let exit_code = code.strip_suffix('\n')?.parse().ok()?;
    Some(ShellOutput { stdout: stdout.into(), stderr: String::new(), exit_code })
}

fn output(stdout: &[u8], stderr: &[u8], exit_code: i32) -> ShellOutput {
    ShellOutput {
        stdout: String::from_utf8_lossy(stdout).into_owned(),
        stderr: String::from_utf8_lossy(stderr).into_owned(),
        exit_code,
    }
}

/// The text quoted as one word of a shell command.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Description of a call for messages: the beginning of its command.
pub(crate) fn shortened_command(command: &str) -> String {
    format!("running `{}`", shortened(command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_legacy_answer_gives_output_and_code() {
        let answer = unwrap_legacy(b"a\r\nb@@m:3\r\n", "@@m:").expect("has the mark");
        assert_eq!((answer.stdout.as_str(), answer.exit_code), ("a\nb", 3));
        assert_eq!(unwrap_legacy(b"a\r\nb\r\n", "@@m:"), None, "no mark is no end");
        assert_eq!(unwrap_legacy(b"a\r\n@@m:1", "@@m:"), None, "half a code is no code");
    }

    #[test]
    fn the_last_mark_counts_and_no_two_are_alike() {
        let answer = unwrap_legacy(b"@@m:0\r\n@@m:7\r\n", "@@m:").expect("has the mark");
        assert_eq!(answer.exit_code, 7);
        assert_ne!(next_marker(), next_marker());
    }

    #[test]
    fn quotes_survive_the_shell() {
        assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
    }
}
