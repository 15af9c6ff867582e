//! What this machine gives the tests: tools, and an adb server that disturbs nobody.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use rustix::process::Signal;
use wattline::device::virtual_board_options;
use wattline::toolchain::Jdk;
use wattline::toolchain::artifact::hash_of_bytes;
use wattline::virtual_board::BoardOptions;

/// What a virtual board needs.
pub const BOARD_TOOLS: [&str; 3] = ["adb", "mksh", "toybox"];

/// What a campaign on one needs.
pub const CAMPAIGN_TOOLS: [&str; 4] = ["adb", "mksh", "toybox", "javac"];

/// Options of a javac that ends after a second: without the compiler that pays later.
const BRIEF_JAVAC: [&str; 2] = ["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"];

/// The same for `java`.
pub const BRIEF_JAVA: [&str; 2] = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];

/// Whether all are there; says which is not.
pub fn has(tools: &[&str]) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let there = |tool: &str| std::env::split_paths(&path).any(|dir| dir.join(tool).is_file());
    let missing = tools.iter().find(|tool| !there(tool));
    if let Some(tool) = missing {
        crate::skip::because(format!("{tool} is not on the PATH"));
    }
    missing.is_none()
}

/// javac of the JDK that the program takes, for a compilation of a second: it loads its own
/// classes from an archive, which halves that.
pub fn javac() -> Command {
    javac_at(&Jdk::find().map_or_else(|_| "javac".into(), |jdk| jdk.javac))
}

/// The same of another JDK.
pub fn javac_at(path: &Path) -> Command {
    let mut javac = Command::new(path);
    javac.args(BRIEF_JAVAC);
    if let Some(archive) = javac_classes(path) {
        // One that this JVM can't use is not used, and that is not to be said among errors.
        javac.args(["-J-Xlog:disable", "-J-Xshare:auto"]);
        javac.arg(format!("-J-XX:SharedArchiveFile={}", archive.display()));
    }
    javac
}

/// An archive of the classes of a javac, which is made once for its JDK and kept in the folder
/// for temporary files of the build; none where there is no such javac, or it makes none.
fn javac_classes(javac: &Path) -> Option<PathBuf> {
    static MADE: Mutex<BTreeMap<PathBuf, Option<PathBuf>>> = Mutex::new(BTreeMap::new());
    let javac = fs::canonicalize(javac).ok()?;
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    made.entry(javac.clone()).or_insert_with(|| archive_classes(&javac)).clone()
}

fn archive_classes(javac: &Path) -> Option<PathBuf> {
    let release = fs::read(javac.parent()?.parent()?.join("release")).unwrap_or_default();
    let key = hash_of_bytes(&[javac.as_os_str().as_encoded_bytes(), release.as_slice()].concat());
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let archive = kept.join(format!("javac-{}.jsa", &key[..16]));
    if !archive.exists() {
        let (folder, part) = (tempfile::tempdir().unwrap(), tempfile::tempdir_in(kept).unwrap());
        let part = part.path().join("classes.jsa");
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/targets");
        let sources = ["Lambdas.java", "Names.java", "Tries.java"].map(|name| sources.join(name));
        let mut first = Command::new(javac);
        first.args(BRIEF_JAVAC).arg(format!("-J-XX:ArchiveClassesAtExit={}", part.display()));
        first.args(["-g", "--release", "11", "-nowarn", "-d"]).arg(folder.path()).args(sources);
        first.output().ok()?;
        fs::rename(part, &archive).ok()?;
    }
    Some(archive)
}

/// A virtual board that takes the program under test for its commands, and jars beside packages.
pub fn board_options() -> BoardOptions {
    BoardOptions {
        executable: Some(env!("CARGO_BIN_EXE_wattline").into()),
        agent_cache: Some(env!("CARGO_TARGET_TMPDIR").into()),
        jars: true,
        ..virtual_board_options()
    }
}

