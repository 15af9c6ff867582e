//! Other users of the machine, and whoever else reaches a board's port: nobody gets in.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::fs::{FileTypeExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::adb::{Adb, has_tools, options};
use crate::host::{free_port, kill_server, said};
use wattline::virtual_board::AdbdGeneration;

/// The number of `nobody`.
const NOBODY: u32 = 65534;

/// Somebody with an adb, a key and a server of his own: where the tests run as root another user
/// of the machine, else this one with another home.
struct Stranger {
    home: tempfile::TempDir,
    uid: Option<u32>,
    port: u16,
}

impl Stranger {
    fn new() -> Self {
        let uid = rustix::process::geteuid().is_root().then_some(NOBODY);
        let home = tempfile::tempdir().unwrap();
        chown(home.path(), uid, uid).unwrap();
        Self { home, uid, port: free_port() }
    }

    /// What adb says to him, on both outputs.
    fn adb(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("adb");
        command.args(["-P", &self.port.to_string()]).args(arguments);
        command.env("HOME", self.home.path()).env("TMPDIR", self.home.path());
        command.current_dir(self.home.path()).stdin(Stdio::null());
        if let Some(uid) = self.uid {
            command.uid(uid).gid(uid);
        }
        said(&command.output().unwrap())
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        kill_server(self.port);
    }
}

#[test]
fn the_key_of_another_adb_is_refused() {
    if !has_tools() {
        return;
    }
    for mode in [AdbdGeneration::Modern, AdbdGeneration::Legacy] {
        let owner = Adb::of(options(mode));
        let stranger = Stranger::new();
        let serial = owner.board().serial();
        let connected = stranger.adb(&["connect", &serial]);
        assert!(!connected.starts_with("connected to"), "{connected}");
        let answer = stranger.adb(&["-s", &serial, "shell", "echo came in"]);
        assert!(!answer.contains("came in"), "{answer}");
        let pushed = stranger.adb(&["-s", &serial, "push", "/etc/hostname", "/data/local/tmp/x"]);
        assert!(!pushed.contains("1 file pushed"), "{pushed}");
        assert_eq!(owner.board().read_file("/data/local/tmp/x"), None);
        assert_eq!(owner.shell("echo owner").trim(), "owner");
    }
}

/// A board's port is open to everybody, so what comes in before a signature is not believed.
#[test]
fn strangers_keep_nobody_out_and_are_not_listened_to() {
    if !has_tools() {
        return;
    }
    let owner = Adb::of(options(AdbdGeneration::Modern));
    let connect = || TcpStream::connect(owner.board().serial()).unwrap();
    let silent: Vec<TcpStream> = (0..40).map(|_| connect()).collect();
    // A service without a signature, a packet of a gigabyte, and noise.
    let open = packet(b"OPEN", [1, 0], b"shell:echo came in\0");
    let huge = [&b"CNXN"[..], &[0; 8], &(1u32 << 30).to_le_bytes(), &[0; 8]].concat();
    for bytes in [open, huge, vec![7; 4096]] {
        let mut stream = connect();
        // It may be closed before all is written.
        stream.write_all(&bytes).ok();
        stream.shutdown(Shutdown::Write).ok();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok();
        assert!(answer.is_empty(), "{answer:?}");
    }
    assert_eq!(owner.shell("echo owner").trim(), "owner");
    let second = Adb::of(options(AdbdGeneration::Modern));
    assert_eq!(second.shell("echo owner").trim(), "owner");
    drop(silent);
}

/// A packet of the ADB protocol.
fn packet(command: &[u8; 4], [arg0, arg1]: [u32; 2], payload: &[u8]) -> Vec<u8> {
    let word = u32::from_le_bytes(*command);
    let sum = payload.iter().map(|byte| u32::from(*byte)).sum();
    let length = u32::try_from(payload.len()).unwrap();
    let words = [word, arg0, arg1, length, sum, word ^ u32::MAX];
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend_from_slice(payload);
    bytes
}

/// `wattline board virtual` with a temporary folder of its own.
struct Program {
    child: Child,
    folder: tempfile::TempDir,
}

impl Program {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_wattline"))
            .args(["board", "virtual"])
            .env("TMPDIR", folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut serial = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut serial).unwrap();
        assert!(serial.starts_with("127.0.0.1:"), "{serial}");
        Self { child, folder }
    }

    /// Files and folders below the temporary folder.
    fn files(&self) -> Vec<PathBuf> {
        let below = walkdir::WalkDir::new(self.folder.path()).min_depth(1);
        below.into_iter().map(|entry| entry.unwrap().into_path()).collect()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        self.child.wait().unwrap();
    }
}

#[test]
fn folders_and_sockets_of_a_board_are_closed_to_others() {
    if !has_tools() {
        return;
    }
    let board = Program::start();
    let mode = |path: &Path| fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777;
    let files = board.files();
    let is_boards = |path: &&PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        ["wattline-board-", "wattline-simulation-"].iter().any(|start| name.starts_with(start))
    };
    let folders: Vec<&PathBuf> = files.iter().filter(is_boards).collect();
    assert_eq!(folders.len(), 2, "a root and a scratch folder");
    for folder in folders {
        let around = folder.ancestors().take_while(|at| *at != board.folder.path());
        for at in around {
            assert_eq!(mode(at) & 0o007, 0, "{}", at.display());
        }
    }
    let is_socket = |path: &&PathBuf| path.symlink_metadata().unwrap().file_type().is_socket();
    let sockets: Vec<&PathBuf> = files.iter().filter(is_socket).collect();
    assert_eq!(sockets.len(), 1, "{sockets:?}");
    assert_eq!(mode(sockets[0]), 0o600);
}
