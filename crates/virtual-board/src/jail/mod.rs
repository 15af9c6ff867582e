//! Confinement of a board's shells to its root. The strongest way that works on this machine is
//! found by trying:
//!
//! - name spaces: user, mounts, processes, network, IPC and host name of the board's own, the
//!   root changed by `pivot_root`, no capabilities, none to be had;
//! - change of root, where a superuser can make no name spaces: as a user that nobody else is;
//! - a PATH and a prefix for paths, which confines nothing (scripts then write
//!   `${WATTLINE_ROOT:-}/data`), for ordinary users alone.
//!
//! In every way the shells are started by the jail's first process ([`init`]), a program of
//! ours that does nothing else.

mod connection;
pub(crate) mod init;
mod protocol;

use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use super::BoardError;
use super::user::BoardUser;
use super::wire::{SOCKET, SOCKET_VARIABLE};
pub(super) use connection::ConfinedShell;
use connection::JailConnection;

/// Environment variable with the path of the board's root, in every process of a board's shells.
pub(super) const ROOT_VARIABLE: &str = "WATTLINE_BOARD";

/// Name of the first process's program in a root.
pub(super) const INIT: &str = "init";

/// Way to confine shells to a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Confinement {
    /// Name spaces of the board's own.
    NameSpaces,
    /// `chroot` as the board's own user.
    ChangeRoot,
    /// No confinement: a PATH and a prefix for paths.
    Prefix,
}

impl Confinement {
    /// All confinements, the strongest first.
    const ALL: [Self; 3] = [Self::NameSpaces, Self::ChangeRoot, Self::Prefix];

    /// Name of the confinement for messages: `name spaces`, `chroot` or `path prefix`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::NameSpaces => "name spaces",
            Self::ChangeRoot => "chroot",
            Self::Prefix => "path prefix",
        }
    }

    /// Confinement of a name.
    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether the confinement is safe for boards of this user: only a user of its own keeps a
    /// superuser's board from the host's files, and only a superuser can start processes of another
    /// user.
    fn is_allowed(self, user: BoardUser) -> bool {
        match self {
            Self::NameSpaces => true,
            Self::ChangeRoot => user.is_other(),
            Self::Prefix => !user.is_other(),
        }
    }
}

/// Confinement of a board's shells to its root, with the first process that starts them.
pub(super) struct Jail {
    confinement: Confinement,
    root: PathBuf,
    connection: JailConnection,
}

impl Jail {
    /// Starts a jail with the strongest confinement that works.
    ///
    /// # Errors
    /// None does, each with what kept it from working.
    pub(super) fn start_strongest(root: &Path, user: BoardUser) -> Result<Self, BoardError> {
        let mut reasons = Vec::new();
        for confinement in Confinement::ALL {
            if !confinement.is_allowed(user) {
                continue;
            }
            match Self::start(confinement, root, user) {
                Ok(jail) => return Ok(jail),
                Err(error) => reasons.push(format!("{}: {error}", confinement.name())),
            }
        }
        let reasons = reasons.join("; ");
        Err(match user.is_other() {
            true => BoardError::SuperUser { reasons },
            false => BoardError::NoShell { path: root.join("system/bin/sh"), reasons },
        })
    }

    /// Starts a jail of one confinement and checks that a shell works in it.
    fn start(confinement: Confinement, root: &Path, user: BoardUser) -> io::Result<Self> {
        let connection = JailConnection::start(
            &mut first_process_command(confinement, root, user),
            confinement,
        )?;
        let jail = Self { confinement, root: root.to_owned(), connection };
        let said = jail.output_of("echo x >/dev/null && cat </dev/null && echo works")?;
        if said == "works\n" { Ok(jail) } else { Err(io::Error::other("its shell does not work")) }
    }

    /// Confinement that was found to work.
    pub(super) fn confinement(&self) -> Confinement {
        self.confinement
    }

    /// Process number of the first process on the host.
    pub(super) fn first_process(&self) -> u32 {
        self.connection.init
    }

    /// Starts a shell that runs a script (or reads its input, if empty) with these ends of pipes as
    /// its input and outputs.
    pub(super) fn spawn(&self, script: &str, ends: [OwnedFd; 3]) -> io::Result<ConfinedShell> {
        let script = if script.is_empty() { "exec sh" } else { script };
        match self.confinement {
            Confinement::Prefix => {
                self.connection.spawn(&with_prefix(script, &self.root.to_string_lossy()), ends)
            }
            _ => self.connection.spawn(script, ends),
        }
    }

