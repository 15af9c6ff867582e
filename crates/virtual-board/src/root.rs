//! Private root of a board: a temporary folder with the folders, programs and
//! libraries of a small Android. Programs are mksh (as `sh`), toybox under the names
//! of its harmless commands, and the program of the board's own commands under
//! their names (see [`super::shim`]).

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use wattline_private_files::private_folder_builder;

use super::BoardError;
use super::jail::INIT;
use super::shim::COMMANDS;
use super::user::BoardUser;

/// Toybox commands that act on files and text only. Those that would act on the host (`reboot`,
/// `mount`, `ifconfig`) or follow the host's clock (`timeout`, `watch`, `top`) are left out.
const TOYBOX: &str = "[ base32 base64 basename cat chgrp chmod chown cksum clear cmp comm cp cpio \
    crc32 cut dd df dirname du echo egrep env expand expr factor fallocate false fgrep file find \
    fold getconf grep groups gunzip gzip head help hexdump hostname iconv id install kill link ln \
    logname ls md5sum mkdir mkfifo mknod mktemp mv nice nl nohup nproc od paste patch printenv \
    printf pwd readelf readlink realpath renice rev rm rmdir sed seq setsid sha1sum sha224sum \
    sha256sum sha384sum sha512sum sort split stat strings tac tail tar tee test time touch tr true \
    truncate tty uname uniq unlink uudecode uuencode uuidgen wc which who whoami xargs xxd yes zcat";

/// Commands of Android 4.2's toolbox that toybox has as well and that act on files and text.
/// Among those it does not have: grep, setsid, tail, wc, printf, sha256sum.
const TOOLBOX: &str = "cat chmod chown cmp dd df du id kill ln ls mkdir mv printenv renice rm \
    rmdir touch";

/// The board's own commands that toolbox lacks.
const NOT_OF_TOOLBOX: [&str; 4] = ["cmd", "pidof", "taskset", "usleep"];

/// The sampling profiler, and the first release of Android that includes it.
const SIMPLEPERF: &str = "simpleperf";
const SIMPLEPERF_RELEASE: u32 = 10;

/// Tool set of a board's shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tools {
    /// Toybox, as in present Android.
    #[default]
    Toybox,
    /// Toolbox of Android 4.x: few commands, and `sleep` takes whole seconds only.
    Toolbox,
}

/// Folders of an empty board.
const FOLDERS: [&str; 11] = [
    "system/bin",
    "system/etc",
    "data/app",
    "data/data",
    "data/local/tmp",
    "dev/socket",
    "proc",
    "sys",
    "sdcard",
    "mnt",
    "tmp",
];

/// Device nodes of the board with their minor numbers.
pub(super) const DEVICES: [(&str, u32); 3] = [("null", 3), ("zero", 5), ("urandom", 9)];

/// Folder with the board's files; removed when dropped. Only its owner can enter it, and nothing in
/// it is a link to a file of the host.
pub(super) struct BoardRoot {
    folder: tempfile::TempDir,
}

impl BoardRoot {
    /// Builds the folder. `executable` is the program that answers to the names of the board's own
    /// commands; `release` decides which of them there are.
    pub(super) fn build(
        executable: &Path,
        tools: Tools,
        release: u32,
        user: BoardUser,
    ) -> Result<Self, BoardError> {
        let place = user.temporary_folder();
        let folder = private_folder_builder("wattline-board-")
            .tempdir_in(&place)
            .map_err(|source| BoardError::Root { path: place, source })?;
        let root = Self { folder };
        fill_root(root.path(), executable, (tools, release))?;
        Ok(root)
    }

