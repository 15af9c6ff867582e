//! The real adb server between this program and the virtual board, in both generations of
//! the device side.

use std::net::{Ipv4Addr, SocketAddrV4, TcpListener};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use wattline::device::{
    AdbBoard, Board, CancelFlag, DeviceError, Server, ShellMode, connect, disconnect, list,
    reconnect,
};
use wattline::virtual_board::{BoardOptions, Mode, RunningBoard, start};

/// An adb server of the test's own, ended with it.
struct OwnServer(Server);

impl OwnServer {
    fn new() -> Self {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = free.local_addr().unwrap().port();
        Self(Server { address: SocketAddrV4::new(Ipv4Addr::LOCALHOST, port) })
    }
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        let port = self.0.address.port().to_string();
        let mut stop = Command::new("adb");
        stop.args(["-P", &port, "kill-server"]).stdout(Stdio::null()).stderr(Stdio::null());
        stop.status().ok();
    }
}

/// Whether this machine has what a virtual board needs; says so when not.
fn has_tools() -> bool {
    let missing = ["adb", "mksh", "toybox"].into_iter().find(|tool| {
        let version = Command::new("sh").args(["-c", &format!("command -v {tool}")]).output();
        !version.is_ok_and(|output| output.status.success())
    });
    if let Some(tool) = missing {
        eprintln!("skipped: {tool} is not installed (apt-get install {tool})");
    }
    missing.is_none()
}

fn virtual_board(mode: Mode) -> RunningBoard {
    let executable = env!("CARGO_BIN_EXE_wattline").into();
    start(&BoardOptions { mode, executable: Some(executable), ..BoardOptions::default() }).unwrap()
}

const LIMIT: Duration = Duration::from_secs(10);

fn check_board(mode: Mode, expected: ShellMode) {
    let (server, board) = (OwnServer::new(), virtual_board(mode));
    let serial = board.serial();
    connect(server.0, &serial).unwrap();
    let device = AdbBoard::open(server.0, &serial, CancelFlag::default()).unwrap();
    assert_eq!(device.shell_mode().unwrap(), expected);
    check_shell(&device);
    check_files(&device);
    assert!(list(server.0).unwrap().iter().any(|listed| listed.serial == serial));
    disconnect(server.0, &serial).unwrap();
    let end = AdbBoard::open(server.0, &serial, CancelFlag::default());
    assert!(matches!(end, Err(DeviceError::NotReady { .. })), "{end:?}");
    // A board that was gone comes back by another connection.
    reconnect(server.0, &serial).unwrap();
    assert_eq!(device.shell("echo back", LIMIT).unwrap().stdout, "back\n");
}

fn check_shell(device: &AdbBoard) {
    let output = device.shell("echo out; echo err >&2; exit 3", LIMIT).unwrap();
    assert_eq!(output.exit_code, 3);
    assert_eq!(output.all_output().replace('\n', " "), "out err");
    let many = device.shell("i=0; while [ $i -lt 20000 ]; do echo $i; i=$((i+1)); done", LIMIT);
    assert_eq!(many.unwrap().stdout.lines().count(), 20_000);
    let began = Instant::now();
    let end = device.shell("while :; do :; done", Duration::from_millis(300));
    assert!(matches!(end, Err(DeviceError::TimedOut { .. })), "{end:?}");
    assert!(began.elapsed() < Duration::from_secs(2));
    assert_eq!(device.shell("cat", LIMIT).unwrap().stdout, "", "no input to wait for");
}

fn check_files(device: &AdbBoard) {
    let content: Vec<u8> = (0..300_000u32).flat_map(|n| (n % 251).to_le_bytes()).collect();
    let remote = "/data/local/tmp/it's a file";
    device.push(&content, remote, 0o640).unwrap();
    assert!(device.pull(remote).unwrap() == content);
    let mode = device.shell("ls -l /data/local/tmp", LIMIT).unwrap().stdout;
    assert!(mode.contains("-rw-r-----"), "{mode}");
    device.push(b"", "/data/local/tmp/empty", 0o644).unwrap();
    let missing = device.pull("/data/local/tmp/missing").unwrap_err();
    assert!(matches!(missing, DeviceError::Transfer { .. }), "{missing}");
}

#[test]
fn the_modern_board_answers_through_the_adb_server() {
    if has_tools() {
        check_board(Mode::Modern, ShellMode::V2);
    }
}

#[test]
fn the_legacy_board_answers_through_the_adb_server() {
    if has_tools() {
        check_board(Mode::Legacy, ShellMode::Legacy);
    }
}