/// A port for a server that is started later. It lies below those that the system gives to
/// outgoing connections, one of which could have taken it by then.
pub fn free_port() -> u16 {
    static TRIED: AtomicU32 = AtomicU32::new(0);
    let first = std::process::id().wrapping_mul(61);
    let next = || {
        let step = first.wrapping_add(TRIED.fetch_add(1, Ordering::Relaxed));
        10_000 + u16::try_from(step % 20_000).unwrap()
    };
    loop {
        let port = next();
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// Ends the adb server on a port.
pub fn kill_server(port: u16) {
    let mut kill = Command::new("adb");
    kill.args(["-P", &port.to_string(), "kill-server"]);
    kill.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().ok();
}

/// A port for an adb server of the test's own, which whoever needs it starts; ended with this.
pub struct AdbServer {
    pub port: u16,
}

impl AdbServer {
    pub fn new() -> AdbServer {
        AdbServer { port: free_port() }
    }

    /// The program, which finds boards by this server, in the project's folder.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wattline"));
        command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR"));
        command.env("ANDROID_ADB_SERVER_PORT", self.port.to_string());
        command
    }

    /// The same, run to its end.
    pub fn wattline(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }
}

impl Drop for AdbServer {
    fn drop(&mut self) {
        kill_server(self.port);
    }
}

/// Somebody without any rights, who has a home and a temporary folder and nothing else: where
/// the tests run as root, the system's nobody; otherwise whoever runs them.
pub struct OrdinaryUser {
    home: tempfile::TempDir,
    id: Option<u32>,
}

/// Runs a command in a name space in which no further one can be made; a user who can't make
/// that one is there already.
const WITHOUT_NAME_SPACES: &str = r#"unshare -U --map-root-user true || exec "$@"
exec unshare -U --map-root-user /bin/sh -c '
    echo 0 >/proc/sys/user/max_user_namespaces &&
    exec setpriv --bounding-set=-all --inh-caps=-all --no-new-privs "$@"' sh "$@""#;

/// The number of `nobody`, who owns no files.
const NOBODY: u32 = 65534;

impl OrdinaryUser {
    /// The program and the scenarios lie in the user's home, since a project of root's may
    /// be closed to them.
    pub fn new() -> OrdinaryUser {
        let id = rustix::process::geteuid().is_root().then_some(NOBODY);
        let user = OrdinaryUser { home: tempfile::tempdir().unwrap(), id };
        let project = Path::new(env!("CARGO_MANIFEST_DIR"));
        for folder in ["scenarios", "tests/scenarios"] {
            copy_folder(&project.join(folder), &user.path(folder));
        }
        fs::copy(env!("CARGO_BIN_EXE_wattline"), user.path("wattline")).unwrap();
        fs::create_dir(user.path("tmp")).unwrap();
        user.own(user.home.path());
        user
    }

    /// Makes a folder with all that is in it this user's.
    pub fn own(&self, folder: &Path) {
        for entry in walkdir::WalkDir::new(folder) {
            chown(entry.unwrap().path(), self.id, self.id).unwrap();
        }
    }

    /// A path in the user's home.
    pub fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// The program, as this user starts it, at home.
    pub fn command(&self, adb: &AdbServer, arguments: &[&str]) -> Command {
        let mut command = self.start(&self.path("wattline"), adb);
        command.args(arguments);
        command
    }

    /// The same where the user may make no name spaces, as on Ubuntu from 23.10 on.
    pub fn confined(&self, adb: &AdbServer, arguments: &[&str]) -> Command {
        let mut command = self.start(Path::new("/bin/sh"), adb);
        command.args(["-c", WITHOUT_NAME_SPACES, "sh"]).arg(self.path("wattline")).args(arguments);
        command
    }

    /// The same under a limit of `prlimit`, like `--nproc=0`.
    pub fn limited(&self, adb: &AdbServer, limit: &str, arguments: &[&str]) -> Command {
        let mut command = self.start(Path::new("prlimit"), adb);
        command.arg(limit).arg(self.path("wattline")).args(arguments);
        command
    }

    fn start(&self, program: &Path, adb: &AdbServer) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.home.path());
        command.env("HOME", self.home.path()).env("TMPDIR", self.path("tmp"));
        command.env_remove("XDG_CACHE_HOME").env_remove("USER").env_remove("LOGNAME");
        command.env("ANDROID_ADB_SERVER_PORT", adb.port.to_string());
        if let Some(id) = self.id {
            command.uid(id).gid(id);
        }
        command
    }
}

/// Copies a folder with all that is in it.
pub fn copy_folder(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from) {
        let entry = entry.unwrap();
        let target = to.join(entry.path().strip_prefix(from).unwrap());
        match entry.file_type().is_dir() {
            true => fs::create_dir_all(&target).unwrap(),
            false => drop(fs::copy(entry.path(), &target).unwrap()),
        }
    }
}

/// The exit code, and what was said on both outputs.
pub fn answer(output: Output) -> (Option<i32>, String) {
    (output.status.code(), said(&output))
}

/// What a program said on both outputs.
pub fn said(output: &Output) -> String {
    let both = [output.stdout.as_slice(), &output.stderr].concat();
    String::from_utf8_lossy(&both).into_owned()
}

/// The same command, which has the usual answer to a signal even where the tests themselves run in
/// the background or under `nohup`: all that they start ignores what they ignore.
pub fn with_default(signal: Signal, command: &Command) -> Command {
    let name = match signal {
        Signal::HUP => "HUP",
        Signal::INT => "INT",
        other => panic!("{other:?} has no name here"),
    };
    let mut with_default = Command::new("/usr/bin/env");
    with_default.arg(format!("--default-signal={name}"));
    with_default.arg(command.get_program()).args(command.get_args());
    for (key, value) in command.get_envs() {
        match value {
            Some(value) => with_default.env(key, value),
            None => with_default.env_remove(key),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        with_default.current_dir(folder);
    }
    with_default
}