    /// Output of a script.
    fn output_of(&self, script: &str) -> io::Result<String> {
        let (stdin, input) = io::pipe()?;
        let (mut output, stdout) = io::pipe()?;
        let stderr = stdout.try_clone()?;
        let shell = self.spawn(script, [stdin.into(), stdout.into(), stderr.into()])?;
        drop(input);
        let mut text = String::new();
        output.read_to_string(&mut text)?;
        shell.wait();
        Ok(text)
    }

    /// Ends the jail and all processes in it.
    pub(super) fn close(&self) {
        self.connection.close();
    }
}

/// Command that starts the jail's first process, with the environment of the board, which its
/// shells inherit, and nothing else of the host's.
fn first_process_command(confinement: Confinement, root: &Path, user: BoardUser) -> Command {
    let prefix = match confinement {
        Confinement::Prefix => root.to_string_lossy().into_owned(),
        _ => String::new(),
    };
    let mut command = command_ignoring_sigxfsz();
    match confinement {
        Confinement::NameSpaces => {
            command.args(user.setpriv_arguments());
            command.arg(host_program("unshare")).args(NAME_SPACES);
            command.arg(root.join("system/bin").join(INIT));
        }
        Confinement::ChangeRoot => {
            command.arg(host_program("chroot")).args(user.chroot_arguments());
            command.arg(root).arg(format!("/system/bin/{INIT}"));
        }
        Confinement::Prefix => {
            command.arg(root.join("system/bin").join(INIT));
        }
    }
    command.arg(confinement.name()).arg(root);
    command
        .env_clear()
        .env("PATH", format!("{prefix}/system/bin"))
        .env("HOME", format!("{prefix}/data"))
        .env("TMPDIR", format!("{prefix}/data/local/tmp"))
        .env("ANDROID_ROOT", format!("{prefix}/system"))
        .env("ANDROID_DATA", format!("{prefix}/data"))
        .env(SOCKET_VARIABLE, format!("{prefix}{SOCKET}"))
        .current_dir("/");
    if confinement == Confinement::Prefix {
        command.env("WATTLINE_ROOT", prefix);
    }
    command
}

/// Options of `unshare`: the process that it starts is the first of its name spaces, and ends with
/// it.
const NAME_SPACES: [&str; 10] = [
    "--user",
    "--map-root-user",
    "--mount",
    "--pid",
    "--ipc",
    "--uts",
    "--net",
    "--fork",
    "--kill-child",
    "--",
];

/// Beginnings of the board's absolute paths in host commands.
const PREFIXED_PATHS: [&str; 5] = ["/data/", "/proc/", "/sdcard", "/sys/", "/system/"];

/// Script with the root before the board's absolute paths, which hosts write without it. Paths that
/// begin with a variable are left alone.
fn with_prefix(script: &str, root: &str) -> String {
    let mut text = String::with_capacity(script.len());
    let mut before = ' ';
    for (at, letter) in script.char_indices() {
        let is_inside = before.is_alphanumeric() || "_-./}*?".contains(before);
        if !is_inside && PREFIXED_PATHS.iter().any(|folder| script[at..].starts_with(folder)) {
            text.push_str(root);
        }
        text.push(letter);
        before = letter;
    }
    text
}

/// Command prefix that makes programs ignore SIGXFSZ, so that on a full disk a write fails and does
/// not kill. The option is one of coreutils 8.31 and later.
fn command_ignoring_sigxfsz() -> Command {
    /// Whether the host's `env` has the option.
    static CAN_IGNORE: LazyLock<bool> = LazyLock::new(|| {
        let mut trial = Command::new(host_program("env"));
        trial.args(["--ignore-signal=XFSZ", "true"]).stderr(Stdio::null());
        trial.status().is_ok_and(|status| status.success())
    });
    let mut command = Command::new(host_program("env"));
    if *CAN_IGNORE {
        command.arg("--ignore-signal=XFSZ");
    }
    command
}

/// Path of a host program that may lie outside a user's PATH.
pub(super) fn host_program(name: &str) -> PathBuf {
    ["/usr/sbin", "/usr/bin", "/sbin", "/bin"]
        .into_iter()
        .map(|folder| Path::new(folder).join(name))
        .find(|path| path.is_file())
        .unwrap_or_else(|| PathBuf::from(name))
}

#[cfg(test)]
mod tests;
