//! What tidies up when this program ends without having done so (killed, a signal):
//! a small shell of the host that waits at the end of a pipe. If the pipe closes
//! without a word, it ends the board's processes and removes its folders.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

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

/// Tidies up unless it is told that this was done.
pub(super) struct Janitor {
    child: Child,
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
        Ok(Self { child })
    }

    /// Tells it that there is nothing left to do.
    pub(super) fn dismiss(&mut self) {
        // If it is gone there is nobody to tell.
        self.child.stdin.take().map(|mut pipe| pipe.write_all(b"done\n"));
        self.child.wait().ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_tidies_up_when_nobody_says_that_it_was_done() {
        let [root, scratch] = [0, 1].map(|_| tempfile::tempdir().unwrap().keep());
        let mut left = Command::new("sleep").arg("30").env(ROOT_VARIABLE, &root).spawn().unwrap();
        let mut janitor = Janitor::start(&root, &scratch).unwrap();
        drop(janitor.child.stdin.take());
        janitor.child.wait().unwrap();
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
