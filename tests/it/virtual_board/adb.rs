//! A virtual board with an adb server of its own, driven by the adb program.

use std::io::Write;
use std::process::{Command, Stdio};

use wattline::virtual_board::{AdbdGeneration, BoardOptions, RunningBoard, start};

use crate::host::{BOARD_TOOLS, board_options, free_port, has};

/// What a call of adb gave.
pub struct Output {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// A board and the adb server that knows it; both end with the value.
pub struct Adb {
    board: RunningBoard,
    server_port: String,
}

/// Whether this machine has what a board needs; says so when not.
pub fn has_tools() -> bool {
    has(&BOARD_TOOLS)
}

/// A board that takes the program under test for its commands.
pub fn options(mode: AdbdGeneration) -> BoardOptions {
    BoardOptions { mode, ..board_options() }
}

impl Adb {
    /// A connected board, if this machine has the tools.
    pub fn connected(mode: AdbdGeneration) -> Option<Self> {
        has_tools().then(|| Self::of(options(mode)))
    }

    /// A connected board.
    pub fn of(options: BoardOptions) -> Self {
        let server_port = free_port().to_string();
        let adb = Self { board: start(&options).unwrap(), server_port };
        let answer = adb.server(&["connect", &adb.board.serial()]);
        assert!(answer.stdout.contains("connected to"), "{}", answer.stdout);
        adb
    }

    pub fn board(&self) -> &RunningBoard {
        &self.board
    }

    /// Runs adb on the board.
    pub fn run(&self, arguments: &[&str]) -> Output {
        self.run_with_input(arguments, "")
    }

    /// Runs adb on the board with some input.
    pub fn run_with_input(&self, arguments: &[&str], input: &str) -> Output {
        let serial = self.board.serial();
        self.call(&[&["-s", serial.as_str()], arguments].concat(), input)
    }

    /// Runs a script on the board that must succeed; what it printed.
    pub fn shell(&self, script: &str) -> String {
        let output = self.run(&["shell", script]);
        assert_eq!(output.code, 0, "{script}\n{}{}", output.stdout, output.stderr);
        output.stdout.replace('\r', "")
    }

    fn server(&self, arguments: &[&str]) -> Output {
        self.call(arguments, "")
    }

    fn call(&self, arguments: &[&str], input: &str) -> Output {
        let mut command = Command::new("adb");
        command.args(["-P", &self.server_port]).args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Output {
            code: output.status.code().unwrap_or(-1),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }
}

impl Drop for Adb {
    fn drop(&mut self) {
        self.server(&["kill-server"]);
    }
}
