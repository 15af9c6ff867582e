//! The shells that hosts start on the board: each in a process group of its own,
//! known to the clock from its start to its end.

use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard};

use rustix::process::{Pid, Signal, kill_process_group};

use super::jail::Jail;

/// Starts shells.
pub(super) struct Shells {
    jail: Jail,
    root: PathBuf,
}

impl Shells {
    pub(super) fn new(jail: Jail, root: &Path) -> Self {
        Self { jail, root: root.to_owned() }
    }

    /// The board's root on the host.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Starts a script (a shell that reads its input, if empty) with the outputs
    /// given and returns it with its input.
    pub(super) fn spawn(
        &self,
        script: &str,
        [stdout, stderr]: [Stdio; 2],
    ) -> io::Result<(Shell, ChildStdin)> {
        let mut command = self.jail.shell(script);
        command.stdin(Stdio::piped()).stdout(stdout).stderr(stderr).process_group(0);
        let mut child = command.spawn()?;
        let stdin = child.stdin.take().ok_or_else(|| io::Error::other("no input pipe"))?;
        Ok((Shell { pid: child.id(), child: Mutex::new(child) }, stdin))
    }
}

/// A shell that runs.
pub(super) struct Shell {
    pid: u32,
    child: Mutex<Child>,
}

impl Shell {
    /// Waits for its end; its exit code, or 128 and the signal that ended it.
    pub(super) fn wait(&self) -> u8 {
        let status = self.child().wait();
        status.map_or(255, exit_code)
    }

    /// What the end of a terminal does to its processes.
    pub(super) fn hang_up(&self) {
        if let Some(group) = i32::try_from(self.pid).ok().and_then(Pid::from_raw) {
            // It may be over already.
            kill_process_group(group, Signal::HUP).ok();
        }
    }

    fn child(&self) -> MutexGuard<'_, Child> {
        self.child.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(255)
}
