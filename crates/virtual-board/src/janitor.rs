//! What tidies up when this program ends without having done so (killed, a signal):
//! a small shell of the host that waits at the end of a pipe. If the pipe closes
//! without a word, it ends the board's processes and removes its folders.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard};

use super::jail::ROOT_VARIABLE;

/// Arguments: the entry in the environment of the board's processes, the folders.
const SCRIPT: &str = r#"read -r word && exit 0
mark=$1
shift
for process in /proc/[0-9]*; do
    if grep -qzxF "$mark" "$process/environ" 2>/dev/null; then
        kill -9 "${process#/proc/}" 2>/dev/null
    fi
done
rm -rf "$@""#;

/// The janitors of this program's boards.
static JANITORS: Mutex<Vec<Child>> = Mutex::new(Vec::new());

/// Tidies up unless it is told that this was done.
pub(super) struct Janitor {
    pid: u32,
}

impl Janitor {
    /// Starts it for a root and a scratch folder, out of reach of the terminal's
    /// signals.
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
        janitors().push(child);
        Ok(Self { pid })
    }

    /// Tells it that there is nothing left to do.
    pub(super) fn dismiss(&mut self) {
        let Some(mut child) = take(self.pid) else { return };
        // If it is gone there is nobody to tell.
        child.stdin.take().map(|mut pipe| pipe.write_all(b"done\n"));
        child.wait().ok();
    }
}

impl Drop for Janitor {
    fn drop(&mut self) {
        take(self.pid).into_iter().for_each(tidy_up);
    }
}

/// The janitor of a number, who is then nobody else's; none if it was taken already.
fn take(pid: u32) -> Option<Child> {
    let mut janitors = janitors();
    let own = janitors.iter().position(|child| child.id() == pid)?;
    Some(janitors.swap_remove(own))
}

/// Has every janitor tidy up at once, and waits for it: the boards of this program end.
pub fn end_all() {
    let all = std::mem::take(&mut *janitors());
    all.into_iter().for_each(tidy_up);
}

fn tidy_up(mut janitor: Child) {
    drop(janitor.stdin.take());
    janitor.wait().ok();
}

fn janitors() -> MutexGuard<'static, Vec<Child>> {
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
        tidy_up(take(janitor.pid).unwrap());
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
