//! Recordings of the JDK's Flight Recorder: how a JVM makes one, and their samples as
//! collapsed stacks, read by a small program on the JDK's own reader.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::iter;
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::private_files::TemporaryFolder;

use super::cached_program::{Program, cached};
use super::class_path::join_paths;
use super::{BRIEF_JVM, Jdk, ToolchainError, UTF8_LOCALE};

const READER: &str = include_str!("java/FlightSamples.java");

/// Samples every 10 ms of the threads that run Java; by CPU time on JDKs that can.
/// Nothing else is recorded.
const SETTINGS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<configuration version="2.0">
<event name="jdk.ExecutionSample"><setting name="enabled">true</setting><setting name="period">10 ms</setting></event>
<event name="jdk.CPUTimeSample"><setting name="enabled">true</setting><setting name="throttle">10 ms</setting></event>
</configuration>
"#;

/// Options with which samples in compiled code don't stand where the JVM could have stopped.
pub(crate) const NO_SAFEPOINTS: [&str; 2] =
    ["-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints"];

/// How long a JVM may take to write its recording and end.
const LAST_WORDS: Duration = Duration::from_secs(30);

/// Options of a JVM that records its samples to `recording` when it ends; settings are left
/// in `folder`.
pub fn options(folder: &Path, recording: &Path) -> io::Result<Vec<OsString>> {
    let settings = folder.join("wattline.jfc");
    fs::write(&settings, SETTINGS)?;
    let start = format!(
        "-XX:StartFlightRecording=settings={},filename={},dumponexit=true",
        settings.display(),
        recording.display()
    );
    let own = ["-Xlog:jfr+startup=error".to_owned(), start];
    Ok(NO_SAFEPOINTS.into_iter().map(OsString::from).chain(own.map(OsString::from)).collect())
}

/// Tells a JVM to end, if it has not, and waits until it has written its recording.
pub fn end(child: &mut Child) {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let is_over = |child: &mut Child| !matches!(child.try_wait(), Ok(None));
    if !is_over(child)
        && let Some(pid) = pid
    {
        // It may end by itself meanwhile.
        kill_process(pid, Signal::TERM).ok();
    }
    let told = Instant::now();
    while !is_over(child) && told.elapsed() < LAST_WORDS {
        thread::sleep(Duration::from_millis(10));
    }
}

/// What a recording begins with.
const MAGIC: &[u8] = b"FLR\0";

/// Whether these bytes are a recording.
pub fn is_recording(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The samples of a recording as collapsed stacks with descriptors and lines, a first line
/// `# EVENT` saying which samples they are; `window` in milliseconds since 1970 leaves out
/// what came before and after.
///
/// # Errors
/// A file that Flight Recorder's reader refuses, and no JDK to run it on.
pub fn samples(
    jdk: &Jdk,
    recording: &Path,
    window: Option<(i64, i64)>,
) -> Result<String, ToolchainError> {
    let arguments: Vec<OsString> = iter::once(recording.as_os_str().to_owned())
        .chain(window.into_iter().flat_map(|(from, to)| [from, to]).map(|ms| ms.to_string().into()))
        .collect();
    let folder = TemporaryFolder::new("flight")
        .map_err(ToolchainError::io("create", std::env::temp_dir()))?;
    let output = reader(jdk, &arguments, folder.path())?
        .args(&arguments)
        .envs(UTF8_LOCALE)
        .output()
        .map_err(ToolchainError::io("start", &jdk.java))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let told = said.lines().find(|line| line.starts_with("Exception") || line.contains("rror:"));
    let message = told.or(said.lines().next()).unwrap_or_default().to_owned();
    Err(ToolchainError::BadRecording { path: recording.to_owned(), message })
}

/// The program that reads recordings: the cached one, whose archive of classes is made by reading
/// this recording; where no cache lasts, its source in `folder`, which the JVM compiles first.
fn reader(jdk: &Jdk, arguments: &[OsString], folder: &Path) -> Result<Command, ToolchainError> {
    const CLASS: &str = "FlightSamples";
    let program = Program { class: CLASS, text: READER.to_owned(), libraries: &[] };
    let lines = |_: &Path, _: &Path, _: &Path| {
        Ok(arguments.iter().map(|one| one.as_encoded_bytes()).collect::<Vec<_>>().join(&b'\n'))
    };
    let mut command = Command::new(&jdk.java);
    command.args(BRIEF_JVM);
    match cached(jdk, &program, &lines)? {
        Some(program) => {
            command.args(&program.options).arg("-cp").arg(join_paths(&program.class_path));
            command.arg(CLASS);
        }
        None => {
            let source = folder.join(format!("{CLASS}.java"));
            fs::write(&source, READER).map_err(ToolchainError::io("write", &source))?;
            command.arg(source);
        }
    }
    Ok(command)
}