    /// Path of the root on the host.
    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Fills an empty root with folders, programs, libraries, command names and devices.
fn fill_root(root: &Path, executable: &Path, generation: (Tools, u32)) -> Result<(), BoardError> {
    let failed = |source| BoardError::Root { path: root.to_owned(), source };
    let (mksh, toybox) = (find_program("mksh")?, find_program("toybox")?);
    create_folders(root).map_err(failed)?;
    let bin = root.join("system/bin");
    let mut libraries = BTreeSet::new();
    for (program, name) in [(mksh.as_path(), "mksh"), (&toybox, "toybox"), (executable, "board")] {
        copy_program(program, &bin.join(name)).map_err(failed)?;
        libraries.extend(shared_libraries(program));
    }
    for library in libraries {
        let inside = library.strip_prefix("/").unwrap_or(&library);
        copy_program(&library, &root.join(inside)).map_err(failed)?;
    }
    link_commands(&bin, &toybox, generation).map_err(failed)?;
    create_devices(root).map_err(failed)
}

/// Creates the folders of an empty board, with `passwd` and `group`.
fn create_folders(root: &Path) -> io::Result<()> {
    for folder in FOLDERS {
        fs::create_dir_all(root.join(folder))?;
    }
    symlink("system/etc", root.join("etc"))?;
    fs::write(root.join("system/etc/passwd"), "root:x:0:0::/data:/system/bin/sh\n")?;
    fs::write(root.join("system/etc/group"), "root:x:0:\n")?;
    symlink("system/bin", root.join("bin"))
}

/// Copies a program or library. Never a link: a process that writes to it on the board must not
/// write to the host's file.
fn copy_program(source: &Path, target: &Path) -> io::Result<()> {
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::copy(source, target)?;
    fs::set_permissions(target, fs::Permissions::from_mode(0o755))
}

/// Links the names of the commands to their programs.
fn link_commands(bin: &Path, toybox: &Path, (tools, release): (Tools, u32)) -> io::Result<()> {
    symlink("mksh", bin.join("sh"))?;
    let output = Command::new(toybox).output()?;
    let known = String::from_utf8_lossy(&output.stdout).into_owned();
    let known: BTreeSet<&str> = known.split_whitespace().collect();
    let wanted = if tools == Tools::Toolbox { TOOLBOX } else { TOYBOX };
    for name in wanted.split_whitespace().filter(|name| known.contains(name)) {
        symlink("toybox", bin.join(name))?;
    }
    let is_there = |name: &&str| {
        let known = tools == Tools::Toybox || !NOT_OF_TOOLBOX.contains(name);
        known && (*name != SIMPLEPERF || release >= SIMPLEPERF_RELEASE)
    };
    for name in COMMANDS.into_iter().filter(is_there).chain([INIT]) {
        fs::remove_file(bin.join(name)).ok();
        fs::hard_link(bin.join("board"), bin.join(name))?;
    }
    Ok(())
}

/// Creates `/dev/null` and its kin; plain files where device nodes are not allowed, which a name
/// space then covers with the host's.
fn create_devices(root: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
    for (name, minor) in DEVICES {
        let path = root.join("dev").join(name);
        let mode = Mode::from_raw_mode(0o666);
        match mknodat(CWD, &path, FileType::CharacterDevice, mode, makedev(1, minor)) {
            Ok(()) => fs::set_permissions(&path, fs::Permissions::from_mode(0o666))?,
            Err(_) => fs::write(&path, "")?,
        }
    }
    Ok(())
}

/// Programs of the host that the root contains.
pub(super) const PROGRAMS: [&str; 2] = ["mksh", "toybox"];

/// Path of a program on the host's PATH.
pub(super) fn find_program(name: &'static str) -> Result<PathBuf, BoardError> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|candidate| candidate.is_file())
        .ok_or(BoardError::ProgramMissing { name })
}

/// Shared libraries of a program, from `ldd`; none if it is static.
fn shared_libraries(program: &Path) -> Vec<PathBuf> {
    let Ok(output) = Command::new("ldd").arg(program).output() else { return Vec::new() };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().filter_map(library_of_line).collect()
}

/// Path in a line of `ldd`: `libc.so.6 => /lib/libc.so.6 (0x7f)` or `/lib64/ld-linux.so.2 (0x7f)`.
fn library_of_line(line: &str) -> Option<PathBuf> {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.iter().find(|word| word.starts_with('/')).map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_read_from_ldd() {
        let library = library_of_line("\tlibc.so.6 => /lib/x/libc.so.6 (0x00007f)");
        assert_eq!(library, Some("/lib/x/libc.so.6".into()));
        assert_eq!(library_of_line("\t/lib64/ld.so.2 (0x7f)"), Some("/lib64/ld.so.2".into()));
        assert_eq!(library_of_line("\tlinux-vdso.so.1 (0x7ffd)"), None);
    }
}
