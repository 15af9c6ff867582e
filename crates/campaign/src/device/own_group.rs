//! A command of this machine in a process group of its own, which ends with all that it has
//! started.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// Time between two checks of whether the command has ended.
const LOOK: Duration = Duration::from_millis(10);

/// Time that a command has to end after it was asked to, before it is killed.
const PATIENCE: Duration = Duration::from_secs(2);

/// Bytes kept of the end of a command's output.
const KEPT: u64 = 64 * 1024;

/// Ends a command with all that it started and that is left in its group.
pub fn end_group(child: &mut Child) {
    let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else { return };
    for signal in [Signal::TERM, Signal::KILL] {
        // It may have ended by itself.
        if kill_process_group(group, signal).is_err() {
            break;
        }
        let asked = Instant::now();
        while !has_ended(child) && asked.elapsed() < PATIENCE {
            thread::sleep(LOOK);
        }
    }
    // It was killed at the latest.
    let _: io::Result<ExitStatus> = child.wait();
}

fn has_ended(child: &mut Child) -> bool {
    child.try_wait().is_ok_and(|status| status.is_some())
}

/// The end of a file, as text.
///
/// # Errors
/// What reading it says.
pub fn last_of(file: &mut File) -> io::Result<String> {
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(KEPT)))?;
    let mut bytes = Vec::new();
    file.take(KEPT).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
