//! Cleanup after this program ends without it (killed, a signal): a small shell of the host waits
//! at the end of a pipe. If the pipe closes without a word, the shell ends the board's processes
//! and removes its folders.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard};

use super::jail::ROOT_VARIABLE;

/// Shell script of a janitor. Its arguments: the environment entry of the board's processes, the
/// folders.
const SCRIPT: &str = r#"read -r word && exit 0
mark=$1
shift
for process in /proc/[0-9]*; do
    if grep -qzxF "$mark" "$process/environ" 2>/dev/null; then
        kill -9 "${process#/proc/}" 2>/dev/null
    fi
done
rm -rf "$@""#;

/// Running janitors of this program's boards.
static JANITORS: Mutex<Vec<Child>> = Mutex::new(Vec::new());

/// Shell process that cleans up after a board unless it is dismissed.
pub(super) struct Janitor {
    pid: u32,
}

impl Janitor {
    /// Starts a janitor for a root and a scratch folder, out of reach of the terminal's signals.
    pub(super) fn start(root: &Path, scratch: &Path) -> io::Result<Self> {
        let mut mark = std::ffi::OsString::from(format!("{ROOT_VARIABLE}="));
        mark.push(root);
        let child = Command::new("/bin/sh")
            .args(["-c", SCRIPT, "janitor"])
            .arg(mark)
            .args([root, scratch])
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        let pid = child.id();
        lock_janitors().push(child);
        Ok(Self { pid })
    }

    /// Ends the janitor without any cleanup, since the board has cleaned up.
    pub(super) fn dismiss(&mut self) {
        let Some(mut child) = take_janitor(self.pid) else { return };
        // If it is gone there is nobody to tell.
        child.stdin.take().map(|mut pipe| pipe.write_all(b"done\n"));
        child.wait().ok();
    }
}

impl Drop for Janitor {
    fn drop(&mut self) {
        take_janitor(self.pid).into_iter().for_each(run_cleanup);
    }
}

/// Takes a janitor by its process number; `None` if it was taken already.
fn take_janitor(pid: u32) -> Option<Child> {
    let mut janitors = lock_janitors();
    let own = janitors.iter().position(|child| child.id() == pid)?;
    Some(janitors.swap_remove(own))
}

/// Makes every janitor of this program clean up at once, and waits for them: all its boards end.
pub fn clean_up_all_boards() {
    let all = std::mem::take(&mut *lock_janitors());
    all.into_iter().for_each(run_cleanup);
}

/// Makes a janitor clean up by closing its pipe, and waits for it.
fn run_cleanup(mut janitor: Child) {
    drop(janitor.stdin.take());
    janitor.wait().ok();
}

/// Locks the list of running janitors.
fn lock_janitors() -> MutexGuard<'static, Vec<Child>> {
    JANITORS.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_tidies_up_when_nobody_says_that_it_was_done() {
        let [root, scratch] = [0, 1].map(|_| tempfile::tempdir().unwrap().keep());
        let mut left = Command::new("sleep").arg("30").env(ROOT_VARIABLE, &root).spawn().unwrap();
        let janitor = Janitor::start(&root, &scratch).unwrap();
        run_cleanup(take_janitor(janitor.pid).unwrap());
        assert!(!root.exists() && !scratch.exists());
        assert!(!left.wait().unwrap().success(), "it was killed");
    }

    #[test]
    fn it_leaves_alone_what_was_tidied() {
        let root = tempfile::tempdir().unwrap();
        Janitor::start(root.path(), root.path()).unwrap().dismiss();
        assert!(root.path().exists());
    }
}
