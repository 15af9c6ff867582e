//! Recordings of the JDK's Flight Recorder: JVM options that make one, and the conversion of its
//! samples to collapsed stacks by a small program on the JDK's own reader.

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

use super::cached_program::{JavaProgram, load_or_compile};
use super::{Jdk, ToolchainError, UTF8_LOCALE};

const READER: &str = include_str!("java/FlightSamples.java");

/// Settings file for samples every 10 ms of the threads that run Java, by CPU time on JDKs that
/// can; nothing else is recorded.
const SETTINGS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<configuration version="2.0">
<event name="jdk.ExecutionSample"><setting name="enabled">true</setting><setting name="period">10 ms</setting></event>
<event name="jdk.CPUTimeSample"><setting name="enabled">true</setting><setting name="throttle">10 ms</setting></event>
</configuration>
"#;

/// JVM options that let samples in compiled code have their exact location instead of the next
/// safepoint.
pub(crate) const NO_SAFEPOINTS: [&str; 2] =
    ["-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints"];

/// Time limit for a JVM to write its recording and end.
const RECORDING_TIME: Duration = Duration::from_secs(30);

/// JVM options that record samples to `recording` when the JVM ends; writes the settings file into
/// `folder`.
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

/// Stops a JVM that still runs, and waits until its recording is written.
pub fn stop_jvm(child: &mut Child) {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let is_over = |child: &mut Child| !matches!(child.try_wait(), Ok(None));
    if !is_over(child)
        && let Some(pid) = pid
    {
        // It may end by itself meanwhile.
        kill_process(pid, Signal::TERM).ok();
    }
    let told = Instant::now();
    while !is_over(child) && told.elapsed() < RECORDING_TIME {
        thread::sleep(Duration::from_millis(10));
    }
}

/// First bytes of a recording.
const MAGIC: &[u8] = b"FLR\0";

/// Whether the bytes begin like a Flight Recorder recording.
pub fn is_recording(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The samples of a recording as collapsed stacks with descriptors and lines, after a first line `#
/// EVENT` that names the kind of samples; samples outside `window`, in milliseconds since 1970, are
/// left out.
///
/// # Errors
/// Flight Recorder's reader refuses the file, or there is no JDK to run the reader on.
pub fn collapsed_samples(
    jdk: &Jdk,
    recording: &Path,
    window: Option<(i64, i64)>,
) -> Result<String, ToolchainError> {
    let arguments: Vec<OsString> = iter::once(recording.as_os_str().to_owned())
        .chain(window.into_iter().flat_map(|(from, to)| [from, to]).map(|ms| ms.to_string().into()))
        .collect();
    let folder = TemporaryFolder::new("flight")
        .map_err(ToolchainError::io("create", std::env::temp_dir()))?;
    let output = reader_command(jdk, &arguments, folder.path())?
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

/// The command that reads recordings: a program whose class archive is made by reading this
/// recording; `folder` is for the program where there is no persistent cache.
fn reader_command(
    jdk: &Jdk,
    arguments: &[OsString],
    folder: &Path,
) -> Result<Command, ToolchainError> {
    let program = JavaProgram { class: "FlightSamples", text: READER.to_owned(), libraries: &[] };
    let lines = |_: &Path, _: &Path, _: &Path| {
        Ok(arguments.iter().map(|one| one.as_encoded_bytes()).collect::<Vec<_>>().join(&b'\n'))
    };
    program.command(jdk, load_or_compile(jdk, &program, &lines)?, folder)
}
