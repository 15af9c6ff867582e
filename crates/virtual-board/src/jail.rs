//! How a shell is confined to the board's root. The best way that works on this
//! machine is found by trying: change of root, the same in a name space of its own,
//! and last a PATH and a prefix for paths (scripts then write
//! `${WATTLINE_ROOT:-}/data`).

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use super::BoardError;
use super::wire::{SOCKET, SOCKET_VARIABLE};

/// Every process of a board has its root's path in its environment under this name.
pub(super) const ROOT_VARIABLE: &str = "WATTLINE_BOARD";

/// Script of a name space: covers the device nodes that could not be made. Its
/// arguments are the root, the script to run there, and the path of `chroot`.
const COVER: &str = r#"board_path=$PATH
PATH=/usr/sbin:/usr/bin:/sbin:/bin
for device in null zero urandom; do
    mount --bind "/dev/$device" "$1/dev/$device" || exit 126
done
PATH=$board_path
exec "$3" "$1" /system/bin/sh -c "$2""#;

/// A way to confine a shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `chroot`, as root.
    ChangeRoot,
    /// `chroot` in a mount name space, and a user name space if needed.
    NameSpace { options: &'static [&'static str] },
    /// No confinement: PATH and a prefix.
    Prefix,
}

/// Starts shells inside a root.
pub(super) struct Jail {
    kind: Kind,
    root: PathBuf,
}

impl Jail {
    /// Finds the best way that works.
    pub(super) fn find(root: &Path) -> Result<Self, BoardError> {
        let kinds = [
            Kind::ChangeRoot,
            Kind::NameSpace { options: &["-m"] },
            Kind::NameSpace { options: &["-r", "-m"] },
            Kind::Prefix,
        ];
        kinds
            .into_iter()
            .map(|kind| Self { kind, root: root.to_owned() })
            .find(Self::works)
            .ok_or_else(|| BoardError::NoShell { path: root.join("system/bin/sh") })
    }

    /// One word for the board's log.
    pub(super) fn name(&self) -> &'static str {
        match self.kind {
            Kind::ChangeRoot => "chroot",
            Kind::NameSpace { .. } => "name space",
            Kind::Prefix => "path prefix",
        }
    }

    fn works(&self) -> bool {
        let script = "echo x >/dev/null && cat </dev/null && echo \"works\"";
        let output = self.shell(script).stdin(Stdio::null()).stderr(Stdio::null()).output();
        output.is_ok_and(|output| output.stdout == b"works\n")
    }

    /// A shell that runs a script (or reads its input, if empty) with the
    /// environment of the board and nothing else of the host's.
    pub(super) fn shell(&self, script: &str) -> Command {
        let script = if script.is_empty() { "exec sh" } else { script };
        let mut command = match self.kind {
            Kind::ChangeRoot => self.change_root(script),
            Kind::NameSpace { options } => self.name_space(options, script),
            Kind::Prefix => self.prefix(script),
        };
        let prefix = self.prefix_path();
        command
            .env_clear()
            .env("PATH", format!("{prefix}/system/bin"))
            .env("HOME", format!("{prefix}/data"))
            .env("TMPDIR", format!("{prefix}/data/local/tmp"))
            .env("ANDROID_ROOT", format!("{prefix}/system"))
            .env("ANDROID_DATA", format!("{prefix}/data"))
            .env(ROOT_VARIABLE, &self.root)
            .env(SOCKET_VARIABLE, format!("{prefix}{SOCKET}"));
        if self.kind == Kind::Prefix {
            command.env("WATTLINE_ROOT", prefix);
        }
        command
    }

    /// What stands before the board's paths inside the jail.
    fn prefix_path(&self) -> String {
        match self.kind {
            Kind::Prefix => self.root.to_string_lossy().into_owned(),
            _ => String::new(),
        }
    }

    fn change_root(&self, script: &str) -> Command {
        let mut command = patient(&host_program("chroot"));
        command.arg(&self.root).args(["/system/bin/sh", "-c", script]);
        command
    }

    fn name_space(&self, options: &[&str], script: &str) -> Command {
        let mut command = patient(&host_program("unshare"));
        command.args(options).args(["--", "/bin/sh", "-c", COVER, "sh"]);
        command.arg(&self.root).arg(script).arg(host_program("chroot"));
        command
    }

    fn prefix(&self, script: &str) -> Command {
        let mut command = patient(&self.root.join("system/bin/sh"));
        let script = with_prefix(script, &self.root.to_string_lossy());
        command.args(["-c", &script]).current_dir(&self.root);
        command
    }
}

