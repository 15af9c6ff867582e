//! What another user of this machine can do with what the program leaves while it runs. As
//! root, the tests become that user; whoever else runs them can't.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::host::has;

/// A user without any rights, who is not the one that runs the tests.
pub struct SecondUser(());

impl SecondUser {
    /// The second user, if there can be one; else says why not.
    pub fn new() -> Option<SecondUser> {
        if !rustix::process::geteuid().is_root() {
            crate::skip::outside("only root can become a second user");
            return None;
        }
        has(&["setpriv"]).then_some(SecondUser(()))
    }

    /// A command that this user starts: with no groups, and nothing of the first one's
    /// environment but the path of programs.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"]).arg(program);
        command.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command.current_dir("/").stdin(Stdio::null());
        command
    }

    /// What a script of a shell prints that this user runs, with `$1` and so on.
    pub fn shell(&self, script: &str, arguments: &[&Path]) -> String {
        let mut command = self.command("sh");
        let output = command.args(["-c", script, "sh"]).args(arguments).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Which files and folders below a folder this user can read, write or look into, the
    /// folder itself left out.
    pub fn opened_below(&self, folder: &Path) -> Vec<PathBuf> {
        let script = "find \"$1\" -mindepth 1 \\( -readable -o -writable -o -executable \\) \
                      ! -type l -print0 2>/dev/null";
        let found = self.shell(script, &[folder]);
        found.split('\0').filter(|name| !name.is_empty()).map(PathBuf::from).collect()
    }
}

/// A folder like `/tmp`: all may make files there, and nobody removes those of others.
pub fn shared_folder(around: &tempfile::TempDir) -> PathBuf {
    fs::set_permissions(around.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let shared = around.path().join("shared");
    fs::create_dir(&shared).unwrap();
    fs::set_permissions(&shared, fs::Permissions::from_mode(0o1777)).unwrap();
    shared
}

/// A program that stands still until this is dropped, which ends it.
pub struct Held(Child);

impl Held {
    /// Lets a program run until something is there, and holds it then.
    pub fn once(mut child: Child, mut is_there: impl FnMut() -> bool) -> Held {
        while !is_there() {
            assert_eq!(child.try_wait().unwrap(), None, "it ended before");
            std::thread::sleep(Duration::from_millis(1));
        }
        kill_process(Pid::from_child(&child), Signal::STOP).unwrap();
        Held(child)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// A source that takes a while.
fn large_source(folder: &Path) {
    fs::create_dir(folder).unwrap();
    let methods = (0..20_000).map(|n| format!("int f{n}(int x) {{ return x * {n} + f{n}(x); }}\n"));
    let text = format!("class Secret {{\n{}}}\n", methods.collect::<String>());
    fs::write(folder.join("Secret.java"), text).unwrap();
}

#[test]
fn a_second_user_reads_nothing_of_temporary_folders() {
    let Some(second_user) = SecondUser::new() else { return };
    let around = tempfile::tempdir().unwrap();
    let shared = shared_folder(&around);
    let (home, temporary) = (shared.join("home"), shared.join("tmp"));
    for folder in [&home, &temporary] {
        fs::create_dir(folder).unwrap();
        fs::set_permissions(folder, fs::Permissions::from_mode(0o1777)).unwrap();
    }
    // What the test would find, were it there.
    let open = temporary.join("open");
    fs::write(&open, "anybody's").unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(second_user.opened_below(&temporary), std::slice::from_ref(&open));
    fs::remove_file(&open).unwrap();

    let sources = around.path().join("sources");
    large_source(&sources);
    fs::set_permissions(&sources, fs::Permissions::from_mode(0o700)).unwrap();
    let mut scan = Command::new(env!("CARGO_BIN_EXE_wattline"));
    scan.arg("scan").arg(&sources).arg("--out").arg(sources.join("out"));
    scan.env("HOME", &home).env("TMPDIR", &temporary).env_remove("XDG_CACHE_HOME");
    let child = scan.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let has_begun = || fs::read_dir(&temporary).unwrap().next().is_some();
    let held = Held::once(child, has_begun);
    assert_eq!(second_user.opened_below(&temporary), Vec::<PathBuf>::new());
    assert_eq!(second_user.opened_below(&sources), Vec::<PathBuf>::new());
    drop(held);
}