/// Folders of the board that a host's command may name by absolute paths.
const TOP: [&str; 5] = ["/data/", "/proc/", "/sdcard", "/sys/", "/system/"];

/// A host's command with the root before the board's absolute paths: hosts know nothing of
/// roots. Paths that begin with a variable have theirs already.
fn with_prefix(script: &str, root: &str) -> String {
    let mut text = String::with_capacity(script.len());
    let mut before = ' ';
    for (at, letter) in script.char_indices() {
        let is_inside = before.is_alphanumeric() || "_-./}*?".contains(before);
        if !is_inside && TOP.iter().any(|folder| script[at..].starts_with(folder)) {
            text.push_str(root);
        }
        text.push(letter);
        before = letter;
    }
    text
}

/// A program that goes on where a file can grow no more: on a full disk a write fails, it
/// does not kill. The option is one of coreutils 8.31 and later.
fn patient(program: &Path) -> Command {
    static CAN_IGNORE: LazyLock<bool> = LazyLock::new(|| {
        let mut trial = Command::new(host_program("env"));
        trial.args(["--ignore-signal=XFSZ", "true"]).stderr(Stdio::null());
        trial.status().is_ok_and(|status| status.success())
    });
    if !*CAN_IGNORE {
        return Command::new(program);
    }
    let mut command = Command::new(host_program("env"));
    command.arg("--ignore-signal=XFSZ").arg(program);
    command
}

/// A program of the host that may lie outside a user's PATH.
fn host_program(name: &str) -> PathBuf {
    ["/usr/sbin", "/usr/bin", "/sbin", "/bin"]
        .into_iter()
        .map(|folder| Path::new(folder).join(name))
        .find(|path| path.is_file())
        .unwrap_or_else(|| PathBuf::from(name))
}

#[cfg(test)]
mod tests {
    use super::super::root::Root;
    use super::*;

    /// Every way that works on this machine runs the same script with the same result.
    #[test]
    fn shells_are_confined_in_every_way_that_works() {
        let root = match Root::build(Path::new("/bin/true"), Default::default(), 4) {
            Ok(root) => root,
            Err(error) => return crate::skip::because(error),
        };
        std::fs::write(root.path().join("proc/uptime"), "100.00 100.00\n").unwrap();
        let kinds = [
            Kind::ChangeRoot,
            Kind::NameSpace { options: &["-m"] },
            Kind::NameSpace { options: &["-r", "-m"] },
            Kind::Prefix,
        ];
        let jails = kinds.map(|kind| Jail { kind, root: root.path().to_owned() });
        assert!(jails[3].works(), "the prefix works everywhere");
        for jail in jails.iter().filter(|jail| jail.works()) {
            let script = "read -r up _ <${WATTLINE_ROOT:-}/proc/uptime; echo $up; \
                          read -r up _ </proc/uptime; echo $up; ls \
                          ${WATTLINE_ROOT:-}/system/bin/sh; echo $0; exit 3";
            let output = jail.shell(script).output().unwrap();
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let first: Vec<&str> = text.lines().take(2).collect();
            assert_eq!(first, ["100.00", "100.00"], "{:?}", jail.kind);
            assert!(text.contains("/system/bin/sh"), "{:?}: {text}", jail.kind);
            assert_eq!(output.status.code(), Some(3), "{:?}", jail.kind);
        }
    }

    #[test]
    fn hosts_know_nothing_of_the_prefix() {
        let check = |script: &str, expected: &str| assert_eq!(with_prefix(script, "/r"), expected);
        check("sh /data/local/tmp/a.sh", "sh /r/data/local/tmp/a.sh");
        check("f='/data/x'; g=/sdcard", "f='/r/data/x'; g=/r/sdcard");
        check("[ -r </proc/uptime ]", "[ -r </r/proc/uptime ]");
        check("${WATTLINE_ROOT:-}/sys/bus $r/sys/x", "${WATTLINE_ROOT:-}/sys/bus $r/sys/x");
        check("echo a/data/b >/dev/null", "echo a/data/b >/dev/null");
        check("ls /system/bin /database", "ls /r/system/bin /database");
    }
}
